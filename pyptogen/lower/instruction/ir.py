"""Instruction level IR: what the C++ text of a kernel says, one node a line.

Tiles are declared where their valid extents are known; an instruction names tiles, windows of GM and immediates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ZERO, Poly
from pyptogen.lower.lately import Lately
from pyptogen.lower.tile.ir import Condition, Extent, Fifo, GmTensor, IndexSet
from pyptogen.records import dataclass

Loc = Literal["Vec", "Mat", "Left", "Right", "Acc", "ScaleLeft", "ScaleRight"]
Pipe = Literal["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"]
GmLayout = Literal["ND", "DN", "NZ", "CPU_PACKED", "MX_A_ND", "MX_B_DN"]


@dataclass(frozen=True, slots=True)
class TileType:
    """A C++ tile type: capacity, which valid extents are run-time, layout. ``col_major`` of scales in L1: those of a
    right operand."""

    loc: Loc
    dtype: str
    rows: int
    cols: int
    valid_rows: int | None
    valid_cols: int | None
    col_major: bool = False
    pad: str = ""
    """What fills the rest of the tile up where an instruction does that: ``Min``."""
    across: bool = False
    """Of a matrix in L1: in fractals of columns (Zn), as A2/A3 loads what lies column after column in GM."""
    compact: bool = False
    """Of an operand in L0: its fractals lie by the valid extents, not by the capacity (`isa.fractals`)."""
    k_aligned: bool = False
    """Of a left operand of fp32 that is transposed on the way to L0: its depth is a multiple of 16 there, not of 8."""


@dataclass(frozen=True, slots=True)
class Declare:
    """A tile object: its type, the run-time valid extents, its byte address in the memory of its location, and the tile
    whose data it shows (itself, but for windows and other views)."""

    name: str
    type: TileType
    rows: Extent
    cols: Extent
    address: Poly
    size: int
    note: str
    span: Span
    owner: str
    whole: int = 0
    """Of a tile that is some rows of its owner, others in each iteration: the bytes of all rows."""


@dataclass(frozen=True, slots=True)
class GmWindow:
    """A GlobalTensor over part of a GM tensor; offset and strides in elements. ``unordered``: an index says where it
    lies, and what one instruction stores to one place more than once may come there in any order."""

    tensor: str
    dtype: str
    layout: GmLayout
    offset: Poly
    rows: Extent
    cols: Extent
    row_stride: Poly
    col_stride: Poly
    unordered: bool = False


@dataclass(frozen=True, slots=True)
class Imm:
    """A scalar operand: C++ text, and the sympy expression behind it."""

    text: str
    expr: Any


@dataclass(frozen=True, slots=True)
class Mode:
    """A round mode by its spec name, and saturation on or off where the instruction's own choice is not the spec's."""

    name: str
    saturate: bool | None = None


@dataclass(frozen=True, slots=True)
class Compare:
    """A comparison by its spec name: eq, ne, lt, le, gt, ge."""

    name: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A mask pattern by its name, such as P0101: every second element, from the first one on."""

    name: str


@dataclass(frozen=True, slots=True)
class Relu:
    """The fixpipe stores negative numbers of an accumulator as 0."""


@dataclass(frozen=True, slots=True)
class FifoRef:
    """The TPipe of one of the kernel's fifos, by the fifo's name."""

    name: str


Operand = str | GmWindow | Imm | Mode | Compare | Pattern | Relu | FifoRef | Poly
"""A tile by name, a GM window, a scalar, a round mode, a comparison, a mask pattern, relu on the way to GM, a fifo, a
row or column index, a number of elements."""


@dataclass(frozen=True, slots=True)
class Phase:
    """How an instruction hands an accumulator over by unit flags (`unit_flags`). A product waits until those of its
    blocks of L0C are clear, and a ``Final`` one sets them; a ``Final`` store waits until they are set, and clears them.
    ``loops``: a product of a K loop is final in the last iteration of so many loops around it, before that partial."""

    name: Literal["Partial", "Final"]
    loops: int = 0


