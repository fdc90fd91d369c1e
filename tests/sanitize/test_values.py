"""Values that are gone when they are used, and extents that do not fit: what one walk in program order tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.sanitize import sanitize
from sanitize.kernel_mutants import mutants, sample

ROOT = Path(__file__).parents[2]


def kernel(operator: str) -> str:
    return (ROOT / "generated" / operator / "a2a3" / "kernels" / f"{operator}.cpp").read_text()


def kinds(folder: Path, text: str) -> set[tuple[str, int]]:
    """(kind, line) of what is found in a kernel."""
    file = folder / "kernel.cpp"
    file.write_text(text)
    found = [d for report in sanitize(file) for d in report.findings]
    return {(d.message.split(":")[0], d.span.line if d.span else 0) for d in found}


@pytest.mark.parametrize(
    ("operator", "old", "new", "kind", "at"),
    [
        ("matmul_fp32", "TASSIGN(b_tile, 0x40000 +", "TASSIGN(b_tile, 0x00000 +", "overwritten", "TEXTRACT(a_tile_l0a"),
        ("matmul_fp32", "k1 < 256;", "k1 < 320;", "extents", "TEXTRACT(a_tile_l0a"),
        ("softmax", "TASSIGN<0x18000>(m);", "TASSIGN(m, rows0_buffer * 0x08000);", "overwritten", "TROWEXPANDSUB"),
        ("softmax", "TASSIGN<0x18000>(y_1);", "TASSIGN<0x18020>(y_1);", "unused", "TROWSUM("),
        ("softmax", "VecF32_8x4096 e(rows0_valid);", "VecF32_8x4096 e(rows0_valid - 1);", "extents", "TEXP(e"),
        ("softmax", "x_tile(rows0_valid);", "x_tile(rows_end);", "extents", "TLOAD("),
        ("softmax", "XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid});",
         "XGm x_in(x + int64_t(rows0) * 4096, {rows0_valid + 1});", "extents", "TLOAD("),
        ("layer_norm", "TASSIGN<0x18000>(y_std);", "TASSIGN<0x18020>(y_std);", "unused", "TMULS(y_part"),
        ("layer_norm", "TASSIGN<0x14000>(beta_tile);", "TASSIGN<0x10000>(beta_tile);", "unused", "TLOAD(beta_tile"),
        ("layer_norm", "TASSIGN<0x20000>(y_var_row);", "TASSIGN<0x1ffe0>(y_var_row);", "unused", "TROWSUM(y_mean"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_program_order(operator: str, old: str, new: str, kind: str, at: str, tmp_path: Path) -> None:
    text = kernel(operator)
    assert text.count(old) == 1
    lines = text.split("\n")
    assert (kind, 1 + next(i for i, line in enumerate(lines) if at in line)) in kinds(tmp_path, text.replace(old, new))


PARTS = """\
#include <pto/pto-inst.hpp>
using namespace pto;
using Whole = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 64>;
using Left = Tile<TileType::Vec, float, 8, 64, BLayout::RowMajor, 8, 32>;
using Gm = GlobalTensor<float, Shape<1, 1, 1, 8, 64>, Stride<1, 1, 1, 64, 1>>;
extern "C" __global__ AICORE void parts(__gm__ float *out, __gm__ float *in)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Whole x, y;
    Left low;
    TASSIGN<0x0>(x);
    TASSIGN<0x0>(low);
    TASSIGN<0x800>(y);
    Gm from(in), to(out);
    TLOAD(x, from);
    pipe_barrier(PIPE_ALL);
    TMULS(low, low, 2.0f);
    pipe_barrier(PIPE_V);
    TEXP(y, x);
    pipe_barrier(PIPE_ALL);
    TSTORE(to, y);
}
"""


def test_columns_of_a_tile_may_be_written_anew(tmp_path: Path) -> None:
    assert kinds(tmp_path, PARTS) == set()


def test_a_tile_that_lies_askew_is_no_part(tmp_path: Path) -> None:
    line = 1 + next(i for i, text in enumerate(PARTS.split("\n")) if "TEXP" in text)
    left = "using Left = Tile<TileType::Vec, float, 8,"
    askew = PARTS.replace(f"{left} 64", f"{left} 32")
    assert kinds(tmp_path, askew) == {("overwritten", line)}
    line = 1 + next(i for i, text in enumerate(PARTS.split("\n")) if "TMULS" in text)
    moved = PARTS.replace("TASSIGN<0x0>(low)", "TASSIGN<0x720>(low)")
    assert {kind for kind, at in kinds(tmp_path, moved) if at == line} & {"askew", "unwritten"}


@pytest.mark.parametrize(("operator", "least"), [("softmax", 30), ("matmul_fp32", 14)])
def test_most_mutants_are_told(operator: str, least: int, tmp_path: Path) -> None:
    """Addresses and extents; `python -m sanitize.mutant_count` tells which of the others do no harm."""
    text = kernel(operator)
    found = sample(mutants(text), {"address": 99, "extent": 99})
    told = sum(bool(kinds(tmp_path, mutant.text(text.split("\n")))) for mutant in found)
    assert len(found) > told >= least
