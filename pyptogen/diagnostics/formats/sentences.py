"""A finding as a line or a few, for forms that show the source themselves or not at all."""

from __future__ import annotations

from pyptogen.diagnostics.diagnostic import Diagnostic
from pyptogen.diagnostics.plain_text import name_shown, shown


def headline(one: Diagnostic) -> str:
    """Place, severity, code and message, with what was expected and the way out, in one line."""
    more = "; ".join(one.ways)
    return name_shown(f"{one} ({more})" if more else str(one))


def paragraph(one: Diagnostic) -> str:
    """The message, and below it what was expected, the way out and the notes, a line each."""
    return shown("\n".join((one.message, *one.details)))
