"""The operations of the Tile level: one class each, with the fields that it has and no others.

What any pass may ask of any operation (its tiles, what it reads and writes in GM, its polynomials) is answered by
`TileOp`, from the fields alone: a new operation is a class here, what it means (`interpret`), and the instruction that
does it (`instruction/select`).
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Literal

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.isa.kinds import REDUCE_NAMES
from pyptogen.lower.tensor.ir import BINARY, BITWISE, COMPARE, SCAN, UNARY
from pyptogen.lower.tile.ir import GmRef, Source, TileOp
from pyptogen.records import dataclass

OperandRole = Literal["a", "b", "a scales", "b scales"]
"""Which operand of a product: left, right, and the scales of either."""
LoadRole = Literal["vector", "fifo"] | OperandRole
"""What a load is for: vector work, vector work on a popped buffer of a fifo, or an operand of a product."""
OF_PRODUCTS: tuple[OperandRole, ...] = ("a", "b", "a scales", "b scales")
"""The roles of loads for a product, in the order of its sources."""


@dataclass(frozen=True, slots=True)
class WithScratch(TileOp):
    """An operation whose instruction may want a tile to work in."""

    scratch: str | None = None

    @property
    def scratches(self) -> tuple[str, ...]:
        return () if self.scratch is None else (self.scratch,)


@dataclass(frozen=True, slots=True)
class OfGm(TileOp):
    """An operation that reads or writes the window ``gm``."""

    gm: GmRef

    @property
    def window(self) -> GmRef:
        return self.gm


# -- between GM and tiles ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Load(OfGm):
    """``gm`` → dst. ``fifo``: the window lies in the popped buffer of that fifo."""

    mnemonic: ClassVar[str] = "load"
    role: LoadRole = "vector"
    fifo: str | None = None

    @property
    def for_product(self) -> bool:
        """Whether it loads an operand of a product."""
        return self.role in OF_PRODUCTS


@dataclass(frozen=True, slots=True)
class Store(OfGm):
    """The source → ``gm``. ``relu``: an accumulator, negative numbers as 0."""

    mnemonic: ClassVar[str] = "store"
    relu: bool = False


@dataclass(frozen=True, slots=True)
class IndexedRows(OfGm):
    """Rows of ``gm`` that elements of the tensor ``index`` name, from ``index_offset`` on, ``index_step`` apart.
    ``bound``: below what an index has to be that a kernel computed (None: the call was checked)."""

    index: str
    index_offset: Poly
    index_step: Poly = ONE
    bound: Poly | None = None

    @property
    def index_tensor(self) -> str:
        return self.index


@dataclass(frozen=True, slots=True)
class GatherRows(IndexedRows):
    """The rows → dst."""

    mnemonic: ClassVar[str] = "gather_rows"


@dataclass(frozen=True, slots=True)
class ScatterRows(IndexedRows):
    """Rows of the source → the rows; an index of −1 skips one."""

    mnemonic: ClassVar[str] = "scatter_rows"


@dataclass(frozen=True, slots=True)
class GatherRowsByTile(OfGm):
    """Rows of the table ``gm`` → dst, all at once: those at the positions in the source."""

    mnemonic: ClassVar[str] = "gather_rows_by_tile"


@dataclass(frozen=True, slots=True)
class GatherElements(OfGm):
    """Elements of the row ``gm`` → dst: those at the positions in the source."""

    mnemonic: ClassVar[str] = "gather_elements"


TAKEN_BY_INDEX = frozenset({"fp32", "fp16", "int32", "int16", "bf16"})
"""Dtypes of `GatherFromTile` on A2/A3: what the assembler's verifier lets TGATHER take by an index, and bf16, which
goes as int16."""


@dataclass(frozen=True, slots=True)
class GatherFromTile(WithScratch):
    """Elements of the first source → dst: those at the flat positions in the second one. Before `legalise`, with
    ``by_row``, those of each row at the positions in the same row."""

    mnemonic: ClassVar[str] = "gather_from_tile"
    by_row: bool = False


@dataclass(frozen=True, slots=True)
class ReadIndex(TileOp):
    """The whole number ``name`` = element ``index_offset`` of the tensor ``index``; ``bound`` as in `IndexedRows`.
    With ``per``, it is a number of tiles: the element and ``plus``, divided by so many, rounded up."""

    mnemonic: ClassVar[str] = "read_index"
    name: str
    index: str
    index_offset: Poly
    bound: Poly | None = None
    plus: Poly = ZERO
    per: int | None = None

    @property
    def index_tensor(self) -> str:
        return self.index


# -- products ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Matmul(TileOp):
    """dst = a @ b where the loop variables ``first`` all are 0 (none of them: always), dst += a @ b elsewhere.
    ``k_inner`` is the tile of K at L0, ``k_dim`` the dim of K, if it is one. With four sources the last two are scales
    of groups of 32 along K."""

    mnemonic: ClassVar[str] = "matmul"
    first: tuple[str, ...] = ()
    k_inner: int | None = None
    k_dim: str | None = None

    @property
    def accumulates(self) -> bool:
        return bool(self.first)

    @property
    def is_scaled(self) -> bool:
        """Whether its operands have scales."""
        return len(self.srcs) > 2


@dataclass(frozen=True, slots=True)
class Extract(TileOp):
    """Rows from ``row`` on of an accumulator → dst."""

    mnemonic: ClassVar[str] = "extract"
    row: Poly = ZERO


@dataclass(frozen=True, slots=True)
class Move(TileOp):
    """Part of the source → the operand memory of the matrix unit, from depth ``depth`` of K on; ``role`` None: a
    computed tile, as it is."""

    mnemonic: ClassVar[str] = "move"
    role: Literal["a", "b"] | None = None
    depth: Poly = ZERO


# -- whole tiles ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copy(WithScratch):
    """The source → dst, of the same shape and dtype."""

    mnemonic: ClassVar[str] = "copy"


@dataclass(frozen=True, slots=True)
class Bitcast(TileOp):
    """The bytes of the source as another dtype of the same size."""

    mnemonic: ClassVar[str] = "bitcast"


@dataclass(frozen=True, slots=True)
class Fill(TileOp):
    """A number → dst."""

    mnemonic: ClassVar[str] = "fill"


@dataclass(frozen=True, slots=True)
class Iota(TileOp):
    """``start``, ``start`` + 1, … in one row."""

    mnemonic: ClassVar[str] = "iota"
    start: Poly = ZERO


@dataclass(frozen=True, slots=True)
class Broadcast(TileOp):
    """A column, a row or one element → the whole tile."""

    mnemonic: ClassVar[str] = "broadcast"


@dataclass(frozen=True, slots=True)
class Transpose(WithScratch):
    """The source transposed."""

    mnemonic: ClassVar[str] = "transpose"


@dataclass(frozen=True, slots=True)
class Pad(TileOp):
    """The source → the front of dst, which is the same place; the least number in the rest."""

    mnemonic: ClassVar[str] = "pad"


# -- elementwise ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Unary(TileOp):
    """``fn`` of every element: the unary operations of the Tensor level."""

    fn: str

    spelled: ClassVar[tuple[str, ...]] = ("fn",)

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return self.fn


@dataclass(frozen=True, slots=True)
class Binary(TileOp):
    """``fn`` of two operands, which broadcast by their forms. ``mask``: it is its first operand in rows that see all of
    the iteration's block."""

    fn: str
    mask: bool = False

    spelled: ClassVar[tuple[str, ...]] = ("fn",)

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return self.fn

    @property
    def commutes(self) -> bool:
        return self.fn not in ("sub", "div")


