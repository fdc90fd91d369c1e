"""Values in GM seen through views, and the window of a tile in them.

A view of a GM tensor is another address. Where an index tells which slice is meant (`gathered`), the address is known
when the core has read that number:

before: w_b = gathered(w: [groups, k, n], group: [blocks]); y = matmul(rows, w_b)       one block a tile
after:  for blocks0: group_here = read group[blocks0]; w_b = load w[group_here * k * n]; y_acc = matmul rows, w_b

before: r = gathered(table: [v, h], token: [t]); y = total + r                           many rows a tile
after:  for t0: r = load_rows table[…; 32 x h] by token[t0]; y = total + r
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ONE, ZERO, Poly
from pyptogen.lower.refusal import CopyOf, TwoKernels, unsupported
from pyptogen.lower.tensor.ir import DTYPES, PACKED, PRODUCTS, Op, Scalar, Value
from pyptogen.lower.tensor.program_names import dim_symbol
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Factor, Gather, GmView
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.grid import Grid, Shape2D
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.cutting.nest import Scope
from pyptogen.lower.tile.ir import Condition, Element, Extent, GmRef, GmTensor, Owner, ScalarArg
from pyptogen.lower.tile.ops import ReadIndex
from pyptogen.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Found:
    """What indices lead to: the elements to add to a window's offset; for a tile whose rows one of them names, that one
    with its first element for the tile, and how far apart those of neighbouring rows stand."""

    offset: Poly
    rows: tuple[Gather, Poly] | None = None


class Windows:
    """Finds what lies in GM, and emits what finds its place."""

    def __init__(self, builder: KernelBuilder, grid: Grid) -> None:
        self.builder, self.grid = builder, grid
        self.program, self.axes, self.defining, self.mine = (
            builder.program,
            builder.axes,
            builder.defining,
            builder.mine,
        )
        self.found: dict[tuple[str, Poly, int], str] = {}
        """Variables of indices, by the index, the place in it, and the scope in which it is read."""
        self.views = GmViews(builder)

    def scalar(self, scalar: Scalar, scope: Scope) -> ScalarArg:
        """A number as the kernel has it: attrs are arguments, and how long an iteration's block is, a variable or
        known."""
        around = {name: scope.loop_of(name) for name in self.axes.over}
        blocks = {n: dim_symbol(loop.valid) if loop.valid else loop.tile for n, loop in around.items() if loop}
        return self.axes.scalar(scalar, self.builder.scalars, blocks)

    def gm_view(self, name: str, reader: Op) -> GmView | None:
        """The GM window behind a value, or None if the value is computed in this kernel; refusals as `GmViews.read`."""
        return self.views.read(name, reader)

    def find(self, view: GmView, shape: Shape2D, scope: Scope, op: Op, early: bool, owned: int = 0) -> Found:
        """Reads the indices of a view inside ``scope``. They name one slice each, or one of them each row of the tile.
        ``owned``: a block goes on with those alone that name what it owns, tiles of so many.

        Raises:
            Refused: PTG303, a tile takes slices that lie apart in another way.
        """
        offset, rows = ZERO, None
        for number, gather in enumerate(view.gathers):
            along = [factor for axis in view.axes for factor in axis if factor.gather == number] + [*gather.also]
            place, wide = gather.offset, []
            for factor in along:
                loop = scope.loop_of(factor.dim)
                if loop is not None and not factor.still:
                    place = place + Poly.of(loop.var) * factor.stride
                wide += [factor] if (loop.tile if loop is not None else factor.extent.constant) != 1 else []
            self.builder.note_read(gather.index)
            if wide and (rows is not None or wide != [shape.row]):
                error = unsupported(op.span, "a tile of slices that an index names", "give their dim the tile 1")
                raise error.helped_by(CopyOf(gather.name))
            if wide:
                rows = (replace(gather, offset=place), wide[0].stride)
                continue
            if owned:
                home = self._home(along, scope)
                name = self._read_by_owner(gather, place, home if home.parent is not None else scope, op, owned)
            else:
                name = self._read(gather, place, self._home(along, scope), scope, op, early)
            offset = offset + Poly.of(name) * gather.step
        return Found(offset, rows)

    @staticmethod
    def _home(along: Sequence[Factor], scope: Scope) -> Scope:
        """The outermost scope that has the dims of an index."""
        home, dims = scope, {factor.dim for factor in along}
        while home.parent is not None and home.dim not in dims:
            home = home.parent
        return home

    def _read_by_owner(self, gather: Gather, place: Poly, home: Scope, op: Op, tile: int) -> str:
        """The number that an element of an index is read to, where it decides about the iteration."""
        name = self.builder.number(gather.index)
        element = Element(name, gather.index, place, op.span, gather.bound)
        home.only = Condition((element,), (), op.span, Owner(Poly.of(name), tile))
        return name

    def _read(self, gather: Gather, place: Poly, home: Scope, scope: Scope, op: Op, early: bool) -> str:
        """The number that an element of an index is read to."""
        key = (gather.index, place, id(home))
        if key not in self.found:
            self.found[key] = self.builder.number(gather.index)
            read = ReadIndex(None, (), op.span, op.stage, self.found[key], gather.index, place, gather.bound)
            self.builder.emit(read, home, early or home is not scope)
        return self.found[key]

    def gm_ref(self, view: GmView, shape: Shape2D, scope: Scope) -> GmRef:
        """The window of a tile, without what indices add to its offset."""
        offset = view.offset
        for axis in view.axes:
            for factor in axis:
                loop = scope.loop_of(factor.dim)
                if loop is not None and not factor.still and factor.gather is None:
                    offset = offset + Poly.of(loop.var) * factor.stride
        if view.per_iteration is not None:
            loop = scope.loop_of(view.per_iteration.loop.block.name)
            assert loop is not None
            offset = offset + Poly.of(loop.var) * view.per_iteration.step
        row = next((f for a in view.axes for f in a if _same(f, shape.row)), None)
        row_stride = ONE if row is None else row.stride if row.gather is None else view.gathers[row.gather].step
        columns = view.axes[-1] if view.axes else ()
        col_stride = next((f.stride for f in reversed(columns) if _same(f, shape.col) and f.gather is None), ONE)
        return GmRef(view.tensor, offset, row_stride, col_stride, shape.rows, shape.cols)

    def part_of_row(self, value: Value, cols: Extent, op: Op, scope: Scope) -> GmRef:
        """Elements of a row in GM, from its first one on."""
        view = self.gm_view(value.name, op)
        assert view is not None
        self.builder.note_read(view.tensor)
        return self.gm_ref(view, Shape2D(Extent(1), cols, "row", None, None), scope)

    def whole_row(self, value: Value, op: Op, scope: Scope) -> GmRef:
        """A row in GM, though a call may tell how long it is."""
        cols = self.grid.whole_extent(self.axes.poly(value.shape[-1]))
        return replace(self.part_of_row(value, cols, op, scope), row_stride=cols.poly())

    def packed_ref(self, view: GmView, ref: GmRef, tensor: GmTensor, scope: Scope, op: Op) -> GmRef:
        """The window in a matrix of the form `nz`: its place in the matrix, and the matrices before that.

        Raises:
            Refused: PTG303, an index that leads into the middle of a matrix.
        """
        *outer, depth, columns = view.axes
        matrix = self.position(tuple(factor for axis in outer for factor in axis), scope)
        if view.gathers:
            before = ref.offset - self.position(columns, scope)
            for factor in depth:
                loop = scope.loop_of(factor.dim)
                before = before - (Poly.of(loop.var) * factor.stride if loop is not None else ZERO)
            found = before.quotient(tensor.shape[-2] * tensor.shape[-1])
            if found is None or any(factor.gather is not None for factor in (*depth, *columns)):
                error = unsupported(op.span, "an index into matrices of the form `nz`", "leave `@ nz` out")
                raise error.helped_by(CopyOf(view.gathers[0].name))
            matrix = found
        elif len(view.axes) > len(tensor.shape):  # parts of the depth of one matrix
            matrix, depth = ZERO, tuple(factor for axis in (*outer, depth) for factor in axis)
        return replace(ref, k=self.position(depth, scope), n=self.position(columns, scope), matrix=matrix)

    def boxed_ref(self, view: GmView, ref: GmRef, scope: Scope, op: Op, column: bool) -> GmRef:
        """The window of a tile that is stored to an output of the form `nz`.

        Raises:
            Refused: PTG303, tiles that cut through its fractals, or are columns.
        """
        tensor = self.builder.tensors[view.tensor]
        ref = self.packed_ref(view, ref, tensor, scope, op)
        steps: dict[str, int] = {}
        around: Scope | None = scope
        while around is not None:
            steps[around.var] = 1 if around.start.terms and around.role != "sub" else around.tile
            around = around.parent
        k_step, n_step = self.builder.platform.fractal(DTYPES[tensor.dtype])
        rows = k_step if self.builder.platform.packed_nz else 1  # elsewhere a fractal has row after row
        apart = op.kind in PRODUCTS and not self.builder.platform.unified and not _of_fixpipe(ref, tensor)
        if apart or column or not ref.k.is_multiple_of(rows, steps) or not ref.n.is_multiple_of(n_step, steps):
            error = unsupported(op.span, f"`{tensor.name}` @ nz from tiles that cut through its fractals", "cut others")
            raise error.helped_by(CopyOf(op.result.name))
        return replace(ref, row_stride=tensor.shape[-2])

    def position(self, axis: tuple[Factor, ...], scope: Scope) -> Poly:
        """Where along an axis the tile inside ``scope`` begins."""
        position, stride = ZERO, ONE
        for factor in reversed(axis):
            loop = scope.loop_of(factor.dim)
            if loop is not None:
                position = position + Poly.of(loop.var) * stride
            stride = stride * factor.extent
        return position

    def check_pairs(self, value: Value, shape: Shape2D, op: Op) -> None:
        """Numbers of four bits move in pairs of a row.

        Raises:
            Refused: PTG303, a tile has an odd number of columns, and some value near it in this kernel is read
                with other columns: then the kernel is cut there.
        """
        if value.dtype not in PACKED or shape.cols.size % 2 == 0:
            return
        edge = self._regrouped_near(op)
        if edge is not None:
            what = f"a tile of {shape.cols.size} columns of `{value.name}`, of which two numbers share a byte"
            error = unsupported(op.span, what, "cut that axis at an even number, or leave it whole")
            raise error.helped_by(edge)

    def _regrouped_near(self, op: Op) -> TwoKernels | None:
        """The nearest operation that reads a value of this kernel by a view with other columns, and that value."""
        waiting, seen = [op], {op.result.name}
        while waiting:
            near = waiting.pop(0)
            for value in (v for v in near.operands if isinstance(v, Value)):
                base = self.mine.get(root(value.name, self.defining))
                if base is not None and base.result.shape[-1:] != value.shape[-1:]:
                    return TwoKernels(near.result.name, base.result.name)
            for other in self.mine.values():
                joined = other.result.name in self.builder.roots(near) or near.result.name in self.builder.roots(other)
                if joined and other.result.name not in seen:
                    seen.add(other.result.name)
                    waiting.append(other)
        return None


def _same(factor: Factor, wanted: Factor | None) -> bool:
    """Whether a factor of a view is the one behind the rows or columns of its tile."""
    return wanted is not None and (factor.dim, factor.extent) == (wanted.dim, wanted.extent)


def _of_fixpipe(ref: GmRef, tensor: GmTensor) -> bool:
    """Whether the fixpipe writes a tile of an accumulator to fractals of `nz`: its columns lie as far apart in GM as
    the tile has rows, in whole fractals, which are those of the matrix then (public A2/A3 headers, TStoreAccNz2nz)."""
    rows, cols = ref.rows, ref.cols
    whole = rows.valid is None and rows.size == tensor.shape[-2].constant and cols.valid is None
    return whole and rows.size % 16 == 0 and cols.size % 16 == 0 and tensor.dtype in ("fp16", "bf16", "fp32")
