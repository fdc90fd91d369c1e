"""Where the comments of a YAML file are."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pyptogen.schema.tree import Mapping, Node, Scalar

_HASH = re.compile(r"(?:(?<=[ \t])|(?<![^\n]))#[^\n]*")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment, without spaces behind it. ``line`` is 0-based, as is the column ``col`` of its `#`; ``trailing`` says
    that something stands before it in its line."""

    text: str
    line: int
    col: int
    trailing: bool


def comments(text: str, tree: Node) -> tuple[Comment, ...]:
    """The comments of ``text``, whose tree is given, in order: each `#` behind a blank and outside of scalars."""
    taken = sorted((leaf.start, leaf.stop) for leaf in leaves(tree))
    found: list[Comment] = []
    at = 0
    for match in _HASH.finditer(text):
        while at < len(taken) and taken[at][1] <= match.start():
            at += 1
        if at < len(taken) and taken[at][0] <= match.start():
            continue
        line = text.count("\n", 0, match.start())
        begin = text.rfind("\n", 0, match.start()) + 1
        before = text[begin : match.start()]
        found.append(Comment(match[0].rstrip(), line, len(before), bool(before.strip())))
    return tuple(found)


def leaves(node: Node) -> Iterator[Scalar]:
    """The scalars of a tree, keys too, in the order of the file but for what aliases repeat."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Mapping):
        for key, value in node:
            yield key
            yield from leaves(value)
    else:
        for item in node.items:
            yield from leaves(item)
