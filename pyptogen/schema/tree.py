"""A read file as a tree of nodes that know where they stand, the same for YAML and TOML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from pyptogen.diagnostics import Span, fault
from pyptogen.diagnostics.plain_text import unseen
from pyptogen.records import dataclass
from pyptogen.schema.source import Source

Style = Literal["plain", "quoted", "block", "toml"]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A leaf. ``text`` is what is written, ``value`` what it means (str, int, float, bool or None).

    ``start`` and ``stop`` are offsets into ``source``, quotes included.
    """

    source: Source
    text: str
    value: Any
    start: int
    stop: int
    style: Style

    @property
    def span(self) -> Span:
        return self.source.span(self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list. ``flow`` when written as ``[…]``."""

    source: Source
    items: tuple[Node, ...]
    start: int
    stop: int
    flow: bool

    @property
    def span(self) -> Span:
        return self.source.span(self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A mapping in the order of the file. ``flow`` when written as ``{…}``."""

    source: Source
    entries: tuple[tuple[Scalar, Node], ...]
    start: int
    stop: int
    flow: bool

    @property
    def span(self) -> Span:
        return self.source.span(self.start, self.stop)

    def __iter__(self) -> Iterator[tuple[Scalar, Node]]:
        return iter(self.entries)

    def get(self, key: str) -> Node | None:
        """The node under ``key``, or None."""
        return next((node for name, node in self.entries if name.text == key), None)

    def key(self, key: str) -> Scalar | None:
        """The node of the key itself, or None."""
        return next((name for name, _ in self.entries if name.text == key), None)


Node = Scalar | Sequence | Mapping


def plain(node: Node) -> Any:
    """The tree as ordinary Python data."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {key.text: plain(value) for key, value in node.entries}


MOST_NODES = 20_000
"""Of a file, aliases written out. The longest of the library has some two thousand."""


def check_nodes(count: int, span: Span) -> None:
    """Raises PTG111 where a file has more entries than any spec, be it by aliases that repeat each other."""
    if count > MOST_NODES:
        raise fault("PTG111", "this file is too large", span, expected=f"at most {MOST_NODES} keys and values")


def seen(leaf: Scalar) -> Scalar:
    """The leaf itself. Raises PTG101 where escapes (`"\\u202e"`) bring a character that cannot be shown."""
    at = unseen(leaf.text)
    if at is not None:
        raise fault(
            "PTG101",
            f"the character U+{ord(leaf.text[at]):04X} cannot be shown",
            leaf.span,
            expected="text without control characters",
        )
    return leaf


def describe(node: Node) -> str:
    """What kind of thing a node is, for messages."""
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Sequence):
        return "a list"
    if node.value is None:
        return "nothing"
    if isinstance(node.value, str):
        return f"the text `{node.text}`"
    return f"`{node.text}`"
