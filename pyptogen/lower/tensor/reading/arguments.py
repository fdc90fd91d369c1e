"""Pairs the arguments of a call with the parameters of what is called."""

from __future__ import annotations

import ast

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.lower.tensor.building.registry import ALIASES, REQUIRED, Parameter
from pyptogen.lower.tensor.reading.other_names import ARGUMENTS
from pyptogen.schema import Expr, FunctionSpec

Bound = list[tuple[Parameter, ast.expr | None]]
"""Each parameter with its argument, None for its default; a variadic one stands once per argument."""


def bind_arguments(name: str, signature: str, parameters: tuple[Parameter, ...], call: ast.Call, expr: Expr) -> Bound:
    """The call's arguments in the order of the parameters. Raises PTG203."""
    variadic = next((p for p in parameters if p.variadic), None)
    single = [p for p in parameters if not p.variadic]
    given: dict[str, ast.expr] = {}
    rest: list[ast.expr] = []
    for index, argument in enumerate(call.args):
        if isinstance(argument, ast.Starred):
            raise fault("PTG108", "`*` has no meaning in a call", expr.span_of(argument))
        if variadic is not None:
            rest += argument.elts if isinstance(argument, ast.List | ast.Tuple) else [argument]
        elif index < len(single):
            given[single[index].name] = argument
        else:
            takes = f"takes {len(single)} argument{'s' * (len(single) != 1)}"
            last = single[-1].name if single else ""
            fix = f"write a list, `{last}=[…]`" if single and single[-1].kind in ("shape", "ints") else ""
            raise _wrong(name, signature, takes, expr, argument, fix)
    for keyword in call.keywords:
        _bind_keyword(name, signature, single, given, keyword, expr)
    missing = [p.name for p in single if p.default is REQUIRED and p.name not in given]
    if variadic is not None and not rest:
        missing = [variadic.name]
    if missing:
        raise _wrong(name, signature, f"lacks the argument `{missing[0]}`", expr, call)
    bound: Bound = [(variadic, argument) for argument in rest] if variadic is not None else []
    return bound + [(p, given.get(p.name)) for p in single]


def bind_function(function: FunctionSpec, call: ast.Call, expr: Expr) -> Bound:
    """The same for a call of a function of the spec."""
    parameters = tuple(Parameter(name, "operand", REQUIRED) for name, _ in function.params)
    signature = f"{function.name}({', '.join(name for name, _ in function.params)})"
    return bind_arguments(function.name, signature, parameters, call, expr)


def _bind_keyword(
    name: str,
    signature: str,
    single: list[Parameter],
    given: dict[str, ast.expr],
    keyword: ast.keyword,
    expr: Expr,
) -> None:
    if keyword.arg is None:
        raise fault("PTG108", "`**` has no meaning in a call", expr.span_of(keyword))
    names = [p.name for p in single]
    wanted = next((own for own in (keyword.arg, *ALIASES.get(keyword.arg, ())) if own in names), None)
    if wanted is None:
        near = [*names, *(alias for alias, of in ALIASES.items() if not set(of).isdisjoint(names))]
        fix = ARGUMENTS.get(keyword.arg) or did_you_mean(keyword.arg, near)
        raise _wrong(name, signature, f"has no argument `{keyword.arg}`", expr, keyword, fix)
    if wanted in given:
        fix = f"write a list, `{names[0]}=[…]`" if single[0].kind == "shape" else ""
        raise _wrong(name, signature, f"gets the argument `{wanted}` twice", expr, keyword, fix)
    given[wanted] = keyword.value


def _wrong(name: str, signature: str, what: str, expr: Expr, node: ast.AST, fix: str = "") -> DiagnosticError:
    return fault("PTG203", f"`{name}` {what}", expr.span_of(node), expected=signature, fix=fix)
