"""Numbers that are none, or too large to be worked with: each has a code and a place, wherever a number may stand."""

from __future__ import annotations

import pytest
import sympy

from hostile.ending import ends
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.ir import Dim
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.schema import Source, load_source

BASE = """\
pyptogen: 1
operator: scale
dims:
  rows: {min: 1, max: 64}
  cols: 8
attrs:
  n: {type: int32, default: 2}
inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]
graph:
  y: x * 2
"""

NO_NUMBERS = {
    "0**-1": "PTG106",
    "(-1)**0.5": "PTG106",
    "log(0)": "PTG106",
    "log(-1)": "PTG106",
    "sqrt(-1)": "PTG106",
    "log(-rows)": "PTG106",
    "sqrt(-rows)": "PTG106",
    "inf - inf": "PTG106",
    "0 * inf": "PTG106",
    "5 % inf": "PTG106",
    "rows / 0": "PTG106",
    "exp(exp(exp(100)))": "PTG106",
    "exp(-10**9)": "PTG106",
    "(9**64)**64": "PTG106",
    "((9**64)**64)**64": "PTG106",
    "(0.5**64)**64 * (0.5**64)**64": "PTG106",
    "(rows + n + 3)**64": "PTG106",
    "min()": "PTG203",
    "exp(1, 2)": "PTG203",
    "1j": "PTG108",
}


def _found(text: str) -> tuple[str, int]:
    with ends(), pytest.raises(DiagnosticError) as raised:
        from_spec(load_source(Source("scale.yaml", text)))
    found = raised.value.diagnostics[0]
    assert found.span is not None
    return found.code, found.span.line


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_beside_a_tensor(number: str) -> None:
    assert _found(BASE.replace("x * 2", f"x * ({number})")) == (NO_NUMBERS[number], 13)


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_as_an_argument(number: str) -> None:
    assert _found(BASE.replace("x * 2", f"'full([rows, cols], {number}, fp32)'")) == (NO_NUMBERS[number], 13)


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_as_an_index(number: str) -> None:
    assert _found(BASE.replace("x * 2", f"'x[:, {number}:] * 2'")) == (NO_NUMBERS[number], 13)


@pytest.mark.parametrize("number", [number for number in NO_NUMBERS if "n " not in number])
def test_as_a_dim(number: str) -> None:
    assert _found(BASE.replace("cols: 8", f"cols: 8\n  k: '{number}'")) == (NO_NUMBERS[number], 6)


@pytest.mark.parametrize("number", [number for number in NO_NUMBERS if "n " not in number])
def test_as_an_axis(number: str) -> None:
    assert _found(BASE.replace("x: fp32[rows, cols]", f"x: 'fp32[rows, {number}]'")) == (NO_NUMBERS[number], 9)


@pytest.mark.parametrize("number", NO_NUMBERS)
def test_in_a_requirement(number: str) -> None:
    assert _found(f"{BASE}requires: ['rows < {number}']\n") == (NO_NUMBERS[number], 14)


@pytest.mark.parametrize(
    "call",
    [
        "add(1, 2)",
        "lt(1, 2)",
        "where(eq(rows, 3), x, 0)",
        "floor_div(n, n)",
        "pow(2, 3)",
        "x * gcd(4, 6)",
        "fmod(n, 2)",
    ],
)
def test_operations_of_numbers_alone(call: str) -> None:
    assert _found(BASE.replace("x * 2", f"'{call}'")) == ("PTG220", 13)


@pytest.mark.parametrize("power", ["inf", "-inf"])
def test_endless_powers(power: str) -> None:
    program = from_spec(load_source(Source("scale.yaml", BASE.replace("x * 2", f"x ** {power}"))))

    assert [op.kind for op in program.ops] == ["log", "mul", "exp"]


def _table(names: str) -> DimTable:
    span = load_source(Source("scale.yaml", BASE)).span
    return DimTable(
        [Dim(name, None, 2, 5, 1, None, span) for name in names], {name: dim_symbol(name) for name in names}
    )


def test_bounds_of_many_sizes() -> None:
    """The sum of the bounds of the terms, where there are too many combinations."""
    table = _table("abcdefghijklmnop")
    symbols = list(table.symbols.values())

    assert table.bounds(sympy.Add(*symbols)) == (32, 80)
    assert table.bounds(sympy.Mul(*symbols)) == (2**16, 5**16)
    assert table.bounds(sympy.Add(*symbols) - 3 * symbols[0]) == (30 - 10, 75 - 4)
    assert table.bounds(sympy.Add(*symbols) + 1 / symbols[0]) == (-sympy.oo, sympy.oo)


def test_bounds_that_a_divisor_does_not_have() -> None:
    table = _table("a")

    assert table.bounds(1 / (table.symbols["a"] - 2)) == (-sympy.oo, sympy.oo)
