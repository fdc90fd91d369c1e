"""What a build did, as data: the command line prints it, tests assert on it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class OperatorBuild:
    """One operator. Paths are relative to ``folder``, sorted, with ``/``.

    ``written`` were created or changed and ``removed`` deleted; under ``check`` they are what a build would
    write or delete. ``quick`` says that hashes alone showed that nothing changed, ``left_out`` that the operator is
    made for none of the targets that were asked for: what was there stays. ``notes`` say what the compiler chose.
    """

    name: str
    folder: Path
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    quick: bool = False
    left_out: bool = False
    notes: tuple[str, ...] = ()

    @property
    def changed(self) -> bool:
        return bool(self.written or self.removed)


@dataclass(frozen=True, slots=True)
class BuildReport:
    """All operators of one build, in the order of their specs. ``checked`` is true when nothing was to be
    written."""

    operators: tuple[OperatorBuild, ...]
    checked: bool

    @property
    def changed(self) -> bool:
        """Whether any file was written or deleted; under ``check``: whether the output is stale."""
        return any(operator.changed for operator in self.operators)
