"""AdamW with layer-wise rates, warm-up and decay, clipping, and fp32 master weights when the model works in bf16."""

import torch
from torch import Tensor, nn

from searchjev.models.readout import ParameterGroup
from searchjev.train.config import TrainConfig


def schedule(step: int, config: TrainConfig) -> float:
    """Multiple of the learning rate at a step from 0: linear warm-up, constant, linear decay to 2 % at the end."""
    warmup, decay = max(1, round(config.warmup * config.steps)), max(1, round(config.decay * config.steps))
    return min((step + 1) / warmup, 1.0, max(0.02, (config.steps - step) / decay))


class Optimiser:
    """Updates the working parameters through fp32 master copies; without bf16 the two are the same tensors."""

    def __init__(self, groups: list[ParameterGroup], config: TrainConfig) -> None:
        self.config = config
        self.working: list[nn.Parameter] = [p for group in groups for p in group.parameters]
        self.master = [p if p.dtype == torch.float32 else nn.Parameter(p.detach().float()) for p in self.working]
        by_working = dict(zip(map(id, self.working), self.master, strict=True))
        self.adam = torch.optim.AdamW(
            [
                {
                    "params": [by_working[id(p)] for p in group.parameters],
                    "lr": (config.head_lr if group.is_head else config.lr) * group.scale,
                }
                for group in groups
            ],
            betas=(0.9, 0.98),
            weight_decay=config.weight_decay,
            fused=True,
        )
        self.rates = [group["lr"] for group in self.adam.param_groups]

    def update(self, step: int) -> float:
        """Apply the gathered gradients; returns their norm. A norm that is not finite changes nothing."""
        for master, working in zip(self.master, self.working, strict=True):
            if master is not working:
                master.grad = None if working.grad is None else working.grad.float()
        norm = float(nn.utils.clip_grad_norm_(self.master, self.config.clip))
        if norm == norm and norm != float("inf"):
            factor = schedule(step, self.config)
            for group, rate in zip(self.adam.param_groups, self.rates, strict=True):
                group["lr"] = rate * factor
            self.adam.step()
            self._publish()
        for p in (*self.working, *self.master):
            p.grad = None
        return norm

    def state(self) -> dict[str, object]:
        """Moments and master weights."""
        return {"adam": self.adam.state_dict(), "master": [m.detach() for m in self.master]}

    def load_state(self, state: dict[str, object]) -> None:
        """Take back what `state` gave."""
        self.adam.load_state_dict(state["adam"])
        masters: list[Tensor] = state["master"]  # type: ignore[assignment]
        with torch.no_grad():
            for master, saved in zip(self.master, masters, strict=True):
                master.copy_(saved)
        self._publish()

    def _publish(self) -> None:
        with torch.no_grad():
            for master, working in zip(self.master, self.working, strict=True):
                if master is not working:
                    working.copy_(master)
