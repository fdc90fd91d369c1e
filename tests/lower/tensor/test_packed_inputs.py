"""What is wrong with an input `@ nz` that is no weight, each in words of its own."""

from __future__ import annotations

import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

TEXT = """\
pyptogen: 1
operator: packed
dims: {{m: {{max: 8}}, k: {k}, n: 64}}
inputs: {{x: "bf16[m, k]", w: "bf16[{shape}] @ nz"}}
outputs: {{y: "fp32[m, 1]"}}
graph: {{y: "sum({graph}, axis=1, keepdim=true)"}}
"""
PRODUCT, ELEMENTS = "matmul(x, w, dtype=fp32)", "cast(x, fp32) * cast(w, fp32)"


@pytest.mark.parametrize(
    ("k", "shape", "graph", "message", "fix"),
    [
        ("{max: 64}", "k, n", PRODUCT, "a depth that is known at run time only, `k`", "give `k` a number in `dims`"),
        ("32", "k", ELEMENTS, "is no matrix", "leave `@ nz` out"),
        ("32", "1, k", ELEMENTS, "is used as something else", "leave `@ nz` out"),
    ],
)
def test_the_message_says_what_is_wrong(k: str, shape: str, graph: str, message: str, fix: str) -> None:
    spec = load_source(Source("packed.yaml", TEXT.format(k=k, shape=shape, graph=graph)))
    with pytest.raises(DiagnosticError) as caught:
        lower(from_spec(spec), "cpu")
    (found,) = caught.value.diagnostics
    assert found.code == "PTG303"
    assert message in found.message
    assert fix in found.fix
