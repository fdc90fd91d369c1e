"""Global memory, as the interpreter keeps it: flat tensors, and for values between kernels who wrote each element."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import GmWindow
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.records import dataclass
from pyptogen.simulate.fault import FaultKind, MachineFault


@dataclass(slots=True)
class GmArray:
    """A tensor: its elements in their physical order, and per element the launch range that wrote it (0: nobody yet),
    or None for what the caller gave."""

    elements: Array
    written: Array | None = None

    @staticmethod
    def empty(dtype: str, size: int) -> GmArray:
        return GmArray(np.zeros(size, NUMPY_DTYPES[dtype]), np.zeros(size, np.uint16))

    def in_words(self) -> GmArray:
        """The same memory as words of 32 bits, the low one of each element first."""
        written = None if self.written is None else np.zeros(2 * self.elements.size, np.uint16)
        return GmArray(self.elements.view(np.int32), written)


@dataclass(frozen=True, slots=True)
class BoundWindow:
    """A window with this iteration's numbers, in elements."""

    window: GmWindow
    offset: int
    rows: int
    cols: int
    row_stride: int
    col_stride: int
    span: Span

    @staticmethod
    def of(window: GmWindow, env: Mapping[str, int], span: Span) -> BoundWindow:
        offset, rows, cols, row_stride, col_stride = (
            p.evaluate(env)
            for p in (window.offset, window.rows.poly(), window.cols.poly(), window.row_stride, window.col_stride)
        )
        return BoundWindow(window, offset, rows, cols, row_stride, col_stride, span)

    def blocks(self) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """The window as a strided block: shape, strides in elements, and the order of its axes that reads rows, then
        columns (whole fragments: extents rounded up to them)."""
        size = DTYPES[self.window.dtype]
        if self.window.layout == "NZ":
            c0 = 32 // size
            shape: tuple[int, ...] = (-(-self.cols // c0), self.rows, c0)
            return shape, (self.row_stride * c0, c0, 1), (1, 0, 2)
        if self.window.layout == "CPU_PACKED":
            deep, group = 64 // size, 4 // size
            shape = (-(-self.cols // 32), -(-self.rows // deep), 2, 16, 16, group)
            return shape, (self.row_stride, deep * 32, deep * 16, deep, group, 1), (1, 3, 5, 0, 2, 4)
        return (self.rows, self.cols), (self.row_stride, self.col_stride), (0, 1)

    def places(self) -> Array:
        """Where each element of the window lies in its tensor, [rows, cols]."""
        from pyptogen.layout.packing import places

        if self.window.layout in ("ND", "DN"):
            down, across = (np.arange(n) * s for n, s in ((self.rows, self.row_stride), (self.cols, self.col_stride)))
            return np.asarray(self.offset + down[:, None] + across)
        size, packed = DTYPES[self.window.dtype], self.window.layout == "CPU_PACKED"
        pitch = self.row_stride if packed else self.row_stride * (32 // size)
        return self.offset + places(self.rows, self.cols, size, packed, pitch)

    def fault(self, kind: FaultKind, what: str, last: int) -> MachineFault:
        size = DTYPES[self.window.dtype]
        return MachineFault(
            kind,
            f"the window of `{self.window.tensor}` {what}",
            self.span,
            memory=f"GM {self.window.tensor}",
            begin=self.offset * size,
            end=(last + 1) * size,
        )


class GlobalMemory:
    """All tensors of a call. ``launch_range`` counts the launch ranges from 1: kernels of one may read what earlier
    kernels of the same one wrote, and nothing of another's, because launch ranges run side by side."""

    def __init__(self, arrays: Mapping[str, GmArray]) -> None:
        self.arrays = dict(arrays)
        self.launch_range = 1

    def of_core(self) -> GlobalMemory:
        """The same tensors for one of several cores, which has popped slots of its own."""
        memory = GlobalMemory(self.arrays)
        memory.launch_range = self.launch_range
        return memory

    def _view(self, bound: BoundWindow, elements: Array) -> Array:
        shape, strides, _ = bound.blocks()
        if 0 in shape:
            return np.empty(shape, elements.dtype)
        reach = sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        last = bound.offset + reach
        if bound.offset < 0 or min(strides) < 0 or last >= elements.size:
            raise bound.fault("bounds", f"reaches element {last} of {elements.size}", last)
        size = elements.itemsize
        view: Array = np.ndarray(
            shape, elements.dtype, elements, offset=bound.offset * size, strides=tuple(s * size for s in strides)
        )
        return view

    def read(self, bound: BoundWindow) -> Array:
        """Elements of a window, [rows, cols].

        Raises:
            MachineFault: it leaves its tensor, or an element was not written by an earlier kernel of this launch range.
        """
        array = self.arrays[bound.window.tensor]
        self._check_dtype(bound, array)
        view = self._view(bound, array.elements)
        if array.written is not None:
            written = self._view(bound, array.written)
            if not (written == self.launch_range).all():
                nobody = bool((written == 0).any())
                what = "is read before it is written" if nobody else "is read and is of another launch range"
                raise bound.fault("unwritten" if nobody else "order", what, bound.offset)
        order = bound.blocks()[2]
        if order == (0, 1):
            return view
        depth = 3 if len(order) == 6 else 1
        moved: Array = view.transpose(order)
        plain: Array = moved.reshape(int(np.prod(moved.shape[:depth])), -1)
        return plain[: bound.rows, : bound.cols]

    def write(self, bound: BoundWindow, values: Array) -> None:
        """Put the elements of a window.

        Raises:
            MachineFault: it leaves its tensor.
        """
        array = self.arrays[bound.window.tensor]
        self._check_dtype(bound, array)
        if bound.blocks()[2] != (0, 1):
            places = bound.places()
            if places.size and not 0 <= places.min() <= places.max() < array.elements.size:
                last = int(places.max())
                raise bound.fault("bounds", f"reaches element {last} of {array.elements.size}", last)
            array.elements[places] = values
            if array.written is not None:
                array.written[places] = self.launch_range
            return
        self._view(bound, array.elements)[...] = values
        if array.written is not None:
            self._view(bound, array.written)[...] = self.launch_range

    def element(self, tensor: str, offset: int, span: Span) -> int:
        """One element of an index tensor. Raises MachineFault when it is outside."""
        elements = self.arrays[tensor].elements
        if not 0 <= offset < elements.size:
            what = f"element {offset} of `{tensor}` ({elements.size} elements) is read"
            begin = offset * elements.itemsize
            raise MachineFault("bounds", what, span, memory=f"GM {tensor}", begin=begin, end=begin + elements.itemsize)
        return int(elements[offset])

    @staticmethod
    def _check_dtype(bound: BoundWindow, array: GmArray) -> None:
        if NUMPY_DTYPES[bound.window.dtype] != array.elements.dtype:
            raise bound.fault("dtype", f"is {bound.window.dtype} over {array.elements.dtype}", bound.offset)
