"""Elements two of which share a byte, on their way between GM and UB: transfers know bytes, and only casts know more.

before: load(w: int4[r, c], gm)     after: w_bytes: uint8[r, c / 2 of c], at the address of w; TLOAD(w_bytes, gm)

Rows of an int4 tile are as many bytes apart as it has columns, the first half of them used; in GM they have no gaps.
"""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.instruction.ir import Declare, GmWindow
from pyptogen.lower.instruction.select.selector import Selector
from pyptogen.lower.refusal import refuse
from pyptogen.lower.tensor.ir import GAPLESS, PACKED
from pyptogen.lower.tile.ir import Extent, GmTensor, TileOp
from pyptogen.records import replace


def tile(sel: Selector, name: str) -> str:
    """Name of the declaration of a tile as the bytes that it consists of."""
    declared = f"{name}_bytes"
    while declared in sel.tiles:
        declared += "_"
    if declared not in sel.declared:
        own = sel.declared[sel.use(name)]
        sel.declared[declared] = replace(as_bytes(own), name=declared, note=f"same bytes as {name}")
    return declared


def as_bytes(own: Declare) -> Declare:
    """A tile of such elements as one of bytes."""
    cols = _halved(own.cols)
    pitch = own.type.cols // (2 if own.type.dtype in GAPLESS else 1)
    fixed = cols.size if own.type.valid_cols is not None else None
    return replace(own, type=replace(own.type, dtype="uint8", cols=pitch, valid_cols=fixed), cols=cols)


def window(sel: Selector, own: GmWindow, op: TileOp) -> GmWindow:
    """A window of such elements as one of bytes.

    Raises:
        Refused: PTG302, a tile begins or ends inside of a byte.
    """
    steps = {**sel.multiples, **sel.steps}
    stride = own.row_stride if own.rows.size > 1 else ZERO
    edges = (own.offset, stride)
    if own.col_stride != ONE or own.cols.size % 2 or not all(edge.is_multiple_of(2, steps) for edge in edges):
        raise refuse(
            "PTG302",
            f"a tile cuts through the bytes of `{own.tensor}`, of which each has two {own.dtype} of a row",
            op.span,
            expected="tiles that begin and end at even elements of the last axis",
            fix="cut that axis at an even number, or leave it whole",
        )
    offset, cols = own.offset.over(2), _halved(own.cols)
    return replace(own, dtype="uint8", layout="ND", offset=offset, cols=cols, row_stride=stride.over(2))


def in_memory(tensor: GmTensor) -> GmTensor:
    """A tensor as kernels are given it: of bytes where elements share them."""
    if tensor.dtype not in PACKED:
        return tensor
    return replace(tensor, dtype="uint8", shape=(*tensor.shape[:-1], tensor.shape[-1].over(2)))


def _halved(extent: Extent) -> Extent:
    return Extent(extent.size // 2, None if extent.valid is None else extent.valid.over(2))
