"""How the work of lowering grows: with twice as many operations about twice, not four times. Counted in calls of
functions, which no other load changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.schema.budget import MOST_OPERATIONS

HEAD = (
    "pyptogen: 1\noperator: much\ndims: {n: {min: 1, max: 64}, c: 8}\ninputs: {x: 'fp32[n, c]', s: 'fp32[n, n]'}\n"
    "outputs: {y: 'fp32[n, c]'}\ngraph:\n  v0: x\n"
)


def _chain(count: int, line: str, last: str = "v{i}") -> str:
    body = "".join(f"  v{i}: {line.format(i=i, j=i - 1)}\n" for i in range(1, count))
    return f"{HEAD}{body}  y: {last.format(i=count - 1)}\n"


def _calls(work: Callable[[], object]) -> int:
    """Calls of Python functions of the compiler while something is done."""
    count = 0

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and "pyptogen" in frame.f_code.co_filename

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


KINDS = {
    "a chain": ("v{j} * {i}.5", 1),
    "two ways to each": ("v{j} * (v{j} + {i}.5)", 2),
    "reductions": ("amax(v{j}, axis=-1, keepdim=true) - v{j}", 2),
}


@pytest.mark.parametrize("kind", KINDS)
def test_work_grows_with_the_number_of_operations(kind: str) -> None:
    line, operations = KINDS[kind]
    programs = [from_spec(load_source(Source("much.yaml", _chain(count // operations, line)))) for count in (30, 60)]
    small, large = (_calls(lambda program=program: generate(program, "cpu")) for program in programs)
    assert large < 2.65 * small  # 2.3 to 2.5; 2.8 to 2.9 where each step looks through all that is left


@pytest.mark.parametrize("last", ["v{i} + x", "matmul(s, v{i})", "matmul(matmul(v{i}, transpose(v{i})), v0)"])
def test_the_longest_chain_is_lowered(last: str) -> None:
    """No part of the compiler goes down a chain step by step in calls of itself."""
    text = _chain(MOST_OPERATIONS - 20, "v{j} * {i}.5", last)

    assert generate(from_spec(load_source(Source("much.yaml", text))), "cpu").kernels
