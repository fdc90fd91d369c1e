"""Matrix products: exact (float64, where int8 is exact) and rounded once, because the order of a device's sums is its
own. Integer accumulators wrap."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import numbers
from pyptogen.simulate.meaning.shaped import Meaning, Shaped, require


def _exact(dst: Shaped, left: Array, right: Array) -> Array:
    require((left.shape[0], right.shape[1]), dst.shape, "the product")
    require((left.shape[1],), (right.shape[0],), "the depth of the left operand")
    with np.errstate(all="ignore"):
        return np.asarray(numbers(left).astype(np.float64) @ numbers(right).astype(np.float64))


def _rounded(dst: Shaped, exact: Array) -> Array:
    with np.errstate(all="ignore"):
        return exact.astype(np.int64).astype(dst.numpy) if dst.numpy.kind == "i" else exact.astype(dst.numpy)


def product(dst: Shaped, left: Array, right: Array) -> Array:
    """TMATMUL, TGEMV."""
    return _rounded(dst, _exact(dst, left, right))


def product_added(dst: Shaped, acc: Array, left: Array, right: Array) -> Array:
    """TMATMUL_ACC, TGEMV_ACC: onto the accumulator given first."""
    require(acc.shape, dst.shape, "the accumulator")
    return _rounded(dst, acc.astype(np.float64) + _exact(dst, left, right))


def _product_biased(dst: Shaped, left: Array, right: Array, bias: Array) -> Array:
    require(bias.shape, (1, dst.cols), "the bias")
    return _rounded(dst, bias.astype(np.float64) + _exact(dst, left, right))


def scaled(operand: Array, scales: Array, axis: int) -> Array:
    """An MX operand: each element times the scale of its group of 32 along ``axis``."""
    return (
        operand.astype(np.float64)
        * np.repeat(scales.astype(np.float64), 32, axis)[: operand.shape[0], : operand.shape[1]]
    )


def _mx(dst: Shaped, left: Array, left_scale: Array, right: Array, right_scale: Array) -> Array:
    return product(dst, scaled(left, left_scale, 1), scaled(right, right_scale, 0))


def _mx_added(dst: Shaped, acc: Array, left: Array, left_scale: Array, right: Array, right_scale: Array) -> Array:
    return product_added(dst, acc, scaled(left, left_scale, 1), scaled(right, right_scale, 0))


def _mx_biased(dst: Shaped, left: Array, left_scale: Array, right: Array, right_scale: Array, bias: Array) -> Array:
    return _product_biased(dst, scaled(left, left_scale, 1), scaled(right, right_scale, 0), bias)


def scale_address(operand: int) -> int:
    """TGET_SCALE_ADDR: the byte offset of an operand's scales, a sixteenth of its own."""
    return operand // 16


_MX_FORMS: Mapping[str, Meaning] = {
    "": _mx,
    "(acc, acc, left, ls, right, rs)": _mx_added,
    "(acc, left, ls, right, rs, bias)": _mx_biased,
}

MEANINGS: Mapping[str, Meaning] = {
    "TMATMUL": product,
    "TMATMUL_ACC": product_added,
    "TMATMUL_BIAS": _product_biased,
    "TGEMV": product,
    "TGEMV_ACC": product_added,
    "TGEMV_BIAS": _product_biased,
    **{f"{name}{form}": meaning for name in ("TMATMUL_MX", "TGEMV_MX") for form, meaning in _MX_FORMS.items()},
    "TGET_SCALE_ADDR": scale_address,
}
