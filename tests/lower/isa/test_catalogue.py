"""The list of instructions and the bundled headers name the same things."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pyptogen
from pyptogen.lower.isa.catalogue import CATALOGUE, FAMILIES
from pyptogen.lower.isa.table import INSTRUCTIONS

HEADERS = Path(pyptogen.__file__).parent / "runtime" / "include" / "pto"
TEXT = "\n".join(path.read_text() for path in sorted(HEADERS.rglob("*.hpp")))


def test_lowered_rows_lead() -> None:
    assert all(CATALOGUE[name] is row for name, row in INSTRUCTIONS.items())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_has_each_name_once(family: str) -> None:
    names = [row.name for row in FAMILIES[family]]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", sorted(CATALOGUE))
def test_the_headers_have_it(name: str) -> None:
    bare = name.removeprefix("comm::")
    stem = re.sub(r"^(TROWEXPAND|TCOLEXPAND)(?=.)", r"\1##", bare)
    spelled = [rf"\b{bare}\(", rf"\({bare}[,)]", rf"\b{re.escape(stem.split('##')[0])}##"]
    assert any(re.search(pattern, TEXT) for pattern in spelled)


def test_most_of_the_public_instructions_are_listed() -> None:
    assert len(CATALOGUE) >= 140
