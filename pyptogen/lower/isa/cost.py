"""What one instruction costs on its pipe: cycles that it holds the pipe, and cycles from there to its end.

Figures are those of `pyptogen.lower.platforms.timing`. Nothing here knows of other instructions, or of other cores.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.platforms.timing import Timing
from pyptogen.records import dataclass

VECTOR_BYTES = 256
"""What a repeat of a vector instruction works on."""
FARTHEST_ROW = 255 * 32
"""Bytes between rows that a repeat can step over."""
FRACTAL = 16
MERGES = frozenset({"TMRGSORT", "TSORT32"})


@dataclass(frozen=True, slots=True)
class Shape:
    """A tile as an instruction sees it: location, dtype, bytes of an element, valid extents, elements of a whole row
    (of a column, where tiles lie column after column)."""

    loc: str
    dtype: str
    size: float
    rows: int
    cols: int
    pitch: int
    row_major: bool = True
    static: bool = False
    """Whether valid extents are those of the type."""

    @property
    def bytes(self) -> float:
        return self.rows * self.cols * self.size


@dataclass(frozen=True, slots=True)
class Bursts:
    """What a transfer moves: ``count`` bursts of so many bytes each."""

    count: int
    bytes: float


@dataclass(frozen=True, slots=True)
class Price:
    """``hold``: cycles on the pipe, ``latency``: from there to the end, ``settle``: from there to when others may rely
    on it, in which the pipe is no longer busy. ``moved``: bytes between GM and the core;
    ``writes``: to GM. ``products``: multiply-adds."""

    hold: float
    latency: float = 0.0
    settle: float = 0.0
    moved: float = 0.0
    writes: bool = False
    products: int = 0


def transfer(bursts: Bursts, loc: str, writes: bool, timing: Timing) -> Price:
    """A transfer between GM and the memory of a location, whose bytes lie in L2. Bursts end at 32 bytes."""
    length = -(-bursts.bytes // 32) * 32
    rate = (timing.store if writes else timing.load).get(loc) or timing.load["Mat"]
    each = max(length / rate.value, timing.burst.value)
    latency = timing.store_latency.get(loc, timing.load_latency) if writes else timing.load_latency
    settle = timing.settle.value if writes and loc == "Acc" else 0.0
    return Price(bursts.count * each, latency.value, settle, bursts.count * bursts.bytes, writes)


def window_bursts(rows: int, cols: int, row_stride: int, col_stride: int, size: float) -> Bursts:
    """The bursts of a window of GM, strides in elements: rows, or columns, that follow each other are one."""
    if row_stride == 1 and col_stride != 1:
        rows, cols, row_stride, col_stride = cols, rows, col_stride, row_stride
    if col_stride != 1 and cols > 1:
        return Bursts(rows * cols, size)
    if row_stride == cols or rows == 1:
        return Bursts(1, rows * cols * size)
    return Bursts(rows, cols * size)


def operand_move(target: Shape, timing: Timing, instructions: int | None = None) -> Price:
    """L1 to L0: one instruction for each line of fractals along the shorter side, unless said otherwise."""
    k_side, other = (target.cols, target.rows) if target.loc.endswith("Left") else (target.rows, target.cols)
    depth = max(1, -(-k_side * int(max(target.size, 1)) // 32))
    lines = min(depth, max(1, -(-other // FRACTAL))) if instructions is None else instructions
    rate = timing.operand.get(target.loc.removeprefix("Scale"), timing.operand["Right"]).value
    return Price(target.bytes / rate + lines * timing.operand_issue.value)


def product(left: Shape, right_cols: int, timing: Timing) -> Price:
    """A product of an operand of ``left.rows`` x ``left.cols`` with one of ``right_cols`` columns: whole fractals."""
    depth = max(1, int(32 / max(left.size, 0.5)))
    m, k, n = (-(-v // step) * step for v, step in ((left.rows, 16), (left.cols, depth), (right_cols, 16)))
    kind = "fp32" if left.dtype == "fp32" else "int8" if left.size <= 1 else "fp16"
    return Price(timing.matmul_issue.value + m * k * n / timing.products[kind].value, products=m * k * n)


def repeats(shape: Shape) -> float:
    """Repeats of a vector instruction over a tile: over all of it where rows follow each other, else row by row."""
    lines, line = (shape.rows, shape.cols) if shape.row_major else (shape.cols, shape.rows)
    if line >= shape.pitch or lines <= 1:
        return max(1.0, -(-lines * line * shape.size // VECTOR_BYTES))
    return max(1.0, lines * (-(-line * shape.size // VECTOR_BYTES)))


_WHOLE = {64: 128, 32: 256, 16: 512, 8: 1024}
"""Static fp32 tiles whose rows one instruction reduces at once (pto-isa): rows and columns."""
WAITS_OF_A_WHOLE = 3
"""How often it waits for its own results then (pto-isa: two to three times)."""


def vector(name: str, shapes: Sequence[Shape], timing: Timing) -> Price:
    """A vector instruction, by its widest tile. ``shapes``: destination first."""
    if name == "TSORT32":
        return Price(25.0 + timing.sort.value * -(-shapes[1].rows * shapes[1].cols // 32), 18.0)
    if name == "TMRGSORT":
        pairs = max(s.bytes for s in shapes[:1]) / 8
        return Price(20.0 + timing.merge.value * pairs, 18.0)
    figures = timing.vector.get(name, timing.vector["default"])
    tiles = shapes[:2] if figures.row is not None and len(shapes) > 2 else shapes  # the third one is scratch
    wide = max(tiles, key=lambda s: s.bytes)
    if figures.row is None:
        return Price(repeats(wide) * figures.repeat.value, figures.fixed.value)
    if figures.whole is not None and wide.static and wide.size == 4 and _WHOLE.get(wide.rows) == wide.cols:
        return Price(repeats(wide) * figures.whole.value, figures.fixed.value + WAITS_OF_A_WHOLE * figures.step.value)
    parts = -(-wide.cols * wide.size // VECTOR_BYTES)
    if figures.strided is not None and wide.pitch * wide.size > FARTHEST_ROW:
        return Price(wide.rows * max(figures.row.value, figures.strided.value * parts), figures.fixed.value)
    line = figures.row.value + figures.repeat.value * (parts - 1)
    return Price(wide.rows * line, figures.fixed.value + figures.step.value * (parts - 1))


def price(name: str, pipe: str, shapes: Sequence[Shape], window: Bursts | None, timing: Timing) -> Price:
    """Any instruction: ``shapes`` are its tiles in order, destination first; ``window`` what it moves from or to GM."""
    if window is not None:
        return transfer(window, shapes[0].loc if shapes else "Vec", name in ("TSTORE", "TPUSH"), timing)
    if not shapes:
        return Price(0.0)
    if name.startswith(("TMATMUL", "TGEMV")):
        left = next((s for s in shapes if s.loc == "Left"), shapes[-1])
        return product(left, shapes[0].cols, timing)
    if pipe == "MTE1":
        return operand_move(shapes[0], timing)
    if pipe == "FIX":
        return Price(shapes[0].bytes / timing.operand["Acc"].value, timing.store_latency["Acc"].value)
    if pipe == "V":
        return vector(name, shapes, timing)
    return Price(timing.issue.value)
