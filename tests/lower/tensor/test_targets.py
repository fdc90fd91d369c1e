"""The targets that a spec names."""

from __future__ import annotations

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: twice
targets: [{targets}]
dims:
  t: {{min: 1, max: 64}}
inputs:
  x: fp32[t, 16]
outputs:
  y: fp32[t, 16]
graph:
  y: x * 2
"""


def test_a_target_that_is_named_twice_is_told() -> None:
    with pytest.raises(DiagnosticError) as caught:
        from_spec(load_source(Source("twice.yaml", SPEC.format(targets="cpu, a2a3, cpu"))))
    (told,) = caught.value.diagnostics
    assert (told.code, told.message) == ("PTG208", "the target `cpu` is named twice")
    assert told.span is not None
    assert (told.span.line, told.span.col) == (3, 22)


def test_targets_that_differ_are_taken_in_their_order() -> None:
    program = from_spec(load_source(Source("twice.yaml", SPEC.format(targets="a2a3, cpu"))))
    assert program.targets == ("a2a3", "cpu")
