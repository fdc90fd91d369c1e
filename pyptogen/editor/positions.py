"""Places of the language server protocol, whose columns count UTF-16 units, and offsets of characters."""

from __future__ import annotations


class Positions:
    """Of one text, with ``\\n`` at the ends of lines."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def offset(self, line: int, column: int) -> int:
        """The character at a 0-based line and column; the nearest one where there is none."""
        if line >= len(self._lines):
            return self._starts[-1] - 1
        text = self._lines[line]
        if text.isascii():
            return self._starts[line] + min(column, len(text))
        data = text.encode("utf-16-le")[: 2 * column]
        return self._starts[line] + len(data.decode("utf-16-le", errors="ignore"))

    def position(self, offset: int) -> tuple[int, int]:
        """The 0-based line and column of a character."""
        from bisect import bisect_right

        line = min(bisect_right(self._starts, offset) - 1, len(self._lines) - 1)
        before = self._lines[line][: offset - self._starts[line]]
        return line, len(before.encode("utf-16-le")) // 2

    def of_character(self, line: int, character: int) -> tuple[int, int]:
        """The same of a 1-based line and column in characters, as spans have them."""
        at = min(line, len(self._lines))
        return self.position(self._starts[at - 1] + min(character - 1, len(self._lines[at - 1])))
