"""The convolution of pto-isa (`kernels/manual/a2a3/conv2d_forward`), by its published tiling: a product of 128 x 256
tiles in steps of 48, three steps a load, two buffers each in L1 and L0; 4 x 6 blocks, each an image and a sixth of the
output channels.

Written by hand, because its feature maps are `ConvTile`s, which the front end of `pyptogen sanitize` does not follow.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.isa.cost import Bursts, Shape, operand_move, product, transfer
from pyptogen.lower.platforms.timing import Timing
from pyptogen.simulate.device.launch import Launch
from pyptogen.simulate.device.program import Recorder

M, N, K, STEPS = 128, 256, 48, 3
FILTER = 3
CHANNELS = 16
HALF = 2


def convolution(feature: Sequence[int], weight: Sequence[int], timing: Timing) -> Launch:
    """A launch of the kernel.

    Args:
        feature: [n, c1, h, w, 16].
        weight: [c1 · 9, n1, 16, 16].
        timing: figures.
    """
    images, _, height, width, _ = feature
    depth, columns = weight[0] * CHANNELS, weight[1] * CHANNELS
    core = Recorder("cube")
    for event in (0, 1):
        core.set("MTE1", "MTE2", event)
        core.set("M", "MTE1", event)
    loads = steps = 0
    for m in range(-(-height * width // M)):
        rows = min(M, height * width - m * M)
        first, last = m * M // width, (m * M + rows - 1) // width
        lines = min(last + 1, height - 1) - max(0, first - 1) + 1
        for _ in range(columns // 6 // N):
            for k in range(depth // K):
                if k % STEPS == 0:
                    core.wait("MTE1", "MTE2", loads % 2)
                    feature_map = transfer(Bursts(1, lines * width * CHANNELS * HALF), "Mat", False, timing)
                    core.run("MTE2", "TLOAD", feature_map, "feature")
                    core.set("MTE2", "MTE1", 0)
                    part = transfer(Bursts(STEPS * K // CHANNELS, N * CHANNELS * HALF), "Mat", False, timing)
                    core.run("MTE2", "TLOAD", part, "weight")
                    core.set("MTE2", "MTE1", 1)
                    loads += 1
                _step(core, rows, k, steps, loads, timing)
                steps += 1
            core.set("M", "FIX", 0)
            core.wait("M", "FIX", 0)
            core.run("FIX", "TSTORE", transfer(Bursts(N // 16, rows * 16 * HALF), "Acc", True, timing), "out")
            core.set("FIX", "M", 0)
            core.wait("FIX", "M", 0)
    pixels = images * height * width
    unique = {
        "feature": float(pixels * feature[1] * CHANNELS * HALF),
        "weight": float(depth * columns * HALF),
        "out": float(pixels * columns * HALF),
    }
    return Launch((core.stream(),), 24, 24, unique, results=frozenset({"out"}))


def _step(core: Recorder, rows: int, k: int, steps: int, loads: int, timing: Timing) -> None:
    """One step along the depth: operands to L0, and their product."""
    buffer = steps % 2
    core.wait("M", "MTE1", buffer)
    if k % STEPS == 0:
        core.wait("MTE2", "MTE1", 0)
    left = Shape("Left", "fp16", HALF, rows, K, K)
    core.run("MTE1", "TIMG2COL", operand_move(left, timing, 1))
    if k % STEPS == 0:
        core.wait("MTE2", "MTE1", 1)
    core.run("MTE1", "TEXTRACT", operand_move(Shape("Right", "fp16", HALF, K, N, N), timing))
    if (k + 1) % STEPS == 0:
        core.set("MTE1", "MTE2", (loads - 1) % 2)
    core.set("MTE1", "M", buffer)
    core.wait("MTE1", "M", buffer)
    core.run("M", "TMATMUL", product(left, N, timing))
    core.set("M", "MTE1", buffer)
