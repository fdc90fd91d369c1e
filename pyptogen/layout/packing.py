"""Weights with ``layout: nz``: their physical forms, packed once or on the way into a call.

=========  ==========================================================================================
``cpu``    columns in panels of 32, rows in steps of 64 bytes: ``[N/32][K/KS][2][16][64 B]`` with ``KS = 64
/ es``.
           Element (k, n) is in fragment ``(n / 32, k / KS, n % 32 / 16)``, row ``k % KS / g``, at byte
           ``(n % 16 * g + k % g) * es``, ``g = 4 / es``: what a matrix unit takes as its right operand.
``a2a3``, ``a5``: the public NZ form ``[N/c0][K/16][16][c0]``, ``c0 = 32 / es``: fractals of 16 rows x 32 bytes.
=========  ==========================================================================================

``es`` is the element size in bytes. Rows and columns are padded with zeros to whole fractals. Of several matrices
[..., K, N] each has this form, one behind the other.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.layout.buffers import aligned_empty

if TYPE_CHECKING:
    import numpy.typing as npt


class PackedWeight:
    """A matrix [K, N], or several [..., K, N], in the physical form of a platform; accepted wherever the plain one is.

    ``data`` is the physical form, a flat array with 64-byte alignment; it does not change when the source
    does.
    """

    __slots__ = ("__weakref__", "data", "dtype", "layout", "shape", "target")

    def __init__(
        self, data: npt.NDArray[Any], shape: tuple[int, ...], dtype: np.dtype[Any], layout: str, target: str
    ) -> None:
        self.data = data
        self.shape = shape
        self.dtype = dtype
        self.layout = layout
        self.target = target

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes of the physical form, padding included."""
        return int(self.data.nbytes)

    def unpack(self) -> npt.NDArray[Any]:
        """The plain matrices, a new array [..., K, N]."""
        unpack = _unpack_cpu if self.target == "cpu" else _unpack_fractal
        *several, rows, cols = self.shape
        count = int(np.prod(several))
        parts = [unpack(part, (rows, cols), self.dtype) for part in self.data.reshape(count, -1)]
        return parts[0] if not several else np.stack(parts).reshape(self.shape)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a packed weight cannot be seen as a plain matrix without a copy")
        return self.unpack() if dtype is None else self.unpack().astype(dtype)

    def __repr__(self) -> str:
        form = f"layout={self.layout!r}, target={self.target!r}"
        return f"PackedWeight(shape={self.shape}, dtype={self.dtype}, {form})"


def pack(w: Any, layout: str = "nz", target: str = "cpu") -> PackedWeight:
    """Pack a matrix [K, N], or several [..., K, N], of 1-, 2- or 4-byte elements for a platform.

    Raises PTG402 for fewer axes or no element, PTG403 for other element sizes, PTG404 for an unknown layout or
    target.
    """
    from pyptogen.layout.arrays import as_array
    from pyptogen.lower.platforms import PLATFORMS

    _known("layout", layout, ("nz",))
    _known("target", target, tuple(PLATFORMS))
    if isinstance(w, PackedWeight):
        if w.target == target:
            return w
        w = w.unpack()
    matrix = as_array("w", w)
    if matrix.ndim < 2 or 0 in matrix.shape:
        raise fault("PTG402", f"only matrices can be packed, not an array of shape {list(matrix.shape)}", None)
    plain = matrix.dtype.names is None and matrix.dtype.isnative and matrix.dtype.kind not in "OSUMm"
    if matrix.dtype.itemsize not in (1, 2, 4) or not plain:
        raise fault(
            "PTG403",
            f"elements of dtype {matrix.dtype} have no packed form",
            None,
            expected="numbers of 1, 2 or 4 bytes",
        )
    pack_one = _pack_cpu if target == "cpu" else _pack_fractal
    parts = [pack_one(part) for part in matrix.reshape(-1, *matrix.shape[-2:])]
    return PackedWeight(_joined(parts), matrix.shape, matrix.dtype, layout, target)


def _fractal(size: int, target: str) -> tuple[int, int]:
    from pyptogen.lower.platforms import PLATFORMS

    return PLATFORMS[target].fractal(size)


def packed_size(shape: tuple[Any, ...], itemsize: int, target: str) -> Any:
    """Elements of the physical form of matrices [..., K, N], padding included. Sizes may be symbols of torch."""
    deep, wide = _fractal(itemsize, target)
    *several, rows, cols = shape
    return math.prod([*several, _up(rows, deep), _up(cols, wide)])


