"""Reductions over an axis that is not the last are one kernel with the work around them, which takes columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
import pytest

from pyptogen.codegen import Generated, generate, lowered
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import walk_loops
from pyptogen.lower.tile.kernels import column_groups, merged_columns
from pyptogen.lower.tile.kernels.standalone import Standalone
from pyptogen.schema import Source, load_source
from pyptogen.simulate.device.cases import call_time
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tensor import interpret as golden
from pyptogen.simulate.tile import interpret as run_tiles

SPEC = """\
pyptogen: 1
operator: by_columns
dims: {{n: {{min: 1, max: {n}}}, h: {h}, d: {d}}}
inputs: {{x: "{dtype}[n, h, d]"}}
outputs: {{{outputs}}}
graph:
{graph}
tiling: [{tiling}]
"""
WHOLE, PART = '"fp32[n, h, d]"', '"fp32[h, d]"'
GRAPHS = {
    "softmax": (f"y: {WHOLE}", "y: softmax(cast(x, fp32), axis=0)"),
    "norm": (
        f"y: {WHOLE}",
        "f: cast(x, fp32); c: f - mean(f, axis=0); y: c / sqrt(mean(c * c, axis=0) + 1.0e-5)",
    ),
    "middle": (f"y: {WHOLE}", "f: cast(x, fp32); y: f / (sum(f * f, axis=1, keepdim=true) + 1)"),
    "statistics too": (
        f"y: {WHOLE}, top: {PART}, e: {PART}",
        "f: cast(x, fp32); top: amax(abs(f), axis=0); e: exp(-top); y: f * e - amin(f, axis=0)",
    ),
    "read elsewhere": (
        f"y: {WHOLE}, t: {PART}, z: {WHOLE}",
        "f: cast(x, fp32); s: sum(f * f, axis=0) + 1; t: cumsum(s, axis=1); y: f / s; z: y + t",
    ),
}
TARGETS = ("cpu", "a2a3", "a5")


def program(graph: str, dtype: str = "fp32", tiling: str = "{}", n: int = 4096, h: int = 12, d: int = 100) -> Program:
    outputs, lines = GRAPHS[graph]
    text = "\n".join(f"  {line}" for line in lines.split("; "))
    spec = SPEC.format(dtype=dtype, outputs=outputs, graph=text, tiling=tiling, n=n, h=h, d=d)
    return from_spec(load_source(Source("by_columns.yaml", spec)))


@cache
def generated(graph: str, target: str, dtype: str = "fp32", tiling: str = "{}") -> Generated:
    return generate(program(graph, dtype, tiling), target)


def check(made: Generated, of: Program, n: int) -> None:
    """All outputs, at the Tile and at the Instruction level."""
    x = np.random.default_rng(n).uniform(-2, 2, (n, 12, 100))
    given: dict[str, np.ndarray[Any, Any]] = {"x": x.astype(np.float16 if of.inputs[0].dtype == "fp16" else np.float32)}
    expected = golden(of, given)
    for found in (run_tiles(made, given, level="tile"), run_instructions(made, given, blocks=3)):
        for name, array in found.items():
            np.testing.assert_allclose(array, expected[name], rtol=2e-4, atol=2e-5, err_msg=name)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("graph", ["softmax", "norm", "middle", "statistics too"])
def test_they_are_one_kernel(graph: str, target: str) -> None:
    made = generated(graph, target, "fp16")
    assert len(made.tiles) == 1
    for n in (1, 3, 70):
        check(made, program(graph, "fp16"), n)


@pytest.mark.parametrize("target", TARGETS)
def test_what_another_kernel_makes_of_a_result_does_not_come_back(target: str) -> None:
    """`z` reads a running sum of what the kernel of `y` makes: it is none of its operations."""
    made = generated("read elsewhere", target)
    kernels = {name for kernel in made.tiles for name in kernel.writes if name in ("y", "t", "z")}
    assert kernels == {"y", "t", "z"}
    (of_y,) = (kernel for kernel in made.tiles if "y" in kernel.writes)
    assert {"z", "t"}.isdisjoint(of_y.writes)
    for n in (1, 70):
        check(made, program("read elsewhere"), n)


def loops_of(made: Generated) -> list[tuple[str, int]]:
    """The loops of the only kernel: what they go over, and in steps of how many."""
    (kernel,) = made.tiles
    return [(loop.dim, loop.tile) for loop in walk_loops(kernel.body)]


def test_a_loop_over_the_rows_for_each_reduction_that_others_wait_for() -> None:
    made = generated("norm", "a2a3", tiling="{n: 16, h: 1}")
    assert [dim for dim, _ in loops_of(made)] == ["h", "n", "n", "n"]
    check(made, program("norm", tiling="{n: 16, h: 1}"), 37)


def test_rows_that_fit_are_read_once() -> None:
    """All 12 of a middle axis lie in a tile."""
    (kernel,) = generated("middle", "a2a3").tiles
    assert "h" not in {loop.dim for loop in walk_loops(kernel.body)}


def test_axes_behind_the_reduced_one_are_one() -> None:
    (kernel,) = generated("softmax", "a2a3").tiles
    assert {loop.dim for loop in walk_loops(kernel.body)} == {"n", "y_columns"}


def test_a_row_of_the_table_keeps_the_axes_that_it_names_apart() -> None:
    (kernel,) = generated("softmax", "a2a3", tiling="{n: 16, h: 1}").tiles
    assert {loop.dim for loop in walk_loops(kernel.body)} == {"n", "h"}


def test_a_value_that_has_one_of_the_axes_keeps_them_apart() -> None:
    spec = SPEC.format(
        dtype="fp32", outputs=f"y: {WHOLE}", tiling="{}", n=64, h=300, d=100,
        graph="  s: sum(x * x, axis=0) + 1\n  y: x / s * g",
    ).replace('x: "fp32[n, h, d]"', 'x: "fp32[n, h, d]", g: "fp32[d]"')  # fmt: skip
    of = from_spec(load_source(Source("by_columns.yaml", spec)))
    assert merged_columns.run(of, PLATFORMS["a2a3"], ()) is of
    (kernel,) = generate(of, "a2a3").tiles
    assert {loop.dim for loop in walk_loops(kernel.body)} == {"n", "h"}


def grouped(of: Program, target: str, *unfused: tuple[str, str]) -> Mapping[str, str]:
    platform = PLATFORMS[target]
    return column_groups.run(of, platform, Standalone(of, platform), frozenset(unfused))


def test_few_columns_are_no_such_kernel() -> None:
    """256 columns are no work for 48 cores."""
    assert grouped(program("softmax", h=4, d=64), "a2a3") == {}
    assert grouped(program("softmax", h=12, d=64), "a2a3")


def test_a_reduction_that_nothing_goes_on_from_is_by_itself() -> None:
    of = program("softmax")
    ops = tuple(op for op in of.ops if op.kind in ("cast", "amax"))
    alone = Program(**{name: getattr(of, name) for name in of.__dataclass_fields__} | {"ops": ops})
    assert grouped(alone, "a2a3") == {}


def test_what_must_not_be_in_one_kernel_is_not() -> None:
    of = program("softmax", "fp16")  # whose cast both of them read
    top = next(op.result.name for op in of.ops if op.kind == "amax")
    less = next(op.result.name for op in of.ops if op.kind == "sub")
    together = grouped(of, "a2a3")
    assert together[top] == together[less]
    apart = grouped(of, "a2a3", (less, top))
    assert less not in apart or apart.get(top) != apart[less]
    assert top not in grouped(of, "a2a3", (top, top))


def test_tiles_of_the_author_with_other_rows_are_two_kernels() -> None:
    """Rows of `h` are not those that are reduced."""
    made = generated("softmax", "a2a3", tiling="{n: 1, h: 12}")
    assert len(made.tiles) > 1
    check(made, program("softmax", tiling="{n: 1, h: 12}"), 20)


def test_rows_of_the_author_beside_those_that_are_reduced_are_more_kernels() -> None:
    """A tile has rows of one dim: of four `h` the sums over `n` are kernels of their own."""
    made = generated("softmax", "a2a3", tiling="{h: 4}")
    assert len(made.tiles) > 1
    check(made, program("softmax", tiling="{h: 4}"), 20)


def test_it_is_faster_by_the_model() -> None:
    """4096 x 2048: each core has some columns; in kernels of their own it was 85 us."""
    of = program("softmax", h=16, d=128)
    assert call_time(lowered(of, "a2a3"), {"n": 4096}).micros < 60


APART = """\
pyptogen: 1
operator: by_columns
dims: {{n: {{min: 1, max: 64}}, h: 12, d: 100}}
inputs: {{x: {x}, wide: "fp32[n, 24, d]"}}
outputs: {{{output}}}
graph:
  f: {source} * 2
  {name}: f / (sum(f * f, axis=0) + 1)
