"""A diagnostic code in words."""

from __future__ import annotations

import textwrap

from pyptogen.diagnostics import CODES

_WIDTH = 100


def explain_code(code: str) -> str:
    """Title and explanation of a code such as ``PTG301``; ends with a newline. Raises ``KeyError`` for an unknown
    one."""
    found = CODES[code]
    return f"{found.code}: {found.title}\n\n{textwrap.fill(found.explanation, _WIDTH)}\n"