def fractal_numbers(shape: tuple[int, ...], itemsize: int, target: str) -> tuple[int, ...]:
    """The ``Fractals`` of ``native/nz_fractals.hpp`` of matrices [..., K, N]: their number, K, N, rows and columns of a
    fractal, how many of its columns stand side by side, how many rows of a column lie next to each other, and bytes of
    an element.
    """
    deep, wide = _fractal(itemsize, target)
    *several, rows, cols = shape
    lanes, group = (16, 4 // itemsize) if target == "cpu" else (wide, 1)
    return math.prod(several), rows, cols, deep, wide, lanes, group, itemsize


def new_packed(shape: tuple[int, ...], dtype: np.dtype[Any], target: str) -> PackedWeight:
    """Matrices of zeros in the physical form of a platform, padding included."""
    data = aligned_empty((packed_size(shape, dtype.itemsize, target),), dtype)
    data.view(np.uint8).fill(0)
    return PackedWeight(data, shape, dtype, "nz", target)


def places_of_all(shape: tuple[int, ...], size: int, target: str) -> npt.NDArray[Any]:
    """Where each element of matrices [..., K, N] lies in their physical form, int64 [..., K, N]."""
    *several, rows, cols = shape
    deep, wide = _fractal(size, target)
    height, width = _up(rows, deep), _up(cols, wide)
    one = places(rows, cols, size, target == "cpu", height * wide)
    before = np.arange(int(np.prod(several))) * (height * width)
    return np.asarray(before[:, None, None] + one).reshape(shape)


def places(rows: int, cols: int, size: int, packed: bool, pitch: int) -> npt.NDArray[Any]:
    """Where each element of a matrix lies in its physical form, in elements of ``size`` bytes, int64 [rows, cols].
    ``pitch`` is the distance from one panel or column of fractals to the next; ``packed``: the form of ``cpu``."""
    k, n = np.arange(rows)[:, None], np.arange(cols)[None, :]
    if not packed:
        wide = 32 // size
        return np.asarray(n // wide * pitch + k * wide + n % wide)
    deep, group = 64 // size, 4 // size
    fragment = k // deep * 2 + n % 32 // 16
    return np.asarray(n // 32 * pitch + (fragment * 16 + k % deep // group) * 16 * group + n % 16 * group + k % group)


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Packed matrices one behind the other."""
    if len(parts) == 1:
        return parts[0]
    data = aligned_empty((sum(part.size for part in parts),), parts[0].dtype)
    np.concatenate(parts, out=data)
    return data


def _known(what: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise fault(
            "PTG404",
            f"unknown {what} `{value}`",
            None,
            expected=f"one of {', '.join(known)}",
            fix=did_you_mean(value, known),
        )


def _up(value: Any, step: int) -> Any:
    return -(-value // step) * step


def _bits(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The matrix as unsigned integers: numpy moves those faster than bf16."""
    return matrix.view(np.dtype(f"u{matrix.dtype.itemsize}"))


def _padded(matrix: npt.NDArray[Any], rows: int, cols: int) -> npt.NDArray[Any]:
    if matrix.shape == (rows, cols):
        return matrix
    padded = np.zeros((rows, cols), matrix.dtype)
    padded[: matrix.shape[0], : matrix.shape[1]] = matrix
    return padded


def _pack_cpu(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    size = matrix.dtype.itemsize
    group, step = 4 // size, 64 // size
    rows, cols = _up(matrix.shape[0], step), _up(matrix.shape[1], 32)
    bits = _padded(_bits(np.ascontiguousarray(matrix)), rows, cols)
    if group == 1:
        words = bits
    else:
        # `group` elements of one column make a 4-byte word; then whole words move.
        interleaved = np.empty((rows // group, cols, group), bits.dtype)
        for j in range(group):
            interleaved[:, :, j] = bits[j::group]
        words = interleaved.view(np.uint32)[:, :, 0]
    packed = aligned_empty((cols // 32, rows // step, 2, 16, 16), np.dtype(np.uint32))
    packed[...] = words.reshape(rows // step, 16, cols // 32, 2, 16).transpose(2, 0, 3, 1, 4)
    return packed.reshape(-1).view(matrix.dtype)


def _unpack_cpu(data: npt.NDArray[Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    size = dtype.itemsize
    group, step = 4 // size, 64 // size
    rows, cols = _up(shape[0], step), _up(shape[1], 32)
    fractals = _bits(data).reshape(cols // 32, rows // step, 2, 16, 16, group)
    matrix = fractals.transpose(1, 3, 5, 0, 2, 4).reshape(rows, cols)
    return np.ascontiguousarray(matrix[: shape[0], : shape[1]]).view(dtype)


def _pack_fractal(matrix: npt.NDArray[Any]) -> npt.NDArray[Any]:
    c0 = 32 // matrix.dtype.itemsize
    rows, cols = _up(matrix.shape[0], 16), _up(matrix.shape[1], c0)
    bits = _padded(_bits(np.ascontiguousarray(matrix)), rows, cols)
    packed = aligned_empty((cols // c0, rows // 16, 16, c0), bits.dtype)
    packed[...] = bits.reshape(rows // 16, 16, cols // c0, c0).transpose(2, 0, 1, 3)
    return packed.reshape(-1).view(matrix.dtype)


def _unpack_fractal(data: npt.NDArray[Any], shape: tuple[int, int], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    c0 = 32 // dtype.itemsize
    rows, cols = _up(shape[0], 16), _up(shape[1], c0)
    matrix = _bits(data).reshape(cols // c0, rows // 16, 16, c0).transpose(1, 2, 0, 3).reshape(rows, cols)
    return np.ascontiguousarray(matrix[: shape[0], : shape[1]]).view(dtype)
