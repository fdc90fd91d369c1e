"""Sorting and top-k as kernels: against a stable sort in numpy, ties and infinities included, in every form that the
compiler has: one part, a running best of many parts, all parts side by side; rows of a run-time length."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import walk
from pyptogen.lower.tile.ops import Load, MergeLists
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_level

Array = npt.NDArray[Any]
SPEC = """\
pyptogen: 1
operator: ordered
dims:
  rows: {min: 1, max: 4096}
  n: LENGTH
inputs:
  x: DTYPE[rows, n]
outputs:
  v: DTYPE[rows, K]
  i: int32[rows, K]
graph:
  v, i: EXPRESSION
"""
NUMPY = {"fp32": np.float32, "bf16": ml_dtypes.bfloat16, "fp16": np.float16, "int32": np.int32, "int8": np.int8}


def spec(tmp_path: Path, n: int | str, k: int | str, expression: str, dtype: str = "fp32") -> Path:
    path = tmp_path / "ordered.yaml"
    text = SPEC.replace("LENGTH", str(n)).replace("DTYPE", dtype).replace("K]", f"{k}]")
    path.write_text(text.replace("EXPRESSION", expression))
    return path


def rows_of(kind: str, rows: int, n: int, dtype: str = "fp32") -> Array:
    rng = np.random.default_rng([rows, n, len(kind)])
    if dtype.startswith("int"):
        return rng.integers(-128, 128, (rows, n)).astype(NUMPY[dtype])
    x = rng.normal(0, 1, (rows, n)).astype(np.float32)
    if kind == "ties":
        x = np.rint(x * 2)
        x[:, ::5] *= -0.0
    elif kind == "masked":
        x[rng.random((rows, n)) < 0.8] = -np.inf
        x[:, -1] = np.inf
    elif kind == "rising":
        x = np.sort(x)
    return x.astype(NUMPY[dtype])


def ordered(x: Array, k: int, largest: bool) -> tuple[Array, Array]:
    wide = x.astype(np.float64)
    places = np.argsort(-wide if largest else wide, axis=-1, kind="stable")[..., :k]
    return np.take_along_axis(x, places, -1), places.astype(np.int32)


def check(got: Any, x: Array, k: int, largest: bool) -> None:
    values, places = ordered(x, k, largest)
    np.testing.assert_array_equal(got.i, places)
    np.testing.assert_array_equal(got.v, values)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(
    ("n", "k", "expression", "largest"),
    [
        (1, 1, "topk(x, 1)", True),
        (31, 31, "topk(x, 31, largest=false)", False),
        (300, 5, "topk(x, 5)", True),
        (2048, 64, "topk(x, 64)", True),
        (5000, 64, "topk(x, 64, largest=false)", False),
        (9001, 2048, "topk(x, 2048)", True),
        (1000, 1000, "sort(x)", False),
        (8191, 8191, "sort(x, descending=true)", True),
        (4097, 3001, "topk(x, 3001)", True),
    ],
)
def test_static_rows(tmp_path: Path, target: str, n: int, k: int, expression: str, largest: bool) -> None:
    operator = pyptogen.compile(spec(tmp_path, n, k, expression), target=target)
    for kind, rows in (("plain", 3), ("ties", 1), ("masked", 2), ("rising", 2)):
        x = rows_of(kind, rows, n)
        check(operator(x=x), x, k, largest)


@pytest.mark.parametrize(("n", "k", "at_once"), [(32, 2, 8), (7, 3, 32), (160, 8, 8), (500, 20, 4), (1024, 8, 1)])
def test_short_rows_are_sorted_several_at_a_time(tmp_path: Path, n: int, k: int, at_once: int) -> None:
    """Whole tiles of rows, one row more, one alone; a row of the result is no whole block of 32 bytes."""
    path = spec(tmp_path, n, k, f"topk(x, {k})")
    (kernel,) = lower(from_spec(load_spec(path)), "a2a3").tiles
    assert {op.gm.rows.size for op in walk(kernel.body) if isinstance(op, Load)} == {at_once}
    operator = pyptogen.compile(path, target="a2a3")
    for kind, rows in (("ties", 1), ("masked", 2 * at_once), ("plain", at_once + 1), ("rising", 150)):
        x = rows_of(kind, rows, n)
        check(operator(x=x), x, k, True)


@pytest.mark.parametrize(("n", "k", "most"), [(160, 8, 2 * 8), (2048, 64, 2 * 64), (1024, 1024, 2 * 512)])
def test_no_more_is_merged_than_may_stay(tmp_path: Path, n: int, k: int, most: int) -> None:
    """Of five blocks of 160 elements the first eight each, not 512 elements four to one and again."""
    (kernel,) = lower(from_spec(load_spec(spec(tmp_path, n, k, f"topk(x, {k})"))), "a2a3").tiles
    tiles = {tile.name: tile for tile in kernel.tiles}
    merges = [op for op in walk(kernel.body) if isinstance(op, MergeLists)]
    assert merges
    assert all(tiles[str(one.dst)].cols.size <= 2 * max(k, 8) for one in merges)
    assert all(tiles[str(source)].cols.size <= most for one in merges for source in one.srcs)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_rows_of_a_run_time_length(tmp_path: Path, target: str) -> None:
    operator = pyptogen.compile(spec(tmp_path, "{min: 40, max: 100000}", 40, "topk(x, 40)"), target=target)
    for kind, n in (("plain", 40), ("ties", 41), ("masked", 2047), ("ties", 2049), ("rising", 7000), ("plain", 65536)):
        x = rows_of(kind, 2, n)
        check(operator(x=x), x, 40, True)


def test_sorting_rows_of_a_run_time_length(tmp_path: Path) -> None:
    operator = pyptogen.compile(spec(tmp_path, "{min: 1, max: 30000}", "n", "sort(x)"), target="cpu")
    for n in (1, 129, 30000):
        x = rows_of("ties", 2, n)
        check(operator(x=x), x, n, False)


@pytest.mark.parametrize(
    ("target", "dtype"), [("cpu", d) for d in NUMPY] + [("a2a3", d) for d in NUMPY if d != "int32"]
)
def test_dtypes(tmp_path: Path, target: str, dtype: str) -> None:
    operator = pyptogen.compile(spec(tmp_path, 333, 17, "topk(x, 17)", dtype), target=target)
    x = rows_of("ties", 5, 333, dtype)
    check(operator(x=x), x, 17, True)


@pytest.mark.parametrize("expression", ["topk(x, 9)", "topk(x, 9, largest=false)"])
def test_nan_is_the_greatest_on_a_cpu(tmp_path: Path, expression: str) -> None:
    operator = pyptogen.compile(spec(tmp_path, 70, 9, expression), target="cpu")
    x = rows_of("ties", 4, 70)
    x[:, 3:60:7] = np.nan
    x[3, 5:] = np.nan
    largest = "false" not in expression
    got = operator(x=x)
    wide = np.where(np.isnan(x), np.inf, x)
    np.testing.assert_array_equal(got.i, ordered(wide, 9, largest)[1])


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("axis", [0, 1])
def test_another_axis(tmp_path: Path, target: str, axis: int) -> None:
    path = tmp_path / "ordered.yaml"
    path.write_text(
        "pyptogen: 1\noperator: ordered\ndims: {t: {min: 1, max: 64}, a: 20, b: 50}\ninputs:\n  x: fp32[a, b, t]\n"
        f"outputs:\n  v: fp32[{'7, b' if axis == 0 else 'a, 7'}, t]\ngraph:\n  v, i: topk(x, 7, axis={axis})\n"
    )
    operator = pyptogen.compile(path, target=target)
    x = np.random.default_rng(0).integers(-9, 9, (20, 50, 13)).astype(np.float32)
    want = -np.sort(-x, axis=axis)[(slice(None),) * axis + (slice(7),)]
    np.testing.assert_array_equal(operator(x=x).v, want)


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize(("n", "k"), [(70, 9), (2500, 40), (4200, 2100)])
def test_levels_agree(tmp_path: Path, target: str, n: int, k: int) -> None:
    lowered = lower(from_spec(load_spec(spec(tmp_path, n, k, f"topk(x, {k}, largest=false)"))), target)
    x = rows_of("ties", 3, n)
    values, places = ordered(x, k, False)
    for got in (
        run_level(lowered, {"x": x}, level="tile"),
        run_level(lowered, {"x": x}, level="block", blocks=2),
        run_instructions(lowered, {"x": x}, blocks=2),
    ):
        np.testing.assert_array_equal(got["i"], places)
        np.testing.assert_array_equal(got["v"], values)


@pytest.mark.parametrize(
    ("target", "n", "k", "expression", "words"),
    [
        ("a2a3", 9000, 9000, "sort(x)", "at most 2048"),
        ("a2a3", "{min: 4000, max: 8000}", 3000, "topk(x, 3000)", "known at build time"),
        ("cpu", 40000, 40000, "sort(x)", "at most 32768"),
    ],
)
def test_what_does_not_fit_is_refused(
    tmp_path: Path, target: str, n: int | str, k: int, expression: str, words: str
) -> None:
    with pytest.raises(DiagnosticError, match="PTG303") as error:
        lower(from_spec(load_spec(spec(tmp_path, n, k, expression))), target)
    assert words in error.value.diagnostics[0].fix


def test_fewer_elements_than_asked_for_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError, match="PTG205"):
        from_spec(load_spec(spec(tmp_path, "{min: 1, max: 100}", 40, "topk(x, 40)")))
