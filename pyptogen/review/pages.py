"""Generated files that a build would change, as pages for a reviewer: the difference, line by line, beside the
statement of the spec that each line serves."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pyptogen.builder.fingerprint import MANIFEST, read_generated
from pyptogen.builder.report import OperatorBuild
from pyptogen.builder.source_map import SOURCE_MAP, SourceMap, read_map
from pyptogen.diagnostics import Span
from pyptogen.lower.origins import Origin

Mark = Literal[" ", "+", "-", "@"]
_AROUND = 3
"""Lines that stayed, around those that change."""


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a page: what it is (`@` begins a place further down), its number in the new file (of a `-` in the old
    one), its text, and the lines of the spec that it serves where the row above serves others."""

    mark: Mark
    number: int
    text: str
    cause: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """The change of one file. ``why`` is the word of `State`."""

    operator: str
    path: Path
    why: str
    rows: tuple[Row, ...]

    @property
    def added(self) -> int:
        return sum(row.mark == "+" for row in self.rows)

    @property
    def removed(self) -> int:
        return sum(row.mark == "-" for row in self.rows)


def pages(operator: OperatorBuild) -> list[Page]:
    """What a person reviews of an operator, kernels first; not its manifest, its map and its copies of specs, which
    follow from that."""
    before, after = _map(operator, False), _map(operator, True)
    shown = sorted({*operator.written, *operator.removed} - {MANIFEST, SOURCE_MAP}, key=_rank)
    found = []
    for path in shown:
        if path.endswith((".yaml", ".yml", ".toml")):
            continue
        rows = tuple(_rows(operator, path, before, after))
        found.append(Page(operator.name, operator.folder / path, operator.states[path].value, rows))
    return found


def _rank(path: str) -> tuple[int, str]:
    first = [part in path for part in ("/kernels/", "orchestration", "pto/")]
    return (first.index(True) if True in first else len(first)), path


def _map(operator: OperatorBuild, new: bool) -> SourceMap | None:
    data = operator.new.get(SOURCE_MAP) if new else None
    try:
        if data is None:
            data = (operator.folder / SOURCE_MAP).read_bytes()
        return read_map(data)
    except (OSError, ValueError):
        return None


def _rows(operator: OperatorBuild, path: str, before: SourceMap | None, after: SourceMap | None) -> Iterator[Row]:
    place = operator.folder / path
    old = _lines(read_generated(place)) if place.is_file() else []
    new = _lines(operator.new[path]) if path in operator.new else []
    causes = {"-": _Causes(before, path, operator.folder)}
    causes["+"] = _Causes(after, path, operator.spec.parent) if operator.spec is not None else causes["-"]
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    last: tuple[str, ...] = ()
    for number, group in enumerate(matcher.get_grouped_opcodes(_AROUND)):
        if number:
            yield Row("@", group[0][3] + 1, "")
            last = ()
        for mark, line, text in _of_group(group, old, new):
            cause = causes["-" if mark == "-" else "+"].of(line)
            yield Row(mark, line, text, () if cause == last else cause)
            last = cause


def _of_group(
    group: Iterable[tuple[str, int, int, int, int]], old: list[str], new: list[str]
) -> Iterator[tuple[Mark, int, str]]:
    for kind, first, last, begin, end in group:
        if kind == "equal":
            yield from ((" ", number + 1, new[number]) for number in range(begin, end))
            continue
        yield from (("-", number + 1, old[number]) for number in range(first, last))
        yield from (("+", number + 1, new[number]) for number in range(begin, end))


def _lines(data: bytes) -> list[str]:
    return data.decode(errors="replace").splitlines()


class _Causes:
    """The lines of specs that lines of one generated file serve; specs lie below ``folder``."""

    def __init__(self, known: SourceMap | None, path: str, folder: Path) -> None:
        self._origins: Mapping[int, Origin] = dict(enumerate(known.files.get(path, ()), 1)) if known else {}
        self._folder = folder

    def of(self, line: int) -> tuple[str, ...]:
        origin = self._origins.get(line)
        if origin is None or origin.span is None:
            return ()
        return _excerpt(self._folder, origin.span)


def _excerpt(folder: Path, span: Span) -> tuple[str, ...]:
    try:
        lines = (folder / span.file).read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError):
        return (f"{span.file}:{span.line}",)
    return tuple(f"{span.file}:{number}  {lines[number - 1].strip()}" for number in range(span.line, span.end_line + 1)
                 if number <= len(lines))  # fmt: skip
