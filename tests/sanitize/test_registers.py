"""What a kernel of A2/A3 sets before it counts on it, and addresses that no device takes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.sanitize import sanitize_files

ROOT = Path(__file__).parents[2] / "generated"
MASK = "set_vector_mask(-1, -1);"
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


SOFTMAX = ["softmax/a2a3/kernels/softmax"]
MIXED = [f"linear_gelu/a2a3/kernels/product_to_activation_{core}" for core in ("cube", "vec")]


@pytest.mark.parametrize(
    ("kernels", "old", "new", "found"),
    [
        (SOFTMAX, "", "", set()),
        (SOFTMAX, MASK, "", {"mask"}),
        (SOFTMAX, "TASSIGN<0x20000>(m)", "TASSIGN<0x20010>(m)", {"alignment"}),
        (MIXED, "", "", set()),
        (MIXED, BASE, "", {"base"}),
        (MIXED[::-1], BASE, "", {"base"}),
        (MIXED[::-1], MASK, "", {"mask"}),
    ],
)  # fmt: skip
def test_what_no_order_of_pipes_mends(kernels: list[str], old: str, new: str, found: set[str], tmp_path: Path) -> None:
    assert kinds(tmp_path, kernels, old, new) == found


def test_a_tile_at_the_first_byte_leaves_its_memory_too(tmp_path: Path) -> None:
    whole = "Tile<TileType::Vec, float, 8, 4096, BLayout::RowMajor, DYNAMIC, 4096>"
    assert "capacity" in kinds(tmp_path, SOFTMAX, whole, whole.replace("8, 4096", "16, 4096").replace("DYNAMIC", "16"))


def test_a_number_joined_with_bits_in_place(tmp_path: Path) -> None:
    """The device fills the result with the number first, and joins that with what it reads then."""
    kernel, call = ["cross_entropy/a2a3/kernels/cross_entropy_vec8"], "TANDS({}, counted_part_sum_tile, 255)"
    right, wrong = call.format("counted_bits"), call.format("counted_part_sum_tile")
    assert "in place" in kinds(tmp_path, kernel, right, wrong)
    assert "in place" not in kinds(tmp_path, kernel, right, wrong, "a5")


def test_a5_keeps_neither(tmp_path: Path) -> None:
    assert "mask" not in kinds(tmp_path, SOFTMAX, MASK, "", "a5")
