"""One change of a good spec and what must be said about it: the shape of every test of bad input."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pyptogen.diagnostics import DiagnosticError, render_text
from pyptogen.schema import Source


@dataclass(frozen=True)
class Bad:
    """``old`` in the base spec becomes ``new`` (and each pair of ``also``); the first finding must be ``code`` at
    ``place`` and say ``words``."""

    name: str
    old: str
    new: str
    code: str
    place: tuple[int, int]
    words: tuple[str, ...]
    also: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        return self.name


def said_about(bad: Bad, base: str, file: str, read: Callable[[Source], object]) -> str:
    """The finding as a user sees it, after its code, place and words were compared."""
    assert base.count(bad.old) == 1
    text = base.replace(bad.old, bad.new)
    for old, new in bad.also:
        assert old in text
        text = text.replace(old, new)
    with pytest.raises(DiagnosticError) as raised:
        read(Source(file, text))
    found = raised.value.diagnostics[0]
    assert found.span is not None
    assert (found.code, (found.span.line, found.span.col)) == (bad.code, bad.place)
    rendered = render_text(found, lambda _: text)
    assert [word for word in bad.words if word not in rendered] == []
    return rendered
