"""A kernel for `cpu` as the model of the processor takes it: what one block of a launch does, instruction by
instruction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from pyptogen.lower.instruction.ir import GmWindow, Imm, Instr, InstrKernel, Pass, ReadIndex
from pyptogen.lower.instruction.ir import walk as every
from pyptogen.lower.isa.cost import Price, Shape
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass
from pyptogen.simulate.device.kernel import Walk, first_numbers
from pyptogen.simulate.device.program import Lane, Recorder, Work
from pyptogen.simulate.processor.figures import DIVIDER, LANES, Figures

REDUCTIONS = {"TROWSUM": "RowSum", "TROWMAX": "RowMax", "TROWMIN": "RowMax",
              "TCOLSUM": "ColSum", "TCOLMAX": "ColSum", "TCOLMIN": "ColSum"}  # fmt: skip
OPERATIONS = {
    "EXP": "exp", "LOG": "log", "SQRT": "sqrt", "DIV": "divide", "DIVS": "divide", "RECIP": "divide", "MAX": "max",
    "MIN": "max", "RELU": "max", "MAXS": "maxs", "MINS": "maxs", "ROWEXPANDDIV": "divisor", "COLEXPANDDIV": "divide",
    "ROWEXPANDMAX": "max", "ROWEXPANDMIN": "max", "COLEXPANDMAX": "max", "COLEXPANDMIN": "max",
}  # fmt: skip
"""The operation of an instruction in a pass; others take as long as an addition."""
FREE = frozenset({"MOV", "LOAD", "STORE", "EXPANDS", "ROWEXPAND", "COLEXPAND", "EXTRACT"})
READ = 1.0
"""Nanoseconds of a number that a kernel reads from L1 to find its way by: a guess, a few processor cycles."""
AROUND_ROW, AROUND = 256, 1024
"""Least bytes of a row, and of an instruction, for its store to go around the cache."""
LINE = 64
"""Bytes that memory moves at a time."""
GATHERED = 256
"""Bytes of the rows whose gathering was measured; longer ones take as long as several."""
WIDE = frozenset({"fp32", "int32"})
NARROW = frozenset({"bf16", "fp16"})


@dataclass(frozen=True, slots=True)
class Touch:
    """Bytes of a tensor that an instruction moves."""

    tensor: str
    bytes: float
    writes: bool
    jumps: int = 0
    """Rows of it that lie where nobody could foresee."""
    gathered: tuple[str, int] = ("", 0)
    """``rows`` or ``elements``, and how many."""
    around: bool = False
    """Stores that go around the cache where the result is large."""


@dataclass(frozen=True, slots=True)
class Touching(Work):
    """An instruction: what it computes in nanoseconds (`Price.hold`), of which ``moving`` is spent on moves between
    registers and L1; what it touches of global memory; ``read``, ``written``: bytes of tiles in the vector memory that
    it goes through."""

    touches: tuple[Touch, ...] = ()
    moving: float = 0.0
    read: float = 0.0
    written: float = 0.0
    turns: str | None = None
    """Of passes that store to tiles and global memory in turns: ``beside `` where several vectors are walked beside each
    other, else empty."""
    bound: str = ""
    """The dtype of a product's right operand, where it stays in global memory."""


def lane_of(kernel: InstrKernel, figures: Figures, numbers: Mapping[str, int], block: int = 0, blocks: int = 1) -> Lane:
    """What one core does for a block; prices are nanoseconds.

    Args:
        kernel: the kernel as its text has it (`Lowered.walked`).
        figures: of the machine.
        numbers: dims, attrs and bounds of the range by name; those not given count as 0.
        block, blocks: which block, of how many.

    Raises:
        TooLong: it has too many iterations to look at.
    """
    lane = Recorder("cpu")
    places = frozenset(node.name for node in every(kernel.body) if isinstance(node, ReadIndex))
    walk = _Walk(kernel, lane, block, blocks, first_numbers(kernel, numbers), figures=figures, places=places)
    walk.nodes(kernel.body)
    return lane.lane()


