"""What an instruction does in a pass: which tiles it reads or writes element by element, which as a column or a row.

An instruction without a role works only by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.instruction.ir import Declare, GmWindow, Imm, Instr, Mode
from pyptogen.lower.tile.ir import Extent
from pyptogen.records import dataclass, replace

ARITHMETIC = ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN")
PAIRS = {f"T{stem}" for stem in ARITHMETIC}
SCALARS = {f"T{stem}S" for stem in ARITHMETIC}
BY_COLUMN = {f"TROWEXPAND{stem}" for stem in ARITHMETIC}
BY_ROW = {f"TCOLEXPAND{stem}" for stem in ARITHMETIC}
UNARY = {"TNEG", "TABS", "TEXP", "TLOG", "TSQRT", "TRSQRT", "TRECIP", "TRELU"}
REDUCTIONS = {"TROWSUM", "TROWMAX", "TROWMIN"}
COLUMN_REDUCTIONS = {"TCOLSUM", "TCOLMAX", "TCOLMIN"}
FLOATS = {"fp32", "bf16", "fp16"}
INTEGERS = {"int8", "uint8", "int16", "int32"}
SUMS = frozenset({"TADD", "TSUB"})
EXACT = {"bf16": SUMS | {"TMUL"}, "fp16": SUMS | {"TMUL"}, "int8": SUMS, "int16": SUMS, "int32": SUMS}
"""By dtype, the arithmetic between tiles that a pass does in fp32, rounding once, or in int32, keeping the low bits."""
NEAREST = {"none", "rint"}

Space = tuple[Extent, Extent]
"""Valid rows and columns that a pass walks over."""


@dataclass(frozen=True, slots=True)
class Role:
    """An instruction's part in a pass.

    Attributes:
        space: the extents of its element-by-element operands.
        result: the tile written, element by element or, for a reduction, one value a row or a column; None for a store.
        elements: tiles read element by element.
        columns, rows: tiles read as one value a row, and as one row for all.
        accumulators: tiles read row by row from the matrix unit's memory.
        reduction: the result is a column or a row that elements of several steps go into.
    """

    instr: Instr
    space: Space
    result: str | None
    elements: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    accumulators: tuple[str, ...] = ()
    reduction: bool = False

    @property
    def window(self) -> GmWindow | None:
        """The part of global memory that a load or a store accesses."""
        return next((o for o in self.instr.operands if isinstance(o, GmWindow)), None)


Kind = Literal["elements", "columns", "rows"]


class Roles:
    """Finds the roles of the instructions of one kernel."""

    def __init__(self, tiles: Mapping[str, Declare]) -> None:
        self.tiles = tiles

    def of(self, instr: Instr) -> Role | None:
        """The role of an instruction, if it can be part of a pass."""
        name = instr.name
        if name in ("TLOAD", "TSTORE"):
            return self._transfer(instr)
        if name == "TEXTRACT":
            return self._extract(instr)
        if name == "TCVT":
            return self._cast(instr)
        if name in REDUCTIONS | COLUMN_REDUCTIONS:
            return self._reduction(instr)
        if name == "TMOV":
            return self._move(instr) if self._same_dtype(instr) else None
        dtypes = {self.tiles[o].type.dtype for o in instr.operands if isinstance(o, str)}
        if dtypes != {"fp32"} and not all(name in EXACT.get(dtype, ()) and len(dtypes) == 1 for dtype in dtypes):
            return None
        last: dict[str, Kind] = {
            **dict.fromkeys(BY_COLUMN | {"TROWEXPAND"}, "columns"), **dict.fromkeys(BY_ROW | {"TCOLEXPAND"}, "rows"),
            **dict.fromkeys(PAIRS | SCALARS | UNARY | {"TEXPANDS"}, "elements"),
        }  # fmt: skip
        return self._mapped(instr, last[name]) if name in last else None

    def full(self, name: str) -> bool:
        """Whether a tile is a row-major Vec tile with elements of its own; the row view of a column is not."""
        tile = self.tiles[name]
        return tile.type.loc == "Vec" and not tile.type.col_major and tile.name.rstrip("_") != f"{tile.owner}_row"

    def space(self, name: str) -> Space:
        """The valid extents of a tile."""
        return self.tiles[name].rows, self.tiles[name].cols

    def _mapped(self, instr: Instr, last: Kind) -> Role | None:
        """result, operands…, of which the last tile may be a column or a row."""
        result, *operands = (o for o in instr.operands if isinstance(o, str))
        elements = operands if last == "elements" else operands[:-1]
        space = self.space(result)
        if not all(self.full(n) and self.space(n) == space for n in (result, *elements)):
            return None
        role = Role(instr, space, result, tuple(elements))
        if last == "elements":
            return role
        broadcast = self.tiles[operands[-1]]
        if last == "columns":
            fits = broadcast.type.col_major and broadcast.rows == space[0]
            return replace(role, columns=(broadcast.name,)) if fits else None
        fits = self.full(broadcast.name) and broadcast.cols == space[1]
        return replace(role, rows=(broadcast.name,)) if fits else None

    def _same_dtype(self, instr: Instr) -> bool:
        kinds = {self.tiles[o].type.dtype for o in instr.operands if isinstance(o, str)}
        return len(kinds) == 1 and kinds <= FLOATS | INTEGERS

    def _move(self, instr: Instr) -> Role | None:
        """A copy, also of all of a tile into a left operand of the matrix unit, which is then stored as one."""
        result, source = (str(o) for o in instr.operands)
        if self.tiles[result].type.loc != "Left":
            return self._mapped(instr, "elements")
        fits = self.full(source) and self.space(source) == self.space(result)
        return Role(instr, self.space(source), result, (source,)) if fits else None

    def _transfer(self, instr: Instr) -> Role | None:
        tile = next(o for o in instr.operands if isinstance(o, str))
        window = next(o for o in instr.operands if isinstance(o, GmWindow))
        plain = window.layout == "ND" and (window.col_stride == ONE or window.cols == Extent(1))
        known = self.tiles[tile].type.dtype in FLOATS | INTEGERS and window.dtype == self.tiles[tile].type.dtype
        extents = (window.rows, window.cols)
        if not (self.full(tile) and plain and known and len(instr.operands) == 2 and extents == self.space(tile)):
            return None
        return Role(instr, extents, tile) if instr.name == "TLOAD" else Role(instr, extents, None, (tile,))

    def _extract(self, instr: Instr) -> Role | None:
        """Rows of an accumulator from some row on, all columns from the first."""
        result, source, _, column = instr.operands
        assert isinstance(result, str) and isinstance(source, str)
        kinds = self.tiles[result].type, self.tiles[source].type
        fits = kinds[1].loc == "Acc" and kinds[0].dtype == kinds[1].dtype and column == ZERO
        if not (fits and self.full(result)):
            return None
        return Role(instr, self.space(result), result, accumulators=(source,))

    def _cast(self, instr: Instr) -> Role | None:
        """The casts that a load or a store of a pass does: widening, and narrowing to nearest with saturation. fp32 to
        fp32 rounds to whole numbers, which neither does."""
        result, source, mode = instr.operands
        assert isinstance(result, str) and isinstance(source, str) and isinstance(mode, Mode)
        to, own = self.tiles[result].type.dtype, self.tiles[source].type.dtype
        widens = to == "fp32" and own in {"bf16", "fp16", "int8", "uint8", "int16"}
        rounds = (
            mode.name in NEAREST
            and mode.saturate is not False
            and (
                (own == "int32" and to == "fp32")
                or (own == "fp32" and to in {"bf16", "fp16", "int8", "uint8", "int32"})
            )
        )
        return self._mapped(instr, "elements") if widens or rounds else None

    def _reduction(self, instr: Instr) -> Role | None:
        result, source = (o for o in instr.operands[:2] if isinstance(o, str))
        kinds = self.tiles[result].type, self.tiles[source].type
        fits = kinds[0].dtype == kinds[1].dtype == "fp32" and self.full(source)
        if instr.name in REDUCTIONS:
            fits = fits and kinds[0].col_major
        else:
            fits = fits and self.full(result) and self.tiles[result].cols == self.tiles[source].cols
        return Role(instr, self.space(source), result, (source,), reduction=True) if fits else None


def scalar(instr: Instr) -> Imm | None:
    """The scalar operand of an instruction."""
    return next((o for o in instr.operands if isinstance(o, Imm)), None)
