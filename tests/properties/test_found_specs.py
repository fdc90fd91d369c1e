"""Specs that random drawing or mutation once found to be wrong, cut down: each must keep to its Tensor level."""

from __future__ import annotations

from pathlib import Path

import pytest

from properties.checked_run import said_by_checked_mode
from properties.test_random_specs import checked_mode_is_silent, instructions_agree, kernels_agree


def spec(dims: str, inputs: str, outputs: str, graph: str, after: str = "") -> str:
    """A spec over a run-time dim r; sections with `;` between entries."""

    def section(name: str, entries: str) -> list[str]:
        return [f"{name}:", *(f"  {entry.strip()}" for entry in entries.split(";"))]

    every = "r: {min: 1, max: 4096}" + (f"; {dims}" if dims else "")
    lines = ["pyptogen: 1", "operator: found", *section("dims", every), *section("inputs", inputs)]
    return "\n".join([*lines, *section("outputs", outputs), *section("graph", graph), after, ""])


FOUND = {
    "one element as a tile beside the same as a column": (
        spec("s: {min: 1, max: 4096}", "x: fp16[r, s]; z: fp16[s, 1]", "y: fp16[r, s, 1]; u: fp16[r, s, 1]",
             "v: unsqueeze(cumprod(1 + x * 0.0078, axis=0), 2); y: cumprod(1 + v * 0.0167, axis=1); u: v + z",
             "tiling:\n  - {r: 1, s: 1}"),
        {"r": 20, "s": 5},
    ),
    "numbers of four bits in rows that lie apart": (
        spec("d: 6", "x: {shape: [r, d], dtype: int4, strides: [d + 16, 1]}", "y: int16[r, d]", "y: cast(x, int16)"),
        {"r": 3},
    ),
    "ranges of rows of four bits, end to end": (
        spec("d: 4", "x: fp32[r, d]", "y: int4[r, d]; z: int4[r, d]",
             "y: cast(x * 4, int4, mode=rint); z: cast(x * 4, int4, mode=rint)",
             "tiling:\n  - {r: {unroll: [16, 4, 1]}}"),
        {"r": 35},
    ),
    "a tile of four bits with one column": (
        spec("s: {min: 1, max: 4096}; d: 128", "x: int16[r, s, d]", "y: bf16[r, d]; z: int16[d, r]",
             "v: cast(cumsum(amax(x, axis=-2), axis=1), int4); y: cast(v, bf16);"
             "z: prod(permute(x, [2, 0, 1]), axis=-1)",
             "tiling:\n  - {r: 3, s: 1}"),
        {"r": 1, "s": 24},
    ),
    "reductions of an axis with nothing but ones behind it": (
        spec("d: 8; e: 3", "x: fp32[d, 2, r]; z: fp32[r, e, 1, 1]",
             "y: int32[5, 1]; u: fp32[d, 1]; w: fp32[r, 1, 1]; v: fp32[d, 2, 1]",
             "v: amax(x, axis=-1, keepdim=true); y: argmax(v[0:5], axis=1); u: sum(v, axis=1); w: prod(z, axis=1)",
             "tiling:\n  - {r: 8}"),
        {"r": 36},
    ),
    "what a pass asks for has a name that C++ text has a word for": (
        spec("d: 1000", "at: int32[r, 8]", "token: int32[r, 8]; beam: int32[r, 8]", "token: at % d; beam: at // d",
             'verify:\n  generate: {at: "integers(0, 3999)"}'),
        {"r": 70},
    ),
    "what an attr leaves of one": (
        spec("", "x: fp32[r]; v: fp32[r]", "y: fp32[r]", "y: v * beta + x * x * (1 - beta)",
             "attrs:\n  beta: {type: fp32, default: 0.999}\nverify:\n  generate: {v: zeros()}"),
        {"r": 70},
    ),
    "truth values of a column of bytes": (
        spec("d: 4", "x: int8[r, d, 1]", "y: int8[r, d, 1]", "y: where(x > 0, 0, x)"), {"r": 13},
    ),
    "rounding to whole numbers inside a pass": (
        spec("d: 13", "x: int8[r, d]", "y: int8[r, d]; z: fp32[r, d]", "y: x // 3; z: floor(cast(x, fp32) * 0.3) + 1"),
        {"r": 40},
    ),
    "a number that bf16 and fp16 do not hold": (
        spec(
            "d: 13", "x: bf16[r, d]; h: fp16[r, d]", "y: bf16[r, d]; z: fp16[r, d]; w: fp16[r, d]",
            "y: x * 0.016129; z: cumprod(1 + h * 0.016129, axis=0); w: where(h < 0.016129, h, 0)",
        ),
        {"r": 50},
    ),
    "columns of a run-time dim without a tile": (
        spec("s: {min: 1, max: 999}; d: 3", "x: fp32[d, r, s]; z: fp32[d, r]", "y: fp32[d, r, s]; w: fp32[d, r]",
             "y: abs(x) + 1; w: maximum(z, amax(x, axis=-1)) * 2"),
        {"r": 33, "s": 21},
    ),
    "one element beside one row": (
        spec("d: 42", "x: int16[1, r, d]; h: fp32[1, r, d]; n: int16[1]; s: fp32[1]",
             "y: int16[1, r, d]; z: fp32[1, r, d]", "y: x // (abs(n) + 1); z: (abs(s) + 1) / (abs(h) + 1)",
             "tiling:\n  - {r: 1}"),
        {"r": 35},
    ),
    "a product of a product": (
        spec("a: 33; b: 38; c: 64", "x: fp32[r, a]; v: fp32[a, b]; w: fp32[b, c]", "y: fp32[r, c]",
             "y: matmul(matmul(x, v), w)"),
        {"r": 20},
    ),
    "a product over a dim that the product before it cuts": (
        spec("a: 33; b: 64; c: 64", "x: fp32[r, a]; v: fp32[a, b]; w: fp32[b, c]", "y: fp32[r, c]",
             "y: matmul(matmul(x, v), w)", "tiling:\n  - {r: 16, b: 32, c: 32}"),
        {"r": 20},
    ),
    "a dim that is summed over and kept in one kernel": (
        spec("a: 33; b: 64", "x: fp32[r, a]; v: fp32[a, b]", "y: fp32[r, b]; z: fp32[a, 1]; w: int32[a]",
             "y: matmul(x, v); z: sum(v, axis=1, keepdim=true) * 0.5; w: argmin(v, axis=-1)"),
        {"r": 20},
    ),
    "one dim on both axes of a tensor": (
        spec("", "x: fp32[r, r]; z: fp32[r]", "y: fp32[r, r]", "y: x + z", "tiling:\n  - {r: 3}"), {"r": 10},
    ),
    "one dim on both leading axes, with a tile": (
        spec("d: 40", "x: fp32[r, 1, d]; z: fp32[r, 1]", "y: fp32[r, r, d]; w: fp32[r, r, 1]",
             "y: x + z; w: abs(z) + amax(x, axis=2, keepdim=true)", "tiling:\n  - {r: {unroll: [16, 1]}}"),
        {"r": 21},
    ),
    "a column as rows of one element": (
        spec("d: 40; e: 8", "x: fp32[r, e, d]", "y: fp32[r, e]", "y: softmax(sum(x, axis=-1) * 0.5)",
             "tiling:\n  - {r: 16}"),
        {"r": 21},
    ),
    "lines of a tile, the last of them shorter": (
        spec("s: {min: 1, max: 999}; d: 33; one: 1", "x: fp32[r, s, d]; z: fp32[s]", "y: fp32[r, one, s]",
             "v: cumsum(x, axis=2); w: transpose(v); y: w[:, 0:1] + z", "tiling:\n  - {r: 1, s: 16}"),
        {"r": 3, "s": 33},
    ),
    "one element spread over rows and columns": (
        spec("d: 7", "x: int32[r, d]; z: int32[1]", "y: int32[r, d]", "y: x // (abs(z) % 5 + 2)",
             "tiling:\n  - {r: 3}"),
        {"r": 8},
    ),
    "a sum of tiles at L0 that do not divide it": (
        spec("a: 33; b: 40", "x: fp32[r, a]; v: fp32[a, b]", "y: fp32[r, b]", "y: matmul(x, v)",
             "tiling:\n  - r: 16\n    a: {l1: 64, l0: 32}"),
        {"r": 21},
    ),
    "one element as a row and as a column": (
        spec("d: 33", "x: int16[r, d]; z: int32[1, 1]", "y: int32[r, 1]",
             "y: maximum(z * argmax(x, axis=1, keepdim=true), -50)", "tiling:\n  - {r: 1}"),
        {"r": 6},
    ),
    "one value twice in a concat": (
        spec("d: 32", "x: fp32[r, d]", "y: fp32[r, 2 * d]", "v: abs(x); y: concat(v, v, axis=1) * 0.5"), {"r": 20},
    ),
    "a concat of columns that are rows elsewhere": (
        spec("d: 32; e: 64; one: 1", "x: fp32[r, one, d]", "y: fp32[r, one, e]; z: fp32[r, d, one]",
             "v: abs(x); y: concat(v, v, axis=2) * 0.5; z: transpose(x) * 2", "tiling:\n  - {r: 16}"),
        {"r": 19},
    ),
    "a transposed run-time matrix": (
        spec("s: {min: 1, max: 999}", "x: fp32[r, s]", "y: fp32[s, r]", "y: x.T", "tiling:\n  - {r: 1, s: 1}"),
        {"r": 9, "s": 5},
    ),
    "rows of a size without a name, beside run-time ones": (
        spec("s: {min: 1, max: 999}; d: 5", "x: fp32[r, s]; z: fp32[d, r, s]", "y: fp32[d + 1, r, s]",
             "y: concat(unsqueeze(x, 0), z, axis=0) * 2"),
        {"r": 9, "s": 12},
    ),
    "rows of one dim where the author cuts another": (
        spec("s: {min: 1, max: 999}; d: 27", "x: fp32[r, s, d]", "y: fp32[r, s, d]", "y: x + 1", "tiling:\n  - {r: 8}"),
        {"r": 9, "s": 12},
    ),
    "as many classes as a run-time dim": (
        spec("s: {min: 1, max: 999}", "i: int32[r]; x: fp32[r, s]", "y: int32[r, s]; z: fp32[r, s]",
             "y: one_hot(i, s); z: x * cast(y, fp32)", 'verify:\n  generate: {i: "integers(0, 8)"}'),
        {"r": 19, "s": 37},
    ),
    "a column of bytes that may go around the cache": (
        spec("s: {min: 1, max: 99}", "x: int8[r, s]; i: int64[r, 1]", "y: int8[r, 1]", "y: gather(x, 1, i)",
             'verify:\n  generate: {i: "integers(0, s - 1)"}'),
        {"r": 15, "s": 39},
    ),
    "an extreme of int32 along columns": (
        spec("d: 40; e: 3", "x: int32[r, e, d]", "y: int32[r, d]; z: int32[r, e, 1]",
             "y: argmin(x, axis=1); z: argmax(x, axis=-1, keepdim=true)"),
        {"r": 20},
    ),
    "numbers that the caller's processor computes": (
        spec("d: 8", "x: int32[r, d]; f: fp32[r, d]", "y: int32[r, d]; z: fp32[r, d]; u: fp32[r, d]",
             "y: x + n // 2 + n % 3 - n * n + max(n, r); z: where(x < n, f * s ** 2 / r, sqrt(s) + 1); "
             "u: f * (r % 7) + full([r, d], exp(-s) / n, fp32) - 3 * s / (1 - s)",
             'attrs: {n: {type: int32, default: -7}, s: {type: fp32, default: 2.5}}\n'
             'verify:\n  generate: {x: "integers(-9, 9)"}'),
        {"r": 20},
    ),
    "a carried row beside blocks of one row": (
        spec("d: 16", "k: fp32[r, d]; u: fp32[d]", "y: fp32[r, d]",
             "one:\n    loop: {over: r, tile: 1}\n    carry:\n      p: full([1, d], 0, fp32)\n    body:\n"
             "      q: maximum(p, k[r] + u)\n    next:\n      p: q * 0.5\n    collect:\n      y: p + k[r]"),
        {"r": 9},
    ),
    "a carried value that a later kernel multiplies in its rounds": (
        spec("d: 32", "x: fp32[r, d]", "y: fp32[r, d]",
             "one:\n    loop: {over: r, tile: 16}\n    carry:\n      s: full([d, d], 0, fp32)\n    next:\n"
             "      s: s + matmul(x[r].T, x[r])\n    collect:\n      y: matmul(x[r], s)",
             'tiling:\n  - {d: 32}\nverify:\n  generate: {x: "integers(-2, 2)"}'),
        {"r": 40},
    ),
    "products of matrices and batches of another rank": (
        spec("n: 3; d: 16", "f: fp32[d, d]; x: fp32[r, d, d]; w: fp32[n, d, d]",
             "y: fp32[r, d, d]; z: fp32[r, n, d, d]", "y: f @ x; z: x[:, None] @ w"),
        {"r": 5},
    ),
    "a mean over a round's block": (
        spec("n: {min: 1, max: 999}", "x: fp32[r, n]", "m: fp32[r, 1]",
             "one:\n    loop: {over: n, tile: 32}\n    carry:\n      m: full([r, 1], 0.5, fp32)\n    next:\n"
             "      m: m + mean(x[:, n], axis=-1, keepdim=true)"),
        {"r": 20, "n": 70},
    ),
    "whole quotients by numbers that only a call knows": (
        spec("d: 24", "x: int32[r, d]; h: int16[r, d]",
             "y: int32[r, d]; z: int32[r, d]; u: int32[r, d]; v: int16[r, d]; w: int32[r, d]",
             "y: x % m; z: x // k; u: x // none + x % none; v: h // none; w: x // (r - 30)",
             "attrs: {m: {type: int32, default: -7}, k: {type: int32, default: 9}, none: {type: int32, default: 0}}"),
        {"r": 13},
    ),
    "a matrix of its own for each of many rows": (
        spec("k: 32; d: 48", "a: fp32[r, k]; b: fp32[r, k * d]", "y: fp32[r, 1, d]",
             "y: matmul(reshape(a, [r, 1, k]), reshape(b, [r, k, d]))"),
        {"r": 9},
    ),
    "one query for each of many sequences": (
        spec("b: 3; d: 32; s: {min: 1, max: 999}", "q: bf16[r, b, 1, d]; k: bf16[r, b, s, d]; z: fp32[r, s]",
             "y: bf16[r, b, 1, d]", "y: attention(q, k, k, bias=z[:, None, None, :])"),
        {"r": 3, "s": 40},
    ),
    "rows that each round adds up": (
        spec("n: {min: 1, max: 999}; d: 24", "x: fp32[r, n, d]", "y: fp32[n, d]",
             "one:\n    loop: {over: r, tile: 16}\n    carry:\n      y: full([n, d], 0, fp32)\n    next:\n"
             "      y: y + sum(x[r], axis=0)"),
        {"r": 40, "n": 5},
    ),
    "two axes of a reshape that are numbers": (
        spec("h: 6; d: 40", "x: fp32[r, 2 * h, 2 * h, d]", "y: fp32[r, h, h, d]; z: fp32[r, h, h, d]",
             "v: reshape(x, [r, h, 2, h, 2, d]); y: mean(v, axis=[2, 4]); z: amax(v, axis=[2, 4])"),
        {"r": 2},
    ),
    "what a round computes, turned for a product": (
        spec("d: 32", "x: bf16[r, d]", "y: fp32[d, d]",
             "one:\n    loop: {over: r, tile: 32}\n    carry:\n      y: full([d, d], 0, fp32)\n    body:\n"
             "      e: abs(x[r])\n    next:\n      y: y + matmul(e.T, e, dtype=fp32)"),
        {"r": 75},
    ),
    "what a round computes, turned for vector work": (
        spec("d: 33", "x: fp32[r, d]; s: fp32[r, 1]", "y: fp32[d, r]; z: fp32[d, 1]; w: fp32[1, r]",
             "one:\n    loop: {over: r, tile: 24}\n    carry:\n      z: full([d, 1], 0, fp32)\n    body:\n"
             "      e: exp(x[r])\n      c: amax(e, keepdim=true) + s[r]\n    next:\n"
             "      z: z + sum(e.T, keepdim=true)\n    collect:\n      y: e.T * 2\n      w: c.T + 1"),
        {"r": 61},
    ),
    "a row of a round, read as a column": (
        spec("k: 16; d: 32", "x: fp32[r, d]; c: fp32[k, d]", "sums: fp32[k, d]; count: fp32[k, 1]",
             "before:\n    id: arange(k)\n  one:\n    loop: {over: r, tile: 64}\n    carry:\n"
             "      sums: full([k, d], 0, fp32)\n      count: full([k, 1], 0, fp32)\n    body:\n"
             "      near: argmin(matmul(x[r], c.T), axis=-1, keepdim=true)\n"
             "      hot: cast(near == id[None, :], fp32)\n    next:\n      sums: sums + matmul(hot.T, x[r])\n"
             "      count: count + transpose(sum(hot, axis=0, keepdim=true))"),
        {"r": 150},
    ),
    "columns of a sum of sizes, one of them of run time": (
        spec("s: {min: 1, max: 99}; d: 32", "x: fp32[r, d + s]; z: fp32[s]", "y: fp32[r, d + s]; u: fp32[s]",
             "y: abs(x) * 0.5; u: z * 2", "tiling:\n  - {r: 8, s: 16}"),
        {"r": 11, "s": 21},
    ),
    "a sum of sizes beside a dim that the author cuts": (
        spec("d: 12; e: 8; h: 20", "x: fp32[r, d + e, h]; z: fp32[r, d, h]",
             "y: fp32[r, d + e, h]; u: fp32[r, d, h]", "y: abs(x) * 0.5; u: z * 2 + x[:, :d]",
             "tiling:\n  - {r: 8}"),
        {"r": 11},
    ),
    "a value that another stage gives anew": (
        spec("d: 8", "x: fp32[r, d]", "y: fp32[r, d]",
             "one:\n    y: cumsum(x, axis=0) * 0.3\n  again:\n    if: r > 30\n    y: abs(y) + 1"),
        {"r": 26},
    ),
    "many rows of one short element": (
        spec("s: {min: 1, max: 4096}; e: 8", "x: fp16[s, r]; h: fp16[s, e]; b: int8[s, 1]",
             "v: fp16[s, e + 3]; w: fp16[s, 2 + e]; u: int8[s, 2]; z: fp16[s, 1]",
             "a: amin(x, axis=1, keepdim=true); v: pad(a, [2, e]); w: concat(a, a, h, axis=1); u: concat(b, b, axis=1);"
             " z: amax(pad(a, [1, 0]), axis=1, keepdim=true)"),
        {"r": 4, "s": 32},
    ),
    "a slice of rows beside rows that the author cuts": (
        spec("d: 33; e: 16", "x: int8[r, e, d]; z: fp32[r, e, d]", "y: int8[r, 10, d]; w: fp32[r, 6, d]; u: int32[d]",
             "v: x * x; y: -x[:, 5:15]; w: concat(z[:, 0:2] * 2, z[:, 12:16], axis=1) + 1;"
             " u: sum(sum(cast(v, int32), axis=1), axis=0)",
             'tiling:\n  - {r: 16}\nverify:\n  generate: {x: "integers(-9, 9)"}'),
        {"r": 21},
    ),
    "a carried value, turned": (
        spec("d: 16", "x: fp32[r, d]", "y: fp32[d, d]",
             "one:\n    loop: {over: r, tile: 32}\n    carry:\n      y: full([d, d], 0.5, fp32)\n    next:\n"
             "      y: y.T * 0.5 + amax(x[r], axis=0, keepdim=true)"),
        {"r": 70},
    ),
    "where the extremes along a run-time axis are": (
        spec("s: {min: 1, max: 4096}; d: 20", "x: fp32[s, r, d]; h: fp16[r, d]; n: int32[r, s]",
             "y: int32[s, d]; u: int32[1, d]; v: int32[s]",
             "y: argmax(x, axis=1); u: argmin(h, axis=0, keepdim=true); v: argmax(n, axis=0)",
             'verify:\n  generate: {n: "integers(-5, 5)"}'),
        {"r": 150, "s": 3},
    ),
    "where the extremes along a long axis are": (
        spec("n: 30000; d: 9", "x: fp32[r, n, d]", "y: int32[r, d]", "y: argmin(x, axis=1)"), {"r": 2},
    ),
    "a weight whose columns are two dims": (
        spec("h: 256; d: 384; e: 64", "x: fp32[r, h]; w: fp32[h, 2 * d]; v: fp32[h, d + e]",
             "y: fp32[r, d]; z: fp32[r, e]; u: fp32[r, d]",
             "g: matmul(x, w); y: silu(g[:, :d]) * g[:, d:]; k: matmul(x, v); z: k[:, d:] * 2; u: k[:, :d] + 1",
             "tiling: [{}]"),
        {"r": 5},
    ),
    "rows of a round as columns of its state": (
        spec("b: {min: 1, max: 99}; d: 48; n: 16", "x: fp32[b, r, d]; dt: fp32[b, r, d]; c: fp32[b, r, n]",
             "y: fp32[r, b, d]; s: fp32[b, d, n]",
             "run:\n    loop: {over: r, tile: 1}\n    carry:\n      s: full([b, d, n], 0, fp32)\n    body:\n"
             "      e: reshape(exp(-abs(dt[:, r])), [b, d, 1])\n"
             "      t: s * e + reshape(x[:, r] * 2, [b, d, 1]) * reshape(c[:, r], [b, 1, n])\n    next:\n      s: t\n"
             "    collect:\n      y: sum(t * reshape(c[:, r], [b, 1, n]), axis=-1)"),
        {"r": 6, "b": 2},
    ),
    "columns of a round as rows": (
        spec("b: {min: 1, max: 99}; d: 48", "x: fp32[b, r, d]", "y: fp32[b, r]; m: fp32[b, 1]",
             "run:\n    loop: {over: r, tile: 16}\n    carry:\n      m: full([b, 1], 0, fp32)\n    body:\n"
             "      e: amax(x[:, r], axis=-1)\n      n: maximum(m, amax(e, axis=-1, keepdim=true))\n    next:\n"
             "      m: n * 0.5\n    collect:\n      y: e * 2 + n"),
        {"r": 40, "b": 3},
    ),
    "windows of halves of dims": (
        spec("c: 6; h: 16; w: 20", "x: fp32[r, c, h, w]", "y: fp32[r, c, h / 2, w / 2]; z: fp32[r, c, h / 2, 2 * w]",
             "v: reshape(x, [r, c, h / 2, 2, w / 2, 2]); y: mean(v, axis=[3, 5]);"
             " z: reshape(permute(v, [0, 1, 2, 5, 4, 3]), [r, c, h / 2, 2 * w])"),
        {"r": 3},
    ),
    "a state with room for few of its columns": (
        spec("d: 1024; k: 72", "x: fp32[r, d]; w: fp32[d, k]", "y: fp32[r, k]; s: fp32[d, k]",
             "run:\n    loop: {over: r, tile: 1}\n    carry:\n      s: full([d, k], 0, fp32)\n    body:\n"
             "      e: exp(-abs(reshape(x[r], [d])))\n      t: s * 0.5 + e[:, None] * w\n    next:\n      s: t\n"
             "    collect:\n      y: sum(t, axis=0)"),
        {"r": 3},
    ),
    "a loop of some calls that gives values anew": (
        spec("d: 32", "x: fp32[r, d]", "y: fp32[r, d]; s: fp32[1, d]",
             "first:\n    s: full([1, d], 1, fp32)\n    y: x * 1\n  again:\n    if: r > 30\n"
             "    loop: {over: r, tile: 16}\n    carry:\n      s: full([1, d], 0, fp32)\n    next:\n"
             "      s: s + sum(x[r], axis=0, keepdim=true)\n    collect:\n      y: x[r] - s"),
        {"r": 40},
    ),
    "every second element beside a tile of all": (
        spec("d: 80", "x: fp32[r, d]", "y: fp32[r, d]; z: fp32[r, d / 2]",
             "e: x[:, ::2]; z: e + x[:, 1::2]; y: concat(e, e + z, axis=-1)"),
        {"r": 9},
    ),
    "two loops whose rounds have one name for two values": (
        spec("d: 32", "x: fp32[r, d]", "y: fp32[1, d]; z: fp32[r, d]",
             "one:\n    loop: {over: r, tile: 16}\n    carry:\n      y: full([1, d], 0, fp32)\n    body:\n"
             "      e: exp(x[r])\n    next:\n      y: y + sum(e, axis=0, keepdim=true)\n  two:\n"
             "    loop: {over: r, tile: 32}\n    body:\n      e: abs(x[r]) + 1\n    collect:\n      z: e * y"),
        {"r": 40},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_levels_of_found_specs(name: str, tmp_path: Path) -> None:
    instructions_agree(FOUND[name], tmp_path)


@pytest.mark.parametrize("name", FOUND)
def test_kernels_of_found_specs(name: str, tmp_path: Path) -> None:
    kernels_agree(FOUND[name], tmp_path)


COMPUTED = """
verify:
  generate: {z: "uniform(LOW, LOW + 5)"}
"""


@pytest.mark.parametrize("graph", ["index_select(x, 0, cast(z, int32))", "scatter_update(y, cast(z, int32), x)"])
@pytest.mark.parametrize("low", [0, 20])
def test_checked_mode_bounds_indices_that_kernels_compute(graph: str, low: int, tmp_path: Path) -> None:
    scattered = "scatter" in graph
    text = spec(
        "n: 20; d: 8", f"x: fp32[{'r' if scattered else 'n'}, d]; z: fp32[r]",
        f"y: {'{shape: [n, d], dtype: fp32, init: 0}' if scattered else 'fp32[r, d]'}",
        f"y: {graph}", COMPUTED.replace("LOW", str(low)),
    )  # fmt: skip
    path = tmp_path / "computed.yaml"
    path.write_text(text)
    said = said_by_checked_mode(path, "a2a3", {"r": 3}, 1)
    assert ("wrong index: 2" in said) == (low == 20), said
    assert said == "" or low == 20


def test_checked_mode_of_a_found_spec(tmp_path: Path) -> None:
    checked_mode_is_silent(FOUND["one value twice in a concat"], tmp_path)
