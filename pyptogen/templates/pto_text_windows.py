"""Windows of GM in PTO assembly: one view of a tensor per way of seeing it, and partitions of it by row and column.

The IR has a window's first element as one polynomial; here it becomes an offset per axis of the view, where that is
exact. A window that no view of the whole tensor holds (strides on both axes, sizes the kernel is not told) gets a
pointer to its first element and a view of its own.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.instruction.ir import For, GmWindow, InstrKernel, Node, walk
from pyptogen.lower.tile.ir import Extent, GmTensor
from pyptogen.records import dataclass
from pyptogen.templates.pto_text_types import partition, pointer, tensor_view
from pyptogen.templates.pto_text_values import Values

FRACTAL_ROWS = 16
Axis = tuple[Poly, int]
"""A value, and the number that it is divided by without a rest."""


@dataclass(frozen=True, slots=True)
class View:
    """What ``make_tensor_view`` is told of a tensor: extents and strides in elements, outer axis first."""

    tensor: str
    shape: tuple[Poly, ...]
    strides: tuple[Poly, ...]
    layout: str


@dataclass(slots=True)
class Windows:
    """Emits windows of one kernel's tensors. ``extents`` replaces the launch dim, which a kernel is not told, by the
    end of the launch's range; ``steps`` are numbers that loop variables are multiples of."""

    tensors: Mapping[str, GmTensor]
    extents: Mapping[str, str]
    known: frozenset[str]
    steps: Mapping[str, int]
    views: dict[View, str] = field(default_factory=dict)

    @staticmethod
    def of(kernel: InstrKernel) -> Windows:
        extents = {kernel.launch_dim: f"{kernel.launch_dim}_end"} if kernel.launch_dim else {}
        tensors = {t.name: t for t in kernel.tensors}
        return Windows(tensors, extents, frozenset(kernel.arguments), multiples(kernel.body))

    def declare(self, window: GmWindow, values: Values) -> None:
        """Make the view that a window will be cut from, unless it was made or the window has its own."""
        found = self._cut(window)
        if found is not None and found[0] not in self.views:
            self.views[found[0]] = _make(found[0], f"{window.tensor}_view", values, values.bound(window.tensor), window)

    def emit(self, window: GmWindow, wish: str, values: Values) -> tuple[str, str]:
        """The partition that is the window: its value and its type."""
        sizes = _sizes(window)
        found = self._cut(window)
        if found is None:
            view = _own_view(window, sizes)
            base = values.bound(window.tensor)
            if window.offset != ZERO:
                kind = pointer(window.dtype)
                base = values.compute(f"pto.addptr {base}, {values.poly(window.offset)} : {kind} -> {kind}")
            source = _make(view, f"{wish}_view", values, base, window)
            offsets = [values.index(0)] * len(sizes)
        else:
            source = self.views[found[0]]
            offsets = [_quotient(axis, values) for axis in found[1]]
        shown = [_quotient(size, values) for size in sizes]
        kind = partition(window.dtype, [p.constant // d if p.constant is not None else None for p, d in sizes])
        text = f"offsets = [{', '.join(offsets)}], sizes = [{', '.join(shown)}]"
        name = values.name(wish)
        values.put(f"{name} = pto.partition_view {source}, {text} : {tensor_view(window.dtype, len(sizes))} -> {kind}")
        return name, kind

    def _cut(self, window: GmWindow) -> tuple[View, tuple[Axis, ...]] | None:
        """The view of the whole tensor that holds the window, and the window's place in it; None: there is none."""
        tensor = self.tensors[window.tensor]
        elements = ONE
        for extent in tensor.shape:
            elements = elements * self._told(extent)
        if not elements.names() <= self.known:
            return None
        if window.layout == "NZ":
            return self._cut_fractals(window, tensor)
        if window.rows == Extent(1) and window.col_stride == ONE and window.row_stride in (ZERO, ONE):
            view = View(window.tensor, (ONE, elements), (elements, ONE), "nd")
            return view, ((ZERO, 1), (window.offset, 1))
        by_column = window.layout == "DN"
        pitch, inner = (window.col_stride, window.row_stride) if by_column else (window.row_stride, window.col_stride)
        outer, whole = split(window.offset, pitch), split(elements, pitch)
        if inner != ONE or outer is None or whole is None or whole[1] != ZERO:
            return None
        if outer[1].constant is not None and pitch.constant:  # such as one line and an element further on
            lines, rest = divmod(outer[1].constant, pitch.constant)
            outer = outer[0] + lines, Poly.of(rest)
        if by_column:
            view = View(window.tensor, (pitch, whole[0]), (ONE, pitch), "dn")
            return view, ((outer[1], 1), (outer[0], 1))
        view = View(window.tensor, (whole[0], pitch), (pitch, ONE), "nd")
        return view, ((outer[0], 1), (outer[1], 1))

    def _cut_fractals(self, window: GmWindow, tensor: GmTensor) -> tuple[View, tuple[Axis, ...]] | None:
        """Blocks of columns, of rows, and the element in a fractal; exact when both offsets are in whole fractals."""
        c0, padded = _deep(window), window.row_stride.constant
        found = split(window.offset, window.row_stride)
        if padded is None or found is None or not found[0].is_multiple_of(c0, self.steps):
            return None
        column, rest = found
        if not rest.is_multiple_of(FRACTAL_ROWS * c0, self.steps):
            return None
        width = tensor.shape[-1].constant
        if width is None or any(coeff % c0 for _, coeff in rest.terms):
            return None
        blocks = Poly.of(-(-width // c0)), Poly.of(padded // FRACTAL_ROWS)
        shape = (ONE, *blocks, Poly.of(FRACTAL_ROWS), Poly.of(c0))
        inner = (Poly.of(padded * c0), Poly.of(FRACTAL_ROWS * c0), Poly.of(c0), ONE)
        view = View(window.tensor, shape, (blocks[0] * inner[0], *inner), "nz")
        return view, ((ZERO, 1), (column, c0), (rest.divided(c0), FRACTAL_ROWS), (ZERO, 1), (ZERO, 1))

    def _told(self, extent: Poly) -> Poly:
        """An extent in names that the kernel is told."""
        total = ZERO
        for mono, coeff in extent.terms:
            term = Poly.of(coeff)
            for name in mono:
                term = term * self.extents.get(name, name)
            total = total + term
        return total


def multiples(nodes: Sequence[Node]) -> dict[str, int]:
    """For each loop variable a number that divides all its values: the step, and where the loop starts."""
    found: dict[str, int] = {}
    for node in walk(tuple(nodes)):
        if isinstance(node, For):
            start = node.start.constant
            step = 1 if start is None else math.gcd(start, node.step)
            found[node.var] = math.gcd(found.get(node.var, 0), step)
    return found


def split(value: Poly, by: Poly) -> tuple[Poly, Poly] | None:
    """Quotient and rest of a division by a product, term by term; None when ``by`` is no product."""
    if len(by.terms) != 1:
        return None
    (names, factor), quotient, rest = by.terms[0], ZERO, ZERO
    for mono, coeff in value.terms:
        left = list(mono)
        for name in names:
            if name in left:
                left.remove(name)
        if len(left) == len(mono) - len(names) and coeff % factor == 0:
            quotient = quotient + Poly(((tuple(left), coeff // factor),))
        else:
            rest = rest + Poly(((mono, coeff),))
    return quotient, rest


def _deep(window: GmWindow) -> int:
    """Columns of a fractal: 32 bytes."""
    from pyptogen.lower.tensor.ir import DTYPES

    return 32 // DTYPES[window.dtype]


def _sizes(window: GmWindow) -> tuple[Axis, ...]:
    """The window's extent along each axis of its view."""
    rows, cols = window.rows.poly(), window.cols.poly()
    if window.layout != "NZ":
        return (rows, 1), (cols, 1)
    c0 = _deep(window)
    blocks = tuple(
        (extent + (step - 1), step) if extent.constant is None else (Poly.of(-(-extent.constant // step)), 1)
        for extent, step in ((cols, c0), (rows, FRACTAL_ROWS))
    )
    return (ONE, 1), *blocks, (Poly.of(FRACTAL_ROWS), 1), (Poly.of(c0), 1)


def _own_view(window: GmWindow, sizes: tuple[Axis, ...]) -> View:
    """A view of just the window."""
    if window.layout != "NZ":
        shape = window.rows.poly(), window.cols.poly()
        return View(window.tensor, shape, (window.row_stride, window.col_stride), window.layout.lower())
    c0 = _deep(window)
    blocks = tuple(
        Poly.of(-(-extent.size // step)) for extent, step in ((window.cols, c0), (window.rows, FRACTAL_ROWS))
    )
    inner = (window.row_stride * c0, Poly.of(FRACTAL_ROWS * c0), Poly.of(c0), ONE)
    shape5 = (ONE, *blocks, Poly.of(FRACTAL_ROWS), Poly.of(c0))
    return View(window.tensor, shape5, (blocks[0] * inner[0], *inner), "nz")


def _quotient(axis: Axis, values: Values) -> str:
    value, divisor = axis
    if divisor == 1:
        return values.poly(value)
    if value.constant is not None:
        return values.index(value.constant // divisor)
    return values.compute(f"arith.divui {values.poly(value)}, {values.index(divisor)} : index")


def _make(view: View, wish: str, values: Values, base: str, window: GmWindow) -> str:
    shape, strides = (", ".join(values.poly(p) for p in part) for part in (view.shape, view.strides))
    text = f"shape = [{shape}], strides = [{strides}] {{layout = #pto.layout<{view.layout}>}}"
    name = values.name(wish)
    values.put(f"{name} = pto.make_tensor_view {base}, {text} : {tensor_view(window.dtype, len(view.shape))}")
    return name
