"""Kernels that differ in the names of their arguments alone are written once, and launched for each of them."""

from __future__ import annotations

import re

from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_source
from pyptogen.schema.source import Source

TEXT = """\
pyptogen: 1
operator: counted
dims: {rows: {min: 1, max: 1048576}}
inputs: {x: 'int64[rows]'}
outputs: {n: 'int64[1]'}
graph: {n: 'sum(x * 3, keepdim=true)'}
tiling: [{}]
"""


def test_sums_of_the_parts_of_an_integer_are_one_kernel() -> None:
    lowered = generate(from_spec(load_source(Source("counted.yaml", TEXT))), "a2a3")
    launched = [launch.kernel for plan in lowered.execution.plans for launch in plan]
    called = re.findall(r"^ +(counted_vec\d+)\(", lowered.orchestration, re.M)
    names = [kernel.name for kernel in lowered.kernels]
    twins = [name for name in launched if name not in names]
    assert len(twins) >= 3
    assert len(called) == len(launched)
    assert set(called) == set(names) == set(lowered.report["kernels"])
    assert all(lowered.orchestration.count(f"void {name}(") == 1 for name in names)
    (shared,) = {name for name in called if called.count(name) > 1}
    assert called.count(shared) == 1 + len(twins)
    arguments = re.findall(rf"^ +{shared}\(([^)]*)\);", lowered.orchestration, re.M)
    assert len(set(arguments)) == len(arguments), "each launch has arguments of its own"
