"""Texts of a spec's author in Markdown, shown as they were written: no HTML, links, headings or new cells come of them.

Code spans stay: authors mark names so. After CommonMark 0.31 (sections 2.4, backslash escapes, and 6.1, code spans) and
GitHub's tables, where a bar ends a cell in a code span too.
"""

from __future__ import annotations

import re

_ACTIVE = re.compile(r"[\\`*\[\]<>|~$&]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_FIRST = re.compile(r"[#+=-]")
_LISTED = re.compile(r"(\d+)[.)]")


def prose(text: str) -> str:
    """A text as a paragraph."""
    shown = _shown(text)
    number = _LISTED.match(shown)
    if number:
        return f"{number[1]}\\{shown[number.end(1) :]}"
    return f"\\{shown}" if _FIRST.match(shown) else shown


def cell(text: str) -> str:
    """A text as a cell of a table. Code with a bar is plain text there."""
    return _shown(text, code_with="[^`|]+")


def code(text: str) -> str:
    """A text as a code span, whatever backticks are in it; not for tables."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{space}{text}{space}{fence}"


def _shown(text: str, code_with: str = "[^`]+") -> str:
    """``code_with``: what may be in a code span."""
    parts = re.split(f"(?<!`)(`{code_with}`)(?!`)", " ".join(text.split()))
    return "".join(part if place % 2 else _ACTIVE.sub(_escaped, part) for place, part in enumerate(parts))


def _escaped(found: re.Match[str]) -> str:
    return _ENTITIES.get(found[0], f"\\{found[0]}")
