"""A kernel for `cpu` as the model of the processor takes it: what one block of a launch does, instruction by instruction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pyptogen.lower.instruction.ir import GmWindow, Instr, InstrKernel, Pass, ReadIndex
from pyptogen.lower.instruction.ir import walk as every
from pyptogen.lower.isa.cost import Price, Shape
from pyptogen.lower.tensor.ir import DTYPES
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
LINE = 64
"""Bytes that memory moves at a time."""
GATHERED = 256
"""Bytes of the rows whose gathering was measured; longer ones take as long as several."""
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


@dataclass(frozen=True, slots=True)
class Touching(Work):
    """An instruction: what it computes in nanoseconds (`Price.hold`), what it touches of global memory, ``read``,
    ``written``: bytes of tiles in the vector memory that it goes through."""

    touches: tuple[Touch, ...] = ()
    read: float = 0.0
    written: float = 0.0
    bound: str = ""
    """The dtype of a product's right operand, where it stays in global memory."""


def lane_of(
    kernel: InstrKernel, figures: Figures, numbers: Mapping[str, int], block: int = 0, blocks: int = 1
) -> Lane:
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
        self.lane.work("V", Touching(instr.name, price, touches[0].tensor if touches else "", touches, read, written, bound))

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
        return figures.instruction(name, dtypes, wide.rows, wide.cols)

    # -- passes -------------------------------------------------------------------------------------------------------

    def together(self, node: Pass) -> None:
        rows, cols = (max(0, min(e.size, self.number(e.poly()))) for e in (node.rows, node.cols))
        if not rows or not cols:
            return
        figures, dtypes = self.figures, dict(node.dtypes)
        prefix = "beside " if node.beside else ""
        computing = moving = dividing = 0.0
        touches: list[Touch] = []
        known: set[str] = set()
        read = written = 0.0
        reductions = 0

        def load(dtype: str) -> None:
            nonlocal moving, computing
            plain = figures.loads["fp32"]
            moving += plain
            if dtype in figures.loads and dtype not in ("fp32", "int32"):
                computing += max(0.0, figures.loads[dtype] - plain)

        def store(dtype: str) -> None:
            nonlocal moving, computing
            plain = figures.stores["fp32"]
            moving += plain if dtype in ("fp32", "int32") else plain / 2
            if dtype in figures.stores and dtype not in ("fp32", "int32"):
                computing += max(0.0, figures.stores[dtype] - plain / 2)

        for member in node.members:
            stem = member.name.removeprefix("T")
            window = next((o for o in member.operands if isinstance(o, GmWindow)), None)
            if window is not None:
                touches.append(self._touch(member, window, rows, cols))
            result = member.operands[0] if isinstance(member.operands[0], str) else None
            sources = [o for o in member.operands[1:] if isinstance(o, str)]
            if member.name in REDUCTIONS:
                sources = sources[:1]
            for source in sources:
                shape = self.tiles.get(source)  # None: values that stay in registers
                if shape is None or source in known or (shape.cols == 1 and cols > 1):
                    continue
                if shape.loc == "Acc":
                    moving += figures.loads["Acc"]
                    known.add(source)
                    continue
                load(dtypes[source])
                read += min(shape.bytes, rows * cols * DTYPES[dtypes[source]])
                known.add(source)
            if member.name in REDUCTIONS:
                computing += figures.reductions[REDUCTIONS[member.name]]
                reductions += member.name.startswith("TROW")
                continue
            if member.name == "TLOAD" and window is not None:
                load(window.dtype)
            elif member.name == "TSTORE" and window is not None:
                store(window.dtype)
            elif stem == "RSQRT":
                dividing += figures.dividing[f"{prefix}sqrt"] + figures.dividing[f"{prefix}divide"]
            elif OPERATIONS.get(stem) in DIVIDER:
                dividing += figures.dividing[prefix + OPERATIONS[stem]]
            elif stem == "CVT":
                computing += self._cast(member, node, dtypes, prefix)
            elif stem not in FREE:
                computing += figures.operations[prefix + OPERATIONS.get(stem, "add")]
            if result is not None:
                known.add(result)
                target = self.tiles.get(result)
                if target is not None and target.loc == "Left":
                    moving += figures.stores[f"Left {dtypes[result]}"]
                elif result in node.kept:
                    store(dtypes[result])
                    written += rows * cols * DTYPES[dtypes[result]]
        wide = -(-cols // LANES) * LANES
        walk = figures.walk.call + rows * figures.walk.row * max(1, reductions)
        held = walk + rows * wide * max(computing, moving, dividing)
        ahead = sum(touch.bytes for touch in touches)
        name = f"TPASS {'+'.join(m.name for m in node.members)}"
        self.lane.work("V", Touching(name, Price(held, moved=ahead), "", tuple(touches), read, written))

    def _cast(self, member: Instr, node: Pass, dtypes: Mapping[str, str], prefix: str) -> float:
        """Rounding values that are computed with; a store's own rounding is the store's."""
        result, source = str(member.operands[0]), str(member.operands[1])
        to = dtypes[result]
        if dtypes[source] == "int32" and to == "fp32":
            return self.figures.operations[f"{prefix}add"]
        again = any(result in m.operands[1:] and m.name not in ("TSTORE", "TMOV") for m in node.members)
        return self.figures.operations[f"{prefix}rounded {to}"] if to in NARROW and again else 0.0

    # -- memory -------------------------------------------------------------------------------------------------------

    def _touch(self, instr: Instr, window: GmWindow, rows: int | None = None, cols: int | None = None) -> Touch:
        if rows is None or cols is None:
            rows, cols = (max(0, self.number(extent.poly())) for extent in (window.rows, window.cols))
        jumps = 0 if self.places.isdisjoint(window.offset.names()) else 1
        return Touch(window.tensor, rows * cols * DTYPES[window.dtype], instr.name == "TSTORE", jumps)

    def _gathered(self, shapes: list[Shape], window: GmWindow) -> Touch:
        """Rows of a table, or the lines that elements of one row lie in."""
        target, size = shapes[0], DTYPES[window.dtype]
        if target.rows * target.cols > shapes[1].cols:
            rows = target.rows * max(1, round(target.cols * size / GATHERED))
            return Touch(window.tensor, target.bytes, False, 0, ("rows", rows))
        whole = self.number(window.rows.poly()) * self.number(window.cols.poly()) * size
        count = target.rows * target.cols
        return Touch(window.tensor, min(count * LINE, whole), False, 0, ("elements", count))

    def read(self, node: ReadIndex) -> None:
        size = next((DTYPES[t.dtype] for t in self.kernel.tensors if t.name == node.tensor), 4)
        self.lane.work("S", Touching("read", Price(1.0, moved=size), node.tensor, (Touch(node.tensor, size, False),)))