@dataclass(slots=True)
class _Walk(Walk):
    figures: Figures = field(kw_only=True)
    places: frozenset[str] = field(kw_only=True)
    """Numbers that are read from global memory."""
    bound: dict[str, Touch] = field(default_factory=dict)
    """Of right operands that stay in global memory: what each product with them reads."""

    # -- instructions by themselves -----------------------------------------------------------------------------------

    def instr(self, instr: Instr) -> None:
        shapes = [self.tiles[o] for o in instr.operands if isinstance(o, str)]
        if any(not shape.rows or not shape.cols for shape in shapes):
            return
        window = next((o for o in instr.operands if isinstance(o, GmWindow)), None)
        touches: tuple[Touch, ...] = ()
        if window is not None and instr.name == "MGATHER":
            touches = (self._gathered(shapes, window),)
        elif window is not None:
            touches = (self._touch(instr, window),)
        held = self._held(instr, shapes, window)
        bound = ""
        if "MATMUL" in instr.name:
            touches += tuple(self.bound[o] for o in instr.operands if isinstance(o, str) and o in self.bound)
            bound = shapes[-1].dtype if touches else ""
        target = next((o for o in instr.operands[:1] if isinstance(o, str)), None)
        if instr.name == "TLOAD" and window is not None and window.layout == "CPU_PACKED" and target is not None:
            self.bound[target], touches = touches[0], ()  # read where it is multiplied
        vectors = [shape for shape in shapes if shape.loc == "Vec"]
        written = vectors[0].bytes if vectors and vectors[0] is shapes[0] and instr.name != "TSTORE" else 0.0
        read = sum(shape.bytes for shape in vectors) - written
        products = shapes[-1].cols * shapes[-1].rows * shapes[0].rows if "MATMUL" in instr.name else 0
        price = Price(held, moved=sum(t.bytes for t in touches), products=products)
        tensor = touches[0].tensor if touches else ""
        moved = read + written + sum(touch.bytes for touch in touches)
        moving = 0.0 if products else min(held, moved * self.figures.nearest)
        if instr.name == "MGATHER":
            moving = held  # figures of gathers are what the same instruction takes beyond those in L1
        self.lane.work("V", Touching(instr.name, price, tensor, touches, moving, read, written, None, bound))

    def _held(self, instr: Instr, shapes: list[Shape], window: GmWindow | None) -> float:
        figures, first = self.figures, shapes[0] if shapes else None
        name = instr.name
        if "MATMUL" in name:
            left = next(shape for shape in shapes if shape.loc == "Left")
            kind = "mx" if name.startswith("TMATMUL_MX") else left.dtype
            return figures.product(kind, left.rows, shapes[0].cols, left.cols, sum(s.bytes for s in shapes[-3:]))
        assert first is not None
        rows, cols = (first.rows, first.cols)
        if first.loc in ("Left", "Right"):
            if window is not None and window.layout == "CPU_PACKED":
                return 0.0
            how = "Vec" if window is None else window.layout
            return figures.instruction(first.loc, (first.dtype, how), rows, cols)
        if window is not None and first.loc == "Acc":
            return figures.instruction("Acc", (window.dtype,), rows, cols)
        if window is not None and name in ("TLOAD", "TSTORE"):
            if cols == 1 and rows > 1:  # element by element
                return figures.instruction(name, (first.dtype, "column"), 1, rows)
            apart = cols > 1 and self.number(window.col_stride) not in (0, 1)
            return figures.instruction(name, (first.dtype, "apart") if apart else (first.dtype,), rows, cols)
        if name in figures.picks:
            assert window is not None
            return figures.picks[name].of(cols, self.number(window.cols.poly()))
        if name == "MGATHER":
            return figures.instruction(name, ("rows" if rows * cols > shapes[1].cols else "elements",), rows, cols)
        wide = max(shapes, key=lambda shape: shape.rows * shape.cols)
        dtypes = tuple(shape.dtype for shape in shapes)
        name += " of" if name == "TDIVS" and isinstance(instr.operands[1], Imm) else ""
        return figures.instruction(name, dtypes, wide.rows, wide.cols)

    # -- passes -------------------------------------------------------------------------------------------------------

    def together(self, node: Pass) -> None:
        rows, cols = (max(0, min(e.size, self.number(e.poly()))) for e in (node.rows, node.cols))
        if not rows or not cols:
            return
        walked = _Pass(self.figures, node, self.tiles, rows, cols)
        touches = []
        for member in node.members:
            window = next((o for o in member.operands if isinstance(o, GmWindow)), None)
            if window is not None:
                touches.append(self._touch(member, window, rows, cols))
            walked.member(member, window)
        name = f"TPASS {'+'.join(member.name for member in node.members)}"
        price = Price(walked.nanoseconds(), moved=sum(touch.bytes for touch in touches))
        moving = rows * cols * walked.moving
        stores = any(touch.writes for touch in touches) and walked.written > 0
        turns = ("beside " if node.beside else "") if stores else None
        self.lane.work("V", Touching(name, price, "", tuple(touches), moving, walked.read, walked.written, turns))

    # -- memory -------------------------------------------------------------------------------------------------------

    def _touch(self, instr: Instr, window: GmWindow, rows: int | None = None, cols: int | None = None) -> Touch:
        together = rows is not None  # in a pass
        if rows is None or cols is None:
            rows, cols = (max(0, self.number(extent.poly())) for extent in (window.rows, window.cols))
        size = DTYPES[window.dtype]
        row = cols * size
        jumps = 0 if self.places.isdisjoint(window.offset.names()) else 1
        stores = instr.name == "TSTORE"
        # As in stream_store.hpp: what lies in short pieces is stored as usual.
        around = stores and (together or (row >= AROUND_ROW and rows * row >= AROUND))
        return Touch(window.tensor, self._lines(window, rows, cols) * size, stores, jumps, around=around)

    def _lines(self, window: GmWindow, rows: int, cols: int) -> float:
        """Elements of the lines that a window touches: those between them come along."""
        line = LINE / DTYPES[window.dtype]
        across, down = self.number(window.col_stride), self.number(window.row_stride)
        row = cols * min(max(across, 1), line)
        if rows == 1 or down == 0:
            return rows * row
        return rows * max(row, min(line, down))

    def _gathered(self, shapes: list[Shape], window: GmWindow) -> Touch:
        """Rows of a table, or the lines that elements of one row lie in."""
        target, size = shapes[0], DTYPES[window.dtype]
        if target.rows * target.cols > shapes[1].cols:
            rows = target.rows * max(1, round(target.cols * size / GATHERED))
            return Touch(window.tensor, target.bytes, False, 0, ("rows", rows))
        whole = self.number(window.rows.poly()) * self.number(window.cols.poly()) * size
        count = target.rows * target.cols
        return Touch(window.tensor, min(count * LINE, whole), False, 0, ("elements", count))

    def read(self, node: ReadIndex, times: int = 1) -> None:
        size = next((DTYPES[t.dtype] for t in self.kernel.tensors if t.name == node.tensor), 4) * times
        price = Price(READ * times, moved=size)
        self.lane.work("S", Touching("read", price, node.tensor, (Touch(node.tensor, size, False),)))


