"""Loops with carried values, with their tables and the sizes to run them with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from operators.loop_goldens import (
    Array,
    attention,
    heads,
    local,
    log_sum_exp,
    running,
    single,
    state,
    states,
    turns,
)

ATTENTION = """\
pyptogen: 1
operator: looped_attention
dims:
  sq: {min: 1, max: 4096}
  kv: {min: 1, max: 65536}
  d: 64
attrs:
  scale: {type: fp32, default: 0.125}
inputs:
  q: bf16[sq, d]
  k: bf16[kv, d]
  v: bf16[kv, d]
outputs:
  o: fp32[sq, d]
graph:
  attention:
    loop: {over: kv, tile: 128}
    carry:
      m: full([sq, 1], -inf, fp32)
      l: full([sq, 1], 0, fp32)
      acc: full([sq, d], 0, fp32)
    body:
      s:     matmul(q, k[kv].T, dtype=fp32) * scale
      m_new: maximum(m, amax(s, axis=-1, keepdim=true))
      p:     exp(s - m_new)
      a:     exp(m - m_new)
    next:
      m:   m_new
      l:   l * a + sum(p, axis=-1, keepdim=true)
      acc: acc * a + matmul(cast(p, bf16), v[kv], dtype=fp32)
  out:
    o: acc / l
tiling:
"""
"""The example of the language page; tests add the table."""

LOG_SUM_EXP = """\
pyptogen: 1
operator: long_log_sum_exp
dims:
  rows: {min: 1, max: 4096}
  cols: {min: 1, max: 1048576}
inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, 1]
graph:
  pass_over:
    loop: {over: cols, tile: 256}
    carry:
      m: full([rows, 1], -inf, fp32)
      l: full([rows, 1], 0, fp32)
    body:
      m_new: maximum(m, amax(x[:, cols], axis=-1, keepdim=true))
    next:
      m: m_new
      l: l * exp(m - m_new) + sum(exp(x[:, cols] - m_new), axis=-1, keepdim=true)
  out:
    y: log(l) + m
tiling:
  - {rows: 16}
"""

TURNS = """\
pyptogen: 1
operator: taking_turns
doc: Two carried values change places in every iteration, a third is the old one of another, a fourth stays.
dims:
  rows: {min: 1, max: 4096}
  cols: 160
inputs:
  x: fp32[rows, cols]
  z: fp32[rows, 1]
outputs:
  a: fp32[rows, 1]
  b: fp32[rows, 1]
  c: fp32[rows, 1]
  e: fp32[rows, 1]
graph:
  turns:
    loop: {over: cols, tile: 32}
    carry:
      a: z + 1
      b: z * 2
      c: z - 1
      e: z + 1
    next:
      a: b
      b: a + sum(x[:, cols], axis=-1, keepdim=true)
      c: b
      e: e
tiling:
  - {rows: 8}
"""

STATE = """\
pyptogen: 1
operator: gated_state
doc: A delta rule in chunks; a state matrix is read and written by matrix work in every iteration.
dims:
  t: {min: 1, max: 4096}
  d: 32
inputs:
  k: fp32[t, d]
  v: fp32[t, d]
  s0: fp32[d, d]
outputs:
  s: fp32[d, d]
graph:
  scan:
    loop: {over: t, tile: 16}
    carry:
      s: s0 * 1.0
    body:
      u: v[t] - matmul(k[t], s)
    next:
      s: s * 0.5 + matmul(k[t].T, u)
targets: [cpu]
tiling:
  - {}
"""

HEADS = """\
pyptogen: 1
operator: weighted_blocks
doc: Leading axes, and a value that is the same in every iteration.
dims:
  b: 2
  h: 3
  t: {min: 1, max: 512}
  n: 48
  d: 32
inputs:
  x: bf16[b, h, t, n]
  w: bf16[b, h, n, d]
  g: fp32[d]
outputs:
  y: fp32[b, h, t, d]
