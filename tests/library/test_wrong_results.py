"""Every wrong result of every operator of the library fails, or there is a reason why it cannot be told."""

from __future__ import annotations

from pathlib import Path

import pytest
from compiling import NIGHTLY

from library.caught import HEAD, OPERATORS, REASONS, SLOW, counted, line_of
from library.wrong_results import MUTATIONS

PAGE = Path(__file__).parents[2] / "docs" / "verification.md"
ALWAYS_CAUGHT = frozenset({"scaled", "step", "tail", "heads"})
"""Faults that no data excuses."""


@pytest.mark.parametrize("operator", [name for name in OPERATORS if NIGHTLY or name not in SLOW])
def test_wrong_results_fail(operator: str) -> None:
    rows = counted(operator)
    unexplained = [(row.mutation, one) for row in rows for one in row.missed if one.reason not in REASONS]
    assert not unexplained
    assert not [one for row in rows if row.mutation in ALWAYS_CAUGHT for one in row.missed]
    assert line_of(rows) in PAGE.read_text(encoding="utf-8").splitlines()


def test_the_page_is_of_all_operators_and_faults() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert text.startswith(HEAD)
    table = text.split("## By operator")[1].split("## Not caught")[0]
    assert [line.split()[1] for line in table.splitlines() if line.startswith("| ")] == ["operator", *OPERATORS]
    assert all(f"| **{mutation}**: {words} |" in text for mutation, words in MUTATIONS.items())
