"""TLOAD and TSTORE of vector tiles, aliased tiles, views, scalar access, and the memories of a core."""

from __future__ import annotations

import ctypes
import mmap
import threading

import numpy as np
import pytest

from .arrays import BF16, DTYPES, Array, guarded, is_guard, pointer, values
from .conftest import Build
from .reading import read

TYPES = ["fp32", "bf16", "int8", "int64"]


def longs(items: tuple[int, ...]) -> ctypes.Array[ctypes.c_int64]:
    return (ctypes.c_int64 * len(items))(*items)


def raw(array: Array) -> Array:
    return np.ascontiguousarray(array).view(np.uint8)


@pytest.mark.parametrize("layout", ["nd", "dn"])
@pytest.mark.parametrize("name", TYPES)
def test_two_dimensions(build: Build, name: str, layout: str) -> None:
    rng = np.random.default_rng(1)
    for rows, cols, pitch in [(32, 64, 64), (7, 64, 64), (5, 13, 70), (1, 1, 64), (32, 33, 100), (31, 7, 40)]:
        memory = values(rng, (40, 128) if layout == "nd" else (64, 128), name)
        tile = guarded((32, 64) if layout == "nd" else (64, 32), DTYPES[name])
        out = guarded(memory.shape, DTYPES[name])
        stride = (0, 0, 0, pitch, 1) if layout == "nd" else (0, 0, 0, 1, pitch)
        function = getattr(build("memory"), f"{layout}_{name}")
        function(pointer(tile), pointer(out), pointer(memory), longs((1, 1, 1, rows, cols)), longs(stride), rows, cols)
        lines, length = (rows, cols) if layout == "nd" else (cols, rows)
        index = np.arange(lines)[:, None] * pitch + np.arange(length)[None, :]
        assert np.array_equal(raw(tile[:lines, :length]), raw(memory.reshape(-1)[index]))
        assert is_guard(tile[lines:])
        assert is_guard(tile[:lines, length:])
        assert np.array_equal(raw(out.reshape(-1)[index]), raw(memory.reshape(-1)[index]))
        rest = np.ones(out.size, bool)
        rest[index.reshape(-1)] = False
        assert is_guard(out.reshape(-1)[rest])


@pytest.mark.parametrize("layout", ["nd", "dn"])
def test_five_dimensions(build: Build, layout: str) -> None:
    """Dimensions 0 to 2 repeat the rows of a row-major tile, the columns of a column-major one."""
    memory = np.arange(20000, dtype=np.float32)
    shape, stride = (2, 1, 3, 4, 5), (5000, 1, 700, 60, 1) if layout == "nd" else (5000, 1, 700, 1, 60)
    index = np.zeros(shape, np.int64)
    for dim in range(5):
        index += np.arange(shape[dim]).reshape([-1 if axis == dim else 1 for axis in range(5)]) * stride[dim]
    rows, cols = (24, 5) if layout == "nd" else (4, 30)
    tile = guarded((32, 64) if layout == "nd" else (64, 32), DTYPES["fp32"])
    out = guarded((20000,), DTYPES["fp32"])
    function = getattr(build("memory"), f"{layout}_fp32")
    function(pointer(tile), pointer(out), pointer(memory), longs(shape), longs(stride), rows, cols)
    lines = memory[index].reshape(24, 5) if layout == "nd" else memory[index].transpose(0, 1, 2, 4, 3).reshape(30, 4)
    assert np.array_equal(tile[: lines.shape[0], : lines.shape[1]], lines)
    assert np.array_equal(out[index], memory[index])


def test_strided_columns(build: Build) -> None:
    """A row-major tile may be loaded from memory whose columns are apart."""
    memory = np.arange(4000, dtype=np.float32)
    tile, out = guarded((32, 64), DTYPES["fp32"]), guarded((4000,), DTYPES["fp32"])
    function = build("memory").nd_fp32
    function(pointer(tile), pointer(out), pointer(memory), longs((1, 1, 1, 6, 9)), longs((0, 0, 0, 1, 50)), 6, 9)
    assert np.array_equal(tile[:6, :9], memory[np.arange(6)[:, None] + 50 * np.arange(9)])


@pytest.mark.parametrize("step", [2, 4, 8])
@pytest.mark.parametrize("name", TYPES)
def test_every_few_elements_and_none_behind_the_last(build: Build, name: str, step: int) -> None:
    """The rows end where memory that may be read ends."""
    rng = np.random.default_rng(step)
    with mmap.mmap(-1, 9 * mmap.PAGESIZE) as pages:
        start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
        assert ctypes.CDLL(None).mprotect(ctypes.c_void_p(start + 8 * mmap.PAGESIZE), mmap.PAGESIZE, 0) == 0
        for rows, cols in [(1, 1), (3, 2), (2, 15), (2, 16), (3, 17), (1, 28), (2, 33), (1, 65), (2, 128)]:
            pitch = step * cols + 3
            memory = values(rng, ((rows - 1) * pitch + (cols - 1) * step + 1,), name)
            at = start + 8 * mmap.PAGESIZE - memory.nbytes
            ctypes.memmove(at, memory.ctypes.data, memory.nbytes)
            tile = guarded((8, 128), DTYPES[name])
            function = getattr(build("memory"), f"every_{name}")
            longs = (ctypes.c_int64(step), ctypes.c_int64(pitch))
            function(pointer(tile), ctypes.c_void_p(at), *longs, rows, cols)
            wanted = memory[np.arange(rows)[:, None] * pitch + step * np.arange(cols)]
            assert np.array_equal(raw(tile[:rows, :cols]), raw(wanted)), (rows, cols)
            assert is_guard(tile[rows:])
            assert is_guard(tile[:rows, cols:])


