"""Activation functions as composites. Intermediates are fp32; the result has the dtype of x."""

from __future__ import annotations

import sympy

from pyptogen.lower.tensor.builder import Builder
from pyptogen.lower.tensor.ir import Value
from pyptogen.lower.tensor.registry import operation


@operation("sigmoid(x)")
def sigmoid(b: Builder, x: Value) -> Value:
    """1 / (1 + exp(-x))."""
    b.need_float(x, "sigmoid")
    return b.cast(b.binary("div", b.scalar(1), _one_plus_exp(b, b.cast(x, "fp32", hint="x"))), x.dtype)


@operation("silu(x)")
def silu(b: Builder, x: Value) -> Value:
    """x / (1 + exp(-x))."""
    b.need_float(x, "silu")
    wide = b.cast(x, "fp32", hint="x")
    return b.cast(b.binary("div", wide, _one_plus_exp(b, wide)), x.dtype)


@operation("swiglu(x, gate)")
def swiglu(b: Builder, x: Value, gate: Value) -> Value:
    """silu(x) * gate, rounded once."""
    b.need_float(x, "swiglu")
    wide = b.cast(x, "fp32", hint="x")
    lit = b.binary("div", wide, _one_plus_exp(b, wide), hint="silu")
    return b.cast(b.binary("mul", lit, b.cast(gate, "fp32", hint="gate")), x.dtype)


@operation("tanh(x)")
def tanh(b: Builder, x: Value) -> Value:
    """1 - 2 / (exp(2 * x) + 1)."""
    b.need_float(x, "tanh")
    return b.cast(_tanh(b, b.cast(x, "fp32", hint="x")), x.dtype)


@operation("gelu_tanh(x)")
def gelu_tanh(b: Builder, x: Value) -> Value:
    """0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x * x * x)))."""
    b.need_float(x, "gelu_tanh")
    wide = b.cast(x, "fp32", hint="x")
    cube = b.binary("mul", b.binary("mul", wide, wide, hint="square"), wide, hint="cube")
    bent = b.binary("add", wide, b.binary("mul", cube, b.scalar(sympy.Float(0.044715))), hint="bent")
    angle = b.binary("mul", bent, b.scalar(sympy.Float(0.7978845608028654)), hint="angle")
    half = b.binary("mul", wide, b.scalar(sympy.Float(0.5)), hint="half")
    return b.cast(b.binary("mul", half, b.binary("add", _tanh(b, angle), b.scalar(1))), x.dtype)


def _one_plus_exp(b: Builder, x: Value) -> Value:
    return b.binary("add", b.unary("exp", b.unary("neg", x, hint="neg"), hint="e"), b.scalar(1), hint="one_e")


def _tanh(b: Builder, x: Value) -> Value:
    e = b.unary("exp", b.binary("mul", x, b.scalar(2)), hint="e2")
    share = b.binary("div", b.scalar(2), b.binary("add", e, b.scalar(1)), hint="share")
    return b.binary("sub", b.scalar(1), share, hint="tanh")
