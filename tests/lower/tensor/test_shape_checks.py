"""Equalities of sizes: proved by dims, or stated by `requires` and checked when arrays come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError
from pyptogen.inputs.sizes import case_dims
from pyptogen.lower.tensor import from_spec, verify
from pyptogen.lower.tensor.ir import Program
from pyptogen.runtime.operator.contract import Contract
from pyptogen.schema import Source, Spec, load_source
from pyptogen.simulate.graph import interpret as run_kernels
from pyptogen.simulate.tensor import interpret

SPEC = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  u: {min: 2, max: 32, multiple_of: 2}
  n: {min: 1, max: 8}
  m: {min: 1, max: 200}
  d: 16
inputs:
  x: fp32[t, d]
  z: fp32[u, d]
  a: fp32[n, 4, d]
  b: fp32[m, d]
outputs:
  y: fp32[t, d]
requires: [u == t]
graph:
  y: x + z
tiling: [{t: 8}]
verify:
  cases: [{t: 4, u: 4, n: 1, m: 1}]
"""


def load(graph: str = "y: x + z", shape: str = "t, d", requires: str = "u == t") -> Spec:
    text = SPEC.replace("y: x + z", graph).replace("y: fp32[t, d]", f"y: fp32[{shape}]")
    return load_source(Source("demo.yaml", text.replace("requires: [u == t]", f"requires: [{requires}]")))


def program_of(graph: str = "y: x + z", shape: str = "t, d", requires: str = "u == t") -> Program:
    program = from_spec(load(graph, shape, requires))
    verify(program)
    return program


def arrays(t: int, u: int, n: int = 2, m: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    shapes = {"x": (t, 16), "z": (u, 16), "a": (n, 4, 16), "b": (m, 16)}
    return {name: rng.uniform(1, 2, shape).astype(np.float32) for name, shape in shapes.items()}


def check_call(program: Program, given: dict[str, Any]) -> dict[str, int]:
    """What the host wrapper checks before kernels run."""
    contract = Contract.from_program(program)
    sizes = contract.bind(given)
    contract.check_requires(sizes, [])
    return sizes


def test_one_dim_follows_from_another() -> None:
    program = program_of()
    assert str(program.dim("u").definition) == "t"
    assert [str(size) for size in program.inputs[1].shape] == ["t", "d"]
    assert [r.text for r in program.requires] == ["u >= 2", "u <= 32", "u % 2 == 0"]
    given = arrays(6, 6)
    assert check_call(program, given) == {"t": 6, "n": 2, "m": 3}
    assert interpret(program, given)["y"].tobytes() == (given["x"] + given["z"]).tobytes()


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_kernels_see_one_dim(target: str) -> None:
    given = arrays(10, 10)
    assert run_kernels(generate(program_of(), target), given)["y"].tobytes() == (given["x"] + given["z"]).tobytes()


def test_arrays_that_disagree_are_named_with_axis_expected_and_got() -> None:
    with pytest.raises(DiagnosticError) as raised:
        check_call(program_of(), arrays(6, 8))
    found = raised.value.diagnostics[0]
    assert found.code == "PTG405"
    assert found.message == "argument `z`: axis 0 is 8, which does not fit the other arguments"
    assert found.expected == "`t` = 6; shape [6, 16], got [8, 16]"
    with pytest.raises(DiagnosticError) as raised:
        interpret(program_of(), arrays(6, 8))
    assert raised.value.diagnostics[0].code == "PTG405"


@pytest.mark.parametrize(("size", "text"), [(34, "u <= 32"), (5, "u % 2 == 0"), (1, "u >= 2")])
def test_the_range_of_the_dim_that_follows_still_holds(size: int, text: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        check_call(program_of(), arrays(size, size))
    found = raised.value.diagnostics[0]
    assert (found.code, found.expected) == ("PTG406", text)


def test_a_dim_may_follow_from_a_sum() -> None:
    program = program_of("y: concat(x, z, axis=0) + b", "m, d", "t + u == m")
    assert str(program.dim("m").definition) == "t + u"
    assert check_call(program, arrays(4, 6, m=10)) == {"t": 4, "u": 6, "n": 2}
    with pytest.raises(DiagnosticError) as raised:
        check_call(program, arrays(4, 6, m=11))
    found = raised.value.diagnostics[0]
    assert found.message == "argument `b`: axis 0 is 11, which does not fit the other arguments"
    assert found.expected == "`t + u` = 10; shape [10, 16], got [11, 16]"


def test_a_dim_may_follow_from_numbers_of_elements() -> None:
    assert str(program_of("y: reshape(a, [m, d])", "m, d", "4 * n == m").dim("m").definition) == "4*n"
    program = program_of("y: reshape(x, [n * u, d])", "n * u, d", "t == n * u")
    assert str(program.dim("t").definition) == "n*u"


@pytest.mark.parametrize("stated", ["2 * t == n * u", "2 * d * t == d * n * u", "t < 60 and n * u == 2 * t"])
def test_what_gives_no_dim_is_a_relation_that_proofs_use(stated: str) -> None:
    program = program_of("v: reshape(concat(x, x, axis=0), [n * u, d])\n  y: v", "n * u, d", stated)
    assert [r.text for r in program.requires] == [stated]
    check_call(program, arrays(6, 4, n=3))
    with pytest.raises(DiagnosticError) as raised:
        check_call(program, arrays(6, 4, n=2))
    found = raised.value.diagnostics[0]
    assert (found.code, found.message) == ("PTG406", f"`{stated}` does not hold: n = 2, t = 6, u = 4")
    assert found.span is not None
    assert found.span.line == 16


@pytest.mark.parametrize("stated", ["u == t or u == 2", "u >= t", "u == 8", "2 * u == 2 * m"])
def test_what_says_less_proves_nothing(stated: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        program_of(requires=stated)
    assert raised.value.diagnostics[0].code == "PTG205"


def test_an_equality_that_no_size_meets_is_refused() -> None:
    with pytest.raises(DiagnosticError) as raised:
        program_of(requires="t == m + 100")
    assert raised.value.diagnostics[0].code == "PTG219"


def test_sizes_of_a_dim_that_follows_may_be_given() -> None:
    spec = load()
    program = from_spec(spec)
    assert case_dims(spec, program, {}) == {"t": 4, "n": 1, "m": 1}
    assert case_dims(spec, program, {"t": 6, "u": 6, "n": 1, "m": 1}) == {"t": 6, "n": 1, "m": 1}
    with pytest.raises(DiagnosticError) as raised:
        case_dims(spec, program, {"t": 6, "u": 8, "n": 1, "m": 1})
    assert raised.value.diagnostics[0].message == "dim `u` is 8, and the others make it 6"


@pytest.mark.parametrize("graph", ["y: x + z[0:1, :8]", "y: x + concat(x, z, axis=0)", "y: matmul(x, z)"])
def test_what_can_never_hold_is_still_refused(graph: str) -> None:
    """Sizes that differ for all runs, and a run-time size against a number: that is more likely a mistake."""
    with pytest.raises(DiagnosticError) as raised:
        program_of(graph)
    assert raised.value.diagnostics[0].code == "PTG205"
