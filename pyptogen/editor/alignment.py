"""Columns of values and comments that an author chose, in a text that ruamel.yaml wrote anew."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pyptogen.editor.comments import Comment, comments
from pyptogen.schema.include import read_tree
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping, Node, Scalar

_GAP = 2
"""Blanks between what a line says and its comment, at least."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An entry of a mapping in one line (1-based): the length of the key, the blanks behind its colon before and now,
    and the column (0-based) in which the value begins."""

    line: int
    key: int
    blanks: int
    now: int
    col: int


def aligned(old: Source, new: Source) -> str | None:
    """The text ``new``, which has the same tree and comments as ``old``, with the alignment of ``old``. None where it
    has other comments, or one that stood behind an entry stands alone."""
    old_tree, new_tree = read_tree(old), read_tree(new)
    before, after = comments(old.text, old_tree), comments(new.text, new_tree)
    if [(one.text, one.trailing) for one in before] != [(one.text, one.trailing) for one in after]:
        return None
    lines = new.text.split("\n")
    pairs = list(_pairs(old_tree, new_tree))
    bare = {one.line: lines[one.line][: one.col].rstrip() for one in after if one.trailing}
    for at, text in bare.items():
        lines[at] = text
    for run in _runs(pairs, old, new):
        for entry, blanks in zip(run, _blanks(run), strict=True):
            line = lines[entry.line - 1]
            lines[entry.line - 1] = line[: entry.col - entry.now] + " " * blanks + line[entry.col :]
    _put_comments(lines, before, after)
    _indent_comments(lines, before, after, pairs, old)
    return "\n".join(lines)


def _pairs(old: Node, new: Node) -> Iterator[tuple[Node, Node]]:
    """All nodes of two trees of one shape."""
    yield old, new
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        for (key, value), (new_key, new_value) in zip(old, new, strict=False):
            yield key, new_key
            yield from _pairs(value, new_value)
    elif not isinstance(old, Scalar | Mapping) and not isinstance(new, Scalar | Mapping):
        for item, new_item in zip(old.items, new.items, strict=False):
            yield from _pairs(item, new_item)


_COLON = re.compile(r":( +)")


def _runs(pairs: Sequence[tuple[Node, Node]], old: Source, new: Source) -> Iterator[list[_Entry]]:
    """Entries of a mapping in lines that follow each other."""
    for mapping, other in pairs:
        if not isinstance(mapping, Mapping) or not isinstance(other, Mapping) or mapping.flow or other.flow:
            continue
        run: list[_Entry] = []
        for (key, value), (new_key, new_value) in zip(mapping, other, strict=False):
            entry = _entry(key, value, new_key, new_value, old, new)
            if run and (entry is None or entry.line != run[-1].line + 1):
                yield run
                run = []
            run += [entry] if entry else []
        if run:
            yield run


def _entry(key: Scalar, value: Node, new_key: Scalar, new_value: Node, old: Source, new: Source) -> _Entry | None:
    blanks = _COLON.fullmatch(old.text, key.stop, max(value.start, key.stop))
    now = _COLON.fullmatch(new.text, new_key.stop, max(new_value.start, new_key.stop))
    if blanks is None or now is None or key.style == "block" or value.start == value.stop:
        return None
    line, col = new.position(new_value.start)
    return _Entry(line, new_key.stop - new_key.start, len(blanks[1]), len(now[1]), col - 1)


def _blanks(run: Sequence[_Entry]) -> list[int]:
    """The blanks behind the colon of each entry: those that put the values of neighbours into one column where the
    author wanted them there, else one. Groups that come to touch are joined, until none do."""
    entries = list(run)
    while True:
        groups: list[list[_Entry]] = []
        for entry in entries:
            if groups and _together(groups[-1][-1], entry):
                groups[-1].append(entry)
            else:
                groups.append([entry])
        widths = [max(one.key for one in group) for group in groups]
        blanks = [width - one.key + 1 for group, width in zip(groups, widths, strict=True) for one in group]
        if blanks == [one.blanks for one in entries]:
            return blanks
        entries = [replace(one, blanks=count) for one, count in zip(entries, blanks, strict=True)]


def _together(one: _Entry, other: _Entry) -> bool:
    """Whether the values of two neighbours stand, or were meant to stand, in one column: where one has more blanks than
    it needs, and the other has not, or is too long for that column."""
    here, there = one.key + one.blanks, other.key + other.blanks
    if here == there or (one.blanks > 1 and other.blanks > 1):
        return True
    if one.blanks > 1 or other.blanks > 1:
        return here < there if one.blanks > 1 else there < here
    return False


def _put_comments(lines: list[str], before: Sequence[Comment], after: Sequence[Comment]) -> None:
    """Comments behind entries, in their old column where there is room, neighbours of one column together."""
    group: list[tuple[Comment, Comment]] = []
    for pair in (*zip(before, after, strict=True), None):
        if pair is not None and not pair[1].trailing:
            continue
        if group and (pair is None or pair[0].col != group[-1][0].col or pair[1].line != group[-1][1].line + 1):
            column = max(group[0][0].col, *(len(lines[new.line]) + _GAP for _, new in group))
            for _, new in group:
                lines[new.line] = lines[new.line].ljust(column) + new.text
            group = []
        if pair is not None:
            group.append(pair)


def _indent_comments(
    lines: list[str],
    before: Sequence[Comment],
    after: Sequence[Comment],
    pairs: Sequence[tuple[Node, Node]],
    old: Source,
) -> None:
    """Comments with a line of their own, in the column of the line below (or above) them, if they were."""
    moved: dict[int, int] = {}
    for node, other in pairs:
        if isinstance(node, Scalar):
            moved.setdefault(old.position(node.start)[0] - 1, other.source.position(other.start)[0] - 1)
    texts = old.text.split("\n")
    told = sorted(moved)
    for was, now in zip(before, after, strict=True):
        if now.trailing:
            continue
        below = next((line for line in told if line > was.line), None)
        above = next((line for line in reversed(told) if line < was.line), None)
        for line in (below, above):
            if line is not None and _indentation(texts[line]) == was.col:
                lines[now.line] = " " * _indentation(lines[moved[line]]) + now.text
                break


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
