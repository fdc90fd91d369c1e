"""`if` of stages: what is there when, and what cannot be."""

from __future__ import annotations

import pytest
import sympy

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.printer import print_program
from pyptogen.lower.tensor.reading import conditions
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  u: {min: 1, max: 64}
  d: 16
attrs:
  a: {type: int32, default: 1}
inputs:
  x: fp32[t, d]
  v: fp32[u, d]
  n: int32[1]
  many: int32[u]
outputs:
  y: fp32[t, d]
graph:
  small:
    if: t < 9
    y: x * 2
  large:
    if: t >= 9
    y: x * 3
tiling:
  - {}
"""


def read(old: str = "t >= 9", new: str = "t >= 9") -> Program:
    assert SPEC.count(old) == 1
    return from_spec(load_source(Source("demo.yaml", SPEC.replace(old, new))), verify_each=True)


def fault_of(old: str, new: str) -> str:
    with pytest.raises(DiagnosticError) as caught:
        read(old, new)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    return f"{diagnostic.code} {diagnostic.span.line}: {diagnostic.message}"


def test_the_text_of_the_level_shows_conditions() -> None:
    text = print_program(read())
    assert "stage small if t < 9\n  y_small: fp32[t, d] = mul(x, 2)" in text
    assert "y: fp32[t, d] = either(y_small, y_large, conditions=(t < 9, t >= 9), stages=('small', 'large'))" in text


@pytest.mark.parametrize("other", ["t >= 9", "t > 8", "9 <= t", "t >= 9 and t <= 64", "a > 3 or t > 8 and t != 0"])
def test_all_cases_are_there(other: str) -> None:
    assert read("t >= 9", other).outputs[0][0] == "y"


@pytest.mark.parametrize("other", ["t > 9", "t > 8 and a == 1", "u >= 9", "n > 0"])
def test_an_output_that_some_calls_would_not_have(other: str) -> None:
    assert fault_of("t >= 9", other).startswith("PTG222 15: `y` is there only if ")


def test_an_overlap_is_settled_for_the_later_stage() -> None:
    program = read("t >= 9", "t >= 4 or n > 2")
    (either,) = (op for op in program.ops if op.kind == "either")
    assert either.attrs["stages"] == ("large_else", "large")


def test_uses_need_the_condition() -> None:
    assert fault_of("    y: x * 3", "    y: x * 3\n  last:\n    if: t > 20\n    z: q + y\n    y: z").startswith(
        "PTG201"
    )
    late = "    y: x * 3\n    q: y + 1\n  last:\n    if: {0}\n    y: q + 1"
    assert fault_of("    y: x * 3", late.format("t > 5")).startswith("PTG222 26: `q` is there only if t >= 9")
    assert read("    y: x * 3", late.format("t > 12 and a == 1")).stages[-1].name == "last_else"


@pytest.mark.parametrize(
    ("old", "new", "found"),
    [
        ("if: t >= 9", "if: q > 1", "PTG201 21: `q` is no dim, attr or input"),
        ("if: t >= 9", "if: many > 1", "PTG206 21: a condition cannot read `many`"),
        ("if: t >= 9", "if: t / 3 > 1", "PTG108 21: `t / 3 > 1` cannot be decided by the caller's processor"),
        ("if: t >= 9", "if: t", "PTG106 21: `if` must be a comparison"),
        ("    y: x * 3", "    y: cast(x, fp16)", "PTG206 22: the output `y` is fp32, its expression gives fp16"),
        (
            "  large:\n    if: t >= 9",
            "  large:",
            "PTG208 21: `y` is defined twice: as a value of some calls, and here as a value of every call",
        ),
        ("graph:\n", "graph:\n  if: t > 1\n", "PTG104 17: `if` belongs to a stage"),
    ],
)
def test_faults(old: str, new: str, found: str) -> None:
    assert fault_of(old, new) == found


def test_values_of_other_types_are_refused() -> None:
    body = "    y: x * 3\n    w: x + 1"
    text = SPEC.replace("    y: x * 2", "    y: x * 2\n    w: cast(x, fp16)").replace("    y: x * 3", body)
    with pytest.raises(DiagnosticError) as caught:
        from_spec(load_source(Source("demo.yaml", text)))
    assert caught.value.diagnostics[0].message == "`w` is fp16 otherwise, and fp32 here"


def test_stages_that_do_not_run_together_are_not_fused() -> None:
    with pytest.raises(DiagnosticError) as caught:
        lower(read("  - {}", "  - {fuse: [[small, large]]}"), "cpu")
    assert caught.value.diagnostics[0].code == "PTG304"
    assert "`small` and `large`, which do not run in the same calls" in caught.value.diagnostics[0].message


def test_c_text() -> None:
    t, n, a = (
        sympy.Symbol("t", integer=True, positive=True),
        sympy.Symbol("n", integer=True),
        sympy.Symbol("a", real=True),
    )
    condition = sympy.Or(sympy.And(sympy.Gt(t * n, 4), a < 0.5), sympy.Eq(sympy.Mod(t, 8), 0), evaluate=False)
    assert conditions.c_text(condition, frozenset({"n"})) == "(a < 0.5 && n[0] * int64_t(t) > 4) || t % 8 == 0"


def test_tautologies_over_integers_and_reals() -> None:
    program = read()
    dims = dim_table(program)
    t, a = dims.symbols["t"], dims.symbols["a"]
    assert conditions.always(sympy.Or(t <= 20, t >= 21), dims)
    assert not conditions.always(sympy.Or(t <= 20, t >= 22), dims)
    assert not conditions.always(sympy.Or(a < 1, a > 1), dims)
    assert conditions.always(sympy.Or(a < 1, a > 1, sympy.Eq(a, 1)), dims)
    assert conditions.disjoint(sympy.And(t > 3, a > 1), t < 4, dims)
