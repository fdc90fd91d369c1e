"""Files of specs and their one form: what would change, and the change itself."""

from __future__ import annotations

import difflib
import os
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import Diagnostic, Span
from pyptogen.editor.format_spec import formatted
from pyptogen.editor.put_file import put_file
from pyptogen.schema.source import read


@dataclass(frozen=True, slots=True)
class FormattedFile:
    """A spec as it is and as it should be written."""

    path: Path
    old: str
    new: str

    @property
    def changed(self) -> bool:
        return self.old != self.new


def format_file(path: Path) -> FormattedFile:
    """The spec at ``path`` in its one form; nothing is written. Raises ``DiagnosticError`` where it is not well-formed
    or cannot be read."""
    source = read(str(path))
    return FormattedFile(path, path.read_bytes().decode(), formatted(source))


def unformatted(file: FormattedFile) -> Diagnostic:
    """PTG120, at the first line that would change."""
    old, new = file.old.split("\n"), file.new.split("\n")
    pairs = enumerate(zip(old, new, strict=False), 1)
    at = next((line for line, (one, other) in pairs if one != other), min(len(old), len(new)))
    before, after = (lines[at - 1] if at <= len(lines) else "" for lines in (old, new))
    col = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after)))
    span = Span(str(file.path), at, col + 1, at, len(before.rstrip("\r")) + 1)
    expected = f"`{after.strip()}`" if after.strip() != before.strip() else ""
    return Diagnostic("PTG120", "this spec does not have its one form", span, expected, f"`pyptogen fmt {file.path}`")


def patch(file: FormattedFile) -> str:
    """What would change, as a unified diff."""
    name = os.path.relpath(file.path).replace(os.sep, "/")
    old, new = file.old.splitlines(keepends=True), file.new.splitlines(keepends=True)
    lines = difflib.unified_diff(old, new, f"a/{name}", f"b/{name}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def write(file: FormattedFile) -> None:
    """Put the new text in place of the old. Raises PTG504 where that cannot be."""
    put_file(file.path, file.new)
