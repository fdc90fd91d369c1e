"""Quantising instructions: by rows to eight bits and back, fused with sums, and to the microscaling formats."""

from __future__ import annotations

from collections.abc import Mapping

import ml_dtypes
import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.numerics.rounding import GRIDS, on_grid
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, require


def _by_rows(parameters: Array, rows: int) -> Array:
    """One parameter a row; the last one serves all further rows."""
    return parameters[np.minimum(np.arange(rows), len(parameters) - 1), :1].astype(np.float32)


def _quantised(dst: Shaped, a: Array, scale: Array, offset: Array | None = None) -> Array:
    """Product and sum are rounded to fp32 each, then to nearest even, saturated; NaN is 0."""
    require(a.shape, dst.shape, "the source")
    with np.errstate(all="ignore"):
        scaled = a * _by_rows(scale, dst.rows)
        scaled = scaled if offset is None else scaled + _by_rows(offset, dst.rows)
        limits = np.iinfo(dst.numpy)
        inner = np.clip(np.rint(scaled.astype(np.float64)), limits.min, limits.max)
    return np.where(np.isnan(inner), 0, inner).astype(dst.numpy)


def _dequantised(dst: Shaped, a: Array, scale: Array, offset: Array) -> Array:
    require(a.shape, dst.shape, "the source")
    with np.errstate(all="ignore"):
        return np.asarray((a.astype(np.float32) - _by_rows(offset, dst.rows)) * _by_rows(scale, dst.rows))


def _sum_dequantised(dst: Shaped, a: Array, b: Array, scale: float) -> Array:
    """Sums wrap; the factor is applied between two exact shifts by 17 places; relu; clamped to the largest half."""
    require(a.shape, dst.shape, "the source")
    with np.errstate(all="ignore"):
        wide = (a + b).astype(np.float32) * np.float32(2.0**-17) * np.float32(scale) * np.float32(2.0**17)
        positive = np.where(wide < 0, np.float32(0), wide)
        return np.asarray(np.where(positive > 65504, np.float32(65504), positive).astype(dst.numpy))


def _narrowed(sign: int) -> Meaning:
    """max(a + sign * b, 0) in a narrower type; a sum of halves is a half first, of int16 exact."""

    def compute(dst: Shaped, a: Array, b: Array) -> Array:
        require(a.shape, dst.shape, "the source")
        with np.errstate(all="ignore"):
            if a.dtype == np.int16:
                return np.asarray(np.clip(a.astype(np.int32) + sign * b.astype(np.int32), 0, 127).astype(np.int8))
            exact = a.astype(np.float32) + np.float32(sign) * b.astype(np.float32)
            positive = np.where(exact < 0, np.float32(0), exact)
            if dst.dtype == "fp16":
                return np.asarray(np.where(positive > 65504, np.float32(65504), positive).astype(np.float16))
            half = positive.astype(np.float16).astype(np.float64)
            return np.asarray(np.nan_to_num(np.clip(np.rint(half), -128, 127), nan=0.0).astype(np.int8))

    return compute


GROUP = 32


def _peaks(groups: Array, fp4: bool, nv: bool) -> Array:
    """The largest magnitude of each group: NaN does not count for fp8, is the result for fp4; OCP compares fp4 sources
    as truncated bf16."""
    magnitude = np.abs(groups.astype(np.float32))
    if fp4 and not nv:
        bits = (magnitude.view(np.uint32) >> np.uint32(16)).max(axis=-1)
        return np.asarray((bits << np.uint32(16)).view(np.float32))
    if fp4:
        return np.asarray(magnitude.max(axis=-1))
    return np.asarray(np.where(np.isnan(magnitude), 0, magnitude).max(axis=-1))


def _exponents(peaks: Array, fp4: bool, nv: bool) -> Array:
    """The e8m0 code of each group: OCP the peak's exponent less that of the format's largest value; NV the peak over
    that value, up to a power of two."""
    value = peaks * np.float32(1 / 6 if fp4 else 1 / 448) if nv else peaks
    bits = value.view(np.uint32) & np.uint32(0x7FFFFFFF)
    exponent, fraction = (bits >> np.uint32(23)).astype(np.int64), bits & np.uint32(0x7FFFFF)
    if nv:
        up = np.where(exponent == 0, fraction > 0x400000, (fraction > 0) & (exponent != 254))
        code = np.where(exponent == 255, 254, exponent + up)
    else:
        code = np.maximum(exponent - (2 if fp4 else 8), 0)
    return np.where(np.isnan(value), 255, code)


def _microscaled(
    dst: tuple[Shaped, ...], a: Array, nv: bool = False, axis: int = 1
) -> tuple[Array, Array, Array, Array]:
    """Values on the fp8 or fp4 grid, e8m0 codes, peaks and factors, the last three one a group along ``axis``."""
    fp4 = dst[0].dtype == "fp4_e2m1"
    lines = a if axis == 1 else a.T
    groups = -(-lines.shape[1] // GROUP)
    wide = np.zeros((lines.shape[0], groups * GROUP), lines.dtype)
    wide[:, : lines.shape[1]] = lines
    peaks = _peaks(wide.reshape(lines.shape[0], groups, GROUP), fp4, nv)
    codes = _exponents(peaks, fp4, nv)
    with np.errstate(all="ignore"):
        factors = np.where(codes == 255, peaks, np.ldexp(np.float32(1), 127 - codes)).astype(np.float32)
        scaled = wide.astype(np.float32) * np.repeat(factors, GROUP, axis=1)
    if fp4 and a.dtype == np.dtype(ml_dtypes.bfloat16):
        scaled = scaled.astype(a.dtype).astype(np.float32)
    values = on_grid(scaled[:, : lines.shape[1]], GRIDS[dst[0].dtype], "rint", True).astype(np.float64)
    if not fp4 and not nv:
        values = values + 0.0  # no negative zero
    result = values.astype(dst[0].numpy)
    return tuple(x if axis == 1 else x.T for x in (result, codes.astype(np.uint8), peaks, factors))  # type: ignore[return-value]


def _register(*_operands: object) -> tuple[()]:
    """Sets a register; no element changes."""
    return ()


MEANINGS: Mapping[str, Meaning] = {
    "TQUANT": _quantised,
    "TQUANT(dst, a, exp, max, scaling)": _microscaled,
    "TDEQUANT": _dequantised,
    "TADDDEQRELU": _sum_dequantised,
    "TADDRELUCONV": _narrowed(1),
    "TSUBRELUCONV": _narrowed(-1),
    "SET_QUANT_SCALAR": _register,
    "SET_QUANT_VECTOR": _register,
}
