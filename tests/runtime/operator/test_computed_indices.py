"""Indices that are computed: wrong ones lead nowhere, and the call says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.operator.index_chains import chain_of

ROWS, NUMBER, OTHERS, WIDTH = 5, 3, 4, 32
HEAD = (
    "pyptogen: 1\noperator: picked\ndims: {t: {min: 1, max: 64}, n: {min: 1, max: 64}, m: {min: 1, max: 64}, d: 32}\n"
)
ROW = "i: int32[n]"
EACH = "i: int32[n, d]"
SPECS: dict[str, tuple[str, str, str, bool]] = {
    "cast": ("i: int64[n]", "y: fp32[n, d]", "y: index_select(x, 0, cast(i, int32))", True),
    "where": (ROW, "y: fp32[n, d]", "y: index_select(x, 0, where(i >= 0, i, 0))", True),
    "moved": (ROW, "y: fp32[n, d]", "y: index_select(x, 0, i + 1)", True),
    "flags": (
        ROW,
        "y: fp32[n, d]",
        "y: index_select(x, 0, i * (cast(i >= 0, int32) - cast(i >= 99, int32)) - cast(i < 0, int32))",
        True,
    ),
    "sum": (ROW, "y: fp32[n, d]", "y: index_select(x, 0, cumsum(i, axis=0))", False),
    "of an index": (f"{ROW}\n  j: int32[m]", "y: fp32[n, d]", "y: index_select(x, 0, index_select(j, 0, i))", False),
    "elements": (EACH, "y: fp32[n, d]", "y: gather(x, 0, cumsum(i, axis=0))", False),
    "elements of rows": (
        "i: int32[t, d]\n  z: fp32[n, d]",
        "y: fp32[t, d]",
        "y: gather(x, 1, cumsum(i, axis=1))",
        False,
    ),
    "scatter": (f"{EACH}\n  z: fp32[n, d]", "y: fp32[t, d]", "y: scatter(x, 0, cumsum(i, axis=0), z)", False),
    "add": (f"{ROW}\n  z: fp32[n, d]", "y: fp32[t, d]", "y: index_add(x, 0, cumsum(i, axis=0), z)", False),
    "update": (
        f"{ROW}\n  z: fp32[n, d]",
        "x: {inplace: true}",
        "x: scatter_update(x, cumsum(i, axis=0), z, dim=0)",
        False,
    ),
    "put": (f"{ROW}\n  z: fp32[n, d]", "y: fp32[t, d]", "y: index_put(x, cumsum(i, axis=0), z)", False),
}
"""Inputs beside x, outputs, the graph, and whether the index is computed before the call."""
DEVICES = ("a2a3", "a5") if NIGHTLY else ("a2a3",)
CASES = [
    *((name, "cpu") for name in SPECS),
    *((name, target) for target in DEVICES for name in (SPECS if NIGHTLY else ("sum", "elements", "update"))),
]


def write(folder: Path, name: str) -> Path:
    inputs, outputs, graph, _ = SPECS[name]
    path = folder / "picked.yaml"
    text = f"inputs:\n  x: fp32[t, d]\n  {inputs}\n  like: fp32[m]\noutputs:\n  {outputs}\ngraph:\n  {graph}\n"
    path.write_text(HEAD + text)
    return path


def arguments(operator: Any, number: int) -> dict[str, Any]:
    """Zeros for indices, but for the last one (of `j`, which leads to the others, all)."""
    sizes = {"t": ROWS, "n": NUMBER, "m": OTHERS, "d": WIDTH}
    shapes = {t.name: tuple(sizes.get(size) or int(size) for size in t.shape) for t in operator.contract.inputs}
    arrays: dict[str, Any] = {t.name: np.zeros(shapes[t.name], t.dtype) for t in operator.contract.inputs}
    arrays["x"] = np.arange(ROWS * WIDTH, dtype=np.float32).reshape(ROWS, WIDTH)
    if "z" in arrays:
        arrays["z"] += 1
    if "j" in arrays:
        arrays["j"] += number
    else:
        arrays["i"].reshape(-1)[-1] = number
    return arrays


def outcome(call: Any, arrays: dict[str, Any]) -> Any:
    """The result, or None where the call is refused for an index."""
    try:
        (result,) = call(**{name: value.copy() for name, value in arrays.items()})
    except DiagnosticError as error:
        if error.diagnostics[0].code != "PTG408":
            raise
        return None
    return result


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), CASES)
def test_a_computed_index_is_refused_where_the_golden_refuses_it(tmp_path: Path, name: str, target: str) -> None:
    operator = pyptogen.compile(write(tmp_path, name), target=target, threads=2)
    refused = 0
    for number in (0, 3, -1, -2, ROWS - 1, ROWS, WIDTH, 10**6, 2**31 - 1, -(2**31)):
        arrays = arguments(operator, number)
        if name == "moved" and number == 2**31 - 1:  # in 32 bits that would be far below 0, and is refused as well
            assert outcome(operator, arrays) is None
            continue
        expected, got = outcome(operator.golden, arrays), outcome(operator, arrays)
        refused += expected is None
        assert (got is None) == (expected is None), number
        if expected is not None:
            np.testing.assert_array_equal(got, expected)
    assert refused >= 4
    assert outcome(operator, arguments(operator, 1)) is not None  # what the calls before left over is gone


@pytest.mark.parametrize("name", SPECS)
def test_what_a_call_can_know_is_computed_before_it(tmp_path: Path, name: str) -> None:
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    program = from_spec(load_spec(write(tmp_path, name)))
    index = next(
        op for op in program.ops if op.kind in ("index_select", "gather", "scatter", "index_add", "scatter_update")
    )
    if name == "of an index":
        index = [op for op in program.ops if op.kind == "index_select"][-1]
    assert (chain_of(program, index.operands[1].name) is not None) is SPECS[name][3]  # type: ignore[union-attr]


def test_the_fault_says_what_is_where(tmp_path: Path) -> None:
    before, after = (pyptogen.compile(write(tmp_path, name), target="cpu") for name in ("moved", "sum"))
    with pytest.raises(DiagnosticError) as caught:
        before(**arguments(before, ROWS - 1))
    (told,) = caught.value.diagnostics
    assert "the index of `y`, computed from `i`, holds 5, which is no position along axis 0 of `x`" in told.message
    with pytest.raises(DiagnosticError) as caught:
        after(**arguments(after, -7))
    (told,) = caught.value.diagnostics
    assert "the index of `y` holds -7, which is no position along axis 0 of `x`" in told.message
    assert told.expected == f"0 to {ROWS - 1}"
    assert told.span is not None
    assert (told.span.file, told.span.line) == (str(tmp_path / "picked.yaml"), 11)


def test_a_chip_says_it_too(tmp_path: Path) -> None:
    operator = pyptogen.compile(write(tmp_path, "sum"), target="cpu")
    with pyptogen.Runtime(level="chip", cores=2) as rt:
        rt.register("picked", operator)
        with pytest.raises(DiagnosticError, match="PTG408"):
            rt.run("picked", arguments(operator, ROWS))
        handle = rt.submit("picked", arguments(operator, ROWS))
        with pytest.raises(DiagnosticError, match="PTG408"):
            handle.result()
        rt.run("picked", arguments(operator, 1))
