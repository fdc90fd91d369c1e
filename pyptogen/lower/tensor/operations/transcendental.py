"""Powers, logarithms, trigonometry. Intermediates are fp32; the result has the dtype of x."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy

from pyptogen.lower.tensor.building import selection
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.registry import BROADCAST, SAME_FLOAT, operation
from pyptogen.lower.tensor.ir import Operand, Scalar, Value
from pyptogen.lower.tensor.operations import polynomials
from pyptogen.lower.tensor.operations.comparisons import negative

_LARGEST_POWER = 64

Wide = Callable[[Builder, Value], Value]


def _in_fp32(name: str, doc: str, body: Wide, example: str = "") -> None:
    """Registers ``name(x)``: cast to fp32, ``body``, cast back."""

    def expand(b: Builder, x: Value) -> Value:
        b.need_float(x, name)
        return b.cast(body(b, b.cast(x, "fp32", hint="x")), x.dtype)

    expand.__doc__ = doc
    operation(f"{name}(x)", SAME_FLOAT, example)(expand)


def _number(b: Builder, value: float) -> Scalar:
    return b.scalar(sympy.Float(value))


def _scaled_log(factor: float) -> Wide:
    return lambda b, x: b.binary("mul", b.unary("log", x, hint="log"), _number(b, factor))


def _expm1(b: Builder, x: Value) -> Value:
    """Kahan's form: the rounding error of exp(x) cancels between (u - 1) and log(u)."""
    u = b.unary("exp", x, hint="u")
    less = b.binary("sub", u, b.scalar(1), hint="less")
    ratio = b.binary("mul", less, b.binary("div", x, b.unary("log", u, hint="log"), hint="ratio"), hint="corrected")
    plain = selection.where(b, b.binary("eq", less, b.scalar(-1), hint="small"), less, ratio, hint="plain")
    plain = selection.where(b, b.binary("eq", u, b.scalar(sympy.oo), hint="large"), u, plain, hint="bounded")
    return selection.where(b, b.binary("eq", u, b.scalar(1), hint="tiny"), x, plain, hint="expm1")


def _log1p(b: Builder, x: Value) -> Value:
    """Kahan's form: the rounding error of 1 + x cancels between log(u) and (u - 1)."""
    u = b.binary("add", x, b.scalar(1), hint="u")
    less = b.binary("sub", u, b.scalar(1), hint="less")
    ratio = b.binary("mul", b.unary("log", u, hint="log"), b.binary("div", x, less, hint="ratio"), hint="corrected")
    whole = selection.where(b, b.binary("eq", u, b.scalar(sympy.oo), hint="large"), u, ratio, hint="bounded")
    return selection.where(b, b.binary("eq", u, b.scalar(1), hint="tiny"), x, whole, hint="log1p")


def _signed(b: Builder, x: Value, size: Value) -> Value:
    """``size`` with the sign of ``x``."""
    return selection.where(b, negative(b, x), b.unary("neg", size, hint="negated"), size)


def _sinh(b: Builder, x: Value) -> Value:
    h = _expm1(b, b.unary("abs", x, hint="abs"))
    share = b.binary("div", h, b.binary("add", h, b.scalar(1), hint="e"), hint="share")
    share = selection.where(b, b.binary("eq", h, b.scalar(sympy.oo), hint="large"), b.scalar(1), share, hint="share")
    return _signed(b, x, b.binary("mul", b.binary("add", h, share, hint="twice"), _number(b, 0.5), hint="size"))


def _cosh(b: Builder, x: Value) -> Value:
    e = b.unary("exp", x, hint="e")
    return b.binary("mul", b.binary("add", e, b.unary("reciprocal", e, hint="inverse"), hint="twice"), _number(b, 0.5))


def _asin(b: Builder, x: Value) -> Value:
    below = b.binary("sub", b.scalar(1), x, hint="below"), b.binary("add", x, b.scalar(1), hint="above")
    root = b.unary("sqrt", b.binary("mul", *below, hint="product"), hint="root")
    return polynomials.atan(b, b.binary("div", x, root, hint="tangent"))


