"""Padding, transposition, concatenation, gathering, scattering, sorting, histograms and convolution operands."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from .arrays import DTYPES, Array, guarded, is_guard, pointer, values
from .conftest import Build

EXTENTS = [(8, 32), (7, 31), (5, 8), (1, 1), (0, 5), (3, 0)]


def bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8)


@pytest.mark.parametrize("form", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "dtype", "fill"), [("max_fp32", "fp32", np.inf), ("min_int8", "int8", -128), ("custom_fp16", "fp16", -1.5)]
)
def test_fill_pad(build: Build, name: str, dtype: str, fill: float, form: int) -> None:
    rng = np.random.default_rng(1)
    for rows, cols in EXTENTS:
        source = values(rng, (8, 32), dtype)
        to = guarded((16, 64) if form == 2 else (8, 32), DTYPES[dtype])
        getattr(build("rearrange"), f"pad_{name}")(pointer(to), pointer(source), rows, cols, form)
        expected = np.full(to.shape, fill, DTYPES[dtype])
        expected[:rows, :cols] = source[:rows, :cols]
        assert np.array_equal(bits(to), bits(expected)), (rows, cols)


@pytest.mark.parametrize(("name", "kind"), [("fp32", ctypes.c_float), ("int8", ctypes.c_int)])
def test_expands_fills_whole_tiles_in_l1(build: Build, name: str, kind: Callable[[int], object]) -> None:
    """A Mat tile of which a part is valid, and one image of a ConvTile that has room for two."""
    to = guarded((32, 64), DTYPES[name])
    image = np.arange(256 // to.itemsize).astype(to.dtype)
    getattr(build("rearrange"), f"expand_in_l1_{name}")(pointer(to), pointer(image), kind(-3))
    assert (to == -3).all()
    half = image.size // 2
    assert (image[:half] == -3).all()
    assert np.array_equal(image[half:], np.arange(half, 2 * half).astype(to.dtype))


def test_pad_value_of_a_load(build: Build) -> None:
    """A load fills the last 32 bytes of each valid line, and nothing beyond."""
    memory = np.arange(400, dtype=np.float32)
    tile = guarded((8, 32), DTYPES["fp32"])
    build("rearrange").pad_on_load(pointer(tile), pointer(memory), 5, 19)
    assert np.array_equal(tile[:5, :19], memory.reshape(10, 40)[:5, :19])
    assert (tile[:5, 19:24] == -np.inf).all()
    assert is_guard(tile[:5, 24:])
    assert is_guard(tile[5:])


@pytest.mark.parametrize("name", ["fp32", "int8", "bf16"])
def test_transpose(build: Build, name: str) -> None:
    rng = np.random.default_rng(2)
    for rows, cols in [(64, 96), (63, 95), (17, 5), (1, 96), (0, 4)]:
        source, to = values(rng, (64, 96), name), guarded((96, 64), DTYPES[name])
        getattr(build("rearrange"), f"transpose_{name}")(pointer(to), pointer(source), rows, cols)
        assert np.array_equal(bits(to[:cols, :rows]), bits(source[:rows, :cols].T))
        assert is_guard(to[cols:])
        assert is_guard(to[:cols, rows:])


@pytest.mark.parametrize("form", [0, 1, 2])
def test_concat(build: Build, form: int) -> None:
    rng = np.random.default_rng(3)
    a, b = (rng.standard_normal((8, 16)).astype(np.float32) for _ in range(2))
    to, total = guarded((8, 24), DTYPES["fp32"]), guarded((8, 8), DTYPES["int32"])
    counts = [np.zeros((8, 8), np.int32) for _ in range(2)]
    counts[0][:, 0] = 4 * np.array([13, 0, 5, 13, 1, 9, 24, 30])
    counts[1][:, 0] = 4 * np.array([11, 3, 0, 0, 11, 9, 4, 4])
    build("rearrange").concat(
        pointer(to), pointer(total), pointer(a), pointer(b), pointer(counts[0]), pointer(counts[1]), 6, form
    )
    for r in range(6):
        n_a, n_b = (13, 11) if form == 0 else (int(counts[0][r, 0]) // 4, int(counts[1][r, 0]) // 4)
        assert np.array_equal(to[r, :n_a], a[r, :n_a])
        assert np.array_equal(to[r, n_a : n_a + n_b], b[r, :n_b])
        assert is_guard(to[r, n_a + n_b :])
        assert form != 2 or total[r, 0] == 4 * (n_a + n_b)
    assert is_guard(to[6:])
    assert is_guard(total[6:])
    assert is_guard(total[:, 1:])
    assert form == 2 or is_guard(total)


def test_indexed_concat_keeps_to_the_valid_columns(build: Build) -> None:
    a, b = np.zeros((8, 16), np.float32), np.ones((8, 16), np.float32)
    to, total = guarded((8, 24), DTYPES["fp32"]), guarded((8, 8), DTYPES["int32"])
    counts = np.full((8, 8), 4 * 16, np.int32)
    build("rearrange").concat(
        pointer(to), pointer(total), pointer(a), pointer(b), pointer(counts), pointer(counts), 8, 2
    )
    assert (to[:, :16] == 0).all()
    assert (to[:, 16:] == 1).all()
    assert (total[:, 0] == 4 * 24).all()


def test_interleave_and_back(build: Build) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-9999, 9999, (4, 32)).astype(np.int16) for _ in range(2))
    high, low, odd, even = (guarded((4, 32), DTYPES["int16"]) for _ in range(4))
    build("rearrange").interleave(*(pointer(x) for x in (high, low, odd, even, b, a)))
    both = np.stack([a[:3, :20], b[:3, :20]], axis=2).reshape(3, 40)
    assert np.array_equal(low[:3, :20], both[:, :20])
    assert np.array_equal(high[:3, :20], both[:, 20:])
    assert np.array_equal(even[:3, :20], a[:3, :20])
    assert np.array_equal(odd[:3, :20], b[:3, :20])
    assert is_guard(low[3:])
    assert is_guard(high[:, 20:])


PATTERNS = {"P0101": (2, 0), "P1010": (2, 1), "P0001": (4, 0), "P0010": (4, 1), "P0100": (4, 2), "P1000": (4, 3),
            "P1111": (1, 0)}  # fmt: skip


@pytest.mark.parametrize("name", list(PATTERNS))
def test_patterns(build: Build, name: str) -> None:
    period, first = PATTERNS[name]
    source = np.arange(1, 257, dtype=np.float32).reshape(8, 32)
    for rows, cols in [(8, 32), (6, 13), (1, 1), (0, 3)]:
        gathered, chosen = guarded((8, 32), DTYPES["fp32"]), guarded((8, 32), DTYPES["fp32"])
        scattered = guarded((8, 128), DTYPES["fp32"])
        function = getattr(build("rearrange"), f"pattern_{name}")
        function(pointer(gathered), pointer(chosen), pointer(scattered), pointer(source), rows, cols)
        flat = source[:rows, first:cols:period].reshape(-1)
        assert np.array_equal(gathered.reshape(-1)[: flat.size], flat)
        assert is_guard(gathered.reshape(-1)[flat.size :])
        lines = source[first:rows:period, :cols]
        assert np.array_equal(chosen[: len(lines), :cols], lines)
        assert is_guard(chosen[len(lines) :])
        assert is_guard(chosen[:, cols:])
        spread = np.zeros((rows, cols * period), np.float32)
        spread[:, first::period] = source[:rows, :cols]
        assert np.array_equal(scattered[:rows, : cols * period], spread)
        assert is_guard(scattered[rows:])
        assert is_guard(scattered[:, cols * period :])


def test_gather_by_index(build: Build) -> None:
    rng = np.random.default_rng(5)
    source = values(rng, (8, 32), "fp16")
    index = rng.integers(0, 256, (8, 32)).astype(np.int32)
    index[0, :3] = [-1, 256, 255]
    to = guarded((8, 32), DTYPES["fp16"])
    build("rearrange").gather_index(pointer(to), pointer(source), pointer(index), 7, 29)
    inside = (index >= 0) & (index < 256)
    expected = np.where(inside, source.reshape(-1)[np.clip(index, 0, 255)], np.float16(0))
    assert np.array_equal(to[:7, :29], expected[:7, :29], equal_nan=True)
    assert is_guard(to[7:])
    assert is_guard(to[:, 29:])


def test_gather_of_matches(build: Build) -> None:
    rng = np.random.default_rng(6)
    source = rng.integers(-9, 9, (8, 32)).astype(np.float32)
    source[2, 5] = np.nan
    value = np.array([[0, 3, -20, 20, 8, 1, 2, 0]], np.int32)
    to, counts = guarded((8, 32), DTYPES["int32"]), guarded((1, 8), DTYPES["int32"])
    build("rearrange").gather_matches(pointer(to), pointer(counts), pointer(source), pointer(value), 6, 27)
    for r in range(6):
        found = np.flatnonzero(source[r, :27] > value[0, r]) + 100 + 32 * r
        assert counts[0, r] == found.size
        assert np.array_equal(to[r, : found.size], found)
        assert is_guard(to[r, found.size :])
    assert is_guard(counts[:, 6:])


def test_gather_of_blocks(build: Build) -> None:
    source = np.arange(128, dtype=np.float32).reshape(4, 32)
    offset = np.zeros((4, 8), np.uint32)
    offset[:3, :4] = [[0, 32, 480, 4], [8, 480, 64, 12], [481, 512, 4000000000, 0]]
    to = guarded((4, 32), DTYPES["fp32"])
    build("rearrange").gather_blocks(pointer(to), pointer(source), pointer(offset), 3, 32)
    for r in range(3):
        for b in range(4):
            at = int(offset[r, b])
            block = bits(source).reshape(-1)[at : at + 32]
            got = to[r, 8 * b : 8 * b + 8]
            assert is_guard(got) if at > 480 else np.array_equal(bits(got), block), (r, b)
    assert is_guard(to[3:])


def test_scatter_by_index(build: Build) -> None:
    rng = np.random.default_rng(7)
    source = values(rng, (8, 32), "fp32")
    index = rng.integers(0, 200, (8, 32)).astype(np.int32)
    index[0, :4] = [-1, 256, 6 * 32 + 3, 6 * 32 + 3]
    to = guarded((8, 32), DTYPES["fp32"])
    build("rearrange").scatter_index(pointer(to), pointer(source), pointer(index), 3, 9)
    expected = guarded((8, 32), DTYPES["fp32"])
    expected[:7, :30] = 0
    for r in range(3):
        for c in range(9):
            if 0 <= index[r, c] < 256:
                expected.reshape(-1)[index[r, c]] = source[r, c]
    assert np.array_equal(bits(to), bits(expected))


def table_index(index: int, capacity: int, rule: str) -> int | None:
    if rule == "clamp":
        return index if 0 <= index < capacity else capacity - 1
    if rule == "wrap":
        return (index % 2**32) % capacity
    return index if 0 <= index < capacity else None


@pytest.mark.parametrize("name", ["row_zero_skip", "row_clamp_add", "elem_wrap_max", "elem_zero_min"])
def test_global_memory_by_index(build: Build, name: str) -> None:
    mode, rule, last = name.split("_")
    rng = np.random.default_rng(8)
    rows, cols, m, n = 10, 13, 7, 13
    table = (rng.integers(-90, 90, (rows, cols)) / 2).astype(np.float32)
    source = (rng.integers(-90, 90, (8, 16)) / 2).astype(np.float32)
    capacity = rows if mode == "row" else rows * cols
    index = rng.integers(0, capacity, (8, 16)).astype(np.int32)
    index[0, :6] = [capacity, -1, capacity + 5, 3, 3, capacity - 1]
    gathered, after = guarded((8, 16), DTYPES["fp32"]), table.copy()
    getattr(build("rearrange"), name)(
        pointer(gathered), pointer(after), pointer(source), pointer(index), m, n, rows, cols
    )
    fetched, expected = np.zeros((m, n), np.float32), table.copy()
    combine: dict[str, Callable[[float, float], float]] = {
        "skip": lambda old, new: new, "add": lambda old, new: old + new, "max": max, "min": min
    }  # fmt: skip
    for r in range(m):
        for c in range(n):
            at = table_index(int(index[0, r] if mode == "row" else index[r, c]), capacity, rule)
            if at is not None:
                place = at * cols + c if mode == "row" else at
                fetched[r, c] = table.reshape(-1)[place]
                expected.reshape(-1)[place] = combine[last](expected.reshape(-1)[place], source[r, c])
    assert np.array_equal(gathered[:m, :n], fetched)
    assert is_guard(gathered[m:])
    assert is_guard(gathered[:, n:])
    assert np.array_equal(after, expected)


@pytest.mark.parametrize("name", ["fp32", "fp16"])
def test_sort_of_32(build: Build, name: str) -> None:
    rng = np.random.default_rng(9)
    dtype = DTYPES[name]
    source = rng.integers(-9, 9, (4, 64)).astype(dtype)
    source[0, :5] = [np.inf, -np.inf, 0.0, -0.0, 65504]
    index = rng.integers(0, 2**32, (4, 64), dtype=np.uint32)
    per_pair = 8 // dtype.itemsize
    for rows, cols in [(4, 64), (3, 37), (1, 1), (0, 32)]:
        pairs = guarded((4, 64 * per_pair), dtype)
        getattr(build("rearrange"), f"sort_{name}")(pointer(pairs), pointer(source), pointer(index), rows, cols)
        for r in range(rows):
            for first in range(0, cols, 32):
                last = min(first + 32, cols)
                order = np.argsort(-source[r, first:last].astype(np.float64), kind="stable") + first
                got = pairs[r, first * per_pair : last * per_pair].reshape(-1, per_pair)
                assert np.array_equal(got[:, 0], source[r, order])
                words = bits(got).reshape(-1, 8)
                assert np.array_equal(words[:, 4:].copy().view(np.uint32)[:, 0], index[r, order])
                assert not words[:, dtype.itemsize : 4].any()
        assert is_guard(pairs[rows:])
        assert is_guard(pairs[:, cols * per_pair :])


def sorted_pairs(rng: np.random.Generator, count: int) -> Array:
    pairs = np.zeros((count, 2), np.float32)
    pairs[:, 0] = -np.sort(-rng.integers(-20, 20, count).astype(np.float32))
    pairs[:, 1] = rng.integers(0, 2**31, count, dtype=np.uint32).view(np.float32)
    return pairs


def merged(lists: list[Array], exhausted: bool) -> tuple[Array, list[int]]:
    taken, out = [0] * len(lists), []
    while any(taken[i] < len(x) for i, x in enumerate(lists)):
        heads = [x[taken[i], 0] if taken[i] < len(x) else -np.inf for i, x in enumerate(lists)]
        best = int(np.argmax(heads))
        out.append(lists[best][taken[best]])
        taken[best] += 1
        if exhausted and taken[best] == len(lists[best]):
            break
    return np.array(out), taken


@pytest.mark.parametrize("exhausted", [False, True])
def test_merge_of_sorted_lists(build: Build, exhausted: bool) -> None:
    rng = np.random.default_rng(10)
    source = np.concatenate([sorted_pairs(rng, 64) for _ in range(4)])
    blocks, lists = guarded((256, 2), DTYPES["fp32"]), guarded((128, 2), DTYPES["fp32"])
    taken = np.zeros(4, np.uint16)
    build("rearrange").merge(pointer(blocks), pointer(lists), pointer(taken), pointer(source), 64, int(exhausted))
    expected, _ = merged([source[64 * i : 64 * i + 64] for i in range(4)], False)
    assert np.array_equal(bits(blocks), bits(expected))
    expected, counts = merged([source[:24], source[64:104], source[128:136]], exhausted)
    assert np.array_equal(bits(lists[: len(expected)]), bits(expected))
    assert is_guard(lists[len(expected) :])
    assert list(taken) == [*counts, 0]


def test_histogram(build: Build) -> None:
    rng = np.random.default_rng(11)
    narrow = rng.integers(0, 1024, (4, 64)).astype(np.uint16)
    wide = rng.integers(0, 2, (4, 64)) << 24 | rng.integers(0, 2, (4, 64)) << 16 | rng.integers(0, 65536, (4, 64))
    wide = wide.astype(np.uint32)
    filters, first = np.zeros((4, 64), np.uint8), np.zeros(32, np.uint8)
    filters[0, 0], filters[1, 0], first[:4] = 1, 1, [0, 1, 2, 9]
    high, low, third = (np.zeros((4, 256), np.uint32) for _ in range(3))
    build("rearrange").histogram(*(pointer(x) for x in (high, low, third, narrow, first, wide, filters)))
    for r in range(4):
        row, long = narrow[r, :60], wide[r, :60]
        assert np.array_equal(high[r], np.cumsum(np.bincount(row >> 8, minlength=256)))
        chosen = row[row >> 8 == first[r]] & 255
        assert np.array_equal(low[r], np.cumsum(np.bincount(chosen, minlength=256)))
        chosen = (long[long >> 16 == 0x0101] >> 8) & 255
        assert np.array_equal(third[r], np.cumsum(np.bincount(chosen, minlength=256)))


def test_convolution_operands(build: Build) -> None:
    rng = np.random.default_rng(12)
    images = rng.integers(-99, 99, (2, 2, 5, 6, 16)).astype(np.float16)
    padded = np.full((2, 2, 7, 8, 16), -1, np.float16)
    padded[:, :, 1:6, 1:7] = images
    windows = np.stack(
        [padded[:, :, y : y + 5, x : x + 5 : 2] for y in range(3) for x in range(3)], axis=2
    )  # n, c1, tap, y, x, c0
    matrix = windows.transpose(0, 3, 4, 1, 2, 5).reshape(2 * 5 * 3, 2 * 9 * 16)
    weights = rng.integers(-99, 99, (18, 2, 16, 16)).astype(np.float16)
    for first_m, first_k in [(0, 0), (16, 224), (3, 8)]:
        to, filters = np.zeros((32, 64), np.float16), np.zeros((64, 32), np.float16)
        build("rearrange").columns(pointer(to), pointer(images), pointer(filters), pointer(weights), first_m, first_k)
        part = matrix[first_m : first_m + 32, first_k : first_k + 64]
        assert np.array_equal(to[: part.shape[0], : part.shape[1]], part), (first_m, first_k)
        assert (to[part.shape[0] :] == -1).all()
        whole = weights.reshape(18, 32, 16).transpose(0, 2, 1).reshape(288, 32)
        assert np.array_equal(filters, whole[32:96])


def test_convolution_tiles_keep_to_their_tensor(build: Build) -> None:
    source = np.arange(512, dtype=np.float32)
    tile, filters = np.full((2, 3, 4, 8), -1, np.float32), np.full(512, -1, np.float32)
    stored = np.full(256, -1, np.float32)
    build("rearrange").common_part(*(pointer(x) for x in (tile, filters, stored, source)))
    want = np.full_like(tile, -1)
    want[0, :2, :3] = source[:48].reshape(2, 3, 8)
    assert np.array_equal(tile, want)
    assert np.array_equal(filters, np.where(np.arange(512) < 384, source, -1))
    assert np.array_equal(stored, np.where(np.arange(256) < 48, source[:256], -1))


def test_filters_that_lie_in_one_piece(build: Build) -> None:
    """The lines of the tensor fill the tile one after the other, as a2a3's bursts do."""
    source = np.arange(1, 769, dtype=np.float32)
    whole, cut = np.full(768, -1, np.float32), np.full(512, -1, np.float32)
    build("rearrange").filter_of_pixels(pointer(whole), pointer(cut), pointer(source))
    assert np.array_equal(whole, source)
    assert np.array_equal(cut, source[:512])


def test_channel_blocks(build: Build) -> None:
    images = np.arange(1, 121, dtype=np.float32).reshape(3, 10, 2, 2)
    split, fractal = np.zeros((3, 2, 2, 2, 8), np.float32), np.zeros((2, 2, 2, 1, 16, 8), np.float32)
    back = np.zeros((3, 10, 2, 2), np.float32)
    build("rearrange").channel_blocks(pointer(split), pointer(back), pointer(fractal), pointer(images))
    whole = np.zeros((3, 16, 2, 2), np.float32)
    whole[:, :10] = images
    expected = whole.reshape(3, 2, 8, 2, 2).transpose(0, 1, 3, 4, 2)
    assert np.array_equal(split, expected)
    assert np.array_equal(back, images)
    assert np.array_equal(fractal[:, :, :, 0, :3], expected.transpose(1, 2, 3, 0, 4))
    assert not fractal[..., 3:, :].any()
