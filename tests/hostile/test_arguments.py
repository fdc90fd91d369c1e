"""Arguments that are no arrays, or arrays of something else: each is refused before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import CompiledOperator

SPEC = """\
pyptogen: 1
operator: odd
dims: {rows: {min: 1, max: 64}}
attrs:
  eps: {type: fp32, default: 0.5}
  n: {type: int32, default: 2}
inputs:
  x: fp32[rows, 64]
  q: int4[rows, 64]
  t: {shape: [rows, 64], dtype: fp32, strides: [128, 1]}
  ids: int32[rows]
  u: fp32[rows, 64]
outputs:
  y: fp32[rows, 64]
  u: {inplace: true}
graph:
  y: index_select(x, 0, ids) * eps + n + cast(cast(q, fp16), fp32) + t
  u: u + 1
"""


class Torn:
    """Says that it has DLPack, and has not."""

    def __dlpack__(self, **_: Any) -> None:
        raise ValueError("no")

    def __dlpack_device__(self) -> tuple[int, int]:
        return 1, 0


ARRAYS: dict[str, Any] = {
    "structured": np.zeros((4, 64), dtype=[("a", "f4")]),
    "record": np.zeros(1, dtype=[("a", "f4")])[0],
    "objects": np.zeros((4, 64), dtype=object),
    "of_no_bytes": np.zeros((4, 64), dtype=[]),
    "text": np.zeros((4, 64), "U1"),
    "dates": np.zeros((4, 64), "M8[s]"),
    "complex": np.zeros((4, 64), "c8"),
    "turned": np.zeros((4, 64), ">f4"),
    "no_axes": np.array(1.0, np.float32),
    "masked": np.ma.masked_equal(np.zeros((4, 64), np.float32), 0),
    "mask_of_nothing": np.ma.MaskedArray(np.zeros(4, np.int32)),
    "empty": np.zeros((0, 64), np.float32),
    "list": [[1.0]],
    "torn": Torn(),
    "none": None,
    "class": np.ndarray,
}


@pytest.fixture(scope="module")
def operator(tmp_path_factory: pytest.TempPathFactory) -> CompiledOperator:
    spec: Path = tmp_path_factory.mktemp("odd") / "odd.yaml"
    spec.write_text(SPEC)
    return pyptogen.compile(spec)


def _refused(operator: CompiledOperator, out: Any = None, **other: Any) -> str:
    """The code of what is said, once as a first call and once after calls that were in order."""
    given = operator.example_inputs(rows=4)
    given["ids"][:] = 3
    fine = {"y": np.zeros((4, 64), np.float32)}
    codes = []
    for before in (0, 2):
        for _ in range(before):
            operator(out=fine, **given)
        updated = given["u"].copy()
        with pytest.raises(DiagnosticError) as raised:
            operator(out=fine if out is None else out, **{**given, **other})
        codes.append(raised.value.diagnostics[0].code)
        assert np.array_equal(given["u"], updated)
    assert codes[0] == codes[1]
    return codes[0]


@pytest.mark.parametrize("kind", sorted(ARRAYS))
@pytest.mark.parametrize("name", ["x", "q", "t", "ids", "u"])
def test_inputs(operator: CompiledOperator, name: str, kind: str) -> None:
    assert _refused(operator, **{name: ARRAYS[kind]}) in ("PTG401", "PTG402", "PTG403", "PTG405")


@pytest.mark.parametrize("kind", sorted(ARRAYS.keys() - {"none"}))
def test_arrays_for_outputs(operator: CompiledOperator, kind: str) -> None:
    assert _refused(operator, out={"y": ARRAYS[kind]}) in ("PTG402", "PTG403")


@pytest.mark.parametrize("kind", sorted(ARRAYS))
def test_inputs_of_the_golden(operator: CompiledOperator, kind: str) -> None:
    with pytest.raises(DiagnosticError):
        operator.golden(**{**operator.example_inputs(rows=4), "t": ARRAYS[kind]})


@pytest.mark.parametrize(
    "kind", ["structured", "objects", "of_no_bytes", "text", "dates", "turned", "no_axes", "torn", "masked"]
)
def test_weights(kind: str) -> None:
    with pytest.raises(DiagnosticError):
        pyptogen.pack(ARRAYS[kind], layout="nz", target="cpu")


@pytest.mark.parametrize(
    "out",
    [[], [ARRAYS["turned"]], (), ARRAYS["turned"], np.zeros(0), "y", b"y", 3, True, {"y"}, [("y", 1)], {1: 2}],
    ids=str,
)
def test_out_is_a_mapping(operator: CompiledOperator, out: Any) -> None:
    assert _refused(operator, out=out) == "PTG404"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n", 2**31), ("n", -(2**31) - 1), ("n", 10**400), ("n", np.uint64(2**63)), ("n", 1.0), ("n", np.bool_(True)),
        ("eps", 10**400), ("eps", 1j), ("eps", "1"), ("eps", np.zeros(2)), ("eps", [1.0]),
    ],
    ids=lambda value: str(value)[:20],
)  # fmt: skip
def test_attrs(operator: CompiledOperator, name: str, value: Any) -> None:
    assert _refused(operator, **{name: value}) == "PTG403"


@pytest.mark.parametrize(
    "dims", [{"rows": "4"}, {"rows": None}, {"rows": 2.5}, {"rows": 10**30}, {"rows": -1}], ids=str
)
def test_sizes_of_examples(operator: CompiledOperator, dims: dict[str, Any]) -> None:
    with pytest.raises(DiagnosticError, match="PTG401"):
        operator.example_inputs(**dims)


@pytest.mark.parametrize("seed", [-1, "a", 0.5])
def test_seeds_of_examples(operator: CompiledOperator, seed: Any) -> None:
    with pytest.raises(DiagnosticError, match="PTG403"):
        operator.example_inputs(rows=4, seed=seed)


@pytest.mark.parametrize("spec", [3, b"odd.yaml", None, ["odd.yaml"], "a\0b.yaml"], ids=repr)
def test_what_is_compiled_is_a_spec(spec: Any) -> None:
    with pytest.raises(DiagnosticError, match="PTG110"):
        pyptogen.compile(spec)


def test_folders_have_names(tmp_path: Path) -> None:
    spec = tmp_path / "odd.yaml"
    spec.write_text(SPEC)
    with pytest.raises(DiagnosticError, match="PTG504"):
        pyptogen.build(spec, f"{tmp_path}/a\0b", ["cpu"])