def _acos(b: Builder, x: Value) -> Value:
    return b.binary("sub", _number(b, 1.5707963267948966), _asin(b, x))


def _asinh(b: Builder, x: Value) -> Value:
    a = b.unary("abs", x, hint="abs")
    inverse = b.unary("reciprocal", a, hint="inverse")
    square = b.binary("mul", inverse, inverse, hint="square")
    root = b.unary("sqrt", b.binary("add", square, b.scalar(1), hint="one"), hint="root")
    more = b.binary("div", a, b.binary("add", inverse, root, hint="below"), hint="more")
    return _signed(b, x, _log1p(b, b.binary("add", a, more, hint="sum")))


def _acosh(b: Builder, x: Value) -> Value:
    t = b.binary("sub", x, b.scalar(1), hint="t")
    square = b.binary("mul", t, b.binary("add", x, b.scalar(1), hint="above"), hint="square")
    return _log1p(b, b.binary("add", t, b.unary("sqrt", square, hint="root"), hint="sum"))


def _atanh(b: Builder, x: Value) -> Value:
    ratio = b.binary(
        "div", b.binary("mul", x, b.scalar(2), hint="twice"), b.binary("sub", b.scalar(1), x, hint="below")
    )
    return b.binary("mul", _log1p(b, ratio), _number(b, 0.5))


def _cbrt(b: Builder, x: Value) -> Value:
    third = b.binary("mul", b.unary("log", b.unary("abs", x, hint="abs"), hint="log"), _number(b, 1 / 3), hint="third")
    guess = b.unary("exp", third, hint="guess")
    # One Newton step takes off what log and exp rounded: g - (g - a / (g * g)) / 3.
    square = b.binary("mul", guess, guess, hint="square")
    other = b.binary("div", b.unary("abs", x, hint="abs"), square, hint="other")
    step = b.binary("mul", b.binary("sub", guess, other, hint="off"), _number(b, 1 / 3), hint="step")
    better = b.binary("sub", guess, step, hint="better")
    usable = b.binary("gt", guess, b.scalar(0), hint="usable")
    finite = b.binary("lt", guess, b.scalar(sympy.oo), hint="finite")
    both = b.binary("bitwise_and", usable, finite, hint="both")
    return _signed(b, x, selection.where(b, both, better, guess, hint="root"))


def _tan(b: Builder, x: Value) -> Value:
    return b.binary("div", polynomials.sine(b, x, False), polynomials.sine(b, x, True))


for _row in (
    ("exp2", "exp(x * log(2)).", lambda b, x: b.unary("exp", b.binary("mul", x, _number(b, 0.6931471805599453)))),
    ("expm1", "exp(x) - 1, right for small x: with u = exp(x), (u - 1) * x / log(u).", _expm1),
    ("log2", "log(x) * (1 / log(2)).", _scaled_log(1.4426950408889634), "log2(z)"),
    ("log10", "log(x) * (1 / log(10)).", _scaled_log(0.4342944819032518), "log10(z)"),
    ("log1p", "log(1 + x), right for small x: with u = 1 + x, log(u) * x / (u - 1).", _log1p, "log1p(z)"),
    ("erf", "The error function: x * p(x * x) / q(x * x) for -4 <= x <= 4.", polynomials.erf),
    ("erfc", "1 - erf(x).", lambda b, x: b.binary("sub", b.scalar(1), polynomials.erf(b, x))),
    (
        "sin",
        "The sine, x in radians: a polynomial after the multiples of pi; abs(x) < 1e4.",
        lambda b, x: polynomials.sine(b, x, False),
    ),
    (
        "cos",
        "The cosine, x in radians: as sin, half a turn away; abs(x) < 1e4.",
        lambda b, x: polynomials.sine(b, x, True),
    ),
    ("tan", "sin(x) / cos(x).", _tan),
    ("asin", "atan(x / sqrt((1 - x) * (1 + x))).", _asin, "asin(x / 3)"),
    ("acos", "pi / 2 - asin(x).", _acos, "acos(x / 3)"),
    ("atan", "The angle whose tangent is x: 2 * p(x / (1 + sqrt(1 + x * x))), p a polynomial.", polynomials.atan),
    ("sinh", "With h = expm1(abs(x)): (h + h / (h + 1)) / 2, with the sign of x.", _sinh),
    ("cosh", "(exp(x) + 1 / exp(x)) / 2.", _cosh),
    ("asinh", "log1p(a + a / (i + sqrt(i * i + 1))) of a = abs(x) and i = 1 / a, with the sign of x.", _asinh),
    ("acosh", "log1p(t + sqrt(t * (x + 1))) of t = x - 1.", _acosh, "acosh(z + 1)"),
    ("atanh", "log1p(2 * x / (1 - x)) / 2.", _atanh, "atanh(x / 3)"),
    ("cbrt", "exp(log(abs(x)) / 3) and one Newton step, with the sign of x.", _cbrt),
):
    _in_fp32(*_row)


