"""Functions that no platform has an instruction for, as polynomials in fp32. Coefficients were fitted for the least
greatest relative error on the interval named."""

from __future__ import annotations

from collections.abc import Sequence

import sympy

from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.ir import Value

_ERF_ABOVE = (1.1283791392993698, 0.1935472683400126, 0.053101981603963955, 0.003883423002956498,
              0.0002845651161750764, 1.9867327004159173e-06)  # fmt: skip
_ERF_BELOW = (1.0, 0.5048593559510104, 0.11535086143969554, 0.015207411529912888, 0.0011855854844983614,
              3.74196166419618e-05)  # fmt: skip
_SIN = (1.0, -0.16666656732559204, 0.008333025500178337, -0.0001980742090381682, 2.601906999188941e-06)
_ATAN = (1.0, -0.3333307206630707, 0.1999262124300003, -0.1420365273952484, 0.10640959441661835,
         -0.07504343241453171, 0.042692046612501144, -0.01606892980635166, 0.0028499604668468237)  # fmt: skip
_PI_PARTS = (3.140625, 0.0009670257568359375, 6.277114152908325e-07)
"""pi in pieces of few bits, so that whole multiples of the first two are exact."""


def horner(b: Builder, z: Value, coefficients: Sequence[float], hint: str) -> Value:
    """``c0 + z * (c1 + z * (c2 + …))``."""
    result = b.binary("mul", z, b.scalar(sympy.Float(coefficients[-1])), hint=hint)
    for coefficient in reversed(coefficients[1:-1]):
        result = b.binary("mul", b.binary("add", result, b.scalar(sympy.Float(coefficient)), hint=hint), z, hint=hint)
    return b.binary("add", result, b.scalar(sympy.Float(coefficients[0])), hint=hint)


def clipped(b: Builder, x: Value, bound: float, hint: str) -> Value:
    """``x`` between ``-bound`` and ``bound``."""
    low, high = b.scalar(sympy.Float(-bound)), b.scalar(sympy.Float(bound))
    return b.binary("minimum", b.binary("maximum", x, low, hint=hint), high, hint=hint)


def erf(b: Builder, x: Value) -> Value:
    """x * p(x * x) / q(x * x) for -4 <= x <= 4; relative error below 5e-7."""
    x = clipped(b, x, 4.0, "inner")
    z = b.binary("mul", x, x, hint="square")
    above = b.binary("mul", x, horner(b, z, _ERF_ABOVE, "p"), hint="above")
    return clipped(b, b.binary("div", above, horner(b, z, _ERF_BELOW, "q"), hint="ratio"), 1.0, "erf")


def sine(b: Builder, x: Value, quarter: bool) -> Value:
    """sin(x), or cos(x) where ``quarter``: the nearest multiple of pi (and a half) goes off in three exact parts."""
    turns = b.binary("mul", x, b.scalar(sympy.Float(0.3183098861837907)), hint="turns")
    if quarter:
        turns = b.binary("sub", turns, b.scalar(sympy.Float(0.5)), hint="turns")
    k = b.cast(b.cast(turns, "int32", "rint", hint="whole"), "fp32", hint="k")
    centre = b.binary("add", k, b.scalar(sympy.Float(0.5)), hint="centre") if quarter else k
    r = x
    for part in _PI_PARTS:
        r = b.binary("sub", r, b.binary("mul", centre, b.scalar(sympy.Float(part)), hint="part"), hint="r")
    half = b.binary("mul", k, b.scalar(sympy.Float(0.5)), hint="half")
    even = b.cast(b.cast(half, "int32", "floor", hint="pairs"), "fp32", hint="even")
    parity = b.binary("sub", k, b.binary("mul", even, b.scalar(2), hint="twice"), hint="parity")
    signed = b.binary("mul", parity, b.scalar(2 if quarter else -2), hint="signed")
    sign = b.binary("add", signed, b.scalar(-1 if quarter else 1), hint="sign")
    wave = b.binary("mul", r, horner(b, b.binary("mul", r, r, hint="square"), _SIN, "p"), hint="wave")
    return b.binary("mul", wave, sign)


def atan(b: Builder, x: Value) -> Value:
    """2 * p(x / (1 + sqrt(1 + x * x))): the angle is halved once, so that the polynomial sees -1 … 1."""
    x = clipped(b, x, 1e15, "inner")
    root = b.unary("sqrt", b.binary("add", b.binary("mul", x, x, hint="square"), b.scalar(1), hint="one"), hint="root")
    u = b.binary("div", x, b.binary("add", root, b.scalar(1), hint="below"), hint="u")
    angle = b.binary("mul", u, horner(b, b.binary("mul", u, u, hint="uu"), _ATAN, "p"), hint="angle")
    return b.binary("mul", angle, b.scalar(2))
