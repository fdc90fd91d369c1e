"""Scatters are a copy and an update of it: a move into a view whose axis an index names.

before: y = index_add(x: [n, h], 0, i: [t], src: [t, h])
after:  y as [n, h] = move(x as [n, h]);  y as [t by i, h] = update(src as [t, h]), adding

The update goes over the indices in order. Where cube and vector cores are separate, each block changes what it copied
(the owner-computes rule): the copy is distributed along the updated axis alone, in pieces that a transfer moves well,
and the update leaves out the indices of other blocks. Where that axis is the last of several, or is no run of equal
steps, one block does it all, as it does on a processor.
"""

from __future__ import annotations

from pyptogen.lower.expr import ONE, ZERO
from pyptogen.lower.tensor.ir import DTYPES, Op, Value
from pyptogen.lower.tile.cutting.axes import GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.items import Item, items_of, merged
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.moved_axes import (
    MovedAxes,
    Tiled,
    columns,
    elements_of_a_tile,
    one_by_one,
    one_element,
)
from pyptogen.lower.tile.kernels.nests import Nests
from pyptogen.lower.tile.sizes.first_guesses import Choice
from pyptogen.records import replace

SCATTERS = frozenset({"scatter", "index_add"})
"""Operations of the Tensor level that put elements where an index says."""
OWNED_BYTES = 512
"""Of the result that a block at least owns in one piece: what a transfer moves well."""


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
        self.x, self.index, self.source = (value for value in self.op.operands if isinstance(value, Value))
        self.axis = int(self.op.attrs["axis"])
        self.target = self.views.written_strided(self.op)

    def kernel_view(self) -> KernelView:
        copied = self._copied()
        return self.nests.kernel_view([(copied,), (self._updated(str(copied.attrs["distributed"])),)])

    def _copied(self) -> Op:
        """The copy. It is ``distributed`` along the dim that is updated, or not at all ("")."""
        x, dtype = self.views.strided(self.x.name, self.op), self.op.result.dtype
        views = (self.target, x)
        along = merged(items_of(self.op.span, *(view.axes[self.axis : self.axis + 1] for view in views)))
        beside = merged(
            items_of(self.op.span, *(view.axes[: self.axis] + view.axes[self.axis + 1 :] for view in views))
        )
        *inner, last = beside or along or [one_element(2)]
        owned = not self.platform.unified and len(along) == 1 and last.steps == (ONE, ONE)
        if not owned:
            found = MovedAxes(self.op.span, self.platform).in_rows(views, dtype)
        elif not beside:
            found = [_pieces(along, OWNED_BYTES // DTYPES[dtype])]
        else:
            most = elements_of_a_tile(self.platform, dtype)
            each = min(last.extent.constant or most, most) * DTYPES[dtype]
            found = [_pieces(along, OWNED_BYTES // each), *map(one_by_one, inner), (last, columns(most))]
        nest = self.nests.open(found)
        result = self.nests.view(self.op.result, replace(self.target, axes=nest.axes(0)), written=True)
        moved = self.nests.view(self.x, replace(x, axes=nest.axes(1)))
        attrs = {"distributed": (nest.dims[0] or "") if owned else ""}
        return replace(self.op, kind="move", operands=(moved,), result=result, attrs=attrs)

    def _updated(self, owner: str) -> Op:
        """The update of what the blocks own that are ``owner`` of the tiles of a dim ("": of one block that owns all).
        Whole slices have the loop over their indices outside of those over their elements."""
        source, index = (self.views.strided(value.name, self.op) for value in (self.source, self.index))
        by_element = self.op.kind == "scatter"
        target = self.views.gathered(self._window(index) if by_element else self.target, self.op, self.op)
        views = (target, source, *((index,) if by_element else ()))
        items = merged(items_of(self.op.span, *(view.axes for view in views)))
        if not by_element:
            items.sort(key=lambda item: not item.gathered)
        found: list[Tiled] = [*map(one_by_one, items)]
        if not by_element and items and items[-1].steps == (ONE, ONE) and not items[-1].gathered:
            found[-1] = (items[-1], columns(elements_of_a_tile(self.platform, self.op.result.dtype)))
        nest = self.nests.open(found)
        if by_element:
            (gather,), beside = target.gathers, zip(nest.items, nest.axes(2), strict=True)
            also = sum((axis for item, axis in beside if not item.gathered), ())
            target = replace(target, gathers=(replace(gather, also=also),))
        result = self.nests.view(self.op.result, replace(target, axes=nest.axes(0)), written=True)
        moved = self.nests.view(self.source, replace(source, axes=nest.axes(1)))
        adds = self.op.kind == "index_add" or self.op.attrs["reduce"] == "add"
        attrs = {"adds": adds, "distributed": "", "owner": owner}
        return replace(self.op, kind="update", operands=(moved,), result=result, attrs=attrs)

    def _window(self, index: GmView) -> GmView:
        """What is updated of the result: of axes beside that of the index the elements that the index has."""
        view, sizes = self.target, self.index.shape
        for at, (size, whole) in enumerate(zip(sizes, self.op.result.shape, strict=True)):
            if at != self.axis and self.axes.poly(size) != self.axes.poly(whole):
                view = self.axes.window(view, at, size, ZERO)
        return view


def _pieces(along: list[Item], elements: int) -> Tiled:
    """An axis in tiles of so many elements, which no search changes: blocks own them."""
    tile = max(1, elements)
    return along[0], Choice("", tile, 0, tile)
