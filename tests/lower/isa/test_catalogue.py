"""The instruction table and the bundled headers name the same things, and every row is whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pyptogen
from pyptogen.lower.isa.instruction import DTYPES, EVERY
from pyptogen.lower.isa.table import CASTS, FAMILIES, INSTRUCTIONS, ISA_PLATFORMS, NARROWING
from pyptogen.simulate.meaning import MEANINGS

HEADERS = Path(pyptogen.__file__).parent / "runtime" / "include" / "pto"
TEXT = "\n".join(path.read_text() for path in sorted(HEADERS.rglob("*.hpp")))
PIPES = {"V", "M", "MTE1", "MTE2", "MTE3", "FIX", "S", "ALL", "source", "place"}
LAYOUTS = {"nd", "dn", "nz", "zn", "zz", "nn", "any", "gm"}


def test_all_public_instructions_are_listed() -> None:
    """159 names of the public API of 2026-08-21."""
    public = [row for family, rows in FAMILIES.items() if family != "extensions" for row in rows]
    assert len(public) == 159
    assert len(INSTRUCTIONS) == len(public) + len(FAMILIES["extensions"])


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_the_headers_have_it(name: str) -> None:
    bare = name.removeprefix("comm::")
    stem = re.sub(r"^(TROWEXPAND|TCOLEXPAND)(?=.)", r"\1##", bare)
    spelled = [rf"\b{bare}\(", rf"\({bare}[,)]", rf"\b{re.escape(stem.split('##')[0])}##"]
    assert any(re.search(pattern, TEXT) for pattern in spelled)


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_a_row_is_whole(name: str) -> None:
    row = INSTRUCTIONS[name]
    assert row.name == name
    assert row.doc
    assert set(row.dtypes) == set(ISA_PLATFORMS)
    assert all(types <= EVERY for types in row.dtypes.values())
    assert row.dtypes["cpu"], "the bundled headers have every instruction"
    assert row.pipe in PIPES
    assert set(row.layouts.split()) <= LAYOUTS
    assert set(row.effects) <= set("wrut-|")
    assert row.typed == "first" or "r" in row.effects


@pytest.mark.parametrize("name", sorted(INSTRUCTIONS))
def test_every_name_has_a_meaning(name: str) -> None:
    assert name in MEANINGS


def test_meanings_are_of_instructions_and_their_forms() -> None:
    for key in MEANINGS:
        name, _, form = key.partition("(")
        assert name in INSTRUCTIONS, key
        written = [text.strip() for text in INSTRUCTIONS[name].form.split("|")]
        assert not form or form.rstrip(")") in written, key


def test_casts_are_of_types_that_tcvt_takes() -> None:
    for platform, pairs in CASTS.items():
        assert {target for _, target in pairs} == INSTRUCTIONS["TCVT"].dtypes[platform]
        assert {source for source, _ in pairs} <= set(DTYPES)
    assert all(pairs >= NARROWING for pairs in CASTS.values())


def test_effects_of_a_call() -> None:
    by_count = {(name, n): INSTRUCTIONS[name].effects_for(n) for name, n in [
        ("TADD", 3), ("TROWARGMAX", 3), ("TROWARGMAX", 4), ("TMATMUL_ACC", 3), ("TMATMUL_ACC", 4), ("TMRGSORT", 2),
        ("TMRGSORT", 5), ("TCVT", 2), ("TRSQRT", 3),
    ]}  # fmt: skip
    assert list(by_count.values()) == ["wrr", "wrt", "wwrt", "urr", "wrrr", "wr", "wtrrr", "wr", "wrt"]
