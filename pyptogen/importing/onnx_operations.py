"""Operators of ONNX and what the language has for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import Expression, call, infix, listed, number, prefix
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.onnx_table import TABLE, Site, Translation, short, takes
from pyptogen.importing.vocabulary import Operand
from pyptogen.importing.writing import Value

_SAME = {
    "Abs": "abs", "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Reciprocal": "reciprocal", "Sigmoid": "sigmoid",
    "Tanh": "tanh", "Sin": "sin", "Cos": "cos", "Tan": "tan", "Asin": "asin", "Acos": "acos", "Atan": "atan",
    "Sinh": "sinh", "Cosh": "cosh", "Erf": "erf", "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sign": "sign",
    "Relu": "relu",
}  # fmt: skip
_ARITHMETIC = {"Add": ("+", "total"), "Sub": ("-", "difference"), "Mul": ("*", "product"), "Div": ("/", "quotient"),
               "Pow": ("**", "power")}  # fmt: skip
_COMPARISONS = {"Equal": "==", "Less": "<", "LessOrEqual": "<=", "Greater": ">", "GreaterOrEqual": ">="}
_REDUCTIONS = {"ReduceSum": "sum", "ReduceMean": "mean", "ReduceMax": "amax", "ReduceMin": "amin",
               "ReduceProd": "prod"}  # fmt: skip


_REDUCED_SUMS = {"ReduceL1": ("abs", ""), "ReduceL2": ("square", "sqrt"), "ReduceSumSquare": ("square", ""),
                 "ReduceLogSum": ("", "log")}  # fmt: skip
"""What is done with each element before a sum, and with the sum."""


def _enter_families() -> None:
    for name, word in _SAME.items():
        TABLE[name] = lambda at, x, _word=word: v.unary(_word, x, at.dtype, at.shape)
    for name, (sign, word) in _ARITHMETIC.items():
        TABLE[name] = lambda at, a, b, _sign=sign, _word=word: _arithmetic(at, a, _sign, b, _word)
    for name, sign in _COMPARISONS.items():
        TABLE[name] = lambda at, a, b, _sign=sign: v.comparison(a, _sign, b, _dtype_of(a, b), at.shape)
    for name, word in {"Max": "maximum", "Min": "minimum"}.items():
        TABLE[name] = lambda at, *given, _word=word: _of_all(
            at, given, lambda a, b: v.function(_word, a, b, at.dtype, at.shape)
        )
    for name, sign in {"And": "&", "Or": "|"}.items():
        TABLE[name] = lambda at, a, b, _sign=sign: Value(infix(a.expression, _sign, b.expression), "bool", at.shape)
    for name, word in _REDUCTIONS.items():
        TABLE[name] = lambda at, x, *_, _word=word: _reduced(at, x, _word)
    for name, (before, after) in _REDUCED_SUMS.items():
        TABLE[name] = lambda at, x, *_, _before=before, _after=after: _reduced_sum(at, x, _before, _after)


def _dtype_of(a: Operand, b: Operand) -> str:
    return next(one.dtype for one in (a, b) if isinstance(one, Value))


def _arithmetic(at: Site, a: Operand, sign: str, b: Operand, word: str) -> Value:
    if sign == "/" and at.dtype not in v.FLOATS:
        raise NotTakenError("a division of integers, which ONNX cuts towards zero")
    return v.binary(a, sign, b, at.dtype, at.shape, word)


def _reduced(at: Site, x: Value, word: str) -> Value:
    axes = at.given("axes", 1)
    keepdims = bool(at.attributes.get("keepdims", 1))
    return v.reduced(word, x, list(axes) if axes else list(range(x.rank)), keepdims, at.dtype, at.shape)


def _reduced_sum(at: Site, x: Value, before: str, after: str) -> Value:
    if before == "square":
        x = v.binary(x, "**", 2, at.dtype, x.shape, "square")
    elif before:
        x = v.unary(before, x, at.dtype, x.shape)
    total = _reduced(at, x, "sum")
    return v.unary(after, total, at.dtype, at.shape) if after else total


def _of_all(at: Site, given: Sequence[Operand], both: Callable[[Operand, Operand], Value]) -> Operand:
    """Any number of operands, the first two first."""
    made, *rest = given
    for one in rest:
        made = both(made, one)
    return made


_enter_families()


@takes("ReduceLogSumExp")
def _log_sum_exp(at: Site, x: Value, *_: Any) -> Value:
    """The largest element is taken out before: its `exp` may be beyond the dtype."""
    axes = at.given("axes", 1)
    if not axes or len(axes) != 1:
        raise NotTakenError("`ReduceLogSumExp` over several axes")
    x = at.named(x)
    column = tuple("1" if axis == axes[0] % x.rank else size for axis, size in enumerate(x.shape))
    most = at.named(v.reduced("amax", x, axes, True, at.dtype, column))
    raised = v.unary("exp", v.binary(x, "-", most, at.dtype, x.shape, "shifted"), at.dtype, x.shape)
    total = v.unary("log", v.reduced("sum", raised, axes, True, at.dtype, column), at.dtype, column)
    return v.reshape(v.binary(total, "+", most, at.dtype, column, "log_sum"), at.shape)


@takes("Sum")
def _sum(at: Site, *given: Operand) -> Operand:
    return _of_all(at, given, lambda a, b: v.binary(a, "+", b, at.dtype, at.shape, "total"))


@takes("Mean")
def _mean(at: Site, *given: Operand) -> Value:
    return v.binary(_sum(at, *given), "/", len(given), at.dtype, at.shape, "mean")


@takes("Elu")
def _elu(at: Site, x: Value) -> Value:
    x, alpha = at.named(x), short(at.attributes.get("alpha", 1.0))
    below = v.binary(v.unary("exp", x, at.dtype, at.shape), "-", 1, at.dtype, at.shape, "below")
    below = below if alpha == 1 else v.binary(below, "*", alpha, at.dtype, at.shape, "below")
    return v.where(v.comparison(x, ">", 0, at.dtype, at.shape), x, below, at.dtype, at.shape)


@takes("HardSigmoid")
def _hard_sigmoid(at: Site, x: Value) -> Value:
    return _hard(at, x, short(at.attributes.get("alpha", 0.2)), short(at.attributes.get("beta", 0.5)))


@takes("HardSwish")
def _hard_swish(at: Site, x: Value) -> Value:
    x = at.named(x)
    return v.binary(x, "*", _hard(at, x, 1 / 6, 0.5), at.dtype, at.shape, "product")


def _hard(at: Site, x: Value, slope: float, shift: float) -> Value:
    line = v.binary(v.binary(x, "*", slope, at.dtype, at.shape, "line"), "+", shift, at.dtype, at.shape, "line")
    return Value(call("clip", line.expression, "0.0", "1.0"), at.dtype, at.shape, "gate")


@takes("BatchNormalization")
def _batch_norm(at: Site, x: Value, gain: Value, shift: Value, mean: Value, variance: Value) -> Value:
    """As a model has it when it is used: by means and variances that it brings."""
    if at.attributes.get("training_mode"):
        raise NotTakenError("`BatchNormalization` that trains")

    eps = short(at.attributes.get("epsilon", 1e-5))
    root = v.unary("sqrt", v.binary(variance, "+", eps, x.dtype, variance.shape, "spread"), x.dtype, variance.shape)
    scale = at.named(v.binary(gain, "/", root, x.dtype, gain.shape, "scale"))
    moved = v.binary(
        shift, "-", v.binary(mean, "*", scale, x.dtype, mean.shape, "moved"), x.dtype, shift.shape, "moved"
    )
    whole = v.binary(x, "*", v.on_axis(scale, x.rank, 1), x.dtype, at.shape, "scaled")
    return v.binary(whole, "+", v.on_axis(at.named(moved), x.rank, 1), x.dtype, at.shape, "normed")


@takes("Neg")
def _neg(at: Site, x: Value) -> Value:
    return v.negative(x, at.dtype)


@takes("Not")
def _not(at: Site, x: Value) -> Value:
    return Value(prefix("~", x.expression), "bool", at.shape, "mask")


@takes("IsNaN")
def _is_nan(at: Site, x: Value) -> Value:
    return Value(call("isnan", x.expression), "bool", at.shape, "mask")


@takes("Identity", "Dropout")
def _identity(at: Site, x: Value, *_: Any) -> Value:
    return x


@takes("Cast")
def _cast(at: Site, x: Value) -> Value:
    return v.cast(x, at.dtype)


@takes("Gelu")
def _gelu(at: Site, x: Value) -> Value:
    tanh = at.attributes.get("approximate") == "tanh"
    return v.unary("gelu_tanh" if tanh else "gelu", x, at.dtype, at.shape)


@takes("LeakyRelu")
def _leaky_relu(at: Site, x: Value) -> Value:
    slope = number(round(at.attributes.get("alpha", 0.01), 7)).text
    return v.unary("lrelu", x, at.dtype, at.shape, negative_slope=slope)


@takes("Softplus")
def _softplus(at: Site, x: Value) -> Value:
    x = at.named(x)
    size = v.unary("abs", x, at.dtype, at.shape)
    bent = v.unary("log1p", v.unary("exp", v.negative(size, at.dtype), at.dtype, at.shape), at.dtype, at.shape)
    return v.binary(v.function("maximum", x, 0, at.dtype, at.shape), "+", bent, at.dtype, at.shape, "softplus")


@takes("Clip")
def _clip(at: Site, x: Value, low: Operand | None = None, high: Operand | None = None) -> Value:
    low, high = at.attributes.get("min", low), at.attributes.get("max", high)
    if low is not None and high is not None:
        return Value(call("clip", *(v.operand(one, at.dtype) for one in (x, low, high))), at.dtype, at.shape, "clipped")
    if low is None and high is None:
        return x
    return v.function(
        "maximum" if low is not None else "minimum", x, low if low is not None else high, at.dtype, at.shape
    )


@takes("Where")
def _where(at: Site, condition: Value, a: Operand, b: Operand) -> Value:
    return v.where(condition, a, b, at.dtype, at.shape)


TABLE["Softmax"] = lambda at, x: v.along("softmax", x, at.attributes.get("axis", -1), at.dtype)
TABLE["LogSoftmax"] = lambda at, x: v.along("log_softmax", x, at.attributes.get("axis", -1), at.dtype)


@takes("CumSum")
def _cumsum(at: Site, x: Value, *_: Any) -> Value:
    (axis,), backwards = at.given("axis", 1), bool(at.attributes.get("reverse"))
    given = v.flip(x, axis) if backwards else x
    if at.attributes.get("exclusive"):
        given = _behind_a_zero(given, axis)
    sums = v.along("cumsum", given, axis, at.dtype)
    return replace(v.flip(sums, axis), word="sum") if backwards else sums


def _behind_a_zero(x: Value, axis: int) -> Value:
    """The elements one place further on along an axis, behind a zero; the last one is left out."""
    axis %= x.rank
    size = x.shape[axis]
    longer = str(int(size) + 1) if size.isdigit() else f"{size} + 1"
    padding = [*[0] * (2 * (x.rank - 1 - axis)), 1, 0]
    padded = Value(
        call("pad", x.expression, listed(padding)), x.dtype, (*x.shape[:axis], longer, *x.shape[axis + 1 :]), "padded"
    )
    return v.slice_(padded, axis, "", size, 1, x.shape)


def _of_place(word: str) -> Translation:
    def translate(at: Site, x: Value) -> Value:
        axis, keep = at.attributes.get("axis", 0), bool(at.attributes.get("keepdims", 1))
        return replace(v.reduced(word, x, [axis], keep, x.dtype, at.shape), dtype="int32")

    return translate


TABLE["ArgMax"], TABLE["ArgMin"] = _of_place("argmax"), _of_place("argmin")


@takes("LayerNormalization")
def _layer_norm(at: Site, x: Value, gain: Value, shift: Value | None = None) -> Value:
    if at.attributes.get("axis", -1) not in (-1, x.rank - 1):
        raise NotTakenError("a normalisation over several axes")
    shift = shift if shift is not None else v.full(gain.shape, 0, gain.dtype)
    eps = number(short(at.attributes.get("epsilon", 1e-5))).text
    return Value(
        call("layer_norm", x.expression, gain.expression, shift.expression, eps=eps), x.dtype, at.shape, "normed"
    )


@takes("RMSNormalization")
def _rms_norm(at: Site, x: Value, gain: Value) -> Value:
    eps = number(short(at.attributes.get("epsilon", 1e-5))).text
    return Value(call("rms_norm", x.expression, gain.expression, eps=eps), x.dtype, at.shape, "normed")


@takes("MatMul")
def _matmul(at: Site, a: Value, b: Value) -> Value:
    return v.matmul(a, b, at.dtype, at.shape)


@takes("Gemm")
def _gemm(at: Site, a: Value, b: Value, c: Operand | None = None) -> Value:
    a = v.transpose(a, 0, 1) if at.attributes.get("transA") else a
    b = v.transpose(b, 0, 1) if at.attributes.get("transB") else b
    whole = v.matmul(a, b, "fp32", at.shape)
    for factor, which in ((at.attributes.get("alpha", 1.0), "alpha"), (at.attributes.get("beta", 1.0), "beta")):
        if factor != 1 and which == "alpha":
            whole = v.binary(whole, "*", short(factor), "fp32", at.shape, "product")
        elif factor != 1 and isinstance(c, Value):
            c = v.binary(c, "*", short(factor), "fp32", c.shape, "added")
    return v.cast(whole if c is None else v.binary(whole, "+", c, "fp32", at.shape, "linear"), at.dtype)


@takes("Einsum")
def _einsum(at: Site, *operands: Value) -> Value:
    from pyptogen.importing.einsum import einsum

    return einsum(at.attributes["equation"], operands, at.dtype, at.shape)


@takes("Reshape", "Squeeze", "Flatten")
def _reshape(at: Site, x: Value, *_: Any) -> Value:
    return v.reshape(x, at.shape)


@takes("Unsqueeze")
def _unsqueeze(at: Site, x: Value, *_: Any) -> Value:
    axes = at.given("axes", 1)
    return v.unsqueeze(x, axes[0] % (x.rank + 1), at.shape) if len(axes) == 1 else v.reshape(x, at.shape)


@takes("Transpose")
def _transpose(at: Site, x: Value) -> Value:
    return v.permute(x, at.attributes.get("perm", list(reversed(range(x.rank)))))


@takes("Expand")
def _expand(at: Site, x: Value, *_: Any) -> Value:
    return v.expand(x, at.shape)


@takes("Tile")
def _tile(at: Site, x: Value, *_: Any) -> Value:
    return v.repeat(x, at.given("repeats", 1))


@takes("Trilu")
def _trilu(at: Site, x: Value, *_: Any) -> Value:
    (diagonal,) = at.given("k", 1, [0])
    word = "triu" if at.attributes.get("upper", 1) else "tril"
    options = {"diagonal": str(diagonal)} if diagonal else {}
    return Value(call(word, x.expression, **options), x.dtype, at.shape, "triangle")


@takes("Concat")
def _concat(at: Site, *parts: Value) -> Value:
    return v.concat(parts, at.attributes["axis"], at.dtype, at.shape)


@takes("Split")
def _split(at: Site, x: Value, *_: Any) -> list[Value]:
    x, axis, made, begin = at.named(x), at.attributes.get("axis", 0) % x.rank, [], 0
    for i, shape in enumerate(at.shapes):
        if not shape[axis].isdigit():
            raise NotTakenError("a split into parts whose sizes are not known")
        end = begin + int(shape[axis])
        made.append(v.slice_(x, axis, str(begin) if i else "", "" if i == len(at.shapes) - 1 else str(end), 1, shape))
        begin = end
    return made


@takes("Slice")
def _slice(at: Site, x: Value, *_: Any) -> Value:
    starts, ends = at.given("starts", 1), at.given("ends", 2)
    axes, steps = at.given("axes", 3, list(range(len(starts)))), at.given("steps", 4, [1] * len(starts))
    made = x
    for begin, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        if step < 0:
            raise NotTakenError("a slice that goes backwards")
        size = x.shape[axis % x.rank]
        part = v.slice_(made, axis, _end(begin, size, "0"), _end(end, size, size), step, at.shape)
        made = replace(part, shape=made.shape)
    return replace(made, shape=at.shape)


def _end(place: int, size: str, usual: str) -> str:
    """Where a slice begins or ends, empty at the end of the axis."""
    if size.isdigit():
        place = min(place, int(size)) + (int(size) if place < 0 else 0)
    elif place < 0:
        return f"{size} - {-place}"
    text = str(place)
    return "" if text == usual or place > 1 << 40 else text


@takes("Pad")
def _pad(at: Site, x: Value, *given: Any) -> Value:
    pads, mode = at.given("pads", 1), at.attributes.get("mode", "constant")
    if mode != "constant" or min(pads) < 0 or len(pads) != 2 * x.rank:
        raise NotTakenError(f"`Pad` by `{mode}`, or that cuts off")
    fill = (at.given("value", 2, None) or [0])[0]
    padding = [one for axis in reversed(range(x.rank)) for one in (pads[axis], pads[axis + x.rank])]
    while len(padding) > 2 and padding[-2:] == [0, 0]:
        padding = padding[:-2]
    options = {"value": number(short(fill)).text} if fill else {}
    return Value(call("pad", x.expression, listed(padding), **options), x.dtype, at.shape, "padded")


@takes("TopK")
def _topk(at: Site, x: Value, *_: Any) -> list[Value]:
    (k,) = at.given("k", 1)
    options = {} if at.attributes.get("largest", 1) else {"largest": "false"}
    axis = at.attributes.get("axis", -1)
    text = call("topk", x.expression, str(k), axis=str(axis), **options)
    made = [
        Value(Expression(""), x.dtype, at.shapes[0], "values"),
        Value(Expression(""), "int32", at.shapes[0], "indices"),
    ]
    return at.writer.several(text, made, at.wanted, at.outputs)


@takes("Conv")
def _conv(at: Site, x: Value, weight: Value, bias: Value | None = None) -> Value:
    if at.attributes.get("auto_pad", "NOTSET") != "NOTSET":
        raise NotTakenError("a convolution with `auto_pad`")
    places = x.rank - 2
    pads = at.attributes.get("pads", [0] * 2 * places)
    before, after = pads[:places], pads[places:]
    padding: Sequence[Any] = before if before == after else [[a, b] for a, b in zip(before, after, strict=True)]
    written = {}
    for name, given, usual in (
        ("strides", at.attributes.get("strides", [1] * places), 1),
        ("paddings", padding, 0),
        ("dilations", at.attributes.get("dilations", [1] * places), 1),
    ):
        if any(one != usual for one in given):
            written[name] = str(given[0]) if all(one == given[0] for one in given) else listed(given)
    if at.attributes.get("group", 1) != 1:
        written["groups"] = str(at.attributes["group"])
    if bias is not None:
        written["bias"] = v.cast(bias, "fp32").expression.text
    return Value(call("conv", x.expression, weight.expression, **written), at.dtype, at.shape, "conv")
