"""Elements from row to row of tiles.

Operands of one elementwise instruction have one tile type, so tiles that meet in one get one pitch, that of the widest;
a window keeps its tile's.
"""

from __future__ import annotations

from pyptogen.lower.tensor.ir import DTYPES, GAPLESS, REDUCE
from pyptogen.lower.tile.ir import TileKernel, TileOp, walk
from pyptogen.lower.tile.ops import (
    Binary,
    Bitcast,
    Bitwise,
    BitwiseNot,
    CompareBits,
    Copy,
    Reduce,
    SelectByBits,
    Unary,
)  # fmt: skip


def _of_one_type(op: TileOp) -> list[str]:
    """The tiles that an instruction wants to have one shape: all but the bits of predicates."""
    names: tuple[object, ...] = ()
    plain = isinstance(op, Reduce) and op.fn in REDUCE and not op.over_rows
    if plain or isinstance(op, Unary | Binary | Bitwise | BitwiseNot | Copy | Bitcast):
        names = (op.dst, *op.srcs, op.scratch if isinstance(op, Bitwise) else None)
    elif isinstance(op, CompareBits):
        names = op.srcs
    elif isinstance(op, SelectByBits):
        names = (op.dst, *op.srcs[1:])
    return [n for n in names if isinstance(n, str)]


def pitches(kernel: TileKernel) -> dict[str, int]:
    """Elements from row to row of each tile with data of its own: one value for tiles that meet in an instruction."""
    tiles = {t.name: t for t in kernel.tiles}
    group = {t.name: t.name for t in kernel.tiles}

    def find(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for tile in kernel.tiles:
        if tile.parent is not None:
            group[find(tile.name)] = find(tile.parent)
    for op in walk(kernel.body):
        together = _of_one_type(op)
        full = [n for n in together if tiles[n].form == "full"]
        rows = [n for n in together if tiles[n].form == "row"]
        for names in (full, rows if not full else []):
            for name in names[1:]:
                group[find(name)] = find(names[0])
    widest: dict[str, int] = {}
    for tile in kernel.tiles:
        step = 64 if tile.dtype in GAPLESS else max(1, 32 // DTYPES[tile.dtype])
        widest[find(tile.name)] = max(widest.get(find(tile.name), 0), -(-tile.cols.size // step) * step)
    return {t.name: widest[find(t.name)] for t in kernel.tiles}
