"""How far apart the fractals of the matrix unit's operands lie, by who puts them there and who takes them.

TMATMUL multiplies m x k by k x n. On A2/A3 it takes the rows of fractals of L0A to be k apart, those of L0B n, and
leaves columns of fractals in L0C m apart, each rounded up to whole fractals; m, k and n are valid extents. On A5
columns of fractals of L0A are m apart. What moves fractals to L0A and L0B, or out of L0C, goes by the tile's type: its
capacity, or the valid extent in whole fractals where the type is compact. Where the two differ, the data are wrong.

Sources: `mad`, `TExtractToA`, `TExtractToB`, `TStoreAcc` and the moves from Acc of the public headers for A2/A3 and A5
(2026-08-21).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from pyptogen.records import dataclass

FRACTAL = 16
"""Rows of a fractal of L0A and L0C, columns of one of L0B and L0C; the other side has 32 bytes."""
ROWS, COLS = 0, 1
STRIDE_AXIS: Mapping[str, Mapping[str, int]] = {
    "a2a3": {"Left": COLS, "Right": COLS, "Acc": ROWS},
    "a5": {"Left": ROWS, "Right": COLS, "Acc": ROWS},
}
"""The extent that says how far apart fractals are, by platform and location. The CPU's panels have fixed places."""
_PRODUCTS = ("TMATMUL", "TGEMV")


@dataclass(frozen=True, slots=True)
class Spacing:
    """A distance in elements: ``most``, or a run-time extent ``of`` in whole fractals of ``unit`` elements, at most
    ``most``."""

    most: int
    unit: int
    of: Any = None

    def __str__(self) -> str:
        return f"{self.most}" if self.of is None else f"ceil({self.of} / {self.unit}) * {self.unit}"

    def agrees(self, other: Spacing) -> bool:
        """Whether both are the same in every run. An extent of at most one fractal is one fractal."""
        if self.of is None and other.of is None:
            return self.most == other.most
        if self.most == self.unit == other.unit == other.most:
            return True
        return self.of is not None and self.of == other.of and self.unit == other.unit


