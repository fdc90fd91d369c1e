"""Operations of PyTorch (ATen) and what the language has for them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import torch

from pyptogen.importing import vocabulary as v
from pyptogen.importing.expression import Expression, call, infix, listed, number, prefix
from pyptogen.importing.faults import NotTakenError
from pyptogen.importing.networks import attention, group_norm, of_channels
from pyptogen.importing.torch_site import DTYPES, Site, dtype_of
from pyptogen.importing.torch_table import TABLE, Translation, takes
from pyptogen.importing.vocabulary import Operand
from pyptogen.importing.writing import Value

_SAME = (
    "abs exp log sqrt rsqrt reciprocal sigmoid silu tanh sin cos tan asin acos atan sinh cosh asinh acosh atanh "
    "erf erfc exp2 expm1 log1p log2 log10 floor ceil trunc sign square relu"
)
_FUNCTIONS = ("maximum", "minimum", "fmod", "atan2", "hypot", "copysign", "gcd")
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_BITS = {
    "bitwise_and": "&", "__and__": "&", "bitwise_or": "|", "__or__": "|", "bitwise_xor": "^", "__xor__": "^",
    "bitwise_left_shift": "<<", "__lshift__": "<<", "bitwise_right_shift": ">>", "__rshift__": ">>",
}  # fmt: skip


def _enter_families() -> None:
    for name in _SAME.split():
        TABLE[name] = lambda at, x, _word=name: v.unary(_word, x, at.dtype, at.shape)
    for name in ("sin", "cos", "tan"):
        TABLE[name] = lambda at, x, _word=name: _of_angle(at, x, _word)
    for name in _FUNCTIONS:
        TABLE[name] = lambda at, a, b, _word=name: v.function(_word, a, b, at.dtype, at.shape)
    for name, sign in _COMPARISONS.items():
        TABLE[name] = lambda at, a, b, _sign=sign: v.comparison(a, _sign, b, _common(a, b), at.shape)
    for name, sign in _BITS.items():
        TABLE[name] = lambda at, a, b, _sign=sign: v.binary(a, _sign, b, at.dtype, at.shape, "bits")
    for name, sign in {"logical_and": "&", "logical_or": "|", "logical_xor": "!="}.items():
        TABLE[name] = lambda at, a, b, _sign=sign: _logical(at, a, b, _sign)


def _of_angle(at: Site, x: Value, word: str) -> Value:
    at.are_angles(x)
    return v.unary(word, x, at.dtype, at.shape)


def _common(a: Operand, b: Operand) -> str:
    """The dtype in which two operands are compared: as PyTorch promotes them."""
    by_name = {name: dtype for dtype, name in DTYPES.items()}
    given = [
        torch.empty((1,) * one.rank, dtype=by_name[one.dtype]) if isinstance(one, Value) else one for one in (a, b)
    ]
    return dtype_of(torch.result_type(*given))


def _logical(at: Site, a: Value, b: Value, sign: str) -> Value:
    parts = (v.cast(a, "bool").expression, v.cast(b, "bool").expression)
    if sign == "!=":
        parts = tuple(v.cast(v.cast(one, "bool"), "int32").expression for one in (a, b))  # type: ignore[assignment]
    return Value(infix(parts[0], sign, parts[1]), "bool", at.shape, "mask")


_enter_families()


@takes("add")
def _add(at: Site, a: Operand, b: Operand, alpha: float = 1) -> Value:
    if alpha != 1:
        b = _mul(at, b, alpha)
    if at.dtype == "bool":
        return _logical(at, a, b, "|")  # type: ignore[arg-type]
    return v.binary(a, "+", b, at.dtype, at.shape, "total")


@takes("sub")
def _sub(at: Site, a: Operand, b: Operand, alpha: float = 1) -> Value:
    return v.binary(a, "-", b if alpha == 1 else _mul(at, b, alpha), at.dtype, at.shape, "difference")


@takes("rsub")
def _rsub(at: Site, a: Operand, b: Operand, alpha: float = 1) -> Value:
    return _sub(at, b, a, alpha)


@takes("mul")
def _mul(at: Site, a: Operand, b: Operand) -> Value:
    if at.dtype == "bool":
        return _logical(at, a, b, "&")  # type: ignore[arg-type]
    shape = at.shape if isinstance(a, Value) else ()
    return v.binary(a, "*", b, at.dtype, shape, "product")


@takes("div")
def _div(at: Site, a: Operand, b: Operand, rounding_mode: str | None = None) -> Value:
    if rounding_mode == "floor":
        return _floor_divide(at, a, b)
    if rounding_mode == "trunc" and at.dtype not in v.FLOATS:
        raise NotTakenError("a division of integers towards zero", "use `//`, or torch.floor_divide")
    whole = v.binary(a, "/", b, at.dtype, at.shape, "quotient")
    return v.unary("trunc", whole, at.dtype, at.shape) if rounding_mode == "trunc" else whole


@takes("floor_divide")
def _floor_divide(at: Site, a: Operand, b: Operand) -> Value:
    return v.binary(a, "//", b, at.dtype, at.shape, "quotient")


@takes("remainder")
def _remainder(at: Site, a: Operand, b: Operand) -> Value:
    return v.binary(a, "%", b, at.dtype, at.shape, "remainder")


@takes("pow")
def _pow(at: Site, a: Operand, b: Operand) -> Value:
    return v.binary(a, "**", b, at.dtype, at.shape, "power")


@takes("neg")
def _neg(at: Site, x: Value) -> Value:
    return replace(v.negative(x, at.dtype), shape=at.shape)


@takes("bitwise_not", "logical_not")
def _not(at: Site, x: Value) -> Value:
    given = v.cast(x, "bool") if at.dtype == "bool" else x
    return Value(prefix("~", given.expression), at.dtype, at.shape, "mask")


TABLE["isnan"] = lambda at, x: Value(call("isnan", x.expression), "bool", at.shape, "mask")
TABLE["isfinite"] = lambda at, x: Value(call("isfinite", x.expression), "bool", at.shape, "mask")


@takes("gelu")
def _gelu(at: Site, x: Value, approximate: str = "none") -> Value:
    return v.unary("gelu_tanh" if approximate == "tanh" else "gelu", x, at.dtype, at.shape)


@takes("leaky_relu")
def _leaky_relu(at: Site, x: Value, negative_slope: float = 0.01) -> Value:
    return v.unary("lrelu", x, at.dtype, at.shape, negative_slope=number(negative_slope).text)


@takes("elu")
def _elu(at: Site, x: Value, alpha: float = 1, scale: float = 1, input_scale: float = 1) -> Value:
    if scale != 1 or input_scale != 1:
        raise NotTakenError("`elu` with scales", "write the scales as products")
    x = at.named(x)
    below = v.unary("expm1", v.function("minimum", x, 0, at.dtype, at.shape), at.dtype, at.shape)
    below = below if alpha == 1 else v.binary(below, "*", alpha, at.dtype, at.shape, "below")
    return v.where(v.comparison(x, ">", 0, x.dtype, at.shape), x, below, at.dtype, at.shape)


@takes("softplus")
def _softplus(at: Site, x: Value, beta: float = 1, threshold: float = 20) -> Value:
    if beta != 1:
        raise NotTakenError("`softplus` with `beta`")
    x = at.named(x)
    size = v.unary("abs", x, at.dtype, at.shape)
    bent = v.unary("log1p", v.unary("exp", v.negative(size, at.dtype), at.dtype, at.shape), at.dtype, at.shape)
    return v.binary(v.function("maximum", x, 0, at.dtype, at.shape), "+", bent, at.dtype, at.shape, "softplus")


@takes("clamp", "clamp_min", "clamp_max", "hardtanh")
def _clamp(at: Site, x: Value, low: Operand | None = None, high: Operand | None = None, **named: Any) -> Value:
    low, high = named.get("min", low), named.get("max", high)
    if low is not None and high is not None:
        parts = (v.operand(one, at.dtype) for one in (x, low, high))
        return Value(call("clip", *parts), at.dtype, at.shape, "clipped")
    word, bound = ("maximum", low) if low is not None else ("minimum", high)
    assert bound is not None
    return v.function(word, x, bound, at.dtype, at.shape)


TABLE["clamp_max"] = lambda at, x, bound: v.function("minimum", x, bound, at.dtype, at.shape)
TABLE["hardtanh"] = lambda at, x, low=-1.0, high=1.0: _clamp(at, x, low, high)
TABLE["relu6"] = lambda at, x: _clamp(at, x, 0, 6)


@takes("where")
def _where(at: Site, condition: Value, a: Operand, b: Operand) -> Value:
    return v.where(condition, a, b, at.dtype, at.shape)


@takes("masked_fill")
def _masked_fill(at: Site, x: Value, mask: Value, value: Operand) -> Value:
    return v.where(mask, value, x, at.dtype, at.shape)


def _of_triangle(word: str) -> Translation:
    def translate(at: Site, x: Value, diagonal: int = 0) -> Value:
        if x.dtype == "bool":
            return v.truth(translate(at, v.cast(x, "int32"), diagonal))
        options = {"diagonal": str(diagonal)} if diagonal else {}
        return Value(call(word, x.expression, **options), x.dtype, at.shape, "triangle")

    return translate


TABLE["tril"], TABLE["triu"] = _of_triangle("tril"), _of_triangle("triu")


@takes("round")
def _round(at: Site, x: Value, decimals: int = 0, **_: Any) -> Value:
    return v.unary("round", x, at.dtype, at.shape, **({"decimals": str(decimals)} if decimals else {}))


# Casts and copies.


@takes("_to_copy", "to.dtype", "type_as")
def _to_copy(at: Site, x: Value, *_: Any, dtype: Any = None, **__: Any) -> Value:
    return v.cast(x, at.dtype)


@takes("clone", "contiguous", "alias", "detach", "lift_fresh_copy", "dropout", "expand_as", "identity")
def _same(at: Site, x: Value, *given: Any, **_: Any) -> Value:
    if len(given) == 2 and given[1] is True and given[0] != 0:
        raise NotTakenError("dropout while training", "call `.eval()`, or leave it out")
    return v.expand(x, at.shape)


# Reductions.


def _axes(x: Value, dim: Any) -> list[int]:
    if dim is None or dim == []:
        return list(range(x.rank))
    return [dim] if isinstance(dim, int) else list(dim)


def _of_reduction(word: str) -> Translation:
    def translate(at: Site, x: Value, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Value:
        x = v.cast(x, at.dtype) if word != "mean" or dtype is not None else x
        return v.reduced(word, x, _axes(x, dim), keepdim, at.dtype, at.shape)

    return translate


for _word in ("sum", "mean", "amax", "amin", "prod"):
    TABLE[_word] = _of_reduction(_word)


TABLE["max.default"], TABLE["min.default"] = TABLE["amax"], TABLE["amin"]
TABLE["max.other"], TABLE["min.other"] = TABLE["maximum"], TABLE["minimum"]


def _of_extreme(word: str, place: str) -> Translation:
    def translate(at: Site, x: Value, dim: int, keepdim: bool = False) -> list[Value]:
        x = at.named(x)
        found = v.reduced(word, x, [dim], keepdim, x.dtype, at.shape)
        where = v.reduced(place, x, [dim], keepdim, x.dtype, at.shape)
        return [found, replace(where, dtype="int32")]

    return translate


TABLE["max.dim"], TABLE["min.dim"] = _of_extreme("amax", "argmax"), _of_extreme("amin", "argmin")


def _of_place(word: str) -> Translation:
    def translate(at: Site, x: Value, dim: int | None = None, keepdim: bool = False) -> Value:
        if dim is None:
            x, dim = v.reshape(x, ("-1",)), 0
        return replace(v.reduced(word, x, [dim], keepdim, x.dtype, at.shape), dtype="int32")

    return translate


TABLE["argmax"], TABLE["argmin"] = _of_place("argmax"), _of_place("argmin")


def _of_truth(word: str) -> Translation:
    def translate(at: Site, x: Value, dim: Any = None, keepdim: bool = False) -> Value:
        counted = v.cast(v.cast(x, "bool"), "int32")
        found = v.reduced(word, counted, _axes(x, dim), keepdim, "int32", at.shape)
        return v.comparison(found, ">", 0, "int32", at.shape)

    return translate


TABLE["any"], TABLE["all"] = _of_truth("amax"), _of_truth("amin")


@takes("var")
def _var(at: Site, x: Value, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Value:
    axes = _axes(x, dim)
    if isinstance(correction, bool):
        correction = int(correction)
    if len(axes) != 1:
        raise NotTakenError("a variance over several axes", "reshape so that they are one")
    options = {} if correction in (1, None) else {"correction": str(int(correction))}
    return v.reduced("var", x, axes, keepdim, at.dtype, at.shape, **options)


@takes("std")
def _std(at: Site, x: Value, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> Value:
    return v.unary("sqrt", _var(at, x, dim, correction, keepdim), at.dtype, at.shape)


@takes("var_mean")
def _var_mean(at: Site, x: Value, dim: Any = None, correction: Any = 1, keepdim: bool = False) -> list[Value]:
    x = at.named(x)
    mean = v.reduced("mean", x, _axes(x, dim), keepdim, at.dtype, at.shape)
    return [_var(at, x, dim, correction, keepdim), mean]


@takes("logsumexp")
def _logsumexp(at: Site, x: Value, dim: Any, keepdim: bool = False) -> Value:
    x, axes = at.named(x), _axes(x, dim)
    kept = tuple("1" if i in {a % x.rank for a in axes} else size for i, size in enumerate(x.shape))
    highest = at.named(v.reduced("amax", x, axes, True, at.dtype, kept))
    risen = v.unary("exp", v.binary(x, "-", highest, at.dtype, x.shape, "c"), at.dtype, x.shape)
    total = v.unary("log", v.reduced("sum", risen, axes, True, at.dtype, kept), at.dtype, kept)
    return v.reshape(v.binary(highest, "+", total, at.dtype, kept, "log_total"), at.shape)


def _of_scan(word: str) -> Translation:
    return lambda at, x, dim, dtype=None: v.along(word, v.cast(x, at.dtype), dim, at.dtype)


TABLE["cumsum"], TABLE["cumprod"] = _of_scan("cumsum"), _of_scan("cumprod")


def _of_softmax(word: str) -> Translation:
    def translate(at: Site, x: Value, dim: int, dtype: Any = None) -> Value:
        return v.along(word, v.cast(x, at.dtype), dim, at.dtype)

    return translate


for _word in ("softmax", "log_softmax"):
    TABLE[_word] = TABLE[f"_{_word}"] = _of_softmax(_word)


# Normalisations.


@takes("rms_norm")
def _rms_norm(at: Site, x: Value, shape: Sequence[Any], weight: Value | None = None, eps: float | None = None) -> Value:
    if len(shape) != 1:
        raise NotTakenError("a normalisation over several axes", "reshape so that they are one")
    if eps is None:
        eps = torch.finfo(at.results[0].dtype).eps
    gain = v.full((at.size(shape[0]),), 1, x.dtype) if weight is None else v.cast(weight, x.dtype)
    text = call("rms_norm", x.expression, gain.expression, eps=number(eps).text)
    return Value(text, x.dtype, at.shape, "normed")


@takes("layer_norm")
def _layer_norm(
    at: Site, x: Value, shape: Sequence[Any], weight: Value | None = None, bias: Value | None = None,
    eps: float = 1e-5, *_: Any,
) -> Value:  # fmt: skip
    if len(shape) != 1:
        raise NotTakenError("a normalisation over several axes", "reshape so that they are one")
    gain, shift = (
        v.full((at.size(shape[0]),), fill, x.dtype) if one is None else v.cast(one, x.dtype)
        for one, fill in ((weight, 1), (bias, 0))
    )
    text = call("layer_norm", x.expression, gain.expression, shift.expression, eps=number(eps).text)
    return Value(text, x.dtype, at.shape, "normed")


@takes("_native_batch_norm_legit_no_training")
def _batch_norm(
    at: Site, x: Value, weight: Value | None, bias: Value | None, mean: Value, var: Value, _: float, eps: float
) -> list[Value]:
    at.is_variance(var)
    scale = infix(var.expression, "+", number(eps))
    scaled = Expression(f"rsqrt({scale.text})")
    if weight is not None:
        scaled = infix(scaled, "*", weight.expression)
    gain = at.named(Value(scaled, x.dtype, var.shape, "gain"))
    whole = infix(infix(x.expression, "-", of_channels(mean, x.rank)), "*", of_channels(gain, x.rank))
    if bias is not None:
        whole = infix(whole, "+", of_channels(bias, x.rank))
    return [Value(whole, x.dtype, at.shape, "normed")]  # the other results are empty: nothing was learned


@takes("group_norm")
def _group_norm(
    at: Site, x: Value, groups: int, weight: Value | None = None, bias: Value | None = None, eps: float = 1e-5, *_: Any
) -> Value:
    channels, *space = at.results[0].shape[1:]
    size = at.size(math.prod(space, start=channels // groups))
    return group_norm(at.writer, x, (str(groups), size), weight, bias, eps)


# Products.


@takes("matmul", "mm", "bmm", "mv", "dot", "_int_mm")
def _matmul(at: Site, a: Value, b: Value) -> Value:
    if a.rank == b.rank == 1:
        return v.reduced("sum", v.binary(a, "*", b, at.dtype, a.shape, "product"), [0], False, at.dtype, ())
    return v.matmul(a, b, at.dtype, at.shape)


@takes("linear")
def _linear(at: Site, x: Value, weight: Value, bias: Value | None = None) -> Value:
    return v.linear(x, weight, bias, at.dtype, at.shape)


@takes("addmm", "baddbmm")
def _addmm(at: Site, c: Value, a: Value, b: Value, beta: float = 1, alpha: float = 1) -> Value:
    whole: Value = v.matmul(a, b, "fp32", at.shape)
    if alpha != 1:
        whole = v.binary(whole, "*", alpha, "fp32", at.shape, "product")
    added: Operand = c if beta == 1 else v.binary(c, "*", beta, "fp32", c.shape, "added")
    return v.cast(v.binary(whole, "+", added, "fp32", at.shape, "total"), at.dtype)


@takes("einsum")
def _einsum(at: Site, equation: str, operands: Sequence[Value], *_: Any, **__: Any) -> Value:
    from pyptogen.importing.einsum import einsum

    return einsum(equation, operands, at.dtype, at.shape)


@takes("conv1d", "conv2d", "conv3d")
def _conv(
    at: Site, x: Value, weight: Value, bias: Value | None = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1,
    groups: int = 1,
) -> Value:  # fmt: skip
    if isinstance(padding, str):
        raise NotTakenError(f"a convolution with padding `{padding}`", "give the padding as numbers")
    options = {"strides": stride, "paddings": padding, "dilations": dilation, "groups": groups}
    usual = {"strides": 1, "paddings": 0, "dilations": 1, "groups": 1}
    written = {}
    for name, given in options.items():
        numbers = [given] if isinstance(given, int) else list(given)
        if any(one != usual[name] for one in numbers):
            written[name] = str(numbers[0]) if len(set(numbers)) == 1 else listed(numbers)
    if bias is not None:
        written["bias"] = v.cast(bias, "fp32").expression.text
    return Value(call("conv", x.expression, weight.expression, **written), at.dtype, at.shape, "conv")


@takes("scaled_dot_product_attention")
def _attention(
    at: Site, q: Value, k: Value, val: Value, mask: Value | None = None, dropout: float = 0.0, causal: bool = False,
    *, scale: float | None = None, enable_gqa: bool = False,
) -> Value:  # fmt: skip
    if dropout:
        raise NotTakenError("attention with dropout", "leave `dropout_p` out")
    if causal and q.shape[-2] != k.shape[-2]:
        raise NotTakenError(
            "causal attention of fewer queries than keys, which PyTorch aligns at the first key",
            "give a mask, or as many queries as keys",
        )
    return attention(q, k, val, mask, scale, causal, at.shape)


# Shapes.


@takes("view", "reshape", "_unsafe_view", "flatten", "unflatten", "squeeze", "view_copy")
def _reshape(at: Site, x: Value, *_: Any) -> Value:
    return v.reshape(x, at.shape)


@takes("unsqueeze")
def _unsqueeze(at: Site, x: Value, dim: int) -> Value:
    return v.unsqueeze(x, dim % (x.rank + 1), at.shape)


@takes("permute")
def _permute(at: Site, x: Value, dims: Sequence[int]) -> Value:
    return v.permute(x, dims)


@takes("transpose")
def _transpose(at: Site, x: Value, a: int, b: int) -> Value:
    return v.transpose(x, a, b)


@takes("t", "numpy_T", "mT")
def _transpose_last(at: Site, x: Value) -> Value:
    return v.transpose(x, -2, -1) if x.rank > 1 else x


@takes("expand")
def _expand(at: Site, x: Value, *_: Any, **__: Any) -> Value:
    return v.expand(x, at.shape)


@takes("repeat")
def _repeat(at: Site, x: Value, times: Sequence[int]) -> Value:
    return v.repeat(x, times)


@takes("repeat_interleave.self_int")
def _repeat_interleave(at: Site, x: Value, repeats: int, dim: int, **_: Any) -> Value:
    axis = dim % x.rank
    apart = (*x.shape[: axis + 1], "1", *x.shape[axis + 1 :])
    expanded = (*x.shape[: axis + 1], str(repeats), *x.shape[axis + 1 :])
    return v.reshape(v.expand(v.unsqueeze(x, axis + 1, apart), expanded), at.shape)


@takes("cat")
def _cat(at: Site, parts: Sequence[Value], dim: int = 0) -> Value:
    return v.concat(at.apart([part for part in parts if part.shape != ("0",)]), dim, at.dtype, at.shape)


@takes("stack")
def _stack(at: Site, parts: Sequence[Value], dim: int = 0) -> Value:
    axis = dim % (parts[0].rank + 1)
    shape = (*parts[0].shape[:axis], "1", *parts[0].shape[axis:])
    return v.concat([v.unsqueeze(part, axis, shape) for part in at.apart(parts)], axis, at.dtype, at.shape)


@takes("slice")
def _slice(at: Site, x: Value, dim: int = 0, start: Any = None, end: Any = None, step: int = 1) -> Value:
    size = x.shape[dim % x.rank]
    begin = "" if start in (None, 0) else _end(at, start, size)
    behind = (
        "" if end is None or (isinstance(end, int) and end > 1 << 40) or at.size(end) == size else _end(at, end, size)
    )
    return v.slice_(x, dim, begin, behind, step, at.shape)


def _end(at: Site, place: Any, size: str) -> str:
    """A place of an axis, counted from its front."""
    if isinstance(place, int) and place < 0:
        return str(int(size) + place) if size.isdigit() else f"{size} - {-place}"
    return at.size(place)


@takes("roll")
def _roll(at: Site, x: Value, shifts: Sequence[Any], dims: Sequence[int] = ()) -> Value:
    if not dims:
        raise NotTakenError("a roll of all elements", "name the axes by `dims`")
    for shift, dim in zip(shifts, dims, strict=True):
        axis, size = dim % x.rank, at.results[0].shape[dim]
        if not isinstance(size, int):
            raise NotTakenError("a roll along an axis whose size only calls know", "make the axis static")
        if shift % size:
            x = _rolled(at.named(x), axis, size, shift % size)
    return replace(x, word="rolled")


def _rolled(x: Value, axis: int, size: int, shift: int) -> Value:
    """The last ``shift`` slices of an axis before the others."""

    def of(count: int) -> tuple[str, ...]:
        return (*x.shape[:axis], str(count), *x.shape[axis + 1 :])

    last = v.slice_(x, axis, str(size - shift), "", 1, of(shift))
    first = v.slice_(x, axis, "", str(size - shift), 1, of(size - shift))
    return v.concat([last, first], axis, x.dtype, x.shape)


@takes("flip")
def _flip(at: Site, x: Value, dims: Sequence[int]) -> Value:
    for dim in dims:
        x = v.flip(x, dim)
    return x


@takes("narrow")
def _narrow(at: Site, x: Value, dim: int, start: Any, length: Any) -> Value:
    return _slice(at, x, dim, start, start + length)


@takes("select")
def _select(at: Site, x: Value, dim: int, index: Any) -> Value:
    # A number from the front is a place, whichever dim happens to be as long.
    place = str(index) if isinstance(index, int) and index >= 0 else _end(at, index, x.shape[dim % x.rank])
    return v.select(x, dim, place, at.shape)


def _parts(at: Site, x: Value, dim: int) -> list[Value]:
    """The parts along an axis whose sizes the results have."""
    x, axis, begin, made = at.named(x), dim % x.rank, 0, []
    for i, result in enumerate(at.results):
        end = begin + result.shape[axis]
        last = i == len(at.results) - 1
        made.append(v.slice_(x, axis, at.size(begin) if i else "", "" if last else at.size(end), 1, at.shape_of(i)))
        begin = end
    return made


@takes("split", "split_with_sizes", "chunk", "tensor_split")
def _split(at: Site, x: Value, _: Any, dim: int = 0) -> list[Value]:
    return _parts(at, x, dim)


@takes("unbind")
def _unbind(at: Site, x: Value, dim: int = 0) -> list[Value]:
    x = at.named(x)
    return [v.select(x, dim, str(i), at.shape_of(i)) for i in range(len(at.results))]


@takes("constant_pad_nd", "pad")
def _pad(at: Site, x: Value, padding: Sequence[int], mode: Any = 0, value: float | None = None) -> Value:
    if isinstance(mode, str) and mode != "constant":
        raise NotTakenError(f"padding by `{mode}`", "pad with a constant")
    fill = (value or 0) if isinstance(mode, str) else mode
    if min(padding) < 0:
        raise NotTakenError("padding that cuts off", "use a slice")
    options = {"value": number(fill).text} if fill else {}
    return Value(call("pad", x.expression, listed(padding), **options), x.dtype, at.shape, "padded")


# Creation.


@takes("full", "full_like", "new_full")
def _full(at: Site, *given: Any, **_: Any) -> Value:
    value = given[-1]
    if not isinstance(value, (int, float)):
        raise NotTakenError("`full` of a number that is computed")
    return v.full(at.shape, value, at.dtype)


@takes("zeros", "zeros_like", "new_zeros")
def _zeros(at: Site, *_: Any, **__: Any) -> Value:
    return v.full(at.shape, 0, at.dtype)


@takes("ones", "ones_like", "new_ones")
def _ones(at: Site, *_: Any, **__: Any) -> Value:
    return v.full(at.shape, 1, at.dtype)


@takes("scalar_tensor")
def _scalar(at: Site, value: float, **_: Any) -> Value:
    return v.full((), value, at.dtype)


@takes("arange")
def _arange(at: Site, *given: Any, **_: Any) -> Value:
    parts = [number(one).text if isinstance(one, float) else at.size(one) for one in given]
    if len(parts) > 1 and parts[0] == "0" and len(parts) == 2:
        parts = parts[1:]
    return Value(call("arange", *parts, dtype=at.dtype), at.dtype, at.shape, "positions")


# Orders.


def _ordered(at: Site, text: Expression, x: Value) -> list[Value]:
    made = [Value(Expression(""), x.dtype, at.shape, "values"), Value(Expression(""), "int32", at.shape, "indices")]
    return at.writer.several(text, made, at.wanted, at.outputs)


@takes("topk")
def _topk(at: Site, x: Value, k: int, dim: int = -1, largest: bool = True, ordered: bool = True) -> list[Value]:
    options = {} if largest else {"largest": "false"}
    axis = str(dim if dim == -1 else dim % x.rank)
    return _ordered(at, call("topk", x.expression, str(k), axis=axis, **options), x)


@takes("sort")
def _sort(at: Site, x: Value, *given: Any, dim: int = -1, descending: bool = False, stable: Any = None) -> list[Value]:
    if given:
        dim = given[0] if isinstance(given[0], int) and not isinstance(given[0], bool) else given[1]
        descending = given[-1] if isinstance(given[-1], bool) and len(given) > 1 else descending
    options = {"descending": "true"} if descending else {}
    return _ordered(at, call("sort", x.expression, axis=str(dim if dim == -1 else dim % x.rank), **options), x)


@takes("argsort")
def _argsort(at: Site, x: Value, dim: int = -1, descending: bool = False, **_: Any) -> Value:
    options = {"descending": "true"} if descending else {}
    text = call("argsort", x.expression, axis=str(dim if dim == -1 else dim % x.rank), **options)
    return Value(text, "int32", at.shape, "order")
