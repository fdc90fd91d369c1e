"""Tabs that indent lines of a YAML text: refused by YAML, and read on as the spaces that stood there probably."""

from __future__ import annotations

import re

from pyptogen.records import dataclass
from pyptogen.schema.source import Source


@dataclass(frozen=True, slots=True)
class Tabs:
    """White space from a tab on, at the beginning of a line: where it begins (an offset into the text), and the spaces
    in its place."""

    at: int
    text: str
    spaces: str


def indenting_tabs(source: Source, at: int) -> Tabs:
    """Those of the line of ``at``, an offset of a tab. As many tabs are as many levels of what is open there, and no
    more than there are."""
    begin = source.text.rfind("\n", 0, at) + 1
    rest = source.text[at:]
    text = rest[: len(rest) - len(rest.lstrip(" \t"))]
    columns = _open_columns(source.text[:begin])
    level = text.count("\t") if at == begin else len(columns)
    width = columns[min(level, len(columns) - 1)]
    return Tabs(at, text, " " * max(0, width - (at - begin)))


def _open_columns(above: str) -> list[int]:
    """The columns, from 0, in which a line behind this text may begin: of what is open, the outermost first."""
    columns, opens = [0], False
    for line in above.splitlines():
        written = line.split(" #")[0].rstrip()
        if not written or written.lstrip().startswith("#"):
            continue
        head = re.match(r" *(?:- +)*", written)
        begins = [m.start() for m in re.finditer(r"- +|$", head[0])] if head else [0]
        columns = [column for column in columns if column < begins[0]] + begins
        opens = written.endswith(":")
    return [*columns, columns[-1] + 2] if opens else columns


@dataclass(frozen=True, slots=True)
class SpacedSource(Source):
    """A text with spaces for tabs; its places are those in the text as it was given."""

    given: Source
    line: int
    col: int
    """Where the tabs begin, in the text of ``given``."""
    tabs: int
    spaces: int

    def position(self, offset: int) -> tuple[int, int]:
        line, col = Source.position(self, offset)
        if line == self.line and col > self.col:
            col = max(self.col, col - self.spaces + self.tabs)
        return self.given.position(Source.offset(self.given, line, col))

    def offset(self, line: int, col: int) -> int:
        line, col = Source.position(self.given, self.given.offset(line, col))
        if line == self.line and col >= self.col + self.tabs:
            col += self.spaces - self.tabs
        return Source.offset(self, line, col)

    @property
    def lines(self) -> frozenset[int]:
        """All lines in which spaces stand for tabs."""
        return frozenset({self.line}) | (self.given.lines if isinstance(self.given, SpacedSource) else frozenset())


def spaced(source: Source, tabs: Tabs) -> SpacedSource:
    """The text with these tabs as spaces."""
    stop = tabs.at + len(tabs.text)
    text = source.text[: tabs.at] + tabs.spaces + source.text[stop:]
    line, col = Source.position(source, tabs.at)
    return SpacedSource(source.file, text, source, line, col, len(tabs.text), len(tabs.spaces))
