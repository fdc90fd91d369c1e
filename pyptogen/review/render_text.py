"""A review for a terminal: the verdict first, then operator by operator, breaking changes marked."""

from __future__ import annotations

from collections.abc import Iterator

from pyptogen.diagnostics.plain_text import shown
from pyptogen.review.approvals import said
from pyptogen.review.changes import SECTIONS, Change, Level, OperatorReview, Review

MARKS = {Level.BREAKING: "!", Level.WARNING: "~", Level.COMPATIBLE: " "}
_TINTS = {Level.BREAKING: "\033[31m", Level.WARNING: "\033[33m", Level.COMPATIBLE: ""}
_BOLD, _RESET = "\033[1m", "\033[0m"


def render_text(review: Review, *, colour: bool = False) -> str:
    """The whole report. A line of a change begins with `!` where it breaks callers and `~` where results may differ.
    Ends without a newline."""
    lines = [_paint(verdict(review), _BOLD, colour)]
    for one in review.operators:
        if one.state != "unchanged":
            lines += ["", *_operator(one, colour)]
    return "\n".join(lines)


def verdict(review: Review) -> str:
    """How many operators break their callers, warn, change, are new; the rest is as before."""
    changed = [one for one in review.operators if one.state not in ("added", "unchanged")]
    breaking, warning, rest = (sum(one.level is level for one in changed) for level in Level)
    counted = [
        (breaking, "breaks its callers", "break their callers"),
        (warning, "may give other results", "may give other results"),
        (rest, "changes and breaks nobody", "change and break nobody"),
        (review.counted("added"), "is new", "are new"),
    ]
    parts = [f"{count} {one if count == 1 else more}" for count, one, more in counted if count]
    same = review.counted("unchanged")
    told = ", ".join(parts) or "no operator changes"
    return f"against {shown(review.against)}: {told}; {same} {'is' if same == 1 else 'are'} as before"


def word(one: OperatorReview) -> str:
    """The verdict on one operator."""
    if one.state != "changed":
        return "BREAKING: removed" if one.state == "removed" else one.state
    return {Level.BREAKING: "BREAKING", Level.WARNING: "results may differ", Level.COMPATIBLE: "compatible"}[one.level]


def described(change: Change) -> str:
    """A change in one line: subject, word, what was and what is, by how much."""
    share = f", {change.share:+.0%}" if change.share is not None else ""
    code = f" [{change.code}]" if change.code else ""
    return shown(f"{change.subject}: {change.word}{said(change)}{share}{code}")


def _operator(one: OperatorReview, colour: bool) -> Iterator[str]:
    yield _paint(f"{one.name}: {word(one)}", _BOLD + _TINTS[one.level], colour)
    if one.state == "changed" and not one.changes:
        yield "    nothing but its text"
    if one.state != "changed":
        return
    for section in SECTIONS:
        for target in dict.fromkeys(change.target for change in one.changes if change.section == section):
            yield f"  {section}{f', {target}' if target else ''}{', estimated' if section == 'time' else ''}"
            for change in one.changes:
                if (change.section, change.target) == (section, target):
                    yield _paint(f"  {MARKS[change.level]} {described(change)}", _TINTS[change.level], colour)


def _paint(text: str, tint: str, colour: bool) -> str:
    return f"{tint}{text}{_RESET}" if colour and tint else text
