"""What a build did, as data: the command line prints it, tests assert on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from pathlib import Path

from pyptogen.records import dataclass


class State(Enum):
    """Why a file of ``generated/`` is not what a build makes. The values are the words of messages."""

    CHANGED = "changed"
    """The spec, a file that it includes, or the targets asked for are others than those of the last build."""
    MISSING = "missing"
    """The last build wrote it, or there was none, and it is not there."""
    ORPHAN = "orphan"
    """The spec that its operator was made from is gone, or describes another operator now."""
    EDITED = "edited by hand"
    """Its bytes are not those that a build wrote, or no build wrote it."""
    OTHER_GENERATOR = "made by another generator version"
    """The same spec, and pyptogen makes other text of it now."""


@dataclass(frozen=True, slots=True)
class OperatorBuild:
    """One operator. Paths are relative to ``folder``, sorted, with ``/``.

    ``written`` were created or changed and ``removed`` deleted; under ``check`` they are what a build would write or
    delete. ``states`` says why, path by path, and ``new`` holds the bytes of ``written``. ``quick`` says that hashes
    alone showed that nothing changed, ``left_out`` that the operator is made for none of the targets that were asked
    for: what was there stays. ``notes`` say what the compiler chose. ``spec`` is the spec as it was given or found;
    None for an orphan, whose ``given`` is what to build for it to go: the folder of specs, or the spec that describes
    another operator now.
    """

    name: str
    folder: Path
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    quick: bool = False
    left_out: bool = False
    notes: tuple[str, ...] = ()
    states: Mapping[str, State] = field(default_factory=dict)
    spec: Path | None = None
    given: Path | None = None
    new: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def changed(self) -> bool:
        return bool(self.written or self.removed)

    def in_state(self, state: State) -> tuple[str, ...]:
        """The paths that are in ``state``, sorted."""
        return tuple(sorted(path for path, found in self.states.items() if found is state))


@dataclass(frozen=True, slots=True)
class BuildReport:
    """All operators of one build, in the order of their specs, and then orphans. ``checked`` is true when nothing was
    to be written."""

    operators: tuple[OperatorBuild, ...]
    checked: bool

    @property
    def changed(self) -> bool:
        """Whether any file was written or deleted; under ``check``: whether the output is stale."""
        return any(operator.changed for operator in self.operators)
