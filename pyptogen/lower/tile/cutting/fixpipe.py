"""What the accumulators' way out does beside moving: relu, and rounding to a narrow float.

before: p = matmul(a, b, fp32); r = relu(p); y = cast(r, bf16)        a cube kernel, scratch in GM, a vector kernel
after:  y = matmul(a, b, bf16, relu)                                  a cube kernel

Where cube and vector cores are separate, every result of a product leaves through the fixpipe, which takes the larger
of a number and 0, and rounds fp32 to fp16 or bf16, at no cost. An operation that is the only reader of a product
becomes part of it. Both forms give the same numbers: the fixpipe clips the fp32 sum, then rounds to nearest, ties to
even, and saturates, as the two operations do one by one; and a product that is rounded first is clipped to the same
bits after. (Of a NaN both the fixpipe and TRELU make 0.)

Not in loops and in stages with `fifo`, whose products may go to vector work on chip; not of products in parts
(`split_k`), whose sum comes later; and not where a stage would be left without an operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.ir import PRODUCTS, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace

NARROW = ("bf16", "fp16")


def run(program: Program, platform: Platform, rows: Sequence[Selected]) -> Program:
    """The program with such operations in their products."""
    if platform.unified or any("fifo" in sizes for row in rows for sizes in row.row.sizes.values()):
        return program
    split = {stage for row in rows for stage, sizes in row.row.sizes.items() if "split_k" in sizes}
    ops = list(program.ops)
    while (found := _next(program, ops, split)) is not None:
        product, reader = found
        place = ops.index(product)
        ops[place] = _joined(product, reader)
        ops.remove(reader)
    return replace(program, ops=tuple(ops))


def _next(program: Program, ops: Sequence[Op], split: set[str]) -> tuple[Op, Op] | None:
    """A product, and the operation that can become part of it."""
    uses = Counter(v.name for op in ops for v in op.operands if isinstance(v, Value))
    kept = {value.name for _, value in program.outputs}
    whole = {op.result.name: op for op in ops}
    by_columns = {root(v.name, whole) for n, v in program.outputs if layouts.by_columns(program.laid_out.get(n))}
    stages = Counter(op.stage for op in ops)
    defining = {op.result.name: op for op in ops if op.kind in PRODUCTS and not op.loop and op.stage not in split}
    for op in ops:
        source = op.operands[0] if op.kind in ("relu", "cast") and not op.loop else None
        product = defining.get(source.name) if isinstance(source, Value) else None
        if product is None or uses[product.result.name] != 1 or product.result.name in kept:
            continue
        if op.result.name in by_columns:  # the fixpipe writes rows
            continue
        if (op.stage == product.stage or stages[op.stage] > 1) and _fits(product, op):
            return product, op
    return None


def _fits(product: Op, reader: Op) -> bool:
    """Whether the fixpipe does it on the way from L0C."""
    if reader.kind == "relu":
        return product.result.dtype in ("fp32", *NARROW)
    mode, saturate = reader.attrs["mode"], reader.attrs["saturate"]
    return product.result.dtype == "fp32" and reader.result.dtype in NARROW and mode == "rint" and bool(saturate)


def _joined(product: Op, reader: Op) -> Op:
    """The product with the result of its reader."""
    attrs = {**product.attrs, "dtype": reader.result.dtype}
    return replace(product, result=reader.result, attrs=attrs | ({"relu": True} if reader.kind == "relu" else {}))