graph:
  blocks:
    loop: {over: n, tile: 16}
    carry:
      y: full([b, h, t, d], 1, fp32)
    body:
      gain: g * g
    next:
      y: y + matmul(x[:, :, :, n], w[:, :, n], dtype=fp32) * gain
tiling:
  - {b: 1, h: 1, t: 16}
"""


RUNNING = """\
pyptogen: 1
operator: running_state
doc: Results of every iteration beside a carried value, used again as wholes.
dims:
  t: {min: 1, max: 4096}
  d: 48
inputs:
  x: fp32[t, d]
outputs:
  y: fp32[t, d]
  most: fp32[t, 1]
  s: fp32[1, d]
  z: fp32[t, d]
graph:
  scan:
    loop: {over: t, tile: 16}
    carry:
      s: full([1, d], 1, fp32)
    body:
      b: x[t] + s
    next:
      s: s * 0.5 + 1
    collect:
      y: b
      most: amax(b, axis=-1, keepdim=true)
  more:
    z: y * most
tiling:
  - {t: 8, scan: {t: 16}}
"""

STATES = """\
pyptogen: 1
operator: all_states
doc: The carried value of every iteration, and a value without an axis of the block.
dims:
  n: {min: 1, max: 64}
  t: {min: 1, max: 4096}
  d: 32
inputs:
  x: fp32[n, t, d]
outputs:
  before: fp32[n, t, d]
  s: fp32[t, d]
  z: fp32[n, t, d]
graph:
  scan:
    loop: {over: n, tile: 1}
    carry:
      s: full([t, d], 0, fp32)
    next:
      s: s * 0.5 + reshape(x[n], [t, d])
    collect:
      before: s
      both: s + 1
  more:
    z: both * x
tiling:
  - {t: 16}
"""

LOCAL = """\
pyptogen: 1
operator: local_attention
doc: Blocks that see only themselves; iterations that need nothing of each other.
dims:
  b: {min: 1, max: 64}
  t: {min: 1, max: 4096}
  d: 64
inputs:
  q: bf16[b, t, d]
  k: bf16[b, t, d]
  v: bf16[b, t, d]
outputs:
  o: fp32[b, t, d]
  turned: bf16[b, d, t]
graph:
  local:
    loop: {over: t, tile: 32}
    body:
      p: exp(matmul(q[:, t], permute(k[:, t], [0, 2, 1]), dtype=fp32) * 0.05)
    collect:
      o: matmul(cast(p, bf16), v[:, t], dtype=fp32)
      turned: permute(v[:, t], [0, 2, 1])
tiling:
  - {b: 1}
"""


SINGLE = """\
pyptogen: 1
operator: one_by_one
dims:
  n: 5
  t: {min: 1, max: 4096}
  d: 96
inputs:
  x: bf16[n, t, d]
  g: fp32[t, n]
outputs:
  y: fp32[t, d]
graph:
  weigh:
    loop: {over: n, tile: 1}
    carry:
      y: zeros([t, d])
    next:
      y: y + cast(reshape(x[n], [t, d]), fp32) * reshape(g.T[n], [t, 1])
