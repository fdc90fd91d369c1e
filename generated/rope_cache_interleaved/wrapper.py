"""rope_cache_interleaved: the Python entry. Made by pyptogen from rope_cache_interleaved.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class RopeCacheInterleavedOutputs(NamedTuple):
    """What ``rope_cache_interleaved`` returns, in contract order."""

    q_turned: npt.NDArray[Any]
    """bf16[t, heads, d]"""
    k_cache: npt.NDArray[Any]
    """bf16[blocks, block_size, kv_heads, d], the array given as `k_cache`"""
    v_cache: npt.NDArray[Any]
    """bf16[blocks, block_size, kv_heads, d], the array given as `v_cache`"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def rope_cache_interleaved(
    q: npt.NDArray[Any],
    k: npt.NDArray[Any],
    v: npt.NDArray[Any],
    cos: npt.NDArray[Any],
    sin: npt.NDArray[Any],
    k_cache: npt.NDArray[Any],
    v_cache: npt.NDArray[Any],
    slot: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> RopeCacheInterleavedOutputs:
    """As `rope_cache`, where neighbouring elements turn together (Su et al., "RoFormer"). The cosine and sine of
    a pair stand at both of its places.

    Sizes: t 1 to 65536; heads = 16; kv_heads = 4; d = 128; blocks 1 to 1048576; block_size = 16;
        slots = block_size * blocks.

    Args:
        q: bf16[t, heads, d]
        k: bf16[t, kv_heads, d]
        v: bf16[t, kv_heads, d]
        cos: bf16[t, d]
        sin: bf16[t, d]
        k_cache: bf16[blocks, block_size, kv_heads, d], updated in place
        v_cache: bf16[blocks, block_size, kv_heads, d], updated in place
        slot: int64[t]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        q=q,
        k=k,
        v=v,
        cos=cos,
        sin=sin,
        k_cache=k_cache,
        v_cache=v_cache,
        slot=slot,
        out=out,
    )
    return RopeCacheInterleavedOutputs(*results)
