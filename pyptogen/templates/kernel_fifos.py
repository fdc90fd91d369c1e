"""The lines of a kernel that are about the fifos between the cores of a mixed kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.instruction.ir import Declare, Instr, TileType
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Fifo
from pyptogen.templates.cpp_names import C_TYPES, camel

UNSPLIT = "TileSplitAxis::TILE_NO_SPLIT"
BY_ROWS = "TileSplitAxis::TILE_UP_DOWN"


def _stem(fifo: Fifo) -> str:
    """`p_2_fifo` → `p_2`."""
    return fifo.name.removesuffix("_fifo")


def _pipe(fifo: Fifo) -> str:
    return f"{camel(_stem(fifo))}Pipe"


def _slot(fifo: Fifo) -> str:
    return f"{camel(_stem(fifo))}Slot"


def pipe_aliases(fifo: Fifo, on_chip: bool) -> list[tuple[str, str, str]]:
    """Name, type and comment of the aliases of one fifo: the TPipe, and a popped slot. Of a fifo whose slots two vector
    cores pop both: also how many slots a consumer may keep (2, as always), and that it has them unsplit; of one that
    accumulators are handed to by unit flags, that behind both. ``on_chip``: see `Platform.fifos_on_chip`."""
    way = ("DIR_C2V" if fifo.to == "vector" else "DIR_V2C") + ("_GM" if on_chip else "")
    size = fifo.rows * fifo.cols * DTYPES[fifo.dtype]
    both = fifo.both and fifo.to == "vector"
    note = f"{fifo.slots} tiles of up to {fifo.rows} x {fifo.cols}, to {_receiver(fifo)}"
    shape, stride = f"Shape<1, 1, 1, {fifo.rows}, {fifo.cols}>", f"Stride<1, 1, 1, {fifo.cols}, 1>"
    marks = [both, *([True] if fifo.unit_flags else [])]
    rest = f", 2, {', '.join(str(mark).lower() for mark in marks)}" if any(marks) else ""
    return [
        (_pipe(fifo), f"TPipe<{2 * fifo.number}, Direction::{way}, {size}, {fifo.slots}{rest}>", note),
        (_slot(fifo), f"GlobalTensor<{C_TYPES[fifo.dtype]}, {shape}, {stride}>", ""),
    ]


def _receiver(fifo: Fifo) -> str:
    return "both vector cores" if fifo.both and fifo.to == "vector" else f"the {fifo.to} core"


def pipe_line(fifo: Fifo) -> str:
    """The pipe over this block's part of the fifo."""
    part = fifo.slots * fifo.rows * fifo.cols
    return f"{_pipe(fifo)} {_stem(fifo)}_pipe({fifo.name} + int64_t(block) * {part}, 0x0, 0x0);"


def view_line(fifo: Fifo) -> str:
    """The object that TPOP points at the slot."""
    return f"{_slot(fifo)} {_stem(fifo)}_view({fifo.name});"


def slot_line(fifo: Fifo) -> str:
    """The popped slot as the tensor that loads read."""
    return f"__gm__ {C_TYPES[fifo.dtype]} *{fifo.slot} = {_stem(fifo)}_view.data();"


def pipe_call(
    node: Instr, fifo: Fifo, types: Mapping[str, TileType], alias: Callable[[TileType], str], told: str | None
) -> str:
    """A call of TPUSH, TPOP or TFREE. ``told``: the number of the vector core, where it is not to ask the device."""
    pushed = [o for o in node.operands if isinstance(o, str)]
    kind, operand = (alias(types[pushed[0]]), pushed[0]) if pushed else (_slot(fifo), f"{_stem(fifo)}_view")
    split = BY_ROWS if isinstance(node.operands[-1], Poly) else UNSPLIT
    number = f", {told}" if told is not None and split == BY_ROWS else ""  # without a split none is asked for
    return f"{node.name}<{_pipe(fifo)}, {kind}, {split}>({_stem(fifo)}_pipe, {operand}{number})"


def offset_line(node: Instr, fifo: Fifo, tile: Declare, subblock: str) -> str | None:
    """Where TPUSH puts a vector core's share of a tile, if not where it lies by itself: its own number of rows behind
    the beginning for the second core, of an odd number one row too far."""
    first = node.operands[-1]
    assert isinstance(first, Poly)
    off = first - Poly.of(subblock) * tile.rows.poly()
    if off == ZERO:
        return None
    row = tile.cols.poly() * DTYPES[fifo.dtype]
    offset = f"({off.c()}) * {row.c()}"
    return f"{_stem(fifo)}_pipe.prod.setEntryOffset({offset});  // the middle row of an odd number is both cores'"
