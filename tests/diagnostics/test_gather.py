"""Errors that are told together, and questions whose errors are told to nobody."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest

from pyptogen.diagnostics import DiagnosticError, attempted, fault, gathering, is_sound, keep, kept, require_sound

LOWER = Path(__file__).parents[2] / "pyptogen/lower"


def wrong(message: str) -> DiagnosticError:
    return fault("PTG201", message, None)


def told(read: Callable[[], None]) -> list[str]:
    """The messages of what a reading raises at its end."""
    with pytest.raises(DiagnosticError) as raised:
        read()
    return [one.message for one in raised.value.diagnostics]


def test_a_block_says_whether_it_failed() -> None:
    def read() -> None:
        with gathering():
            with kept("a") as first:
                raise wrong("one")
            with kept("b") as second:
                pass
            assert (first.failed, second.failed) == (True, False)
            assert (is_sound("a"), is_sound("b")) == (False, True)

    assert told(read) == ["one"]


def test_without_a_collection_the_first_error_is_raised() -> None:
    with pytest.raises(DiagnosticError, match="one"), kept() as outcome:
        raise wrong("one")
    assert outcome.failed


def test_an_attempt_tells_nobody() -> None:
    with gathering():
        with attempted() as faults:
            raise wrong("one")
        with attempted() as none:
            pass
    assert faults.first is not None
    assert (bool(faults), faults.first.message) == (True, "one")
    assert (bool(none), none.first) == (False, None)


def test_an_attempt_has_no_part_in_the_collection_around_it() -> None:
    def read() -> None:
        with gathering():
            keep(wrong("one"), "a")
            with attempted() as faults:
                require_sound("a")
                with gathering(), kept("b"):
                    raise wrong("two")
            assert faults.first is not None
            assert faults.first.message == "two"
            assert is_sound("b")

    assert told(read) == ["one"]


def test_an_error_that_says_nothing_is_a_failed_attempt() -> None:
    with attempted() as faults:
        raise DiagnosticError
    assert (bool(faults), faults.first) == (True, None)


def test_an_attempt_lets_faults_of_the_tool_pass() -> None:
    with pytest.raises(ValueError, match="a bug"), attempted():
        raise ValueError("a bug")


def test_lowering_never_catches_what_is_for_people() -> None:
    catching = [
        f"{path.relative_to(LOWER)}:{node.lineno}"
        for path in sorted(LOWER.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and node.type is not None and "DiagnosticError" in ast.unparse(node.type)
    ]
    assert catching == []
