"""A trained span encoder into ONNX: weights stored in 8 or 4 bit by blocks of 32, arithmetic in fp32.

The graph is written node by node with onnxruntime's fused operators: no tracing, and every node is known.
"""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

from searchjev.models.shape import FEATURES, Shape

BLOCK = 32
MICROSOFT = "com.microsoft"
Array = npt.NDArray[Any]


def export_onnx(weights: dict[str, Array], shape: Shape, path: Path) -> None:
    """Write model.onnx; inputs and output as `encode.Batch` and (rows, options) logits."""
    graph = _Graph()
    x = _embed(graph, weights)
    for n in range(shape.layers):
        x = _layer(graph, weights, f"layers.{n}.", x, shape)
    _head(graph, weights, x)
    onnx.save(graph.model(shape), str(path))


class _Graph:
    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self._count = 0

    def op(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:  # noqa: ANN401
        self._count += 1
        output = f"{kind}_{self._count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], domain=domain, **attributes))
        return output

    def constant(self, array: Array, name: str = "") -> str:
        name = name or f"constant_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def matrix(self, weight: Array, name: str) -> str:
        """Transposed linear weight (in, out), stored in 8 bit with a scale per 32 inputs and output."""
        transposed = np.ascontiguousarray(weight.T)
        inputs, outputs = transposed.shape
        if inputs % BLOCK:
            return self.constant(transposed.astype(np.float32), name)
        blocks = transposed.reshape(inputs // BLOCK, BLOCK, outputs)
        scale = np.maximum(np.abs(blocks).max(1), 1e-12).astype(np.float32) / 127
        values = np.rint(blocks / scale[:, None]).astype(np.int8).reshape(inputs, outputs)
        return self.op(
            "DequantizeLinear",
            self.constant(values, name),
            self.constant(scale, f"{name}.scale"),
            axis=0,
            block_size=BLOCK,
        )

    def model(self, shape: Shape) -> Any:  # noqa: ANN401
        int64, fp32 = TensorProto.INT64, TensorProto.FLOAT
        inputs = [
            ("ids", int64, ["rows", "tokens"]),
            ("position", int64, ["rows", "tokens"]),
            ("mask", fp32, ["rows", 1, "tokens", "tokens"]),
            ("option_pool", fp32, ["rows", "options", "tokens"]),
            ("question_pool", fp32, ["rows", "options", "tokens"]),
            ("part_pool", fp32, ["rows", "parts", "tokens"]),
            ("has_part", fp32, ["rows", "parts"]),
        ]
        graph = helper.make_graph(
            self.nodes,
            "searchjev-span-encoder",
            [helper.make_tensor_value_info(*value) for value in inputs],
            [helper.make_tensor_value_info("logits", fp32, ["rows", "options"])],
            self.initializers,
        )
        opsets = [helper.make_opsetid("", 21), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10, producer_name="searchjev")


def _embed(graph: _Graph, weights: dict[str, Array]) -> str:
    word, position = weights["word.weight"], weights["position.weight"]
    table = _word_table(graph, word)
    places = graph.op("Gather", graph.constant(position.astype(np.float32), "position_table"), "position")
    total = graph.op("Add", table, places)
    return _norm(graph, weights, "norm", total)


def _word_table(graph: _Graph, word: Array) -> str:
    """Rows of the word table, unpacked only for the tokens at hand; 4 bit where that loses nothing, else 8."""
    vocabulary, hidden = word.shape
    blocks = word.reshape(vocabulary, hidden // BLOCK, BLOCK) if hidden % BLOCK == 0 else None
    if blocks is None:
        return graph.op("Gather", graph.constant(word.astype(np.float32), "word"), "ids")
    values, scale = _quantised(blocks)
    shape = graph.constant(np.array([0, 0, hidden // BLOCK, BLOCK], np.int64))
    flat = graph.constant(np.array([0, 0, hidden], np.int64))
    rows = graph.op("Gather", graph.constant(values.reshape(vocabulary, hidden), "word"), "ids")
    rows = graph.op("Reshape", graph.op("Cast", rows, to=TensorProto.FLOAT), shape)
    scales = graph.op("Cast", graph.op("Gather", graph.constant(scale, "word.scale"), "ids"), to=TensorProto.FLOAT)
    scales = graph.op("Unsqueeze", scales, graph.constant(np.array([3], np.int64)))
    return graph.op("Reshape", graph.op("Mul", rows, scales), flat)


def _quantised(blocks: Array) -> tuple[Array, Array]:
    """8-bit values and fp16 scales of blocks (rows, blocks, 32); a base in 4 bit comes back exactly."""
    largest = np.maximum(np.abs(blocks).max(-1), 1e-12)
    four_bit = (largest / 8).astype(np.float16)
    eight_bit = np.nextafter((largest / 127).astype(np.float16), np.float16(np.inf))
    back = np.rint(blocks / np.maximum(four_bit, 1e-7)[..., None].astype(np.float32)) * four_bit[..., None].astype(
        np.float32
    )
    is_exact = np.abs(back - blocks).max(-1) <= 1e-6 * largest
    scale = np.where(is_exact, four_bit, eight_bit).astype(np.float16)
    values = np.rint(blocks / np.maximum(scale.astype(np.float32), 1e-7)[..., None])
    return np.clip(values, -127, 127).astype(np.int8), scale


def _layer(graph: _Graph, weights: dict[str, Array], name: str, x: str, shape: Shape) -> str:
    attended = graph.op(
        "Attention",
        x,
        graph.matrix(weights[name + "qkv.weight"], name + "qkv"),
        graph.constant(weights[name + "qkv.bias"].astype(np.float32)),
        "",
        "",
        "mask",
        domain=MICROSOFT,
        num_heads=shape.heads,
    )
    out = graph.op("MatMul", attended, graph.matrix(weights[name + "out.weight"], name + "out"))
    x = _norm(graph, weights, name + "norm1", _plus_bias(graph, out, weights[name + "out.bias"]), x)
    up = graph.op("MatMul", x, graph.matrix(weights[name + "up.weight"], name + "up"))
    up = graph.op("BiasGelu", up, graph.constant(weights[name + "up.bias"].astype(np.float32)), domain=MICROSOFT)
    down = graph.op("MatMul", up, graph.matrix(weights[name + "down.weight"], name + "down"))
    return _norm(graph, weights, name + "norm2", _plus_bias(graph, down, weights[name + "down.bias"]), x)


def _plus_bias(graph: _Graph, x: str, bias: Array) -> str:
    return graph.op("Add", x, graph.constant(bias.astype(np.float32)))


def _norm(graph: _Graph, weights: dict[str, Array], name: str, x: str, skip: str = "") -> str:
    gamma = graph.constant(weights[f"{name}.weight"].astype(np.float32))
    beta = graph.constant(weights[f"{name}.bias"].astype(np.float32))
    if skip:
        return graph.op("SkipLayerNormalization", x, skip, gamma, beta, domain=MICROSOFT, epsilon=1e-12)
    return graph.op("LayerNormalization", x, gamma, beta, axis=-1, epsilon=1e-12)


def _head(graph: _Graph, weights: dict[str, Array], x: str) -> None:
    options, questions, parts = (graph.op("MatMul", pool, x) for pool in ("option_pool", "question_pool", "part_pool"))
    features = _features(graph, _unit(graph, parts), _unit(graph, options))
    joined = graph.op("Concat", options, questions, features, axis=-1)
    hidden = graph.op("MatMul", joined, graph.constant(weights["head_in.weight"].T.astype(np.float32), "head_in"))
    hidden = graph.op("BiasGelu", hidden, graph.constant(weights["head_in.bias"].astype(np.float32)), domain=MICROSOFT)
    logit = graph.op("MatMul", hidden, graph.constant(weights["head_out.weight"].T.astype(np.float32), "head_out"))
    logit = graph.op("Add", logit, graph.constant(weights["head_out.bias"].astype(np.float32)))
    mixed = graph.op("MatMul", features, graph.constant(weights["mix.weight"].T.astype(np.float32), "mix"))
    total = graph.op("Add", logit, mixed)
    graph.nodes.append(helper.make_node("Squeeze", [total, graph.constant(np.array([2], np.int64))], ["logits"]))


def _unit(graph: _Graph, x: str) -> str:
    length = graph.op("ReduceL2", x, graph.constant(np.array([-1], np.int64)), keepdims=1)
    return graph.op("Div", x, graph.op("Max", length, graph.constant(np.array(1e-12, np.float32))))


def _features(graph: _Graph, parts: str, options: str) -> str:
    """The cosines of `span_encoder.part_cosines`, (rows, options, 5)."""

    def integer(*values: int) -> str:
        return graph.constant(np.array(values, np.int64))

    def number(value: float) -> str:
        return graph.constant(np.array(value, np.float32))

    axis1, last_axis = integer(1), integer(-1)
    query = graph.op("Slice", parts, integer(0), integer(1), axis1)
    others = graph.op("Slice", parts, integer(1), integer(2**31), axis1)
    exists = graph.op("Slice", "has_part", integer(1), integer(2**31), axis1)
    against = graph.op("ReduceSum", graph.op("Mul", others, query), last_axis, keepdims=0)
    against = graph.op("Mul", graph.op("Sub", against, number(0.8)), exists)
    count = graph.op("ReduceSum", exists, last_axis, keepdims=1)
    highest = graph.op("ReduceMax", _where(graph, exists, against, number(-2)), last_axis, keepdims=1)
    highest = _where(graph, count, highest, number(0))
    mean = graph.op("Div", graph.op("ReduceSum", against, last_axis, keepdims=1), graph.op("Max", count, number(1)))
    place = graph.op("Cast", graph.op("Max", graph.op("Sub", count, number(1)), number(0)), to=TensorProto.INT64)
    final = graph.op("GatherElements", against, place, axis=1)
    among = graph.op("Unsqueeze", graph.op("Concat", highest, mean, final, axis=-1), axis1)
    own = graph.op("MatMul", options, graph.op("Transpose", parts, perm=[0, 2, 1]))
    has_part = graph.op("Unsqueeze", "has_part", axis1)
    own = graph.op("Mul", graph.op("Sub", own, number(0.8)), has_part)
    nearest = graph.op("ReduceMax", _where(graph, has_part, own, number(-2)), last_axis, keepdims=1)
    any_part = graph.op("ReduceSum", has_part, last_axis, keepdims=1)
    nearest = _where(graph, any_part, nearest, number(0))
    own_query = graph.op("Slice", own, integer(0), integer(1), integer(2))
    pair = graph.op("Concat", own_query, nearest, axis=-1)
    # spread the three state cosines over the options
    zero = graph.op("Mul", own_query, number(0))
    return graph.op("Mul", graph.op("Concat", graph.op("Add", among, zero), pair, axis=-1), number(10))


def _where(graph: _Graph, condition: str, yes: str, no: str) -> str:
    positive = graph.op("Greater", condition, graph.constant(np.array(0, np.float32)))
    return graph.op("Where", positive, yes, no)


assert FEATURES == 5  # _features spells the five cosines out
