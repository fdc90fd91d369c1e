"""Builds the kernel of one operation: loops over an iteration space, tiles, transfers with strides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import CopyOf, Refusal, asked, unsupported
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.program_names import loop_variable, names_in_kernels
from pyptogen.lower.tensor.views import root, value_views
from pyptogen.lower.tile.cutting.axes import Axes, Factor, GmView, regrouped
from pyptogen.lower.tile.cutting.items import Item, items_of, merged
from pyptogen.lower.tile.ir import (
    Extent,
    Form,
    GmRef,
    GmTensor,
    Loop,
    Node,
    ScalarArg,
    Source,
    TileKernel,
    TileOp,
    TileVal,
)
from pyptogen.lower.tile.kernels.moved_axes import elements_of_a_tile, most_rows
from pyptogen.lower.tile.kernels.partition import KernelOps, defining_ops
from pyptogen.lower.tile.loops.between_iterations import values_per_iteration
from pyptogen.lower.tile.names import names_used
from pyptogen.lower.tile.ops import Load, Store
from pyptogen.records import dataclass, replace

Made = TypeVar("Made", bound=TileOp)


@dataclass(frozen=True, slots=True)
class Step:
    """An item that is looped over: ``var`` runs over it, ``tile`` elements at a time."""

    item: Item
    var: str
    tile: int

    @property
    def valid(self) -> str | None:
        whole = self.item.extent.constant
        return None if self.tile == 1 or (whole is not None and whole % self.tile == 0) else f"{self.var}_valid"

    def extent(self) -> Extent:
        return Extent(self.tile, Poly.of(self.valid) if self.valid else None)


class StandaloneBuilder:
    """Collects tiles, tensors and loop nests of one kernel."""

    def __init__(
        self,
        program: Program,
        kernel: KernelOps,
        op: Op,
        tensors: Mapping[str, GmTensor],
        gm_names: Mapping[str, str],
        platform: Platform,
    ) -> None:
        self.program, self.kernel, self.platform = program, kernel, platform
        self.axes = Axes(program)
        self.defining = defining_ops(program)
        self.per_iteration = values_per_iteration(self.axes)
        self.tensors, self.gm_names = tensors, gm_names
        self.tiles: dict[str, TileVal] = {}
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.body: list[Node] = []
        self.op = op
        self.distributed = True
        """Whether the blocks of a launch share the work; else one block does it in order."""
        self.taken = names_in_kernels(program, tensors)
        self.place = loop_variable("place", self.taken)
        """The local number that an index is read into."""
        self._vars = 0

    # -- tensors ----------------------------------------------------------------------------------------------------

    def source(self, value: Value) -> GmView:
        """An operand in GM, seen through its views."""
        base = root(value.name, self.defining)
        tensor = self.gm_names[base]
        whole = self.defining[base].result if base in self.defining else self._input(base)
        if self.tensors[tensor].layout == "nz" and base in self.defining:
            raise unsupported(self.op.span, f"what lies in fractals, `{tensor}`", "leave `@ nz` out").helped_by(
                CopyOf(base)
            )
        if self.tensors[tensor].layout == "nz":
            raise unsupported(self.op.span, f"`{self.op.kind}` of the packed tensor `{tensor}`", "give it as nd")
        view = replace(self.axes.whole(tensor, whole), per_iteration=self.per_iteration.get(base))
        for op in value_views(self.defining, value.name):
            if op.kind == "gathered":
                error = unsupported(self.op.span, f"`{self.op.kind}` of what an index names", "copy it first")
                raise error.helped_by(CopyOf(op.result.name))
            seen = asked(self.axes.apply, view, op)
            if isinstance(seen, Refusal):
                raise regrouped(seen, op).error()
            view = seen
        if tensor not in self.reads:
            self.reads.append(tensor)
        return view

    def _input(self, name: str) -> Value:
        return next(v for v in self.program.inputs if v.name == name)

    def target(self, op: Op | None = None) -> GmView:
        """The result in GM, of the operation at hand or of another one of the kernel.

        Raises:
            Refused: PTG303, it is an output of the layout `nz`.
        """
        result = (op or self.op).result
        tensor = self.gm_names[result.name]
        if self.tensors[tensor].layout == "nz":
            raise unsupported(self.op.span, f"`{tensor}` @ nz", "leave `@ nz` out").helped_by(CopyOf(result.name))
        if tensor not in self.writes:
            self.writes.append(tensor)
        return self.axes.whole(tensor, result)

    def largest(self, size: Poly) -> int:
        """The greatest value of a size."""
        return size.evaluate({dim.name: dim.max for dim in self.program.dims})

    def items(self, *views: Sequence[tuple[Factor, ...]]) -> list[Item]:
        """The factors of views of one shape, side by side; refusals as `items_of`."""
        return items_of(self.op.span, *views)

    def stride(self, axis: tuple[Factor, ...]) -> Poly:
        """Elements from one step along an axis to the next.

        Raises:
            DiagnosticError: PTG303, the axis is made of parts that lie apart.
        """
        merged = self.merged([Item(f.extent, (f.stride,)) for f in axis])
        if len(merged) > 1:
            raise unsupported(self.op.span, f"`{self.op.kind}` along an axis whose parts lie apart", "copy it first")
        return merged[0].steps[0] if merged else ZERO

    merged = staticmethod(merged)

    # -- loops --------------------------------------------------------------------------------------------------------

    def budget(self, dtype: str) -> int:
        """Elements of one tile."""
        return elements_of_a_tile(self.platform, dtype)

    def most_rows(self, dtype: str, width: int) -> int:
        """Rows of one tile with so many columns."""
        return most_rows(self.platform, dtype, width)

    def step(self, item: Item, tile: int) -> Step:
        """A loop over an item; a tile that is larger than it is cut down to it."""
        whole = item.extent.constant
        self._vars += 1
        var = loop_variable(f"i{self._vars}", self.taken)
        return Step(item, var, min(tile, whole) if whole is not None else tile)

    def nest(self, steps: Sequence[Step], body: Sequence[Node], product: bool = False) -> None:
        """Add a nest of loops, outermost first; the longest of them is distributed to the blocks of a launch, or all of
        them as one ``product``, whose iterations are independent."""
        self.body += self.wrapped(steps, body, self.distributed, product)

    def wrapped(
        self, steps: Sequence[Step], body: Sequence[Node], distributed: bool = False, product: bool = False
    ) -> list[Node]:
        """A body inside its loops."""
        looped = [s for s in steps if s.item.extent != Poly.of(s.tile)]
        longest = max(looped, key=_trips, default=None) if distributed else None
        nodes = list(body)
        for s in reversed(looped):
            body = tuple(nodes)
            parallel = s is longest or (distributed and product)
            nodes = [Loop(s.var, s.var, ZERO, s.item.extent, s.tile, s.valid, "grid", parallel, body, self.op.span)]
        if distributed and longest is None:
            once = loop_variable("once", self.taken)
            nodes = [Loop(once, once, ZERO, ONE, 1, None, "grid", True, tuple(nodes), self.op.span)]
        return nodes

    @staticmethod
    def at(start: Poly, steps: Sequence[Step], tensor: int) -> Poly:
        """Where the tile of this iteration begins in a tensor."""
        for s in steps:
            if s.item.extent != Poly.of(s.tile):
                start = start + Poly.of(s.var) * s.item.steps[tensor]
        return start

    # -- operations ---------------------------------------------------------------------------------------------------

    def tile(self, wanted: str, dtype: str, rows: Extent, cols: Extent, form: Form) -> str:
        name, n = wanted, 1
        while name in self.tiles or name in self.tensors:
            n += 1
            name = f"{wanted}_{n}"
        self.tiles[name] = TileVal(name, dtype, rows, cols, form, self.op.span)
        return name

    def window(self, wanted: str, parent: str, at: int, cols: Extent, row: Poly | None = None) -> str:
        """Columns of a tile from ``at`` on: of all of its rows, or of one."""
        whole = self.tiles[parent]
        rows, form = (whole.rows, whole.form) if row is None else (Extent(1), "row")
        name = self.tile(wanted, whole.dtype, rows, cols, form)
        self.tiles[name] = replace(self.tiles[name], parent=parent, col_offset=at, row_offset=row or ZERO)
        return name

    def line(self, wanted: str, parent: str, at: Poly) -> str:
        """One row of a tile."""
        return self.window(wanted, parent, 0, self.tiles[parent].cols, at)

    def variable(self, wanted: str) -> str:
        """A loop variable that nothing else is called."""
        return loop_variable(wanted, self.taken)

    def do(self, operation: type[Made], dst: str | None, *sources: Source, **fields: Any) -> Made:
        """An operation for the one at hand."""
        return operation(dst, sources, self.op.span, self.op.stage, **fields)

    def number(self, value: Any) -> ScalarArg:
        return ScalarArg(value, self.op.span)

    def load(self, tile: str, tensor: str, offset: Poly, row_stride: Poly = ONE, col_stride: Poly = ONE) -> Load:
        found = self.tiles[tile]
        return self.do(Load, tile, gm=GmRef(tensor, offset, row_stride, col_stride, found.rows, found.cols))

    def store(self, tile: str, tensor: str, offset: Poly, row_stride: Poly = ONE, col_stride: Poly = ONE) -> Store:
        found = self.tiles[tile]
        return self.do(Store, None, tile, gm=GmRef(tensor, offset, row_stride, col_stride, found.rows, found.cols))

    def finish(self) -> TileKernel:
        """The kernel."""
        kernel = self.kernel
        tensors = tuple(self.tensors[t] for t in dict.fromkeys([*self.writes, *self.reads]))
        used = names_used(self.body)
        dims = tuple(d.name for d in self.program.dims if d.dynamic and d.name in used)
        return TileKernel(
            kernel.name, "vector", kernel.stages, tensors, tuple(self.reads), tuple(self.writes), (), None,
            dims, tuple(self.tiles.values()), tuple(self.body), (), kernel.span,
        )  # fmt: skip


def _trips(step: Step) -> tuple[bool, int]:
    """How often a loop runs, as far as it is known; a run-time extent is taken for long."""
    whole = step.item.extent.constant
    return whole is None, -(-whole // step.tile) if whole is not None else 0
