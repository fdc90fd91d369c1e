"""The memory that instructions access, and whether two of them may trade places or walk together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pyptogen.lower.expr import ONE
from pyptogen.lower.instruction.ir import Declare, GmWindow, Instr
from pyptogen.lower.instruction.passes.roles import BY_COLUMN, BY_ROW, PAIRS, SCALARS, UNARY, Role
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Access:
    """Bytes of one on-chip memory (``place`` is its location), or a window of global memory.

    Attributes:
        order: which element lies where, for accesses that go element by element: two of the same order access the same
            bytes in the same step of a pass.
        pitch, width: bytes from row to row, and those of a row that are accessed; 0 where they are not known.
    """

    place: str
    begin: int
    end: int
    order: object
    write: bool
    owner: str
    pitch: int = 0
    width: int = 0


EVERYTHING = 1 << 62
WRITE_FIRST_ONLY = PAIRS | SCALARS | UNARY | BY_COLUMN | BY_ROW | {"TCVT", "TMOV", "TLOAD", "TEXTRACT", "TROWEXPAND"}


def of_tile(tile: Declare, write: bool, by_element: bool) -> Access:
    """The access of a whole tile; an address that is not a number may be any."""
    at = tile.address.constant
    size = DTYPES[tile.type.dtype]
    if tile.whole:
        begin = dict(tile.address.terms).get((), 0)
        rows = (tile.address, tile.type.cols * size, size) if by_element else None
        return Access(tile.type.loc, begin, begin + tile.whole, rows, write, tile.owner)
    order = (at, tile.type.cols * size, size) if by_element and at is not None else None
    begin, end = (at, at + tile.size) if at is not None else (0, EVERYTHING)
    width = tile.cols.size * size if by_element else 0
    return Access(tile.type.loc, begin, end, order, write, tile.owner, tile.type.cols * size, width)


def of_window(window: GmWindow, write: bool) -> Access:
    """The access of a window of global memory: all of the tensor, but in the window's order."""
    return Access(f"gm {window.tensor}", 0, EVERYTHING, window, write, window.tensor)


def of_instr(instr: Instr, tiles: Mapping[str, Declare]) -> list[Access]:
    """Every byte that an instruction by itself may access. The first operand is written; of instructions that are not
    known to only read the others, these may be scratch tiles."""
    stores = instr.name == "TSTORE"
    found = []
    for i, operand in enumerate(instr.operands):
        if isinstance(operand, GmWindow):
            found.append(of_window(operand, stores))
        elif isinstance(operand, str):
            written = not stores and (i == 0 or instr.name not in WRITE_FIRST_ONLY)
            found.append(of_tile(tiles[operand], written, False))
    return found


def of_role(role: Role, tiles: Mapping[str, Declare]) -> list[Access]:
    """What an instruction accesses in a pass."""
    found = [of_tile(tiles[n], False, True) for n in role.elements]
    found += [of_tile(tiles[n], False, False) for n in (*role.columns, *role.rows, *role.accumulators)]
    if role.result is not None:
        found.append(of_tile(tiles[role.result], True, not role.reduction))
    if role.window is not None:
        found.append(of_window(role.window, role.result is None))
    return found


def independent(one: Sequence[Access], other: Iterable[Access]) -> bool:
    """Whether two instructions may trade places: neither writes what the other accesses. Of ``one``, what was added
    last is looked at first: most instructions read what was written just before them."""
    other = list(other)
    return not any(
        a.place == b.place and a.begin < b.end and b.begin < a.end and _meet(a, b) for a in reversed(one) for b in other
    )


def in_step(earlier: Iterable[Access], later: Iterable[Access]) -> bool:
    """Whether two instructions may walk together: what one writes and the other accesses are the same elements in the
    same step. Where two tiles lie on the same bytes, the earlier one must only be read, and by the earlier
    instruction."""
    later = list(later)
    return all(not _meet(a, b) or _same_elements(a, b) for a in earlier for b in later)


def _same_elements(earlier: Access, later: Access) -> bool:
    if earlier.order is None or earlier.order != later.order:
        return False
    return earlier.owner == later.owner or (later.write and not earlier.write)


def _meet(a: Access, b: Access) -> bool:
    overlapping = a.place == b.place and a.begin < b.end and b.begin < a.end
    return (a.write or b.write) and overlapping and not _side_by_side(a, b) and not _other_elements(a.order, b.order)


def _other_elements(a: object, b: object) -> bool:
    """Whether two windows of one tensor of global memory have no element in common, however many of their rows and
    columns are valid: behind each other, or side by side in rows of one stride."""
    if not (isinstance(a, GmWindow) and isinstance(b, GmWindow)) or a.row_stride != b.row_stride:
        return False
    gap, stride = (b.offset - a.offset).constant, a.row_stride.constant
    if gap is None or stride is None or {a.col_stride, b.col_stride} != {ONE}:
        return False
    before, behind = (a, b) if gap >= 0 else (b, a)
    if abs(gap) >= (before.rows.size - 1) * stride + before.cols.size:
        return True
    return stride > 0 and before.cols.size <= abs(gap) % stride <= stride - behind.cols.size


def _side_by_side(a: Access, b: Access) -> bool:
    """Whether two accesses are windows side by side: rows of one pitch, and columns that do not overlap."""
    if not (a.width and b.width and a.pitch == b.pitch):
        return False
    offset = (b.begin - a.begin) % a.pitch
    return offset >= a.width and a.pitch - offset >= b.width
