"""Packed weights as one plain array of one axis: the physical form, and behind it 128 bytes that say what it is.

What keeps arrays and knows nothing of this project (a ``state_dict``, a file of tensors) keeps such a one, too, and a
reader is told when it is something else. The record is 16 bytes of ASCII, ``ptognz01`` (the number counts changes of
the physical forms) and the name of the platform, then whole numbers of 64 bits, little-endian: the rank, and the sizes
[..., K, N] of the plain matrices, zeros behind them.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.layout.buffers import aligned_empty
from pyptogen.layout.packing import PackedWeight, packed_size

if TYPE_CHECKING:
    import numpy.typing as npt

RECORD_BYTES = 128
_MAGIC = b"ptognz01"
_MOST_AXES = 13
_NUMBERS = struct.Struct(f"<{1 + _MOST_AXES}q")


def record_head(target: str) -> bytes:
    """The first 16 bytes of the record of a weight packed for a platform."""
    return _MAGIC + target.encode().ljust(8, b"\0")


def array_size(shape: tuple[Any, ...], itemsize: int, target: str) -> Any:
    """Elements of the array for matrices [..., K, N], whose sizes may be symbols of torch."""
    return packed_size(shape, itemsize, target) + RECORD_BYTES // itemsize


def as_one_array(weight: PackedWeight) -> npt.NDArray[Any]:
    """A copy of a packed weight with its record, of the weight's dtype."""
    itemsize = weight.dtype.itemsize
    array = aligned_empty((weight.data.size + RECORD_BYTES // itemsize,), weight.dtype)
    array[: weight.data.size] = weight.data
    numbers = (len(weight.shape), *weight.shape, *([0] * (_MOST_AXES - len(weight.shape))))
    record = record_head(weight.target) + _NUMBERS.pack(*numbers)
    array.view(np.uint8)[-RECORD_BYTES:] = np.frombuffer(record, np.uint8)
    return array


def packed_weight(array: npt.NDArray[Any]) -> PackedWeight | None:
    """The packed weight that an array of one axis is, on the same memory; None where its record says nothing or
    another size."""
    itemsize = array.dtype.itemsize
    if array.ndim != 1 or not array.flags.c_contiguous or itemsize not in (1, 2, 4) or array.nbytes < RECORD_BYTES:
        return None
    record = array.view(np.uint8)[-RECORD_BYTES:].tobytes()
    if not record.startswith(_MAGIC):
        return None
    from pyptogen.lower.platforms import PLATFORMS

    target = record[len(_MAGIC) : 16].rstrip(b"\0").decode("ascii", "replace")
    rank, *sizes = _NUMBERS.unpack(record[16:])
    shape = (*sizes[:rank],) if 2 <= rank <= _MOST_AXES else ()
    if target not in PLATFORMS or not shape or min(shape) < 1 or array_size(shape, itemsize, target) != array.size:
        return None
    return PackedWeight(array[: packed_size(shape, itemsize, target)], shape, array.dtype, "nz", target)