@dataclass(frozen=True, slots=True)
class Bitwise(WithScratch):
    """``fn`` of the bits of two operands."""

    fn: str = "bitwise_and"

    spelled: ClassVar[tuple[str, ...]] = ("fn",)

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return self.fn


@dataclass(frozen=True, slots=True)
class BitwiseNot(TileOp):
    """The other bits of every element."""

    mnemonic: ClassVar[str] = "bitwise_not"


@dataclass(frozen=True, slots=True)
class Cast(TileOp):
    """With the round mode ``mode``; ``saturate`` says what becomes of integers out of range."""

    mnemonic: ClassVar[str] = "cast"
    mode: str = "none"
    saturate: bool = True


@dataclass(frozen=True, slots=True)
class Compare(TileOp):
    """1 where the ``relation`` of two operands holds, else 0. `legalise` makes bits of it."""

    relation: str

    spelled: ClassVar[tuple[str, ...]] = ("relation",)

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return self.relation


@dataclass(frozen=True, slots=True)
class Where(TileOp):
    """By truth values, one of two operands. `legalise` makes a selection by bits of it."""

    mnemonic: ClassVar[str] = "where"


@dataclass(frozen=True, slots=True)
class CompareBits(TileOp):
    """The ``relation`` of two operands as bits, eight elements a byte."""

    mnemonic: ClassVar[str] = "compare"
    relation: str


