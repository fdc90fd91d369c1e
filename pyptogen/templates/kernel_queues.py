"""The lines of a kernel that are about the rings between the cores of a mixed kernel."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.instruction.ir import Instr, TileType
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Fifo
from pyptogen.templates.cpp_names import C_TYPES, camel

UNSPLIT = "TileSplitAxis::TILE_NO_SPLIT"


def _stem(fifo: Fifo) -> str:
    """`p_2_ring` → `p_2`."""
    return fifo.name.removesuffix("_ring")


def _pipe(fifo: Fifo) -> str:
    return f"{camel(_stem(fifo))}Pipe"


def _slot(fifo: Fifo) -> str:
    return f"{camel(_stem(fifo))}Slot"


def queue_aliases(fifo: Fifo) -> list[tuple[str, str, str]]:
    """Name, type and comment of the aliases of one ring: the TPipe, and a popped slot."""
    way = "DIR_C2V" if fifo.to == "vector" else "DIR_V2C"
    size = fifo.rows * fifo.cols * DTYPES[fifo.dtype]
    note = f"{fifo.slots} tiles of up to {fifo.rows} x {fifo.cols}, to the {fifo.to} core"
    shape, stride = f"Shape<1, 1, 1, {fifo.rows}, {fifo.cols}>", f"Stride<1, 1, 1, {fifo.cols}, 1>"
    return [
        (_pipe(fifo), f"TPipe<{2 * fifo.number}, Direction::{way}, {size}, {fifo.slots}>", note),
        (_slot(fifo), f"GlobalTensor<{C_TYPES[fifo.dtype]}, {shape}, {stride}>", ""),
    ]


def pipe_line(fifo: Fifo) -> str:
    """The pipe over this block's part of the ring."""
    part = fifo.slots * fifo.rows * fifo.cols
    return f"{_pipe(fifo)} {_stem(fifo)}_pipe({fifo.name} + int64_t(block) * {part}, 0x0, 0x0);"


def view_line(fifo: Fifo) -> str:
    """The object that TPOP points at the slot."""
    return f"{_slot(fifo)} {_stem(fifo)}_view({fifo.name});"


def slot_line(fifo: Fifo) -> str:
    """The popped slot as the tensor that loads read."""
    return f"__gm__ {C_TYPES[fifo.dtype]} *{fifo.slot} = {_stem(fifo)}_view.data();"


def queue_call(node: Instr, fifo: Fifo, types: Mapping[str, TileType], alias: Callable[[TileType], str]) -> str:
    """A call of TPUSH, TPOP or TFREE."""
    pushed = [o for o in node.operands if isinstance(o, str)]
    kind, operand = (alias(types[pushed[0]]), pushed[0]) if pushed else (_slot(fifo), f"{_stem(fifo)}_view")
    return f"{node.name}<{_pipe(fifo)}, {kind}, {UNSPLIT}>({_stem(fifo)}_pipe, {operand})"
