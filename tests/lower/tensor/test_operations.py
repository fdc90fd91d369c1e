"""Each operation of the language against its definition, written again here in float64 numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pyptogen.lower.tensor import from_spec, interpret, verify
from pyptogen.lower.tensor.registry import operations
from pyptogen.schema import Source, load_source

Array = np.ndarray[Any, Any]
T, D = 5, 8

X = np.random.default_rng(1).uniform(-2, 2, (T, D)).astype(np.float32)
Z = np.random.default_rng(2).uniform(0.5, 2, (T, D)).astype(np.float32)
G = np.random.default_rng(3).uniform(-1, 1, D).astype(np.float32)
W = np.random.default_rng(4).uniform(-1, 1, (D, 3)).astype(np.float32)
I = np.array([3, -1, 0, 4, 1])  # noqa: E741


def evaluate(expression: str, dtype: str, shape: str) -> Array:
    """The value of an expression of x, z [t, d], g [d], w [d, 3] and i [t]."""
    text = (
        "pyptogen: 1\noperator: demo\ndims: {t: {max: 64}, d: 8}\n"
        "inputs: {x: 'fp32[t, d]', z: 'fp32[t, d]', g: 'fp32[d]', w: 'fp32[d, 3]', i: 'int64[t]'}\n"
        f"outputs:\n  y: {dtype}[{shape}]\ngraph:\n  y: {expression}\n"
    )
    program = from_spec(load_source(Source("demo.yaml", text)))
    verify(program)
    return interpret(program, {"x": X, "z": Z, "g": G, "w": W, "i": I})["y"]


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def _scattered() -> Array:
    result = Z.copy()
    for row, at in zip(X, I, strict=True):
        if at >= 0:
            result[at] = row
    return result


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
    "matmul": ("matmul(x, w)", "t, 3", x @ w),
    "softmax": ("softmax(x)", "t, d", _softmax(x)),
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


def test_every_operation_is_tested_and_documented() -> None:
    assert set(operations()) == set(CASES)
    assert [name for name, operation in operations().items() if len(operation.doc) < 5] == []


OPERATORS: dict[str, tuple[str, Callable[[], Array]]] = {
    "chain": ("(x + z) * 2 - x / z", lambda: (x + z) * 2 - x / z),
    "power": ("x ** 2 + z ** 0.5 + z ** -0.5 + z ** -1", lambda: x**2 + np.sqrt(z) + z**-0.5 + 1 / z),
    "negated": ("-x + +z", lambda: -x + z),
    "broadcast": ("x * g[None, :] + x[:, 0:1]", lambda: x * g + x[:, :1]),
    "negative_slice": ("x[:, -d:] + x[:, d - 8:]", lambda: x + x),
    "infinite": ("maximum(x, -inf)", lambda: x),
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
