import struct

import numpy as np
import pytest

from searchjev.errors import ArtifactError
from searchjev.fetch.q4 import BLOCK_BYTES, config, dequantise, read_weights, tensors

HIDDEN, INNER, VOCABULARY, POSITIONS = 32, 64, 3, 4


def block(scale: float, weights: list[int]) -> bytes:
    """One block of 32 weights from -8 to 7, packed as the format says."""
    nibbles = [weight + 8 for weight in weights]
    return np.float16(scale).tobytes() + bytes(nibbles[i] | nibbles[i + 16] << 4 for i in range(16))


def matrix_bytes(rows: int, columns: int) -> bytes:
    return block(0.5, [(i % 16) - 8 for i in range(32)]) * (rows * columns // 32)


def weights_file() -> bytes:
    """A whole file of one layer, with a tokenizer of two pieces."""
    plain = np.arange
    entries = {
        "emb.word": matrix_bytes(VOCABULARY, HIDDEN), "emb.pos": plain(POSITIONS * HIDDEN, dtype="<f4").tobytes(),
        "emb.type": plain(2 * HIDDEN, dtype="<f4").tobytes(),
    }  # fmt: skip
    for name, rows, columns in (
        ("q", HIDDEN, HIDDEN), ("k", HIDDEN, HIDDEN), ("v", HIDDEN, HIDDEN), ("ao", HIDDEN, HIDDEN),
        ("fi", INNER, HIDDEN), ("fo", HIDDEN, INNER),
    ):  # fmt: skip
        entries[f"l0.{name}.w"] = matrix_bytes(rows, columns)
        entries[f"l0.{name}.b"] = plain(rows, dtype="<f4").tobytes()
    for name in ("emb.ln", "l0.aln", "l0.oln"):
        for kind in "wb":
            entries[f"{name}.{kind}"] = plain(HIDDEN, dtype="<f4").tobytes()
    head = struct.pack("<4sI7ifi", b"E5S1", 1, HIDDEN, 1, 2, INNER, VOCABULARY, POSITIONS, 2, 1e-12, 32)
    head += struct.pack("<5iQ", 2, 0, 2, 1, 3, 5) + struct.pack("<3I2f", 0, 2, 5, 0.0, -1.0) + b"abcde"
    head += struct.pack("<iI", 1, 7) + b"charmap" + struct.pack("<i", len(entries))
    at = len(head) + sum(2 + len(name) + 21 for name in entries)
    directory, data = b"", b""
    for name, raw in entries.items():
        directory += struct.pack(f"<H{len(name)}sBIQQ", len(name), name.encode(), 0, 0, at + len(data), len(raw))
        data += raw
    return head + directory + data


def test_a_block_is_scale_times_weight_less_eight():
    weights = [7, -8, 0, 1, *[-1] * 12, 3, -2, *[5] * 14]
    assert dequantise(block(0.25, weights), 1, 32).tolist() == [[weight * 0.25 for weight in weights]]


def test_blocks_fill_rows_in_order():
    raw = block(1, [1] * 32) + block(2, [1] * 32) + block(3, [1] * 32) + block(4, [1] * 32)
    assert dequantise(raw, 2, 64)[:, [0, 32]].tolist() == [[1, 2], [3, 4]]


def test_a_wrong_number_of_bytes_is_refused():
    with pytest.raises(ArtifactError, match="expected 36 for 2 x 32"):
        dequantise(bytes(BLOCK_BYTES), 2, 32)


def test_every_tensor_has_its_shape_and_name():
    found = {name: tensor.shape for name, tensor in tensors(read_weights(weights_file())).items()}
    assert len(found) == 5 + 16
    assert found["embeddings.word_embeddings.weight"] == (VOCABULARY, HIDDEN)
    assert found["embeddings.token_type_embeddings.weight"] == (2, HIDDEN)
    assert found["encoder.layer.0.intermediate.dense.weight"] == (INNER, HIDDEN)
    assert found["encoder.layer.0.output.dense.weight"] == (HIDDEN, INNER)
    assert found["encoder.layer.0.output.LayerNorm.bias"] == (HIDDEN,)


def test_the_config_has_what_the_loader_reads():
    made = config(read_weights(weights_file()))
    assert (made["hidden_size"], made["num_hidden_layers"], made["layer_norm_eps"]) == (HIDDEN, 1, 1e-12)


@pytest.mark.parametrize(
    ("data", "message"),
    [(b"GGUF" + weights_file()[4:], "starts with b'GGUF'"), (weights_file()[:60], "cut"), (weights_file()[:-1], "cut")],
)
def test_another_or_a_cut_file_is_refused(data, message):
    with pytest.raises(ArtifactError, match=message):
        read_weights(data)