@operation("atan2(y, x)", f"{BROADCAST}, a float", "atan2(x, z)")
def atan2(b: Builder, y: Value, x: Value) -> Value:
    """The angle of the point (x, y): atan(y / x), and pi with the sign of y added where x is negative; 0 at 0."""
    b.need_float(y, "atan2")
    wide_y, wide_x = b.cast(y, "fp32", hint="y"), b.cast(x, "fp32", hint="x")
    origin = b.binary("add", b.unary("abs", wide_x, hint="ax"), b.unary("abs", wide_y, hint="ay"), hint="size")
    below = selection.where(b, b.binary("eq", origin, b.scalar(0), hint="origin"), b.scalar(1), wide_x, hint="below")
    angle = polynomials.atan(b, b.binary("div", wide_y, below, hint="ratio"))
    turn = _signed(b, wide_y, b.full((sympy.Integer(1),) * len(y.shape), sympy.pi.evalf(17), "fp32", hint="pi"))
    behind = b.binary("lt", wide_x, b.scalar(0), hint="behind")
    return b.cast(selection.where(b, behind, b.binary("add", angle, turn, hint="shifted"), angle), y.dtype)


@operation("pow(a: operand, b: operand)", f"{BROADCAST}, a float where b is no whole number", "pow(z, x)")
def pow_(b: Builder, base: Operand, exponent: Operand) -> Value:
    """a ** b: products for whole numbers b up to 64, sqrt, rsqrt and reciprocal for 0.5, -0.5 and -1, else
    exp(log(a) * b) in fp32, which needs a > 0."""
    if isinstance(base, Value) and isinstance(exponent, Scalar) and exponent.expr.is_number:
        found = _known_power(b, base, exponent.expr)
        if found is not None:
            return found
    values = [operand for operand in (base, exponent) if isinstance(operand, Value)]
    for value in values:
        b.need_float(value, "pow")
    wide = [b.cast(o, "fp32", hint="x") if isinstance(o, Value) else o for o in (base, exponent)]
    log = (
        b.unary("log", wide[0], hint="log")
        if isinstance(wide[0], Value)
        else b.scalar(sympy.log(wide[0].expr).evalf(17))
    )
    return b.cast(b.unary("exp", b.binary("mul", log, wide[1], hint="product")), values[0].dtype)


def _known_power(b: Builder, base: Value, power: Any) -> Value | None:
    if power.is_infinite:
        return None
    kinds = {0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
    if float(power) in kinds:
        return b.unary(kinds[float(power)], base)
    if float(power) != int(power) or abs(power) > _LARGEST_POWER:
        return None
    if int(power) == 0:
        return b.full(base.shape, 1, base.dtype)
    result: Value | None = None
    square, left = base, abs(int(power))
    while left:
        if left % 2:
            result = square if result is None else b.binary("mul", result, square, hint="power")
        left //= 2
        if left:
            square = b.binary("mul", square, square, hint="square")
    assert result is not None
    return result if power > 0 else b.unary("reciprocal", result)
