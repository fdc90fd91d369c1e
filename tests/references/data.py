"""Input data for the operators, as the contracts describe it; by seed, and independent of the tool's."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from references.indexer_prolog import BLOCK_SIZE, HEAD_DIM, HEADS, HIDDEN, Q_RANK, ROPE_DIM

Arrays = dict[str, npt.NDArray[Any]]


def bf16(values: npt.ArrayLike) -> npt.NDArray[Any]:
    """Any numbers as a bf16 array."""
    return np.asarray(values, dtype=np.float32).astype(ml_dtypes.bfloat16)


@lru_cache(maxsize=2)
def prolog_weights(seed: int = 7) -> Arrays:
    """The operands that stay the same between calls. Read-only: shared by the tests of a session."""
    rng = np.random.default_rng([seed, 0])
    weights: Arrays = {
        "w_qb": rng.integers(-128, 128, (Q_RANK, HEADS * HEAD_DIM), dtype=np.int8),
        "w_qb_scale": rng.uniform(-1, 1, (HEADS * HEAD_DIM, 1)).astype(np.float32),
        "w_k": bf16(rng.uniform(-1, 1, (HIDDEN, HEAD_DIM))),
        "w_proj": bf16(rng.uniform(-1, 1, (HIDDEN, HEADS))),
        "ln_gamma": bf16(rng.uniform(-1, 1, HEAD_DIM)),
        "ln_beta": bf16(rng.uniform(-1, 1, HEAD_DIM)),
        "hadamard_q": bf16(rng.uniform(-1, 1, (HEAD_DIM, HEAD_DIM))),
        "hadamard_k": bf16(rng.uniform(-1, 1, (HEAD_DIM, HEAD_DIM))),
    }
    for array in weights.values():
        array.setflags(write=False)
    return weights


def prolog_inputs(t: int, *, blocks: int | None = None, skipped: float = 0.0, seed: int = 7) -> Arrays:
    """Inputs for `t` tokens, slots distinct and random; a share `skipped` of the tokens gets slot -1.

    The caches hold random bytes, so that a row that must stay as it was is told from a row of zeros.
    """
    rng = np.random.default_rng([seed, 1, t])
    blocks = blocks if blocks is not None else max(2, -(-t // BLOCK_SIZE) + 2)
    slots = blocks * BLOCK_SIZE
    angle = rng.uniform(-np.pi, np.pi, (t, ROPE_DIM))
    k_index = rng.permutation(slots)[:t].astype(np.int64)
    if skipped:
        k_index[rng.permutation(t)[: max(1, int(t * skipped))]] = -1
    return {
        "x": bf16(2 * rng.random((t, HIDDEN), dtype=np.float32) - 1),
        "q_norm": rng.integers(-128, 128, (t, Q_RANK), dtype=np.int8),
        "q_norm_scale": rng.uniform(-1, 1, (t, 1)).astype(np.float32),
        **prolog_weights(seed),
        "cos": bf16(np.cos(angle)),
        "sin": bf16(np.sin(angle)),
        "k_cache": rng.integers(-128, 128, (blocks, BLOCK_SIZE, 1, HEAD_DIM), dtype=np.int8),
        "k_scale_cache": rng.uniform(0, 1, (blocks, BLOCK_SIZE, 1, 1)).astype(np.float16),
        "k_index": k_index,
    }