@dataclass(frozen=True, slots=True)
class Instr:
    """One PTO instruction: destination first, as in the C++ API. ``phase``: of a product or a store of an accumulator
    that is handed over by unit flags."""

    name: str
    operands: tuple[Operand, ...]
    pipe: Pipe
    stage: str
    span: Span
    phase: Phase | None = None


@dataclass(frozen=True, slots=True)
class ReadIndex:
    """Scalar unit: ``name`` = element ``offset`` of a GM tensor of whole numbers. Where ``places`` is given, a number
    that is none of so many places becomes the nearest of them, or -1 where negative ones are skipped; the call fails
    then. Without it, the call made sure before. With ``per``, it is a number of tiles: the element and ``plus``,
    divided by so many, rounded up."""

    name: str
    tensor: str
    offset: Poly
    span: Span
    bound: Poly | None = None
    skips: bool = False
    plus: Poly = ZERO
    per: int | None = None


@dataclass(frozen=True, slots=True)
class SkipIfNegative:
    """``continue`` with the next iteration of the loop around when ``name`` is negative."""

    name: str
    note: str
    span: Span


@dataclass(frozen=True, slots=True)
class Choose:
    """One of two instructions: ``then`` where the polynomial is 0, ``other`` elsewhere (first step of a K loop)."""

    zero: str
    then: Instr
    other: Instr
    span: Span


@dataclass(frozen=True, slots=True)
class SetFlag:
    """``set_flag``: fires when all earlier work of ``src`` is done. Where the loop around counts ``slot``, the event is
    ``event + slot``."""

    src: Pipe
    dst: Pipe
    event: int
    note: str
    span: Span
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class WaitFlag:
    """``wait_flag``: ``dst`` stops there until the flag fires; ``slot`` as in `SetFlag`."""

    src: Pipe
    dst: Pipe
    event: int
    note: str
    span: Span
    slot: str | None = None


@dataclass(frozen=True, slots=True)
class Barrier:
    """``pipe_barrier``: the pipe finishes what it has before it goes on."""

    pipe: Pipe | Literal["ALL"]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    """``for (var = start; var < stop; var += step * every)``; ``valid`` names min(step, stop - var). A parallel loop
    starts at this block's first tile and strides over the others'. ``slot`` counts the iterations of the body over the
    whole kernel, modulo ``slots``: the copy of the rotating buffers that an iteration uses. Those that begin at or
    after ``before``, and those that end at or before ``after``, are left out. ``once``: the first iteration alone,
    which may be left out too: a condition. Those in which ``only`` does not hold are left out, and ``slot`` does not
    count them. ``half``: the names of a vector core's first row, and of its number of rows, in the ``valid`` ones.
    ``index_set``, ``every``: as of the Tile level's loop."""

    var: str
    start: Poly
    stop: Poly
    step: int
    valid: str | None
    parallel: bool
    body: tuple[Node, ...]
    note: str
    span: Span
    slot: str | None = None
    slots: int = 1
    after: Poly | None = None
    before: Poly | None = None
    once: bool = False
    only: Condition | None = None
    half: tuple[str, str] | None = None
    index_set: IndexSet = ""
    every: int = 1

    @property
    def advance(self) -> int:
        """From one iteration to the next, in one block's walk of a loop that is not parallel."""
        return self.step * self.every

    def runs(self, around: str, turn: int, turns: int) -> bool:
        """Whether the one iteration of a loop that is `once` takes place in iteration number ``turn`` of the loop over
        ``around`` that it stands in, which has work for ``turns`` iterations: a stage that is ahead begins before the
        first of them (``turn`` is negative there), and ends as much before the last."""
        return 0 <= turn + self.ahead(around) < turns

    def ahead(self, around: str) -> int:
        """How many iterations the work of a loop that is `once` is ahead of the loop over ``around``: 0 for this
        one's."""
        return ((self.start - around).constant or 0) // self.step

    @property
    def distance(self) -> int:
        """How many iterations ahead the first stage of a software pipeline is, which has as many iterations more than
        its work; 0 for a loop that is none."""
        return max((part.ahead(self.var) for part in self.body if isinstance(part, For) and part.once), default=0)


