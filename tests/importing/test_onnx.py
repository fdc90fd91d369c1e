"""Models of ONNX as specs: what the spec computes is what onnx's own reference computes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

onnx = pytest.importorskip("onnx", reason="pip install 'pyptogen[onnx]'")

from onnx import TensorProto, helper, numpy_helper  # noqa: E402
from onnx.reference import ReferenceEvaluator  # noqa: E402

import pyptogen  # noqa: E402
from pyptogen.diagnostics import DiagnosticError  # noqa: E402
from pyptogen.editor.format_spec import formatted  # noqa: E402
from pyptogen.importing import from_onnx  # noqa: E402
from pyptogen.schema.source import Source  # noqa: E402

from .onnx_models import MODELS, N  # noqa: E402

KINDS = {"index": TensorProto.INT64, "mask": TensorProto.BOOL, "half": TensorProto.FLOAT16}


def model(
    path: Path, nodes: list[Any], inputs: dict[str, Any], outputs: dict[str, Any], weights: dict[str, Any]
) -> Any:
    """A model of float tensors, or of others where a name ends with what `KINDS` has."""

    def info(name: str, shape: Any) -> Any:
        kind = next((kind for end, kind in KINDS.items() if name.endswith(end)), TensorProto.FLOAT)
        return helper.make_tensor_value_info(name, kind, shape)

    graph = helper.make_graph(
        nodes, "g", [info(*one) for one in inputs.items()], [info(*one) for one in outputs.items()],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )  # fmt: skip
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=11)
    onnx.save(made, path)
    return made


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


def test_numbers_are_as_somebody_wrote_them(tmp_path: Path) -> None:
    model(tmp_path / "quantised.onnx", *MODELS["quantised"])
    text = from_onnx(str(tmp_path / "quantised.onnx"))
    assert "round(h / 0.05) + 3, -128, 127)" in text


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


def test_sizes_that_shape_inference_leaves_open(tmp_path: Path) -> None:
    """The -1 of a reshape is what is left of the elements, and every size after it follows."""
    nodes = [
        N("Reshape", ["x", "split"], ["apart"]),
        N("Transpose", ["apart"], ["heads"], perm=[1, 0, 2]),
        N("Transpose", ["heads"], ["back"], perm=[1, 0, 2]),
        N("Reshape", ["back", "joined"], ["y"]),
    ]
    weights = {"split": np.array([-1, 4, 16]), "joined": np.array([-1, 64])}
    model(tmp_path / "heads.onnx", nodes, {"x": ["t", 64]}, {"y": ["t", 64]}, weights)
    text = from_onnx(str(tmp_path / "heads.onnx"))
    assert "reshape(x, [t, 4, 16])" in text
    assert "unk" not in text
    weights["joined"] = np.array([-1, 48])
    nodes = [N("Reshape", ["x", "joined"], ["lost"]), N("Relu", ["lost"], ["y"])]
    model(tmp_path / "lost.onnx", nodes, {"x": ["t", 64]}, {"y": ["u", 48]}, weights)
    with pytest.raises(DiagnosticError, match="size that shape inference does not find"):
        from_onnx(str(tmp_path / "lost.onnx"))
