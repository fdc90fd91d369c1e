"""What the loops of loop_specs.py compute: the whole at once, in float64, from the definitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def wide(array: Array) -> Array:
    return array.astype(np.float64)


def attention(a: Mapping[str, Array]) -> dict[str, Array]:
    s = wide(a["q"]) @ wide(a["k"]).T * 0.125
    p = np.exp(s - s.max(axis=-1, keepdims=True))
    return {"o": p / p.sum(axis=-1, keepdims=True) @ wide(a["v"])}


def log_sum_exp(a: Mapping[str, Array]) -> dict[str, Array]:
    x = wide(a["x"])
    m = x.max(axis=-1, keepdims=True)
    return {"y": np.log(np.exp(x - m).sum(axis=-1, keepdims=True)) + m}


def turns(a: Mapping[str, Array]) -> dict[str, Array]:
    z = wide(a["z"])
    values = z + 1, z * 2, z - 1
    for part in np.split(wide(a["x"]), 5, axis=1):
        values = values[1], values[0] + part.sum(axis=-1, keepdims=True), values[1]
    return {"a": values[0], "b": values[1], "c": values[2], "e": z + 1}


def state(a: Mapping[str, Array]) -> dict[str, Array]:
    k, v, s = wide(a["k"]), wide(a["v"]), wide(a["s0"])
    for start in range(0, len(k), 16):
        kt, vt = k[start : start + 16], v[start : start + 16]
        s = s * 0.5 + kt.T @ (vt - kt @ s)
    return {"s": s}


def single(a: Mapping[str, Array]) -> dict[str, Array]:
    return {"y": np.einsum("ntd,tn->td", wide(a["x"]), wide(a["g"]))}


def heads(a: Mapping[str, Array]) -> dict[str, Array]:
    return {"y": 1 + np.einsum("bhtn,bhnd->bhtd", wide(a["x"]), wide(a["w"])) * wide(a["g"]) ** 2}


def running(a: Mapping[str, Array]) -> dict[str, Array]:
    x, s = wide(a["x"]), np.ones((1, a["x"].shape[1]))
    y = np.empty_like(x)
    for start in range(0, len(x), 16):
        y[start : start + 16] = x[start : start + 16] + s
        s = s * 0.5 + 1
    most = y.max(axis=1, keepdims=True)
    return {"y": y, "most": most, "s": s, "z": y * most}


def states(a: Mapping[str, Array]) -> dict[str, Array]:
    x = wide(a["x"])
    s, before = np.zeros(x.shape[1:]), np.empty_like(x)
    for i, part in enumerate(x):
        before[i] = s
        s = s * 0.5 + part
    return {"before": before, "s": s, "z": (before + 1) * x}


def local(a: Mapping[str, Array]) -> dict[str, Array]:
    q, k, v = (wide(a[name]) for name in "qkv")
    o = np.empty_like(v)
    for start in range(0, q.shape[1], 32):
        part = slice(start, start + 32)
        o[:, part] = np.exp(q[:, part] @ k[:, part].swapaxes(1, 2) * 0.05) @ v[:, part]
    return {"o": o, "turned": v.swapaxes(1, 2)}
