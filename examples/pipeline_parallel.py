"""Four layers over four simulated chips, one layer each, fed with small batches.

Each batch goes from chip to chip. Nothing in the program says when: the chips work at the same time because
tasks start when the tensors that they use are there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import pyptogen

SPECS = Path(__file__).parent / "specs"
CHIPS, BATCHES, WIDTH = 4, 6, 256


def pipeline(o: Any, args: Any) -> Any:
    """The orchestration: one result per batch, in the order of the batches."""
    results = []
    for first in range(0, args.x.shape[0], args.rows):
        x = args.x[first : first + args.rows]
        with o.scope() as scope:
            for chip in o.chips:
                h = o.submit("up", chip=chip, x=o.copy(x, chip), w=args.up[chip])
                x = o.submit("down", chip=chip, h=h, w=args.down[chip])["y"]
            results.append(scope.keep(x))
    return results


def reference(x: Any, up: list[Any], down: list[Any]) -> Any:
    """All layers in numpy, in double precision."""
    x = x.astype(np.float64)
    for w_up, w_down in zip(up, down, strict=True):
        h = x @ w_up
        x = (h / (1 + np.exp(-h))) @ w_down
    return x


def main(rows: int = 16, level: str = "host", **options: Any) -> float:
    """Run all batches; the largest difference from the reference, as part of the largest value."""
    rng = np.random.default_rng(7)
    up, down = (
        [(rng.uniform(-4, 4, (WIDTH, WIDTH)) / np.sqrt(WIDTH)).astype(np.float32) for _ in range(CHIPS)]
        for _ in range(2)
    )
    # The last batch is smaller.
    x = rng.uniform(-1, 1, (BATCHES * rows - 3, WIDTH)).astype(np.float32)
    kernels = {name: pyptogen.compile(SPECS / f"{name}.yaml", threads=1) for name in ("up", "down")}
    with pyptogen.Runtime(level, devices=range(CHIPS), threads=1, **options) as rt:
        rt.register("pipeline", orch=pipeline, kernels=kernels)
        weights = {
            name: [rt.tensor(pyptogen.pack(w), chip=chip) for chip, w in enumerate(parts)]
            for name, parts in (("up", up), ("down", down))
        }
        y = np.concatenate(rt.submit("pipeline", {"x": x, "rows": rows, **weights}).result())
    expected = reference(x, up, down)
    return float(np.abs(y - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    print(f"pipeline parallel on {CHIPS} chips: largest difference {main():.1e}")
