"""What a kernel of A2/A3 sets before it counts on it, and addresses that no device takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pyptogen.sanitize import sanitize_files

ROOT = Path(__file__).parents[2] / "generated"
MASK = "set_vector_mask(-1, -1);"
FORGET = "dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);"
BASE = "set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));"


def kinds(tmp_path: Path, kernels: list[str], old: str = "", new: str = "", target: str = "a2a3") -> set[str]:
    """The kinds of findings in generated kernels, the first of them with another text."""
    files = [ROOT / f"{kernel}.cpp" for kernel in kernels]
    text = files[0].read_text()
    assert old in text
    files[0] = tmp_path / files[0].name
    files[0].write_text(text.replace(old, new, 1) if old else text)
    reports = sanitize_files(files, target=target)
    return {finding.message.split(":")[0] for report in reports for finding in report.findings}


EMBEDDING = ["embedding/a2a3/kernels/embedding"]
SOFTMAX = ["softmax/a2a3/kernels/softmax"]
MIXED = [f"linear_gelu/a2a3/kernels/product_to_activation_{core}" for core in ("cube", "vec")]


@pytest.mark.parametrize(
    ("kernels", "old", "new", "found"),
    [
        (SOFTMAX, "", "", set()),
        (SOFTMAX, MASK, "", {"mask"}),
        (SOFTMAX, "TASSIGN<0x18000>(m)", "TASSIGN<0x18010>(m)", {"alignment"}),
        (MIXED, "", "", set()),
        (MIXED, BASE, "", {"base"}),
        (MIXED[::-1], BASE, "", {"base"}),
        (MIXED[::-1], MASK, "", {"mask"}),
        (EMBEDDING, "", "", set()),
        (EMBEDDING, FORGET, "", {"cache"}),
    ],
)  # fmt: skip
def test_what_no_order_of_pipes_mends(kernels: list[str], old: str, new: str, found: set[str], tmp_path: Path) -> None:
    assert kinds(tmp_path, kernels, old, new) == found


def test_a_tile_at_the_first_byte_leaves_its_memory_too(tmp_path: Path) -> None:
    whole = "Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>"
    assert "capacity" in kinds(tmp_path, SOFTMAX, whole, whole.replace("8, 4096", "16, 4096").replace("DYNAMIC", "16"))


def test_a_number_joined_with_bits_in_place(tmp_path: Path) -> None:
    """The device fills the result with the number first, and joins that with what it reads then."""
    kernel, call = ["cross_entropy/a2a3/kernels/cross_entropy_vec8"], "TANDS({}, counted_part_sum, 255)"
    right, wrong = call.format("counted_bits"), call.format("counted_part_sum")
    assert "in place" in kinds(tmp_path, kernel, right, wrong)
    assert "in place" not in kinds(tmp_path, kernel, right, wrong, "a5")


def test_a_number_divided_in_place(tmp_path: Path) -> None:
    """The device fills the result with the number first, and divides it by what it reads then."""
    kernel = ["swiglu_backward/a2a3/kernels/swiglu_backward"]
    (call,) = re.findall(r"TDIVS\(\w+, 1\.0f, \w+\)", (ROOT / f"{kernel[0]}.cpp").read_text())
    divisor = call.split(", ")[2].rstrip(")")
    for wrong in (f"TDIVS({divisor}, 1.0f, {divisor})", f"TRECIP({divisor}, {divisor})"):
        assert "in place" in kinds(tmp_path, kernel, call, wrong)
        assert "in place" not in kinds(tmp_path, kernel, call, wrong, "a5")
    assert "in place" not in kinds(tmp_path, kernel, call, f"TDIVS({divisor}, {divisor}, 2.0f)")


QUANTISED = """
#include <pto/pto-inst.hpp>
using namespace pto;
using Gm = GlobalTensor<float, Shape<1, 1, 1, 8, 32>, Stride<1, 1, 1, 32, 1>>;
using Rows = Tile<TileType::Vec, float, 8, 32>;
extern "C" __global__ AICORE void kernel(__gm__ float *y, __gm__ float *x)
{
#if defined(__DAV_VEC__)
    set_mask_norm(); set_vector_mask(-1, -1);
    Rows a, b; Tile<TileType::Vec, int8_t, 8, 32> q; Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor> scale;
    TASSIGN<0x0>(a); TASSIGN<0x8000>(b); TASSIGN<0x1000>(q); TASSIGN<0x2000>(scale);
    Gm in(x), out(y);
    TLOAD(a, in);
    set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
    TEXPANDS(scale, 1.0f); TADDS(b, a, 1.0f);
    pipe_barrier(PIPE_V);
    TQUANT<QuantType::INT8_SYM>(q, a, scale);
    pipe_barrier(PIPE_V);
    TADDS(b, a, 1.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, b);
#endif
}
"""


def test_a_quantisation_uses_its_source_up(tmp_path: Path) -> None:
    """A2/A3 multiplies and converts in the source's own place."""
    file = tmp_path / "kernel.cpp"
    file.write_text(QUANTISED)

    def said(target: str) -> str:
        return "".join(d.message for report in sanitize_files([file], target=target) for d in report.findings)

    assert "where TQUANT has put `what TQUANT works on` over it" in said("a2a3")
    assert "TQUANT" not in said("a5")
    file.write_text(QUANTISED.replace("    pipe_barrier(PIPE_V);\n    TADDS(b, a, 1.0f);\n", "", 1))
    assert said("a2a3") == ""


def test_a5_keeps_neither(tmp_path: Path) -> None:
    assert "mask" not in kinds(tmp_path, SOFTMAX, MASK, "", "a5")


def test_a5_has_a_data_cache_too(tmp_path: Path) -> None:
    assert "cache" in kinds(tmp_path, EMBEDDING, FORGET, "", "a5")
