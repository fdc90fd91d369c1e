"""The one form of a spec: indented by two columns, one blank at most between lines, values and comments aligned where
their author aligned them.

ruamel.yaml's round trip sets indentation and blanks and keeps comments. What it would lose is put back: columns of
values and comments, and collections and text of several lines, which stay as they were written. A result that
is not the same spec with the same comments is thrown away.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator

from pyptogen.diagnostics import DiagnosticError
from pyptogen.editor.alignment import aligned
from pyptogen.editor.comments import comments, leaves
from pyptogen.schema.include import read_tree
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping, Node, Scalar

_UNBROKEN = 1_000_000
"""No line is as long: lines are never broken."""


def formatted(source: Source) -> str:
    """The text of a YAML file in the one form; of a TOML file the text as it is. Formatting twice is formatting once.
    Raises ``DiagnosticError`` where the text is not well-formed."""
    if source.file.endswith(".toml"):
        return source.text
    meaning = _meaning(source)
    text = source.text
    for _ in range(_MOST_ROUNDS):
        before, text = text, _once(Source(source.file, text), meaning)
        if text == before:
            return text
    return source.text


_MOST_ROUNDS = 6
"""Nearly always the first one settles it: what joins lines may bring columns next to each other."""


def _once(source: Source, meaning: _Meaning) -> str:
    for trip in (_round_trip, _as_it_is):
        try:
            text = _through(trip, source)
        except DiagnosticError:  # of a text in between
            continue
        if text is not None and _same(source.file, text, meaning):
            return text
    return source.text


def _through(trip: Callable[[str], str | None], source: Source) -> str | None:
    short, cut = _without_long_values(source)
    written = trip(short)
    if written is None:
        return None
    together = aligned(Source(source.file, short), Source(source.file, written))
    return None if together is None else _tidied(source.file, together, cut)


def _as_it_is(text: str) -> str:
    return text


_Meaning = tuple[list[tuple[str, str]], list[str]]


def _meaning(source: Source) -> _Meaning:
    """Everything that a format may not change: the tree, written as a list, and the comments."""
    tree = read_tree(source)
    inside = re.compile(r"\s+")
    return list(_flat(tree)), [inside.sub(" ", one.text) for one in comments(source.text, tree)]


def _flat(node: Node) -> Iterator[tuple[str, str]]:
    if isinstance(node, Scalar):
        yield node.style, node.text
    elif isinstance(node, Mapping):
        yield "mapping", str(len(node.entries))
        for key, value in node:
            yield from (*_flat(key), *_flat(value))
    else:
        yield "list", str(len(node.items))
        for item in node.items:
            yield from _flat(item)


def _same(file: str, text: str, meaning: _Meaning) -> bool:
    try:
        return _meaning(Source(file, text)) == meaning
    except DiagnosticError:
        return False


def _round_trip(text: str) -> str | None:
    """What ruamel.yaml writes of ``text``; None where it cannot."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _UNBROKEN
    yaml.indent(mapping=2, sequence=4, offset=2)
    yaml.brace_single_entry_mapping_in_flow_sequence = True
    written = io.StringIO()
    try:
        yaml.dump(yaml.load(text), written)
    except (YAMLError, ValueError, NotImplementedError):
        return None
    return written.getvalue()


_LONG = "LongValue{}OfTheSpec"


def _without_long_values(source: Source) -> tuple[str, dict[str, tuple[str, int]]]:
    """The text with a word in place of each value that a round trip changes, and for each word what it stands for, with
    the column in which that began."""
    text, cut = source.text, {}
    places = sorted({(node.start, node.stop) for node in _long_values(read_tree(source))}, reverse=True)
    for number, (start, stop) in enumerate(places):
        word = _LONG.format(number)
        cut[word] = (text[start:stop], source.position(start)[1] - 1)
        text = text[:start] + word + text[stop:]
    return text, cut


def _long_values(node: Node) -> Iterator[Node]:
    """Values of several lines that are no block scalars, and ways to write nothing; the outermost ones."""
    flow = node.style != "block" if isinstance(node, Scalar) else node.flow
    if flow and ("\n" in node.source.text[node.start : node.stop] or _writes_nothing(node)):
        yield node
    elif isinstance(node, Mapping):
        for _, value in node:
            yield from _long_values(value)
    elif not isinstance(node, Scalar):
        for item in node.items:
            yield from _long_values(item)


def _writes_nothing(node: Node) -> bool:
    """Whether it is `~` or `null`, or a flow collection with such an entry or an empty one, as `{a}`."""
    if isinstance(node, Scalar):
        return node.value is None and bool(node.text)
    return any(leaf.value is None for leaf in leaves(node))


def _tidied(file: str, text: str, cut: dict[str, tuple[str, int]]) -> str | None:
    """The text with the long values where they belong, without blanks at the ends of lines, with one empty line at
    most in a row and none at both ends; block scalars stay as they are."""
    for word, (value, column) in cut.items():
        at = text.find(word)
        if at < 0:
            return None
        shift = at - (text.rfind("\n", 0, at) + 1) - column
        first, *rest = value.split("\n")
        moved = [_shifted(line, shift) for line in rest]
        text = text[:at] + "\n".join([first, *moved]) + text[at + len(word) :]
    source = Source(file, text)
    kept: list[str] = []
    blocks = _lines_of_blocks(source)
    for number, line in enumerate(text.split("\n")):
        if number in blocks:
            kept.append(line)
        elif line.strip() or (kept and kept[-1]):
            kept.append(line.rstrip())
    return "\n".join(kept).rstrip("\n") + "\n"


def _lines_of_blocks(source: Source) -> set[int]:
    """The lines (0-based) of block scalars but for their first, where `|` stands."""
    found: set[int] = set()
    for leaf in leaves(read_tree(source)):
        if leaf.style == "block":
            found.update(range(source.position(leaf.start)[0], source.position(leaf.stop)[0]))
    return found


def _shifted(line: str, columns: int) -> str:
    """The line so many columns further to the right; not left of the first."""
    bare = line.lstrip(" ")
    return " " * max(0, len(line) - len(bare) + columns) + bare if bare else ""
