"""A bundle whose network is real but trivial: an option's logit is the mean of its token ids, scaled."""

from pathlib import Path

import msgspec
import onnx
from onnx import TensorProto, helper

from searchjev.bundle import BUNDLE_FORMAT, BundleInfo
from searchjev.digest import file_sha256
from searchjev.prompt import PROMPT_VERSION
from tests import tiny

INPUTS = {
    "ids": (TensorProto.INT64, ["r", "t"]),
    "position": (TensorProto.INT64, ["r", "t"]),
    "mask": (TensorProto.FLOAT, ["r", 1, "t", "t"]),
    "option_pool": (TensorProto.FLOAT, ["r", "o", "t"]),
    "question_pool": (TensorProto.FLOAT, ["r", "o", "t"]),
    "part_pool": (TensorProto.FLOAT, ["r", "p", "t"]),
    "has_part": (TensorProto.FLOAT, ["r", "p"]),
}


def write_bundle(folder: Path, name: str = "toy") -> Path:
    tiny.write_tokenizer(folder / "tokenizer.json")
    onnx.save(_model(), str(folder / "model.onnx"))
    info = BundleInfo(
        format=BUNDLE_FORMAT, name=name, version="0.0.1", release_date="2026-12-01", description="a toy",
        readout="span", prompt_version=PROMPT_VERSION, max_tokens=300, max_state_positions=384, max_positions=512,
        model_sha256=file_sha256(folder / "model.onnx"), tokenizer_sha256=file_sha256(folder / "tokenizer.json"),
        files={},
    )  # fmt: skip
    (folder / "bundle.json").write_bytes(msgspec.json.encode(info))
    return folder


def _model() -> onnx.ModelProto:
    nodes = [
        helper.make_node("Cast", ["ids"], ["as_float"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["as_float", "scale"], ["small"]),
        helper.make_node("Unsqueeze", ["small", "last"], ["column"]),
        helper.make_node("MatMul", ["option_pool", "column"], ["pooled"]),
        helper.make_node("Squeeze", ["pooled", "last"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "toy",
        [helper.make_tensor_value_info(key, kind, shape) for key, (kind, shape) in INPUTS.items()],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["r", "o"])],
        [
            helper.make_tensor("scale", TensorProto.FLOAT, [], [0.05]),
            helper.make_tensor("last", TensorProto.INT64, [1], [-1]),
        ],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
