"""The text of a spec file, and spans into it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field

from pyptogen.diagnostics import Span, fault


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name as the user gave it, and its text. Places are character offsets into the text."""

    file: str
    text: str
    _starts: tuple[int, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        starts = [0]
        for line in self.text.split("\n")[:-1]:
            starts.append(starts[-1] + len(line) + 1)
        object.__setattr__(self, "_starts", tuple(starts))

    def position(self, offset: int) -> tuple[int, int]:
        """1-based line and column of a character offset."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def offset(self, line: int, col: int) -> int:
        """Character offset of a 1-based line and column."""
        return self._starts[line - 1] + col - 1

    def span(self, start: int, stop: int) -> Span:
        """The span of the characters ``start <= i < stop``."""
        return Span(self.file, *self.position(start), *self.position(stop))


def read(path: str) -> Source:
    """The text of the file at ``path``; raises PTG110 when it cannot be read as UTF-8."""
    try:
        with open(path, encoding="utf-8") as stream:
            return Source(path, stream.read())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise fault(
            "PTG110",
            f"cannot read `{path}`: {reason}",
            None,
            fix="give the path of a spec (.yaml, .yml or .toml)",
        ) from None
    except UnicodeDecodeError as error:
        raise fault("PTG110", f"`{path}` is not UTF-8 text (byte {error.start})", None, expected="UTF-8") from None
