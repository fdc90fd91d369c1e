"""Expressions keep their places, however YAML writes them."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.diagnostics import DiagnosticError, Span
from pyptogen.schema import Expr, Source
from pyptogen.schema.expression import parse_expression, parse_expression_list
from pyptogen.schema.scalars import resolve
from pyptogen.schema.tree import Mapping, Node
from pyptogen.schema.yaml_reader import read_yaml


def node_of(text: str) -> Node:
    """The node under the key ``k`` of a YAML text."""
    root = read_yaml(Source("s.yaml", text))
    assert isinstance(root, Mapping)
    node = root.get("k")
    assert node is not None
    return node


def cut(text: str, span: Span) -> str:
    """The characters of a span."""
    lines = text.split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_col - 1]
    lines[0] = lines[0][span.col - 1 :]
    return "\n".join(lines)


def call_in(expr: Expr) -> ast.Call:
    """The innermost call of an expression."""
    return [part for part in ast.walk(expr.node) if isinstance(part, ast.Call)][-1]


@pytest.mark.parametrize(
    "text",
    [
        "k: a + f(b, c)",
        "k:   a + f(b, c)   # why",
        "k: 'a + f(b, c)'",
        'k: "a + f(b, c)"',
        'j: "é"\nk: a_é + f(b, c)',
        "k: a\n   + f(b, c)",
        "k:\n  a +\n\n  f(b, c)\n  * 2",
        "k: |\n  a +\n  f(b, c)\n",
        "k: >\n  a +\n  f(b, c)\n",
    ],
    ids=["plain", "spaced", "single", "double", "unicode", "folded", "blank_line", "literal", "folded_block"],
)
def test_place_of_a_part(text: str) -> None:
    expr = parse_expression(node_of(text))
    call = call_in(expr)
    assert cut(text, expr.span_of(call)) == "f(b, c)"
    assert cut(text, expr.span_of(call.args[1])) == "c"
    assert expr.text_of(call) == "f(b, c)"


@pytest.mark.parametrize(
    "text",
    [
        "k: [cast(f * s, int8, mode=rint), cast(1 / s, fp16)]",
        "k: cast(f * s, int8, mode=rint), cast(1 / s, fp16)",
        "k:\n  - cast(f * s, int8, mode=rint)\n  - cast(1 / s, fp16)",
        "k: [cast(f * s,\n   int8, mode=rint), cast(1 / s, fp16)]",
    ],
    ids=["flow", "tuple", "block", "two_lines"],
)
def test_several_expressions(text: str) -> None:
    first, second = parse_expression_list(node_of(text))
    assert second.text_of(second.node) == "cast(1 / s, fp16)"
    assert cut(text, second.span_of(second.node)) == "cast(1 / s, fp16)"
    assert cut(text, first.span_of(call_in(first).args[1])) == "int8"


@given(
    st.recursive(
        st.sampled_from(["a", "b1", "3", "é"]),
        lambda inner: st.builds("({} + f({}, {}))".format, inner, inner, inner),
    )
)
def test_every_part_stands_where_it_says(expression: str) -> None:
    text = f"k: {expression}"
    expr = parse_expression(node_of(text))
    for part in ast.walk(expr.node):
        if isinstance(part, ast.expr):
            assert cut(text, expr.span_of(part)) == expr.text_of(part)
            assert ast.dump(ast.parse(expr.text_of(part), mode="eval").body) == ast.dump(part)


@pytest.mark.parametrize("text", ["k: [a, b", "k: f(a,", "k: 'f(a'", "k: [f(a, b]", "k: a b", "k: {a: b}", "k:"])
def test_what_is_no_expression(text: str) -> None:
    with pytest.raises(DiagnosticError):
        parse_expression_list(node_of(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("0x1F", 31),
        ("0o17", 15),
        ("017", 17),
        ("1.0e-6", 1e-6),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("inf", float("inf")),
        ("-.inf", float("-inf")),
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("yes", "yes"),
        ("on", "on"),
        ("1_000", "1_000"),
        ("12:30", "12:30"),
        ("2026-01-01", "2026-01-01"),
        ("1.2.3", "1.2.3"),
        ("True", "True"),
    ],
)
def test_plain_scalars_follow_yaml_1_2(text: str, value: object) -> None:
    assert resolve(text) == value
    assert type(resolve(text)) is type(value)
