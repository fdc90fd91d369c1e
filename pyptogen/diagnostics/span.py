"""Where a thing stands in a spec."""

from __future__ import annotations

from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a source file: 1-based lines and columns; the end column is one past the last character.

    ``file`` is the path as the user gave it.
    """

    file: str
    line: int
    col: int
    end_line: int
    end_col: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.col}"

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of ``other``."""
        return Span(self.file, self.line, self.col, other.end_line, other.end_col)
