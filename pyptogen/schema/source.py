"""The text of a spec file, and spans into it."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import field

from pyptogen.diagnostics import Span, fault
from pyptogen.diagnostics.plain_text import name_shown, unseen
from pyptogen.records import dataclass
from pyptogen.regular_files import read_regular


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
    """The text of the file at ``path``, a regular one of bounded size with ``\\n`` at the ends of lines; raises PTG110
    when it cannot be read as UTF-8, or has a name that cannot be shown."""
    check_file_name(path)
    try:
        data = read_regular(path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise fault(
            "PTG110",
            f"cannot read `{path}`: {reason}",
            None,
            fix="give the path of a spec (.yaml, .yml or .toml)",
        ) from None
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise fault("PTG110", f"`{path}` is not UTF-8 text (byte {error.start})", None, expected="UTF-8") from None
    return Source(path, text.replace("\r\n", "\n").replace("\r", "\n"))


def check_file_name(path: str) -> None:
    """Raises PTG110 for a name with characters that cannot be shown: it goes into generated code, reports and
    messages."""
    if unseen(path, "\n\t") is not None:
        raise fault(
            "PTG110",
            f"the name `{name_shown(path)}` has characters that cannot be shown",
            None,
            expected="a name without control characters, in UTF-8",
            fix="rename the file or the folder",
        )


def check_text(source: Source) -> None:
    """Raises PTG101 for a character that cannot be shown: lines of a spec go into generated code and messages."""
    at = unseen(source.text)
    if at is not None:
        raise fault(
            "PTG101",
            f"the character U+{ord(source.text[at]):04X} cannot be shown",
            source.span(at, at + 1),
            expected="text without control characters",
            fix="remove it; what a person reviews must be what the tool reads",
        )
