"""Each operation of the language against its definition, written again here in float64 numpy."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from lower.tensor.evaluation import Array, C, D, G, I, J, S, T, U, V, W, X, Z, evaluate, evaluate_all
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor.building.registry import GROUPS, operations


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _scattered() -> Array:
    result = Z.copy()
    for row, at in zip(X, I, strict=True):
        if at >= 0:
            result[at] = row
    return result


def _added() -> Array:
    result = X.astype(np.float64)
    for row in range(T):
        for column in range(D):
            result[row, J[row, column]] += Z[row, column]
    return result


_SIGNS = np.array([[(-1.0) ** (i & j).bit_count() for j in range(D)] for i in range(D)])


def _paged() -> Array:
    """Pages of one token, one head and as many tokens as v says."""
    result = np.empty((T, D))
    for row in range(T):
        keys = Z[V[row, : V[row, 0] % 3 + 1] % 5].astype(np.float64)
        weights = np.exp(keys @ X[row] / np.sqrt(D))
        result[row] = weights @ (2 * keys) / weights.sum()
    return result


def erf(values: Array) -> Array:
    return np.vectorize(math.erf)(values)


x, z, g, w = (a.astype(np.float64) for a in (X, Z, G, W))
_var = x.var(-1, keepdims=True)

CASES: dict[str, tuple[str, str, Array]] = {
    "add": ("add(x, z)", "t, d", x + z),
    "sub": ("sub(x, 2)", "t, d", x - 2),
    "mul": ("mul(x, g)", "t, d", x * g),
    "div": ("div(x, z)", "t, d", x / z),
    "maximum": ("maximum(x, z)", "t, d", np.maximum(x, z)),
    "minimum": ("minimum(x, 0.5)", "t, d", np.minimum(x, 0.5)),
    "neg": ("neg(x)", "t, d", -x),
    "abs": ("abs(x)", "t, d", np.abs(x)),
    "exp": ("exp(x)", "t, d", np.exp(x)),
    "log": ("log(z)", "t, d", np.log(z)),
    "sqrt": ("sqrt(z)", "t, d", np.sqrt(z)),
    "rsqrt": ("rsqrt(z)", "t, d", z**-0.5),
    "reciprocal": ("reciprocal(z)", "t, d", 1 / z),
    "relu": ("relu(x)", "t, d", np.maximum(x, 0)),
    "square": ("square(x)", "t, d", x**2),
    "clip": ("clip(x, -0.5, 0.25)", "t, d", np.clip(x, -0.5, 0.25)),
    "cast": ("cast(cast(x, int32, mode=floor), fp32)", "t, d", np.floor(x)),
    "full": ("full([t, 2], 1.5)", "t, 2", np.full((T, 2), 1.5)),
    "zeros": ("zeros([2, d])", "2, d", np.zeros((2, D))),
    "ones": ("ones([d], dtype=fp32)", "d", np.ones(D)),
    "sum": ("sum(x, axis=0)", "d", x.sum(0)),
    "amax": ("amax(x, -1, keepdim=true)", "t, 1", x.max(-1, keepdims=True)),
    "amin": ("amin(x, dim=0, keepdim=True)", "1, d", x.min(0, keepdims=True)),
    "mean": ("mean(x)", "t", x.mean(-1)),
    "reshape": ("reshape(x, [d, t])", "d, t", x.reshape(D, T)),
    "unsqueeze": ("unsqueeze(x, -2)", "t, 1, d", x[:, None, :]),
    "squeeze": ("squeeze(x[:, 2:3], 1)", "t", x[:, 2]),
    "transpose": ("transpose(x, 0, 1)", "d, t", x.T),
    "concat": ("concat([x, z, x], axis=0)", "3*t, d", np.concatenate([x, z, x])),
    "scatter_update": ("scatter_update(z, i, x, dim=0)", "t, d", _scattered()),
    "conv": (
        "reshape(conv(x[:, None, :], w[None, None, 2:5, 0], paddings=1), [t, d])",
        "t, d",
        np.array([np.convolve(row, w[2:5, 0][::-1], "same") for row in x]),
    ),
    "hadamard": ("hadamard(x)", "t, d", x @ _SIGNS * D**-0.5),
    "paged_attention": (
        "reshape(paged_attention(x[:, None, None, :], z[:, None, None, :], z[:, None, None, :] * 2, v[:, :3] % 5, "
        "v[:, 0] % 3 + 1), [t, d])",
        "t, d",
        _paged(),
    ),
    "matmul": ("matmul(x, w)", "t, 3", x @ w),
    "softmax": ("softmax(x)", "t, d", _softmax(x)),
    "attention": ("attention(x, z, x * 2, scale=0.5)", "t, d", _softmax(x @ z.T * 0.5) @ (2 * x)),
    "log_softmax": ("log_softmax(x)", "t, d", np.log(_softmax(x))),
    "rms_norm": ("rms_norm(x, g)", "t, d", x / np.sqrt((x**2).mean(-1, keepdims=True) + 1e-6) * g),
    "layer_norm": (
        "layer_norm(x, g, g, eps=0.1)",
        "t, d",
        (x - x.mean(-1, keepdims=True)) / np.sqrt(_var + 0.1) * g + g,
    ),
    "rope": ("rope(x, z, x)", "t, d", x * z + np.concatenate([-x[:, 4:], x[:, :4]], -1) * x),
    "sigmoid": ("sigmoid(x)", "t, d", 1 / (1 + np.exp(-x))),
    "silu": ("silu(x)", "t, d", x / (1 + np.exp(-x))),
    "swiglu": ("swiglu(x, z)", "t, d", x / (1 + np.exp(-x)) * z),
    "tanh": ("tanh(x)", "t, d", np.tanh(x)),
    "axpy": ("axpy(x, z, -2)", "t, d", x - 2 * z),
    "hypot": ("hypot(x, z)", "t, d", np.hypot(x, z)),
    "expand_exp_dif": ("expand_exp_dif(x, z)", "t, d", np.exp(x - z)),
    "floor": ("floor(x * 3)", "t, d", np.floor(x * 3)),
    "ceil": ("ceil(x * 3)", "t, d", np.ceil(x * 3)),
    "trunc": ("trunc(x * 3)", "t, d", np.trunc(x * 3)),
    "round": (
        "round(x, 1) + round(x * 5) + round(x * 100, -1)",
        "t, d",
        np.round(x, 1) + np.round(x * 5) + np.round(x * 100, -1),
    ),
    "floor_div": ("floor_div(x, z)", "t, d", x // z),
    "ceil_div": ("ceil_div(x, z)", "t, d", -(-x // z)),
    "remainder": ("remainder(x, z)", "t, d", x % z),
    "fmod": ("fmod(x, z)", "t, d", np.fmod(x, z)),
    "exp2": ("exp2(x)", "t, d", 2**x),
    "expm1": ("expm1(x * 1e-4)", "t, d", np.expm1((X * np.float32(1e-4)).astype(np.float64))),
    "log2": ("log2(z)", "t, d", np.log2(z)),
    "log10": ("log10(z)", "t, d", np.log10(z)),
    "log1p": ("log1p(x * 1e-4)", "t, d", np.log1p((X * np.float32(1e-4)).astype(np.float64))),
    "erf": ("erf(x * 2)", "t, d", erf(x * 2)),
    "erfc": ("erfc(x)", "t, d", 1 - erf(x)),
    "sin": ("sin(x * 20)", "t, d", np.sin((X * np.float32(20)).astype(np.float64))),
    "cos": ("cos(x * 20)", "t, d", np.cos((X * np.float32(20)).astype(np.float64))),
    "tan": ("tan(x * 0.5)", "t, d", np.tan(x * 0.5)),
    "asin": ("asin(x * 0.5)", "t, d", np.arcsin(x * 0.5)),
    "acos": ("acos(x * 0.5)", "t, d", np.arccos(x * 0.5)),
    "atan": ("atan(x * 8)", "t, d", np.arctan(x * 8)),
    "atan2": ("atan2(x, x - z)", "t, d", np.arctan2(X.astype(np.float64), (X - Z).astype(np.float64))),
    "sinh": ("sinh(x)", "t, d", np.sinh(x)),
    "cosh": ("cosh(x)", "t, d", np.cosh(x)),
    "asinh": ("asinh(x * 0.01)", "t, d", np.arcsinh((X * np.float32(0.01)).astype(np.float64))),
    "acosh": ("acosh(z + 1)", "t, d", np.arccosh((Z + np.float32(1)).astype(np.float64))),
    "atanh": ("atanh(x * 0.25)", "t, d", np.arctanh(x * 0.25)),
    "cbrt": ("cbrt(x)", "t, d", np.cbrt(x)),
    "pow": ("pow(z, x)", "t, d", z**x),
    "where": ("where(x > 0, x, -1)", "t, d", np.where(x > 0, x, -1)),
    "sign": ("sign(x)", "t, d", np.sign(x)),
    "copysign": ("copysign(z, x)", "t, d", np.copysign(z, x)),
    "triu": ("triu(x, 1)", "t, d", np.triu(x, 1)),
    "tril": ("tril(x, diagonal=-1)", "t, d", np.tril(x, -1)),
    "prod": ("prod(z)", "t", z.prod(-1)),
    "var": ("var(x[:1], correction=0) + var(x)", "t", x[:1].var(-1) + x.var(-1, ddof=1)),
    "cumsum": ("cumsum(x, axis=0)", "t, d", x.cumsum(0)),
    "cumprod": ("cumprod(z)", "t, d", z.cumprod(-1)),
    "permute": ("permute(x, [1, 0])", "d, t", x.T),
    "view": ("view(x, [t, 3], [0, 2])", "t, 3", x[:, 2:5]),
    "clone": ("clone(x)", "t, d", x),
    "expand_clone": ("expand_clone(g, [t, d])", "t, d", np.broadcast_to(g, (T, D))),
    "interleave": ("interleave(x, z)", "t, 2 * d", np.stack([x, z], -1).reshape(T, 2 * D)),
    "pad": ("pad(x, [1, 2, 1, 0], 5)", "t + 1, d + 3", np.pad(x, [(1, 0), (1, 2)], constant_values=5)),
    "gather": ("gather(x, 1, j)", "t, d", np.take_along_axis(x, J, 1)),
    "index_select": ("index_select(x, 1, c)", "t, d", x[:, C]),
    "scatter": ("scatter(x, 1, j, z, reduce=add)", "t, d", _added()),
    "index_put": ("index_put(z, i, x)", "t, d", _scattered()),
    "gathermask": (
        "concat(gathermask(x, 1) - gathermask(x, 2), gathermask(x, 3), gathermask(x, 6), gathermask(x, 7))",
        "t, 16",
        np.concatenate([x[:, ::2] - x[:, 1::2], x[:, ::4], x[:, 3::4], x], -1),
    ),
    "index_add": ("index_add(x, 1, c, z, alpha=2)", "t, d", x + 2 * z[:, np.argsort(C)]),
    "scaled_mm": ("scaled_mm(x, w, z[:, :1], z[:, 1:2], dtype=fp32)", "t, 3", x @ w * z[:, :1] * z[:, 1:2]),
    "gelu": ("gelu(x)", "t, d", 0.5 * x * (1 + erf(x / np.sqrt(2)))),
    "geglu": ("geglu(x, z)", "t, d", 0.5 * x * (1 + erf(x / np.sqrt(2))) * z),
    "lrelu": ("lrelu(x, 0.25)", "t, d", np.where(x > 0, x, x * 0.25)),
    "prelu": ("prelu(x, g)", "t, d", np.where(x > 0, x, x * g)),
    "dequant": ("dequant(u, z, zero_points=x)", "t, d", (U - x) * z),
    "dequantize": ("dequantize(u, 0.5)", "t, d", U * 0.5),
    "gelu_tanh": (
        "gelu_tanh(x)",
        "t, d",
        0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_operation(name: str) -> None:
    expression, shape, expected = CASES[name]
    got = evaluate(expression, "fp32", shape)
    assert got.shape == expected.shape
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def _topk() -> tuple[Array, Array]:
    order = np.argsort(-X, axis=1, kind="stable")[:, :3]
    return np.take_along_axis(X, order, 1), order


_order = [sorted(range(D), key=lambda at: U[row, at]) for row in range(T)]

EXACT: dict[str, tuple[str, list[tuple[str, str]], list[Array]]] = {
    "lt": ("u < v", [("bool", "t, d")], [U < V]),
    "le": ("le(u, v)", [("bool", "t, d")], [U <= V]),
    "gt": ("x > 0.5", [("bool", "t, d")], [X > 0.5]),
    "ge": ("ge(u, 3)", [("bool", "t, d")], [U >= 3]),
    "eq": ("v == 3", [("bool", "t, d")], [V == 3]),
    "ne": ("ne(v, 3)", [("bool", "t, d")], [V != 3]),
    "greater": ("greater(u, v)", [("bool", "t, d")], [U > V]),
    "logical_not": ("logical_not(floor(z))", [("bool", "t, d")], [Z < 1]),
    "logical_and": ("logical_and(u > 0, v - 1)", [("bool", "t, d")], [(U > 0) & (V != 1)]),
    "logical_or": ("logical_or(u > 0, v == 1)", [("bool", "t, d")], [(U > 0) | (V == 1)]),
    "isnan": ("isnan(s)", [("bool", "t, 1")], [np.isnan(S)]),
    "isfinite": ("isfinite(s)", [("bool", "t, 1")], [np.isfinite(S)]),
    "signbit": ("signbit(s)", [("bool", "t, 1")], [np.signbit(S)]),
    "bitwise_and": ("bitwise_and(u, v)", [("int32", "t, d")], [U & V]),
    "bitwise_or": ("bitwise_or(u, 8)", [("int32", "t, d")], [U | 8]),
    "bitwise_xor": ("bitwise_xor(u, v)", [("int32", "t, d")], [U ^ V]),
    "bitwise_not": ("bitwise_not(u)", [("int32", "t, d")], [~U]),
    "bitwise_left_shift": ("bitwise_left_shift(u, v)", [("int32", "t, d")], [U << V]),
    "bitwise_right_shift": ("bitwise_right_shift(u, 2)", [("int32", "t, d")], [U >> 2]),
    "gcd": ("gcd(u, v)", [("int32", "t, d")], [np.gcd(U, V)]),
    "argmax": ("argmax(x)", [("int32", "t")], [X.argmax(-1)]),
    "argmin": ("argmin(x, 0, keepdim=true)", [("int32", "1, d")], [X.argmin(0, keepdims=True)]),
    "argsort": ("argsort(u)", [("int32", "t, d")], [np.array(_order)]),
    "sort": (
        "sort(x, 0, descending=true)",
        [("fp32", "t, d"), ("int32", "t, d")],
        [-np.sort(-X, axis=0), np.argsort(-X, axis=0, kind="stable")],
    ),
    "topk": ("topk(x, 3)", [("fp32", "t, 3"), ("int32", "t, 3")], list(_topk())),
    "arange": ("arange(2, 20, 3)", [("int32", "6")], [np.arange(2, 20, 3)]),
    "one_hot": ("one_hot(c, 9)", [("int32", "d, 9")], [np.eye(9)[C]]),
    "deinterleave": ("deinterleave(x)", [("fp32", "t, 4")] * 2, [X[:, ::2], X[:, 1::2]]),
    "quant_per_token": (
        "quant_per_token(x)",
        [("int8", "t, d"), ("fp32", "t, 1")],
        [
            np.rint(X * (np.float32(127) / np.abs(X).max(-1, keepdims=True))),
            np.abs(X).max(-1, keepdims=True) * np.float32(1 / 127),
        ],
    ),
    "quant_per_channel": (
        "quant_per_channel(w)",
        [("int8", "d, 3"), ("fp32", "1, 3")],
        [np.rint(W * (np.float32(127) / np.abs(W).max(0))), np.abs(W).max(0, keepdims=True) * np.float32(1 / 127)],
    ),
    "quantize": ("quantize(x, z, zero_points=z)", [("int8", "t, d")], [np.rint(X / Z + Z)]),
}


@pytest.mark.parametrize("name", EXACT)
def test_operation_with_one_right_answer(name: str) -> None:
    expression, results, expected = EXACT[name]
    for got, want in zip(evaluate_all(expression, results), expected, strict=True):
        assert got.shape == want.shape
        np.testing.assert_array_equal(got.astype(np.float64), want.astype(np.float64))


@pytest.mark.parametrize("sigmoid", [False, True], ids=["softmax", "sigmoid"])
@pytest.mark.parametrize("options", ["", ", bias=g", ", bias=g, renormalize=false"])
def test_topk_routing(sigmoid: bool, options: str) -> None:
    flag = ", sigmoid=true" if sigmoid else ""
    weights, experts = evaluate_all(f"topk_routing(x, 3{flag}{options})", [("fp32", "t, 3"), ("int32", "t, 3")])
    scores = 1 / (1 + np.exp(-x)) if sigmoid else _softmax(x)
    order = np.argsort(-(scores + (g if "bias" in options else 0)), axis=1, kind="stable")[:, :3]
    chosen = np.take_along_axis(scores, order, 1)
    whole = 1 if "renormalize" in options else chosen.sum(1, keepdims=True)
    np.testing.assert_array_equal(experts, order)
    np.testing.assert_allclose(weights, chosen / whole, rtol=1e-5)


FURTHER: dict[str, tuple[str, str, Array]] = {
    "sum_over_several": ("sum(x, axis=[1, 0])", "", x.sum()),
    "mean_over_several": ("mean(x, axis=[0, -1], keepdim=true)", "1, 1", x.mean(keepdims=True)),
    "amax_over_one_of_a_list": ("amax(x, axis=[0])", "d", x.max(axis=0)),
    "rope_inverse": ("rope(x, z, x, inverse=true)", "t, d", x * z - np.concatenate([-x[:, 4:], x[:, :4]], -1) * x),
    "rope_interleaved": (
        "rope(x, z, z, interleaved=true)",
        "t, d",
        x * z + np.stack([-x[:, 1::2], x[:, ::2]], -1).reshape(T, D) * z,
    ),
    "gelu_tanh": ("gelu(x, approximate=tanh) - gelu_tanh(x)", "t, d", np.zeros((T, D))),
    "integer_division": ("cast(floor_div(u, v), fp32)", "t, d", U // V),
    "integer_ceil": ("cast(ceil_div(u, 7), fp32)", "t, d", -(-U // 7)),
    "integer_remainder": ("cast(u % v, fp32)", "t, d", U % V),
    "floor_operator": ("x // z", "t, d", x // z),
    "matrix_operator": ("x @ w", "t, 3", x @ w),
    "joined": ("x * cast((x > 0) & ~(z > 1) | (x < -1), fp32)", "t, d", x * ((X > 0) & ~(Z > 1) | (X < -1))),
    "bit_operators": ("cast((u & 7 ^ v) << 1 >> 2, fp32)", "t, d", (U & 7 ^ V) << 1 >> 2),
    "dots": ("x[..., 2:] + x[..., 0, None]", "t, d - 2", x[..., 2:] + x[..., 0, None]),
    "size_left": ("sum(reshape(x, [-1, 2, 4]), axis=1)", "t, 4", x.reshape(-1, 2, 4).sum(1)),
    "put_and_added": (
        "index_put(x, v[:, 0] % 5, z, accumulate=true)",
        "t, d",
        x + np.array([z[V[:, 0] % 5 == row].sum(0) for row in range(T)]),
    ),
    "names_of_other_libraries": (
        "add(input=x, other=full(size=[t, d], fill_value=2)) * matmul(input=x, mat2=w)[:, :1]",
        "t, d",
        (x + 2) * (x @ w)[:, :1],
    ),
    "bytes": (
        "view(view(x, [t, 4], [0, 4], dtype=int32) & 2147483647, [t, 4], [0, 0], dtype=fp32)",
        "t, 4",
        np.abs(x[:, 4:]),
    ),
    "third_power": ("x ** 3 + z ** -2", "t, d", x**3 + z**-2.0),
    "odd_power": ("z ** 1.5", "t, d", z**1.5),
    "power_of_number": ("pow(2, x)", "t, d", 2**x),
    "scatter": (
        "scatter(z, 0, cast(full([1, d], 2, dtype=int32), int32), x[:1])",
        "t, d",
        np.concatenate([z[:2], x[:1], z[3:]]),
    ),
    "where_numbers": ("where(x > 0, 1, -2.5)", "t, d", np.where(X > 0, 1, -2.5)),
    "where_both": ("where(u > v, x, z)", "t, d", np.where(U > V, x, z)),
    "matmul_trans": ("matmul(x, w.T, b_trans=true)", "t, 3", x @ w),
    "batch": (
        "reshape(matmul(reshape(x, [t, 2, 4]), reshape(z, [t, 4, 2])), [t, 4])",
        "t, 4",
        (x.reshape(T, 2, 4) @ z.reshape(T, 4, 2)).reshape(T, 4),
    ),
    "three_axes": (
        "reshape(permute(reshape(x, [t, 2, 4]), [1, 0, 2]), [2 * t, 4])",
        "2 * t, 4",
        x.reshape(T, 2, 4).transpose(1, 0, 2).reshape(2 * T, 4),
    ),
    "swapped": (
        "reshape(transpose(reshape(x, [t, 2, 4]), 0, 1), [2, 4 * t])",
        "2, 4 * t",
        x.reshape(T, 2, 4).swapaxes(0, 1).reshape(2, 4 * T),
    ),
    "sinh_far": ("sinh(x * 40)", "t, d", np.sinh(X.astype(np.float64) * 40)),
}


@pytest.mark.parametrize("name", FURTHER)
def test_forms_of_operations(name: str) -> None:
    expression, shape, expected = FURTHER[name]
    got = evaluate(expression, "fp32", shape)
    np.testing.assert_allclose(got, expected, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("cbrt", np.cbrt), ("sinh", np.sinh), ("asinh", np.arcsinh), ("expm1", np.expm1),
        ("erf", erf), ("atan", np.arctan), ("tanh", np.tanh), ("sign", np.sign),
    ],
)  # fmt: skip
def test_edges(name: str, function: Callable[[Array], Array]) -> None:
    got = evaluate(f"{name}(s)", "fp32", "t, 1")
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(got, function(S.astype(np.float64)), rtol=1e-6)
    assert np.signbit(got[:2]).tolist() == [[False], [True]] or name in {"tanh"}


def test_a_row_of_zeros_quantises_to_zeros() -> None:
    quantised, scale = evaluate_all("quant_per_token(x * 0)", [("int8", "t, d"), ("fp32", "t, 1")])
    assert not quantised.any()
    assert np.isfinite(scale).all()


@pytest.mark.parametrize("expression", ["gather(x, 1, j + 1)", "index_select(x, 1, c - 1)"])
def test_an_index_out_of_range(expression: str) -> None:
    with pytest.raises(DiagnosticError) as raised:
        evaluate(expression, "fp32", "t, d")
    assert raised.value.diagnostics[0].code == "PTG408"


def test_every_operation_is_tested_and_documented() -> None:
    tested_elsewhere = {"topk_routing", "quant_mx", "gated_delta_rule"}
    assert set(operations()) == set(CASES) | set(EXACT) | tested_elsewhere
    assert [o.name for o in operations().values() if len(o.doc) < 5 or len(o.rule) < 3] == []
    assert {o.group for o in operations().values()} == set(GROUPS)


OPERATORS: dict[str, tuple[str, Callable[[], Array]]] = {
    "chain": ("(x + z) * 2 - x / z", lambda: (x + z) * 2 - x / z),
    "power": ("x ** 2 + z ** 0.5 + z ** -0.5 + z ** -1", lambda: x**2 + np.sqrt(z) + z**-0.5 + 1 / z),
    "negated": ("-x + +z", lambda: -x + z),
    "broadcast": ("x * g[None, :] + x[:, 0:1]", lambda: x * g + x[:, :1]),
    "negative_slice": ("x[:, -d:] + x[:, d - 8:]", lambda: x + x),
    "infinite": ("maximum(x, -inf)", lambda: x),
    "causal": (
        "attention(x, z, x, scale=1, causal=true)",
        lambda: _softmax(np.where(np.tri(len(x), dtype=bool), x @ z.T, -np.inf)) @ x,
    ),
    "bias": ("attention(x, z, x, scale=1, bias=matmul(z, x.T))", lambda: _softmax(x @ z.T + z @ x.T) @ x),
}


@pytest.mark.parametrize("name", OPERATORS)
def test_operators(name: str) -> None:
    expression, expected = OPERATORS[name]
    np.testing.assert_allclose(evaluate(expression, "fp32", "t, d"), expected(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
@pytest.mark.parametrize("expression", ["softmax({})", "layer_norm({}, g, g)", "rope({}, {}, {})", "silu({})"])
def test_composites_compute_in_fp32_and_round_once(dtype: str, expression: str) -> None:
    narrow = f"cast(x, {dtype})"
    direct = evaluate(expression.replace("{}", narrow), dtype, "t, d")
    wide = expression.replace("{}", f"cast({narrow}, fp32)")
    assert direct.tobytes() == evaluate(f"cast({wide}, {dtype})", dtype, "t, d").tobytes()
