"""Gathering, scattering, sorting, histograms and convolution operands agree with their meanings."""

from __future__ import annotations

import numpy as np
import pytest

from pyptogen.simulate.meaning import MEANINGS, Shaped
from pyptogen.simulate.meaning.indexed import PATTERNS, Convolution, pairs_of, sort_keys

from .agreement.registry import agreement
from .arrays import DTYPES, Array, guarded, is_guard, pointer, values
from .conftest import Build
from .test_agreement_moves import same


@agreement("TGATHER", "TSCATTER")
@pytest.mark.parametrize("name", sorted(PATTERNS))
def test_by_pattern(build: Build, name: str) -> None:
    period, _ = PATTERNS[name]
    source = np.arange(1, 257, dtype=np.float32).reshape(8, 32)
    for rows, cols in [(8, 32), (6, 13), (1, 1), (0, 3)]:
        gathered, chosen = guarded((8, 32), DTYPES["fp32"]), guarded((8, 32), DTYPES["fp32"])
        scattered = guarded((8, 128), DTYPES["fp32"])
        function = getattr(build("rearrange"), f"pattern_{name}")
        function(pointer(gathered), pointer(chosen), pointer(scattered), pointer(source), rows, cols)
        part = source[:rows, :cols]
        flat = MEANINGS["TGATHER(dst, a)"](Shaped("fp32", 8, 32), part, pattern=name).reshape(1, -1)
        assert np.array_equal(gathered.reshape(1, -1)[:, : flat.size], flat)
        lines = MEANINGS["TGATHER(dst, a)"](Shaped("fp32", 8, 32), part, pattern=name, rows=True)
        assert np.array_equal(chosen[: len(lines), :cols], lines)
        wide = MEANINGS["TSCATTER(dst, a)"](Shaped("fp32", rows, cols * period), part, pattern=name)
        assert np.array_equal(scattered[:rows, : cols * period], wide)


@agreement("TGATHER", "TSCATTER", "TGATHERB")
def test_by_index(build: Build) -> None:
    rng = np.random.default_rng(1)
    source = values(rng, (8, 32), "fp16")
    index = rng.integers(-3, 260, (8, 32)).astype(np.int32)
    for rows, cols in [(8, 32), (7, 29), (1, 1), (0, 4)]:
        to = guarded((8, 32), DTYPES["fp16"])
        build("rearrange").gather_index(pointer(to), pointer(source), pointer(index), rows, cols)
        want = MEANINGS["TGATHER"](Shaped("fp16", rows, cols), source, index[:rows, :cols])
        assert same(np.ascontiguousarray(to[:rows, :cols]), want)
    wide = values(rng, (8, 32), "fp32")
    for rows, cols in [(3, 9), (8, 32), (0, 0)]:
        to = guarded((8, 32), DTYPES["fp32"])
        old = to.copy()
        build("rearrange").scatter_index(pointer(to), pointer(wide), pointer(index), rows, cols)
        want = MEANINGS["TSCATTER"](Shaped("fp32", 7, 30), wide, index[:rows, :cols], whole=old)
        assert same(to, want)
    blocks, offset = np.arange(128, dtype=np.float32).reshape(4, 32), np.zeros((4, 8), np.uint32)
    offset[:3, :4] = [[0, 32, 480, 4], [8, 480, 64, 12], [481, 512, 4000000000, 0]]
    to = guarded((4, 32), DTYPES["fp32"])
    old = to.copy()
    build("rearrange").gather_blocks(pointer(to), pointer(blocks), pointer(offset), 3, 32)
    assert same(to[:3], MEANINGS["TGATHERB"](Shaped("fp32", 3, 32), old[:3], blocks, offset[:3]))


@agreement("TGATHER")
def test_of_matches(build: Build) -> None:
    source = np.random.default_rng(2).integers(-9, 9, (8, 32)).astype(np.float32)
    source[2, 5] = np.nan
    key = np.array([[0, 3, -20, 20, 8, 1, 2, 0]], np.int32)
    to, counts = guarded((8, 32), DTYPES["int32"]), guarded((1, 8), DTYPES["int32"])
    build("rearrange").gather_matches(pointer(to), pointer(counts), pointer(source), pointer(key), 6, 27)
    found, numbers = MEANINGS["TGATHER(dst, a, key, counts, tmp, offset)"](
        Shaped("int32", 6, 27), source[:6, :27], key, 100, pitch=32
    )
    assert np.array_equal(counts[0, :6], numbers)
    for r, positions in enumerate(found):
        assert np.array_equal(to[r, : len(positions)], positions)


