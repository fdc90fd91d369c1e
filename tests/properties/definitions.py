"""Definitions of random specs that compute: elementwise work, casts, choices, reductions, scans, composites.

Each function draws one definition over what a draft knows and appends it, or gives False where nothing known suits.
"""

from __future__ import annotations

import re

from properties.draft import FLOATS, WHOLE, Draft, Known

UNARY = {
    "abs({0})": None, "neg({0})": None, "relu({0})": None, "square({0})": 2.0,
    "exp(minimum({0}, 1.0))": 2.8, "sqrt(abs({0}) + 0.5)": 4.0, "log(abs({0}) + 0.5)": 3.0,
    "rsqrt(abs({0}) + 0.5)": 1.5, "reciprocal(abs({0}) + 0.5)": 2.0, "sigmoid({0})": 1.0, "tanh({0})": 1.0,
    "silu({0})": None, "gelu({0})": None, "sin({0})": 1.0, "erf({0})": 1.0, "sign({0})": 1.0,
    "floor({0})": None, "ceil({0} * 4)": None, "round({0} * 2)": None, "trunc({0} * 4)": None,
    "lrelu({0})": None, "expm1(minimum({0}, 1.0))": 2.0, "log1p(abs({0}))": 2.5, "cbrt({0})": 2.5,
}  # fmt: skip
"""Functions of floats, and the greatest magnitude of what they give where it is not that of their operand."""
POSITIVE = ("exp", "sqrt", "rsqrt", "reciprocal")
SCALAR = ("{0} * 0.5", "{0} + 0.25", "0.75 - {0}", "maximum({0}, -0.5)", "minimum({0}, 0.75)", "{0} - 1", "{0} / 4")
WHOLE_SCALAR = ("{0} * 3", "{0} + 5", "7 - {0}", "maximum({0}, -2)", "minimum({0}, 3)", "{0} // 3", "{0} % 5")


def is_float(k: Known) -> bool:
    return k.dtype in FLOATS


def is_whole(k: Known) -> bool:
    return k.dtype in WHOLE


def is_number(k: Known) -> bool:
    return k.dtype != "bool"


def calm(d: Draft, text: str, of: Known, size: float, *, positive: bool = False) -> Known:
    """A definition of ``of``'s dtype and shape whose elements stay near 1, or within an int8."""
    if is_float(of) and size > 8:
        text, size = f"({text}) * {1 / size:.6f}", 1.0
        positive = False
    elif is_whole(of) and size > 100:
        text, size = f"minimum(maximum({text}, -50), 50)", 50.0
    return d.emit(text, of.dtype, of.shape, size=size, positive=positive)


def unary(d: Draft) -> bool:
    x = d.pick(is_number)
    if x is None:
        return False
    if is_whole(x):
        calm(d, d.any("abs({0})", "neg({0})", "relu({0})", "sign({0})").format(x.name), x, x.size)
        return True
    form = d.any(*UNARY)
    size = UNARY[form] or x.size * (4 if "4" in form else 2 if "2" in form else 1)
    calm(
        d, form.format(x.name), x, x.size**2 if form.startswith("square") else size, positive=form.startswith(POSITIVE)
    )
    return True


def scalar(d: Draft) -> bool:
    x = d.pick(is_number)
    if x is None:
        return False
    if is_whole(x):
        calm(d, d.any(*WHOLE_SCALAR).format(x.name), x, 3 * x.size + 7)
        return True
    form = d.any(*SCALAR, "2 / (abs({0}) + 1)", "{0} ** 2", "1.5 * {0} - 0.5")
    calm(d, form.format(x.name), x, max(2.0, x.size**2 if "**" in form else 2 * x.size), positive=form[0] == "2")
    return True


def attr(d: Draft) -> bool:
    """A number that only a call knows: of an attr, of a run-time dim, or of both."""
    x = d.pick(is_number)
    if x is None:
        return False
    if is_whole(x):
        d.attrs["n"] = "{type: int32, default: -7}"
        calm(
            d,
            d.any(
                "{0} + n", "{0} * (n % 4)", "{0} // n", "{0} % (n + r)", "maximum({0}, n // 2)", "{0} - r % 5"
            ).format(x.name),
            x,
            3 * x.size + 7,
        )
        return True
    d.attrs["k"] = "{type: fp32, default: 1.5}"
    form = d.any(
        "{0} * k", "{0} + k / 4", "{0} * (k ** 2 - 1)", "{0} / (k + r)", "minimum({0}, sqrt(k))", "{0} * (r % 3)"
    )
    calm(d, form.format(x.name), x, max(2.0, 2 * x.size))
    return True


