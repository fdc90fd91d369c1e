"""Mends a spec where a finding has one way out. Comments and form of the file stay as they are: only what is wrong
changes."""

from __future__ import annotations

import difflib
import os
import secrets
from collections.abc import Iterator
from pathlib import Path

from pyptogen.diagnostics import Diagnostic, DiagnosticError, gathering
from pyptogen.diagnostics.edits import applied, edit_of
from pyptogen.records import dataclass
from pyptogen.regular_files import read_regular

_MOST_ROUNDS = 10
"""What was hidden behind an error shows when that is mended; so often it is looked for."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """A file before and after; ``count`` things were mended."""

    path: Path
    before: str
    after: str
    count: int

    def diff(self) -> str:
        """The change as a unified diff; ends with a newline."""
        lines = (self.before.splitlines(keepends=True), self.after.splitlines(keepends=True))
        return "".join(difflib.unified_diff(*lines, str(self.path), f"{self.path} (mended)"))


def fixed(path: Path) -> Fixed | None:
    """The spec at ``path`` with all that has one way out mended, or None where nothing is; nothing is written. Files
    that it includes stay as they are, and so does what only lowering finds."""
    from pyptogen.schema import Source
    from pyptogen.schema.source import read

    try:
        before = read(str(path)).text
    except DiagnosticError:
        return None
    after, count = before, 0
    for _ in range(_MOST_ROUNDS):
        found = [edit_of(one, after) for one in _findings(Source(str(path), after)) if one.span]
        edits = {edit for edit in found if edit is not None and edit.span.file == str(path)}
        if not edits:
            break
        mended = applied(edits, after)
        if mended == after:
            break
        after, count = mended, count + len(edits)
    return Fixed(path, before, after, count) if after != before else None


def write(mended: Fixed) -> None:
    """Puts the file in place: written beside, with its rights, and renamed. Lines end as they did. Raises
    ``OSError``."""
    path = mended.path.resolve()
    data = read_regular(str(path))
    text = mended.after.replace("\n", "\r\n") if b"\r\n" in data else mended.after
    stage = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    try:
        stage.write_bytes(text.encode())
        stage.chmod(path.stat().st_mode)
        os.replace(stage, path)
    finally:
        stage.unlink(missing_ok=True)


def _findings(source: object) -> Iterator[Diagnostic]:
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import Source, load_source

    assert isinstance(source, Source)
    try:
        with gathering():
            from_spec(load_source(source))
    except DiagnosticError as error:
        yield from error.diagnostics
