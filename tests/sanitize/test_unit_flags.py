"""Unit flags in C++: products and stores that take turns are in order without other flags, all others are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.sanitize import sanitize, sanitize_files

GENERATED = Path(__file__).parents[2] / "generated"
PRODUCT = GENERATED / "matmul_fp32" / "a2a3" / "kernels" / "matmul_fp32.cpp"
OF_LENGTH = GENERATED / "flash_attention_fp32_backward" / "a2a3" / "kernels" / "of_keys.cpp"
"""Its K loop is as long as a call says."""
NO_PRODUCT, NO_STORE = "waits for a final product of the same tile", "waits for a final store of the tile before it"
LEFT_SET = "are still set at the end"
BROKEN = [
    ("TSTORE<STPhase::Final>", "TSTORE", {NO_STORE, LEFT_SET, "may run before"}),
    ("STPhase::Final", "STPhase::Partial", {NO_STORE, LEFT_SET}),
    ("TMATMUL_ACC<AccPhase::Final>", "TMATMUL_ACC<AccPhase::Partial>", {NO_PRODUCT}),
    ("TMATMUL_ACC<AccPhase::Partial>", "TMATMUL_ACC<AccPhase::Final>", {NO_STORE}),
    ("TMATMUL_ACC<AccPhase::Final>", "TMATMUL_ACC", {NO_PRODUCT, "may run before"}),
    (" + 64 < ", " + 128 < ", {NO_STORE}),
]


def told(file: Path) -> list[str]:
    (report,) = sanitize(file)
    return [finding.message for finding in report.findings]


@pytest.mark.parametrize("file", [PRODUCT, OF_LENGTH], ids=lambda file: file.stem)
@pytest.mark.parametrize(("old", "new", "texts"), BROKEN, ids=lambda part: part if isinstance(part, str) else "")
def test_products_and_stores_that_do_not_take_turns_are_told(
    file: Path, old: str, new: str, texts: set[str], tmp_path: Path
) -> None:
    assert told(file) == []
    broken = tmp_path / "broken.cpp"
    assert old in file.read_text()
    broken.write_text(file.read_text().replace(old, new))
    found = told(broken)
    assert {text for text in texts if any(text in one for one in found)} == texts


@pytest.mark.parametrize("broken", [True, False])
def test_a_push_is_one_where_its_pipe_says_so(broken: bool, tmp_path: Path) -> None:
    cube = GENERATED / "flash_attention" / "a2a3" / "kernels" / "flash_attention_cube.cpp"
    vector = cube.with_name("flash_attention_vec.cpp")
    for file in (cube, vector):
        text = file.read_text()
        assert ", 2, true, true>" in text
        (tmp_path / file.name).write_text(text.replace(", 2, true, true>", ", 2, true>") if broken else text)
    (report,) = sanitize_files([tmp_path / cube.name, tmp_path / vector.name])
    found = " ".join(finding.message for finding in report.findings)
    assert (NO_STORE in found) == ("TPUSH on FIX may run before" in found) == broken


def test_walks_that_leave_loops_early_judge_no_turns(tmp_path: Path) -> None:
    """Of a very long K loop only the first iterations are walked: the last one's product is there all the same."""
    text = PRODUCT.read_text()
    long = text.replace("k0 < 1024", "k0 < 1048576").replace("+ 64 < 1024", "+ 64 < 1048576")
    assert long.count("1048576") == 2
    (tmp_path / "long.cpp").write_text(long)
    assert told(tmp_path / "long.cpp") == []
