"""Specs at the Tensor level: the whole text, and the laws that every program keeps."""

from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from pyptogen.lower.tensor import from_spec, print_program, verify
from pyptogen.lower.tensor.ir import Program, Scalar, Value
from pyptogen.schema import Source, load_source, load_spec

SPECS = sorted((Path(__file__).parents[3] / "specs").glob("*.yaml"))
READ = ("indexer_prolog", "linear_int8", "rms_norm", "softmax")
"""Programs whose text is kept word for word; the others of the library show changes in `generated/`."""


def program_of(graph: str, functions: str = "", dims: str = "") -> Program:
    """A program of two inputs ``x: fp32[t, d]`` and ``c: bf16[d]`` and the output ``y: fp32[t, d]``."""
    text = (
        f"pyptogen: 1\noperator: demo\ndims:\n  t: {{max: 64}}\n  d: 16\n{dims}attrs:\n  eps: {{type: fp32}}\n"
        f"inputs:\n  x: fp32[t, d]\n  c: bf16[d]\noutputs:\n  y: fp32[t, d]\n{functions}graph:\n{graph}"
    )
    return from_spec(load_source(Source("demo.yaml", text)))


def lines_of(program: Program) -> list[str]:
    """The operations, printed."""
    return [line.strip() for line in print_program(program).splitlines() if " = " in line and "(" in line]


@pytest.mark.parametrize("path", [path for path in SPECS if path.stem in READ], ids=lambda path: path.stem)
def test_program_text(path: Path, snapshot: SnapshotAssertion) -> None:
    spec = load_spec(path)
    text = print_program(from_spec(spec))
    assert text == snapshot
    assert print_program(from_spec(spec)) == text


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_laws(path: Path) -> None:
    program = from_spec(load_spec(path))
    verify(program)
    used = {o.name for op in program.ops for o in op.operands if isinstance(o, Value)}
    used |= {value.name for _, value in program.outputs}
    assert [op.result.name for op in program.ops if op.result.name not in used and op.kind != "only"] == []
    assert {value.name for value in program.inputs} <= used
    for op in program.ops:
        source = Path(op.span.file).read_text("utf-8").splitlines()
        assert op.span.line == op.span.end_line
        written = source[op.span.line - 1][op.span.col - 1 : op.span.end_col - 1]
        assert written.strip() == written != ""
        assert not any(isinstance(o, Scalar) and o.expr.free_symbols & _dims(program) for o in op.operands)


def test_sizes_keep_the_names_of_static_dims() -> None:
    """`t * k` stays a product of dims that tiles can cut, though `k` is a number where it is an operand."""
    program = from_spec(load_spec(next(path for path in SPECS if path.stem == "moe_dispatch")))
    shapes = {name: str(value.shape[0]) for name, value in program.outputs}
    assert shapes["rows"] == "k*t"
    assert not any(isinstance(o, Scalar) and o.expr.free_symbols for op in program.ops for o in op.operands)


def _dims(program: Program) -> set[object]:
    return {size for value in program.inputs for size in value.shape if size.is_Symbol}


def test_identical_operations_of_a_stage_are_shared() -> None:
    program = program_of("  y: exp(x - 1) + cast(c, fp32) * exp(x - 1) + cast(c, fp32)\n")
    assert lines_of(program) == [
        "y_1: fp32[t, d] = sub(x, 1)",
        "y_2: fp32[t, d] = exp(y_1)",
        "y_3: fp32[d] = cast(c)",
        "y_4: fp32[1, d] = reshape(y_3)",
        "y_5: fp32[t, d] = mul(y_4, y_2)",
        "y_6: fp32[t, d] = add(y_2, y_5)",
        "y: fp32[t, d] = add(y_6, y_4)",
    ]


def test_stages_share_nothing() -> None:
    program = program_of("  one:\n    a: exp(x)\n  two:\n    y: exp(x) + a\n")
    assert [op.kind for op in program.ops] == ["exp", "exp", "add"]


def test_scalars_fold() -> None:
    lines = lines_of(program_of("  y: x * (d ** -0.5 * 2) + (3 - 1) / 4 - eps * 2\n"))
    assert lines == [
        "y_1: fp32[t, d] = mul(x, 0.5)",
        "y_2: fp32[t, d] = add(y_1, 1/2)",
        "y: fp32[t, d] = sub(y_2, 2*eps)",
    ]


