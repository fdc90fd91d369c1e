"""Example inputs of a toy contract: sizes, shapes, dtypes, streams of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sympy

from pyptogen.diagnostics import DiagnosticError
from pyptogen.inputs.example import example_inputs
from pyptogen.inputs.sizes import case_dims, resolve_dims
from pyptogen.lower.tensor.ir import Dim
from pyptogen.schema import Source, Spec, load_source
from verify import toy

TEXT = """\
pyptogen: 1
operator: toy
dims:
  t: {min: 1, max: 64}
  blocks: {min: 2, max: 16, multiple_of: 2}
  k: 32
  n: 16
  size: 8
  slots: blocks * size
inputs:
  x: bf16[t, k]
  w: bf16[k, 2 * n] @ nz
  cache: fp32[slots, 2 * n]
  index: int64[t]
outputs:
  y: fp16[t, 2 * n]
graph:
  y: cast(matmul(x, w, dtype=fp32), fp16)
verify:
  generate:
    x: normal(0, 2)
    index: permutation(slots)
"""


def spec(cases: str = "[{t: 5, blocks: 4}, {t: 9, blocks: 2}]") -> Spec:
    return load_source(Source("toy.yaml", f"{TEXT}  cases: {cases}\n"))


def draw(seed: int = 7, text: Spec | None = None, **dims: int) -> dict[str, Any]:
    return example_inputs(text or spec(), dims, seed, program=toy.program())


def fault_of(dims: Mapping[str, int], **arguments: Any) -> Any:
    with pytest.raises(DiagnosticError) as caught:
        draw(**arguments, **dims)
    return caught.value.diagnostics[0]


def test_shapes_dtypes_and_order_are_the_contract() -> None:
    arrays = draw(t=3, blocks=6)
    assert [(name, a.shape, a.dtype) for name, a in arrays.items()] == [
        ("x", (3, 32), ml_dtypes.bfloat16),
        ("w", (32, 32), ml_dtypes.bfloat16),
        ("cache", (48, 32), np.float32),
        ("index", (3,), np.int64),
    ]
    assert all(a.flags.c_contiguous and a.flags.writeable for a in arrays.values())


def test_generators_are_used_and_defaults_fill_the_rest() -> None:
    arrays = draw(t=64, blocks=8)
    assert 1.8 < arrays["x"].astype(np.float64).std() < 2.2
    assert np.abs(arrays["w"].astype(np.float64)).max() <= 1
    assert sorted(arrays["index"]) == list(range(64))


def test_each_tensor_has_a_stream_of_its_own() -> None:
    without = TEXT.replace("    x: normal(0, 2)\n", "")
    changed = load_source(Source("toy.yaml", without))
    assert np.array_equal(draw(t=4, blocks=4)["w"], draw(t=4, blocks=4, text=changed)["w"])
    assert not np.array_equal(draw(t=4, blocks=4)["x"], draw(t=4, blocks=4, text=changed)["x"])
    same_kind = draw(t=32, blocks=4)
    assert not np.array_equal(same_kind["w"].astype(np.float32), same_kind["cache"])


def test_the_seed_decides() -> None:
    first, again, other = draw(1, t=4, blocks=4), draw(1, t=4, blocks=4), draw(2, t=4, blocks=4)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not any(np.array_equal(first[name], other[name]) for name in first)


def test_missing_sizes_come_from_the_first_case() -> None:
    assert case_dims(spec(), toy.program(), {}) == {"t": 5, "blocks": 4}
    assert case_dims(spec(), toy.program(), {"t": 2}) == {"t": 2, "blocks": 4}
    assert case_dims(spec(), toy.program(), {"t": np.int64(2)}) == {"t": 2, "blocks": 4}


def test_a_case_with_the_given_size_is_preferred() -> None:
    assert case_dims(spec(), toy.program(), {"t": 9}) == {"t": 9, "blocks": 2}


def test_derived_dims_follow() -> None:
    program = toy.program()
    assert resolve_dims(program, {"t": 1, "blocks": 6})["slots"] == 48
    backwards = replace(program, dims=(_twice("slots"), *reversed(program.dims)))
    assert resolve_dims(backwards, {"t": 1, "blocks": 6})["twice"] == 96


def _twice(name: str) -> Dim:
    return Dim("twice", None, 2, 256, 2, 2 * sympy.Symbol(name, positive=True, integer=True), toy.SPAN)


def test_a_size_that_nobody_gives() -> None:
    diagnostic = fault_of({"t": 1}, text=spec("[]"))
    fix = "give `verify` a case with `blocks: 2`, or a command that takes it `--dims blocks=2`"
    assert (diagnostic.code, diagnostic.fix) == ("PTG404", fix)
    assert "`blocks`" in diagnostic.message


@pytest.mark.parametrize(
    ("dims", "code", "words"),
    [
        ({"tt": 1}, "PTG404", "no dim `tt`"),
        ({"k": 32}, "PTG404", "not a run-time size"),
        ({"t": 65}, "PTG401", "`t` is 65"),
        ({"t": 0}, "PTG401", "`t` is 0"),
        ({"blocks": 3}, "PTG401", "`blocks` is 3"),
        ({"t": -1}, "PTG401", "`t` is -1"),
        ({"t": True}, "PTG401", "`t` is True"),
        ({"t": 2.0}, "PTG401", "`t` is 2.0"),
        ({"t": np.float32(2)}, "PTG401", "`t` is"),
        ({"t": "2"}, "PTG401", "`t` is '2'"),
        ({"t": 2**80}, "PTG401", "`t` is 1208925819614629174706176"),
    ],
)
def test_sizes_that_the_contract_does_not_allow(dims: dict[str, Any], code: str, words: str) -> None:
    diagnostic = fault_of(dims)
    assert diagnostic.code == code
    assert words in diagnostic.message


def test_a_permutation_too_short_names_its_place() -> None:
    diagnostic = fault_of({"t": 17, "blocks": 2})
    assert diagnostic.code == "PTG215"
    assert str(diagnostic.span).startswith("toy.yaml:22:12")
