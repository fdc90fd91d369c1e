"""Expressions: Python's expression grammar, read with ``ast``, never evaluated; every sub-expression has its
place."""

from __future__ import annotations

import ast

from pyptogen.diagnostics import DiagnosticError, Span, Suggestion, fault
from pyptogen.records import dataclass
from pyptogen.schema.python_text import parsed_expression
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Node, Scalar, Sequence, describe

_MAX_DEPTH = 100
"""Every level takes a few frames of Python's stack in each pass that reads it."""


@dataclass(frozen=True, slots=True)
class Expr:
    """A parsed expression. ``offsets[i]`` is the place in ``source`` of character ``i`` of ``text``; it has
    one more entry, for the end."""

    node: ast.expr
    text: str
    source: Source
    offsets: tuple[int, ...]

    @property
    def span(self) -> Span:
        return self.source.span(self.offsets[0], self.offsets[-1])

    def span_of(self, node: ast.AST) -> Span:
        """The place of a sub-expression (or keyword argument) of this expression."""
        start = self._character(getattr(node, "col_offset", 0))
        stop = self._character(getattr(node, "end_col_offset", None) or len(self.text.encode()))
        return self.source.span(self.offsets[start], self.offsets[max(stop - 1, start)] + 1)

    def text_of(self, node: ast.expr) -> str:
        """The characters of a sub-expression, as written."""
        return self.text[self._character(node.col_offset) : self._character(node.end_col_offset or 0)]

    def part(self, node: ast.expr) -> Expr:
        """A sub-expression as an expression of its own; places stay right because it keeps the whole text."""
        return Expr(node, self.text, self.source, self.offsets)

    def _character(self, byte: int) -> int:
        """ast counts UTF-8 bytes; we count characters."""
        return byte if self.text.isascii() else len(self.text.encode()[:byte].decode(errors="ignore"))


def parse_expression(node: Node) -> Expr:
    """The expression in a scalar node. Raises PTG104 (not a scalar), PTG106 (syntax) or PTG107 (cut by
    YAML)."""
    if not isinstance(node, Scalar):
        raise fault(
            "PTG104",
            f"an expression is needed here, not {describe(node)}",
            node.span,
            expected="an expression on one line",
        )
    if not node.text.strip():
        raise fault("PTG104", "an expression is needed here, not nothing", node.span, expected="an expression")
    text = node.text.replace("\n", " ")
    lead = len(text) - len(text.lstrip())
    text = text.strip()
    offsets = _align(node)[lead : lead + len(text)]
    return _parse(text, node.source, (*offsets, offsets[-1] + 1), hint=node)


def parse_expression_list(node: Node) -> tuple[Expr, ...]:
    """One expression, ``a, b``, or a flow list ``[a, b]`` re-joined from the source where YAML cut it at
    commas."""
    if isinstance(node, Sequence):
        if not node.flow:
            return tuple(parse_expression(item) for item in node.items)
        text = node.source.text[node.start : node.stop].replace("\n", " ")
        whole = _parse(text, node.source, tuple(range(node.start, node.stop + 1)), hint=None)
    else:
        whole = parse_expression(node)
    if isinstance(whole.node, ast.Tuple | ast.List):
        return tuple(whole.part(item) for item in whole.node.elts)
    return (whole,)


def parse_text(node: Scalar, start: int, stop: int) -> Expr:
    """The expression in the characters ``start <= i < stop`` of a scalar's text."""
    offsets = _align(node)[start:stop]
    return _parse(node.text[start:stop].replace("\n", " "), node.source, (*offsets, offsets[-1] + 1), hint=None)


def unbalanced(text: str) -> bool:
    """Whether brackets do not close: the sign of an expression that YAML cut at a comma."""
    depth = 0
    for char in text:
        depth += (char in "([{") - (char in ")]}")
        if depth < 0:
            return True
    return depth != 0


def _ends_in_flow(node: Scalar) -> bool:
    """Whether a plain scalar ends where ``{…}`` or ``[…]`` goes on or ends."""
    return node.style == "plain" and node.source.text[node.stop :].lstrip()[:1] in {",", "}", "]"}


def cut_by_yaml(node: Scalar) -> DiagnosticError:
    """PTG107 for a piece of an expression."""
    return fault(
        "PTG107",
        f"YAML cut this expression at a comma: only `{node.text}` is left of it",
        node.span,
        expected="an expression whose brackets close",
        fix="inside `{…}` and `[…]` put the expression in quotes, or write it on a line of its own",
    )


def _parse(text: str, source: Source, offsets: tuple[int, ...], hint: Scalar | None) -> Expr:
    try:
        node = parsed_expression(text)
    except SyntaxError as error:
        if hint is not None and _ends_in_flow(hint) and unbalanced(text):
            raise cut_by_yaml(hint) from None
        at = min(max((error.offset or 1) - 1, 0), len(text) - 1)
        turned = {"=<": "<=", "=>": ">=", "=!": "!="}
        wrong = next((pair for pair in turned if pair in text[max(at - 1, 0) : at + 2]), "")
        stop = offsets[-1] if at == 0 else offsets[at] + 1
        if wrong:
            at = text.index(wrong, max(at - 1, 0))
            stop = offsets[at + 1] + 1
        raise fault(
            "PTG106",
            f"not an expression: {error.msg}",
            source.span(offsets[at], stop),
            expected="Python's expression grammar: names, numbers, operators, calls, slices",
            fix=Suggestion(f"write `{turned[wrong]}` for `{wrong}`", wrong, turned[wrong]) if wrong else "",
        ) from None
    except ValueError:
        raise fault("PTG106", "not an expression that can be read", source.span(offsets[0], offsets[-1])) from None
    if _depth(node) > _MAX_DEPTH:
        raise fault(
            "PTG106",
            f"an expression that is nested deeper than {_MAX_DEPTH} levels",
            source.span(offsets[0], offsets[-1]),
            fix="give its parts names, each on a line of its own",
        )
    return Expr(node, text, source, offsets)


def _depth(node: ast.expr) -> int:
    """Operations and calls one in another."""
    depth, level = 0, [node]
    while level:
        depth += 1
        level = [child for each in level for child in ast.iter_child_nodes(each) if isinstance(child, ast.expr)]
    return depth


def _align(node: Scalar) -> tuple[int, ...]:
    """For each character of the scalar's text, its offset in the source.

    YAML folds line breaks and drops indentation, so text and source are walked together. Where they cannot be
    matched (escapes in quotes) the remaining characters point at the end of the scalar.
    """
    raw, at = node.source.text, node.start
    if node.style in {"quoted", "toml"}:
        at += 1
    elif node.style == "block":
        at = raw.index("\n", at) + 1
    offsets: list[int] = []
    for char in node.text:
        if at < node.stop and raw[at] != char and not char.isspace():
            while at < node.stop and raw[at].isspace():
                at += 1
        offsets.append(min(at, max(node.stop - 1, node.start)))
        if at < node.stop and (raw[at] == char or raw[at].isspace()):
            at += 1
    return tuple(offsets)
