"""Small operators with one kernel by hand, for the tests of this room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

HEAD = """\
pyptogen: 1
operator: twice
dims:
  rows: {min: 1, max: 4096}
  cols: 512
attrs:
  scale: {type: fp32, default: 2.0}
inputs:
  x: fp32[rows, cols]
  s: fp32[rows, 1]
outputs:
  y: fp32[rows, cols]
"""

TILE = """\
kernels:
  my_scale:
    level: tile
    grid: {i: ceil(rows / 8)}
    body:
      xt: load(x[8*i:8*i+8, :])
      yt: muls(xt, 2.0)
      _:  store(yt, y[8*i:8*i+8, :])
"""

BLOCK = """\
kernels:
  my_block:
    level: block
    sync: hand
    grid: {i: ceil(rows / 8)}
    buffers:
      xt: {memory: ub, address: 0x0000, shape: [8, cols], valid: [i, cols], dtype: fp32}
      yt: {memory: ub, address: 0x4000, shape: [8, cols], valid: [i, cols], dtype: fp32}
    before:
      - set_flag(V, MTE2, 0)
      - set_flag(MTE3, V, 0)
    body:
      - wait_flag(V, MTE2, 0)
      - xt: load(x[8*i:8*i+8, :])
      - set_flag(MTE2, V, 0)
      - wait_flag(MTE2, V, 0)
      - wait_flag(MTE3, V, 0)
      - yt: muls(xt, 2.0)
      - set_flag(V, MTE2, 0)
      - set_flag(V, MTE3, 0)
      - wait_flag(V, MTE3, 0)
      - store(yt, y[8*i:8*i+8, :])
      - set_flag(MTE3, V, 0)
    after:
      - wait_flag(V, MTE2, 0)
      - wait_flag(MTE3, V, 0)
"""

INSTRUCTION = """\
kernels:
  my_asm:
    level: instruction
    grid: {i: ceil(rows / 8)}
    buffers:
      xt: {memory: ub, address: 0x0000, shape: [8, cols], valid: [i, cols], dtype: fp32}
      yt: {memory: ub, address: 0x4000, shape: [8, cols], valid: [i, cols], dtype: fp32}
    body:
      - TLOAD(xt, x[8*i:8*i+8, :])
      - TMULS(yt, xt, 2.0)
      - TSTORE(y[8*i:8*i+8, :], yt)
"""

SOURCE = """\
graph:
  my_extern: {y: x * 2.0}
kernels:
  my_extern:
    level: source
    file: kernels/my_kernel.cpp
    entry: my_kernel
    core: aiv
    reads: [x]
    writes: [y]
    blocks: ceil(rows / 8)
"""

CPP = """\
#include <cstdint>
#include <pto/pto-inst.hpp>
using namespace pto;
extern "C" __global__ AICORE void my_kernel(__gm__ float *y, __gm__ float *x, int32_t rows, int32_t nblk)
{
#if defined(__DAV_VEC__)
    set_mask_norm();
    set_vector_mask(-1, -1);
    using Rows = Tile<TileType::Vec, float, 8, 512, BLayout::RowMajor, DYNAMIC, 512>;
    using Gm = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, 512>, Stride<1, 1, 1, 512, 1>>;
    for (int32_t i = static_cast<int32_t>(get_block_idx()) * 8; i < rows; i += nblk * 8) {
        const int32_t valid = rows - i < 8 ? rows - i : 8;
        Rows tile(valid);
        TASSIGN(tile, 0x0);
        Gm in(x + int64_t(i) * 512, {valid});
        Gm out(y + int64_t(i) * 512, {valid});
        TLOAD(tile, in);
        pipe_barrier(PIPE_ALL);
        TMULS(tile, tile, 2.0f);
        pipe_barrier(PIPE_ALL);
        TSTORE(out, tile);
        pipe_barrier(PIPE_ALL);
    }
#endif
}
"""

LEVELS = {"tile": TILE, "block": BLOCK, "instruction": INSTRUCTION, "source": SOURCE}


def write(folder: Path, body: str, head: str = HEAD) -> Path:
    """The spec as a file, with the C++ beside it."""
    (folder / "kernels").mkdir(exist_ok=True)
    (folder / "kernels" / "my_kernel.cpp").write_text(CPP)
    spec = folder / "twice.yaml"
    spec.write_text(head + body)
    return spec


def arrays(rows: int) -> dict[str, Any]:
    rng = np.random.default_rng(rows)
    return {
        "x": rng.normal(0, 1, (rows, 512)).astype(np.float32),
        "s": rng.uniform(1, 2, (rows, 1)).astype(np.float32),
    }
