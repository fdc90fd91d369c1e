"""Gathers take an element for each element of an index, along one axis.

before: y = gather(x: [t, n], 1, i: [t, k])
after:  y as [t, k] = gather(x as [t, n], i as [t, k])     an instruction takes what a row of indices names of a row
        y as [t, k] = move(x as [t, k by i])               else, one element after the other

Rows are taken from GM where cube and vector cores are one (`cpu`), and elsewhere from a tile, if they fit one and their
indices name elements of them for sure.
"""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tensor.views import input_part, root
from pyptogen.lower.tile.cutting.axes import Factor, GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.items import Item, items_of, merged
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.moved_axes import Tiled, columns, elements_of_a_tile, one_by_one
from pyptogen.lower.tile.kernels.nests import Nests
from pyptogen.lower.tile.ops import TAKEN_BY_INDEX
from pyptogen.lower.tile.sizes.first_guesses import Choice
from pyptogen.records import replace

GATHERS = frozenset({"gather"})
"""Operations of the Tensor level that take elements by an index."""
ROW_BYTES = 16384
"""Of rows that are kept on chip while elements are taken from them: UB has room for two, and for what is taken."""
AT_ONCE = 1024
"""Elements that are taken of a row at a time."""
BLOCK_BYTES = 32
"""Rows of tiles begin at such blocks."""


def run(builder: KernelBuilder) -> KernelView:
    """The kernel as it is cut.

    Raises:
        Refused: PTG303, what has no strides: a value that an index leads to, or that lies in fractals.
    """
    return _Kernel(builder).kernel_view()


class _Kernel:
    def __init__(self, builder: KernelBuilder) -> None:
        (self.op,) = builder.kernel.ops
        self.builder, self.views, self.axes, self.platform = builder, GmViews(builder), builder.axes, builder.platform
        self.nests = Nests.of(builder, self.op)
        self.x, self.index = (value for value in self.op.operands if isinstance(value, Value))
        self.axis = int(self.op.attrs["axis"])
        self.target = self.views.written_strided(self.op)

    def kernel_view(self) -> KernelView:
        source, index = (self.views.strided(value.name, self.op) for value in (self.x, self.index))
        beside = self._as_index(source)
        return self.nests.kernel_view([(self._rows(beside, index) or self._elements(beside, index),)])

    def _as_index(self, view: GmView) -> GmView:
        """What is taken from: of axes beside the one of the index the elements that the index has."""
        for at, (size, whole) in enumerate(zip(self.index.shape, self.x.shape, strict=True)):
            if at != self.axis and self.axes.poly(size) != self.axes.poly(whole):
                view = self.axes.window(view, at, size, ZERO)
        return view

    def _elements(self, source: GmView, index: GmView) -> Op:
        """The move of one element after the other."""
        source = self.views.gathered(source, self.op, self.op)
        items = merged(items_of(self.op.span, *(view.axes for view in (self.target, source, index))))
        nest = self.nests.open([*map(one_by_one, items)])
        (gather,), beside = source.gathers, zip(nest.items, nest.axes(2), strict=True)
        also = sum((axis for item, axis in beside if not item.gathered), ())
        source = replace(source, axes=nest.axes(1), gathers=(replace(gather, also=also),))
        result = self.nests.view(self.op.result, replace(self.target, axes=nest.axes(0)), written=True)
        moved = self.nests.view(self.x, source)
        return replace(self.op, kind="move", operands=(moved,), result=result, attrs={})

    def _rows(self, source: GmView, index: GmView) -> Op | None:
        """The gather of what rows of indices name of rows; None where no instruction does that."""
        views = self.target, source, index
        if self.axis != len(source.axes) - 1 or not all(map(_in_lines, views)):
            return None
        whole, col = source.axes[-1], self.target.axes[-1]
        source = replace(source, axes=(*source.axes[:-1], tuple(replace(factor, stride=ZERO) for factor in col)))
        *others, last = merged(items_of(self.op.span, *(view.axes for view in (self.target, source, index))))
        if last.steps != (ONE, ZERO, ONE):
            return None
        length = self.axes.poly(self.x.shape[-1])
        if not self._has_instruction(last, length.constant):
            return None
        nest = self.nests.open(self._tiles(others, last, length.constant or 0))
        result = self.nests.view(self.op.result, replace(self.target, axes=nest.axes(0)), written=True)
        row = tuple(replace(factor, dim=None) for factor in whole) or (Factor(None, ONE, ONE),)  # no loop cuts it
        taken = self.nests.view(self.x, replace(source, axes=(*nest.axes(1)[:-1], row)))
        indices = self.nests.view(self.index, replace(index, axes=nest.axes(2)))
        taken = replace(taken, shape=(*taken.shape[:-1], self.x.shape[-1]))
        return replace(self.op, operands=(taken, indices), result=result, attrs={})

    def _tiles(self, others: list[Item], last: Item, length: int) -> list[Tiled]:
        """The loops, with the tiles that suit them at first."""
        if self.platform.unified:
            return [*map(one_by_one, others), (last, columns(elements_of_a_tile(self.platform, "int32")))]
        if not others:
            return [(last, columns(AT_ONCE))]
        *outer, rows = others
        width = min(AT_ONCE, last.extent.constant or AT_ONCE)
        of_row = max(length * DTYPES[self.x.dtype], width * DTYPES["int32"])
        several = max(1, ROW_BYTES // of_row)  # more are no faster in long calls, and leave cores idle in short ones
        return [*map(one_by_one, outer), (rows, Choice("", several, 0, several)), (last, columns(AT_ONCE))]

    def _has_instruction(self, col: Item, length: int | None) -> bool:
        """Whether an instruction takes elements of such rows by such an index: of any row in GM; on chip of rows whose
        length is known, by an index that names some of their elements for sure, rows of whole blocks."""
        dtype = self.x.dtype
        if self.index.dtype != "int32":
            return False
        if self.platform.unified:
            return True
        sure = input_part(self.index.name, self.builder.defining) is not None or self._is_of_order(length)
        blocks = col.extent.constant is None or col.extent.constant * min(DTYPES[dtype], 4) % BLOCK_BYTES == 0
        return (
            sure and blocks and dtype in TAKEN_BY_INDEX and length is not None and length * DTYPES[dtype] <= ROW_BYTES
        )

    def _is_of_order(self, length: int | None) -> bool:
        """Whether the index is positions of an order of so many elements."""
        made = self.builder.defining.get(root(self.index.name, self.builder.defining))
        if made is None or made.kind != "pair_indices":
            return False
        return length is not None and self.axes.poly(made.attrs["length"]).constant == length


def _in_lines(view: GmView) -> bool:
    """Whether the elements of the last axis lie side by side."""
    items = merged([Item(factor.extent, (factor.stride,)) for factor in view.axes[-1]])
    return len(items) == 1 and items[0].steps == (ONE,)
