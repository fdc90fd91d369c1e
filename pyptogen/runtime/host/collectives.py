"""Collectives over the chips of a host: each is one task per chip, and none waits at a barrier.

``tensors`` has one tensor per chip; the results are new tensors, one per chip, in the same order. All tensors
have one shape and dtype.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.host import collective_kernels
from pyptogen.runtime.host.handles import TaskHandle, TensorHandle, single_output

_WORTH_CUTTING = 4096
"""Elements a chip from which on cutting tensors up costs less than moving them whole."""


class Submitter(Protocol):
    """What collectives are built on: the face of an orchestration."""

    def submit(self, kernel: Any, *, chip: int | None = None, args: Any = None) -> TaskHandle: ...

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> TensorHandle: ...


def copy(o: Submitter, tensor: Any, chip: int) -> TensorHandle:
    """A copy of a tensor in the memory of another chip, made by that chip."""
    source = _tensor(tensor)
    target = o.empty(source.shape, source.dtype, chip=chip)
    o.submit(collective_kernels.copy, chip=chip, args={"x": Arg.input(source), "y": Arg.output(target)})
    return target


def broadcast(o: Submitter, tensor: Any, chips: Sequence[int]) -> list[TensorHandle]:
    """The tensor itself for its owner, and a copy for every other chip."""
    source = _tensor(tensor)
    return [source if source.owner == chip else copy(o, source, chip) for chip in chips]


def all_reduce(o: Submitter, tensors: Sequence[Any], op: str = "sum") -> list[TensorHandle]:
    """All tensors combined, for every chip. Each chip combines its part of the elements for all."""
    sources = _same(tensors)
    _known(op)
    if not sources[0].divisible:
        few = sources[0].size < _WORTH_CUTTING * len(sources)
        return _reduce_everywhere(o, sources, op) if few else _reduce_by_parts(o, sources, op)
    results = [o.empty(source.shape, source.dtype, chip=source.owner) for source in sources]
    for source, (start, stop) in zip(sources, _parts(sources), strict=True):
        args: dict[str, Any] = {"op": op, "count": len(sources)}
        args |= {f"x{i}": Arg.input(x.part(start, stop)) for i, x in enumerate(sources)}
        args |= {f"y{i}": Arg.output(y.part(start, stop)) for i, y in enumerate(results)}
        o.submit(collective_kernels.reduce_into, chip=source.owner, args=args)
    return results


def _reduce_everywhere(o: Submitter, sources: Sequence[TensorHandle], op: str) -> list[TensorHandle]:
    """Every chip combines everything for itself: few tasks, which is best for small tensors."""
    return [_reduced(o, sources, op, source.shape, source.owner) for source in sources]


def _reduce_by_parts(o: Submitter, sources: Sequence[TensorHandle], op: str) -> list[TensorHandle]:
    """Where a task moves and writes whole tensors: every chip cuts its own into parts, combines its part, and joins
    all sums, so that each element is moved twice and combined once.
    """
    cut = [_cut_up(o, source, _parts(sources)) for source in sources]
    sums = []
    for rank, source in enumerate(sources):
        mine = [pieces[rank] for pieces in cut]
        sums.append(_reduced(o, mine, op, mine[0].shape, source.owner))
    results = [o.empty(source.shape, source.dtype, chip=source.owner) for source in sources]
    for result in results:
        args = {"axis": 0, "y": Arg.output(result.reshape(result.size)), **_inputs(sums)}
        o.submit(collective_kernels.assemble, chip=result.owner, args=args)
    return results


def _reduced(
    o: Submitter, parts: Sequence[TensorHandle], op: str, shape: Sequence[int], chip: int | None
) -> TensorHandle:
    """The tensors combined, by one chip."""
    total = o.empty(shape, parts[0].dtype, chip=chip)
    args = {"op": op, "count": len(parts), **_inputs(parts), "y0": Arg.output(total)}
    o.submit(collective_kernels.reduce_into, chip=chip, args=args)
    return total


def _cut_up(o: Submitter, source: TensorHandle, parts: Sequence[tuple[int, int]]) -> list[TensorHandle]:
    """Parts of a tensor as tensors of their own, made by its chip."""
    made = [o.empty((stop - start,), source.dtype, chip=source.owner) for start, stop in parts]
    args = {"x": Arg.input(source), **{f"y{number}": Arg.output(y) for number, y in enumerate(made)}}
    o.submit(collective_kernels.cut_up, chip=source.owner, args=args)
    return made


def _parts(sources: Sequence[TensorHandle]) -> list[tuple[int, int]]:
    """The elements that each chip combines."""
    count, size = len(sources), sources[0].size
    return [(size * rank // count, size * (rank + 1) // count) for rank in range(count)]


def reduce_scatter(o: Submitter, tensors: Sequence[Any], op: str = "sum", axis: int = 0) -> list[TensorHandle]:
    """All tensors combined, cut along ``axis``: chip i gets slice i."""
    sources = _same(tensors)
    _known(op)
    shape = _cut(sources[0].shape, axis, len(sources))
    results = []
    for rank, source in enumerate(sources):
        y = o.empty(shape, source.dtype, chip=source.owner)
        args = {"op": op, "axis": axis, "rank": rank, "y": Arg.output(y), **_inputs(sources)}
        o.submit(collective_kernels.reduce_slice, chip=source.owner, args=args)
        results.append(y)
    return results


def all_gather(o: Submitter, tensors: Sequence[Any], axis: int = 0) -> list[TensorHandle]:
    """The tensors one after the other along ``axis``, for every chip."""
    sources = _same(tensors)
    shape = list(sources[0].shape)
    shape[_axis(shape, axis)] *= len(sources)
    results = []
    for source in sources:
        y = o.empty(shape, source.dtype, chip=source.owner)
        args = {"axis": axis, "y": Arg.output(y), **_inputs(sources)}
        o.submit(collective_kernels.assemble, chip=source.owner, args=args)
        results.append(y)
    return results


def all_to_all(o: Submitter, tensors: Sequence[Any], axis: int = 0) -> list[TensorHandle]:
    """Chip i gets slice i along ``axis`` of every tensor, one after the other along the same axis."""
    sources = _same(tensors)
    _cut(sources[0].shape, axis, len(sources))
    results = []
    for rank, source in enumerate(sources):
        y = o.empty(source.shape, source.dtype, chip=source.owner)
        args = {"axis": axis, "rank": rank, "y": Arg.output(y), **_inputs(sources)}
        o.submit(collective_kernels.exchange, chip=source.owner, args=args)
        results.append(y)
    return results


def _inputs(sources: Sequence[TensorHandle]) -> dict[str, Arg]:
    return {f"x{number}": Arg.input(source) for number, source in enumerate(sources)}


def _tensor(value: Any) -> TensorHandle:
    tensor = single_output(value) if isinstance(value, TaskHandle) else value
    if not isinstance(tensor, TensorHandle):
        raise TypeError(f"expected a tensor handle, not a {type(value).__name__}")
    return tensor


def _same(tensors: Sequence[Any]) -> list[TensorHandle]:
    sources = [_tensor(value) for value in tensors]
    if not sources:
        raise fault("PTG402", "a collective needs at least one tensor", None)
    for source in sources[1:]:
        if (source.shape, source.dtype) != (sources[0].shape, sources[0].dtype):
            raise fault(
                "PTG402",
                f"tensors of a collective differ: {source.dtype}{list(source.shape)}",
                None,
                expected=f"{sources[0].dtype}{list(sources[0].shape)}, as the first one",
            )
    return sources


def _axis(shape: Sequence[int], axis: int) -> int:
    if not -len(shape) <= axis < len(shape):
        raise fault("PTG402", f"a tensor of shape {list(shape)} has no axis {axis}", None)
    return axis


def _cut(shape: Sequence[int], axis: int, count: int) -> list[int]:
    cut = list(shape)
    if cut[_axis(shape, axis)] % count:
        raise fault("PTG402", f"axis {axis} of shape {cut} cannot be cut into {count} equal slices", None)
    cut[axis] //= count
    return cut


def _known(op: str) -> None:
    names = tuple(collective_kernels.OPERATIONS)
    if op not in names:
        raise fault(
            "PTG404",
            f"unknown operation `{op}`",
            None,
            expected=f"one of {', '.join(names)}",
            fix=did_you_mean(op, names),
        )
