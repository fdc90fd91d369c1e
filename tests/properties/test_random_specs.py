"""Any spec of the language becomes a sound kernel: random specs, every level against the level above.

The golden judges the instructions on both targets and, for fewer specs, the compiled kernels. Set
`HYPOTHESIS_PROFILE=nightly` to try ten times as many, others each time.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, reject, settings

import pyptogen
from properties.random_specs import loop_specs, matmul_specs, vector_specs
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction import interpret as run_instructions
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec, interpret
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.interpret import interpret as run_tiles
from pyptogen.schema import load_spec
from pyptogen.verify import example_inputs

TARGETS = ("cpu", "a2a3")
MANY = 10 if os.environ.get("HYPOTHESIS_PROFILE") == "nightly" else 1


def examples(count: int) -> settings:
    return settings(
        deadline=None,
        derandomize=MANY == 1,
        max_examples=count * MANY,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
    )


def lowered(program: Program, target: str) -> Lowered:
    """Lowered; a random tile that overflows a memory is the spec's fault, and no example."""
    try:
        return lower(program, target)
    except DiagnosticError as error:
        if {d.code for d in error.diagnostics} == {"PTG301"}:
            reject()
        raise


def written(text: str, folder: Path) -> Path:
    path = folder / "random.yaml"
    path.write_text(text)
    return path


def instructions_agree(text: str, dims: dict[str, int], folder: Path) -> None:
    spec = load_spec(written(text, folder))
    program = from_spec(spec)
    arrays = example_inputs(spec, dims, seed=len(text))
    want = interpret(program, arrays)
    for target in TARGETS:
        one, two = lowered(program, target), lowered(program, target)
        assert [k.text for k in one.kernels] == [k.text for k in two.kernels]
        runs = {
            "tile": run_tiles(one, arrays, level="tile"),
            "block": run_tiles(one, arrays, level="block"),
            "instruction": run_instructions(one, arrays),
        }
        for level, got in runs.items():
            for name, expected in want.items():
                close(got[name], expected, f"{name} on {target} at the {level} level")


def kernels_agree(text: str, dims: dict[str, int], folder: Path) -> None:
    path = written(text, folder)
    for target in TARGETS:
        lowered(from_spec(load_spec(path)), target)
        operator = pyptogen.compile(path, target=target, threads=2)
        arrays = operator.example_inputs(seed=len(text), **dims)
        want, got = operator.golden(**arrays), operator(**arrays)
        for name in want._fields:
            close(getattr(got, name), getattr(want, name), f"{name} on {target}, compiled")


def close(got: Any, want: Any, what: str) -> None:
    """Equal for integers; else within what a rounding to bf16 on the way may do to the largest value."""
    if want.dtype.kind == "i":
        np.testing.assert_array_equal(got, want, err_msg=what)
        return
    exact, scale = want.astype(np.float64), max(1.0, float(np.abs(want).max()))
    np.testing.assert_allclose(got.astype(np.float64), exact, rtol=1e-2, atol=1e-2 * scale, err_msg=what)


@given(case=vector_specs())
@examples(30)
def test_instructions_of_vector_graphs(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    instructions_agree(*case, tmp_path)


@given(case=matmul_specs())
@examples(30)
def test_instructions_of_products(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    instructions_agree(*case, tmp_path)


@given(case=vector_specs())
@examples(5)
def test_kernels_of_vector_graphs(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    kernels_agree(*case, tmp_path)


@given(case=matmul_specs())
@examples(5)
def test_kernels_of_products(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    kernels_agree(*case, tmp_path)


@given(case=loop_specs())
@examples(20)
def test_instructions_of_loops(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    instructions_agree(*case, tmp_path)


@given(case=loop_specs())
@examples(4)
def test_kernels_of_loops(case: tuple[str, dict[str, int]], tmp_path: Path) -> None:
    kernels_agree(*case, tmp_path)
