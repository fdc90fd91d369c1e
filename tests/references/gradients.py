"""Gradients of operators in float64, from their forward formulas by hand (`central` judges them)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Arrays = dict[str, F64]


def normalised(x: F64, eps: float, centred: bool) -> F64:
    """Rows divided by the root of their mean square, after their mean is taken off where ``centred``."""
    moved = x - x.mean(axis=-1, keepdims=True) if centred else x
    return moved / np.sqrt((moved * moved).mean(axis=-1, keepdims=True) + eps)


def _norm(x: F64, gamma: F64, d_y: F64, eps: float, centred: bool) -> Arrays:
    """By the Jacobian of a row: of a norm it is a projection, divided by the size of the row."""
    d_x = np.empty_like(x)
    for i, row in enumerate(x):
        moved = row - row.mean() if centred else row
        size = np.sqrt((moved * moved).mean() + eps)
        n = moved / size
        jacobian = (np.eye(len(row)) - np.outer(n, n) / len(row)) / size
        if centred:
            jacobian = jacobian - jacobian.mean(axis=0)
        d_x[i] = (d_y[i] * gamma) @ jacobian
    n = normalised(x, eps, centred)
    return {"d_x": d_x, "d_gamma": (d_y * n).sum(axis=0)} | ({"d_beta": d_y.sum(axis=0)} if centred else {})


def rms_norm(x: F64, gamma: F64, d_y: F64, eps: float = 1e-6) -> Arrays:
    return _norm(x, gamma, d_y, eps, centred=False)


def layer_norm(x: F64, gamma: F64, d_y: F64, eps: float = 1e-5) -> Arrays:
    return _norm(x, gamma, d_y, eps, centred=True)


def softmax(y: F64, d_y: F64) -> Arrays:
    return {"d_x": np.stack([g @ (np.diag(p) - np.outer(p, p)) for p, g in zip(y, d_y, strict=True)])}


def swiglu(gate: F64, up: F64, d_y: F64) -> Arrays:
    s = 0.5 * (np.tanh(gate / 2) + 1)
    return {"d_gate": d_y * up * (s + gate * s * (1 - s)), "d_up": d_y * gate * s}


def matmul_fp32(a: F64, b: F64, d_c: F64) -> Arrays:
    return {"d_a": np.einsum("mn,kn->mk", d_c, b), "d_b": np.einsum("mk,mn->kn", a, d_c)}


def flash_attention_fp32(q: F64, k: F64, v: F64, o: F64, d_o: F64, scale: float = 128**-0.5) -> Arrays:
    """Head by head, through the Jacobian of each row's softmax; ``o`` is not needed."""
    found: Arrays = {"d_q": np.zeros_like(q), "d_k": np.zeros_like(k), "d_v": np.zeros_like(v)}
    for h in range(len(q)):
        scores = q[h] @ k[h].T * scale
        p = np.exp(scores - scores.max(axis=-1, keepdims=True))
        p /= p.sum(axis=-1, keepdims=True)
        d_p = d_o[h] @ v[h].T
        d_s = np.stack([g @ (np.diag(row) - np.outer(row, row)) for row, g in zip(p, d_p, strict=True)]) * scale
        found["d_q"][h], found["d_k"][h], found["d_v"][h] = d_s @ k[h], d_s.T @ q[h], p.T @ d_o[h]
    return found


def central(function: Callable[..., F64], arguments: Arrays, name: str, weights: F64, step: float = 1e-5) -> F64:
    """The gradient of ``sum(weights * function(**arguments))`` for one argument, by differences."""
    gradient = np.zeros_like(arguments[name])
    for place in np.ndindex(gradient.shape):
        ends: list[Any] = []
        for sign in (1, -1):
            moved = arguments[name].copy()
            moved[place] += sign * step
            ends.append((weights * function(**{**arguments, name: moved})).sum())
        gradient[place] = (ends[0] - ends[1]) / (2 * step)
    return gradient
