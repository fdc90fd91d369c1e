"""TMATMUL with every source of the B operand, every element type, and sizes around the edges of the tiles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from .arrays import DTYPES, Array, guarded, is_guard, pointer, same, values
from .conftest import Build

TYPES = ["fp32", "fp16", "bf16", "int8"]
SOURCES = ["nd", "dn", "nz", "packed", "mat_nd", "mat_dn", "mat_nz", "vec"]
SIZES = [
    (1, 64, 32),
    (1, 256, 160),
    (2, 48, 64),
    (3, 16, 96),
    (4, 32, 64),
    (5, 100, 33),
    (16, 7, 17),
    (17, 128, 64),
    (31, 33, 8),
    (32, 256, 128),
    (33, 65, 100),
    (48, 32, 32),
    (80, 129, 96),
    (256, 200, 160),
    (273, 31, 40),
]


def operands(rng: np.random.Generator, name: str, m: int, k: int, n: int) -> tuple[Array, Array]:
    dtype = DTYPES[name]
    if name == "int8":
        return rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (k, n), np.int8)
    return rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)


def product(a: Array, b: Array) -> tuple[Array, Array]:
    """The exact product and a bound of the rounding error of fp32 accumulation."""
    if a.dtype.kind == "i":
        return a.astype(np.int64) @ b.astype(np.int64), np.zeros((a.shape[0], b.shape[1]))
    x, y = a.astype(np.float64), b.astype(np.float64)
    return x @ y, np.abs(x) @ np.abs(y) * a.shape[1] * 2.0**-23


def padded(b: Array, k: int, n: int) -> Array:
    out = np.zeros((k, n), b.dtype)
    out[: b.shape[0], : b.shape[1]] = b
    return out


def in_memory(b: Array, source: str) -> Array:
    """The bytes of B as a source of the given kind has them; written from the definitions of the layouts."""
    k, n = b.shape
    size = b.dtype.itemsize
    if source.endswith("dn"):
        return np.ascontiguousarray(b.T)
    if source.endswith("nz"):
        box = 32 // size
        rows, cols = -(-k // 16) * 16, -(-n // 32) * 32
        blocks = padded(b, rows, cols).reshape(rows // 16, 16, cols // box, box)
        return np.ascontiguousarray(blocks.transpose(2, 0, 1, 3))
    if source == "packed":
        step, group = 64 // size, max(1, 4 // size)
        rows, cols = -(-k // step) * step, -(-n // 32) * 32
        full = padded(b, rows, cols)
        out = np.zeros(rows * cols, b.dtype)
        for row in range(k):
            for col in range(n):
                fragment = (col // 32 * (rows // step) + row // step) * 2 + col % 32 // 16
                inside = row % step // group * (64 // size) + col % 16 * group + row % group
                out[fragment * (1024 // size) + inside] = full[row, col]
        return out
    return np.ascontiguousarray(b)


def run(build: Build, name: str, source: str, accumulate: int, a: Array, b: Array) -> Array:
    (m, k), n = a.shape, b.shape[1]
    out: Array = np.zeros((m, n), np.int32 if name == "int8" else np.float32)
    memory = in_memory(b, source)
    function = getattr(build("matmul"), f"matmul_{name}")
    function(SOURCES.index(source), accumulate, pointer(out), pointer(a), pointer(memory), m, k, n)
    return out


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("name", TYPES)
def test_product(build: Build, name: str, source: str) -> None:
    rng = np.random.default_rng(len(source))
    for m, k, n in SIZES:
        a, b = operands(rng, name, m, k, n)
        exact, bound = product(a, b)
        assert (np.abs(run(build, name, source, 0, a, b) - exact) <= bound).all(), (m, k, n)


@pytest.mark.parametrize("accumulate", [1, 2], ids=["in place", "into another"])
@pytest.mark.parametrize("name", TYPES)
def test_accumulation(build: Build, name: str, accumulate: int) -> None:
    rng = np.random.default_rng(accumulate)
    for m, k, n in SIZES:
        a, b = operands(rng, name, m, k, n)
        exact, bound = product(a, b)
        got = run(build, name, "nd", accumulate, a, b)
        assert (np.abs(got - 2 * exact) <= 2 * bound + np.abs(exact) * 2.0**-23).all(), (m, k, n)


def test_int8_extremes(build: Build) -> None:
    a, b = np.full((40, 256), -128, np.int8), np.full((256, 64), -128, np.int8)
    assert (run(build, "int8", "packed", 0, a, b) == 256 * 128 * 128).all()


@pytest.mark.parametrize("name", ["int8", "bf16"])
def test_where_the_system_refuses_the_matrix_unit(build: Build, name: str) -> None:
    rng = np.random.default_rng(13)
    for m, k, n in SIZES:
        a, b = operands(rng, name, m, k, n)
        out: Array = np.zeros((m, n), np.int32 if name == "int8" else np.float32)
        getattr(build("matmul"), f"twice_without_unit_{name}")(pointer(out), pointer(a), pointer(b), m, k, n)
        exact, bound = product(a, b)
        assert (np.abs(out - 2 * exact) <= 2 * bound + np.abs(exact) * 2.0**-23).all(), (m, k, n)


@pytest.mark.parametrize("m", [1, 40])
def test_inside_core_the_unit_stays_configured(build: Build, m: int) -> None:
    """Row counts change between the instructions of one core; the results do not."""
    rng = np.random.default_rng(m)
    library = build("matmul")
    library.core(1)
    try:
        for rows in (m, 3, m, 16, 33, m):
            a, b = operands(rng, "int8", rows, 100, 70)
            assert (run(build, "int8", "packed", 0, a, b) == product(a, b)[0]).all()
    finally:
        library.core(0)


def test_packed_b_tail_of_k_ignores_what_a_had_before(build: Build) -> None:
    """The unused end of the last K step of A is zero whatever the tile held: NaN there would reach the product."""
    rng = np.random.default_rng(0)
    poison = np.full((48, 128), np.nan, np.float32).astype(DTYPES["bf16"])
    a, b = operands(rng, "bf16", 48, 40, 64)
    run(build, "bf16", "packed", 0, poison, np.zeros((128, 64), DTYPES["bf16"]))
    exact, bound = product(a, b)
    assert (np.abs(run(build, "bf16", "packed", 0, a, b) - exact) <= bound).all()


@pytest.mark.parametrize("name", TYPES)
def test_left_from_vector_memory(build: Build, name: str) -> None:
    rng = np.random.default_rng(7)
    for m, k, n in [(1, 128, 64), (5, 33, 32), (32, 128, 128), (48, 127, 40)]:
        a, b = operands(rng, name, m, k, n)
        tile = guarded((48, 128), DTYPES[name])
        tile[:m, :k] = a
        out: Array = np.zeros((m, n), np.int32 if name == "int8" else np.float32)
        getattr(build("matmul"), f"vec_times_{name}")(pointer(out), pointer(tile), pointer(b), m, k, n)
        exact, bound = product(a, b)
        assert (np.abs(out - exact) <= bound).all(), (m, k, n)


def test_extract_from_inside_mat_tiles(build: Build) -> None:
    rng = np.random.default_rng(9)
    a, b = operands(rng, "bf16", 288, 256, 160)[0], operands(rng, "bf16", 1, 256, 160)[1]
    for m, k, n, row, inner, col in [(32, 64, 32, 16, 32, 48), (40, 96, 64, 32, 64, 80), (20, 40, 32, 5, 33, 47)]:
        out = np.zeros((m, n), np.float32)
        build("matmul").extract_bf16(pointer(out), pointer(a), pointer(b), m, k, n, row, inner, col)
        exact, bound = product(a[row : row + m, inner : inner + k], b[inner : inner + k, col : col + n])
        assert (np.abs(out - exact) <= bound).all()


@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "int32"])
def test_accumulator_to_vector_memory(build: Build, name: str) -> None:
    rng = np.random.default_rng(11)
    accumulator = values(rng, (64, 160), "int32" if name == "int32" else "fp32")
    dtype: np.dtype[Any] = DTYPES[name]
    with np.errstate(all="ignore"):
        converted = accumulator.astype(dtype)
    for row, col, rows, cols in [(0, 0, 32, 128), (31, 32, 33, 128), (5, 16, 7, 100), (63, 0, 1, 1), (2, 5, 3, 50)]:
        out, stored = guarded((40, 128), dtype), np.zeros((64, 160), dtype)
        function = getattr(build("matmul"), f"acc_to_vec_{name}")
        function(pointer(out), pointer(accumulator), row, col, rows, cols, pointer(stored))
        assert same(out[:rows, :cols], converted[row : row + rows, col : col + cols])
        assert same(stored, converted)
        assert is_guard(out[rows:])
        assert is_guard(out[:rows, cols:])
