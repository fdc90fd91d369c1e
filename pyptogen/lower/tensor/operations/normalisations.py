"""Composites over the last axis: softmax and norms. Intermediates are fp32; the result has the dtype of
x."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.building.registry import SAME_FLOAT, operation
from pyptogen.lower.tensor.ir import Value


@operation("softmax(x, axis: int = -1)", SAME_FLOAT)
def softmax(b: Builder, x: Value, axis: int) -> Value:
    """e = exp(x - amax(x)); e / sum(e)."""
    e = _shifted_exp(b, x, axis)
    total = b.reduce("sum", e, axis, hint="sum")
    return b.cast(b.binary("div", e, total), x.dtype)


@operation("log_softmax(x, axis: int = -1)", SAME_FLOAT)
def log_softmax(b: Builder, x: Value, axis: int) -> Value:
    """c = x - amax(x); c - log(sum(exp(c)))."""
    b.need_float(x, "log_softmax")
    wide = b.cast(x, "fp32", hint="x")
    c = b.binary("sub", wide, b.reduce("amax", wide, axis, hint="max"), hint="c")
    total = b.reduce("sum", b.unary("exp", c, hint="e"), axis, hint="sum")
    return b.cast(b.binary("sub", c, b.unary("log", total, hint="log")), x.dtype)


def _shifted_exp(b: Builder, x: Value, axis: int) -> Value:
    b.need_float(x, "softmax")
    wide = b.cast(x, "fp32", hint="x")
    peak = b.reduce("amax", wide, axis, hint="max")
    return b.unary("exp", b.binary("sub", wide, peak, hint="c"), hint="e")


@operation("rms_norm(x, gamma, eps: scalar = 1.0e-6)", f"{SAME_FLOAT}; gamma as the last axis", "rms_norm(x, g)")
def rms_norm(b: Builder, x: Value, gamma: Value, eps: Any) -> Value:
    """x / sqrt(sum(x * x * (1 / d)) + eps) * gamma."""
    b.need_float(x, "rms_norm")
    _check_gain(b, x, gamma, "gamma")
    wide = b.cast(x, "fp32", hint="x")
    square = b.binary("mul", wide, wide, hint="square")
    root = _root_of_mean(b, square, eps)
    scaled = b.binary("div", wide, root, hint="unit")
    return b.cast(b.binary("mul", scaled, b.cast(gamma, "fp32", hint="gamma")), x.dtype)


@operation(
    "layer_norm(x, gamma, beta, eps: scalar = 1.0e-6)",
    f"{SAME_FLOAT}; gamma and beta as the last axis",
    "layer_norm(x, g, g)",
)
def layer_norm(b: Builder, x: Value, gamma: Value, beta: Value, eps: Any) -> Value:
    """c = x - sum(x * (1 / d)); c / sqrt(sum(c * c * (1 / d)) + eps) * gamma + beta."""
    b.need_float(x, "layer_norm")
    _check_gain(b, x, gamma, "gamma")
    _check_gain(b, x, beta, "beta")
    wide = b.cast(x, "fp32", hint="x")
    share = b.scalar(sympy.Integer(1) / x.shape[-1])
    mean = b.reduce("sum", b.binary("mul", wide, share, hint="part"), -1, hint="mean")
    centred = b.binary("sub", wide, mean, hint="c")
    root = _root_of_mean(b, b.binary("mul", centred, centred, hint="square"), eps)
    unit = b.binary("div", centred, root, hint="unit")
    scaled = b.binary("mul", unit, b.cast(gamma, "fp32", hint="gamma"), hint="scaled")
    return b.cast(b.binary("add", scaled, b.cast(beta, "fp32", hint="beta")), x.dtype)


def _root_of_mean(b: Builder, square: Value, eps: Any) -> Value:
    """sqrt(sum(square * (1 / d)) + eps): the share is taken before the sum, so that the sum cannot
    overflow."""
    share = b.scalar(sympy.Integer(1) / square.shape[-1])
    var = b.reduce("sum", b.binary("mul", square, share, hint="var_part"), -1, hint="var")
    return b.unary("sqrt", b.binary("add", var, b.scalar(eps), hint="var_eps"), hint="std")


def _check_gain(b: Builder, x: Value, gain: Value, name: str) -> None:
    b.need_float(gain, name)
    if not x.shape or not b.dims.same_shape(gain.shape, x.shape[-1:]):
        raise b.fault(
            "PTG205",
            f"`{name}` has the shape {show_shape(gain.shape)}, x has {show_shape(x.shape)}",
            expected=f"{show_shape(x.shape[-1:])}, the last axis of x",
        )
