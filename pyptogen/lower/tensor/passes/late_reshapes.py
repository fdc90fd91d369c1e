"""Pass: what is done to single elements of a value in another shape is done before it gets that shape.

before: p = matmul(w, x): [oc, 784]; r = reshape(p): [oc, 28, 28]; y = relu(r)
after:  p = matmul(w, x): [oc, 784]; r = relu(p): [oc, 784]; y = reshape(r): [oc, 28, 28]

The parts of a last axis lie in one row of a tile only as a whole, so that ``p`` and ``y`` could not be tiles of one
kernel. Afterwards no such reshape of a computed value stands before an operation of one operand in the same stage, but
where something else reads it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pyptogen.lower.tensor.ir import ROUNDING, UNARY, VIEWS, Op, Program, Value
from pyptogen.records import replace

_SINGLE = UNARY | ROUNDING | {"cast"}


def run(program: Program) -> Program:
    """The program with those reshapes later."""
    reads = Counter(v.name for op in program.ops for v in op.operands if isinstance(v, Value))
    reads.update(value.name for _, value in program.outputs)
    reads.update(name for loop in program.loops for pair in loop.carried for name in pair)
    defining: dict[str, Op] = {}
    ops: dict[str, Op] = {}
    for op in program.ops:
        before = _reshape_before(op, defining)
        if before is not None and reads[before.result.name] == 1:
            (source,) = before.operands
            assert isinstance(source, Value)
            early = replace(before.result, dtype=op.result.dtype, shape=source.shape)
            del ops[before.result.name]
            ops[early.name] = defining[early.name] = replace(op, operands=(source, *op.operands[1:]), result=early)
            op = replace(before, operands=(early,), result=op.result, span=op.span)
        ops[op.result.name] = defining[op.result.name] = op
    return replace(program, ops=tuple(ops.values()))


def _reshape_before(op: Op, defining: Mapping[str, Op]) -> Op | None:
    """The reshape that makes the operand, of the last axis in several, of a value that the same stage computes."""
    (operand, *_) = op.operands if op.kind in _SINGLE else (None,)
    reshape = defining.get(operand.name) if isinstance(operand, Value) else None
    if reshape is None or reshape.kind != "reshape":
        return None
    (source,) = reshape.operands
    assert isinstance(source, Value)
    maker = defining.get(source.name)
    before, after = source.shape, reshape.result.shape
    if maker is None or maker.kind in VIEWS or before[-1:] == after[-1:] or len(before) >= len(after):
        return None
    return reshape if (maker.stage, maker.loop) == (reshape.stage, reshape.loop) == (op.stage, op.loop) else None