def function(d: Draft) -> bool:
    """A function of the spec, used once or twice."""
    x = d.pick(is_float)
    if x is None:
        return False
    if not d.functions:
        d.functions.append("  soft(v):\n    a: abs(v) + 1\n    return: [v / a]")
    text = d.any("soft({0})", "soft(soft({0}) * 2)").format(x.name)
    d.emit(text, x.dtype, x.shape)
    return True


def _partner(d: Draft, x: Known) -> Known:
    """Another operand: something known that broadcasts with ``x``, or a new input of a part of its axes."""
    other = d.pick(lambda k: k.dtype == x.dtype and joined(x.shape, k.shape) is not None)
    if other is not None and (other is not x or d.any(True, False, False)):
        return other
    shape = [dim if d.any(True, True, False) else "1" for dim in x.shape]
    drop = d.number(0, len(shape) - 1)
    return d.fresh(x.dtype, shape[drop:])


def joined(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...] | None:
    """The shape of two operands together, None where they do not broadcast."""
    rank = max(len(a), len(b))
    pairs = list(zip(("1",) * (rank - len(a)) + a, ("1",) * (rank - len(b)) + b, strict=True))
    if any(p != q and "1" not in (p, q) for p, q in pairs):
        return None
    return tuple(q if p == "1" else p for p, q in pairs)


def binary(d: Draft) -> bool:
    x = d.pick(is_number)
    if x is None:
        return False
    y = _partner(d, x)
    shape = joined(x.shape, y.shape)
    assert shape is not None
    together = Known("", x.dtype, shape)
    if y.positive and is_float(x) and d.any(True, False):
        calm(d, f"{x.name} / {y.name}", together, 10 * x.size)
        return True
    op = d.any("{0} + {1}", "{0} - {1}", "{0} * {1}", "maximum({0}, {1})", "minimum({0}, {1})")
    if d.any(True, False):
        x, y = y, x
    calm(d, op.format(x.name, y.name), together, x.size * y.size if "*" in op else x.size + y.size)
    return True


def divide_whole(d: Draft) -> bool:
    x = d.pick(is_whole)
    if x is None:
        return False
    y = _partner(d, x)
    shape = joined(x.shape, y.shape)
    assert shape is not None
    form = d.any("{0} // (abs({1}) + 1)", "{0} % (abs({1}) + 2)", "bitwise_and({0}, {1})", "bitwise_xor({0}, {1})")
    calm(d, form.format(x.name, y.name), Known("", x.dtype, shape), max(2 * x.size, 127.0 if "bit" in form else 0.0))
    return True


def convert(d: Draft) -> bool:
    x = d.pick()
    if x is None:
        return False
    if x.dtype == "bool":
        d.emit(f"cast({x.name}, fp32)", "fp32", x.shape)
        return True
    target = d.any(*(dtype for dtype in (*FLOATS, *FLOATS, *WHOLE) if dtype != x.dtype))
    mode = d.any("rint", "round", "floor", "ceil", "trunc")
    if is_float(x) and target in WHOLE:
        d.emit(f"cast({x.name} * 8, {target}, mode={mode})", target, x.shape, size=8 * x.size)
        return True
    if is_whole(x) and target in FLOATS:
        d.emit(f"cast({x.name}, {target}) * 0.0625", target, x.shape, size=x.size / 16)
        return True
    d.emit(f"cast({x.name}, {target})", target, x.shape, size=min(x.size, 127.0), positive=x.positive)
    return True


def four_bits(d: Draft) -> bool:
    """Numbers of four bits, given or rounded, and what they are as numbers that are computed with."""
    x = d.pick(lambda k: is_number(k) and d.fixed(k.shape[-1]) and d.extent(k.shape[-1]) % 2 == 0)
    if x is None:
        return False
    if d.seldom(2):
        small = d.fresh("int4", x.shape)
    else:
        mode = d.any("rint", "round", "floor", "ceil", "trunc")
        small = d.emit(f"cast({x.name} * 4, int4, mode={mode})", "int4", x.shape)
        d.ended.append(small)
    d.known.remove(small)
    if small in d.ended and d.seldom(3):
        return True
    target = d.any(*FLOATS, *WHOLE)
    d.emit(f"cast({small.name}, {target})", target, x.shape, size=8)
    return True


