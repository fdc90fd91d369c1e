"""The checked mode's table in C++ is the instruction table."""

from __future__ import annotations

import re

import pytest

from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.checked_header import FOLDER, checked_rows, render


@pytest.mark.parametrize("file", ["names.hpp", "begin.hpp", "end.hpp", "sites.hpp"])
def test_it_is_up_to_date(file: str) -> None:
    """Written anew by ``python -m pyptogen.lower.isa.checked_header``."""
    assert (FOLDER / file).read_text() == render()[file]


def test_every_file_has_every_instruction_on_tiles() -> None:
    """The committed files themselves: an instruction that is not renamed or not wrapped is not checked."""
    on_tiles = {
        name for name, row in INSTRUCTIONS.items() if set(row.effects) & set("wru") and not name.startswith("comm::")
    } - {"TPRINT", "SET_QUANT_VECTOR"}

    def listed(file: str, pattern: str) -> set[str]:
        return set(re.findall(pattern, (FOLDER / file).read_text(), re.MULTILINE))

    assert listed("names.hpp", r"^    X\((\w+),") == on_tiles
    assert listed("begin.hpp", r"^#define (\w+) \1_unchecked$") == on_tiles | {"TASSIGN"}
    assert listed("end.hpp", r"^#undef (\w+)$") == on_tiles | {"TASSIGN"}
    lines = listed("sites.hpp", r"^#define (\w+)\(\.\.\.\) pto_site\(__FILE__, __LINE__\)->\*\1\(__VA_ARGS__\)$")
    assert lines == on_tiles - {"TGATHER", "TSCATTER"} | {"TASSIGN"}


def test_it_has_what_touches_tiles() -> None:
    names = {row.name for row in checked_rows()}
    assert {"TLOAD", "TADD", "TMATMUL", "TMRGSORT", "TPUSH", "TPREFETCH"} <= names
    assert not {"TASSIGN", "TRESHAPE", "TSYNC", "comm::TPUT", "TPRINT"} & names


def test_sets_are_written_with_their_types() -> None:
    text = render()["names.hpp"]
    assert "constexpr Types kFloats = kFp32 | kFp16;" in text
    assert 'X(TADD, "wr", kFirst, kArithmetic, kPlain, kSame)' in text
    assert 'X(TCMP, "wr", kRead, kFp32Fp16Int32, kPlain, kSameRows)' in text
    assert 'X(TINTERLEAVE, "wwrr", kFirst, kNowhere, kUpTo4Bytes, kAny)' in text
