"""Basic operators by hand, in float64 from their definitions; nothing here comes through the tool."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np
from references.convolution import convolution

from library.goldens import Array, Arrays, bf16, wide
from library.model_goldens import quantise


def embedding(a: Arrays) -> dict[str, Array]:
    return {"y": a["table"][a["token"]]}


def embedding_bag(a: Arrays) -> dict[str, Array]:
    """Bag by bag, places with -1 left out."""
    table = wide(a["table"])
    return {"y": bf16(np.stack([table[bag[bag >= 0]].sum(axis=0) for bag in a["token"]]))}


def argmax(a: Arrays) -> dict[str, Array]:
    return {"y": a["x"].argmax(axis=-1)[:, None].astype(np.int32)}


def topk(a: Arrays, name: str = "x", k: int = 64) -> dict[str, Array]:
    places = np.argsort(-wide(a[name]), axis=-1, kind="stable")[:, :k]
    return {"values": np.take_along_axis(a[name], places, -1), "indices": places.astype(np.int32)}


def topk_long(a: Arrays) -> dict[str, Array]:
    return topk(a, "scores", 2048)


def argsort(a: Arrays) -> dict[str, Array]:
    return {"y": np.argsort(a["x"], axis=-1, kind="stable").astype(np.int32)}


def cumsum(a: Arrays) -> dict[str, Array]:
    return {"y": np.cumsum(wide(a["x"]), axis=-1).astype(np.float32)}


def scans(a: Arrays) -> dict[str, Array]:
    return {
        "down": np.cumsum(wide(a["x"]), axis=0).astype(np.float32),
        "product": np.cumprod(wide(a["x"]), axis=-1).astype(np.float32),
        "count": np.cumsum(a["mark"], axis=-1).astype(np.int32),
    }


def vector_add_dtypes(a: Arrays) -> dict[str, Array]:
    whole = {f"c_{d}": a[f"a_{d}"] + a[f"b_{d}"] for d in ("int32", "int16", "int8", "uint8")}
    half = (wide(a["a_fp16"]) + wide(a["b_fp16"])).astype(np.float16)
    return whole | {"c_fp16": half, "c_bf16": bf16(wide(a["a_bf16"]) + wide(a["b_bf16"]))}


def conv2d(a: Arrays) -> dict[str, Array]:
    whole = convolution(wide(a["x"]), wide(a["w"]), (2, 2), ((1, 1), (1, 1)), (1, 1))
    return {"y": bf16(np.maximum(bf16(whole + a["bias"][:, None, None]).astype(np.float64), 0))}


def causal_conv1d(a: Arrays) -> dict[str, Array]:
    seen = np.concatenate([a["state"], a["x"]], axis=-1)
    taps = a["w"].shape[-1]
    y = sum(wide(seen[:, :, at : at + a["x"].shape[-1]]) * wide(a["w"])[:, 0, at, None] for at in range(taps))
    y = y + a["bias"][:, None]
    return {"y": bf16(y / (1 + np.exp(-y))), "state": seen[:, :, -(taps - 1) :]}


def column_sum(a: Arrays) -> dict[str, Array]:
    return {"y": wide(a["x"]).sum(axis=0, keepdims=True).astype(np.float32)}


def batched_matmul(a: Arrays) -> dict[str, Array]:
    return {"c": bf16(wide(a["a"]) @ wide(a["b"]))}


def matmul_split_k(a: Arrays) -> dict[str, Array]:
    return {"c": bf16(wide(a["a"]) @ wide(a["b"]))}


def matmul_swizzle(a: Arrays) -> dict[str, Array]:
    return {"c": bf16(wide(a["a"]) @ wide(a["b"]))}


def matmul_fp16(a: Arrays) -> dict[str, Array]:
    return {"c": (wide(a["a"]) @ wide(a["b"])).astype(np.float16)}


def matmul_transposed(a: Arrays) -> dict[str, Array]:
    return {"c": (wide(a["a"]).T @ wide(a["b"]).T).astype(np.float32)}


def linear_relu(a: Arrays) -> dict[str, Array]:
    return {"y": np.maximum(wide(a["x"]) @ wide(a["w"]).T + wide(a["bias"]), 0).astype(np.float16)}


def hadamard_int8(a: Arrays) -> dict[str, Array]:
    levels, scale = quantise(wide(a["x"]) @ wide(a["h"]))
    return {"q": levels.astype(np.int8), "scale": scale.astype(np.float32)}


def one_hot(a: Arrays) -> dict[str, Array]:
    return {"y": np.eye(160, dtype=np.float32)[a["index"]]}


def cross_entropy(a: Arrays) -> dict[str, Array]:
    """Row by row; labels of -100 count for nothing."""
    logits, labels = wide(a["logits"]), a["labels"]
    peak = logits.max(axis=-1)
    total = np.log(np.exp(logits - peak[:, None]).sum(axis=-1)) + peak
    loss = [0.0 if label == -100 else end - row[label] for row, label, end in zip(logits, labels, total, strict=True)]
    return {"loss": np.float32(loss), "counted": np.array([np.count_nonzero(labels != -100)], np.int64)}


def rope_interleaved(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"]).reshape(*a["x"].shape[:2], -1, 2)
    cos, sin = wide(a["cos"])[:, None, ::2], wide(a["sin"])[:, None, ::2]
    cos_odd, sin_odd = wide(a["cos"])[:, None, 1::2], wide(a["sin"])[:, None, 1::2]
    even, odd = x[..., 0], x[..., 1]
    turned = np.stack([even * cos - odd * sin, odd * cos_odd + even * sin_odd], axis=-1)
    return {"y": turned.reshape(a["x"].shape).astype(np.float32).astype(ml_dtypes.bfloat16)}


def rope_qkv(a: Arrays) -> dict[str, Array]:
    def turned(x: Array) -> Array:
        low, high = np.split(x, 2, axis=-1)
        cos, sin = wide(a["cos"])[:, None, :], wide(a["sin"])[:, None, :]
        return bf16(x * cos + np.concatenate([-high, low], axis=-1) * sin)

    rows = wide(a["qkv"]).reshape(len(a["qkv"]), 48, 128)
    return {"q": turned(rows[:, :32]), "k": turned(rows[:, 32:40])}


def glm_gate(a: Arrays) -> dict[str, Array]:
    score = 1 / (1 + np.exp(-(wide(a["x"]) @ wide(a["w"]))))
    return {"score": score.astype(np.float32), "choice": (score + wide(a["bias"])).astype(np.float32)}


def gather(a: Arrays) -> dict[str, Array]:
    return {"y": np.stack([row[index] for row, index in zip(a["x"], a["index"], strict=True)])}


def into_slots(cache: Array, slot: Array, rows: Array) -> Array:
    """A paged cache [blocks, block_size, …] with the rows of tokens at their slots; -1 skips one."""
    flat = cache.reshape(-1, *cache.shape[2:]).copy()
    flat[slot[slot >= 0]] = rows[slot >= 0]
    return flat.reshape(cache.shape)


def _with_cache(a: Arrays, turned: Callable[[Array, Array, Array], Array]) -> dict[str, Array]:
    cos, sin = wide(a["cos"])[:, None], wide(a["sin"])[:, None]
    return {
        "q_turned": bf16(turned(wide(a["q"]), cos, sin)),
        "k_cache": into_slots(a["k_cache"], a["slot"], bf16(turned(wide(a["k"]), cos, sin))),
        "v_cache": into_slots(a["v_cache"], a["slot"], a["v"]),
    }


def rope_cache(a: Arrays) -> dict[str, Array]:
    def turned(x: Array, cos: Array, sin: Array) -> Array:
        low, high = np.split(x, 2, axis=-1)
        return x * cos + np.concatenate([-high, low], axis=-1) * sin

    return _with_cache(a, turned)


def rope_cache_interleaved(a: Arrays) -> dict[str, Array]:
    def turned(x: Array, cos: Array, sin: Array) -> Array:
        pairs = np.stack([-x[..., 1::2], x[..., ::2]], axis=-1)
        return x * cos + pairs.reshape(x.shape) * sin

    return _with_cache(a, turned)


def scatter_update(a: Arrays) -> dict[str, Array]:
    flat = a["cache"].reshape(-1, 128).copy()
    for row, slot in zip(bf16(wide(a["rows"])), a["slot"], strict=True):
        if slot >= 0:
            flat[slot] = row
    return {"cache": flat.reshape(a["cache"].shape)}


def index_add(a: Arrays) -> dict[str, Array]:
    total = wide(a["x"]).copy()
    for row, place in zip(wide(a["src"]), a["index"], strict=True):
        total[place] += row
    return {"y": total.astype(np.float32)}


def reductions(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    found = {
        "total": x.sum(1), "largest": x.max(1), "least": x.min(1), "average": x.mean(1),
        "product": (1 + x / 100).prod(1), "spread": x.var(1, ddof=1), "column_total": x.sum(0),
        "column_largest": x.max(0),
    }  # fmt: skip
    return {name: value.astype(np.float32) for name, value in found.items()}


def transpose(a: Arrays) -> dict[str, Array]:
    return {"y": np.ascontiguousarray(a["x"].swapaxes(1, 2))}


def saturated(x: Array, dtype: type) -> Array:
    return np.clip(x, np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype)


def casts(a: Arrays) -> dict[str, Array]:
    x = wide(a["x"])
    level = saturated(np.trunc(x), np.int8)
    with np.errstate(over="ignore"):  # to infinity
        half = x.astype(np.float16)
    return {
        "as_fp16": half, "as_bf16": bf16(x), "nearest": saturated(np.rint(x), np.int32),
        "below": saturated(np.floor(x), np.int16), "level": level, "back": level.astype(np.float32),
    }  # fmt: skip


def sinkhorn(a: Arrays) -> dict[str, Array]:
    m = np.exp(wide(a["x"]))
    m /= m.sum(-1, keepdims=True)
    for _ in range(4):
        m /= m.sum(-1, keepdims=True)
        m /= m.sum(-2, keepdims=True)
    return {"y": m.astype(np.float32)}
