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
from pyptogen.simulate.device.program import InstrStream, Recorder, Work
from pyptogen.simulate.processor.figures import Figures
from pyptogen.simulate.processor.passes import PassCost

READ = 1.0
"""Nanoseconds of a number that a kernel reads from L1 to find its way by: a guess, a few processor cycles."""
AROUND_ROW, AROUND = 256, 1024
"""Least bytes of a row, and of an instruction, for its store to go around the cache."""
LINE = 64
"""Bytes that memory moves at a time."""
GATHERED = 256
"""Bytes of the rows whose gathering was measured; longer ones take as long as several."""


@dataclass(frozen=True, slots=True)
class Access:
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
class MemoryWork(Work):
    """An instruction: what it computes in nanoseconds (`Price.hold`), of which ``moving`` is spent on moves between
    registers and L1; what it accesses of global memory; ``read``, ``written``: bytes of tiles in the vector memory that
    it goes through."""

    accesses: tuple[Access, ...] = ()
    moving: float = 0.0
    read: float = 0.0
    written: float = 0.0
    turns: str | None = None
    """Of passes that store to tiles and global memory in turns: ``beside `` where several vectors are walked beside
    each other, else empty."""
    bound: str = ""
    """The dtype of a product's right operand, where it stays in global memory."""


def stream_of(
    kernel: InstrKernel, figures: Figures, numbers: Mapping[str, int], block: int = 0, blocks: int = 1
) -> InstrStream:
    """What one core does for a block; prices are nanoseconds.

    Args:
        kernel: the kernel as its text has it (`Lowered.walked`).
        figures: of the machine.
        numbers: dims, attrs and bounds of the range by name; those not given count as 0.
        block, blocks: which block, of how many.

    Raises:
        TooLong: it has too many iterations to look at.
    """
    recorder = Recorder("cpu")
    places = frozenset(node.name for node in every(kernel.body) if isinstance(node, ReadIndex))
    walk = _Walk(kernel, recorder, block, blocks, first_numbers(kernel, numbers), figures=figures, places=places)
    walk.nodes(kernel.body)
    return recorder.stream()


@dataclass(slots=True)
class _Walk(Walk):
    figures: Figures = field(kw_only=True)
    places: frozenset[str] = field(kw_only=True)
    """Numbers that are read from global memory."""
    bound: dict[str, Access] = field(default_factory=dict)
    """Of right operands that stay in global memory: what each product with them reads."""

    # -- instructions by themselves -----------------------------------------------------------------------------------

    def instr(self, instr: Instr) -> None:
        shapes = [self.tiles[o] for o in instr.operands if isinstance(o, str)]
        if any(not shape.rows or not shape.cols for shape in shapes):
            return
        window = next((o for o in instr.operands if isinstance(o, GmWindow)), None)
        accesses: tuple[Access, ...] = ()
        if window is not None and instr.name == "MGATHER":
            accesses = (self._gathered(shapes, window),)
        elif window is not None:
            accesses = (self._access(instr, window),)
        held = self._held(instr, shapes, window)
        bound = ""
        if "MATMUL" in instr.name:
            accesses += tuple(self.bound[o] for o in instr.operands if isinstance(o, str) and o in self.bound)
            bound = shapes[-1].dtype if accesses else ""
        target = next((o for o in instr.operands[:1] if isinstance(o, str)), None)
        if instr.name == "TLOAD" and window is not None and window.layout == "CPU_PACKED" and target is not None:
            self.bound[target], accesses = accesses[0], ()  # read where it is multiplied
        vectors = [shape for shape in shapes if shape.loc == "Vec"]
        written = vectors[0].bytes if vectors and vectors[0] is shapes[0] and instr.name != "TSTORE" else 0.0
        read = sum(shape.bytes for shape in vectors) - written
        products = shapes[-1].cols * shapes[-1].rows * shapes[0].rows if "MATMUL" in instr.name else 0
        price = Price(held, moved=sum(t.bytes for t in accesses), products=products)
        tensor = accesses[0].tensor if accesses else ""
        moved = read + written + sum(access.bytes for access in accesses)
        moving = 0.0 if products else min(held, moved * self.figures.nearest)
        if instr.name == "MGATHER":
            moving = held  # figures of gathers are what the same instruction takes beyond those in L1
        self.recorder.work("V", MemoryWork(instr.name, price, tensor, accesses, moving, read, written, None, bound))

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
        walked = PassCost(self.figures, node, self.tiles, rows, cols)
        accesses = []
        for member in node.members:
            window = next((o for o in member.operands if isinstance(o, GmWindow)), None)
            if window is not None:
                accesses.append(self._access(member, window, rows, cols))
            walked.member(member, window)
        name = f"TPASS {'+'.join(member.name for member in node.members)}"
        price = Price(walked.nanoseconds(), moved=sum(access.bytes for access in accesses))
        moving = rows * cols * walked.moving
        stores = any(access.writes for access in accesses) and walked.written > 0
        turns = ("beside " if node.interleaved else "") if stores else None
        self.recorder.work(
            "V", MemoryWork(name, price, "", tuple(accesses), moving, walked.read, walked.written, turns)
        )

    # -- memory -------------------------------------------------------------------------------------------------------

    def _access(self, instr: Instr, window: GmWindow, rows: int | None = None, cols: int | None = None) -> Access:
        together = rows is not None  # in a pass
        if rows is None or cols is None:
            rows, cols = (max(0, self.number(extent.poly())) for extent in (window.rows, window.cols))
        size = DTYPES[window.dtype]
        row = cols * size
        jumps = 0 if self.places.isdisjoint(window.offset.names()) else 1
        stores = instr.name == "TSTORE"
        # As in stream_store.hpp: what lies in short pieces is stored as usual.
        around = stores and (together or (row >= AROUND_ROW and rows * row >= AROUND))
        return Access(window.tensor, self._lines(window, rows, cols) * size, stores, jumps, around=around)

    def _lines(self, window: GmWindow, rows: int, cols: int) -> float:
        """Elements of the lines that a window accesses: those between them come along."""
        line = LINE / DTYPES[window.dtype]
        across, down = self.number(window.col_stride), self.number(window.row_stride)
        row = cols * min(max(across, 1), line)
        if rows == 1 or down == 0:
            return rows * row
        return rows * max(row, min(line, down))

    def _gathered(self, shapes: list[Shape], window: GmWindow) -> Access:
        """Rows of a table, or the lines that elements of one row lie in."""
        target, size = shapes[0], DTYPES[window.dtype]
        if target.rows * target.cols > shapes[1].cols:
            rows = target.rows * max(1, round(target.cols * size / GATHERED))
            return Access(window.tensor, target.bytes, False, 0, ("rows", rows))
        whole = self.number(window.rows.poly()) * self.number(window.cols.poly()) * size
        count = target.rows * target.cols
        return Access(window.tensor, min(count * LINE, whole), False, 0, ("elements", count))

    def read(self, node: ReadIndex, times: int = 1) -> None:
        size = next((DTYPES[t.dtype] for t in self.kernel.tensors if t.name == node.tensor), 4) * times
        price = Price(READ * times, moved=size)
        self.recorder.work("S", MemoryWork("read", price, node.tensor, (Access(node.tensor, size, False),)))
