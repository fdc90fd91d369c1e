"""Characters that have no place in text that people review: what they are, and how they are shown."""

from __future__ import annotations

import re

UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)
"""Control characters but for tabs and line feeds, what some readers take for the end of a line, what turns the order of
characters around (as in https://trojansource.codes/), and halves of characters."""


_LONGEST = 4000
"""Characters of a message."""


def unseen(text: str, also: str = "") -> int | None:
    """Where the first such character, or one of ``also``, stands in a text."""
    found = [match.start()] if (match := UNSEEN.search(text)) else []
    found += [at for at in (text.find(char) for char in also) if at >= 0]
    return min(found, default=None)


def shown(text: str) -> str:
    """The text with such characters spelled as Python does: a terminal obeys some of them, and halves of characters
    cannot be written at all. Of a text that fills pages, such as a name of a million letters, its two ends."""
    if len(text) > _LONGEST:
        text = f"{text[: _LONGEST // 2]} … {text[-_LONGEST // 2 :]}"
    return UNSEEN.sub(lambda match: _spelled(match[0]), text)


def name_shown(text: str) -> str:
    """The same of a name, which has one line."""
    return shown(text).replace("\n", "\\n").replace("\t", "\\t")


def in_columns(text: str) -> str:
    """The text with a mark in place of each, so that what stands behind keeps its column."""
    return UNSEEN.sub("\ufffd", text)


def _spelled(char: str) -> str:
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"
