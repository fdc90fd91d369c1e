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