tiling: [{{}}]
"""
PLAIN, GAPS = WHOLE, "{shape: '[n, h, d]', dtype: fp32, strides: '[2000, d, 1]'}"


@pytest.mark.parametrize(
    ("source", "x", "output", "merged"),
    [
        ("x", PLAIN, f"y: {PLAIN}", True),
        ("wide[:, :12]", PLAIN, f"y: {PLAIN}", False),
        ("reshape(wide, [2 * n, 12, d])[:n]", PLAIN, f"y: {PLAIN}", False),
        ("x", GAPS, f"y: {PLAIN}", False),
        ("x", PLAIN, f"y: {GAPS}", False),
        ("x", PLAIN, "x: {inplace: true}", False),
    ],
)
def test_axes_that_may_not_lie_one_after_the_other_stay_apart(source: str, x: str, output: str, merged: bool) -> None:
    spec = APART.format(x=x, output=output, source=source, name=output[0])
    of = from_spec(load_source(Source("by_columns.yaml", spec)))
    assert (merged_columns.run(of, PLATFORMS["a2a3"], ()) is not of) == merged


def agree(spec: str, target: str = "a2a3", **shapes: tuple[int, ...]) -> Generated:
    """A spec whose kernels compute what its operations mean."""
    of = from_spec(load_source(Source("by_columns.yaml", spec)))
    rng = np.random.default_rng(1)
    given = {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    made, expected = generate(of, target), golden(of, given)
    for name, array in run_tiles(made, given, level="tile").items():
        np.testing.assert_allclose(array, expected[name], rtol=2e-4, atol=2e-5, err_msg=name)
    return made


def test_what_reads_a_statistic_comes_behind_its_kernel() -> None:
    """`u` stands ahead of the end of that kernel, and shares loops with `b`, which the kernel reads."""
    agree(
        """\
