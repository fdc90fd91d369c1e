"""Checks a mapping of the tree against its Pydantic model and turns each finding into a diagnostic with a
place."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from typing import Any, TypeVar

from pydantic import ValidationError

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, Suggestion, did_you_mean, fault
from pyptogen.schema.models import Section
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence, describe, plain

ModelT = TypeVar("ModelT", bound=Section)

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "list_type": "a list",
    "too_short": "a list that is not empty",
}


_MOST_FINDINGS = 50
"""Of one mapping that are told: nobody reads more before repairing these."""


def need_mapping(node: Node, what: str, fix: str = "") -> Mapping:
    """The node as a mapping, or PTG104. Nothing at all counts as an empty mapping."""
    if isinstance(node, Mapping):
        return node
    if isinstance(node, Scalar) and node.value is None:
        return Mapping(node.source, (), node.start, node.stop, False)
    problem = f"{what} must be a mapping, not {describe(node)}"
    raise fault("PTG104", problem, node.span, expected="`name: …` entries", fix=fix)


def need_list(node: Node, what: str) -> Sequence:
    """The node as a list, or PTG104. Nothing at all counts as an empty list."""
    if isinstance(node, Sequence):
        return node
    if isinstance(node, Scalar) and node.value is None:
        return Sequence(node.source, (), node.start, node.stop, False)
    raise fault("PTG104", f"{what} must be a list, not {describe(node)}", node.span, expected="`- …` entries or `[…]`")


def need_text(node: Node, what: str) -> Scalar:
    """The node as a scalar, or PTG104."""
    if isinstance(node, Scalar) and node.value is not None:
        return node
    raise fault("PTG104", f"{what} must be text, not {describe(node)}", node.span, expected="text")


def validate(model: type[ModelT], node: Mapping, what: str) -> ModelT:
    """``node`` as a ``model``. Raises one diagnostic per finding: PTG103, PTG104 or PTG105."""
    try:
        return model.model_validate(plain(node))
    except ValidationError as error:
        known = [field.alias or name for name, field in model.model_fields.items()]
        found = [
            _diagnostic(finding, node, what, known) for finding in error.errors(include_url=False)[:_MOST_FINDINGS]
        ]
        merged = _one_per_place(found)
        raise DiagnosticError(*merged) from None


def _one_per_place(found: Seq[Diagnostic]) -> list[Diagnostic]:
    """A union of kinds gives one finding per alternative: join what they expected. A missing key whose name is
    there with a slip of spelling is one finding as well."""
    slips = {item.fix for item in found if item.code == "PTG103" and item.fix}
    found = [item for item in found if item.code != "PTG105" or not any(_key_of(item) in fix for fix in slips)]
    merged: dict[tuple[str, Span | None], Diagnostic] = {}
    for item in found:
        key = (item.code if item.code != "PTG104" else "", item.span)
        if key in merged and item.code == "PTG104":
            first = merged[key]
            expected = " or ".join(dict.fromkeys([*first.expected.split(" or "), item.expected]))
            item = Diagnostic(first.code, first.message, first.span, expected, first.fix)
        if key in merged and item.code == "PTG105":
            first = merged[key]
            message = f"{first.message.replace(' the key ', ' the keys ')}, {_key_of(item)}"
            item = Diagnostic(item.code, message, item.span, fix=f"{first.fix}, {item.fix.removeprefix('add ')}")
        merged[key] = item
    return sorted(merged.values(), key=lambda d: (d.span.line, d.span.col) if d.span else (0, 0))


def _key_of(missing: Diagnostic) -> str:
    """The key that a PTG105 asks for, in backquotes."""
    return missing.message.rsplit(" ", 1)[-1]


def _diagnostic(finding: Any, node: Mapping, what: str, known: list[str]) -> Diagnostic:
    loc, kind = finding["loc"], finding["type"]
    if kind == "extra_forbidden":
        key = node.key(str(loc[-1]))
        span = key.span if key else node.span
        return Diagnostic(
            "PTG103",
            f"{what} has no key `{loc[-1]}`",
            span,
            expected="one of " + ", ".join(known),
            fix=did_you_mean(str(loc[-1]), known),
        )
    if kind == "missing":
        first = node.entries[0][0].span if node.entries else node.span
        return Diagnostic("PTG105", f"{what} lacks the key `{loc[-1]}`", first, fix=f"add `{loc[-1]}: …`")
    target, path = _follow(node, loc)
    expected = _expectation(finding)
    alone = kind == "list_type" and isinstance(target, Scalar) and isinstance(target.value, str)
    fix = (
        Suggestion(f"`[{target.text}]`", target.text, f"[{target.text}]")
        if isinstance(target, Scalar) and alone
        else ""
    )
    return Diagnostic("PTG104", f"`{path}` cannot be {describe(target)}", target.span, expected=expected, fix=fix)


def _follow(node: Node, loc: Seq[Any]) -> tuple[Node, str]:
    """The node at a Pydantic location; steps that are not in the tree are names of union members."""
    path: list[str] = []
    for step in loc:
        if isinstance(node, Mapping) and (child := node.get(str(step))) is not None:
            node = child
            path.append(str(step))
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            node = node.items[step]
            path.append(str(step + 1))
    return node, ".".join(path)


def _expectation(finding: Any) -> str:
    kind, context = finding["type"], finding.get("ctx", {})
    if kind == "literal_error":
        return "one of " + str(context["expected"]).replace("'", "").replace(" or ", ", ")
    if kind in _KINDS:
        return _KINDS[kind]
    return str(finding["msg"]).replace("Input should be ", "")