@dataclass(frozen=True, slots=True)
class SelectByBits(WithScratch):
    """By bits, one of two operands."""

    mnemonic: ClassVar[str] = "select"


# -- along an axis ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reduce(WithScratch):
    """``fn`` of every row; of every column with ``over_rows``."""

    fn: str = "sum"
    over_rows: bool = False

    spelled: ClassVar[tuple[str, ...]] = ("fn", "over_rows")

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return f"column_{self.fn}" if self.over_rows else self.fn


@dataclass(frozen=True, slots=True)
class Scan(TileOp):
    """Running sums or products of the first operand along its rows, going on from the second's last column. Before
    `legalise`: also from nothing, with ``over_rows`` over its rows, and where it ``carries``, the second operand, one
    element for each line, then is how far they came."""

    fn: str
    over_rows: bool = False
    carries: bool = False

    @property
    def written(self) -> tuple[str, ...]:
        so_far = self.operands[1:] if self.carries else ()
        return tuple(name for name in (self.dst, *so_far) if name is not None)

    spelled: ClassVar[tuple[str, ...]] = ("fn", "over_rows")

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return f"column_{self.fn}" if self.over_rows else self.fn


# -- orders -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TopK(OfGm):
    """Positions of the ``largest``, or least, elements of the row ``gm``, in order; ``scratch`` holds candidates."""

    scratch: str
    largest: bool

    @property
    def scratches(self) -> tuple[str, ...]:
        return (self.scratch,)

    spelled: ClassVar[tuple[str, ...]] = ("largest",)

    @property
    def mnemonic(self) -> str:  # type: ignore[override]
        return "topk" if self.largest else "bottomk"


@dataclass(frozen=True, slots=True)
class Sort(TileOp):
    """(value, position) pairs of the elements of each row of the first source in falling order, of which the first
    ``kept`` are right; positions are those in the second source, a row. `legalise` makes blocks and merges of it."""

    mnemonic: ClassVar[str] = "sort"
    kept: int


@dataclass(frozen=True, slots=True)
class SortBlocks(TileOp):
    """(value, position) pairs of every 32 elements in falling order."""

    mnemonic: ClassVar[str] = "sort_blocks"


@dataclass(frozen=True, slots=True)
class MergeBlocks(TileOp):
    """Of every four sorted blocks of ``length`` elements one."""

    mnemonic: ClassVar[str] = "merge_blocks"
    length: Poly


@dataclass(frozen=True, slots=True)
class MergeLists(TileOp):
    """Sorted lists in one, as far as dst goes; with ``first``: of the sources after the first one where those loop
    variables are 0, of dst and the first source elsewhere."""

    mnemonic: ClassVar[str] = "merge_lists"
    scratch: str
    first: tuple[str, ...] = ()

    @property
    def scratches(self) -> tuple[str, ...]:
        return (self.scratch,)

    @property
    def accumulates(self) -> bool:
        return bool(self.first)


@dataclass(frozen=True, slots=True)
class GatherByPattern(TileOp):
    """The elements of each row that a mask pattern selects, such as P0101: one side of pairs."""

    mnemonic: ClassVar[str] = "gather_by_pattern"
    pattern: str


# -- between the cores of a mixed kernel ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FifoOp(TileOp):
    """An operation on the fifo ``fifo``."""

    fifo: str


