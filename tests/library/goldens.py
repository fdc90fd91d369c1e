"""The library's operators by hand, in float64 from their definitions; nothing here comes through the tool.

Rounding steps that are part of an operator's contract (bf16 results, int8 results) are written out; everything between
is exact enough that only the kernel's own fp32 arithmetic differs.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Arrays = Mapping[str, Array]


def wide(array: Array) -> Array:
    return array.astype(np.float64)


def bf16(array: Array) -> Array:
    return array.astype(np.float32).astype(ml_dtypes.bfloat16)


def vector_add(a: Arrays) -> dict[str, Array]:
    return {"c": a["a"] + a["b"]}


def swiglu(a: Arrays) -> dict[str, Array]:
    gate, up = wide(a["gate"]), wide(a["up"])
    return {"y": bf16(gate / (1 + np.exp(-gate)) * up)}


def layer_norm_residual(a: Arrays, eps: float = 1e-5) -> dict[str, Array]:
    total = a["x"] + a["residual"]
    centred = wide(total) - wide(total).mean(axis=-1, keepdims=True)
    deviation = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps)
    return {"y": (centred / deviation * wide(a["gamma"]) + wide(a["beta"])).astype(np.float32), "sum": total}


def relu(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(np.maximum(wide(a["x"]), 0))}


def silu(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(wide(a["x"]) / (1 + np.exp(-wide(a["x"]))))}


def _gelu(x: Array) -> Array:
    """x times the distribution function of the normal distribution."""
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[np.float64])(x / math.sqrt(2)))


def gelu(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(_gelu(wide(a["x"])))}


def gelu_tanh(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    return {"y": bf16(x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))))}


def geglu(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(wide(a["x"]) * _gelu(wide(a["gate"])))}


def linear_gelu(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(_gelu(wide(a["x"]) @ wide(a["w"]) + wide(a["bias"])))}


def rms_norm_residual(a: Arrays, eps: float = 1e-6) -> dict[str, Array]:
    total = (wide(a["x"]) + wide(a["residual"])).astype(np.float32)
    return {"y": bf16(_by_root_mean_square(wide(total), wide(a["gamma"]), eps)), "sum": bf16(total)}


def dequant_per_token(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(wide(a["q"]) * wide(a["scale"]))}


def quant_per_channel(a: Arrays) -> dict[str, Array]:
    return {"q": np.clip(np.rint(wide(a["x"]) / wide(a["scale"])), -128, 127).astype(np.int8)}


def _normalised(x: Array, gamma: Array, beta: Array, eps: float) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + eps) * gamma + beta


def layer_norm(a: Arrays, eps: float = 1e-5) -> dict[str, Array]:
    return {"y": _normalised(wide(a["x"]), wide(a["gamma"]), wide(a["beta"]), eps).astype(np.float32)}


def layer_norm_bf16(a: Arrays, eps: float = 1e-5) -> dict[str, Array]:
    return {"y": bf16(_normalised(wide(a["x"]), wide(a["gamma"]), wide(a["beta"]), eps))}


def layer_norm_channels(a: Arrays, eps: float = 1e-6) -> dict[str, Array]:
    x = np.moveaxis(wide(a["x"]), 1, -1)
    return {"y": bf16(np.moveaxis(_normalised(x, wide(a["gamma"]), wide(a["beta"]), eps), -1, 1))}


def _by_root_mean_square(x: Array, gamma: Array, eps: float) -> Array:
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * gamma


def rms_norm(a: Arrays, eps: float = 1e-6) -> dict[str, Array]:
    return {"y": _by_root_mean_square(wide(a["x"]), wide(a["gamma"]), eps).astype(np.float32)}


def rms_norm_bf16(a: Arrays, eps: float = 1e-6) -> dict[str, Array]:
    return {"y": bf16(_by_root_mean_square(wide(a["x"]), wide(a["gamma"]), eps))}


def softmax(a: Arrays) -> dict[str, Array]:
    e = np.exp(wide(a["x"]) - wide(a["x"]).max(axis=-1, keepdims=True))
    return {"y": (e / e.sum(axis=-1, keepdims=True)).astype(np.float32)}


def quant_per_token(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    largest = np.abs(x).max(axis=-1, keepdims=True)
    levels = np.divide(127.0 * x, largest, out=np.zeros_like(x), where=largest > 0)
    return {"q": np.rint(levels).astype(np.int8), "scale": (largest / 127).astype(np.float32)}


def rope(a: Arrays) -> dict[str, Array]:
    x, cos, sin = wide(a["x"]), wide(a["cos"])[:, None, :], wide(a["sin"])[:, None, :]
    half = x.shape[-1] // 2
    turned = np.concatenate([-x[..., half:], x[..., :half]], axis=-1)
    return {"y": bf16(x * cos + turned * sin)}


def linear_int8(a: Arrays) -> dict[str, Array]:
    product = wide(a["x"]) @ wide(a["w"])  # exact: below 2^53
    return {"y": bf16(product * wide(a["x_scale"]) * wide(a["w_scale"]) + wide(a["bias"]))}


def log_softmax(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    shifted = x - x.max(axis=-1, keepdims=True)
    return {"y": (shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))).astype(np.float32)}


def softmax_long(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return {"y": (e / e.sum(axis=-1, keepdims=True)).astype(np.float32)}


def blend(a: Arrays, alpha: float = 1.0, beta: float = 1.0) -> dict[str, Array]:
    return {"y": (alpha * wide(a["a"]) + beta * wide(a["b"])).astype(np.float32)}


def dequant_rows(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(a["acc"].astype(np.float32) * a["scale"])}


def transpose_copy(a: Arrays) -> dict[str, Array]:
    return {"y": np.ascontiguousarray(a["x"].T)}


def attended(q: Array, k: Array, v: Array, seen: Array | bool = True) -> Array:
    """softmax(q k^T / sqrt(d)) v of the keys that are seen, in the dtype given."""
    scores = np.where(seen, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=-1, keepdims=True) @ v)


def before(queries: int, keys: int) -> Array:
    """Which keys stand at or before each query, the queries being the last positions."""
    return np.arange(keys) <= np.arange(keys - queries, keys)[:, None]


def flash_attention(a: Arrays) -> dict[str, Array]:
    return {"o": bf16(attended(*(wide(a[name]) for name in "qkv")))}


def flash_attention_fp32(a: Arrays) -> dict[str, Array]:
    return {"o": attended(*(wide(a[name]) for name in "qkv")).astype(np.float32)}


def flash_attention_causal(a: Arrays) -> dict[str, Array]:
    q, k, v = (wide(a[name]) for name in "qkv")
    return {"o": bf16(attended(q, k, v, before(q.shape[1], k.shape[1])))}


def flash_attention_grouped(a: Arrays) -> dict[str, Array]:
    q, k, v = (wide(a[name]) for name in "qkv")
    seen = before(q.shape[2], k.shape[1])
    return {"o": attended(q, k[:, None], v[:, None], seen).astype(np.float16)}
