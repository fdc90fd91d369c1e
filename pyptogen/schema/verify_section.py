"""Reads the ``verify`` section: input generators, cases, tolerances."""

from __future__ import annotations

import ast
from collections.abc import Mapping as Map

from pyptogen.diagnostics import did_you_mean, fault, is_sound, keep, kept
from pyptogen.schema.below import PYTHON_SUFFIXES, read_below
from pyptogen.schema.contract import DimSpec, TensorSpec
from pyptogen.schema.expression import Expr, parse_expression
from pyptogen.schema.models import GoldenModel, ToleranceModel, VerifyModel
from pyptogen.schema.python_text import parsed_file
from pyptogen.schema.spec import GoldenSpec, Tolerance, VerifySpec
from pyptogen.schema.tree import Mapping, Node, Scalar, Sequence
from pyptogen.schema.validate import need_mapping, validate

GENERATORS: dict[str, tuple[str, ...]] = {
    "uniform": ("low, high",),
    "normal": ("", "mean, std"),
    "integers": ("", "low, high"),
    "permutation": ("count",),
    "coordinate": ("axis, m, n", "axis, l, m, n", "axis, k, l, m, n"),
    "skip": ("drawn, value, part",),
    "skip_rows": ("drawn, value, part",),
    "cos": ("x",),
    "sin": ("x",),
    "zeros": ("",),
    "ones": ("",),
}
"""Functions that a generator may call, with the arguments that each takes, one way or another; ``pyptogen.verify``
gives them their meaning."""


def read_verify(
    node: Node,
    dims: tuple[DimSpec, ...],
    inputs: tuple[TensorSpec, ...],
    outputs: tuple[TensorSpec, ...],
    operator: str,
    root: str,
) -> VerifySpec:
    """The ``verify`` section of an operator whose spec lies in the folder ``root``. Raises PTG104, PTG110, PTG113,
    PTG201, PTG202, PTG214."""
    section = need_mapping(node, "`verify`")
    cases: tuple[dict[str, int], ...] = ()
    with kept():
        cases = tuple(validate(VerifyModel, section, "`verify`").cases)
    golden = section.get("golden")
    generate: dict[str, Expr] = {}
    for key, value in _entries(section, "generate"):
        with kept():
            _known(key, [tensor.name for tensor in inputs], "input")
        with kept():
            generate[key.text] = _generator(value)
    tolerance: dict[str, Tolerance] = {}
    for key, value in _entries(section, "tolerance"):
        with kept():
            _known(key, [tensor.name for tensor in outputs], "output")
        with kept():
            tolerance[key.text] = _tolerance(key, value)
    given = section.get("cases")
    if isinstance(given, Sequence):
        for case in given.items:
            _check_case(case, dims)
    own = None
    if golden is not None:
        with kept():
            own = _golden(golden, operator, root)
    return VerifySpec(generate, cases, tolerance, own)


def _tolerance(key: Scalar, node: Node) -> Tolerance:
    fix = f"`{key.text}: {{rtol: 1.0e-5, atol: 1.0e-6}}`"
    entries = need_mapping(node, f"the tolerance of `{key.text}`", fix)
    allowed = validate(ToleranceModel, entries, f"tolerance `{key.text}`")
    return Tolerance(allowed.rtol, allowed.atol, allowed.outliers, allowed.reason.strip(), key.span)


def _golden(node: Node, operator: str, root: str) -> GoldenSpec:
    """``golden: {file: name.py, function: name}``; without a function, the one that is called as the operator. The file
    is looked through, not run."""
    mapping = need_mapping(node, "`golden`")
    model = validate(GoldenModel, mapping, "`golden`")
    file, named = mapping.get("file"), mapping.get("function")
    assert file is not None
    source = read_below(file, root, PYTHON_SUFFIXES)
    name = model.function or operator
    try:
        body = parsed_file(source.text)
    except (SyntaxError, ValueError) as error:
        raise fault("PTG101", f"`{model.file}` is no Python: {error}", file.span) from None
    functions = [part.name for part in body if isinstance(part, ast.FunctionDef)]
    if name not in functions:
        raise fault(
            "PTG201",
            f"`{model.file}` defines no function `{name}`",
            (named or file).span,
            expected="a function of the inputs and attrs by name",
            fix=did_you_mean(name, functions),
        )
    return GoldenSpec(source.file, name, node.span)


def generator_expressions(node: Node) -> list[Expr]:
    """The expressions under ``generate``, for the names in them."""
    generate = node.get("generate") if isinstance(node, Mapping) else None
    expressions = []
    for _, value in generate if isinstance(generate, Mapping) else ():
        with kept():
            expressions.append(parse_expression(value))
    return expressions


def _entries(section: Mapping, key: str) -> Mapping:
    node = section.get(key)
    return need_mapping(node, f"`{key}`") if node is not None else Mapping(section.source, (), 0, 0, False)


def _known(key: Scalar, names: list[str], what: str) -> None:
    if key.text not in names and is_sound(key.text):
        raise fault(
            "PTG201",
            f"`{key.text}` is no {what} of this operator",
            key.span,
            expected="one of " + ", ".join(names) if names else "",
            fix=did_you_mean(key.text, names),
        )


def _generator(node: Node) -> Expr:
    expr = parse_expression(node)
    for part in ast.walk(expr.node):
        if isinstance(part, ast.Call) and (not isinstance(part.func, ast.Name) or part.func.id not in GENERATORS):
            name = expr.text_of(part.func)
            raise fault(
                "PTG202",
                f"there is no generator `{name}`",
                expr.span_of(part.func),
                expected="one of " + ", ".join(GENERATORS),
                fix=did_you_mean(name, GENERATORS),
            )
        if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
            _check_arguments(expr, part, part.func.id)
    return expr


def _check_arguments(expr: Expr, call: ast.Call, name: str) -> None:
    """Raises PTG203 for a generator with too few or too many arguments."""
    counts = [len(ways.split(",")) if ways else 0 for ways in GENERATORS[name]]
    if len(call.args) in counts and not call.keywords:
        return
    given = f"{len(call.args)} and others by name" if call.keywords else str(len(call.args))
    raise fault(
        "PTG203",
        f"`{name}` takes {' or '.join(map(str, counts))} arguments, not {given}",
        expr.span_of(call),
        expected=" or ".join(f"`{name}({ways})`" for ways in GENERATORS[name]),
    )


def _check_case(node: Node, dims: tuple[DimSpec, ...]) -> None:
    dynamic = {dim.name: dim for dim in dims if dim.value is None}
    if not isinstance(node, Mapping):
        return  # told by the model of the section
    case = need_mapping(node, "a case")
    for key, value in case:
        with kept():
            _check_size(key, value, dynamic)
    missing = [name for name in dynamic if case.get(name) is None]
    if missing and is_sound(*missing) and all(key.text in dynamic for key, _ in case):
        keep(fault("PTG105", f"the case gives no size to `{missing[0]}`", case.span, fix=f"add `{missing[0]}: …`"))


def _check_size(key: Scalar, value: Node, dynamic: Map[str, DimSpec]) -> None:
    if not is_sound(key.text):
        return
    _known(key, list(dynamic), "dynamic dim")
    given, dim = getattr(value, "value", None), dynamic[key.text]
    if not isinstance(given, int):
        return  # told by the model of the section
    size = int(given)
    if not dim.min <= size <= dim.max or size % dim.multiple_of:
        multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
        raise fault(
            "PTG214",
            f"the case gives `{dim.name}` the size {size}",
            value.span,
            expected=f"{dim.min} to {dim.max}{multiple}",
        )
