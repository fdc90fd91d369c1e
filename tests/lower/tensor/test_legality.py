"""The legality check finds each kind of broken program."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import sympy

from pyptogen.lower.tensor import IllegalIR, from_spec, verify
from pyptogen.lower.tensor.ir import Op, Program
from pyptogen.schema import Source, load_source

TEXT = """\
pyptogen: 1
operator: demo
dims: {t: {max: 8}, d: 4}
inputs: {x: "fp32[t, d]", w: "fp32[d, d]"}
outputs: {y: "fp32[t, d]"}
graph:
  one:
    a: exp(x)
    b: matmul(a, w)
  two:
    c: amax(b, axis=-1, keepdim=true)
    y: b - c
"""


def program() -> Program:
    return from_spec(load_source(Source("demo.yaml", TEXT)))


def with_op(index: int, change: Callable[[Op], Op]) -> Program:
    """The program with one operation changed, and everything that uses its result."""
    base = program()
    old = base.ops[index]
    new = change(old)
    ops = [replace(op, operands=tuple(new.result if o == old.result else o for o in op.operands)) for op in base.ops]
    ops[index] = new
    return replace(base, ops=tuple(ops))


def test_legal_program() -> None:
    verify(program())


BROKEN: dict[str, tuple[Callable[[], Program], str]] = {
    "kind": (lambda: with_op(0, lambda op: replace(op, kind="cosh")), "unknown kind cosh"),
    "order": (lambda: replace(program(), ops=program().ops[::-1]), "not defined before it"),
    "twice": (lambda: replace(program(), ops=program().ops[:1] * 2), "a is defined twice"),
    "input_name": (
        lambda: with_op(0, lambda op: replace(op, result=replace(op.result, name="t"))),
        "t is defined twice",
    ),
    "stage": (lambda: with_op(0, lambda op: replace(op, stage="zero")), "unknown stage zero"),
    "stage_order": (lambda: with_op(0, lambda op: replace(op, stage="two")), "after a later stage"),
    "dtype": (
        lambda: with_op(0, lambda op: replace(op, result=replace(op.result, dtype="bf16"))),
        "is bf16",
    ),
    "shape": (
        lambda: with_op(
            2, lambda op: replace(op, result=replace(op.result, shape=(op.result.shape[0], sympy.Integer(2))))
        ),
        "its operands make",
    ),
    "axis": (lambda: with_op(2, lambda op: replace(op, attrs={"axis": 2})), "axis 2"),
    "matmul": (lambda: with_op(1, lambda op: replace(op, operands=op.operands[:1])), "lacks the tensor operand 1"),
    "arity": (lambda: with_op(3, lambda op: replace(op, operands=op.operands[:1])), "two operands"),
    "output": (lambda: replace(program(), ops=program().ops[:-1]), "output y"),
    "inplace": (lambda: replace(program(), inplace={"y": "z"}), "in place"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_program(name: str) -> None:
    make, words = BROKEN[name]
    with pytest.raises(IllegalIR, match=words):
        verify(make())
