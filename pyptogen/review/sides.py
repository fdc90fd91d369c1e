"""Both sides of a comparison: the specs that were given, and those that they are compared with."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from pyptogen.diagnostics import Diagnostic, Span, fault
from pyptogen.review.git_tree import GitTree
from pyptogen.schema.below import PYTHON_SUFFIXES, SOURCE_SUFFIXES, SUFFIXES
from pyptogen.scratch import scratch, sweep
from pyptogen.spec_files import SPEC_SUFFIXES, find_specs

_GIT = "git:"
_SCRATCH = "pyptogen-review-"
_READ = frozenset((*SUFFIXES, *SOURCE_SUFFIXES, *PYTHON_SUFFIXES))
"""Kinds of files that a spec may be or name."""


@dataclass(frozen=True, slots=True)
class Sides:
    """The specs of both sides. ``scratch`` is where those of a commit lie, None where they lie in a folder of the
    user's; ``against`` as it was given."""

    before: tuple[Path, ...]
    after: tuple[Path, ...]
    against: str
    scratch: Path | None = None

    def told(self, one: Diagnostic) -> Diagnostic:
        """A finding of the side before, with the place where a user finds it: ``main:specs/softmax.yaml``."""
        if self.scratch is None:
            return one
        return replace(
            one,
            message=self._place(one.message),
            span=self._span(one.span),
            notes=tuple((text, self._span(span)) for text, span in one.notes),
        )

    def _span(self, span: Span | None) -> Span | None:
        return None if span is None else replace(span, file=self._place(span.file))

    def _place(self, text: str) -> str:
        return text.replace(f"{self.scratch}/", f"{self.against.removeprefix(_GIT)}:")


@contextmanager
def sides(paths: Sequence[Path], against: str) -> Iterator[Sides]:
    """The specs that ``paths`` name, and their counterparts.

    Args:
        paths: specs, or folders of specs.
        against: ``git:REF``, for the same paths in a commit; or a folder, for the specs in it: all of them where
            ``paths`` is one folder, else those of the same file names.

    Raises:
        DiagnosticError: PTG110, no spec; PTG620, nothing to compare with.
    """
    after = find_specs(paths)
    if not against.startswith(_GIT):
        yield Sides(_in_folder(paths, Path(against)), after, against)
        return
    parent = Path(tempfile.gettempdir())
    try:
        sweep(parent, _SCRATCH)
        with scratch(parent, _SCRATCH) as folder:
            yield Sides(_of_commit(paths, against.removeprefix(_GIT), folder), after, against, folder)
    except OSError as error:
        message = f"cannot write `{error.filename or parent}`: {error.strerror}"
        raise fault("PTG504", message, None, fix="set TMPDIR to a folder with room") from None


def _in_folder(paths: Sequence[Path], folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        fix = "`git:REF` compares with a commit" if "/" not in str(folder) else ""
        raise fault("PTG620", f"there is no folder `{folder}`", None, expected="a folder of specs, or git:REF", fix=fix)
    if len(paths) == 1 and paths[0].is_dir():
        return _specs_in(folder)
    if any(path.is_dir() for path in paths):
        message = "several paths with a folder among them have no one counterpart"
        raise fault("PTG620", message, None, fix="give one folder, or specs only")
    return tuple(found for path in paths if (found := folder / path.name).is_file())


def _of_commit(paths: Sequence[Path], ref: str, to: Path) -> tuple[Path, ...]:
    """The folder of each path is written below ``to``, as it lies in its repository."""
    found: dict[Path, None] = {}
    for path in paths:
        place = GitTree(path, ref).write(path if path.is_dir() else path.parent, to, _READ)
        if path.is_dir():
            found |= dict.fromkeys(_specs_in(place))
        elif (place / path.name).is_file():
            found[place / path.name] = None
    return tuple(found)


def _specs_in(folder: Path) -> tuple[Path, ...]:
    if not folder.is_dir():
        return ()
    return tuple(sorted(one for one in folder.iterdir() if one.suffix in SPEC_SUFFIXES and one.is_file()))