def test_scalar_stands_on_its_side() -> None:
    assert lines_of(program_of("  y: 1 / (2 - x)\n")) == [
        "y_1: fp32[t, d] = sub(2, x)",
        "y: fp32[t, d] = div(1, y_1)",
    ]


def test_views() -> None:
    assert lines_of(program_of("  y: concat(x[:, 4:], x[:, -12:-8])[:, None, :][:, 0]\n")) == [
        "y_1: fp32[t, d - 4] = slice(x, axis=1, start=4, stop=d)",
        "y_2: fp32[t, 4] = slice(x, axis=1, start=d - 12, stop=d - 8)",
        "y_3: fp32[t, d] = concat(y_1, y_2, axis=1)",
        "y_4: fp32[t, 1, d] = reshape(y_3)",
        "y: fp32[t, d] = reshape(y_4)",
    ]


def test_functions_are_inlined_under_the_name_that_they_serve() -> None:
    functions = "functions:\n  f(v, k):\n    a: v * k\n    return: a + exp(a)\n"
    assert lines_of(program_of("  z: f(x, 2)\n  y: f(z, eps)\n", functions)) == [
        "z_a: fp32[t, d] = mul(x, 2)",
        "z_1: fp32[t, d] = exp(z_a)",
        "z: fp32[t, d] = add(z_a, z_1)",
        "y_a: fp32[t, d] = mul(z, eps)",
        "y_1: fp32[t, d] = exp(y_a)",
        "y: fp32[t, d] = add(y_a, y_1)",
    ]


def test_several_values_have_their_own_temporaries() -> None:
    functions = "functions:\n  f(v):\n    return: [exp(v + 1), v * 2]\n"
    assert lines_of(program_of("  z, u: f(x)\n  y: z + u\n", functions)) == [
        "z_1: fp32[t, d] = add(x, 1)",
        "z: fp32[t, d] = exp(z_1)",
        "u: fp32[t, d] = mul(x, 2)",
        "y: fp32[t, d] = add(z, u)",
    ]


def test_an_output_that_is_an_input_is_copied() -> None:
    assert lines_of(program_of("  y: x\n")) == ["y: fp32[t, d] = reshape(x)"]


def test_names_do_not_collide() -> None:
    program = program_of("  y_1: exp(x)\n  y: exp(y_1 + 1)\n")
    assert lines_of(program) == [
        "y_1: fp32[t, d] = exp(x)",
        "y_2: fp32[t, d] = add(y_1, 1)",
        "y: fp32[t, d] = exp(y_2)",
    ]


def test_dims_are_proved_equal_through_their_definitions() -> None:
    dims = "  halved: d // 2\n  twice: halved * 2\n"
    assert lines_of(program_of("  y: x * reshape(x, [t, twice]) + reshape(x, [t, 2 * halved])\n", dims=dims)) == [
        "y_1: fp32[t, d] = mul(x, x)",
        "y: fp32[t, d] = add(y_1, x)",
    ]


def test_what_slices_leave_are_products_of_dims() -> None:
    """Of sums, no loop could cut the columns: queries, keys and values of one product."""
    dims = "  hq: 4\n  hk: 2\n  w: (hq + 2 * hk) * d\n"
    graph = "  p: concat(x, x, x, x, x, x, x, x)\n" + "".join(
        f"  {name}: p[:, {part}]\n"
        for name, part in {"k": "hq * d:(hq + hk) * d", "v": "(hq + hk) * d:w", "z": "w - 5:w - 2"}.items()
    )
    program = program_of(graph + "  y: x + k[:, :d] + v[:, :d] + z[:, :1]\n", dims=dims)
    shapes = {op.result.name: str(op.result.shape[1]) for op in program.ops}
    assert (shapes["k"], shapes["v"], shapes["z"]) == ("d*hk", "d*hk", "3")


def test_requirements_are_proved_or_kept() -> None:
    requires = "requires: [d % 4 == 0, t >= 1, t % 2 == 0, 2 < t < 9]\n"
    program = program_of("  y: x\n", functions=requires)
    assert [requirement.text for requirement in program.requires] == ["t % 2 == 0", "2 < t < 9"]
    assert program.requires[0].span.line == 13


def test_derived_dims_have_a_range() -> None:
    dims = "  pages: t * 4 + 4\n"
    pages = program_of("  y: x\n", dims=dims).dim("pages")
    assert (pages.value, pages.min, pages.max, str(pages.definition)) == (None, 8, 260, "4*t + 4")
    assert not pages.dynamic
