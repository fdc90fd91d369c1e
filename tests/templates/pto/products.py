"""Rules of the cube's products."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import Float4E2M1FNType, Float8E4M3FNType, Float8E5M2Type, IntegerType

from templates.pto.types import TileBuf, agree, check

if TYPE_CHECKING:
    from templates.pto.instructions import Instruction

BLOCK = 32
"""Elements along K that share a scale."""


def _shapes(op: Instruction, left: TileBuf, right: TileBuf, adds: bool) -> TileBuf:
    """Left [M, K] and right [K, N] to an accumulator [M, N], which is a source too when it is added to."""
    (acc,) = op.tiles("acc", op.destination)
    check(not adds or op.sources[0] is op.destination, f"{op.name} of another accumulator")
    check(left.shape[1] == right.shape[0], f"{op.name}: K is {left.shape[1]} and {right.shape[0]}")
    check((left.shape[0], right.shape[1]) == acc.shape, f"{op.name} to {acc.shape}")
    check(agree(left.valid[0], acc.valid[0]) and agree(right.valid[1], acc.valid[1]), f"{op.name} to {acc.valid}")
    return acc


def plain(op: Instruction) -> None:
    """Operands of one element type."""
    adds = op.name.endswith(".acc")
    op.count(3 if adds else 2)
    (left,), (right,) = op.tiles("left", op.sources[-2]), op.tiles("right", op.sources[-1])
    acc = _shapes(op, left, right, adds)
    whole = isinstance(left.element, IntegerType)
    check(left.element == right.element, f"{op.name} of {left.element} and {right.element}")
    check(str(acc.element) == ("i32" if whole else "f32"), f"{op.name} of {left.element} to {acc.element}")
    check(not whole or str(left.element) == "i8", f"{op.name} of {left.element}")


def scaled(op: Instruction) -> None:
    """Each operand with its scales, of a block of 32 along K."""
    adds = op.name.endswith(".acc")
    op.count(5 if adds else 4)
    left, left_scales, right, right_scales = (
        op.tiles(loc, source)[0]
        for loc, source in zip(("left", "scaling", "right", "scaling"), op.sources[-4:], strict=True)
    )
    acc = _shapes(op, left, right, adds)
    for side in (left, right):
        check(isinstance(side.element, Float8E4M3FNType | Float8E5M2Type | Float4E2M1FNType), f"{op.name} of {side}")
    check({str(s.element) for s in (left_scales, right_scales)} == {"f8E8M0FNU"}, f"{op.name} by other scales")
    check(left_scales.shape == (left.shape[0], left.shape[1] // BLOCK), f"{op.name}: scales {left_scales.shape}")
    check(right_scales.shape == (right.shape[0] // BLOCK, right.shape[1]), f"{op.name}: scales {right_scales.shape}")
    check(str(acc.element) == "f32", f"{op.name} to {acc.element}")


PRODUCTS: dict[str, Callable[[Instruction], None]] = {
    "pto.tmatmul": plain, "pto.tmatmul.acc": plain, "pto.tmatmul.mx": scaled, "pto.tmatmul.mx.acc": scaled,
}  # fmt: skip
