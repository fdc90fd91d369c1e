"""The checked mode's table in C++ is the instruction table."""

from __future__ import annotations

from pyptogen.lower.isa.checked_header import PATH, checked_rows, render


def test_it_is_up_to_date() -> None:
    """Written anew by ``python -m pyptogen.lower.isa.checked_header``."""
    assert PATH.read_text() == render()


def test_it_has_what_touches_tiles() -> None:
    names = {row.name for row in checked_rows()}
    assert {"TLOAD", "TADD", "TMATMUL", "TMRGSORT", "TPUSH", "TPREFETCH"} <= names
    assert not {"TASSIGN", "TRESHAPE", "TSYNC", "comm::TPUT", "TPRINT"} & names


def test_sets_are_written_with_their_types() -> None:
    text = render()
    assert "constexpr Types kFloats = kFp32 | kFp16;" in text
    assert 'X(TADD, "wr", kFirst, kArithmetic, kPlain, kSame)' in text
    assert 'X(TCMP, "wr", kRead, kFp32Fp16Int32, kPlain, kSameRows)' in text
    assert 'X(TINTERLEAVE, "wwrr", kFirst, kNowhere, kUpTo4Bytes, kAny)' in text