def choose(d: Draft) -> bool:
    x = d.pick(is_number)
    if x is None:
        return False
    y = _partner(d, x)
    shape = joined(x.shape, y.shape)
    assert shape is not None
    relation = d.any("<", "<=", ">", ">=", "==", "!=")
    right = d.any(y.name, y.name, "0")
    condition = f"{x.name} {relation} {right}"
    if d.any(False, False, True):
        condition = f"{d.any('logical_and', 'logical_or')}({condition}, {y.name} > {d.any('0', x.name)})"
    sides = d.any((x.name, y.name), (y.name, x.name), (x.name, "1"), ("0", y.name))
    text = f"where({condition}, {sides[0]}, {sides[1]})"
    shape = shape if y.name in re.findall(r"\w+", text) else x.shape
    calm(d, text, Known("", x.dtype, shape), max(x.size, y.size, 1.0))
    return True


def reduce(d: Draft) -> bool:
    x = d.pick(lambda k: is_number(k) and len(k.shape) > 1)
    if x is None:
        return False
    axis = d.any(len(x.shape) - 1, d.number(0, len(x.shape) - 1))
    keep = d.any(True, True, False)
    shape = (*x.shape[:axis], *(("1",) if keep else ()), *x.shape[axis + 1 :])
    how = f"axis={axis - (len(x.shape) if d.any(True, False) else 0)}{', keepdim=true' if keep else ''}"
    kind = d.any("amax", "amin", "sum", "sum", "mean", "prod", "argmax", "argmin")
    length = d.extent(x.shape[axis])
    if kind in ("argmax", "argmin") and not d.fixed(x.shape[axis]):
        return False  # refused: a row of a run-time length does not lie in one tile
    if kind in ("argmax", "argmin"):
        d.emit(f"{kind}({x.name}, {how})", "int32", shape, size=float(length))
    elif kind == "prod":
        text = f"prod(1 + {x.name} * {0.5 / x.size / max(length, 1):.6f}, {how})"
        d.emit(text if is_float(x) else f"prod({x.name}, {how})", x.dtype, shape, size=2.0 if is_float(x) else 127.0)
    elif kind == "mean" and is_float(x):
        d.emit(f"mean({x.name}, {how})", x.dtype, shape, size=x.size)
    elif kind in ("sum", "mean"):
        weight = f" * {1 / length:.6f}" if is_float(x) else ""
        d.emit(f"sum({x.name}{weight}, {how})", x.dtype, shape, size=x.size * (1 if weight else length))
    else:
        d.emit(f"{kind}({x.name}, {how})", x.dtype, shape, size=x.size)
    return True


def scan(d: Draft) -> bool:
    x = d.pick(is_number)
    if x is None:
        return False
    axis = d.number(0, len(x.shape) - 1)
    length = d.extent(x.shape[axis])
    if is_whole(x):
        d.emit(f"cumsum({x.name}, axis={axis})", x.dtype, x.shape, size=x.size * length)
    elif d.any(True, True, False):
        d.emit(f"cumsum({x.name} * {1 / length:.6f}, axis={axis})", x.dtype, x.shape, size=x.size)
    else:
        d.emit(f"cumprod(1 + {x.name} * {0.5 / x.size / length:.6f}, axis={axis})", x.dtype, x.shape, size=2.0)
    return True


def composite(d: Draft) -> bool:
    x = d.pick(lambda k: is_float(k) and len(k.shape) > 1)
    if x is None:
        return False
    kind = d.any("softmax", "log_softmax", "rms_norm", "layer_norm", "quant_per_token", "swiglu", "var")
    if kind in ("rms_norm", "layer_norm"):
        weights = [d.fresh(x.dtype, x.shape[-1:]).name for _ in range(1 if kind == "rms_norm" else 2)]
        d.emit(f"{kind}({', '.join((x.name, *weights))})", x.dtype, x.shape, size=8.0)
    elif kind == "quant_per_token":
        d.emit_pair(
            f"quant_per_token({x.name})", (("int8", x.shape, 127.0), ("fp32", (*x.shape[:-1], "1"), x.size / 127))
        )
    elif kind == "swiglu":
        calm(d, f"swiglu({x.name}, {x.name})", x, x.size**2)
    elif kind == "var" and d.static.get(x.shape[-1], 1) > 1:
        d.emit(f"var({x.name}, axis=-1, keepdim=true)", x.dtype, (*x.shape[:-1], "1"), size=x.size**2)
    elif kind == "log_softmax":
        d.emit(f"log_softmax({x.name}) * 0.125", x.dtype, x.shape, size=2.0)
    else:
        axis = d.any(-1, -1, 0)
        d.emit(f"softmax({x.name}, axis={axis})", x.dtype, x.shape)
    return True
