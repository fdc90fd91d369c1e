"""YAML 1.2 text to a tree with spans, by the events of ruamel.yaml's C parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pyptogen.diagnostics import DiagnosticError, Note, Suggestion, fault, keep
from pyptogen.schema.scalars import MOST_DIGITS, resolve
from pyptogen.schema.source import Source, check_text
from pyptogen.schema.tabs import SpacedSource, indenting_tabs, spaced
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence, Style, check_nodes, seen

_MAX_DEPTH = 64
"""A limit far beyond any spec."""
_ABOUT_TABS = re.compile("cannot start any token|found a tab")
"""How the parsers refuse a tab that indents: one where an entry may begin, and one behind an entry."""


def read_yaml(source: Source) -> Node:
    """The tree of a one-document YAML file. Raises PTG101, PTG102 or PTG111.

    Tabs that indent are kept as errors, and read on as spaces.
    """
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    check_text(source)
    try:
        while True:
            try:
                return _Composer(source, _events(source)).document()
            except MarkedYAMLError as error:
                source = _without_tabs(source, error)
    except YAMLError as error:
        first_line = str(error).splitlines()[0]
        raise fault("PTG101", f"not well-formed YAML: {first_line}", source.span(0, 0)) from None


def _events(source: Source) -> Iterator[Any]:
    """Parser events: from the C parser, or from the pure one where no wheel of it exists."""
    try:
        from _ruamel_yaml import CParser  # type: ignore[import-not-found]
    except ImportError:
        from ruamel.yaml import YAML

        yield from YAML(pure=True).parse(source.text)
        return
    parser = CParser(source.text)
    event = parser.get_event()
    while event is not None:
        yield event
        event = parser.get_event()


def _place(source: Source, error: Any) -> int:
    mark = error.problem_mark or error.context_mark
    return min(mark.index if mark else 0, len(source.text))


def _without_tabs(source: Source, error: Any) -> SpacedSource:
    """The text behind an error of YAML that is a tab, which is kept, with spaces in its place. Raises PTG101 for any
    other error, without words where it follows from what was put in place of a tab."""
    at = _place(source, error)
    if source.text[at : at + 1] != "\t" or not _ABOUT_TABS.search(error.problem or ""):
        line = source.position(at)[0]
        if isinstance(source, SpacedSource) and source.lines & {line - 1, line}:
            raise DiagnosticError from None
        raise _syntax_error(source, error) from None
    tabs = indenting_tabs(source, at)
    problem = "not well-formed YAML: a tab where only spaces indent"
    fix = Suggestion("replace tabs by spaces", tabs.text, tabs.spaces)
    keep(fault("PTG101", problem, source.span(at, at + len(tabs.text)), expected="spaces", fix=fix))
    return spaced(source, tabs)


def _syntax_error(source: Source, error: Any) -> DiagnosticError:
    at = _place(source, error)
    problem = error.problem or "not well-formed"
    context = error.context or ""
    fix = expected = ""
    stop = at
    if "flow" in context:
        fix = "close the bracket; inside `[…]` and `{…}` put an expression that has brackets itself in quotes"
    elif "mapping values" in problem:
        deeper = _deeper_than_above(source, at)
        if deeper is None:
            fix = _of_two_lines(source, at) or "put text that contains `: ` in quotes"
        else:
            at, column = deeper
            stop, problem, expected = at, "this line is indented deeper than the entry above it", f"column {column}"
            fix = "let the entries of one mapping begin in one column"
    elif "expected key" in problem:
        fix = "let the entries of one mapping begin in one column"
        columns = _columns_above(source, at)
        if columns:
            problem, expected = "this line begins in a column of its own", f"column {' or '.join(map(str, columns))}"
    elif "cannot start any token" in problem:
        fix = "quote text that starts with one of @ ` % & * ! | >"
    notes: tuple[Note, ...] = ()
    begin = error.context_mark
    if context and begin is not None and begin.index != at:
        notes = ((context, source.span(begin.index, begin.index + 1)),)
    return fault(
        "PTG101", f"not well-formed YAML: {problem}", source.span(at, stop), expected=expected, fix=fix, notes=notes
    )


def _columns_above(source: Source, at: int) -> list[int]:
    """The columns in which open mappings began, the innermost first; nothing where this line begins in one of them."""
    line, col = source.position(at)
    columns: list[int] = []
    for text in reversed(source.text.split("\n")[: line - 1]):
        begin = len(text) - len(text.lstrip()) + 1
        if text.strip() and not text.lstrip().startswith("#") and (not columns or begin < columns[-1]):
            columns.append(begin)
    return [] if col in columns else columns


def _deeper_than_above(source: Source, at: int) -> tuple[int, int] | None:
    """Where the line of ``at`` begins, and the column of the entry above it, if that has its value already (`k: 3`) and
    begins further left: then the line belongs beside it."""
    begin = source.text.rfind("\n", 0, at) + 1
    line = source.text[begin:].split("\n", 1)[0]
    above = next((text for text in reversed(source.text[:begin].splitlines()) if text.strip()), "")
    entry = re.match(r"(\s*)[\w-]+: +[^\s#&|>\"']", above)
    indent = len(line) - len(line.lstrip())
    if entry is None or not re.match(r"\s*[\w-]+:(\s|$)", line) or indent <= len(entry[1]):
        return None
    return begin + indent, len(entry[1]) + 1


def _of_two_lines(source: Source, at: int) -> str:
    """The fix where the line before the one of ``at`` is text that goes on in it, because it has no `: ` itself."""
    lines = source.text[:at].splitlines()
    before = next((line.strip() for line in reversed(lines[:-1]) if line.strip()), "")
    entry = re.match(r"([\w, -]+?)\s*[:=]\s*(\S.*)", before)
    if ": " in before or before.endswith(":") or entry is None:
        return ""
    return f"write the line before as `{entry[1]}: {entry[2]}`"


class _Composer:
    """Turns the flat event stream into the tree."""

    def __init__(self, source: Source, events: Iterator[Any]) -> None:
        self._source = source
        self._events = events
        self._anchors: dict[str, Node] = {}
        self._sizes: dict[int, int] = {}
        self._open: set[str] = set()
        self._count = 0

    def document(self) -> Node:
        root: Node | None = None
        for event in self._events:
            kind = type(event).__name__
            if kind in {
                "StreamStartEvent",
                "DocumentStartEvent",
                "DocumentEndEvent",
                "StreamEndEvent",
                "CommentEvent",
            }:
                continue
            if root is not None:
                raise fault(
                    "PTG111",
                    "a spec is one YAML document",
                    self._span(event),
                    fix="remove everything after the `---`",
                )
            root = self._node(event, 0)
        return root if root is not None else Mapping(self._source, (), 0, 0, False)

    def _span(self, event: Any) -> Any:
        return self._source.span(event.start_mark.index, event.end_mark.index)

    def _node(self, event: Any, depth: int) -> Node:
        if depth > _MAX_DEPTH:
            raise fault("PTG111", f"nested deeper than {_MAX_DEPTH} levels", self._span(event))
        if type(event).__name__ == "AliasEvent":
            return self._alias(event)
        tag = getattr(event, "tag", None)
        if tag is not None and str(tag) not in {"!", "None"}:
            raise fault(
                "PTG111",
                f"tags are not part of the spec language: `{tag}`",
                self._span(event),
                fix="remove the tag",
            )
        if event.anchor:
            self._open.add(event.anchor)
        before = self._count
        self._grow(1, event)
        node = self._untagged(event, depth)
        if event.anchor:
            self._open.discard(event.anchor)
            self._anchors[event.anchor] = node
            self._sizes[id(node)] = self._count - before
        return node

    def _untagged(self, event: Any, depth: int) -> Node:
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return self._scalar(event)
        if kind == "SequenceStartEvent":
            return self._sequence(event, depth)
        return self._mapping(event, depth)

    def _grow(self, amount: int, event: Any) -> None:
        self._count += amount
        check_nodes(self._count, self._span(event))

    def _alias(self, event: Any) -> Node:
        if event.anchor in self._open:
            raise fault("PTG111", f"the alias `*{event.anchor}` contains itself", self._span(event))
        if event.anchor not in self._anchors:
            raise fault("PTG101", f"the alias `*{event.anchor}` has no anchor before it", self._span(event))
        node = self._anchors[event.anchor]
        self._grow(self._sizes[id(node)], event)
        return node

    def _scalar(self, event: Any) -> Scalar:
        start, stop = event.start_mark.index, event.end_mark.index
        style: Style = "plain"
        if event.style in {"'", '"'}:
            style = "quoted"
        elif event.style in {"|", ">"}:
            style = "block"
        try:
            value = resolve(event.value) if style == "plain" else event.value
        except OverflowError:
            message = f"a number of more than {MOST_DIGITS} digits is not read"
            raise fault("PTG101", message, self._source.span(start, stop)) from None
        return seen(Scalar(self._source, event.value, value, start, stop, style))

    def _sequence(self, event: Any, depth: int) -> Sequence:
        items: list[Node] = []
        end = next(self._events)
        while type(end).__name__ != "SequenceEndEvent":
            items.append(self._node(end, depth + 1))
            end = next(self._events)
        flow = bool(event.flow_style)
        stop = end.end_mark.index if flow or not items else items[-1].stop
        return Sequence(self._source, tuple(items), event.start_mark.index, stop, flow)

    def _mapping(self, event: Any, depth: int) -> Mapping:
        entries: list[tuple[Scalar, Node]] = []
        seen: dict[str, Scalar] = {}
        end = next(self._events)
        while type(end).__name__ != "MappingEndEvent":
            key = self._node(end, depth + 1)
            if not isinstance(key, Scalar):
                raise fault("PTG104", "a key must be text", key.span, expected="a name")
            value = self._node(next(self._events), depth + 1)
            if key.text in seen:
                keep(duplicate_key(key, seen[key.text]), key.text)
            else:
                seen[key.text] = key
                entries.append((key, value))
            end = next(self._events)
        flow = bool(event.flow_style)
        stop = end.end_mark.index if flow or not entries else entries[-1][1].stop
        return Mapping(self._source, tuple(entries), event.start_mark.index, stop, flow)


def duplicate_key(key: Scalar, first: Scalar) -> DiagnosticError:
    """PTG102 for a key that stood before."""
    return fault(
        "PTG102",
        f"the key `{key.text}` stands twice in this mapping",
        key.span,
        expected="each key once",
        fix="remove or rename one of the two",
        notes=(("first here", first.span),),
    )
