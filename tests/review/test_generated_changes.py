"""What reviewers read of generated code: kernels beside each other, bytes, flags, times."""

from __future__ import annotations

from dataclasses import replace

from pyptogen.review.changes import Change
from pyptogen.review.generated_changes import generated_changes
from pyptogen.review.model import Kernel, Made

LINES = tuple(f"TADD(a{line}, b);" for line in range(10))
FIRST = Kernel("first", "vector", ("void first()", *LINES), {"ub": 4096}, {"sets": 2, "waits": 2, "barriers": 0})
MADE = Made((FIRST,), {"w": "fp32[rows]"}, {"rows=1": 10.0})


def found(before: Made, after: Made) -> list[tuple[str, str, str, str, str]]:
    changes = generated_changes({"a2a3": before}, {"a2a3": after})
    assert all(change.target == "a2a3" for change in changes)
    return [plain(change) for change in changes]


def plain(change: Change) -> tuple[str, str, str, str, str]:
    return change.section, change.subject, change.word, change.before, change.after


def test_the_same_is_no_change() -> None:
    assert found(MADE, MADE) == []


def test_targets_of_one_side_are_the_contract_s() -> None:
    assert generated_changes({"cpu": MADE}, {"a2a3": MADE}) == ()


def test_kernels_added_removed_changed() -> None:
    other = Kernel("other", "cube", ("void other()", "TMATMUL(c, a, b);"), {}, {})
    assert found(MADE, replace(MADE, kernels=(FIRST, other))) == [("kernels", "`other`", "added", "", "2 lines")]
    assert found(replace(MADE, kernels=(FIRST, other)), MADE) == [("kernels", "`other`", "removed", "2 lines", "")]
    longer = replace(FIRST, code=(*FIRST.code[:-1], "TSUB(a, b);", "TEXP(a, a);"))
    assert found(MADE, replace(MADE, kernels=(longer,))) == [("kernels", "`first`", "changed", "", "+2 -1 lines")]


def test_a_kernel_of_another_name_is_the_same_kernel() -> None:
    renamed = replace(FIRST, name="second", code=("void second()", *LINES))
    assert found(MADE, replace(MADE, kernels=(renamed,))) == [("kernels", "`first`", "renamed", "", "`second`")]
    edited = replace(renamed, code=("void second()", *LINES[:-1], "TSUB(a, b);"))
    assert found(MADE, replace(MADE, kernels=(edited,))) == [
        ("kernels", "`first`", "renamed", "", "`second`, +1 -1 lines")
    ]
    on_cube = replace(renamed, core="cube")
    assert [change[2] for change in found(MADE, replace(MADE, kernels=(on_cube,)))] == ["added", "removed"]


def test_bytes_flags_and_workspaces() -> None:
    grown = replace(FIRST, memory={"ub": 6144, "l1": 64}, sync={"sets": 3, "waits": 3, "barriers": 0})
    assert found(MADE, Made((grown,), {"w": "fp16[rows]", "v": "fp32[4]"}, MADE.times)) == [
        ("memory", "`first` UB", "more", "4,096 B", "6,144 B"),
        ("memory", "`first` L1", "more", "0 B", "64 B"),
        ("memory", "workspace `w`", "changed", "fp32[rows]", "fp16[rows]"),
        ("memory", "workspace `v`", "added", "", "fp32[4]"),
        ("synchronisation", "`first` sets", "more", "2", "3"),
        ("synchronisation", "`first` waits", "more", "2", "3"),
    ]
    (change, *_) = generated_changes({"a": MADE}, {"a": replace(MADE, kernels=(grown,))})
    assert change.share == 0.5


def test_estimated_times_of_the_cases_of_both_sides() -> None:
    after = replace(MADE, times={"rows=1": 12.5, "rows=9": 3.0})
    assert found(MADE, after) == [("time", "rows=1", "slower", "10.0 us", "12.5 us")]
    assert found(after, MADE) == [("time", "rows=1", "faster", "12.5 us", "10.0 us")]
    assert found(MADE, replace(MADE, times={"rows=1": 10.04})) == []
    assert found(replace(MADE, times={"rows=1": 1000.0}), replace(MADE, times={"rows=1": 1004.0})) == []
