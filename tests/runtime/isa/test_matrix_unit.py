"""The matrix unit in software that other tests rely on: what its instructions compute, and what they do not take."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.cpu import X86_LEVELS, features

from .arrays import BF16, Array, pointer
from .conftest import QUIET, emulated_kernels, kernels_for

PRODUCT, WITHOUT_CONFIGURATION, WITHOUT_TILE, SAME_TILE = range(4)
SIZES = [(16, 16, 16), (1, 16, 16), (16, 1, 3), (7, 5, 16), (3, 16, 1)]
TINY = np.float32(2.0**-126)
REAL = X86_LEVELS[0]


@pytest.fixture(scope="module")
def unit() -> Path:
    """The instructions in software."""
    return emulated_kernels().compile("matrix_unit")


def product(path: Path, c: Array, a: Array, b: Array) -> Array:
    """C + A B of the unit at a path. A has four bytes a group of K, B a group of K a row."""
    m, k, n = a.shape[0], b.shape[0], c.shape[1]
    sizes = np.array([m, 4 * n, m, 4 * k, k, 4 * n], np.uint8)
    padded = [np.zeros((16, 64 // x.itemsize), x.dtype) for x in (c, a, b)]
    for to, values in zip(padded, (c, a, b), strict=True):
        to[: values.shape[0], : values.shape[1]] = values
    if not ctypes.CDLL(str(path)).unit_product(PRODUCT, int(a.dtype == np.int8), *map(pointer, (sizes, *padded))):
        pytest.skip("this system refuses the processor's matrix unit (arch_prctl)")
    return padded[0][:m, :n]


def bf16_operands(rng: np.random.Generator, m: int, k: int, n: int) -> tuple[Array, Array, Array]:
    """Sums whose order shows, and whose exact value a double holds; here and there a denormal."""
    values = [
        (rng.choice([-1, 1], s) * rng.integers(128, 256, s) * 2.0 ** rng.integers(-14, -2, s)).astype(np.float32)
        for s in ((m, n), (m, 2 * k), (k, 2 * n))
    ]
    for array in values:
        array[rng.random(array.shape) < 0.05] = 2.0**-130
    values[0][:, 0], values[2][:, :2] = 2.0**-130, 0  # what C had shows, if anything does
    return values[0], values[1].astype(BF16), values[2].astype(BF16)


def flushed(x: Array) -> Array:
    return np.where(np.abs(x) < TINY, np.float32(0), x.astype(np.float32))


def sums_in_pairs(c: Array, a: Array, b: Array) -> Array:
    """Intel's definition of TDPBF16PS, one rounding after the other."""
    sums = [np.zeros(c.shape, np.float32) for _ in range(2)]
    for step in range(b.shape[0]):
        for i in range(2):
            left, right = flushed(a[:, 2 * step + i].astype(np.float32)), flushed(b[step, i::2].astype(np.float32))
            exact = left.astype(np.float64)[:, None] * right + sums[i]
            sums[i] = flushed(exact.astype(np.float32))
    return flushed(flushed(c) + flushed(sums[0] + sums[1]))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sums_of_bf16(unit: Path, size: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(size)
    c, a, b = bf16_operands(rng, *size)
    assert np.array_equal(product(unit, c, a, b), sums_in_pairs(c, a, b))


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_sums_of_bytes(unit: Path, size: tuple[int, int, int]) -> None:
    rng = np.random.default_rng(size)
    m, k, n = size
    a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in ((m, 4 * k), (k, 4 * n)))
    c = rng.choice(np.array([-(2**31), 0, 2**31 - 1], np.int32), (m, n))  # sums wrap around
    columns = b.reshape(k, n, 4).transpose(0, 2, 1).reshape(4 * k, n)
    want = (c.astype(np.int64) + a.astype(np.int64) @ columns.astype(np.int64)).astype(np.int32)
    assert np.array_equal(product(unit, c, a, b), want)


@pytest.fixture(scope="module")
def real() -> Path:
    """The instructions of the processor, compiled on every machine of the architecture."""
    if platform.machine() != "x86_64":
        pytest.skip("the matrix unit is one of x86-64")
    return kernels_for(find_compiler(), ("-O2", *REAL.flags, *QUIET)).compile("matrix_unit")


def test_the_assembler_takes_the_instructions(real: Path) -> None:
    assert real.stat().st_size > 0


@pytest.mark.parametrize("name", ["bf16", "int8"])
def test_the_processor_computes_the_same(unit: Path, real: Path, name: str) -> None:
    if not REAL.needs <= features():
        pytest.skip("this CPU has no matrix unit: nothing to compare the emulation with")
    rng = np.random.default_rng(1)
    for m, k, n in SIZES:
        c, a, b = bf16_operands(rng, m, k, n)
        if name == "int8":
            c = rng.integers(-(2**31), 2**31, (m, n)).astype(np.int32)
            a, b = (rng.integers(-128, 128, s).astype(np.int8) for s in ((m, 4 * k), (k, 4 * n)))
        assert product(real, c, a, b).tobytes() == product(unit, c, a, b).tobytes()


CALL = """
import ctypes, sys
memory = (ctypes.c_char * 1024)()
sizes = (ctypes.c_uint8 * 6)(*map(int, sys.argv[3:]))
ctypes.CDLL(sys.argv[1]).unit_product(int(sys.argv[2]), 1, sizes, memory, memory, memory)
"""


def said(unit: Path, step: int, sizes: tuple[int, ...], **environment: str) -> tuple[int, str]:
    """How a process ends that makes one call, and what it says."""
    command = [sys.executable, "-S", "-c", CALL, str(unit), *map(str, (step, *sizes))]
    ended = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    return ended.returncode, ended.stderr


@pytest.mark.parametrize(
    ("step", "sizes", "message"),
    [
        (WITHOUT_CONFIGURATION, (16, 64, 16, 64, 16, 64), "TILELOADD: the unit is not configured"),
        (WITHOUT_TILE, (16, 64, 16, 64, 16, 64), "TILEZERO: the tile is not configured"),
        (SAME_TILE, (16, 64, 16, 64, 16, 64), "TDPBSSD: two operands are one tile"),
        (PRODUCT, (17, 64, 16, 64, 16, 64), "LDTILECFG: a tile has more than 16 rows"),
        (PRODUCT, (16, 68, 16, 64, 16, 64), "LDTILECFG: a row has more than 64 bytes"),
        (PRODUCT, (16, 0, 16, 64, 16, 64), "LDTILECFG: a tile has rows without bytes or bytes without rows"),
        (PRODUCT, (16, 62, 16, 64, 16, 62), "TDPBSSD: a row is no multiple of four bytes"),
        (PRODUCT, (15, 64, 16, 64, 16, 64), "TDPBSSD: C and A differ in rows"),
        (PRODUCT, (16, 60, 16, 64, 16, 64), "TDPBSSD: C and B differ in columns"),
        (PRODUCT, (16, 64, 16, 64, 15, 64), "TDPBSSD: the columns of A are not the rows of B"),
    ],
)
def test_faults(unit: Path, step: int, sizes: tuple[int, ...], message: str) -> None:
    assert said(unit, step, sizes) == (-signal.SIGABRT, f"AMX: {message}\n")


def test_a_system_that_refuses(unit: Path) -> None:
    """Then no instruction is reached, not even a wrong one."""
    assert said(unit, SAME_TILE, (16, 64, 16, 64, 16, 64), MATRIX_UNIT_REFUSED="1") == (0, "")