@dataclass(frozen=True, slots=True)
class Push(FifoOp):
    """The source → the next buffer of the fifo, once it is free, from ``row`` of the buffer on."""

    mnemonic: ClassVar[str] = "push"
    row: Poly = ZERO


@dataclass(frozen=True, slots=True)
class Pop(FifoOp):
    """The oldest filled buffer, once there is one, is what loads from the fifo read."""

    mnemonic: ClassVar[str] = "pop"


@dataclass(frozen=True, slots=True)
class Free(FifoOp):
    """The popped buffer may be filled again."""

    mnemonic: ClassVar[str] = "free"


TRANSFERS_IN = (Load, GatherRows, Move)
"""What fills a tile by a transfer."""
TRANSFERS_OUT = (Store, ScatterRows, Push)
"""What empties a tile for good by a transfer."""

# -- from the Tensor level --------------------------------------------------------------------------------------------

PLAIN: Mapping[str, type[TileOp]] = {
    "copy": Copy, "bitcast": Bitcast, "expand": Broadcast, "tile_transpose": Transpose, "cast": Cast, "where": Where,
    "full": Fill, "positions": Iota, "iota": Iota, "bitwise_not": BitwiseNot,
}  # fmt: skip
"""Operations of the Tensor level that are one class of their own here."""


def of_primitive(
    kind: str,
    dst: str,
    srcs: tuple[Source, ...],
    span: Span,
    stage: str,
    attrs: Mapping[str, Any] = MappingProxyType({}),
) -> TileOp:
    """What a primitive of the Tensor level with these ``attrs`` is on tiles; what hangs on the tile is set by who knows
    it: the axis of reductions and scans, and where positions begin.

    Raises:
        KeyError: no single operation on tiles does it.
    """
    at = (dst, srcs, span, stage)
    if kind == "cast":
        return Cast(*at, mode=str(attrs.get("mode", "none")), saturate=bool(attrs.get("saturate", True)))
    if kind in UNARY:
        return Unary(*at, fn=kind)
    if kind in BINARY:
        return Binary(*at, fn=kind, mask=bool(attrs.get("mask")))
    if kind in BITWISE:
        return Bitwise(*at, fn=kind)
    if kind in COMPARE:
        return Compare(*at, relation=kind)
    if kind in REDUCE_NAMES:
        return Reduce(*at, fn=kind)
    if kind in SCAN:
        return Scan(*at, fn=kind)
    return PLAIN[kind](*at)


# -- by name ----------------------------------------------------------------------------------------------------------

_OF_ONE_NAME: tuple[type[TileOp], ...] = (
    Load, Store, GatherRows, ScatterRows, GatherRowsByTile, GatherElements, GatherFromTile, ReadIndex, Matmul, Extract,
    Move, Copy, Bitcast, Fill, Iota, Broadcast, Transpose, Pad, BitwiseNot, Cast, Where, CompareBits, SelectByBits,
    Sort, SortBlocks, MergeBlocks, MergeLists, GatherByPattern, Push, Pop, Free,
)  # fmt: skip

MNEMONICS: Mapping[str, tuple[type[TileOp], Mapping[str, object]]] = {
    **{operation.mnemonic: (operation, {}) for operation in _OF_ONE_NAME},
    **{fn: (Unary, {"fn": fn}) for fn in UNARY},
    **{fn: (Binary, {"fn": fn}) for fn in BINARY},
    **{fn: (Bitwise, {"fn": fn}) for fn in BITWISE},
    **{relation: (Compare, {"relation": relation}) for relation in COMPARE},
    **{fn: (Reduce, {"fn": fn, "over_rows": False}) for fn in REDUCE_NAMES},
    **{f"column_{fn}": (Reduce, {"fn": fn, "over_rows": True}) for fn in REDUCE_NAMES},
    **{fn: (Scan, {"fn": fn, "over_rows": False}) for fn in SCAN},
    **{f"column_{fn}": (Scan, {"fn": fn, "over_rows": True}) for fn in SCAN},
    "topk": (TopK, {"largest": True}),
    "bottomk": (TopK, {"largest": False}),
}
"""The class of each name, and the fields that the name tells."""
