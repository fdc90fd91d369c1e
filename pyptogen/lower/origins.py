"""Where each line of generated text comes from: a part of a template, and what of the spec that part serves.

before: text "a\\nb\\n"
after:  the same text, origins (Origin(of line 1), Origin(of line 2))
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.records import dataclass

AS_WRITTEN = "as written"
"""The part of lines that an author wrote as they are."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Of one line. ``part``: the template and its section (``kernel.cpp.j2: includes``); ``span``: what of the spec the
    line serves, None where it is the same for every operator; ``stage``, ``value``: what it works for there;
    ``made_by``: the pass that decided it, by its name in ``--dump-ir``."""

    part: str = ""
    span: Span | None = None
    stage: str = ""
    value: str = ""
    made_by: str = ""


class Traced(str):
    """Text that knows where its lines come from: ``origins`` has one for each, without the empty one behind the last
    line end."""

    origins: tuple[Origin, ...]

    def __new__(cls, text: str, origins: Iterable[Origin]) -> Traced:
        self = super().__new__(cls, text)
        self.origins = tuple(origins)
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return str(self), self.origins


def as_written(text: str, file: str, stage: str) -> Traced:
    """C++ that an author wrote in ``file``, as it is: each line is its own origin."""
    lines = text.splitlines()
    spans = (Span(file, number, 1, number, len(line) + 1) for number, line in enumerate(lines, 1))
    return Traced(text, [Origin(AS_WRITTEN, span, stage) for span in spans])


def carried_over(made: Traced, text: str) -> Traced:
    """``text`` is what somebody made of ``made`` by hand: lines that stayed keep their origin, new ones get that of the
    line before."""
    if text == made:
        return made
    origins: list[Origin] = []
    matcher = difflib.SequenceMatcher(None, made.splitlines(), text.splitlines(), autojunk=False)
    for kind, first, last, begin, end in matcher.get_opcodes():
        if kind == "equal":
            origins += made.origins[first:last]
        else:
            changed = kind == "replace" or not origins
            origins += [made.origins[min(first, len(made.origins) - 1)] if changed else origins[-1]] * (end - begin)
    return Traced(text, origins)
