"""What a plain YAML scalar means: the core schema of YAML 1.2, and nothing more (``yes`` and ``on`` are
text)."""

from __future__ import annotations

import re
from typing import Any

MOST_DIGITS = 320
"""Of a number; the greatest float64 has 309 before the point. Python itself refuses to read some thousands."""

_WORDS = {"": None, "null": None, "~": None, "true": True, "false": False}
_INT = re.compile(r"[-+]?[0-9]+\Z")
_HEX = re.compile(r"0x[0-9a-fA-F]+\Z")
_OCT = re.compile(r"0o[0-7]+\Z")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?\Z")
_INF = re.compile(r"([-+]?)\.?inf\Z")


def resolve(text: str) -> Any:
    """None, bool, int, float or the text itself; ``inf`` may stand with or without YAML's leading dot. Raises
    ``OverflowError`` for a number of more than ``MOST_DIGITS`` characters."""
    if text in _WORDS:
        return _WORDS[text]
    if len(text) > MOST_DIGITS and any(form.match(text) for form in (_INT, _FLOAT, _HEX, _OCT)):
        raise OverflowError
    if _INT.match(text):
        return int(text)
    if _FLOAT.match(text):
        return float(text)
    if _HEX.match(text):
        return int(text, 16)
    if _OCT.match(text):
        return int(text[2:], 8)
    infinite = _INF.match(text)
    if infinite:
        return float(infinite.group(1) + "inf")
    if text in {"nan", ".nan"}:
        return float("nan")
    return text
