"""Changes, as data: what the renderers show and what `pyptogen breaking` judges."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pyptogen.diagnostics import Span


class Level(Enum):
    """What a change does to those who call the operator. The values are the words of reports."""

    BREAKING = "breaking"
    """Calls that were right are not any more, or mean something else."""
    WARNING = "warning"
    """Calls go on; results may be further off, or others."""
    COMPATIBLE = "compatible"
    """Whoever called it notices nothing but time and memory."""


Section = Literal["contract", "numerics", "kernels", "memory", "synchronisation", "time"]
SECTIONS: tuple[Section, ...] = ("contract", "numerics", "kernels", "memory", "synchronisation", "time")


@dataclass(frozen=True, slots=True)
class Change:
    """One change: ``subject`` was ``before`` and is ``after`` (empty: it was or is not there), in a ``word``.

    ``code`` is that of the diagnostic, of every change that is not compatible. ``target`` is the platform, where the
    change is one of what is made for it. ``share`` is by which part a number grew, where it is one.
    """

    section: Section
    subject: str
    word: str
    before: str = ""
    after: str = ""
    level: Level = Level.COMPATIBLE
    code: str = ""
    span: Span | None = None
    target: str = ""
    share: float | None = None


State = Literal["added", "removed", "changed", "unchanged"]


@dataclass(frozen=True, slots=True)
class OperatorReview:
    """All changes of one operator, in the order of `SECTIONS`."""

    name: str
    state: State
    changes: tuple[Change, ...] = ()

    def at(self, level: Level) -> tuple[Change, ...]:
        """The changes of a level."""
        return tuple(change for change in self.changes if change.level is level)

    @property
    def level(self) -> Level:
        """The worst of the changes."""
        return next((level for level in Level if self.at(level)), Level.COMPATIBLE)


@dataclass(frozen=True, slots=True)
class Review:
    """Two states of a library. ``against`` is what it is compared with, as the user gave it; operators by name."""

    against: str
    operators: tuple[OperatorReview, ...]

    def at(self, level: Level) -> tuple[OperatorReview, ...]:
        """The operators whose worst change is of a level, changed ones only."""
        return tuple(one for one in self.operators if one.state != "unchanged" and one.level is level)

    def counted(self, state: State) -> int:
        """How many operators are in a state."""
        return sum(one.state == state for one in self.operators)
