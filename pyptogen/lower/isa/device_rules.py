"""What only a device's own headers ask of the tiles of an instruction: lengths that fit the fields of its registers,
and parts of matrices cut at whole fractals. The bundled headers take more, so nothing else would tell.

Source of each rule: the static assertion or ``PTO_ASSERT`` of the public A2/A3 headers (2026-08-21) that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pyptogen.lower.isa.fractals import COLS, FRACTAL, ROWS, CubeTile, deep
from pyptogen.records import dataclass

MOST_LENGTH = 4095
"""Of a product, in each direction; of lines that one transfer moves."""
MOST_STORED_ROWS = 8192
MOST_NZ_ROWS = 65535
"""Of an accumulator that is stored row by row, and in NZ form."""
_BIAS_BYTES, _SCALING_BYTES, _FRACTAL_BYTES = 64, 128, 512
_BY_LOC = {"Bias": _BIAS_BYTES, "Scaling": _SCALING_BYTES}


@dataclass(frozen=True, slots=True)
class Operands:
    """The tiles of a call in the order of its form, and the indices that are known: ``at`` of row and column.
    ``nz``: the element type of a tensor in GM in NZ form. ``places``: where the tiles lie, in the order
    of the form, as anything that can be compared; empty if that is not known. ``number_first``: what comes behind the
    result is a number."""

    tiles: Sequence[CubeTile]
    at: tuple[int | None, int | None] = (None, None)
    nz: str | None = None
    places: Sequence[object] = ()
    number_first: bool = False

    def of(self, loc: str) -> CubeTile | None:
        """The first tile of a location."""
        return next((tile for tile in self.tiles if tile.loc == loc), None)


@dataclass(frozen=True, slots=True)
class Rule:
    """``wants`` of instructions whose name begins with one of ``names``. ``kept`` says whether a call keeps to it."""

    names: tuple[str, ...]
    wants: str
    source: str
    kept: Callable[[Operands], bool]


def _most(tile: CubeTile, axis: int) -> int:
    """The longest that a valid extent may be."""
    valid = tile.valid[axis]
    return valid if isinstance(valid, int) else tile.shape[axis]


def _lengths(call: Operands) -> bool:
    left, right = call.of("Left"), call.of("Right")
    if left is None or right is None:
        return True
    lengths = (_most(left, ROWS), _most(left, COLS), _most(right, COLS))
    return all(1 <= length <= MOST_LENGTH for length in lengths)


def _cut(call: Operands) -> tuple[CubeTile, CubeTile, tuple[int, int]] | None:
    """What goes to L0A or L0B, from where, and the multiples that its rows and columns are cut at."""
    if len(call.tiles) < 2 or call.tiles[0].loc not in ("Left", "Right") or call.tiles[1].loc != "Mat":
        return None
    to, source = call.tiles[:2]
    if to.loc == "Left" and source.shape[ROWS] == 1:
        return to, source, (1, _FRACTAL_BYTES // to.bytes)
    if source.row_major != (to.loc == "Right"):
        side = max(deep(to.bytes), FRACTAL)
        return to, source, (side if to.bytes == 1 else FRACTAL,) * 2
    units = (FRACTAL, deep(to.bytes))
    return to, source, units if to.loc == "Left" else units[::-1]


def _whole_fractals(call: Operands) -> bool:
    found = _cut(call)
    if found is None:
        return True
    to, source, units = found
    # A compact tile goes by what is valid; transposed bytes, which move two at a time, do so in any tile.
    by_valid = to.compact or (to.bytes == 1 and source.row_major != (to.loc == "Right"))
    sizes = [
        (size, unit)
        for tile in ((source,) if by_valid else (to, source))
        for size, unit in zip(tile.shape, units, strict=True)
    ]
    sizes += [(at, unit) for at, unit in zip(call.at, units, strict=True) if at is not None]
    return not any(size % unit for size, unit in sizes)


def _inside(call: Operands) -> bool:
    found = _cut(call)
    if found is None:
        return True
    to, source, _ = found
    ends = ((at or 0) + size for at, size in zip(call.at, to.shape, strict=True))
    return all(end <= size for end, size in zip(ends, source.shape, strict=True))


def _stored(call: Operands) -> bool:
    tile = call.tiles[0]
    most = MOST_STORED_ROWS if call.nz is None else MOST_NZ_ROWS
    return tile.loc != "Acc" or (tile.shape[COLS] <= MOST_LENGTH and tile.shape[ROWS] <= most)


def _fits_nz(call: Operands) -> bool:
    """Fractals of int32 would have 16 columns there, those of `nz` have 8."""
    tile = call.tiles[0]
    if tile.loc != "Acc" or call.nz is None:
        return True
    return call.nz != "int32" and all(isinstance(size, int) and size % FRACTAL == 0 for size in tile.valid)


def _lines(call: Operands) -> bool:
    """A tile by columns is one line for each of its columns."""
    tile = call.tiles[0]
    return tile.loc != "Vec" or min(tile.shape) == 1 or _most(tile, ROWS) <= MOST_LENGTH


def _table(call: Operands) -> bool:
    to = call.tiles[0]
    return to.loc not in _BY_LOC or to.shape[COLS] * call.tiles[-1].bytes % _BY_LOC[to.loc] == 0


def _without_gaps(call: Operands) -> bool:
    """Gathers by index have three tiles; those by a pattern of rows put one row right behind the other."""
    return len(call.tiles) != 2 or call.tiles[0].valid[COLS] == call.tiles[0].shape[COLS]


FILLED_FIRST = ("TANDS", "TORS", "TXOR", "TXORS", "TRECIP")
"""A2/A3 makes these of other instructions, of which the first fills the result before all operands have been read."""

FILLED_BY_NUMBERS = ("TDIVS",)
"""The same, where the first operand is a number: the result is full of it before the tile divides it (TDivS.hpp)."""


USED_UP = ("TQUANT",)
"""A2/A3 works in the second operand of these, of which nothing is left (TQuant.hpp)."""


def fills_first(platform: str, name: str, number_first: bool) -> bool:
    """Whether an instruction writes its result before it has read all operands."""
    return platform == "a2a3" and (name in FILLED_FIRST or (number_first and name in FILLED_BY_NUMBERS))


def _own_place(call: Operands) -> bool:
    return not call.places or call.places[0] not in call.places[1:]


def _apart_from_numbers(call: Operands) -> bool:
    return not call.number_first or _own_place(call)


RULES: Mapping[str, tuple[Rule, ...]] = {
    "a2a3": (
        Rule(("TMATMUL", "TGEMV"), f"rows, depth and columns of 1 to {MOST_LENGTH}", "TMatmul.hpp, CheckDynamicMad",
             _lengths),
        Rule(("TEXTRACT", "TMOV"), "tiles and indices of whole fractals on the way to L0", "textract_common.hpp",
             _whole_fractals),
        Rule(("TEXTRACT",), "a part that lies within its tile in L1", "TExtract.hpp", _inside),
        Rule(("TSTORE",), f"an accumulator of up to {MOST_STORED_ROWS} rows and {MOST_LENGTH} columns",
             "TStore.hpp, CheckAcc2gm", _stored),
        Rule(("TSTORE",), "whole fractals of another type than int32 for NZ", "TStore.hpp, TStoreAccNz2nz",
             _fits_nz),
        Rule(("TLOAD", "TSTORE"), f"tiles in UB of up to {MOST_LENGTH} rows", "tload_common.hpp, tstore_common.hpp",
             _lines),
        Rule(("TMOV",), f"bias of a multiple of {_BIAS_BYTES} bytes, quantisation words of {_SCALING_BYTES}",
             "TMov.hpp", _table),
        Rule(FILLED_FIRST, "a result at another place than the operands", "TBitwiseSOp.hpp, TXor.hpp, TDivS.hpp",
             _own_place),
        Rule(FILLED_BY_NUMBERS, "a result at another place than what a number is divided by", "TDivS.hpp",
             _apart_from_numbers),
        Rule(("TGATHER",), "a result of a pattern whose columns are all valid", "TGather.hpp", _without_gaps),
    )
}  # fmt: skip
"""By platform. A5 has fields of other widths."""


def broken_rule(platform: str, name: str, call: Operands) -> Rule | None:
    """The first rule of a platform that a call of instruction ``name`` breaks."""
    if not call.tiles:
        return None
    return next(
        (rule for rule in RULES.get(platform, ()) if name.startswith(rule.names) and not rule.kept(call)),
        None,
    )
