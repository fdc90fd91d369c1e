"""Where the keys and values of a TOML text stand; ``tomllib``, which has read the text before, says nothing of that.

Source: TOML v1.0.0, https://toml.io/en/v1.0.0, sections "Keys", "String", "Array", "Table", "Inline Table" and "Array
of Tables". The text is well-formed.
"""

from __future__ import annotations

import re

from pyptogen.records import dataclass, replace

Path = tuple[str | int, ...]
"""Keys and indices that lead to a value."""

_STRING = re.compile(r'"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'', re.DOTALL)
_KEY = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\'|[A-Za-z0-9_-]+')
_BARE = re.compile(r"[^,\]}\n#]*[^,\]}\n#\s]")
_BETWEEN = re.compile(r"(?:[\s,]|#[^\n]*)*")
"""Blanks, comments, and the commas between elements."""
_DOT = re.compile(r"[ \t]*\.[ \t]*")
_EQUALS = re.compile(r"[ \t]*=[ \t]*")


@dataclass(frozen=True, slots=True)
class Place:
    """Offsets into the text: of a key, or of an element of an array, and of its value."""

    key_start: int
    key_stop: int
    start: int
    stop: int


def places(text: str) -> dict[Path, Place]:
    """The place of every key and element. A table's value begins behind its header and ends at the next header that is
    not of a part of it."""
    reader = _Reader(text)
    reader.read()
    return reader.found


class _Reader:
    def __init__(self, text: str) -> None:
        self._text, self._at = text, 0
        self._headers: list[tuple[int, Path]] = []
        self._tables: dict[Path, int] = {}
        """How many tables an array of tables has so far."""
        self.found: dict[Path, Place] = {}

    def read(self) -> None:
        within: Path = ()
        self._skip(_BETWEEN)
        while self._at < len(self._text):
            if self._text[self._at] == "[":
                within = self._header()
            else:
                self._pair(within)
            self._skip(_BETWEEN)
        for number, (_, path) in enumerate(self._headers, 1):
            later = (at for at, other in self._headers[number:] if other[: len(path)] != path)
            self.found[path] = replace(self.found[path], stop=next(later, len(self._text)))

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        """Goes past what the pattern matches here, and says whether it does."""
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match is not None else self._at
        return match is not None

    def _header(self) -> Path:
        """A header; gives the path of its table."""
        first = self._at
        several = self._text.startswith("[[", first)
        self._at += 2 if several else 1
        keys = self._keys()
        self._at = self._text.index("]", self._at) + (2 if several else 1)
        path: Path = ()
        for number, (name, start, stop) in enumerate(keys, 1):
            path = (*path, name)
            self.found.setdefault(path, Place(start, stop, self._at, len(self._text)))
            if several and number == len(keys):
                self._tables[path] = self._tables.get(path, 0) + 1
            if path in self._tables:
                path = (*path, self._tables[path] - 1)
                self.found.setdefault(path, Place(start, stop, self._at, len(self._text)))
        self._headers.append((first, path))
        return path

    def _keys(self) -> list[tuple[str, int, int]]:
        """The parts of a dotted key, each with its place."""
        found = []
        while True:
            while self._text[self._at] in " \t":
                self._at += 1
            start = self._at
            self._skip(_KEY)
            found.append((_unquoted(self._text[start : self._at]), start, self._at))
            if not self._skip(_DOT):
                return found

    def _pair(self, within: Path) -> None:
        keys = self._keys()
        self._skip(_EQUALS)
        at, path = self._at, (*within, *(name for name, _, _ in keys))
        self._value(path)
        for number, (_, start, stop) in enumerate(keys, 1):
            self.found.setdefault(
                (*within, *path[len(within) : len(within) + number]), Place(start, stop, at, self._at)
            )

    def _value(self, path: Path) -> None:
        opening = self._text[self._at]
        if opening not in "[{":
            self._skip(_STRING if opening in "\"'" else _BARE)
            return
        self._at += 1
        self._skip(_BETWEEN)
        index = 0
        while self._text[self._at] not in "]}":
            if opening == "{":
                self._pair(path)
            else:
                element: Path = (*path, index)
                start = self._at
                self._value(element)
                self.found[element] = Place(start, start, start, self._at)
            index += 1
            self._skip(_BETWEEN)
        self._at += 1


def _unquoted(key: str) -> str:
    """The name that a key stands for, but for escapes, which no name of a spec has."""
    return key[1:-1] if key[:1] in ("'", '"') else key
