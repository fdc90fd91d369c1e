"""`when` of stages: decided from the dims, before anything else is read."""

from __future__ import annotations

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  heads: 4
  d: heads * 4
inputs:
  x: fp32[t, d]
outputs:
  y: fp32[t, d]
graph:
  many:
    when: heads > 1
    z: x * 2
  single:
    when: {heads: 1}
    z: x * 3
  last:
    y: z + 1
tiling:
  - {t: 8, many: {t: 4}, single: {t: 2}, fuse: [[many, last], [single, last]]}
schedule: {priority: {many: 1, single: 2}}
"""


def read(old: str = "heads: 4", new: str = "heads: 4") -> Program:
    assert SPEC.count(old) == 1
    return from_spec(load_source(Source("demo.yaml", SPEC.replace(old, new))))


@pytest.mark.parametrize(("heads", "stage", "factor"), [(4, "many", "2"), (1, "single", "3")])
def test_the_stage_whose_condition_holds_is_there(heads: int, stage: str, factor: str) -> None:
    program = read(new=f"heads: {heads}")
    other = {"many": "single", "single": "many"}[stage]
    assert [s.name for s in program.stages] == [stage, "last"]
    assert str(program.ops[0].operands[1].expr) == factor  # type: ignore[union-attr]
    row = program.tiling[0]
    assert stage in row.sizes
    assert other not in row.sizes
    assert row.fuse == ((stage, "last"),)
    assert list(program.schedule["priority"]) == [stage]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("t >= 1", True),
        ("t * heads <= 256", True),
        ("t > 64", False),
        ("t != 65", True),
        ("t == 65", False),
        ("heads > 1 and d == 16", True),
        ("heads > 4 or d % 8 == 1", False),
        ("t > 3 or heads == 4", True),
        ("t > 3 and heads == 3", False),
    ],
)
def test_ranges_decide_too(condition: str, holds: bool) -> None:
    program = (
        read("when: heads > 1", f"when: '{condition}'")
        if holds
        else read("  single:\n    when: {heads: 1}", f"  single:\n    when: {condition}")
    )
    assert [s.name for s in program.stages] == ["many", "last"]


@pytest.mark.parametrize(
    ("old", "new", "code", "line", "words"),
    [
        ("heads > 1", "t > 1", "PTG221", 13, "true for some sizes"),
        ("heads > 1", "t * t - 10 * t < 5000", "PTG221", 13, "true for some sizes"),
        ("heads > 1", "head > 1", "PTG201", 13, "`head` is no dim"),
        ("heads > 1", "heads > 4", "PTG201", 19, "its stage `many` is left out"),
        ("{heads: 1}", '{heads: ">= 1"}', "PTG208", 17, "`z` is defined twice"),
    ],
)
def test_what_is_refused(old: str, new: str, code: str, line: int, words: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        read(old, new)
    found = raised.value.diagnostics[0]
    assert found.span is not None
    assert (found.code, found.span.line) == (code, line)
    assert words in found.message
