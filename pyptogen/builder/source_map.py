"""``source_map.json``: what of the spec each line of the generated files serves, and which template it is from.

One file beside the kernels of an operator, for all of its targets (docs/source-maps.md). It names sections of
templates, not their lines: a comment in a template changes no map.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, TypeVar

from pyptogen.diagnostics import Span
from pyptogen.lower.origins import Origin, Traced
from pyptogen.records import dataclass

SOURCE_MAP = "source_map.json"
FORMAT = 1
Entry = TypeVar("Entry")
_SPAN = re.compile(r"(?P<file>.+):(?P<line>\d+):(?P<col>\d+)-(?P<end_line>\d+):(?P<end_col>\d+)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class SourceMap:
    """``spec`` is the name of the spec in the folder, ``files`` the origins of the lines of each generated file. Files
    in spans are relative to the spec."""

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
    """The text of the map of an operator: JSON, sorted, a line for each file, span and origin. Of a file it has runs of
    lines: ``4`` is a line of origin 4, ``4*3`` are three. An origin is a row of numbers of a template, a span, a stage
    and a pass, with a value before the last: the tables begin with nothing."""
    origins = _Table[Origin]()
    runs = {}
    for path in sorted(files):
        found = [origins.number(origin) for origin in files[path].origins]
        lengths = [(number, sum(1 for _ in same)) for number, same in groupby(found)]
        runs[path] = " ".join(f"{number}*{length}" if length > 1 else f"{number}" for number, length in lengths)
    root = spec.resolve().parent
    spans, stages = _Table[Span | None](None), _Table[str]("")
    templates, passes = _Table[str]("", *sorted({origin.part for origin in origins})), _Table[str]("")
    rows = [
        [
            templates.number(origin.part),
            spans.number(origin.span),
            stages.number(origin.stage),
            origin.value,
            passes.number(origin.made_by),
        ]
        for origin in origins
    ]
    names = {file: _name(file, root) for file in {span.file for span in spans if span is not None}}
    content = {
        "files": runs,
        "format": FORMAT,
        "operator": operator,
        "origins": rows,
        "passes": list(passes),
        "spans": [_place(span, names) for span in spans],
        "spec": spec.name,
        "stages": list(stages),
        "templates": list(templates),
    }
    return "{\n" + ",\n".join(f"  {json.dumps(key)}: {_text(value)}" for key, value in content.items()) + "\n}\n"


class _Table(Generic[Entry]):
    """Things by the order in which they were first asked for."""

    def __init__(self, *entries: Entry) -> None:
        self._numbers = {entry: number for number, entry in enumerate(entries)}

    def number(self, entry: Entry) -> int:
        return self._numbers.setdefault(entry, len(self._numbers))

    def __iter__(self) -> Iterator[Entry]:
        return iter(self._numbers)


def _text(value: Any) -> str:
    """JSON with a line for each entry of a table."""
    if isinstance(value, dict):
        lines = [f"{json.dumps(key, ensure_ascii=False)}: {_compact(entry)}" for key, entry in value.items()]
        return "{" + ",".join(f"\n    {line}" for line in lines) + "\n  }"
    if isinstance(value, list):
        return "[" + ",".join(f"\n    {_compact(entry)}" for entry in value) + "\n  ]"
    return _compact(value)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _name(file: str, root: Path) -> str:
    return Path(file).resolve().relative_to(root).as_posix()


def _place(span: Span | None, names: Mapping[str, str]) -> str:
    if span is None:
        return ""
    return f"{names[span.file]}:{span.line}:{span.col}-{span.end_line}:{span.end_col}"


def read_map(data: bytes) -> SourceMap:
    """The map of a text that `render_map` made. Raises ``ValueError`` for any other text."""
    try:
        content = json.loads(data)
        if content["format"] != FORMAT:
            raise ValueError(f"format {content['format']}")
        spans = [_span(place) for place in content["spans"]]
        origins = [_origin(row, content, spans) for row in content["origins"]]
        files = {str(path): tuple(_runs(text, origins)) for path, text in content["files"].items()}
        return SourceMap(str(content["spec"]), files)
    except (KeyError, IndexError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"{type(error).__name__}: {error}") from None


def _origin(row: list[Any], tables: Mapping[str, Any], spans: list[Span | None]) -> Origin:
    template, span, stage, value, made_by = row
    names = (tables["templates"][template], tables["stages"][stage], value, tables["passes"][made_by])
    part, *others = map(str, names)
    return Origin(part, spans[span], *others)


def _span(place: str) -> Span | None:
    if not place:
        return None
    found = _SPAN.fullmatch(place)
    if not found:
        raise ValueError(f"`{place}` is no span")
    line, col, end_line, end_col = (int(found[name]) for name in ("line", "col", "end_line", "end_col"))
    return Span(found["file"], line, col, end_line, end_col)


def _runs(text: str, origins: list[Origin]) -> Iterator[Origin]:
    for run in text.split():
        number, _, length = run.partition("*")
        for _ in range(int(length or 1)):
            yield origins[int(number)]
