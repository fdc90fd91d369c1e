"""Values and positions of an order are one kernel, with the elementwise work that leads to nothing else (devices).

before: v, i = topk(x: [t, h, 4096], 64)
after:  one kernel {topk_values, topk_indices} with dims rows = t * h: x [rows, 4096], v and i [rows, 64]

Rows of a tile are sorted several at a time where they are short. Of a long one a tile has a piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyptogen.lower.expr import ONE
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import CopyOf, Refusal, TwoKernels, asked, unsupported
from pyptogen.lower.tensor.ir import PAIRS, SORTING, Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes, one_run
from pyptogen.lower.tile.cutting.gm_views import GmViews
from pyptogen.lower.tile.cutting.kernel_builder import KernelBuilder
from pyptogen.lower.tile.kernels import merged_axes, prologues
from pyptogen.lower.tile.kernels.kernel_view import KernelView
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.kernels.paired_orders import SIDES
from pyptogen.lower.tile.sizes.first_guesses import Choice
from pyptogen.lower.tile.sorted_rows import LONGEST_PIECE, LONGEST_ROW, MOST_ROWS, fastest, in_pieces, kept_of
from pyptogen.records import replace

ORDERS = SORTING | PAIRS
LONGEST_WALK = 32768
"""Most elements that a CPU keeps of a row: UB holds their keys and positions twice over."""


def groups(program: Program, is_standalone: Callable[[Op], bool], unfused: Edges = frozenset()) -> Mapping[str, str]:
    """The operations of such kernels by their results, each with the result of the last one of its kernel.

    Args:
        program: the operator.
        is_standalone: which operations are kernels of their own else.
        unfused: pairs of (reader, value) that must not be in one kernel.
    """
    kernel: dict[str, list[str]] = {}
    known: dict[object, list[str]] = {}
    readers = prologues.Readers(program, is_standalone)
    for op in program.ops:
        if op.kind not in ORDERS or op.loop:
            continue
        (x,) = op.operands
        assert isinstance(x, Value)
        key = (op.kind in PAIRS and op.kind, op.stage, x.name, op.attrs["k"], op.attrs["largest"])
        group = kernel[x.name] if op.kind in SIDES.values() else known.setdefault(key, [])
        ahead = prologues.joining(program, op, readers, unfused) if op.kind == "topk_pairs" else set()
        if readers.alone(ahead, op):
            group += [other.result.name for other in program.ops if other.result.name in ahead]
        group.append(op.result.name)
        kernel |= dict.fromkeys(group, group)
    return {name: group[-1] for name, group in kernel.items()}


def run(builder: KernelBuilder) -> KernelView:
    """The kernel as it is cut.

    Raises:
        Refused: PTG303, the platform has no such order, or what it reads or writes does not lie in rows.
    """
    kernel, builder = builder.kernel, _with_lists(builder)
    order = next(op for op in kernel.ops if op.kind in ORDERS)
    _check_count(builder, order)
    _check_rows(builder, order)
    view = asked(merged_axes.merged, builder)
    if isinstance(view, Refusal):
        ahead = [op.result.name for op in kernel.ops[: kernel.ops.index(order)]]
        raise (view.helped_by(TwoKernels(order.result.name, ahead[-1])) if ahead else view).error()
    order = next(op for op in view.ops.ops if op.kind in ORDERS)
    return replace(view, first=_first(order, view.axes, builder.platform))


def _with_lists(b: KernelBuilder) -> KernelBuilder:
    """The kernel with the lists of a row's spans as one axis of it: memory for lists has as many rows as are ever split
    (`split_orders`)."""
    op = b.kernel.ops[0]
    if op.kind not in ("span_pairs", "merged_pairs"):
        return b
    (x,) = op.operands
    assert isinstance(x, Value)
    lists, rows = (op.result, x.shape) if op.kind == "span_pairs" else (x, op.result.shape)
    shape = (*rows[:-1], lists.shape[-2] * lists.shape[-1])
    seen = replace(lists, shape=shape)
    made = replace(op, result=seen) if op.kind == "span_pairs" else replace(op, operands=(seen,))
    kernel = replace(b.kernel, ops=(made, *b.kernel.ops[1:]))
    view = b.axes.contiguous(b.gm_names[lists.name], shape)
    return KernelBuilder(b.program, kernel, {}, b.tensors, b.gm_names, b.platform, b.axes, {lists.name: view})


def _check_count(b: KernelBuilder, op: Op) -> None:
    """Raises Refused, PTG303: more elements are kept than the platform has memory for."""
    if op.kind in PAIRS:
        return
    if b.platform.unified:
        kept = b.axes.poly(op.result.shape[-1]).evaluate({dim.name: dim.max for dim in b.program.dims})
        if kept > LONGEST_WALK:
            fix = f"sort at most {LONGEST_WALK}, or take the first with topk"
            raise unsupported(op.span, f"an order of up to {kept} elements", fix)
        return
    k = b.axes.poly(op.attrs["k"]).constant
    what = f"an order of {'a run-time number of' if k is None else k} elements on {b.platform.name}"
    fix = f"take at most {LONGEST_PIECE}, or sort rows of at most {LONGEST_ROW} elements, known at build time"
    raise unsupported(op.span, what, fix)


def _check_rows(b: KernelBuilder, op: Op) -> None:
    """Raises Refused, PTG303: elements of a row lie apart, or results are to lie in fractals."""
    views, (x,) = GmViews(b), op.operands
    assert isinstance(x, Value)
    if root(x.name, b.defining) not in b.mine:
        axis = [factor for factor in views.strided(x.name, op).axes[-1] if factor.extent != ONE]
        if not one_run(tuple(axis)) or (axis and axis[-1].stride != ONE):
            raise unsupported(op.span, "an order of elements that lie apart", "copy the operand first")
    for name in b.kernel.writes:
        tensor = b.tensors[b.gm_names[name]]
        if tensor.layout == "nz":
            raise unsupported(op.span, f"`{tensor.name}` @ nz", "leave `@ nz` out").helped_by(CopyOf(name))


def _first(op: Op, axes: Axes, platform: Platform) -> dict[str, Choice]:
    """The tiles to begin with: single rows, several where they are short, of a long one a piece."""
    (x,) = op.operands
    assert isinstance(x, Value)
    rows = [factor.dim for axis in axes.axes(x.shape[:-1]) for factor in axis if factor.dim is not None]
    found = {dim: Choice(dim, 1, 0, 1) for dim in rows}
    if platform.unified:
        return found
    k, length = op.attrs["k"], axes.poly(x.shape[-1]).constant
    if op.kind == "merged_pairs":
        return found
    if op.kind == "span_pairs" or length is None or in_pieces(length, k):
        (along,) = (factor.dim for factor in axes.axes(x.shape)[-1])
        assert along is not None
        tile = op.attrs.get("span", LONGEST_PIECE)
        return {**found, along: Choice(along, tile, 0, tile)}
    at_once = fastest(length, kept_of(k)).rows_at_once
    return found if at_once == 1 or not rows else {**found, rows[-1]: Choice(rows[-1], at_once, 1, MOST_ROWS)}
