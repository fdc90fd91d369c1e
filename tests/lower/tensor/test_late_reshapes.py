"""What is done to single elements comes before a reshape of the last axis, where nothing else reads that."""

from __future__ import annotations

import pytest

from lower.small_programs import program_of
from pyptogen.lower.tensor.passes import late_reshapes

SPEC = """\
pyptogen: 1
operator: late
dims: {n: {min: 1, max: 64}}
inputs:
  a: fp32[n, 32]
  b: fp32[32, 24]
outputs:
  y: fp32[n, 4, 6]
  z: fp32[n, 4, 6]
graph:
  stage:
    r: reshape(matmul(a, b), [n, 4, 6])
    y: relu(abs(r))
    z: OTHER
"""


@pytest.mark.parametrize(
    ("other", "kinds"),
    [
        (
            "relu(reshape(matmul(a, b * 2), [n, 4, 6]))",
            ["matmul", "abs", "relu", "reshape", "mul", "matmul", "relu", "reshape"],
        ),
        ("r + 1", ["matmul", "reshape", "abs", "relu", "add"]),
    ],
)
def test_moves_what_nothing_else_reads(other: str, kinds: list[str]) -> None:
    program = late_reshapes.run(program_of(SPEC.replace("OTHER", other)))
    assert [op.kind for op in program.ops] == kinds
    shown = {name: [str(size) for size in value.shape] for name, value in program.outputs}
    assert shown == {"y": ["n", "4", "6"], "z": ["n", "4", "6"]}
    made = {op.result.name: op.result for op in program.ops}
    assert all(made[value.name] == value for _, value in program.outputs)