pyptogen: 1
operator: by_columns
dims: {n: {min: 1, max: 64}, m: {min: 1, max: 64}, h: 12, d: 100}
inputs: {x: "fp32[n, h, d]", w: "fp32[m, h, d]"}
outputs: {y: "fp32[n, h, d]", u: "fp32[m, h, d]", b: "fp32[m, h, d]"}
graph:
  all:
    s: sum(x * x, axis=0) + 1
    b: w * 2
    u: w * s
    y: x / s + b[0]
tiling: [{}]
""",
        x=(5, 12, 100),
        w=(7, 12, 100),
    )


def test_two_kernels_do_not_wait_for_each_other() -> None:
    """Each of the two reductions over one axis uses what the kernel of the other one makes."""
    spec = """\
pyptogen: 1
operator: by_columns
dims: {n: {min: 1, max: 64}, m: {min: 1, max: 64}, c: 1024}
inputs: {x: "fp32[n, c]", y: "fp32[m, c]"}
outputs: {a: "fp32[n, c]", b: "fp32[m, c]"}
graph:
  all:
    s: sum(x * x, axis=0) + 1
    p: amax(y, axis=0)
    a: x / s * p
    b: y - p + y * s
tiling: [{}]
"""
    agree(spec, x=(5, 1024), y=(7, 1024))