@dataclass(slots=True)
class _Pass:
    """What a pass does for each of its elements, in nanoseconds: what is computed, what the divider does beside it, and
    what moves between registers and L1. ``read``, ``written``: bytes of tiles in the vector memory."""

    figures: Figures
    node: Pass
    tiles: Mapping[str, Shape]
    rows: int
    cols: int
    computing: float = 0.0
    dividing: float = 0.0
    moving: float = 0.0
    read: float = 0.0
    written: float = 0.0
    reductions: int = 0
    known: set[str] = field(default_factory=set)
    """Tiles whose values are in registers."""
    found: dict[tuple[object, ...], str] = field(default_factory=dict)
    """Results by the instruction and the values that it takes."""
    same: dict[str, str] = field(default_factory=dict)
    """Results that are another one's value: the C++ compiler computes a common subexpression once."""

    def nanoseconds(self) -> float:
        """Of the whole pass: moves go on beside arithmetic, the divider's work as far as it was seen to."""
        walk = self.figures.walk
        apart = self.figures.apart["beside " if self.node.beside else ""]
        arithmetic = self.computing + self.dividing - apart * min(self.computing, self.dividing)
        each = max(arithmetic, self.moving)
        wide = -(-self.cols // LANES) * LANES
        return walk.call + self.rows * (walk.row * max(1, self.reductions) + wide * each)

    def member(self, member: Instr, window: GmWindow | None) -> None:
        """One more instruction."""
        dtypes = dict(self.node.dtypes)
        sources = [o for o in member.operands[1:] if isinstance(o, str)]
        if member.name in REDUCTIONS:
            self._values(sources[0], dtypes)
            self.computing += self.figures.reductions[REDUCTIONS[member.name]]
            self.reductions += member.name.startswith("TROW")
            return
        for source in sources:
            self._values(source, dtypes)
        if self._again(member, window, dtypes):
            return
        if window is not None:
            (self._store if member.name == "TSTORE" else self._load)(window.dtype)
        else:
            self._compute(member, dtypes)
        result = member.operands[0]
        if isinstance(result, str):
            self.known.add(result)
            self._keep(result, dtypes[result])

    def _again(self, member: Instr, window: GmWindow | None, dtypes: Mapping[str, str]) -> bool:
        """Whether an instruction of this pass has computed the same already; then its result is only kept."""
        result = member.operands[0]
        if window is not None or not isinstance(result, str):
            return False
        values = tuple(self.same.get(o, o) if isinstance(o, str) else o for o in member.operands[1:])
        key = (member.name, dtypes[result], *values)
        first = self.found.get(key)
        # A tile that is written again has another value from here on.
        self.found = {each: one for each, one in self.found.items() if result not in (one, *each)}
        self.same.pop(result, None)
        if first is None or first == result:
            if result not in values:
                self.found[key] = result
            return False
        self.same[result] = first
        self.known.add(result)
        self._keep(result, dtypes[result])
        return True

    def _values(self, source: str, dtypes: Mapping[str, str]) -> None:
        """Values of a tile, loaded before their first use; those of a column are loaded once a row."""
        shape = self.tiles.get(source)  # None: values that have no tile
        if shape is None or source in self.known or (shape.cols == 1 and self.cols > 1):
            return
        self.known.add(source)
        if shape.loc == "Acc":
            self.moving += self.figures.loads["Acc"]
            return
        self._load(dtypes[source])
        self.read += min(shape.bytes, self.rows * self.cols * DTYPES[dtypes[source]])

    def _keep(self, result: str, dtype: str) -> None:
        target = self.tiles.get(result)
        if target is not None and target.loc == "Left":
            self.moving += self.figures.stores[f"Left {dtype}"]
        elif result in self.node.kept:
            self._store(dtype)
            self.written += self.rows * self.cols * DTYPES[dtype]

    def _load(self, dtype: str) -> None:
        """A vector of L1: what widening takes beyond moving it is computing."""
        plain = self.figures.loads["fp32"]
        self.moving += plain
        if dtype in self.figures.loads and dtype not in WIDE:
            self.computing += max(0.0, self.figures.loads[dtype] - plain)

    def _store(self, dtype: str) -> None:
        plain = self.figures.stores["fp32"]
        narrow = dtype not in WIDE
        self.moving += plain / 2 if narrow else plain
        if dtype in self.figures.stores and narrow:
            self.computing += max(0.0, self.figures.stores[dtype] - self.figures.operations["add"])

    def _compute(self, member: Instr, dtypes: Mapping[str, str]) -> None:
        figures, prefix = self.figures, "beside " if self.node.beside else ""
        stem = member.name.removeprefix("T")
        kind = OPERATIONS.get(stem, "add")
        if stem == "RSQRT":
            self.dividing += figures.dividing[f"{prefix}sqrt"] + figures.dividing[f"{prefix}divide"]
        elif kind in DIVIDER:
            self.dividing += figures.dividing[prefix + kind]
        elif stem == "CVT":
            self.computing += self._cast(member, dtypes, prefix)
        elif stem not in FREE:
            self.computing += figures.operations[prefix + kind]

    def _cast(self, member: Instr, dtypes: Mapping[str, str], prefix: str) -> float:
        """Rounding values that are computed with; a store's own rounding is the store's."""
        result, source = str(member.operands[0]), str(member.operands[1])
        to = dtypes[result]
        if dtypes[source] == "int32" and to == "fp32":
            return self.figures.operations[f"{prefix}add"]
        again = any(result in m.operands[1:] and m.name not in ("TSTORE", "TMOV") for m in self.node.members)
        return self.figures.operations[f"{prefix}rounded {to}"] if to in NARROW and again else 0.0
