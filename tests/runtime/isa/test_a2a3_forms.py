"""Forms that A2/A3 takes and that say less than others: rows of one block beside such rows, products of valid parts in
tiles of any capacity, and the names that a device's compiler has built in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from .arrays import DTYPES, Array, guarded, is_guard, pointer, same, values
from .conftest import INCLUDE, Build
from .reading import asked, read

OPERATIONS: list[Callable[[Array, Array], Array]] = [
    np.add, np.subtract, np.multiply, np.divide, np.maximum, np.minimum,
]  # fmt: skip


@pytest.mark.parametrize("op", range(len(OPERATIONS)))
@pytest.mark.parametrize("name", ["fp32", "fp16", "int16", "int32"])
def test_blocks_beside_blocks_are_element_by_element(build: Build, name: str, op: int) -> None:
    """Both sources and the result are one block wide: the second source is that of a block per row."""
    if name.startswith("int") and OPERATIONS[op] is np.divide:
        pytest.skip("integers are not divided along rows")
    dtype, rng = DTYPES[name], np.random.default_rng(op)
    for rows in (1, 5, 16):
        a, b = (values(rng, (16, 32 // dtype.itemsize), name) for _ in range(2))
        out = guarded(a.shape, dtype)
        getattr(build("a2a3_forms"), f"blocks_{name}")(op, pointer(out), pointer(a), pointer(b), rows)
        with np.errstate(all="ignore"):
            want = OPERATIONS[op](a[:rows], b[:rows]).astype(dtype)
        assert same(out[:rows], want), rows
        assert is_guard(out[rows:])


@pytest.mark.parametrize("swapped", [0, 1])
def test_the_operand_whose_rows_lie_further_apart_is_not_the_block(build: Build, swapped: int) -> None:
    rng = np.random.default_rng(1)
    wide, narrow = rng.standard_normal((16, 32)).astype(np.float32), rng.standard_normal((16, 8)).astype(np.float32)
    out = guarded((16, 8), np.dtype(np.float32))
    build("a2a3_forms").subtract(swapped, pointer(out), pointer(wide), pointer(narrow))
    assert np.array_equal(out, narrow - wide[:, :8] if swapped else wide[:, :8] - narrow)


@pytest.mark.parametrize("form", [0, 1])
@pytest.mark.parametrize(("kernel", "rows"), [("product", 9), ("vector", 1)])
@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16", "int8"])
def test_products_go_by_valid_extents(build: Build, name: str, kernel: str, rows: int, form: int) -> None:
    """Of 64 x 96 and 64 x 96 tiles the parts of 9 x 40 and 40 x 17, or a vector, into accumulators of 16 x 32."""
    rng = np.random.default_rng(form)
    a, b = (rng.integers(-8, 9, shape).astype(DTYPES[name]) for shape in ((rows, 40), (40, 17)))
    out = guarded((rows, 17), np.dtype(np.int32 if name == "int8" else np.float32))
    getattr(build("a2a3_forms"), f"{kernel}_{name}")(form, pointer(out), pointer(a), pointer(b))
    assert np.array_equal(out, (1 + form) * (a.astype(np.float64) @ b.astype(np.float64)))


def test_the_names_that_a_compiler_of_devices_has_built_in(build: Build) -> None:
    said = np.zeros(3, np.uint32)
    build("a2a3_forms").where_am_i(6, 9, pointer(said))
    assert said.tolist() == [6 * 0x400 + 16 + 2, 9, 1]


PARTS = """
#include <pto/pto-inst.hpp>
using namespace pto;
void kernel(
    TileAcc<float, 16, 32>& sums, TileLeft<half, {m}, 64, {valid_m}, {left_k}>& left,
    TileRight<half, 64, {n}, {right_k}, {valid_n}>& right)
{{
    TMATMUL(sums, left, right);
}}
"""
FITTING = {"m": 16, "valid_m": 16, "left_k": 32, "right_k": 32, "n": 32, "valid_n": 32}


@pytest.mark.parametrize("wrong", [{}, {"m": 32, "valid_m": 17}, {"left_k": 33}, {"n": 64, "valid_n": 48}])
def test_valid_parts_that_are_no_product_are_refused(wrong: dict[str, int]) -> None:
    done = read(PARTS.format(**FITTING | wrong), "-DPTO_PORTABLE")
    assert (done.returncode == 0) == (not wrong), done.stderr
    assert not wrong or "TMATMUL: the valid parts must be M x N, M x K and K x N" in done.stderr


@pytest.mark.parametrize("header", sorted(path.relative_to(INCLUDE) for path in INCLUDE.glob("pto/npu/*/*.hpp")))
def test_headers_by_their_paths_on_a_device(header: Path) -> None:
    """Each brings all instructions."""
    done = asked(
        ["-std=c++20", "-fsyntax-only", "-DPTO_PORTABLE", f"-I{INCLUDE}", "-xc++", "-"],
        f"#include <{header}>\nvoid kernel(pto::Tile<pto::TileType::Vec, float, 8, 8>& t) {{ TADD(t, t, t); }}",
    )
    assert done.returncode == 0, done.stderr