@dataclass(frozen=True, slots=True)
class CubeTile:
    """A tile as fractals see it. ``valid``: whole numbers, or whatever names a run-time extent. ``row_major``: of the
    fractals of a matrix in L1."""

    loc: str
    bytes: int
    shape: tuple[int, int]
    valid: tuple[Any, Any]
    compact: bool = False
    row_major: bool = False
    k_aligned: bool = False

    def many(self, axis: int, unit: int) -> bool:
        """Whether there may be more than one fractal along an axis."""
        valid = self.valid[axis]
        return (valid if isinstance(valid, int) else self.shape[axis]) > unit

    def apart(self, axis: int, unit: int, compact: bool) -> Spacing:
        """The distance that the extent along ``axis`` gives: of the capacity, or of the valid part."""
        size, valid = self.shape[axis], self.valid[axis]
        if not compact:
            return Spacing(size, unit)
        if isinstance(valid, int):
            return Spacing(-(-valid // unit) * unit, unit)
        return Spacing(-(-size // unit) * unit, unit, valid)


def deep(bytes_: int) -> int:
    """Elements of 32 bytes."""
    return 32 // bytes_


def needs_compact(
    platform: str, loc: str, bytes_: int, shape: tuple[int, int], valid: tuple[int | None, int | None]
) -> bool:
    """Whether a tile type has to be compact: its valid extent may be fewer fractals than its capacity, and fractals
    beyond the first line of them lie by that extent. An accumulator with any extent that only a run tells is compact
    even where one line of fractals makes it the same, so that nobody who reads a kernel has to work that out.

    Args:
        valid: the valid extents, None where they are known at run time only.
    """
    axis = STRIDE_AXIS.get(platform, {}).get(loc)
    if axis is None:
        return False
    if loc == "Acc" and None in valid:
        return True
    units = _units(loc, bytes_)
    along = valid[axis]
    other = valid[1 - axis] or shape[1 - axis]
    known = along is not None and -(-along // units[axis]) * units[axis] == shape[axis]
    return not known and shape[axis] > units[axis] and other > units[1 - axis]


def _units(loc: str, bytes_: int) -> tuple[int, int]:
    """Rows and columns of a fractal."""
    return {"Left": (FRACTAL, deep(bytes_)), "Right": (deep(bytes_), FRACTAL)}.get(loc, (FRACTAL, FRACTAL))


Places = tuple[tuple[int, Spacing], ...]
"""Distances by the operand that they are about."""


@cache
def distances(name: str, tiles: tuple[CubeTile, ...], platform: str) -> tuple[Places, Places]:
    """What an instruction leaves behind in L0, and what it takes for granted there: distances by the number of the
    tile among its tiles."""
    if platform not in STRIDE_AXIS or not tiles:
        return (), ()
    if name.startswith("TMATMUL"):
        return _product(name, tiles, platform)
    source = tiles[1] if len(tiles) > 1 and not name.startswith("TSTORE") else tiles[0]
    if source.loc == "Acc" and not name.startswith(_PRODUCTS):
        return (), tuple(_out_of_acc(name, tiles.index(source), source, tiles[0], platform))
    if tiles[0].loc in ("Left", "Right") and source.loc == "Mat" and source.shape[0] > 1:
        return ((0, _into(name, tiles[0], source, platform)),), ()
    return (), ()


def _into(name: str, tile: CubeTile, source: CubeTile, platform: str) -> Spacing:
    """TEXTRACT and TMOV to L0A and L0B. What is transposed on the way goes by fractals of 16 elements on either side;
    of bytes two at a time, as if compact."""
    axis, units = STRIDE_AXIS[platform][tile.loc], _units(tile.loc, tile.bytes)
    transposed = source.row_major != (tile.loc == "Right")
    pairs = transposed and tile.bytes == 1 and (tile.loc == "Right" or platform == "a5" or name.startswith("TMOV"))
    unit = max(units[axis], FRACTAL) if transposed or (tile.k_aligned and tile.bytes == 4) else units[axis]
    return tile.apart(axis, unit, tile.compact or pairs)


def _out_of_acc(name: str, number: int, tile: CubeTile, to: CubeTile, platform: str) -> Iterator[tuple[int, Spacing]]:
    """Stores and moves out of L0C. Moves of A2/A3 know no compact tiles; TMOV of A5 goes by what is valid, compact or
    not, unless the type itself says that less is."""
    if not tile.many(COLS, FRACTAL):
        return
    compact = tile.compact
    if not name.startswith(("TSTORE", "TPUSH")):
        shorter = isinstance(tile.valid[ROWS], int) and tile.valid[ROWS] < tile.shape[ROWS]
        compact = platform == "a5" and (tile.compact if not name.startswith("TMOV") else not shorter)
    yield number, tile.apart(ROWS, FRACTAL, compact)


def _product(name: str, tiles: Sequence[CubeTile], platform: str) -> tuple[Places, Places]:
    by_loc = {loc: [i for i, tile in enumerate(tiles) if tile.loc == loc] for loc in ("Left", "Right", "Acc")}
    if not all(by_loc.values()):
        return (), ()
    left, right = tiles[by_loc["Left"][0]], tiles[by_loc["Right"][0]]
    sums = by_loc["Acc"]
    taken = []
    aligned = (left.k_aligned or right.k_aligned) and left.bytes == 4
    for tile, at in ((left, by_loc["Left"][0]), (right, by_loc["Right"][0])):
        axis, units = STRIDE_AXIS[platform][tile.loc], _units(tile.loc, tile.bytes)
        unit = FRACTAL if aligned and tile is left and axis == COLS else units[axis]
        if tile.many(1 - axis, units[1 - axis]):
            taken.append((at, tile.apart(axis, unit, True)))
    rows = left.apart(ROWS, FRACTAL, True)
    if not right.many(COLS, FRACTAL):
        return ((sums[0], rows),), tuple(taken)
    if len(sums) > 1 or name.startswith("TMATMUL_ACC"):
        taken.append((sums[-1], rows))
    return ((sums[0], rows),), tuple(taken)
