"""Specs that once went wrong because of the names or the order of axes, or because several dims make one."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.test_found_specs import spec
from properties.test_random_specs import instructions_agree, kernels_agree

FOUND = {
    "numbers of four bits along rows that are reduced": (
        spec("d: 136; e: 5", "x: int8[r, d, e]; a: int4[r, d]",
             "y: int8[r, d]; z: int32[r, d]; v: int4[r, d]",
             "y: sum(x, axis=2); v: cast(y * 4, int4, mode=trunc); z: cast(a, int32)",
             "tiling:\n  - {r: 8}\nverify:\n  generate: {x: \"integers(-9, 9)\"}"),
        {"r": 17},
    ),
    "products of batches in tiles of one row": (
        spec("b: 6; d: 40; n: 16", "x: bf16[b, r, d]; w: bf16[b, d, n]", "y: bf16[b, r, n]; z: bf16[b, r, 1]",
             "v: matmul(x, w, dtype=bf16); y: sign(v); z: sum(v * 0.0625, axis=-1, keepdim=true)",
             "tiling:\n  - {r: 1}"),
        {"r": 5},
    ),
    "indices of rows under another name": (
        spec("n: 60; k: 60", "x: fp32[60, r]; at: int32[n]; z: fp32[k, r]", "y: fp32[n, r]",
             "y: scatter_update(x, at, z, dim=0)", 'verify:\n  generate: {at: "skip(permutation(n), -1, 0.2)"}'),
        {"r": 9},
    ),
    "an index whose dim the tensor has, too": (
        spec("b: 6; s: 9; n: 32",
             "w: fp32[b, s, n]; x: fp32[b, r, b]; v: fp32[s, n, b]; z: fp32[b, r, n]; at: int32[b]",
             "y: fp32[b, r, n]; u: fp32[b, r, b]",
             "y: matmul(x, index_select(w, 1, at)); u: matmul(z, index_select(v, 0, at))",
             'verify:\n  generate: {at: "integers(0, s - 1)"}'),
        {"r": 9},
    ),
    "one number beside a column of another axis": (
        spec("s: {min: 1, max: 4096}; d: 100", "x: int32[s, d, r]; z: int32[d, 1]", "y: int32[s, d, r]",
             "y: minimum(x, z)", 'tiling:\n  - {r: 1, s: 16}'),
        {"r": 11, "s": 8},
    ),
    "another shape of what is turned": (
        spec("a: 66; b: 136; c: 8976", "x: fp32[r, b, a]; z: fp32[b, a]; h: int16[r, b, 66]",
             "y: fp32[r, c]; w: fp32[c]; v: int16[r, c]",
             "y: reshape(transpose(x), [r, c]) * 2; w: reshape(z.T, [c]); v: reshape(transpose(-h), [r, c])"),
        {"r": 31},
    ),
    "a product over two dims": (
        spec("heads: 8; d: 64; h: 96", "x: bf16[r, heads, d]; w: bf16[h, heads * d]; v: bf16[heads * d, h]",
             "y: fp32[r, h]; z: fp32[r, h]",
             "f: reshape(x, [r, heads * d]); y: matmul(f, w.T, dtype=fp32); z: matmul(abs(f), v, dtype=fp32)"),
        {"r": 37},
    ),
    "a product over two dims that the author cuts": (
        spec("heads: 8; d: 64; h: 96", "x: fp32[r, heads, d]; w: bf16[heads * d, h] @ nz; v: fp32[heads * d, h]",
             "y: fp32[r, h]; z: fp32[r, h]",
             "norm:\n    n: cast(x * rsqrt(mean(x * x, axis=-1, keepdim=true) + 0.000001), bf16)\n  project:\n"
             "    y: matmul(reshape(n, [r, heads * d]), w, dtype=fp32)\n  split:\n"
             "    z: matmul(reshape(x, [r, heads * d]), v)",
             "tiling:\n  - {r: 1, heads: 2, h: 32, split: {split_k: 4}}"),
        {"r": 37},
    ),
    "a product over dims, one of them of run time": (
        spec("s: {min: 1, max: 64}; d: 16; h: 96", "x: fp32[r, s * d]; z: fp32[s]; w: fp32[s * d, h]",
             "y: fp32[r, h]; u: fp32[s]", "y: matmul(x * 2, w); u: z * 2"),
        {"r": 37, "s": 21},
    ),
    "products over two dims in rounds": (
        spec("heads: 4; d: 32; h: 64", "x: fp32[r, heads * d]; w: fp32[heads * d, h]; z: fp32[r, h]",
             "s: fp32[1, h]; g: fp32[heads * d, h]",
             "run:\n    loop: {over: r, tile: 32}\n    carry:\n      s: full([1, h], 0, fp32)\n"
             "      g: full([heads * d, h], 0, fp32)\n    body:\n      y: matmul(x[r], w)\n    next:\n"
             "      s: s + sum(y, axis=0, keepdim=true)\n      g: g + matmul(x[r].T, z[r])"),
        {"r": 77},
    ),
    "running sums and orders of the rows of a block": (
        spec("d: 40", "x: fp32[r, d]; z: fp32[d, r]", "y: fp32[r, d]; m: fp32[1, d]; t: fp32[r, 5]; u: fp32[d, 1]",
             "run:\n    loop: {over: r, tile: 16}\n    carry:\n      m: full([1, d], 0, fp32)\n"
             "      u: full([d, 1], 0, fp32)\n    body:\n      c: cumsum(x[r] * 0.1, axis=-1)\n"
             "      top, at: topk(x[r], 5)\n      q: cumprod(1 + z[:, r] * 0.1, axis=0)\n    next:\n"
             "      m: m + sum(c, axis=0, keepdim=true)\n      u: maximum(u, amax(q, axis=1, keepdim=true))\n"
             "    collect:\n      y: c * m\n      t: top + 1"),
        {"r": 37},
    ),
    "a column of a round that is a row in between": (
        spec("k: 16; d: 32", "x: fp32[r, d]; c: fp32[k, d]", "y: fp32[k, d]",
             "step:\n    loop: {over: r, tile: 64}\n    carry:\n      total: full([k, d], 0, fp32)\n"
             "      count: full([k], 0, fp32)\n    body:\n"
             "      far: sum(square(c), axis=-1)[None, :] - 2 * matmul(x[r], c.T)\n      near: argmin(far, axis=-1)\n"
             "      hot: cast(near[:, None] == arange(k)[None, :], fp32)\n    next:\n"
             "      total: total + matmul(hot.T, x[r])\n      count: count + sum(hot, axis=0)\n  out:\n"
             "    y: total / maximum(count, 1)[:, None]"),
        {"r": 150},
    ),
    "a deep product that the compiler cuts": (
        spec("c: 3; p: 8; e: 96", "x: fp32[r, 16, c * p * p]; w: fp32[e, c, p, p]", "y: fp32[r, 16, e]",
             "y: matmul(x, reshape(w, [e, c * p * p]).T)"),
        {"r": 3},
    ),
    "ranges of the batches of a product": (
        spec("c: 32; h: 48", "x: bf16[r, c, h]; z: bf16[r, h, c]", "y: fp32[r, c, c]",
             "y: relu(matmul(x, z, dtype=fp32)) + 1", "tiling:\n  - {r: {unroll: [4, 2, 1]}}"),
        {"r": 7},
    ),
    "rows of four bits that are columns of another value": (
        spec("d: 8; e: 8", "x: int4[r, e, d]; z: int4[r, d, d]", "y: int8[1, d, r]; v: int8[r, d, d]; w: int8[r, d, d]",
             "u: cast(x, int8); w: cast(z, int8); p: prod(u, axis=2, keepdim=true); y: permute(p, [2, 1, 0]);"
             "v: permute(u, [0, 2, 1])",
             "tiling:\n  - {r: 3}"),
        {"r": 37},
    ),
    "ranges of images": (
        spec("c: 16; h: 12; o: 32", "x: fp16[r, c, h, h]; w: fp16[o, c, 3, 3]", "y: fp16[r, o, 10, 10]",
             "y: conv(x, w, dtype=fp16)", "tiling:\n  - {r: {unroll: [2, 1]}}"),
        {"r": 3},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_levels_of_found_specs(name: str, tmp_path: Path) -> None:
    instructions_agree(FOUND[name], tmp_path)


@pytest.mark.parametrize("name", FOUND)
def test_kernels_of_found_specs(name: str, tmp_path: Path) -> None:
    kernels_agree(FOUND[name], tmp_path)
