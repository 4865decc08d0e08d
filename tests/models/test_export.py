import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="export tests need the train extra: pip install 'searchjev[train]'")
pytest.importorskip("onnx", reason="export tests need the train extra")

from searchjev.decide import _session  # noqa: E402
from searchjev.encode import SEP, Block, Request, collate, rows_of  # noqa: E402
from searchjev.models.export import _quantised, export_onnx  # noqa: E402
from searchjev.models.shape import Shape  # noqa: E402
from searchjev.models.span_encoder import SpanEncoder  # noqa: E402


def row(parts: int, options: int, seed: int):
    draw = random.Random(seed)
    text = lambda n: [draw.randrange(4, 90) for _ in range(n)]  # noqa: E731
    return rows_of(
        Request([text(6) for _ in range(parts)], [Block([*text(4), SEP], [[*text(3), SEP] for _ in range(options)])])
    )[0]


@pytest.mark.parametrize("rows", [[(0, 2)], [(1, 3)], [(3, 2), (0, 5), (1, 4)]])
def test_the_graph_computes_what_the_torch_model_computes(rows, tmp_path):
    torch.manual_seed(3)
    model = SpanEncoder(Shape(vocabulary=90, hidden=64, layers=2, heads=4, inner=128)).eval()
    torch.nn.init.normal_(model.head_out.weight, std=0.3)
    export_onnx({n: t.numpy() for n, t in model.state_dict().items()}, model.shape, tmp_path / "model.onnx")
    batch = collate([row(parts, options, n) for n, (parts, options) in enumerate(rows)])
    with torch.no_grad():
        expected = model(batch).numpy()
    found = _session(tmp_path / "model.onnx", 1).run(["logits"], batch._asdict())[0]
    exists = batch.option_pool.sum(-1) > 0
    np.testing.assert_allclose(found[exists], expected[exists], rtol=0.02, atol=0.02)  # weights are stored in 8 bit


def test_four_bit_tables_come_back_exactly():
    generator = np.random.default_rng(5)
    scale = generator.uniform(0.01, 0.1, (4, 3, 1)).astype(np.float16).astype(np.float32)
    values = generator.integers(-8, 8, (4, 3, 32)).astype(np.float32)
    values[..., 0] = -8
    stored, scales = _quantised(values * scale)
    np.testing.assert_array_equal(stored * scales[..., None].astype(np.float32), values * scale)


def test_other_tables_come_back_within_a_255th():
    values = np.random.default_rng(6).normal(size=(5, 2, 32)).astype(np.float32)
    stored, scales = _quantised(values)
    error = np.abs(stored * scales[..., None].astype(np.float32) - values).max(-1)
    assert (error <= np.abs(values).max(-1) / 250).all()
