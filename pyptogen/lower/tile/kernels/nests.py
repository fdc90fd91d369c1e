"""Loops over views of GM: the dims that they go over, and the values by the names under which a kernel sees them.

before: y [t, h, d], x [t, h, d]; loops t, (h, d)
after:  dim y_columns = h * d;  y_view [t, y_columns], x_view [t, y_columns], which are views of y and x
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from math import prod

from sympy import Integer

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.tensor.ir import Dim, Op, Shape, Value
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.cutting.axes import Axes, Axis, Factor, GmView
from pyptogen.lower.tile.cutting.items import Item
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.dims.named_sizes import dim_of_size
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.moved_axes import Tiled
from pyptogen.lower.tile.sizes.first_guesses import Choice
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops, outermost first: a dim for each, None for one element, and its extent. ``alone``: the columns of tiles of
    one."""

    items: Sequence[Item]
    dims: Sequence[str | None]
    extents: Sequence[Poly]
    alone: Axis = ()

    @property
    def shape(self) -> Shape:
        return tuple(Integer(1) if dim is None else dim_symbol(dim) for dim in self.dims)

    def axes(self, at: int) -> tuple[Axis, ...]:
        """The axes of the view of number ``at``."""
        axes: list[Axis] = []
        for dim, extent, item in zip(self.dims, self.extents, self.items, strict=True):
            step, gather = item.steps[at], item.gathers[at]
            none = dim is None or (step == ZERO and gather is None)
            axes.append(() if none else (Factor(dim, extent, step, gather=gather),))
        return (*axes[:-1], axes[-1] or self.alone) if axes else ()


@dataclass(slots=True)
class Nests:
    """Those of one kernel. ``used``: dims that loops go over; ``views``: how values lie, by the names under which they
    are seen, of which some are ``written``; ``first``: tiles to begin with."""

    builder: KernelBuilder
    op: Op
    names: FreeNames
    dims: dict[str, Dim] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    views: dict[str, GmView] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)
    first: dict[str, Choice] = field(default_factory=dict)

    @staticmethod
    def of(builder: KernelBuilder, op: Op) -> Nests:
        """None so far. New dims are called after the result of ``op``."""
        return Nests(builder, op, FreeNames(builder.program))

    def open(self, items: Sequence[Tiled]) -> Nest:
        """The loops over some axes."""
        words = [*("axis" for _ in items[2:]), "rows", "columns"][-len(items) or 2 :]
        dims = [self._dim(item, word) for (item, _), word in zip(items, words, strict=True)]
        named = [(dim, choice) for dim, (_, choice) in zip(dims, items, strict=True) if dim is not None]
        self.first |= {dim: replace(choice, dim=dim) for dim, choice in named}
        by_index = len(items) > 1 and items[-2][0].gathered and items[-2][1].tile > 1
        alone = (Factor(None, ONE, ONE),) if by_index else ()  # each such row begins at 32 bytes
        known = [self.dims[dim].value if dim in self.dims else None for dim in dims]
        extents = [item.extent if size is None else Poly.of(size) for (item, _), size in zip(items, known, strict=True)]
        return Nest([item for item, _ in items], dims, extents, alone)

    def view(self, value: Value, view: GmView, *, written: bool = False, boxed: bool = False) -> Value:
        """A value under the name by which the kernel sees it so. What is read where it lies has a name of its own."""
        dims = [axis[0].dim if axis else None for axis in view.axes]
        shape = tuple(Integer(1) if dim is None else dim_symbol(dim) for dim in dims)
        view = replace(view, per_iteration=None)
        if boxed:  # all matrices are one axis
            view = replace(view, axes=(*(view.axes[:-2] and (sum(view.axes[:-2], ()),)), *view.axes[-2:]))
        known = (name for name, other in self.views.items() if other == view and name not in self.written)
        name = next(known, None) or self.names.take(f"{value.name}_view")
        self.views[name] = view
        self.written |= {name} if written else set()
        return replace(value, name=name, shape=shape, layout="nd", strides=())

    def kernel_view(self, nests: Sequence[tuple[Op, ...]], leading: str | None = None) -> KernelView:
        """The kernel as it is cut; ``nests``: the statements that have their loops together."""
        ops = tuple(op for nest in nests for op in nest)
        writes = tuple(name for name in self.views if name in self.written)
        kernel, program = replace(self.builder.kernel, ops=ops, writes=writes), self.builder.program
        mine = {op.result.name for op in self.builder.kernel.ops}
        others = tuple(op for op in program.ops if op.result.name not in mine)
        program = replace(program, ops=(*others, *ops), dims=(*program.dims, *self.dims.values()))
        return KernelView(program, kernel, Axes(program), tuple(nests), self.views, self.first, leading)

    def _dim(self, item: Item, word: str) -> str | None:
        """The dim that a loop over an item goes over: one of the program, if it is that and no other loop's. None for
        one element."""
        if item.extent == ONE:
            return None
        dim, axes = item.dim, self.builder.axes
        if dim is None or dim in self.used or dim in axes.over:
            size = sum(prod(map(dim_symbol, names), start=Integer(times)) for names, times in item.extent.terms)
            dim = self.names.take(f"{self.op.result.name}_{word}")
            self.dims[dim] = dim_of_size(self.builder.program, axes, size, dim, self.op.span)
        self.used.add(dim)
        return dim
