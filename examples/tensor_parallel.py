"""A feed-forward layer over four simulated chips, each holding a quarter of the hidden width.

y = silu(x @ w_up) @ w_down. Chip i holds columns i of ``w_up`` and rows i of ``w_down``; each chip computes its
part of the sum from all of x, and one all-reduce adds the parts.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import pyptogen

SPECS = Path(__file__).parent / "specs"
CHIPS, D, F = 4, 256, 1024


def layer(o: Any, args: Any) -> Any:
    """The orchestration: returns the layer's output, which every chip then has."""
    x = o.broadcast(args.x)
    hidden = o.group("up", [{"x": x[i], "w": args.up[i]} for i in range(len(o.chips))])
    parts = o.group("down", [{"h": hidden[i], "w": args.down[i]} for i in range(len(o.chips))])
    return o.all_reduce(parts.outputs("y"))[0]


def reference(x: Any, up: Any, down: Any) -> Any:
    """The same layer in numpy, in one piece and in double precision."""
    h = x.astype(np.float64) @ up
    return (h / (1 + np.exp(-h))) @ down


def main(rows: int = 37, level: str = "host", **options: Any) -> float:
    """Run the layer once; the largest difference from the reference, as part of the largest value."""
    rng = np.random.default_rng(7)
    x, up, down = (
        (rng.uniform(-1, 1, shape) / np.sqrt(shape[0])).astype(np.float32) for shape in ((rows, D), (D, F), (F, D))
    )
    kernels = {name: pyptogen.compile(SPECS / f"{name}.yaml", threads=1) for name in ("up", "down")}
    with pyptogen.Runtime(level, devices=range(CHIPS), threads=1, **options) as rt:
        rt.register("layer", orch=layer, kernels=kernels)
        # Packed and placed once, like the weights of a model.
        weights = {
            "up": [rt.tensor(pyptogen.pack(w), chip=i) for i, w in enumerate(np.split(up, CHIPS, axis=1))],
            "down": [rt.tensor(pyptogen.pack(w), chip=i) for i, w in enumerate(np.split(down, CHIPS, axis=0))],
        }
        y = rt.submit("layer", {"x": x, **weights}).result()
    expected = reference(x, up, down)
    return float(np.abs(y - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    print(f"tensor parallel on {CHIPS} chips: largest difference {main():.1e}")
