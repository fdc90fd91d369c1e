"""Addresses, barriers, fifos, communication between chips, printing: what each does to the state it accesses.

A fifo is a tuple of what was put into it. A group is a list of the ranks' arrays.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.bits import COMPARE
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, require, stepwise


def _assigned(dst: Shaped, memory: Array, offset: int) -> Array:
    """The elements that a plain tile finds at a byte offset of its memory."""
    size = dst.rows * dst.cols * dst.numpy.itemsize
    return np.asarray(memory[offset : offset + size].copy().view(dst.numpy).reshape(dst.shape))


def _ordered(*_operands: Any) -> tuple[()]:
    """Order between pipes and cores; no element changes."""
    return ()


def _pushed(fifo: tuple[Array, ...], tile: Array) -> tuple[Array, ...]:
    return (*fifo, tile.copy())


def _popped(fifo: tuple[Array, ...]) -> tuple[tuple[Array, ...], Array]:
    if not fifo:
        raise ValueError("the fifo is empty")
    return fifo[1:], fifo[0]


def _freed(in_use: int) -> int:
    return in_use - 1


def _allocated(in_use: int, slots: int) -> int:
    if in_use >= slots:
        raise ValueError(f"all {slots} slots are in use")
    return in_use + 1


def _transferred(dst: Array, src: Array, add: bool = False) -> Array:
    """What the receiving memory holds afterwards."""
    require(src.shape, dst.shape, "the source")
    return stepwise(np.add, dst.dtype, dst, src) if add else src.copy()


def _notified(signal: int, value: int, op: str = "set") -> int:
    """int32, wrapping."""
    return int(np.array(signal + value if op == "add" else value, np.int64).astype(np.int32))


def _holds(signals: Array, value: int, cmp: str) -> bool:
    """Whether the comparison holds for all signals."""
    return bool(COMPARE[cmp](signals, np.int32(value)).all())


def _broadcast(group: Sequence[Array], root: int) -> list[Array]:
    return [group[root].copy() for _ in group]


def _gathered(group: Sequence[Array]) -> Array:
    return np.concatenate(list(group), axis=0)


def _scattered(source: Array, ranks: int) -> list[Array]:
    return list(np.split(source, ranks, axis=0))


_REDUCE = {"sum": np.add, "max": np.maximum, "min": np.minimum}


def _reduced(group: Sequence[Array], root: int, op: str) -> Array:
    """From the root's tensor on, then the others in order; rounded to the element type after each step."""
    result = group[root]
    for rank, part in enumerate(group):
        if rank != root:
            result = stepwise(_REDUCE[op], result.dtype, result, part)
    return result


def _printed(tile: Array, width: int = 8, precision: int = 2) -> str:
    """A title with the valid extent, then a line for each row; floats with a fixed number of digits."""
    spec = f"{width}.{precision}f" if tile.dtype.kind not in "iu" else f"{width}d"
    lines = [" ".join(format(float(v) if "f" in spec else int(v), spec) for v in row) for row in tile]
    return "\n".join([f"TPRINT {tile.shape[0]}x{tile.shape[1]}", *lines, ""])


MEANINGS: Mapping[str, Meaning] = {
    "TASSIGN": _assigned,
    "TSYNC": _ordered,
    "SYNCALL": _ordered,
    "TPUSH": _pushed,
    "TPOP": _popped,
    "TFREE": _freed,
    "TALLOC": _allocated,
    "TPRINT": _printed,
    "comm::TPUT": _transferred,
    "comm::TGET": _transferred,
    "comm::TPUT_ASYNC": _transferred,
    "comm::TGET_ASYNC": _transferred,
    "comm::TNOTIFY": _notified,
    "comm::TWAIT": _holds,
    "comm::TTEST": _holds,
    "comm::TBROADCAST": _broadcast,
    "comm::TGATHER": _gathered,
    "comm::TSCATTER": _scattered,
    "comm::TREDUCE": _reduced,
}
