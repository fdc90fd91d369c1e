"""What is wrong with one walk even if one instruction ends before the next begins: values that are gone when they are
used, and extents that do not fit."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.lower.instruction.ir import Instr
from pyptogen.lower.instruction.replay import Finding
from pyptogen.sanitize.contents import Contents
from pyptogen.sanitize.extents import extents
from pyptogen.sanitize.trace import Trace

_OF_ALL_WAYS = frozenset({"unwritten", "unused"})
"""What only a walk tells that goes the ways of a call: others may have left out what writes, or what reads."""


def findings(trace: Trace) -> Iterator[Finding]:
    """Of a walk whose numbers are known, as far as they hang on arguments."""
    guessed = trace.decided or trace.forced
    contents = Contents()
    for node in trace.nodes:
        if isinstance(node, Instr):
            uses = trace.uses[id(node)]
            yield from extents(node, uses)
            yield from (f for f in contents.instruction(node, uses) if not (guessed and f.kind in _OF_ALL_WAYS))
    if not guessed:
        yield from contents.end()
