"""``source_map.json``: what of the spec each line of the generated files serves, and which template it is from.

One file beside the kernels of an operator, for all of its targets (docs/source-maps.md). It names sections of
templates, not their lines: a comment in a template changes no map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.origins import Origin, Traced

SOURCE_MAP = "source_map.json"
FORMAT = 1
_SPAN = re.compile(r"(?P<file>.+):(?P<line>\d+):(?P<col>\d+)-(?P<end_line>\d+):(?P<end_col>\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """``spec`` is the name of the spec in the folder, ``files`` the origins of the lines of each generated file. Files in
    spans are relative to the spec."""

    spec: str
    files: Mapping[str, tuple[Origin, ...]]

    def ranges(self, file: str, line: int) -> Iterator[tuple[str, tuple[tuple[int, int], ...]]]:
        """Of each generated file that serves a line of a spec, or of a file that it includes: first and last lines."""
        for path, origins in self.files.items():
            served = [origin.span is not None and _covers(origin.span, file, line) for origin in origins]
            numbered = groupby(enumerate(served, 1), key=lambda entry: entry[1])
            found = [[number for number, _ in entries] for serves, entries in numbered if serves]
            if found:
                yield path, tuple((numbers[0], numbers[-1]) for numbers in found)


def _covers(span: Span, file: str, line: int) -> bool:
    return span.file == file and span.line <= line <= span.end_line


def render_map(operator: str, spec: Path, files: Mapping[str, Traced]) -> str:
    """The text of the map of an operator: JSON, sorted, a line for each origin and for each file. Of a file it has runs
    of lines: ``4`` is a line of origin 4, ``4*3`` are three."""
    numbers: dict[Origin, int] = {}
    runs = {}
    for path in sorted(files):
        found = [numbers.setdefault(origin, len(numbers)) for origin in files[path].origins]
        lengths = [(number, sum(1 for _ in same)) for number, same in groupby(found)]
        runs[path] = " ".join(f"{number}*{length}" if length > 1 else f"{number}" for number, length in lengths)
    root = spec.resolve().parent
    names = {span.file: _name(span.file, root) for origin in numbers if (span := origin.span) is not None}
    content = {
        "files": _lines(f"{json.dumps(path)}: {json.dumps(text)}" for path, text in runs.items()),
        "origins": _lines(json.dumps(_plain(origin, names), ensure_ascii=False) for origin in numbers),
    }
    return (
        f'{{\n  "files": {{{content["files"]}}},\n  "format": {FORMAT},\n  "operator": {json.dumps(operator)},\n'
        f'  "origins": [{content["origins"]}],\n  "spec": {json.dumps(spec.name, ensure_ascii=False)}\n}}\n'
    )


def _lines(entries: Iterable[str]) -> str:
    return "".join(f"\n    {entry}," for entry in entries).removesuffix(",") + "\n  "


def _name(file: str, root: Path) -> str:
    return Path(file).resolve().relative_to(root).as_posix()


def _plain(origin: Origin, names: Mapping[str, str]) -> list[str]:
    """Template, span, stage, value, pass; what is empty at the end is left out."""
    span = origin.span
    place = f"{names[span.file]}:{span.line}:{span.col}-{span.end_line}:{span.end_col}" if span else ""
    fields = [origin.part, place, origin.stage, origin.value, origin.made_by]
    while len(fields) > 1 and not fields[-1]:
        fields.pop()
    return fields


def read_map(data: bytes) -> SourceMap:
    """The map of a text that `render_map` made. Raises ``ValueError`` for any other text."""
    try:
        content = json.loads(data)
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}")
        origins = [_origin(fields) for fields in content["origins"]]
        files = {str(path): tuple(_runs(text, origins)) for path, text in content["files"].items()}
        return SourceMap(str(content["spec"]), files)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None


def _origin(fields: list[Any]) -> Origin:
    part, place, stage, value, made_by = [*map(str, fields), "", "", "", ""][:5]
    found = _SPAN.fullmatch(place)
    if place and not found:
        raise ValueError(f"`{place}` is no span")
    if not found:
        return Origin(part, None, stage, value, made_by)
    line, col, end_line, end_col = (int(found[name]) for name in ("line", "col", "end_line", "end_col"))
    return Origin(part, Span(found["file"], line, col, end_line, end_col), stage, value, made_by)


def _runs(text: str, origins: list[Origin]) -> Iterator[Origin]:
    for run in text.split():
        number, _, length = run.partition("*")
        for _ in range(int(length or 1)):
            yield origins[int(number)]
