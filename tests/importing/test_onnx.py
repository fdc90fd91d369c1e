"""Models of ONNX as specs: what the spec computes is what onnx's own reference computes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import quick_kernels

onnx = pytest.importorskip("onnx", reason="pip install 'pyptogen[onnx]'")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

import pyptogen  # noqa: E402
from pyptogen.diagnostics import DiagnosticError  # noqa: E402
from pyptogen.editor.format_spec import formatted  # noqa: E402
from pyptogen.importing import from_onnx  # noqa: E402
from pyptogen.schema.source import Source  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def compiled_quickly() -> Iterator[None]:
    with quick_kernels():
        yield


def model(
    path: Path, nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any], weights: dict[str, Any]
) -> Any:
    """A model of float tensors, or of int64 ones where a name ends with `index`."""

    def info(name: str, shape: Any) -> Any:
        kind = TensorProto.INT64 if name.endswith("index") else TensorProto.FLOAT
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        nodes, "g", [info(*one) for one in inputs.items()], [info(*one) for one in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(made, path)
    return made


def random(*shape: int) -> Any:
    return np.random.default_rng(len(shape) + shape[-1]).normal(size=shape).astype(np.float32)


def whole(*numbers: int) -> Any:
    return np.array(numbers, np.int64)


N = helper.make_node
MODELS: dict[str, tuple[Any, ...]] = {
    "layer": (
        [
            N("LayerNormalization", ["x", "norm.weight", "norm.bias"], ["h"], epsilon=1e-5),
            N("MatMul", ["h", "up"], ["/MatMul_output_0"]),
            N("Add", ["/MatMul_output_0", "bias"], ["/Add_output_0"]),
            N("Sigmoid", ["/Add_output_0"], ["/Sigmoid_output_0"]),
            N("Mul", ["/Add_output_0", "/Sigmoid_output_0"], ["gate"]),
            N("Gemm", ["gate", "down"], ["/Gemm_output_0"], transB=1, alpha=0.5),
            N("Add", ["x", "/Gemm_output_0"], ["y"]),
        ],
        {"x": ["rows", 32]},
        {"y": ["rows", 32]},
        {"norm.weight": random(32), "norm.bias": random(32), "up": random(32, 48), "bias": random(48),
         "down": random(32, 48)},
    ),
    "attention": (
        [
            N("Transpose", ["k"], ["kt"], perm=[0, 2, 1]),
            N("MatMul", ["q", "kt"], ["/MatMul_output_0"]),
            N("Mul", ["/MatMul_output_0", "scale"], ["scores"]),
            N("Softmax", ["scores"], ["p"], axis=-1),
            N("MatMul", ["p", "k"], ["o"]),
        ],
        {"q": [3, "t", 16], "k": [3, "s", 16]},
        {"o": [3, "t", 16]},
        {"scale": np.array(0.25, np.float32)},
    ),
    "pick": (
        [
            N("Gather", ["x", "index"], ["rows"], axis=0),
            N("Slice", ["rows", "starts", "ends", "axes"], ["part"]),
            N("ReduceSum", ["part", "axes"], ["total"], keepdims=1),
            N("Sub", ["part", "total"], ["/Sub_output_0"]),
            N("Clip", ["/Sub_output_0", "low", "high"], ["y"]),
        ],
        {"x": [20, 32], "index": [7]},
        {"y": [7, 16]},
        {"starts": whole(8), "ends": whole(24), "axes": whole(1), "low": np.array(-2, np.float32),
         "high": np.array(2, np.float32)},
    ),
    "best": (
        [N("TopK", ["x", "k"], ["values", "index"], axis=-1), N("Exp", ["values"], ["risen"])],
        {"x": ["rows", 32]},
        {"risen": ["rows", 4], "index": ["rows", 4]},
        {"k": whole(4)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MODELS)
def test_an_imported_spec_computes_what_the_model_does(name: str, tmp_path: Path) -> None:
    made = model(tmp_path / f"{name}.onnx", *MODELS[name])
    text = from_onnx(str(tmp_path / f"{name}.onnx"))
    assert formatted(Source("a.yaml", text)) == text
    assert "output_0" not in text
    (tmp_path / "a.yaml").write_text(text)
    operator = pyptogen.compile(tmp_path / "a.yaml")
    cases = operator.spec.verify.cases
    given = operator.example_inputs(**dict(cases[-1] if cases else {}))
    weights = {name.replace(".", "_"): array for name, array in MODELS[name][3].items()}
    given |= {name: array for name, array in weights.items() if name in given}
    inputs = {one: given[one] for one in MODELS[name][1]}
    want = ReferenceEvaluator(made).run(None, inputs)
    for found, expected in zip(operator(**given), want, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-5)


def test_what_is_not_taken_is_listed(tmp_path: Path) -> None:
    nodes = [N("Det", ["x"], ["d"]), N("Mod", ["x", "x"], ["m"], fmod=1)]
    model(tmp_path / "strange.onnx", nodes, {"x": [4, 4]}, {"d": [], "m": [4, 4]}, {})
    with pytest.raises(DiagnosticError) as error:
        from_onnx(str(tmp_path / "strange.onnx"))
    assert [one.code for one in error.value.diagnostics] == ["PTG802", "PTG802"]
    assert "`Det`" in str(error.value)
    (tmp_path / "none.onnx").write_text("nothing")
    for path in ("none.onnx", "missing.onnx"):
        with pytest.raises(DiagnosticError, match="PTG801"):
            from_onnx(str(tmp_path / path))
