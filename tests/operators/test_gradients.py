"""The operators that compute gradients, compiled for every target, against gradients by hand in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from references import gradients

CASES: dict[str, list[dict[str, int]]] = {
    "rms_norm": [{"rows": 1}, {"rows": 9}],
    "layer_norm": [{"rows": 1}, {"rows": 9}],
    "softmax": [{"rows": 1}, {"rows": 9}],
    "swiglu": [{"rows": 1}, {"rows": 37}],
    "matmul_fp32": [{"m": 1}, {"m": 37}],
    "flash_attention_fp32": [{"sq": 1, "kv": 1}, {"sq": 33, "kv": 50}],
}


@pytest.mark.parametrize(("name", "dims"), [(name, dims) for name, cases in CASES.items() for dims in cases])
def test_gradients(operator: Callable[..., Any], target: str, name: str, dims: dict[str, int]) -> None:
    compiled = operator(f"{name}_backward", target)
    given = compiled.example_inputs(**dims)
    if name == "softmax":
        given["y"] = given["y"] / given["y"].sum(axis=-1, keepdims=True, dtype=np.float32)
    if name == "flash_attention_fp32":
        given["o"] = attention(*(given[one].astype(np.float64) for one in "qkv")).astype(np.float32)
    want = getattr(gradients, name)(**{one: array.astype(np.float64) for one, array in given.items()})
    got = compiled(**given)._asdict()
    assert got.keys() == want.keys()
    unit = 2**-8 if name == "swiglu" else 2e-5
    largest = max(np.abs(array).max() for array in want.values())
    for one, array in want.items():
        np.testing.assert_allclose(got[one].astype(np.float64), array, rtol=unit, atol=unit * largest, err_msg=one)


def attention(q: Any, k: Any, v: Any) -> Any:
    scores = q @ np.swapaxes(k, -1, -2) * 128**-0.5
    p = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return p / p.sum(axis=-1, keepdims=True) @ v


def test_gradients_by_hand_are_those_of_differences() -> None:
    rng = np.random.default_rng(5)
    x, gamma, weights = rng.normal(size=(3, 6)), rng.normal(size=6), rng.normal(size=(3, 6))

    def agree(found: Any, function: Any, arguments: Any, pairs: dict[str, str], by: Any = weights) -> None:
        for gradient, name in pairs.items():
            wanted = gradients.central(function, arguments, name, by)
            np.testing.assert_allclose(found[gradient], wanted, rtol=1e-6, atol=1e-7)

    norms = {"d_x": "x", "d_gamma": "gamma"}
    for centred, of in ((False, gradients.rms_norm), (True, gradients.layer_norm)):

        def norm(x: Any, gamma: Any, centred: bool = centred) -> Any:
            return gradients.normalised(x, 1e-2, centred) * gamma

        agree(of(x, gamma, weights, 1e-2), norm, {"x": x, "gamma": gamma}, norms)

    def softmax(x: Any) -> Any:
        e = np.exp(x)
        return e / e.sum(axis=-1, keepdims=True)

    agree(gradients.softmax(softmax(x), weights), softmax, {"x": x}, {"d_x": "x"})
    up = rng.normal(size=(3, 6))
    agree(
        gradients.swiglu(x, up, weights),
        lambda gate, up: gate / (1 + np.exp(-gate)) * up,
        {"gate": x, "up": up},
        {"d_gate": "gate", "d_up": "up"},
    )
    q, k, v = (rng.normal(size=(2, n, 4)) for n in (3, 5, 5))
    by = rng.normal(size=(2, 3, 4))
    found = gradients.flash_attention_fp32(q, k, v, by, by, 128**-0.5)
    agree(found, attention, {"q": q, "k": k, "v": v}, {"d_q": "q", "d_k": "k", "d_v": "v"}, by)
