"""bf16 or fp32: bf16 pays on a CPU only where AMX multiplies it."""

import torch

from searchjev.train.config import TrainConfig


def uses_bf16(config: TrainConfig) -> bool:
    """Whether the encoder works in bf16 (with fp32 master weights): as the config says, or where AMX is present."""
    if config.precision != "auto":
        return config.precision == "bf16"
    return bool(torch.cpu._is_amx_tile_supported())
