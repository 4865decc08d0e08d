"""The span encoder that ships: a 12-layer BERT under a block mask, pooled spans, part cosines, a small head (torch).

Logit of an option = scaled cosines of state parts and option (so that training begins at the base's own similarity) +
head of [option vector, question vector, cosines], whose last layer starts at zero.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from searchjev.encode import Batch
from searchjev.models.shape import FEATURES, Shape


class Layer(nn.Module):
    """One post-norm layer; attention as plain matrix products, which is fastest forward and backward on a CPU."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        hidden = shape.hidden
        self.heads = shape.heads
        self.qkv, self.out = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.up, self.down = nn.Linear(hidden, shape.inner), nn.Linear(shape.inner, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden, eps=shape.epsilon), nn.LayerNorm(hidden, eps=shape.epsilon)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Hidden states (rows, tokens, hidden) after this layer."""
        rows, tokens, hidden = x.shape
        size = hidden // self.heads
        q, k, v = self.qkv(x).view(rows, tokens, 3, self.heads, size).permute(2, 0, 3, 1, 4).unbind(0)
        scores = torch.matmul(q * size**-0.5, k.transpose(2, 3)) + mask
        attended = torch.matmul(scores.softmax(-1), v).transpose(1, 2).reshape(rows, tokens, hidden)
        x = self.norm1(x + self.out(attended))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class SpanEncoder(nn.Module):
    """Batch -> one logit an option, (rows, options); padded options get meaningless logits."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.word = nn.Embedding(shape.vocabulary, shape.hidden)
        self.position = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape.layers))
        self.mix = nn.Linear(FEATURES, 1, bias=False)
        self.head_in = nn.Linear(2 * shape.hidden + FEATURES, shape.hidden)
        self.head_out = nn.Linear(shape.hidden, 1)
        nn.init.zeros_(self.head_out.weight)
        nn.init.zeros_(self.head_out.bias)
        with torch.no_grad():
            self.mix.weight.copy_(torch.tensor([[0.0, 0.0, 0.0, 1.0, 1.0]]))

    def head_parameters(self) -> list[nn.Parameter]:
        """Parameters outside the encoder; they stay in fp32."""
        return [*self.mix.parameters(), *self.head_in.parameters(), *self.head_out.parameters()]

    def hidden_states(self, ids: Tensor, position: Tensor, mask: Tensor) -> Tensor:
        """Final hidden states (rows, tokens, hidden)."""
        x: Tensor = self.norm(self.word(ids) + self.position(position))
        for layer in self.layers:
            x = layer(x, mask)
        return x

    def forward(self, batch: Batch) -> Tensor:
        """Logits (rows, options)."""
        ids, position, mask, option_pool, question_pool, part_pool, has_part = (torch.from_numpy(a) for a in batch)
        dtype = self.position.weight.dtype
        x = self.hidden_states(ids, position, mask.to(dtype))
        options, questions, parts = ((pool.to(dtype) @ x).float() for pool in (option_pool, question_pool, part_pool))
        features = part_cosines(parts, has_part, options)
        joined = torch.cat([options, questions, features], -1)
        logits: Tensor = self.mix(features) + self.head_out(F.gelu(self.head_in(joined)))
        return logits.squeeze(-1)


def part_cosines(parts: Tensor, has_part: Tensor, options: Tensor) -> Tensor:
    """Five numbers an option, (cosine - 0.8) * 10, the base's cosines lying near 0.8.

    Query part against the other parts: highest, mean, last; option against the query part, and against the nearest
    part. Parts that don't exist count as 0.8.
    """
    parts, options = F.normalize(parts, dim=-1), F.normalize(options, dim=-1)
    against_query = (((parts[:, 1:] * parts[:, :1]).sum(-1)) - 0.8) * has_part[:, 1:]
    count = has_part[:, 1:].sum(-1, keepdim=True)
    highest = torch.where(has_part[:, 1:] > 0, against_query, -2.0).amax(-1, keepdim=True)
    highest = torch.where(count > 0, highest, 0.0)
    mean = against_query.sum(-1, keepdim=True) / count.clamp(min=1)
    last = against_query.gather(1, (count.long() - 1).clamp(min=0))
    own = (options @ parts.transpose(1, 2) - 0.8) * has_part[:, None]
    nearest = torch.where(has_part[:, None] > 0, own, -2.0).amax(-1, keepdim=True)
    nearest = torch.where(has_part.sum(-1)[:, None, None] > 0, nearest, 0.0)
    among = torch.cat([highest, mean, last], -1)[:, None].expand(-1, options.shape[1], -1)
    return torch.cat([among, own[:, :, :1], nearest], -1) * 10
