"""The Lightning Indexer prolog by hand: fp32 matmuls, every rounding where the definition has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from references.rounding import F32, int8_matmul, to_bf16, to_fp32

HEADS, HEAD_DIM, ROPE_DIM, BLOCK_SIZE = 64, 128, 64, 128
HIDDEN, Q_RANK = 7168, 1536
TOKENS_AT_ONCE = 512  # bounds the memory of the reference; tokens are independent of each other


class Outputs(NamedTuple):
    """What the operator returns, in the order of its contract."""

    q: npt.NDArray[np.int8]
    q_scale: npt.NDArray[np.float16]
    k_cache: npt.NDArray[np.int8]
    k_scale_cache: npt.NDArray[np.float16]
    weights: npt.NDArray[np.float16]


def rope(x: F32, cos: F32, sin: F32) -> F32:
    """Rotate the last axis of bf16 data (held as fp32) by halves: `x cos + rot(x) sin`, rounded to bf16."""
    half = x.shape[-1] // 2
    rotated = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return to_bf16(x * cos + rotated * sin)


def quantise(x: F32) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """Symmetric int8 per row of the last axis; a row of zeros gives zeros and scale 0."""
    largest = np.abs(x).max(axis=-1, keepdims=True)
    some = np.where(largest > 0, largest, np.float32(1))
    factor = np.float32(127) / some
    whole = np.rint(x * factor).astype(np.int32)
    small = np.clip(whole.astype(np.float16).astype(np.float32), -128, 127).astype(np.int8)
    scale = np.where(largest > 0, np.float32(1) / factor, np.float32(0)).astype(np.float16)
    return small, scale


def layer_norm(x: F32, gamma: F32, beta: F32, eps: float) -> F32:
    """LayerNorm over the last axis in fp32; each term is multiplied by 1/d before the sum."""
    part = np.float32(1 / x.shape[-1])
    mean = (x * part).sum(axis=-1, keepdims=True, dtype=np.float32)
    centred = x - mean
    var = (centred * centred * part).sum(axis=-1, keepdims=True, dtype=np.float32)
    return centred / np.sqrt(var + np.float32(eps)) * gamma + beta


def rope_first(x: F32, cos: F32, sin: F32) -> F32:
    """Rope on the first ROPE_DIM columns; the others stay."""
    return np.concatenate([rope(x[..., :ROPE_DIM], cos, sin), x[..., ROPE_DIM:]], axis=-1)


def matmul_of(wide: type[np.floating[Any]], a: F32, b: F32) -> F32:
    """A float matmul whose result is fp32, summed in `wide`."""
    return (a.astype(wide) @ b.astype(wide)).astype(np.float32)


def indexer_prolog(
    arrays: Mapping[str, npt.NDArray[Any]], eps: float = 1e-6, wide: type[np.floating[Any]] = np.float32
) -> Outputs:
    """All outputs; the given caches are left alone and updated copies returned.

    `wide` is the type in which float matmuls sum: fp32 is the definition, float64 shows what the order of
    the sums may change.
    """
    t = arrays["x"].shape[0]
    q = np.empty((t, HEADS, HEAD_DIM), np.int8)
    q_scale = np.empty((t, HEADS, 1), np.float16)
    weights = np.empty((t, HEADS), np.float16)
    k_cache, k_scale_cache = arrays["k_cache"].copy(), arrays["k_scale_cache"].copy()
    k_rows, k_scales = k_cache.reshape(-1, HEAD_DIM), k_scale_cache.reshape(-1, 1)
    fixed = {
        name: to_fp32(arrays[name])
        for name in ("w_k", "w_proj", "ln_gamma", "ln_beta", "hadamard_q", "hadamard_k", "w_qb_scale")
    }
    for first in range(0, t, TOKENS_AT_ONCE):
        rows = slice(first, min(first + TOKENS_AT_ONCE, t))
        cos, sin = to_fp32(arrays["cos"][rows]), to_fp32(arrays["sin"][rows])
        x = to_fp32(arrays["x"][rows])

        a = int8_matmul(arrays["q_norm"][rows], arrays["w_qb"]).astype(np.float32)
        heads = to_bf16(a * arrays["q_norm_scale"][rows] * fixed["w_qb_scale"].T).reshape(-1, HEADS, HEAD_DIM)
        roped = rope_first(heads, cos[:, None, :], sin[:, None, :]).reshape(-1, HEAD_DIM)
        q_h = to_bf16(matmul_of(wide, roped, fixed["hadamard_q"])).reshape(-1, HEADS, HEAD_DIM)
        q[rows], q_scale[rows] = quantise(q_h)

        k = matmul_of(wide, x, fixed["w_k"])
        k_b = to_bf16(layer_norm(k, fixed["ln_gamma"], fixed["ln_beta"], eps))
        k_h = to_bf16(matmul_of(wide, rope_first(k_b, cos, sin), fixed["hadamard_k"]))
        k_new, k_new_scale = quantise(k_h)
        index = arrays["k_index"][rows]
        k_rows[index[index >= 0]] = k_new[index >= 0]
        k_scales[index[index >= 0]] = k_new_scale[index >= 0]

        w_b = to_bf16(matmul_of(wide, x, fixed["w_proj"]))
        weights[rows] = (w_b * np.float32(HEADS**-0.5 * HEAD_DIM**-0.5)).astype(np.float16)
    return Outputs(q, q_scale, k_cache, k_scale_cache, weights)
