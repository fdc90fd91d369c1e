"""The ladder of the indexer prolog: what tuning its tiles was worth on a device, and what it is worth by the model.

PyPTO published three steps of its operator for DeepSeek-V3.2 at t = 8: vector tiles that fit the data, then cube tiles
that do, then the left operand of the query product kept in L1. The tiles are those of its public tables (decode; the
first step has its default of 128 for all cube tiles). The kernels are not its own: they are what pyptogen makes of
`specs/indexer_prolog.yaml` with these tiles. They are run as PyPTO runs its own: each tile is a task. The third step is
the nearest that its rows can say: whole slices of the depth in L0, so that an operand is read in fewer and longer
transfers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pyptogen.codegen import lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import TilingRow
from pyptogen.schema import load_spec
from pyptogen.simulate.device.call import time_of_call

SPEC = Path(__file__).parents[2] / "specs" / "indexer_prolog.yaml"
CASE = {"t": 8, "blocks": 16}
AIM = 0.25
_VECTOR = {
    "query_rope": {"heads": 1, "t": 8},
    "query_quant": {"heads": 32, "t": 1},
    "key_rope": {"t": 8},
    "key_quant": {"t": 8},
}


@dataclass(frozen=True, slots=True)
class Rung:
    """A step of the ladder: published microseconds, those of the model, what holds its longest launch up, and seconds
    that lowering and the model took."""

    name: str
    measured_us: float
    predicted_us: float
    bound: str
    seconds: float


def _tiles(t: int, q_rank: Any, key: Any, d: int, weights: Any, heads: int) -> Mapping[str, Mapping[str, Any]]:
    return {
        "": {"t": t},
        "query_linear": {"heads": 1, "q_rank": q_rank},
        "key_linear": {"d": d, "h": key},
        "head_weights": {"heads": heads, "h": weights},
        **_VECTOR,
    }


STEPS: Mapping[str, tuple[float, Mapping[str, Mapping[str, Any]]]] = {
    "vector tiles aligned": (76.0, _tiles(32, 128, 128, 128, 128, 64)),
    "cube tiles tuned": (
        56.0,
        _tiles(16, {"l1": 512, "l0": 128}, {"l1": 512, "l0": 128}, 64, {"l1": 1024, "l0": 128}, 32),
    ),
    "L1 reuse": (49.0, _tiles(16, 512, 512, 64, 1024, 32)),
}
"""Published microseconds (PyPTO, device, decode t = 8) and tiles of each step."""


def ladder() -> Iterator[Rung]:
    """The steps, first to last."""
    program = from_spec(load_spec(SPEC))
    for name, (measured, sizes) in STEPS.items():
        row = TilingRow((), sizes, (), {}, program.span)
        begun = time.perf_counter()
        call = time_of_call(lowered(replace(program, tiling=(row,)), "a2a3"), CASE, task_per_tile=True)
        yield Rung(name, measured, round(call.micros, 1), call.bound, time.perf_counter() - begun)
