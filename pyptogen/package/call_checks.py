"""What a call of an operator checks beside shapes, as C++: preconditions and indices."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.runtime.operator.index_chains import Step
from pyptogen.runtime.operator.indices import IndexBound
from pyptogen.runtime.operator.requirements import Check

_COMPARED = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
_INFIX = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
_ROUNDED = {"floor": "std::floor", "ceil": "std::ceil"}
_BINARY = {
    "add": "({0} + {1})", "sub": "({0} - {1})", "mul": "({0} * {1})",
    "maximum": "std::max<int64_t>({0}, {1})", "minimum": "std::min<int64_t>({0}, {1})",
    "lt": "int64_t({0} < {1})", "le": "int64_t({0} <= {1})", "gt": "int64_t({0} > {1})", "ge": "int64_t({0} >= {1})",
    "eq": "int64_t({0} == {1})", "ne": "int64_t({0} != {1})", "neg": "(-{0})", "abs": "({0} < 0 ? -{0} : {0})",
    "where": "({0} != 0 ? {1} : {2})", "bitwise_and": "({0} & {1})", "bitwise_or": "({0} | {1})",
}  # fmt: skip
"""Of operations of an index chain that go element by element."""
_MOVES = frozenset({"reshape", "permute"})
_SAME = frozenset({"cast", "whole", *_MOVES})
"""Steps that leave the numbers as they are."""


def condition_text(check: Check, fields: Mapping[str, str], whole: Mapping[str, bool]) -> str:
    """A precondition as C++. ``fields``: dims and attrs as C++ calls them; ``whole``: whether one is an integer.

    Raises PTG706 for a formula that has no form there.
    """
    names = {f"_{i}": (fields[name], whole[name]) for i, name in enumerate(check.names)}
    try:
        return _formula(ast.parse(check.condition, mode="eval").body, names)[0]
    except _NoFormError:
        raise _unchecked(f"`{check.text}`", check.span) from None


class _NoFormError(Exception):
    """A formula that C++ has no words for."""


def _formula(node: ast.expr, names: Mapping[str, tuple[str, bool]]) -> tuple[str, bool]:
    """A formula as C++, and whether it is a whole number."""
    match node:
        case ast.Name(id=name):
            return names[name]
        case ast.Constant(value=bool() | int() as value):
            return f"INT64_C({int(value)})", True
        case ast.Constant(value=float(value)):
            return repr(value), False
        case ast.Compare():
            terms = [_formula(term, names)[0] for term in (node.left, *node.comparators)]
            signs = [_COMPARED[type(op)] for op in node.ops if type(op) in _COMPARED]
            if len(signs) == len(node.ops):
                pairs = zip(terms, signs, terms[1:], strict=False)
                return "(" + " && ".join(f"{a} {sign} {b}" for a, sign, b in pairs) + ")", True
        case ast.BoolOp(op=op, values=values):
            sign = " && " if isinstance(op, ast.And) else " || "
            return f"({sign.join(_formula(value, names)[0] for value in values)})", True
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return f"(!{_formula(operand, names)[0]})", True
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            text, is_whole = _formula(operand, names)
            return f"(-{text})", is_whole
        case ast.BinOp():
            return _arithmetic(node, names)
        case ast.Call():
            return _called(node, names)
    raise _NoFormError


def _arithmetic(node: ast.BinOp, names: Mapping[str, tuple[str, bool]]) -> tuple[str, bool]:
    (left, left_whole), (right, right_whole) = _formula(node.left, names), _formula(node.right, names)
    both = left_whole and right_whole
    match node.op:
        case ast.Add() | ast.Sub() | ast.Mult():
            return f"({left} {_INFIX[type(node.op)]} {right})", both
        case ast.Div():
            return f"(static_cast<double>({left}) / {right})", False
        case ast.FloorDiv() if both:
            return f"pyptogen::floor_div({left}, {right})", True
        case ast.Mod() if both:
            return f"pyptogen::floor_mod({left}, {right})", True
        case ast.Pow() if both:
            return f"pyptogen::power({left}, {right})", True
    raise _NoFormError


def _called(node: ast.Call, names: Mapping[str, tuple[str, bool]]) -> tuple[str, bool]:
    terms = [_formula(term, names) for term in node.args]
    texts, whole = [text for text, _ in terms], all(is_whole for _, is_whole in terms)
    match node.func:
        case ast.Name(id=("max" | "min") as name):
            kind = "int64_t" if whole else "double"
            values = texts if whole else [f"static_cast<double>({text})" for text in texts]
            return f"std::{name}<{kind}>({{{', '.join(values)}}})", whole
        case ast.Name(id="abs") if whole:
            return f"std::max<int64_t>({texts[0]}, -{texts[0]})", True
        case ast.Attribute(attr=("floor" | "ceil") as name):
            return (texts[0], True) if whole else (f"{_ROUNDED[name]}({texts[0]})", False)
    raise _NoFormError


def index_function(bound: IndexBound, size: Mapping[str, str], name: str) -> str:
    """What is looked at of one element of the input that an index is computed from, as a lambda of C++.

    ``size``: each size text of the chain as C++ has it; ``name``: what it calls the element. Raises PTG706 where an
    index is not made of one element of one input.
    """
    chain, use = bound.chain, bound.use
    kinds = {step.kind for step in chain.steps}
    several = any(len(set(step.sources)) > 1 for step in chain.steps)
    if len(chain.inputs) != 1 or kinds - _SAME - _BINARY.keys() or (several and kinds & _MOVES):
        raise _unchecked(f"{use.index}, computed from {' and '.join(f'`{name}`' for name in chain.inputs)},", use.span)
    known = {chain.inputs[0]: name}
    for step, texts in zip(chain.steps, chain.texts, strict=True):
        known[step.result] = _step(step, [known[name] for name in step.sources], [size[text] for text in texts])
    result = known[chain.steps[-1].result] if chain.steps else name
    return f"[&](int64_t {name}) {{ return {result}; }}"


def _step(step: Step, given: list[str], numbers: list[str]) -> str:
    if step.kind in _SAME:
        return given[0]
    return _BINARY[step.kind].format(*(given[at] if is_value else numbers[at] for is_value, at in step.detail))


def _unchecked(what: str, span: Span) -> DiagnosticError:
    return fault(
        "PTG706",
        f"{what} has no form in C++ that a call could check",
        span,
        expected="conditions of arithmetic and comparisons; indices that are made of one input, element by element",
        fix="give the operator what is computed as an input, or package it without this operator",
    )
