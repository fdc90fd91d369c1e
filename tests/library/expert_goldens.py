"""Mixtures of experts by hand: routing, rows by expert, and what comes back; nothing here comes through the tool."""

from __future__ import annotations

import numpy as np

from library.goldens import Array, Arrays, bf16, wide


def moe_dispatch(a: Arrays, experts: int = 64) -> dict[str, Array]:
    chosen = a["expert"].reshape(-1)
    order = np.argsort(chosen, kind="stable")
    place = np.empty(len(chosen), np.int32)
    place[order] = np.arange(len(chosen))
    return {
        "rows": a["x"][order // a["expert"].shape[1]],
        "place": place.reshape(a["expert"].shape),
        "count": np.bincount(chosen, minlength=experts).astype(np.int32)[None],
    }


def moe_combine(a: Arrays) -> dict[str, Array]:
    return {"y": bf16(np.einsum("tkh,tk->th", wide(a["rows"])[a["place"]], wide(a["weight"])) + wide(a["shared"]))}


def grouped_matmul(a: Arrays) -> dict[str, Array]:
    """Each row by the weight of its group; rows behind the last group by that of the last."""
    groups = len(a["w"])
    owner = np.repeat(np.arange(groups), a["count"][0])
    owner = np.concatenate([owner, np.full(len(a["x"]) - len(owner), groups - 1)])
    y = np.empty((len(a["x"]), a["w"].shape[2]))
    for group in range(groups):
        y[owner == group] = wide(a["x"][owner == group]) @ wide(a["w"][group])
    return {"y": bf16(y)}


def greatest(x: Array, k: int) -> Array:
    """Places of the k greatest of each row, the first of equal ones first."""
    return np.argsort(-x, axis=-1, kind="stable")[..., :k]


def moe_gate_softmax(a: Arrays, k: int = 10) -> dict[str, Array]:
    logits = wide(a["x"]) @ wide(a["w"])
    expert = greatest(logits, k)
    share = np.exp(np.take_along_axis(logits, expert, -1))
    return {
        "weight": (share / share.sum(axis=-1, keepdims=True)).astype(np.float32),
        "expert": expert.astype(np.int32),
    }


def moe_select_groups(a: Arrays, groups: int = 8, kept: int = 4, k: int = 8, scale: float = 2.5) -> dict[str, Array]:
    score = 1 / (1 + np.exp(-wide(a["logits"])))
    choice = (score + wide(a["bias"])).reshape(len(score), groups, -1)
    best = -np.sort(-choice, axis=-1)[..., :2].sum(axis=-1)
    closed = np.ones((len(score), groups), bool)
    np.put_along_axis(closed, greatest(best, kept), False, -1)
    expert = greatest(np.where(closed[..., None], -np.inf, choice).reshape(score.shape), k)
    chosen = np.take_along_axis(score, expert, -1)
    return {
        "weight": (chosen / chosen.sum(axis=-1, keepdims=True) * scale).astype(np.float32),
        "expert": expert.astype(np.int32),
    }


def glm_expert_selector(a: Arrays, k: int = 8, scale: float = 2.5) -> dict[str, Array]:
    expert = greatest(wide(a["choice"]), k)
    chosen = np.take_along_axis(wide(a["score"]), expert, -1)
    weight = chosen / (chosen.sum(axis=-1, keepdims=True) + 1e-20) * scale  # no share where no score is above 0
    return {"weight": weight.astype(np.float32), "expert": expert.astype(np.int32)}
