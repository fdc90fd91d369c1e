"""Whether the ranges of the launch dim may be computed one by one, in any order and at the same time.

    row: t in 32s; kernels a (rows of t: writes w), b (rows of t: reads w, writes y)      each range has its own rows
    row: t in 32s; kernels a (rows of t → slots of a cache), b (reads the cache)          b needs the rows of all ranges

Ranges are independent where each tensor that a kernel writes is private to its range, or is the same for all ranges, or
has an axis of the launch dim along which every kernel keeps to the part of its range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.tile.ir import GmRef, GmTensor, Loop, TileKernel, walk_in_loops


def are_independent(kernels: Sequence[Sequence[TileKernel]], launch_dim: str) -> bool:
    """Whether the launches of one range need nothing of other ranges, and leave them theirs.

    Args:
        kernels: the programs of each launch, in order.
        launch_dim: the dim whose ranges are launched.
    """
    tensors = {tensor.name: tensor for programs in kernels for kernel in programs for tensor in kernel.tensors}
    written = dict.fromkeys(name for programs in kernels for kernel in programs for name in kernel.writes)
    speaks = any(kernel.launch_dim is None and launch_dim in kernel.dims for programs in kernels for kernel in programs)
    return not speaks and all(_is_independent(tensors[name], kernels, launch_dim) for name in written)


def _is_independent(tensor: GmTensor, kernels: Sequence[Sequence[TileKernel]], launch_dim: str) -> bool:
    """The same for one tensor that is written."""
    name = tensor.name
    users = [programs for programs in kernels if any(name in {*k.reads, *k.writes} for k in programs)]
    writers = [at for at, programs in enumerate(users) if any(name in k.writes for k in programs)]
    readers = [at for at, programs in enumerate(users) if any(name in k.reads for k in programs)]
    if len(users) == 1 and not readers:
        return True
    along = next((axis for axis, size in enumerate(tensor.shape) if size == Poly.of(launch_dim)), None)
    if along is not None and all(_keeps_to_range(k, tensor, along, launch_dim) for programs in users for k in programs):
        return True
    in_ranges = any(kernel.launch_dim is not None for at in writers for kernel in users[at])
    return not in_ranges and len(writers) == 1 and all(at > writers[0] for at in readers)


def _keeps_to_range(kernel: TileKernel, tensor: GmTensor, along: int, launch_dim: str) -> bool:
    """Whether a kernel accesses a tensor in its range of axis ``along`` alone: wherever it does, it is in an iteration
    of the loop over the range, and in the part of the axis that is the iteration's tile."""
    step = prod(tensor.shape[along + 1 :], start=ONE)
    around = step * tensor.shape[along]
    for op, loops in walk_in_loops(kernel.body):
        if op.index_tensor == tensor.name:
            return False
        if op.window is not None and op.window.tensor == tensor.name:
            over = [loop for loop in loops if f"{launch_dim}_begin" in loop.start.names()]
            plain = op.window.plain(tensor) if tensor.layout == "nz" else op.window
            each = _elements_of_a_step(over[0], launch_dim, step) if len(over) == 1 else None
            if op.index_tensor is not None or each is None or not _in_tile(plain, over[0], loops, each, step, around):
                return False
    return True


def _elements_of_a_step(over: Loop, launch_dim: str, step: Poly) -> Poly | None:
    """How far apart two neighbours of the loop over the range are: the loop counts indices of the launch dim, which
    are ``step`` elements apart, or so many parts of each, or elements."""
    parts = over.start.quotient(Poly.of(f"{launch_dim}_begin"))
    return None if parts is None else step.quotient(parts)


def _in_tile(window: GmRef, over: Loop, loops: Sequence[Loop], each: Poly, step: Poly, around: Poly) -> bool:
    """Whether a window lies in the tile of an iteration of ``over``, whose neighbours are ``each`` elements apart;
    ``step`` elements are from one index of the launch dim to the next, ``around`` from one pass of its axis to the
    next. Of what is in the offset, the iteration's variable alone may count indices; the rest counts passes, or
    elements of one index."""
    here = Poly.of(over.var) * each
    if not set(here.terms) <= set(window.offset.terms):
        return False
    inner = [one for term in (window.offset - here).terms if (one := Poly((term,))).quotient(around) is None]
    if any(one.quotient(step) is not None for one in inner):
        return False
    both = ((window.rows.size, window.row_stride), (window.cols.size, window.col_stride))
    sides = [(size, stride) for size, stride in both if size > 1 and stride.quotient(around) is None]
    if any(size > over.tile for size, stride in sides if stride == each):
        return False
    last = {loop.var: loop.stop - loop.tile for loop in loops}
    ends = (*(_at_most(one, last) for one in inner), *(stride * (size - 1) for size, stride in sides))
    reach, room = sum(ends, Poly()).constant, (each * over.tile).constant
    return reach is None or room is None or 0 <= reach < room


def _at_most(term: Poly, last: Mapping[str, Poly]) -> Poly:
    """The term in the last iteration of every loop; negative terms are none that a window has."""
    ((names, factor),) = term.terms
    return prod((last.get(name, Poly.of(name)) for name in names), start=Poly.of(factor))