@agreement("MGATHER", "MSCATTER")
@pytest.mark.parametrize("name", ["row_zero_skip", "row_clamp_add", "elem_wrap_max", "elem_zero_min"])
def test_global_memory(build: Build, name: str) -> None:
    coalesce, rule, combine = name.split("_")
    outside = {"zero": "drop"}.get(rule, rule)
    rng = np.random.default_rng(3)
    rows, cols, m, n = 10, 13, 7, 13
    table = (rng.integers(-90, 90, (rows, cols)) / 2).astype(np.float32)
    source = (rng.integers(-90, 90, (8, 16)) / 2).astype(np.float32)
    capacity = rows if coalesce == "row" else rows * cols
    index = rng.integers(0, capacity, (8, 16)).astype(np.int32)
    index[0, :6] = [capacity, -1, capacity + 5, 3, 3, capacity - 1]
    gathered, after = guarded((8, 16), DTYPES["fp32"]), table.copy()
    getattr(build("rearrange"), name)(
        pointer(gathered), pointer(after), pointer(source), pointer(index), m, n, rows, cols
    )
    used = index[:1, :m] if coalesce == "row" else index[:m, :n]
    settings = {"coalesce": coalesce, "outside": outside}
    assert same(gathered[:m, :n].copy(), MEANINGS["MGATHER"](Shaped("fp32", m, n), table, used, **settings))
    how = {"skip": "none"}.get(combine, combine)
    assert same(after, MEANINGS["MSCATTER"](table, source[:m, :n], used, **settings, combine=how))


@agreement("TSORT32", "TMRGSORT")
@pytest.mark.parametrize("name", ["fp32", "fp16"])
def test_sorting(build: Build, name: str) -> None:
    rng = np.random.default_rng(4)
    dtype = DTYPES[name]
    source = rng.integers(-9, 9, (4, 64)).astype(dtype)
    source[0, :6] = [np.inf, -np.inf, 0.0, -0.0, 65504, np.nan]
    index = rng.integers(0, 2**32, (4, 64), dtype=np.uint32)
    per_pair = 8 // dtype.itemsize
    for rows, cols in [(4, 64), (3, 37), (1, 1), (0, 32)]:
        pairs = guarded((4, 64 * per_pair), dtype)
        getattr(build("rearrange"), f"sort_{name}")(pointer(pairs), pointer(source), pointer(index), rows, cols)
        want = MEANINGS["TSORT32"](Shaped(name, rows, cols * per_pair), source[:rows, :cols], index[:rows, :cols])
        got = np.ascontiguousarray(pairs[:rows, : cols * per_pair])
        assert np.array_equal(got.view(np.uint8), np.ascontiguousarray(want).view(np.uint8))


def sorted_pairs(rng: np.random.Generator, count: int) -> Array:
    data = rng.integers(-20, 20, count).astype(np.float32)
    ordered = data[np.argsort(-sort_keys(data), kind="stable")]
    return pairs_of(ordered, rng.integers(0, 2**32, count, dtype=np.uint32))


@agreement("TMRGSORT")
@pytest.mark.parametrize("exhausted", [False, True])
def test_merging(build: Build, exhausted: bool) -> None:
    rng = np.random.default_rng(5)
    source = np.concatenate([sorted_pairs(rng, 64) for _ in range(4)])
    blocks, lists = guarded((512,), DTYPES["fp32"]), guarded((256,), DTYPES["fp32"])
    taken = np.zeros(4, np.uint16)
    build("rearrange").merge(pointer(blocks), pointer(lists), pointer(taken), pointer(source), 64, int(exhausted))
    raw = np.uint32
    want = MEANINGS["TMRGSORT(pairs, a, block)"](Shaped("fp32", 1, 512), source.reshape(1, -1), 128)
    assert np.array_equal(blocks.view(raw), want.reshape(-1).view(raw))
    parts = (source[:48], source[128:208], source[256:272])
    merged, counts = MEANINGS["TMRGSORT"](Shaped("fp32", 1, 144), *parts, exhausted=exhausted)
    assert np.array_equal(lists.view(raw)[: merged.size], merged.reshape(-1).view(raw))
    assert tuple(taken[:3]) == counts


