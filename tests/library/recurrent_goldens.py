"""Recurrent layers by hand, one token after the other, in float64; nothing here comes through the tool."""

from __future__ import annotations

from typing import Any

import numpy as np

from library.goldens import Array, Arrays, bf16, wide


def unit(x: Array, eps: float) -> Array:
    return x / np.sqrt((x**2).sum(axis=-1, keepdims=True) + eps)


def delta_step(state: Array, q: Array, k: Array, v: Array, g: float, beta: float) -> tuple[Array, Array]:
    """The state [dv, dk] of one head after a token, and what the query reads from it."""
    kept = state * np.exp(g)
    state = kept + np.outer((v - kept @ k) * beta, k)
    return state, state @ q


def gated_delta_rule(a: Arrays, eps: float = 1e-6) -> dict[str, Any]:
    """Token after token; the state is [dv, dk] for each value head."""
    q, k = unit(wide(a["q"]), eps) * a["q"].shape[-1] ** -0.5, unit(wide(a["k"]), eps)
    v, g, beta = wide(a["v"]), wide(a["g"]), wide(a["beta"])
    state, read = wide(a["state"]), np.empty(v.shape)
    for t in range(v.shape[1]):
        key, query = k[:, t, :, None, :], q[:, t, :, None, :]
        kept = state * np.exp(g[:, t])[..., None, None]
        change = (v[:, t] - (kept * key[..., None, :]).sum(axis=-1)) * beta[:, t][..., None]
        state = kept + change[..., None] * key[..., None, :]
        read[:, t] = (state * query[..., None, :]).sum(axis=-1)
    return {"o": bf16(read), "state": state.astype(np.float32)}


def gated_delta_step(a: Arrays, eps: float = 1e-6) -> dict[str, Any]:
    q, k = unit(wide(a["q"]), eps) * a["q"].shape[-1] ** -0.5, unit(wide(a["k"]), eps)
    state, read = np.empty(a["state"].shape), np.empty(a["v"].shape)
    for b, h, n in np.ndindex(a["g"].shape):
        at = (b, h, n)
        state[at], read[at] = delta_step(
            wide(a["state"][at]), q[b, h], k[b, h], wide(a["v"][at]), a["g"][at], a["beta"][at]
        )
    return {"o": bf16(read), "state": state.astype(np.float32)}
