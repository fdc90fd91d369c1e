"""A review as a comment in a pull request: the verdict, a table of what breaks and warns, the rest folded."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyptogen.diagnostics.plain_text import name_shown
from pyptogen.review.changes import SECTIONS, Change, Level, OperatorReview, Review
from pyptogen.review.render_text import verdict, word

_MARKS = {Level.BREAKING: "❗", Level.WARNING: "⚠️", Level.COMPATIBLE: ""}
_MOST = 60_000
"""Characters of a comment; GitHub takes 65,536 (its REST API: body is too long)."""
_LEFT_OUT = "\n\nThe rest is left out: `pyptogen diff` prints it.\n"


def render_markdown(review: Review) -> str:
    """The comment; ends with a newline. Longer ones than a comment may be are cut between operators."""
    text = f"### pyptogen: {_escaped(verdict(review))}\n"
    for one in review.operators:
        if one.state == "unchanged":
            continue
        part = "\n".join(_operator(one)) + "\n"
        if len(text) + len(part) + len(_LEFT_OUT) > _MOST:
            return text + _LEFT_OUT
        text += part
    return text


def _operator(one: OperatorReview) -> Iterator[str]:
    mark = _MARKS[one.level]
    yield f"\n#### {f'{mark} ' if mark else ''}`{one.name}`: {word(one)}\n"
    if one.state != "changed":
        return
    if not one.changes:
        yield "Nothing but its text."
    told = [change for change in one.changes if change.level is not Level.COMPATIBLE]
    rest = [change for change in one.changes if change.level is Level.COMPATIBLE]
    if told:
        yield from _table(told)
    if rest:
        yield f"<details><summary>{len(rest)} compatible change{'s' if len(rest) > 1 else ''}</summary>\n"
        yield from _table(rest)
        yield "\n</details>"


def _table(changes: list[Change]) -> Iterator[str]:
    yield "| | part | what | | before | after |"
    yield "|---|---|---|---|---|---|"
    for change in sorted(changes, key=lambda one: SECTIONS.index(one.section)):
        part = f"{change.section} {change.target}".strip()
        share = f" ({change.share:+.0%})" if change.share is not None else ""
        code = f" {change.code}" if change.code else ""
        cells = (part, change.subject, f"{change.word}{share}{code}", change.before, change.after)
        yield f"| {_MARKS[change.level]} | {' | '.join(map(_escaped, cells))} |"


def _escaped(text: str) -> str:
    """Text from specs between the marks of Markdown and HTML; what stands in backquotes keeps them."""
    parts = re.split(r"(`[^`]*`)", name_shown(text))
    return "".join(part.replace("|", "\\|") if part.startswith("`") else _plain(part) for part in parts)


def _plain(text: str) -> str:
    return re.sub(r"([\\*_\[\]|<>#~@`])", r"\\\1", text)
