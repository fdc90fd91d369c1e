"""Activation functions as composites. Intermediates are fp32; the result has the dtype of x."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import SAME_FLOAT, operation
from pyptogen.lower.tensor.ir import Operand, Value
from pyptogen.lower.tensor.operations import polynomials


@operation("sigmoid(x)", SAME_FLOAT)
def sigmoid(b: Builder, x: Value) -> Value:
    """1 / (1 + exp(-x))."""
    b.need_float(x, "sigmoid")
    return b.cast(b.binary("div", b.scalar(1), _one_plus_exp(b, b.cast(x, "fp32", hint="x"))), x.dtype)


@operation("silu(x)", SAME_FLOAT)
def silu(b: Builder, x: Value) -> Value:
    """x / (1 + exp(-x))."""
    b.need_float(x, "silu")
    wide = b.cast(x, "fp32", hint="x")
    return b.cast(b.binary("div", wide, _one_plus_exp(b, wide)), x.dtype)


@operation("swiglu(x, gate)", f"{SAME_FLOAT}; gate broadcasts to it")
def swiglu(b: Builder, x: Value, gate: Value) -> Value:
    """silu(x) * gate, rounded once."""
    b.need_float(x, "swiglu")
    wide = b.cast(x, "fp32", hint="x")
    lit = b.binary("div", wide, _one_plus_exp(b, wide), hint="silu")
    return b.cast(b.binary("mul", lit, b.cast(gate, "fp32", hint="gate")), x.dtype)


@operation("tanh(x)", SAME_FLOAT)
def tanh(b: Builder, x: Value) -> Value:
    """1 - 2 / (exp(2 * x) + 1)."""
    b.need_float(x, "tanh")
    return b.cast(_tanh(b, b.cast(x, "fp32", hint="x")), x.dtype)


@operation("gelu_tanh(x)", SAME_FLOAT)
def gelu_tanh(b: Builder, x: Value) -> Value:
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))."""
    b.need_float(x, "gelu_tanh")
    return b.cast(_gelu(b, b.cast(x, "fp32", hint="x"), "tanh"), x.dtype)


@operation("gelu(x, approximate: form = none)", SAME_FLOAT)
def gelu(b: Builder, x: Value, approximate: str) -> Value:
    """0.5 * x * (1 + erf(x * sqrt(0.5))), or with approximate=tanh as gelu_tanh."""
    b.need_float(x, "gelu")
    return b.cast(_gelu(b, b.cast(x, "fp32", hint="x"), approximate), x.dtype)


@operation("geglu(x, gate, approximate: form = none)", f"{SAME_FLOAT}; gate broadcasts to it")
def geglu(b: Builder, x: Value, gate: Value, approximate: str) -> Value:
    """gelu(x) * gate, rounded once."""
    b.need_float(x, "geglu")
    lit = _gelu(b, b.cast(x, "fp32", hint="x"), approximate)
    return b.cast(b.binary("mul", lit, b.cast(gate, "fp32", hint="gate")), x.dtype)


@operation("lrelu(x, negative_slope: scalar = 0.01)", SAME_FLOAT)
def lrelu(b: Builder, x: Value, negative_slope: Any) -> Value:
    """maximum(x, 0) + minimum(x, 0) * negative_slope."""
    b.need_float(x, "lrelu")
    return _two_slopes(b, x, b.scalar(negative_slope))


@operation("prelu(x, weight)", f"{SAME_FLOAT}; weight broadcasts to it", "prelu(x, g)")
def prelu(b: Builder, x: Value, weight: Value) -> Value:
    """maximum(x, 0) + minimum(x, 0) * weight."""
    b.need_float(x, "prelu")
    return _two_slopes(b, x, weight)


def _two_slopes(b: Builder, x: Value, slope: Operand) -> Value:
    below = b.binary("mul", b.binary("minimum", x, b.scalar(0), hint="below"), slope, hint="sloped")
    return b.binary("add", b.binary("maximum", x, b.scalar(0), hint="above"), below)


def _gelu(b: Builder, wide: Value, approximate: str) -> Value:
    half = b.binary("mul", wide, b.scalar(sympy.Float(0.5)), hint="half")
    if approximate == "none":
        angle = b.binary("mul", wide, b.scalar(sympy.Float(0.7071067811865476)), hint="angle")
        return b.binary("mul", half, b.binary("add", polynomials.erf(b, angle), b.scalar(1)))
    cube = b.binary("mul", b.binary("mul", wide, wide, hint="square"), wide, hint="cube")
    bent = b.binary("add", wide, b.binary("mul", cube, b.scalar(sympy.Float(0.044715))), hint="bent")
    angle = b.binary("mul", bent, b.scalar(sympy.Float(0.7978845608028654)), hint="angle")
    return b.binary("mul", half, b.binary("add", _tanh(b, angle), b.scalar(1)))


def _one_plus_exp(b: Builder, x: Value) -> Value:
    return b.binary("add", b.unary("exp", b.unary("neg", x, hint="neg"), hint="e"), b.scalar(1), hint="one_e")


def _tanh(b: Builder, x: Value) -> Value:
    e = b.unary("exp", b.binary("mul", x, b.scalar(2)), hint="e2")
    share = b.binary("div", b.scalar(2), b.binary("add", e, b.scalar(1)), hint="share")
    return b.binary("sub", b.scalar(1), share, hint="tanh")
