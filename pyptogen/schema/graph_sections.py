"""Reads the sections that compute: functions, graph, requires."""

from __future__ import annotations

import ast

from pyptogen.diagnostics import Span, fault, is_sound, kept, lose
from pyptogen.schema.assignments import check_not_cut, read_assigns
from pyptogen.schema.conditions import read_conditions
from pyptogen.schema.expression import (
    Expr,
    parse_expression,
    parse_expression_list,
    parse_text,
)
from pyptogen.schema.loop_section import is_loop, read_loop
from pyptogen.schema.naming import check_distinct, check_key, check_name
from pyptogen.schema.spec import Assign, FunctionSpec, StageSpec
from pyptogen.schema.tree import Mapping, Node, Scalar
from pyptogen.schema.validate import need_list, need_mapping

_CONDITIONS = ("when", "if")
"""Keys of a stage that say when it is there: decided at build time, and in each call."""


def read_requires(node: Node) -> tuple[Expr, ...]:
    """The ``requires`` section: comparisons over dims and attrs."""
    conditions = []
    for item in need_list(node, "`requires`").items:
        with kept():
            condition = parse_expression(item)
            if not isinstance(condition.node, ast.Compare | ast.BoolOp):
                raise fault(
                    "PTG106",
                    "a requirement must be a comparison",
                    condition.span,
                    expected="such as `s2 % block_size == 0`",
                )
            conditions.append(condition)
    return tuple(conditions)


def read_functions(node: Node) -> tuple[FunctionSpec, ...]:
    """The ``functions`` section."""
    functions = []
    for key, value in need_mapping(node, "`functions`"):
        with kept(key.text.partition("(")[0].strip()):
            functions.append(_function(key, value))
    with kept():
        check_distinct((f.name, f.span, "a function") for f in functions)
    return tuple(functions)


def _function(key: Scalar, node: Node) -> FunctionSpec:
    name, params = _signature(key)
    body: list[Assign] = []
    returns: tuple[Expr, ...] = ()
    mapping = need_mapping(node, f"function `{name}`")
    check_not_cut(mapping)
    for entry, value in mapping:
        if entry.text == "return":
            with kept(name):
                returns = parse_expression_list(value)
        else:
            body += read_assigns([(entry, value)])
    if not returns and is_sound(name):
        raise fault("PTG105", f"function `{name}` lacks the key `return`", key.span, fix="add `return: …`")
    locals_ = [(target, span, "a value") for assign in body for target, span in assign.targets]
    check_distinct([*((p, s, "a parameter") for p, s in params), *locals_])
    return FunctionSpec(name, params, tuple(body), returns, key.span)


def _signature(key: Scalar) -> tuple[str, tuple[tuple[str, Span], ...]]:
    call = parse_text(key, 0, len(key.text)) if key.text else None
    node = call.node if call else None
    if call is None or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.keywords:
        raise fault("PTG104", f"`{key.text}` is not the head of a function", key.span, expected="name(argument, …)")
    params = []
    for arg in node.args:
        if not isinstance(arg, ast.Name):
            raise fault("PTG104", "a parameter must be a name", call.span_of(arg), expected="name(argument, …)")
        params.append((check_name(arg.id, call.span_of(arg), "a parameter"), call.span_of(arg)))
    return check_name(node.func.id, call.span_of(node.func), "a function"), tuple(params)


def read_graph(node: Node, operator: str, may_be_empty: bool = False) -> tuple[StageSpec, ...]:
    """The ``graph`` section: values directly (one implicit stage named after the operator), or stages of values.
    It may be empty where kernels by hand make everything."""
    graph = need_mapping(node, "`graph`")
    check_not_cut(graph)
    if not graph.entries and may_be_empty:
        return ()
    if not graph.entries:
        raise fault("PTG105", "the graph defines nothing", graph.span, fix="add `name: expression` entries")
    for word in _CONDITIONS:
        key = graph.key(word)
        if key is not None:
            raise fault(
                "PTG104", f"`{word}` belongs to a stage", key.span, expected=f"`stage: {{{word}: …, value: …}}`"
            )
    staged = [isinstance(value, Mapping) for _, value in graph]
    if not any(staged):
        body = tuple(read_assigns(graph))
        return (StageSpec(operator, body, True, graph.entries[0][0].span),)
    if not all(staged):
        key = graph.entries[staged.index(False)][0]
        lose()
        raise fault(
            "PTG104",
            f"`{key.text}` stands among stages but is a value",
            key.span,
            expected="a graph of values, or a graph of stages",
            fix="move it into a stage",
        )
    stages = []
    for key, value in graph:
        with kept(key.text, *_names_in(value)):
            stages.append(_stage(key, value))
    return tuple(stages)


def _names_in(stage: Node) -> list[str]:
    """What a stage may define, whatever is wrong with it."""
    if not isinstance(stage, Mapping):
        return []
    names = [name.strip() for key, _ in stage for name in key.text.split(",")]
    return names + [name for _, value in stage for name in _names_in(value)]


def _stage(key: Scalar, node: Node) -> StageSpec:
    name = check_key(key, "a stage")
    mapping = need_mapping(node, f"stage `{name}`")
    check_not_cut(mapping)
    when, run_if = (read_conditions(word, mapping.get(word)) for word in _CONDITIONS)
    if is_loop(mapping):
        loop = read_loop(mapping, name, key.span)
        return StageSpec(name, (*loop.carry, *loop.collect), False, key.span, when, loop, run_if=run_if)
    entries = [(entry, value) for entry, value in mapping if entry.text not in _CONDITIONS]
    body = tuple(read_assigns(entries))
    if not entries:
        raise fault("PTG105", f"stage `{name}` defines nothing", key.span, fix="add `name: expression` entries")
    return StageSpec(name, body, False, key.span, when, run_if=run_if)