@agreement("TTOPK", "TBOTTOMK")
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "int32", "int16", "int8", "uint8", "uint16"])
def test_extremes(build: Build, name: str) -> None:
    """Few kinds of values, many rows that drop candidates: longer than 520, rising, falling, strided."""
    rng = np.random.default_rng(7)
    dtype = DTYPES[name]
    for n, k, stride in [
        (1, 1, 1),
        (17, 17, 1),
        (64, 3, 1),
        (520, 512, 1),
        (3000, 200, 1),
        (5003, 128, 1),
        (999, 129, 3),
    ]:
        whole = rng.integers(-100 if dtype.kind != "u" else 0, 100, n * stride).astype(dtype)
        if dtype.kind not in "iu":
            whole[:: max(n // 9, 1)] = np.nan
            whole[1 :: max(n // 7, 1)] = -np.inf
        for row in (whole, np.sort(whole), np.sort(whole)[::-1].copy(), np.zeros_like(whole)):
            for side, instruction in (("greatest", "TTOPK"), ("least", "TBOTTOMK")):
                found = guarded((512,), DTYPES["int32"])
                getattr(build("topk"), f"{side}_{name}")(pointer(found), pointer(row), n, k, stride)
                want = MEANINGS[instruction](Shaped("int32", 1, k), row[None, ::stride])
                assert np.array_equal(found[:k], want[0]), (side, n, k)


@agreement("TROWCUMSUM", "TROWCUMPROD")
@pytest.mark.parametrize("name", ["fp32", "int32", "uint32", "int64", "uint64"])
def test_running(build: Build, name: str) -> None:
    """Parts of eight rows and columns, whole numbers that wrap, and the next part of rows that go on."""
    rng = np.random.default_rng(8)
    a, start = values(rng, (20, 40), name), values(rng, (20, 8), name)
    if name == "fp32":
        a[:15] = rng.uniform(-1.5, 1.5, (15, 40))
    for rows, cols in [(20, 40), (8, 8), (13, 27), (1, 9), (3, 5), (1, 1), (0, 8), (8, 0)]:
        for kind, instruction in (("cumsum", "TROWCUMSUM"), ("cumprod", "TROWCUMPROD")):
            found = guarded((40, 40), DTYPES[name])
            getattr(build("running"), f"{kind}_{name}")(pointer(found), pointer(a), pointer(start), rows, cols)
            shape = Shaped(name, rows, cols)
            want = MEANINGS[instruction](shape, a[:rows, :cols], start[:rows, :3])
            if cols == 40:
                assert same(found[20 : 20 + rows], want), kind
                want = MEANINGS[instruction](shape, a[:rows], want[:, -8:])
            assert same(np.ascontiguousarray(found[:rows, :cols]), want), (kind, rows, cols)
            assert is_guard(found[rows:20]), "rows outside were written"
            assert is_guard(found[:rows, cols:]), "columns outside were written"


@agreement("THISTOGRAM")
def test_histogram(build: Build) -> None:
    rng = np.random.default_rng(6)
    narrow = rng.integers(0, 1024, (4, 64)).astype(np.uint16)
    wide = rng.integers(0, 2, (4, 64)) << 24 | rng.integers(0, 2, (4, 64)) << 16 | rng.integers(0, 65536, (4, 64))
    wide = wide.astype(np.uint32)
    filters, first = np.zeros((4, 64), np.uint8), np.zeros(32, np.uint8)
    filters[0, 0], filters[1, 0], first[:4] = 1, 1, [0, 1, 2, 9]
    high, low, third = (np.zeros((4, 256), np.uint32) for _ in range(3))
    build("rearrange").histogram(*(pointer(x) for x in (high, low, third, narrow, first, wide, filters)))
    shape, none = Shaped("uint32", 4, 256), np.zeros(4, np.int64)
    assert np.array_equal(high, MEANINGS["THISTOGRAM"](shape, narrow[:, :60], none, byte=1))
    assert np.array_equal(low, MEANINGS["THISTOGRAM"](shape, narrow[:, :60], first[:4], byte=0))
    prefix = np.full(4, 0x0101)
    assert np.array_equal(third, MEANINGS["THISTOGRAM"](shape, wide[:, :60], prefix, byte=1))


@agreement("TIMG2COL", "SETFMATRIX")
@pytest.mark.parametrize(("first_m", "first_k"), [(0, 0), (16, 224), (3, 8)])
def test_columns_of_a_convolution(build: Build, first_m: int, first_k: int) -> None:
    rng = np.random.default_rng(7)
    images = rng.integers(-99, 99, (2, 2, 5, 6, 16)).astype(np.float16)
    weights = rng.integers(-99, 99, (18, 2, 16, 16)).astype(np.float16)
    to, filters = np.zeros((32, 64), np.float16), np.zeros((64, 32), np.float16)
    build("rearrange").columns(pointer(to), pointer(images), pointer(filters), pointer(weights), first_m, first_k)
    conv = Convolution((3, 3), stride=(1, 2), padding=(1, 1, 1, 1))
    want = MEANINGS["TIMG2COL"](Shaped("fp16", 32, 64), images, first_m, first_k, conv, pad=-1)
    assert np.array_equal(to, want)
    assert MEANINGS["SETFMATRIX"](images) == ()


@agreement("TRANDOM")
@pytest.mark.parametrize("rounds", [7, 10])
def test_random_bits(build: Build, rounds: int) -> None:
    key, counter = (0x12345678, 0xFEDCBA98), 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF00
    parts = np.array([(counter >> (32 * i)) & 0xFFFFFFFF for i in range(4)], np.uint32)
    for rows, cols in [(4, 640), (2, 255), (1, 1), (0, 9)]:
        out = guarded((4, 640), np.dtype(np.uint32))
        build("generate").random_bits(
            rounds, pointer(out), pointer(np.array(key, np.uint32)), pointer(parts.copy()), rows, cols
        )
        want = MEANINGS["TRANDOM"](Shaped("uint32", rows, cols), key, counter, rounds, columns=640)
        assert np.array_equal(out[:rows, :cols], want)
