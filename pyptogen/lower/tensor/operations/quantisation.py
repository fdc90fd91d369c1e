"""Numbers as small integers and scales. Everything is computed in fp32."""

from __future__ import annotations

from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_size
from pyptogen.lower.tensor.building.registry import operation
from pyptogen.lower.tensor.building.rules import GROUP, INTEGERS, SCALE
from pyptogen.lower.tensor.ir import Operand, Value

_GREATEST = {"int4": 7, "int8": 127, "int16": 32767}
_TINY = 1e-35
"""Below it a row counts as zeros: 127 divided by it is still finite in fp32."""
_MX_EXPONENTS = {"fp8_e4m3": 8, "fp8_e5m2": 15, "fp4_e2m1": 2}
"""The exponent of each format's largest number."""
_PAIR = "two results: shape of x in the given dtype, and fp32 with size 1 along the axis"


@operation("quant_per_token(x, dtype: dtype = int8, mode: mode = rint)", _PAIR)
def quant_per_token(b: Builder, x: Value, dtype: str, mode: str) -> tuple[Value, Value]:
    """m = maximum(amax(abs(x)), 1e-35) over the last axis; cast(x * (127 / m), int8), and the scale m * (1 / 127)."""
    return _quantise(b, x, -1, dtype, mode)


@operation("quant_per_channel(x, axis: int = -2, dtype: dtype = int8, mode: mode = rint)", _PAIR)
def quant_per_channel(b: Builder, x: Value, axis: int, dtype: str, mode: str) -> tuple[Value, Value]:
    """As quant_per_token over an axis of its own: by default over the rows of a weight, one scale a column."""
    return _quantise(b, x, axis, dtype, mode)


def _quantise(b: Builder, x: Value, axis: int, dtype: str, mode: str) -> tuple[Value, Value]:
    b.need_float(x, "quantisation")
    _check_mode(b, dtype, mode)
    if dtype not in _GREATEST:
        raise b.fault("PTG215", f"quantisation to {dtype}", expected="one of " + ", ".join(_GREATEST))
    greatest = sympy.Integer(_GREATEST[dtype])
    wide = b.cast(x, "fp32", hint="x")
    peak = b.reduce("amax", b.unary("abs", wide, hint="abs"), axis, hint="peak")
    floor = b.binary("maximum", peak, b.scalar(sympy.Float(_TINY)), hint="floor")
    factor = b.binary("div", b.scalar(greatest), floor, hint="factor")
    scaled = b.binary("mul", wide, factor, hint="scaled")
    return b.cast(scaled, dtype, mode), b.binary("mul", floor, b.scalar(sympy.Integer(1) / greatest), hint="scale")


@operation(
    "quant_mx(x, quant_dtype: dtype = fp8_e4m3)",
    "two results: shape of x in the given dtype, fp8_e4m3, fp8_e5m2 or fp4_e2m1, and fp8_e8m0 with one element for"
    " 32 of the last axis",
    "quant_mx(x)",
)
def quant_mx(b: Builder, x: Value, dtype: str) -> tuple[Value, Value]:
    """To the MX formats, as section 6.3 of the OCP Microscaling Formats (MX) Specification has it: the scale of 32
    elements is the power of two of their largest magnitude over that of the dtype's largest number, 2^8 (e4m3), 2^15
    (e5m2) or 2^2 (e2m1), and at least 2^-127; elements are divided by it, rounded to nearest even, saturated. To e2m1
    they go by way of bf16."""
    b.need_float(x, "quant_mx")
    if dtype not in _MX_EXPONENTS:
        raise b.fault(
            "PTG215", f"quantisation to MX elements of {dtype}", expected="one of " + ", ".join(_MX_EXPONENTS)
        )
    b.axis(x, -1)
    *outer, width = x.shape
    size = b.dims.number(width)
    if size is None or size % GROUP:
        what = f"MX groups of an axis of size {show_size(width)}"
        raise b.fault("PTG205", what, expected=f"a multiple of {GROUP}, known at build time")
    groups = sympy.Integer(size // GROUP)
    wide = b.cast(b.reshape(x, (*outer, groups, sympy.Integer(GROUP)), "groups"), "fp32", hint="wide")
    peak = b.reduce("amax", b.unary("abs", wide, hint="abs"), -1, hint="peak")
    bits = selection.bitcast(b, peak, "int32", "bits")
    exponent = b.binary("bitwise_right_shift", bits, b.scalar(23), hint="exponent")
    lowered = b.binary("sub", exponent, b.scalar(_MX_EXPONENTS[dtype]), hint="lowered")
    code = b.binary("maximum", lowered, b.scalar(0), hint="code")
    inverted = b.binary("sub", b.scalar(254), code, hint="inverted")
    inverse = b.binary("bitwise_left_shift", inverted, b.scalar(23), hint="inverse")
    scaled = b.binary("mul", wide, selection.bitcast(b, inverse, "fp32", "factor"), hint="scaled")
    elements = b.reshape(b.cast(scaled, dtype, hint="elements"), x.shape)
    scale = selection.bitcast(b, b.cast(code, "uint8", hint="code_byte"), SCALE, "scale")
    return elements, b.reshape(scale, (*outer, groups))


@operation(
    "quantize(x, scale, dtype: dtype = int8, zero_points = None, mode: mode = rint)",
    "shape of x; scale and zero_points are fp32 and broadcast to it; the given dtype",
    "quantize(x, s)",
)
def quantize(b: Builder, x: Value, scale: Value, dtype: str, zero_points: Value | None, mode: str) -> Value:
    """cast(x / scale + zero_points, dtype, mode)."""
    b.need_float(x, "quantize")
    _check_mode(b, dtype, mode)
    if dtype not in INTEGERS | {"int4"}:
        raise b.fault("PTG215", f"quantize to {dtype}", expected="an integer dtype")
    ratio = b.binary("div", b.cast(x, "fp32", hint="x"), scale, hint="ratio")
    moved = ratio if zero_points is None else b.binary("add", ratio, zero_points, hint="moved")
    return b.cast(moved, dtype, mode)


@operation(
    "dequant(x, scale: operand, dtype: dtype = fp32, zero_points = None)",
    "shape of x; scale and zero_points are fp32 and broadcast to it; the given dtype, a float",
    "dequant(cast(x, int8), s)",
)
def dequant(b: Builder, x: Value, scale: Operand, dtype: str, zero_points: Value | None) -> Value:
    """cast((cast(x, fp32) - zero_points) * scale, dtype)."""
    return _dequantise(b, x, scale, dtype, zero_points)


@operation(
    "dequantize(x, scale: operand, dtype: dtype = fp32, zero_points = None)",
    "as dequant",
    "dequantize(cast(x, int8), s)",
)
def dequantize(b: Builder, x: Value, scale: Operand, dtype: str, zero_points: Value | None) -> Value:
    """The same as dequant."""
    return _dequantise(b, x, scale, dtype, zero_points)


def _dequantise(b: Builder, x: Value, scale: Operand, dtype: str, zero_points: Value | None) -> Value:
    wide = b.cast(x, "fp32", hint="x")
    moved = wide if zero_points is None else b.binary("sub", wide, zero_points, hint="moved")
    return b.cast(b.binary("mul", moved, scale, hint="result"), dtype)


def _check_mode(b: Builder, dtype: str, mode: Any) -> None:
    if mode == "odd":
        raise b.fault("PTG215", f"mode=odd has no meaning for a cast to {dtype}", expected="a cast between floats")
