"""From a line of a generated file to the spec, and from a line of a spec to what is generated of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pyptogen.builder.compare import recorded_files
from pyptogen.builder.fingerprint import MANIFEST, read_generated, sha256
from pyptogen.builder.lock import read_lock
from pyptogen.builder.source_map import SOURCE_MAP, SourceMap, read_map
from pyptogen.diagnostics import DiagnosticError, Span, fault, read_source
from pyptogen.diagnostics.plain_text import name_shown
from pyptogen.lower.origins import Origin
from pyptogen.regular_files import read_regular


@dataclass(frozen=True, slots=True)
class Cause:
    """What a line of a generated file comes from; the span of ``origin`` is in the spec that was built, or in its copy
    in the folder where the spec changed since."""

    file: str
    line: int
    text: str
    origin: Origin


@dataclass(frozen=True, slots=True)
class Served:
    """The lines of a generated file that serve a line of a spec, as (first, last)."""

    file: str
    ranges: tuple[tuple[int, int], ...]


def why(place: str) -> Cause:
    """What the line of a generated file at ``FILE:LINE`` comes from.

    Raises ``DiagnosticError``: PTG516 for no such line, PTG517 for a file without a source map, PTG514 for one whose
    lines are no longer those of the map.
    """
    path, line = _split(place)
    text = _line(path, line)
    folder = next((parent for parent in path.parents if (parent / SOURCE_MAP).is_file()), None)
    if folder is None:
        raise fault(
            "PTG517",
            f"`{name_shown(str(path))}` lies in no generated folder",
            None,
            expected=f"a file that `pyptogen build` wrote, beside its {SOURCE_MAP}",
        )
    name = path.relative_to(folder).as_posix()
    origins = _map_of(folder).files.get(name, ())
    if line > len(origins):
        raise _without_origins(folder, name)
    recorded = recorded_files(folder)
    if recorded.get(name) != sha256(read_generated(path)):
        raise fault(
            "PTG514",
            f"`{name_shown(str(path))}` is not as it was built: its lines are no longer those of the source map",
            None,
            fix="run `pyptogen build --force`, or undo the edit",
        )
    return Cause(str(path), line, text, _in_spec(origins[line - 1], folder))


def where(place: str, out: Path) -> tuple[Served, ...]:
    """The generated lines below ``out`` that serve the line of a spec, or of a file that it includes, at ``FILE:LINE``.

    Raises ``DiagnosticError``: PTG516 for no such line, PTG517 where no operator was built from the file, or the file
    changed since.
    """
    path, line = _split(place)
    _line(path, line)
    found = tuple(_operators(path, out))
    if not found:
        raise fault(
            "PTG517",
            f"nothing in `{name_shown(str(out))}` was built from `{name_shown(str(path))}`",
            None,
            expected="a spec of that library, or a file that one includes",
            fix="run `pyptogen build`, or say with `-o` where the generated folders are",
        )
    served = []
    for folder, name in found:
        if not _same(path, folder / name):
            raise fault(
                "PTG517",
                f"`{name_shown(str(path))}` changed since `{name_shown(str(folder))}` was built",
                None,
                fix="run `pyptogen build`",
            )
        served += [Served(str(folder / file), ranges) for file, ranges in _map_of(folder).ranges(name, line)]
    return tuple(served)


def _split(place: str) -> tuple[Path, int]:
    """``FILE:LINE``, also with the column behind it that compilers write."""
    parts = place.split(":")
    while len(parts) > 2 and parts[-1].isdecimal() and parts[-2].isdecimal():
        parts.pop()
    file, line = ":".join(parts[:-1]), parts[-1]
    if not file or "\0" in file or not (line.isascii() and line.isdecimal() and len(line) < 10 and int(line)):
        raise fault(
            "PTG516",
            f"`{name_shown(place)}` names no line",
            None,
            expected="FILE:LINE, such as generated/softmax/a2a3/kernels/softmax.cpp:42",
        )
    return Path(file), int(line)


def _line(path: Path, line: int) -> str:
    text = read_source(str(path))
    if text is None:
        raise fault("PTG516", f"`{name_shown(str(path))}` is no text file that can be read", None)
    lines = text.splitlines()
    if line > len(lines):
        count = f"{len(lines)} line{'s' if len(lines) != 1 else ''}"
        raise fault("PTG516", f"`{name_shown(str(path))}` has {count}, and no line {line}", None)
    return lines[line - 1]


def _map_of(folder: Path) -> SourceMap:
    try:
        return read_map(read_generated(folder / SOURCE_MAP))
    except (OSError, ValueError) as error:
        place = name_shown(str(folder / SOURCE_MAP))
        raise fault("PTG517", f"`{place}` cannot be read: {error}", None, fix="run `pyptogen build`") from None


def _without_origins(folder: Path, name: str) -> DiagnosticError:
    copies = {name for name in recorded_files(folder) if name not in _map_of(folder).files}
    if name in copies - {SOURCE_MAP}:
        fix = "ask the other way round: `pyptogen where`"
        return fault("PTG517", f"`{name_shown(name)}` is what was built from, and is not generated", None, fix=fix)
    if name in (MANIFEST, SOURCE_MAP):
        return fault("PTG517", f"`{name}` describes the folder as a whole", None, expected="a kernel or another source")
    return fault(
        "PTG517",
        f"the source map of `{name_shown(str(folder))}` has no such line of `{name_shown(name)}`",
        None,
        expected="a file as `pyptogen build` wrote it",
    )


def _in_spec(origin: Origin, folder: Path) -> Origin:
    """The origin with its place as the user knows it: in the spec that was built, where that is still the same."""
    span = origin.span
    if span is None:
        return origin
    file = folder / span.file
    one = read_lock(folder.parent).operators.get(folder.name)
    if one is not None:
        source = _nice((folder.parent / one.spec).parent / span.file)
        file = source if _same(source, file) else file
    return replace(origin, span=replace(span, file=str(file)))


def _operators(path: Path, out: Path) -> Iterator[tuple[Path, str]]:
    """The folders of operators that were built from a file, and its name there. A copy in such a folder is of that one
    operator."""
    folder = next((parent for parent in path.parents if (parent / SOURCE_MAP).is_file()), None)
    if folder is not None:
        yield folder, path.relative_to(folder).as_posix()
        return
    asked = path.resolve()
    for name, one in sorted(read_lock(out).operators.items()):
        spec = (out / one.spec).resolve()
        read = [spec, *((out / path).resolve() for path in one.includes)]
        if asked in read and asked.is_relative_to(spec.parent):
            yield out / name, asked.relative_to(spec.parent).as_posix()


def _same(path: Path, other: Path) -> bool:
    try:
        return read_regular(path) == read_regular(other)
    except OSError:
        return False


def _nice(path: Path) -> Path:
    """Relative to the working directory where that is shorter."""
    absolute, here = path.resolve(), Path.cwd().resolve()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else path


def as_object(cause: Cause) -> Mapping[str, object]:
    """For programs; ``null`` where a line has no such thing."""
    span = cause.origin.span
    return {
        "file": cause.file,
        "line": cause.line,
        "text": cause.text,
        "template": cause.origin.part,
        "span": None if span is None else _span_object(span),
        "stage": cause.origin.stage or None,
        "value": cause.origin.value or None,
        "pass": cause.origin.made_by or None,
    }


def _span_object(span: Span) -> Mapping[str, object]:
    return {
        "file": span.file,
        "line": span.line,
        "col": span.col,
        "end_line": span.end_line,
        "end_col": span.end_col,
    }
