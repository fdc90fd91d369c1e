"""Any spec of the language becomes a sound kernel: random specs, every level against the level above.

The Tensor level judges the Tile, Block and Instruction levels on both targets and, for a part of the specs, the
compiled kernels, also in checked mode; what may differ says `error_bounds`. `HYPOTHESIS_PROFILE=nightly` draws others
each time: 35 of each kind through all of that, more than 300, and 30 through the levels alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY
from hypothesis import HealthCheck, given, reject, settings
from lowering import lower_anew

import pyptogen
from properties.checked_run import said_by_checked_mode
from properties.error_bounds import bounded
from properties.random_specs import Case, graph_specs
from properties.round_specs import round_specs
from properties.shaped_specs import attention_specs, loop_specs, matmul_specs
from pyptogen.codegen import Generated, generate
from pyptogen.codegen.generate import of_lowered
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret as run_instructions
from pyptogen.simulate.tile import interpret as run_tiles
from pyptogen.verify import example_inputs

TARGETS = ("cpu", "a2a3")


def examples(count: int, nightly: int) -> settings:
    return settings(
        deadline=None,
        derandomize=not NIGHTLY,
        max_examples=nightly if NIGHTLY else count,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def lowered(program: Program, target: str) -> Generated:
    """Generated; a random tile that overflows a memory, or has rows of two dims of which one has no name, is the spec's
    fault, and no example. Where the compiler chose all of them, it is the compiler's."""
    try:
        return generate(program, target)
    except DiagnosticError as error:
        drawn = any(row.sizes for row in program.tiling)
        if drawn and ({d.code for d in error.diagnostics} == {"PTG301"} or "has no name" in str(error)):
            reject()
        raise


def written(text: str, folder: Path) -> Path:
    """The same text has the same path in all tests of a process: it is lowered once."""
    path = folder.parent / hashlib.sha256(text.encode()).hexdigest()[:16] / "random.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def instructions_agree(case: Case, folder: Path) -> None:
    text, dims = case
    spec = load_spec(written(text, folder))
    program = from_spec(spec)
    arrays = example_inputs(spec, dims, seed=len(text))
    want, allowed = bounded(program, arrays)
    for target in TARGETS:
        one, two = lowered(program, target), of_lowered(lower_anew(program, target))
        assert [k.text for k in one.kernels] == [k.text for k in two.kernels]
        runs = {
            "tile": run_tiles(one, arrays, level="tile"),
            "block": run_tiles(one, arrays, level="block", blocks=3),
            "instruction": run_instructions(one, arrays, blocks=2),
        }
        for level, got in runs.items():
            for name, expected in want.items():
                close(got[name], expected, allowed[name], f"{name} on {target} at the {level} level")


def kernels_agree(case: Case, folder: Path) -> None:
    text, dims = case
    path, seed = written(text, folder), len(text)
    for target in TARGETS:
        lowered(from_spec(load_spec(path)), target)
        operator = pyptogen.compile(path, target=target, threads=2)
        want, allowed = bounded(operator.program, example_inputs(operator.spec, dims, seed=seed))
        as_elements = {tensor.name: tensor.elements for tensor in operator.contract.outputs}
        # Inputs of its own for each call: what is updated in place may not be so twice.
        first, second = (operator(**operator.example_inputs(seed=seed, **dims))._asdict() for _ in range(2))
        for name, expected in want.items():
            close(as_elements[name](first[name]), expected, allowed[name], f"{name} on {target}, compiled")
            np.testing.assert_array_equal(first[name], second[name], err_msg=f"{name} on {target}, twice")


def checked_mode_is_silent(case: Case, folder: Path) -> None:
    """Of the kernels of A2/A3: those of the CPU have no flags, and what a pass writes is not followed."""
    text, dims = case
    path = written(text, folder)
    lowered(from_spec(load_spec(path)), "a2a3")
    assert said_by_checked_mode(path, "a2a3", dims, len(text)) == ""


def everything_agrees(case: Case, folder: Path) -> None:
    if NIGHTLY:
        instructions_agree(case, folder)
    kernels_agree(case, folder)
    checked_mode_is_silent(case, folder)


def close(got: Any, want: Any, allowed: Any, what: str) -> None:
    """No further apart than allowed; where that is infinite, anything. NaN and infinity stand where they do."""
    got, want = np.asarray(got), np.asarray(want)
    assert (got.shape, got.dtype) == (want.shape, want.dtype), what
    a, b = got.astype(np.float64), want.astype(np.float64)
    with np.errstate(invalid="ignore"):
        fine = (np.abs(a - b) <= allowed) | (a == b) | (np.isnan(a) & np.isnan(b)) | np.isinf(allowed)
    if fine.all():
        return
    at = tuple(int(i) for i in np.argwhere(~fine)[0])
    raise AssertionError(
        f"{what}: {int((~fine).sum())} of {fine.size} elements, first at {at}: {a[at]} and {b[at]}, "
        f"{abs(a[at] - b[at]):.3g} apart, {allowed[at]:.3g} allowed"
    )


FLAVOURS = ("vector", "movement", "index", "product", "four bits", "everything")


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_instructions_of_graphs(flavour: str, tmp_path: Path) -> None:
    @given(case=graph_specs(flavour))
    @examples(4, nightly=30)
    def agree(case: Case) -> None:
        instructions_agree(case, tmp_path)

    agree()


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_kernels_of_graphs(flavour: str, tmp_path: Path) -> None:
    @given(case=graph_specs(flavour))
    @examples(1, nightly=35)
    def agree(case: Case) -> None:
        everything_agrees(case, tmp_path)

    agree()


@given(case=matmul_specs())
@examples(3, nightly=30)
def test_instructions_of_products(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=matmul_specs())
@examples(1, nightly=35)
def test_kernels_of_products(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)


@given(case=loop_specs())
@examples(3, nightly=30)
def test_instructions_of_loops(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=loop_specs())
@examples(1, nightly=35)
def test_kernels_of_loops(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)


@given(case=round_specs())
@examples(3, nightly=30)
def test_instructions_of_rounds(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=round_specs())
@examples(1, nightly=35)
def test_kernels_of_rounds(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)


@given(case=attention_specs())
@examples(3, nightly=30)
def test_instructions_of_attention(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=attention_specs())
@examples(1, nightly=35)
def test_kernels_of_attention(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)
