"""Rules of the cube's products."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from xdsl.dialects.builtin import IntegerType

from templates.pto.types import TileBuf, agree, check

if TYPE_CHECKING:
    from templates.pto.instructions import Instruction


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


PRODUCTS: dict[str, Callable[[Instruction], None]] = {"pto.tmatmul": plain, "pto.tmatmul.acc": plain}
