"""Which bytes a tile of a walk stands for, and how far apart the fractals in them lie."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyptogen.lower.instruction.effects import Lying, Region
from pyptogen.lower.instruction.handover import Handover
from pyptogen.lower.isa.fractals import CubeTile, distances
from pyptogen.records import dataclass
from pyptogen.sanitize.lexer import Token, unsupported
from pyptogen.sanitize.values import ScalarType, Tile, TileKind, Within

EVERYWHERE = 1 << 24
"""The end of a region whose bytes are not known."""


def _used(size: Any) -> int | None:
    """A valid extent, or the most that it can be."""
    return size.limit if isinstance(size, Within) else size if isinstance(size, int) else None


def region_of(tile: Tile, token: Token) -> Region:
    """The bytes of a tile's valid part; ``token`` is where it is used. Raises PTG306 for a tile without an address."""
    kind = tile.kind
    if tile.address is None:
        raise unsupported(token, f"tile `{tile.name}` has no address (TASSIGN): left to automatic mode")
    size = kind.bytes()
    if isinstance(tile.address, Within) and size is not None:
        return Region(kind.loc, tile.address.least, tile.address.limit + size, 0, 0)
    if not isinstance(tile.address, int) or size is None:
        return Region(kind.loc, 0, EVERYWHERE, 0, 0)
    rows, cols = (_used(size) for size in tile.valid)
    element = kind.element.size
    line, lines_there = (cols, kind.rows) if kind.row_major else (rows, kind.cols)
    if kind.loc == "Vec" and lines_there == 1 and line is not None:  # vector units work in blocks of 32 bytes
        used_bytes = min(size, -(-line * element // 32) * 32)
        return Region(kind.loc, tile.address, tile.address + used_bytes, 0, 0)
    if kind.loc != "Vec" or not kind.row_major or cols is None or cols >= kind.cols:
        used = rows if kind.loc == "Vec" and kind.row_major and rows is not None and rows <= kind.rows else None
        end = size if used is None else used * kind.cols * element
        return Region(kind.loc, tile.address, tile.address + end, 0, 0)
    lines = kind.rows if rows is None else min(rows, kind.rows)
    # A column window of a wider tile ends with the columns of its last row, before what lies behind that tile.
    end = tile.address + max(0, lines - 1) * kind.cols * element + cols * element
    return Region(kind.loc, tile.address, end, kind.cols * element, cols * element)


PACKED = frozenset({"int4b_t", "float4_e2m1x2_t", "float4_e1m2x2_t"})
"""Element types of which two are one byte: capacities count them in different ways."""


@dataclass(frozen=True, slots=True)
class Use:
    """What an instruction does to a tile or a GlobalTensor (``tile`` is None): the letter of the table; rows and
    columns that count, or the five sizes of a GlobalTensor. ``region``: the bytes of a tile if all of its numbers are
    known; ``around``: those that it may access. ``holder``: as of the tile."""

    effect: str
    extents: tuple[Any, ...]
    tile: TileKind | None = None
    name: str = ""
    region: Region | None = None
    holder: int = 0
    numbers: tuple[Any, ...] = ()
    """The call's numbers, behind its tiles."""
    around: Region | None = None
    element: Any = None
    """Of a GlobalTensor: the type of its elements, where it is known."""


def use_of(tile: Tile, effect: str, token: Token, numbers: tuple[Any, ...] = ()) -> Use:
    """What an instruction does to a tile, in a call with these ``numbers``. Raises PTG306 for a tile without an
    address."""
    known = isinstance(tile.address, int) and tile.kind.bytes() is not None
    known = known and all(isinstance(extent, int) for extent in tile.valid) and tile.kind.element.name not in PACKED
    around = region_of(tile, token)
    region = _valid_bytes(tile, around) if known else None
    return Use(effect, tile.valid, tile.kind, tile.name, region, tile.holder, numbers, around)


def _valid_bytes(tile: Tile, around: Region) -> Region:
    """The bytes of a plain vector tile that are valid, without those that its vectors round up to."""
    kind = tile.kind
    rows, cols = tile.valid
    if kind.loc != "Vec":
        return around
    lines, line, length = (rows, cols, kind.cols) if kind.row_major else (cols, rows, kind.rows)
    size = kind.element.size
    if lines <= 0 or line <= 0:
        return Region(kind.loc, tile.address, tile.address, 0, 0)
    end = tile.address + (lines - 1) * length * size + line * size
    return Region(kind.loc, tile.address, end, length * size, line * size)


NOTHING: tuple[tuple[Lying, ...], tuple[Lying, ...]] = ((), ())


def lying(name: str, tiles: Sequence[Tile], target: str) -> tuple[tuple[Lying, ...], tuple[Lying, ...]]:
    """How far apart fractals of L0 lie behind an instruction, and how far it takes them to be apart. Extents that hang
    on the call are taken to be the same ones; nothing is said of tiles whose sizes or addresses are not known."""
    if not any(tile.kind.loc in ("Left", "Right", "Acc") for tile in tiles):
        return NOTHING
    kinds = [_cube_tile(tile) for tile in tiles]
    known = tuple(kind for kind in kinds if kind is not None)
    if len(known) < len(kinds):
        return NOTHING
    places = [(tile.kind.loc, tile.address) for tile in tiles]
    leaves, takes = (
        tuple((places[at], apart) for at, apart in found if isinstance(places[at][1], int))
        for found in distances(name, known, target)
    )
    return leaves, takes


_PHASES = frozenset({"Partial", "Final"})


def handover(name: str, tiles: Sequence[Tile], phase: Any, token: Token) -> Handover | None:
    """What an instruction with this first template argument does to the unit flags of its accumulator; None where it
    has no phase, or the place is not known."""
    accumulator = next((tile for tile in tiles if tile.kind.loc == "Acc" and isinstance(tile.address, int)), None)
    if accumulator is None or not isinstance(phase, str) or phase not in _PHASES:
        return None
    region = region_of(accumulator, token)
    stores = not name.startswith(("TMATMUL", "TGEMV"))
    if phase == "Partial":
        return Handover((region.start, region.end), "await" if stores else "look")
    return Handover((region.start, region.end), "clear" if stores else "set")


def _cube_tile(tile: Tile) -> CubeTile | None:
    kind = tile.kind
    if not isinstance(kind.rows, int) or not isinstance(kind.cols, int) or not isinstance(kind.element, ScalarType):
        return None
    shape, marks = (kind.rows, kind.cols), (kind.compact, kind.row_major, tile.k_aligned)
    pairs = zip(tile.valid, shape, strict=True)
    rows, cols = (min(valid, size) if isinstance(valid, int) else "valid" for valid, size in pairs)
    return CubeTile(kind.loc, kind.element.size, shape, (rows, cols), *marks)