@dataclass(frozen=True, slots=True)
class Pass:
    """Vector instructions walked together, one vector of columns of one row after the other; their meaning is that of
    the members in order. ``kept``: results that go to their tiles (the others stay in registers); ``tiles``: all tiles
    that have memory in it; ``dtypes``: those of all operands, by name; ``ahead``: windows that it asks for so many rows
    further on, for the next iteration of the loop; ``interleaved``: four vectors of columns are walked beside each
    other."""

    rows: Extent
    cols: Extent
    members: tuple[Instr, ...]
    kept: tuple[str, ...]
    tiles: tuple[str, ...]
    dtypes: tuple[tuple[str, str], ...]
    span: Span
    ahead: tuple[tuple[GmWindow, Poly], ...] = ()
    interleaved: bool = False


Node = For | Pass | Declare | Instr | ReadIndex | SkipIfNegative | Choose | SetFlag | WaitFlag | Barrier


@dataclass(frozen=True, slots=True)
class InstrKernel:
    """One kernel as instructions. ``writes``/``reads`` are GM tensors in argument order, ``scalars`` attrs with their
    dtypes, ``arguments`` the names of the entry's arguments."""

    name: str
    core: Literal["cube", "vector", "mixed"]
    platform: str
    stages: tuple[str, ...]
    writes: tuple[GmTensor, ...]
    reads: tuple[GmTensor, ...]
    scalars: tuple[tuple[str, str], ...]
    arguments: tuple[str, ...]
    launch_dim: str | None
    dims: tuple[str, ...]
    body: tuple[Node, ...]
    occupancy: tuple[tuple[str, int], ...]
    span: Span
    fifos: tuple[Fifo, ...] = ()
    """Of a program of a mixed kernel: the fifos between its cores."""
    subblock: str | None = None
    """Of a vector program that two cores run, each for its half of the rows: the name of the number of each."""
    wide: bool = False
    """Whether dims and loops are counted in int64: int32 would not reach (`count_width`)."""

    @property
    def tensors(self) -> tuple[GmTensor, ...]:
        seen = {t.name for t in self.writes}
        return (*self.writes, *(t for t in self.reads if t.name not in seen))


def walk(nodes: Sequence[Node]) -> Sequence[Node]:
    """Every node, loops before their bodies."""
    return _walked.of(nodes, _walk)


def _walk(nodes: Sequence[Node]) -> list[Node]:
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        if node.__class__ is For:
            found += _walk(node.body)
    return found


_walked = Lately[Sequence[Node], Sequence[Node]]()
"""Most passes ask for the nodes of the same kernels."""


def reads_numbers(kernel: InstrKernel) -> bool:
    """Whether the scalar unit reads numbers from GM: indices, or elements that a condition compares."""
    return any(
        isinstance(node, ReadIndex) or (isinstance(node, For) and node.only is not None and bool(node.only.elements))
        for node in walk(kernel.body)
    )


def declarations(kernel: InstrKernel) -> dict[str, Declare]:
    """Tile declarations by name."""
    return {n.name: n for n in walk(kernel.body) if isinstance(n, Declare)}


__all__ = [
    "ZERO",
    "Barrier",
    "Choose",
    "Compare",
    "Declare",
    "FifoRef",
    "For",
    "GmWindow",
    "Imm",
    "Instr",
    "InstrKernel",
    "Mode",
    "Node",
    "Operand",
    "Pass",
    "Pattern",
    "Phase",
    "Pipe",
    "ReadIndex",
    "Relu",
    "SetFlag",
    "SkipIfNegative",
    "TileType",
    "WaitFlag",
    "declarations",
    "reads_numbers",
    "walk",
]
