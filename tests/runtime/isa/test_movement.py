"""Loads, stores and moves between the memories and layouts of a core, with valid regions, and views of one buffer."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from .arrays import Array, guarded, is_guard, pointer, values
from .conftest import Build

F16, F32, I8, I32 = (np.dtype(d) for d in (np.float16, np.float32, np.int8, np.int32))


def longs(items: tuple[int, ...]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(items))(*items)


def ints(*items: int) -> ctypes.Array[ctypes.c_int]:
    return (ctypes.c_int * len(items))(*items)


def bits(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8)


def elements(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
    return values(rng, shape, {F16: "fp16", F32: "fp32", I8: "int8", I32: "int32"}[dtype])


def check_through(
    build: Build,
    name: str,
    dtype: np.dtype[np.generic],
    index: Array,
    shape: tuple[int, ...],
    stride: tuple[int, ...],
    valid: tuple[int, int] | None = None,
) -> None:
    """``index[r, c]`` says where in memory element (r, c) of the tile is, which is as large unless `valid` is given."""
    rng = np.random.default_rng(5)
    memory = elements(rng, (9000,), dtype)
    tile, out = guarded((64, 64), dtype), guarded((9000,), dtype)
    rows, cols = index.shape
    function = getattr(build("movement"), name)
    function(pointer(tile), pointer(out), pointer(memory), longs(shape), longs(stride), *(valid or index.shape))
    assert np.array_equal(bits(tile[:rows, :cols]), bits(memory[index]))
    assert is_guard(tile[rows:])
    assert is_guard(tile[:rows, cols:])
    assert np.array_equal(bits(out[index]), bits(memory[index]))
    rest = np.ones(out.size, bool)
    rest[index.reshape(-1)] = False
    assert is_guard(out[rest])


PLAIN = {
    "vec_nd_nd": F32, "vec_dn_dn": F32, "vec_nz_nd": F16, "mat_nd_nd": F32, "mat_nz_nd": F16, "mat_nz_dn": F16,
    "mat_zn_dn": I8, "mat_zn_nd": F32, "mat_zz_nd": F16, "acc_nd": F32,
}  # fmt: skip


@pytest.mark.parametrize("extent", [(64, 64), (64, 33), (17, 64), (5, 7), (1, 1), (0, 8), (8, 0)])
@pytest.mark.parametrize("name", list(PLAIN))
def test_plain_memory(build: Build, name: str, extent: tuple[int, int]) -> None:
    rows, cols = extent
    r, c = np.arange(rows)[:, None], np.arange(cols)[None, :]
    across = name.endswith("_dn")
    stride = (0, 0, 0, 1, 70) if across else (0, 0, 0, 70, 1)
    index = r + 70 * c if across else 70 * r + c
    check_through(build, name, PLAIN[name], index, (1, 1, 1, rows, cols), stride)


@pytest.mark.parametrize("name", list(PLAIN))
def test_no_transfer_leaves_its_tensor(build: Build, name: str) -> None:
    """The valid region is 64 x 64; the tensor ends before, in rows, in columns or in both."""
    across = name.endswith("_dn")
    for rows, cols in [(64, 64), (40, 64), (64, 33), (17, 5), (1, 1)]:
        r, c = np.arange(rows)[:, None], np.arange(cols)[None, :]
        index, stride = (r + 70 * c, (0, 0, 0, 1, 70)) if across else (70 * r + c, (0, 0, 0, 70, 1))
        check_through(build, name, PLAIN[name], index, (1, 1, 1, rows, cols), stride, (64, 64))


@pytest.mark.parametrize("name", ["mat_nz_nz", "acc_nz"])
def test_no_transfer_leaves_its_boxes(build: Build, name: str) -> None:
    r, c = np.arange(32)[:, None], np.arange(24)[None, :]
    index = c // 8 * 300 + r // 16 * 128 + r % 16 * 8 + c % 8
    check_through(build, name, F32, index, (1, 3, 2, 16, 8), (0, 300, 128, 8, 1), (60, 50))


def test_no_transfer_leaves_its_repeated_rows(build: Build) -> None:
    r, c = np.arange(24)[:, None], np.arange(20)[None, :]
    index = r // 12 * 4000 + r // 4 % 3 * 500 + r % 4 * 40 + c
    check_through(build, "mat_nz_nd", F16, index, (2, 1, 3, 4, 20), (4000, 7, 500, 40, 1), (64, 64))


def test_no_transfer_leaves_its_channels(build: Build) -> None:
    r, c = np.arange(2 * 3 * 5)[:, None], np.arange(24)[None, :]
    index = r // 15 * 1000 + c // 8 * 300 + r // 5 % 3 * 50 + r % 5 * 8 + c % 8
    check_through(build, "acc_nc1hwc0", I32, index, (2, 3, 3, 5, 8), (1000, 300, 50, 8, 1), (64, 64))


@pytest.mark.parametrize("name", ["mat_nz_nd", "acc_nd", "vec_nd_nd"])
def test_outer_dimensions_repeat_rows(build: Build, name: str) -> None:
    r, c = np.arange(24)[:, None], np.arange(20)[None, :]
    index = r // 12 * 4000 + r // 4 % 3 * 500 + r % 4 * 40 + c
    check_through(build, name, PLAIN[name], index, (2, 1, 3, 4, 20), (4000, 7, 500, 40, 1))


@pytest.mark.parametrize("extent", [(64, 64), (30, 64), (3, 50)])
@pytest.mark.parametrize(("name", "dtype"), [("vec_nz_nz", I8), ("mat_nz_nz", F32), ("acc_nz", F32)])
def test_fractal_memory(build: Build, name: str, dtype: np.dtype[np.generic], extent: tuple[int, int]) -> None:
    width = 32 // dtype.itemsize
    rows, cols = extent
    r, c = np.arange(rows)[:, None], np.arange(cols)[None, :]
    panel = 16 * width * 4 + 8
    index = c // width * panel + r // 16 * (16 * width) + r % 16 * width + c % width
    panels = -(-cols // width)
    check_through(build, name, dtype, index, (1, panels, 4, 16, width), (0, panel, 16 * width, width, 1))


def test_channels_in_blocks(build: Build) -> None:
    """NC1HWC0: rows are (N, H, W), columns are (C1, C0)."""
    r, c = np.arange(2 * 3 * 5)[:, None], np.arange(24)[None, :]
    index = r // 15 * 1000 + c // 8 * 300 + r // 5 % 3 * 50 + r % 5 * 8 + c % 8
    check_through(build, "acc_nc1hwc0", I32, index, (2, 3, 3, 5, 8), (1000, 300, 50, 8, 1))


@pytest.mark.parametrize(("name", "dtype", "c0"), [("int32", I32, 16), ("fp32", F32, 8)])
def test_channels_of_volumes(build: Build, name: str, dtype: np.dtype[np.generic], c0: int) -> None:
    """NDC1HWC0: rows are (N, H, W), columns are (D, C1, C0); A2/A3 stores 16 channels of int32 side by side."""
    n, d, c1, h, w = 2, 2, 2, 3, 4
    r, c = np.arange(n * h * w)[:, None], np.arange(d * c1 * c0)[None, :]
    index = r // 12 * 4000 + c // (c1 * c0) * 1500 + c // c0 % c1 * 500 + r // w % h * 100 + r % w * c0 + c % c0
    check_through(build, f"acc_ndc1hwc0_{name}", dtype, index, (n, d, c1, h, w), (4000, 1500, 500, 100, c0))


@pytest.mark.parametrize(("groups", "cols"), [(8, 64), (4, 48), (2, 16)])
def test_scales_of_groups_of_rows(build: Build, groups: int, cols: int) -> None:
    """The transpose of the scales, in boxes of 16 x 2 row after row."""
    scales = np.random.default_rng(2).integers(0, 255, (8, 64)).astype(np.uint8)
    to = guarded((64 * 8,), np.dtype(np.uint8))
    build("movement").scales_of_rows(pointer(to), pointer(scales), groups, cols)
    fractals = scales[:groups, :cols].T.reshape(cols // 16, 16, groups // 2, 2).transpose(0, 2, 1, 3)
    assert np.array_equal(to[: groups * cols], fractals.ravel())
    assert is_guard(to[groups * cols :])


EXTRACTS = {
    **dict.fromkeys(["left_nz", "left_zn", "left_nd", "left_dn", "left_vec"], ((48, 80), F16, (64, 96), F16)),
    **dict.fromkeys(["right_nz", "right_zn", "right_nd", "right_dn"], ((48, 80), F16, (64, 96), F16)),
    "left_int8": ((48, 96), I8, (64, 96), I8),
    **dict.fromkeys(["right_int8_nz", "right_int8_zn"], ((64, 80), I8, (64, 96), I8)),
    **dict.fromkeys(["vec_acc", "vec_acc_dn", "vec_acc_nz"], ((48, 80), F16, (64, 96), F32)),
    **dict.fromkeys(["vec_vec", "nz_vec"], ((48, 80), F16, (64, 96), F16)),
}


@pytest.mark.parametrize("name", list(EXTRACTS))
def test_extract(build: Build, name: str) -> None:
    (rows, cols), to_type, source_shape, from_type = EXTRACTS[name]
    rng = np.random.default_rng(7)
    for m, n, row, col in [(rows, cols, 16, 0), (rows, cols, 0, 16), (17, 33, 16, 32), (5, 40, 3, 9), (1, 1, 63, 95)]:
        height, width = min(m, source_shape[0] - row), min(n, source_shape[1] - col)
        source = elements(rng, source_shape, from_type)
        to = guarded((rows, cols), to_type)
        at = ints(*source_shape, height, width, row, col)
        getattr(build("movement"), name)(pointer(to), pointer(source), at, 0)
        with np.errstate(over="ignore"):
            expected = source[row : row + height, col : col + width].astype(to_type)
        got = to[:height, :width]
        assert np.array_equal(got, expected, equal_nan=to_type.kind == "f"), (m, n, row, col)
        if name.startswith("left"):  # K is padded with zeros up to the step of the matrix unit
            step = -(-width * to_type.itemsize // 64) * 64 // to_type.itemsize
            assert not bits(to[:height, width:step]).any()
            assert is_guard(to[height:])
        elif name.startswith("right"):
            step = -(-height * to_type.itemsize // 64) * 64 // to_type.itemsize
            assert not bits(to[height:step, :width]).any()
        else:
            assert is_guard(to[height:])
            assert is_guard(to[:height, width:])


@pytest.mark.parametrize(("name", "from_type"), [("mat_from_acc", F32), ("mat_from_vec", F16), ("wide_from_vec", F16)])
def test_insert(build: Build, name: str, from_type: np.dtype[np.generic]) -> None:
    rng = np.random.default_rng(8)
    for m, n, row, col in [(48, 80, 16, 16), (7, 19, 5, 33), (1, 80, 63, 0), (0, 5, 1, 1)]:
        source, to = elements(rng, (48, 80), from_type), guarded((64, 96), F16)
        getattr(build("movement"), name)(pointer(to), pointer(source), ints(m, n, 64, 96, row, col), 1)
        with np.errstate(over="ignore"):
            expected = source[:m, :n].astype(np.float16)
        assert np.array_equal(to[row : row + m, col : col + n], expected, equal_nan=True)
        outside = np.ones((64, 96), bool)
        outside[row : row + m, col : col + n] = False
        assert is_guard(to[outside])


def word(factor: float, offset: int, signed: bool) -> int:
    return int(np.float32(factor).view(np.uint32)) | offset << 37 | int(signed) << 46


def test_quantised_moves(build: Build) -> None:
    rng = np.random.default_rng(9)
    source = (rng.standard_normal((16, 32)) * 60).astype(np.float32)
    source[0, :8] = [0.5, 1.5, 2.5, -0.5, -1.5, np.inf, -np.inf, np.nan]
    factors = rng.uniform(0.1, 3, 32).astype(np.float32)
    offsets = rng.integers(0, 60, 32)
    factors[0], offsets[0] = 1.0, 0
    words = np.array([word(f, int(o), True) for f, o in zip(factors, offsets, strict=True)], np.uint64)
    by_word, by_column = np.zeros((16, 32), np.int8), np.zeros((16, 32), np.int8)
    relu = np.zeros((16, 32), np.float16)
    build("movement").quantised(pointer(by_word), pointer(by_column), pointer(relu), pointer(source), pointer(words))
    number = np.nan_to_num(source, nan=0.0, posinf=1e9, neginf=-1e9)
    assert np.array_equal(by_word, np.clip(np.rint(number), -128, 127).astype(np.int8))
    short = (factors.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        scaled = np.clip(np.rint(source * short), -256, 255) + offsets.astype(np.float32)
        column = np.clip(np.rint(np.nan_to_num(scaled, nan=0.0, posinf=1e9, neginf=-1e9)), -128, 127)
        expected = np.where(source > 0, source, 0).astype(np.float16)
    assert np.array_equal(by_column, np.maximum(column, 0).astype(np.int8))
    assert np.array_equal(relu, expected)


@pytest.mark.parametrize("by_columns", [0, 1])
def test_halves_of_an_accumulator(build: Build, by_columns: int) -> None:
    source = np.arange(1024, dtype=np.float32).reshape(32, 32)
    halves = np.zeros((2, 512), np.float32)
    build("movement").split(pointer(halves), pointer(source), by_columns)
    parts = [source[:, :16], source[:, 16:]] if by_columns else [source[:16], source[16:]]
    assert all(np.array_equal(halves[i], parts[i].reshape(-1)) for i in range(2))


def test_two_regions_at_once(build: Build) -> None:
    source = np.arange(32 * 64, dtype=np.float16).reshape(32, 64)
    first, second = np.zeros((16, 32), np.float16), guarded((16, 16), F16)
    build("movement").two_regions(pointer(first), pointer(second), pointer(source))
    assert np.array_equal(first, source[3:19, 5:37])
    assert np.array_equal(second[:7, :9], source[20:27, 17:26])
    assert is_guard(second[7:])
    assert is_guard(second[:7, 9:])


def test_addition_in_memory(build: Build) -> None:
    rng = np.random.default_rng(11)
    source = (rng.integers(-40, 40, (8, 16)) / 4).astype(np.float32)
    to, narrow, whole = np.ones((8, 16), np.float32), np.ones((8, 16), np.float16), np.ones((8, 16), np.int32)
    build("movement").add_to_memory(pointer(to), pointer(narrow), pointer(whole), pointer(source), 3)
    added = np.zeros((8, 16), np.float32)
    added[:5, :11] = 3 * source[:5, :11]
    assert np.array_equal(to, 1 + added)
    assert np.array_equal(narrow, (1 + added).astype(np.float16))
    assert np.array_equal(whole, 1 + 3 * np.maximum(np.where(added != 0, source, 0).astype(np.int32), 0))


def test_views_of_one_buffer(build: Build) -> None:
    source = np.arange(1024, dtype=np.float16).reshape(32, 32)
    wide = np.arange(2048, dtype=np.float16).reshape(32, 64)
    reshaped, acc_view = np.zeros((64, 16), np.float16), np.zeros((64, 16), np.float16)
    boxed, sub = np.zeros((32, 32), np.float16), np.zeros(513, np.float16)
    build("movement").views(
        pointer(reshaped), pointer(boxed), pointer(sub), pointer(acc_view), pointer(source), pointer(wide)
    )
    in_fractals = source.reshape(32, 2, 16).transpose(1, 0, 2)  # two panels of 32 rows of 16 elements
    assert np.array_equal(boxed.reshape(-1), in_fractals.reshape(-1))
    assert np.array_equal(reshaped, in_fractals.reshape(64, 16))
    assert np.array_equal(acc_view, in_fractals.reshape(64, 16))
    expected = wide[16:32, 32:64].copy()
    expected[0, 0] = -7
    assert np.array_equal(sub[:512].reshape(16, 32), expected)
    assert sub[512] == -7
