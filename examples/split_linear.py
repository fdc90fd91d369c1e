"""A pipeline of library operators over four simulated chips, with an all-reduce between its stages.

y = rms_norm((x @ w_in) @ w_out): chip i holds rows i of ``w_in`` and columns i of ``w_out``. Each chip multiplies its
columns of x, one all-reduce adds the four products, each chip goes on with its columns of the second product, and
normalises its part of the rows. The operators are ``specs/matmul_fp32.yaml`` and ``specs/rms_norm.yaml`` as they are.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import pyptogen

SPECS = Path(__file__).parents[1] / "specs"
CHIPS, WIDE, NARROW = 4, 4096, 1024


def pipeline(o: Any, args: Any) -> Any:
    """The orchestration: the rows of y, a part from each chip."""
    products = o.group("matmul", [{"a": x, "b": w} for x, w in zip(args.x, args.w_in, strict=True)])
    sums = o.all_reduce(products.outputs("c"))
    columns = o.group("matmul", [{"a": h, "b": w} for h, w in zip(sums, args.w_out, strict=True)])
    whole = o.all_gather(columns.outputs("c"), axis=1)
    rows = whole[0].shape[0]
    ends = [rows * i // CHIPS for i in range(CHIPS + 1)]
    parts = [{"x": whole[i][ends[i] : ends[i + 1]], "gamma": args.gamma} for i in range(CHIPS)]
    return o.group("rms_norm", parts).outputs("y")


def reference(x: Any, w_in: Any, w_out: Any, gamma: Any) -> Any:
    """The same pipeline in numpy, in one piece and in double precision."""
    y = x.astype(np.float64) @ w_in @ w_out
    return y / np.sqrt((y * y).mean(axis=1, keepdims=True) + 1e-6) * gamma


def main(rows: int = 37, level: str = "host", **options: Any) -> float:
    """Run the pipeline once on at least four rows; the largest difference from the reference, as part of the largest
    value.
    """
    rng = np.random.default_rng(11)
    shapes = ((rows, WIDE), (WIDE, NARROW), (NARROW, WIDE))
    x, w_in, w_out = ((rng.uniform(-1, 1, shape) / np.sqrt(shape[0])).astype(np.float32) for shape in shapes)
    gamma = rng.uniform(0.5, 1.5, WIDE).astype(np.float32)
    kernels = {
        "matmul": pyptogen.compile(SPECS / "matmul_fp32.yaml", target="cpu", threads=1),
        "rms_norm": pyptogen.compile(SPECS / "rms_norm.yaml", target="cpu", threads=1),
    }
    with pyptogen.Runtime(level, devices=range(CHIPS), threads=1, **options) as rt:
        rt.register("pipeline", orch=pipeline, kernels=kernels)
        # Packed and placed once, like the weights of a model.
        weights = {
            name: [rt.tensor(pyptogen.pack(w), chip=i) for i, w in enumerate(np.split(weight, CHIPS, axis=axis))]
            for name, weight, axis in (("w_in", w_in, 0), ("w_out", w_out, 1))
        }
        parts = [rt.tensor(np.ascontiguousarray(part), chip=i) for i, part in enumerate(np.split(x, CHIPS, axis=1))]
        y = np.concatenate(rt.run("pipeline", {"x": parts, **weights, "gamma": gamma}))
    expected = reference(x, w_in, w_out, gamma)
    return float(np.abs(y - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    print(f"a pipeline with an all-reduce on {CHIPS} chips: largest difference {main():.1e}")
