"""Two dims that nothing relates are two sizes: each operation that needs them equal says so at its place, and is fine
where the spec states it."""

from __future__ import annotations

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec, verify
from pyptogen.schema import Source, load_source

SPEC = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  u: {min: 1, max: 64}
  p: {min: 4, max: 64}
  q: {min: 1, max: 64}
inputs:
  x: fp32[t, p]
  z: fp32[u, q]
  a: fp32[3, t, p]
  b: fp32[3, q, u]
  i: int32[t]
  j: int32[u]
  o: int64[u]
  f: int32[t, p]
  c: fp32[4, t, p]
  w: fp32[8, u, 3]
  h: fp32[2, t, 64]
  k: fp32[2, u, 64]
  r: fp32[t, 2, 16]
  s: fp32[u, 2, 16]
  g: fp32[t, 2]
outputs:
  y: fp32[OUT]
requires: [REQUIRES]
GRAPH
tiling: [{}]
"""

CASES = {
    "elementwise": ("y: x + z", "t, p", "t == u and p == q"),
    "a reduction without its axis": ("m: amax(x, axis=1)\n  y: sum(x - m, axis=1)", "t", "t == p"),
    "where": ("y: where(x > 0, x, z)", "t, p", "t == u and p == q"),
    "comparison": ("y: where(x > z, 1.0, x)", "t, p", "t == u and p == q"),
    "matmul": ("y: matmul(x, z)", "t, q", "p == u"),
    "products of batches": ("y: sum(matmul(a, b), axis=0)", "t, u", "p == q"),
    "concat": ("y: concat(x, z, axis=0)[0:t, :]", "t, p", "p == q"),
    "interleave": ("y: interleave(x, z)", "t, 2 * p", "t == u and p == q"),
    "reshape": ("y: reshape(x, [u, q])", "u, q", "t * p == u * q"),
    "expand": ("y: expand_clone(x[:, 0:1], [u, 4])", "u, 4", "t == u"),
    "gather": ("y: gather(z, 0, f)", "t, p", "p == q and t == u"),
    "scatter": ("y: scatter(x, 0, f, z)", "t, p", "t == u and p == q"),
    "scatter_update": ("y: scatter_update(x, o, z, dim=0)", "t, p", "p == q"),
    "index_add": ("y: index_add(x, 0, j, z)", "t, p", "p == q"),
    "rows of an index": ("y: index_select(x, 0, i) + z", "t, p", "t == u and p == q"),
    "conv": ("y: sum(conv(c, w), axis=2)", "4, 8", "t == u"),
    "attention: keys and values": ("y: sum(attention(h, k, h), axis=0)", "t, 64", "t == u"),
    "attention: head sizes": ("y: attention(x, z, z)", "t, q", "p == q"),
    "gated delta rule": ("y, last: gated_delta_rule(r, s, r, g, g)", "t, 2, 16", "t == u"),
    "output": ("y: x * 2", "u, q", "t == u and p == q"),
    "function": ("y: both(x, z)", "t, p", "t == u and p == q"),
}
FUNCTION = "functions:\n  both(v, n):\n    return: v + n\n"


def load(graph: str, out: str, requires: str) -> None:
    functions = FUNCTION if "both(" in graph else ""
    text = SPEC.replace("OUT", out).replace("requires: [REQUIRES]\n", f"requires: [{requires}]\n" if requires else "")
    verify(from_spec(load_source(Source("demo.yaml", text.replace("GRAPH", f"{functions}graph:\n  {graph}")))))


@pytest.mark.parametrize("case", CASES)
def test_what_nothing_relates_is_a_finding(case: str) -> None:
    graph, out, _ = CASES[case]
    with pytest.raises(DiagnosticError) as raised:
        load(graph, out, "")
    found = raised.value.diagnostics[0]
    assert found.code == "PTG205"
    assert found.span is not None
    assert found.span.line >= 27
    assert found.fix


@pytest.mark.parametrize("case", CASES)
def test_what_the_spec_states_is_fine(case: str) -> None:
    load(*CASES[case])


def test_the_fix_for_a_reduction_that_has_lost_its_axis() -> None:
    with pytest.raises(DiagnosticError) as raised:
        load(*CASES["a reduction without its axis"][:2], "")
    found = raised.value.diagnostics[0]
    assert found.fix == "did you mean `amax(…, keepdim=true)`, so that [t] keeps its axis of size 1?"
    assert found.span is not None
    assert (found.span.line, found.span.col) == (28, 10)


def test_the_fix_names_the_two_sizes() -> None:
    with pytest.raises(DiagnosticError) as raised:
        load("y: matmul(x, z)", "t, q", "")
    fix = "if `p` is always `u`, say so: `requires: [p == u]`, or use one dim for both"
    assert raised.value.diagnostics[0].fix == fix
