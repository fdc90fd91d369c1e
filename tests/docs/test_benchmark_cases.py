"""Every operator of the library is timed beside its peers."""

from __future__ import annotations

import re

import pytest

from .blocks import ROOT

CASES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "benchmarks/library_cases").glob("*.py"))
TIMED = {
    *re.findall(r'"(\w+)\.yaml"', CASES),
    *re.findall(r'_(?:prolog|attention)\(\s*"(\w+)"', CASES),
    *(f"matmul_{dtype}" for dtype in re.findall(r'_matmul\("(\w+)"', CASES)),
}


@pytest.mark.parametrize("operator", sorted(path.stem for path in (ROOT / "specs").glob("*.yaml")))
def test_an_operator_has_a_case(operator: str) -> None:
    assert operator in TIMED, f"{operator} has no case in benchmarks/library_cases"