tiling:
"""
"""A dim that iterations take one by one: its axis can be dropped."""


@dataclass(frozen=True)
class Case:
    """A spec with its table, sizes to run it with, and the reference; ``allowed`` is relative to the largest value."""

    text: str
    reference: Callable[[Mapping[str, Array]], dict[str, Array]]
    sizes: tuple[dict[str, int], ...]
    allowed: float
    targets: tuple[str, ...] = ("cpu", "a2a3")


_PAIRS = (
    {"sq": 1, "kv": 1},
    {"sq": 37, "kv": 300},
    {"sq": 64, "kv": 128},
    {"sq": 130, "kv": 129},
    {"sq": 5, "kv": 999},
)
CASES = {
    "attention_apart": Case(ATTENTION + "  - {sq: 64}\n", attention, _PAIRS, 1e-2),
    "attention_fused": Case(ATTENTION + "  - sq: 64\n    fuse: [[attention, out]]\n", attention, _PAIRS, 1e-2),
    "attention_rows": Case(
        ATTENTION + "  - sq: {tile: 64, vector: 16}\n    attention: {kv: 32}\n    fuse: [[attention, out]]\n",
        attention, _PAIRS, 1e-2, ("cpu",),
    ),
    "attention_rows_together": Case(
        ATTENTION + "  - sq: {tile: 64, rows: 32}\n    attention: {kv: 48}\n    fuse: [[attention, out]]\n",
        attention, _PAIRS, 1e-2, ("cpu",),
    ),
    "attention_small": Case(ATTENTION + "  - {sq: 16, attention: {kv: 48}}\n", attention, _PAIRS, 1e-2),
    "attention_too_long": Case(ATTENTION.replace("tile: 128", "tile: 2048") + "  - {}\n", attention, _PAIRS, 1e-2),
    "log_sum_exp": Case(
        LOG_SUM_EXP, log_sum_exp, ({"rows": 1, "cols": 1}, {"rows": 17, "cols": 1000}, {"rows": 40, "cols": 256}), 1e-6
    ),
    "turns": Case(TURNS, turns, ({"rows": 1}, {"rows": 21}), 1e-6),
    "turns_rows": Case(
        TURNS.replace("{rows: 8}", "{rows: {tile: 16, vector: 8}}"), turns, ({"rows": 1}, {"rows": 21}), 1e-6, ("cpu",)
    ),
    "turns_rows_together": Case(
        TURNS.replace("{rows: 8}", "{rows: {tile: 16, rows: 8}}"), turns, ({"rows": 1}, {"rows": 21}), 1e-6, ("cpu",)
    ),
    "state": Case(STATE, state, ({"t": 1}, {"t": 16}, {"t": 45}), 1e-5, ("cpu",)),
    "attention_rings": Case(
        ATTENTION + "  - {sq: 64, fifo: 2, fuse: [[attention, out]]}\n", attention, _PAIRS, 1e-2, ("a2a3",)
    ),
    "attention_rings_rows": Case(
        ATTENTION + "  - {sq: {tile: 64, vector: 16}, fifo: 1, attention: {kv: 32}, fuse: [[attention, out]]}\n",
        attention, _PAIRS, 1e-2, ("a2a3",),
    ),
    "state_rings": Case(
        STATE.replace("[cpu]", "[a2a3]").replace("- {}", "- {fifo: 1}"), state, ({"t": 1}, {"t": 16}, {"t": 45}), 1e-5,
        ("a2a3",),
    ),
    "running": Case(RUNNING, running, ({"t": 1}, {"t": 16}, {"t": 45}), 1e-6),
    "states": Case(STATES, states, ({"n": 1, "t": 1}, {"n": 4, "t": 17}, {"n": 2, "t": 32}), 1e-6),
    "local": Case(LOCAL, local, ({"b": 1, "t": 1}, {"b": 3, "t": 45}, {"b": 1, "t": 200}), 1e-2),
    "single": Case(SINGLE + "  - {t: 16, n: 2}\n", single, ({"t": 1}, {"t": 16}, {"t": 45}), 1e-5),
    "heads": Case(HEADS, heads, ({"t": 1}, {"t": 33}), 1e-5),
}  # fmt: skip


def inputs(operator: Any, seed: int, dims: Mapping[str, int]) -> dict[str, Array]:
    """Random inputs of an operator, small enough that sums over iterations stay near 1."""
    rng = np.random.default_rng(seed)
    given = {}
    for name, array in operator.example_inputs(seed=seed, **dims).items():
        values = rng.normal(0, 1, array.shape) * (
            0.2 if name in ("k", "s0") and operator.program.name == "gated_state" else 1
        )
        given[name] = values.astype(array.dtype)
    return given