def test_static_tile_and_events(build: Build) -> None:
    memory = np.arange(8 * 24, dtype=np.float32)
    out = guarded((8, 24), DTYPES["fp32"])
    build("memory").fixed_block(pointer(out), pointer(memory))
    assert np.array_equal(out[:, :16], memory.reshape(8, 24)[:, :16])
    assert is_guard(out[:, 16:])


def test_column_and_row_share_an_address(build: Build) -> None:
    memory = np.arange(96, dtype=np.float32)
    out = guarded((32,), DTYPES["fp32"])
    build("memory").column_as_row(pointer(out), pointer(memory), 29)
    assert np.array_equal(out[:29], memory[: 29 * 3 : 3])
    assert is_guard(out[29:])


def test_column_slices_are_aliases(build: Build) -> None:
    block = np.random.default_rng(2).standard_normal((8, 64)).astype(np.float32)
    expected = block.copy()
    expected[:, 24:48] = expected[:, 24:48] + expected[:, :24] + np.float32(1)
    build("memory").column_slice(pointer(block))
    assert np.array_equal(block, expected)


def test_extract_within_vector_memory(build: Build) -> None:
    block = np.arange(16 * 32, dtype=np.int32).reshape(16, 32)
    out = guarded((16, 32), DTYPES["int32"])
    build("memory").copy_between_tiles(pointer(out), pointer(block), 5, 11, 3, 8)
    assert np.array_equal(out[:5, :11], block[3:8, 8:19])
    assert is_guard(out[5:])
    assert is_guard(out[:5, 11:])


def test_reshape_and_scalar_access(build: Build) -> None:
    block = np.arange(128, dtype=np.int32)
    out = np.zeros((2, 128), np.int32)
    build("memory").reshaped(pointer(out), pointer(block))
    changed = block.reshape(8, 16).copy()
    changed[:, 3] += changed[:, 0]
    changed[0, 5] = -1
    assert np.array_equal(out[0], block)
    assert np.array_equal(out[1], changed.reshape(-1))


def test_identity_of_a_block(build: Build) -> None:
    assert build("memory").identity(7, 1, 20) == 2200107


def test_pools_are_aligned_apart_and_per_thread(build: Build) -> None:
    pool = build("memory").pool
    pool.restype = ctypes.c_uint64
    pool.argtypes = [ctypes.c_int, ctypes.c_uint64]
    mib = 1 << 20
    sizes = {0: mib, 1: 2 * mib, 2: 4 * mib, 3: 2 * mib, 4: 2 * mib}
    spans = sorted((pool(location, 0), pool(location, size)) for location, size in sizes.items())
    assert all(start % 64 == 0 for start, _ in spans)
    assert all(spans[i][1] <= spans[i + 1][0] for i in range(len(spans) - 1))
    seen: list[int] = []
    thread = threading.Thread(target=lambda: seen.append(pool(0, 0)))
    thread.start()
    thread.join()
    assert seen[0] != pool(0, 0)


def test_bfloat16_scalar_conversion(build: Build) -> None:
    convert = build("memory").to_bf16
    convert.restype = ctypes.c_uint16
    convert.argtypes = [ctypes.c_float]
    for value in (1.0, 1.00390625, 1.01171875, -2.5, 3.4e38, 1e-40, float("inf"), 0.1, -0.0):
        assert convert(value) == int(np.array(value, np.float32).astype(BF16).view(np.uint16)), value
    assert convert(float("nan")) & 0x7FFF > 0x7F80


WRONG = {
    "TADD(a, a, h);": "TADD: src1 needs the element type of dst",
    "TADD(a, a, c);": "TADD: src1 needs the layout of dst",
    "TLOAD(h, g);": "TLOAD: src needs elements of the size of those of dst",
    "TMATMUL(acc, left, right);": "TMATMUL needs the same element type in both operands",
    "Tile<TileType::Vec, float, 8, 9> odd;": "multiple of 32 bytes",
}


@pytest.mark.parametrize("statement", list(WRONG))
def test_unsupported_forms_say_why(statement: str) -> None:
    done = read(
        "#include <cstdint>\n#include <cstddef>\n#include <pto/pto-inst.hpp>\nusing namespace pto;\n"
        "Tile<TileType::Vec, float, 8, 16> a; Tile<TileType::Vec, half, 8, 16> h;\n"
        "Tile<TileType::Vec, float, 8, 16, BLayout::ColMajor> c; Tile<TileType::Vec, int32_t, 8, 16> i;\n"
        "TileLeft<float, 16, 16> left; TileRight<half, 16, 16> right; TileAcc<float, 16, 16> acc;\n"
        "GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>> g;\n"
        f"void kernel() {{ {statement} }}\n",
        "-DPTO_PORTABLE",
    )
    assert done.returncode != 0
    assert WRONG[statement] in done.stderr


@pytest.mark.parametrize("cols", [509, 512, 16])
@pytest.mark.parametrize("offset", [0, 1, 16])
def test_long_results(build: Build, cols: int, offset: int) -> None:
    """More than the caches' share: stores may go past them, and what lies between the rows stays."""
    rng = np.random.default_rng(cols)
    tiles, stride = 1100, 528
    source = rng.standard_normal((tiles * 4, cols)).astype(np.float32)
    memory = np.full(tiles * 4 * stride + 64, 7.0, np.float32)
    target = memory[offset : offset + tiles * 4 * stride].reshape(tiles * 4, stride)
    for _ in range(2):
        native = build("memory").store_rows
        native(pointer(target), pointer(source), ctypes.c_int64(tiles), cols, ctypes.c_int64(stride))
        assert np.array_equal(target[:, :cols], source)
        assert (target[:, cols:] == 7.0).all()
        target[:, :cols] = 0.0
