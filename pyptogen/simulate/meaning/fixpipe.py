"""What the fixpipe does to accumulator elements under quantisation words.

A word holds a factor in bits 13 to 31 (sign, exponent and ten bits of the fraction of an fp32), a shift in bits 32 to
35, a signed offset in bits 37 to 45, and in bit 46 whether an 8-bit result is signed (Ascend C: Fixpipe and
TransQuantParam pages).
"""

from __future__ import annotations

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.simulate.meaning.shaped import Shaped

_LARGEST = {"fp16": np.float32(65504), "bf16": np.float32(255 * 2.0**120)}


def factor_of(words: Array) -> Array:
    """The fp32 factors of words."""
    return np.asarray((words & np.uint64(0xFFFFE000)).astype(np.uint32).view(np.float32))


def offset_of(words: Array) -> Array:
    """The offsets of words, -256 to 255, as fp32."""
    field = ((words >> np.uint64(37)) & np.uint64(0x1FF)).astype(np.int64)
    return np.asarray(np.where(field >= 256, field - 512, field).astype(np.float32))


def requantised(dst: Shaped, acc: Array, words: Array | np.uint64, relu: bool = False) -> Array:
    """Accumulator elements under words, one for all or one a column; relu comes last. NaN becomes 0 in an integer.

    int32 to int16 shifts right by the word's shift plus one and saturates. Eight bits: ``value * factor`` to nearest
    even, saturated to nine bits, plus the offset, saturated. Floats: ``value * factor``, finite values saturated;
    infinities of fp32 stay.
    """
    words = np.atleast_1d(np.asarray(words, np.uint64))
    if acc.dtype == np.int32 and dst.dtype == "int16":
        shift = ((words >> np.uint64(32)) & np.uint64(0xF)).astype(np.int64) + 1
        shifted = np.clip(acc.astype(np.int64) >> shift, -32768, 32767)
        return np.where(relu & (shifted < 0), 0, shifted).astype(np.int16)
    with np.errstate(all="ignore"):
        scaled = acc.astype(np.float32) * factor_of(words)
        if dst.dtype in ("int8", "uint8"):
            signed = ((words >> np.uint64(46)) & np.uint64(1)).astype(bool)
            nine = np.clip(np.rint(scaled), -256, 255)
            whole = np.where(np.isnan(scaled), 0, nine + offset_of(words))
            limited = np.clip(whole, np.where(signed, -128, 0), np.where(signed, 127, 255))
            return np.where(relu & (limited < 0), 0, limited).astype(np.int64).astype(dst.numpy)
        if relu:
            scaled = np.where(scaled > 0, scaled, np.float32(0))
        if dst.dtype in _LARGEST:
            limit = _LARGEST[dst.dtype]
            bounded = np.isfinite(scaled) | (acc.dtype == np.int32)
            scaled = np.where(bounded, np.clip(scaled, -limit, limit), scaled)
        return scaled.astype(dst.numpy)
