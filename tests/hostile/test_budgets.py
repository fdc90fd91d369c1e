"""Much of everything: the tool lowers it, or says how much is too much, and takes its time over neither."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from hostile.ending import ends
from pyptogen.diagnostics import Diagnostic, DiagnosticError, render_text
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.schema.budget import MOST_AXES, MOST_CALLS, MOST_NESTED, MOST_OF, MOST_OPERATIONS

HEAD = "pyptogen: 1\noperator: scale\n"


def _spec(
    *,
    dims: str = "",
    attrs: str = "",
    inputs: str = "",
    outputs: str = "",
    functions: str = "",
    graph: str = "  y: x * 2\n",
) -> str:
    return (
        f"{HEAD}dims:\n  rows: {{min: 1, max: 64}}\n  cols: 8\n{dims}attrs:\n  n: {{type: fp32, default: 1.0}}\n{attrs}"
        f"inputs:\n  x: fp32[rows, cols]\n{inputs}outputs:\n  y: fp32[rows, cols]\n{outputs}"
        f"functions:\n  once(a): {{return: a + 1}}\n{functions}graph:\n{graph}"
    )


def _times(count: int, line: str, first: int = 0) -> str:
    return "".join(line.format(i=i, j=i - 1) for i in range(first, count))


def _chain(count: int, line: str) -> str:
    return f"  v0: x\n{_times(count, line, 1)}  y: v{count - 1} * 2\n"


TWICE = "  f0(a): {{return: a * 2 + 1}}\n".format()
SPECS: dict[str, tuple[Callable[[], str], str]] = {
    "dims": (lambda: _spec(dims=_times(2000, "  d{i}: 5\n")), "PTG114"),
    "dims_in_order": (lambda: _spec(dims="  d0: rows\n" + _times(450, "  d{i}: d{j} + 1\n", 1)), ""),
    "dims_backwards": (
        lambda: _spec(dims=_times(40, "  d{j}: d{i} + 1\n", 1) + "  d39: rows\n"),
        "PTG114",
    ),
    "dims_squared": (lambda: _spec(dims="  d0: rows + 1\n" + _times(30, "  d{i}: d{j} * d{j} + 1\n", 1)), "PTG106"),
    "dims_of_one_axis": (
        lambda: _spec(
            dims=_times(90, "  d{i}: {{min: 1, max: 9}}\n"),
            inputs=_times(90, "  i{i}: fp32[d{i}]\n") + f"  s: fp32[{' + '.join(f'd{i}' for i in range(90))}]\n",
        ),
        "",
    ),
    "dims_multiplied_out": (
        lambda: _spec(
            dims=_times(40, "  d{i}: {{min: 1, max: 9}}\n"),
            inputs=_times(40, "  i{i}: fp32[d{i}]\n") + f"  s: fp32[{' * '.join(f'(d{i} + 1)' for i in range(40))}]\n",
        ),
        "PTG106",
    ),
    "attrs": (lambda: _spec(attrs=_times(2000, "  a{i}: {{type: fp32, default: 1.0}}\n")), "PTG114"),
    "inputs": (lambda: _spec(inputs=_times(2000, "  i{i}: fp32[8]\n")), "PTG114"),
    "outputs": (
        lambda: _spec(
            outputs=_times(2000, "  o{i}: fp32[rows, 8]\n"), graph="  y: x\n" + _times(2000, "  o{i}: x * {i}\n")
        ),
        "PTG114",
    ),
    "axes": (lambda: _spec(inputs=f"  u: fp32[{', '.join(['2'] * 30)}]\n"), "PTG114"),
    "axes_of_values": (lambda: _spec(graph=f"  v: reshape(x, [{'1, ' * 30}rows, cols])\n  y: x\n"), "PTG114"),
    "values": (lambda: _spec(graph=_chain(2000, "  v{i}: v{j} * 1.5 + x\n")), "PTG114"),
    "stages": (
        lambda: _spec(graph="  s0: {v0: x}\n" + _times(2000, "  s{i}: {{v{i}: v{j} * 2}}\n", 1) + "  t: {y: v1999}\n"),
        "PTG114",
    ),
    "functions": (lambda: _spec(functions=_times(2000, "  f{i}(a): {{return: a + {i}}}\n")), "PTG114"),
    "calls": (
        lambda: _spec(
            functions=TWICE + _times(18, "  f{i}(a): {{return: 'f{j}(a) + f{j}(a * {i}.5)'}}\n", 1),
            graph="  y: f17(x)\n",
        ),
        "PTG114",
    ),
    "calls_that_are_alike": (
        lambda: _spec(
            functions=TWICE + _times(30, "  f{i}(a): {{return: f{j}(a) + f{j}(a)}}\n", 1), graph="  y: f29(x)\n"
        ),
        "PTG114",
    ),
    "calls_of_numbers": (
        lambda: _spec(
            functions=TWICE + _times(30, "  f{i}(a): {{return: f{j}(a) + f{j}(a)}}\n", 1), graph="  y: x * f29(1)\n"
        ),
        "PTG114",
    ),
    "calls_one_in_another": (
        lambda: _spec(functions=TWICE + _times(150, "  f{i}(a): {{return: f{j}(a)}}\n", 1), graph="  y: f149(x)\n"),
        "PTG114",
    ),
    "requirements": (lambda: _spec() + f"requires: [{', '.join(f'rows != {i}' for i in range(5000))}]\n", "PTG114"),
    "a_condition": (lambda: _spec() + f"requires: ['{' and '.join(f'rows != {i}' for i in range(5000))}']\n", "PTG114"),
    "rows_of_tiling": (lambda: _spec() + "tiling:\n" + _times(2000, "  - {{rows: 8}}\n"), "PTG114"),
    "cases": (lambda: _spec() + f"verify: {{cases: [{'{rows: 1}, ' * 5000}]}}\n", "PTG114"),
    "entries": (lambda: _spec(dims=_times(30_000, "  d{i}: 5\n")), "PTG111"),
    "entries_of_toml": (lambda: "[dims]\n" + _times(30_000, "d{i} = 5\n"), "PTG111"),
    "tables_of_toml": (lambda: _times(30_000, "[a{i}]\n"), "PTG111"),
    "unknown_keys": (lambda: _spec() + _times(8000, "k{i}: 1\n"), "PTG103"),
    "a_long_name": (lambda: _spec(graph=f"  y: {'a' * 300_000}\n"), "PTG201"),
    "a_long_key": (lambda: _spec() + f"? {'a' * 300_000}\n: 1\n", "PTG103"),
    "a_long_doc": (lambda: _spec() + f"doc: {'word ' * 100_000}\n", ""),
    "a_long_sum": (lambda: _spec(graph=f"  y: x * ({' + '.join(['1'] * 5000)})\n"), "PTG106"),
    "brackets": (lambda: "[" * 100_000 + "]" * 100_000, "PTG111"),
    "brackets_of_toml": (lambda: f"a = {'[' * 100_000}{']' * 100_000}\n", "PTG111"),
    "brackets_in_an_expression": (lambda: _spec(graph=f"  y: '{'(' * 5000}x{')' * 5000}'\n"), "PTG106"),
    "signs": (lambda: _spec(graph=f"  y: '{'-' * 50_000}x'\n"), "PTG106"),
    "aliases": (lambda: "a0: &a0 [x]\n" + _times(60, "a{i}: &a{i} [*a{j}, *a{j}]\n", 1), "PTG111"),
    "digits": (lambda: _spec(graph=f"  y: x * {'9' * 4000}\n"), "PTG106"),
}


def _said(text: str, file: str) -> str:
    """The code of the first finding, or nothing."""
    findings: tuple[Diagnostic, ...] = ()
    try:
        with ends():
            from_spec(load_source(Source(file, text)))
    except DiagnosticError as error:
        findings = error.diagnostics
    assert all(found.span is not None for found in findings)
    assert sum(len(render_text(found, lambda _: text)) for found in findings) < 200_000
    return findings[0].code if findings else ""


@pytest.mark.parametrize("kind", SPECS)
def test_much_of_it(kind: str) -> None:
    made, code = SPECS[kind]

    assert _said(made(), "scale.toml" if "toml" in kind else "scale.yaml") == code


def test_what_is_not_too_much() -> None:
    """At the bounds themselves nothing is said."""
    many = _chain(MOST_OPERATIONS, "  v{i}: v{j} * {i}.5\n")
    nested = TWICE + _times(MOST_NESTED, "  f{i}(a): {{return: f{j}(a)}}\n", 1)
    calls = "".join(f"  v{i}: once(x)\n" for i in range(MOST_CALLS)) + "  y: v0\n"
    axes = f"  u: fp32[{', '.join(['2'] * MOST_AXES)}]\n"
    specs = {
        "operations": _spec(graph=many),
        "nested": _spec(functions=nested, graph=f"  y: f{MOST_NESTED - 1}(x)\n"),
        "calls": _spec(graph=calls),
        "axes": _spec(inputs=axes),
        "dims": _spec(dims=_times(MOST_OF["dims"] - 2, "  d{i}: 5\n")),
        "attrs": _spec(attrs=_times(MOST_OF["attrs"] - 1, "  a{i}: {{type: fp32, default: 1.0}}\n")),
    }

    assert {name: _said(text, "scale.yaml") for name, text in specs.items()} == dict.fromkeys(specs, "")
