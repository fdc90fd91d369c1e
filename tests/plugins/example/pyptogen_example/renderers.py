"""Another form of findings."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.diagnostics import Diagnostic


def count(diagnostics: Sequence[Diagnostic]) -> str:
    """How many there are."""
    return f"{len(diagnostics)} findings"
