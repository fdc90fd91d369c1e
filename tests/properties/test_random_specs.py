"""Any spec of the language becomes a sound kernel: random specs, every level against the level above.

The Tensor level judges the Tile, Block and Instruction levels on both targets and, for a part of the specs, the
compiled kernels, also in checked mode; what may differ says `error_bounds`. `HYPOTHESIS_PROFILE=nightly` draws others
each time: 35 of each kind through all of that, more than 300, and 30 through the levels alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from compiling import NIGHTLY
from hypothesis import HealthCheck, given, settings

from properties.agreement import Wanted, checked_mode_is_silent, kernels_agree, levels_agree, wanted
from properties.iteration_specs import iteration_specs
from properties.random_specs import Case, graph_specs, specs_in_pieces
from properties.shaped_specs import attention_specs, loop_specs, matmul_specs


def examples(count: int, nightly: int) -> settings:
    return settings(
        deadline=None,
        derandomize=not NIGHTLY,
        max_examples=nightly if NIGHTLY else count,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
    )


def written(text: str, folder: Path) -> Path:
    """The same text has the same path in all tests of a process: it is lowered once."""
    path = folder.parent / hashlib.sha256(text.encode()).hexdigest()[:16] / "random.yaml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def asked(case: Case, folder: Path) -> Wanted:
    text, dims = case
    return wanted(written(text, folder), dims, len(text))


def instructions_agree(case: Case, folder: Path) -> None:
    levels_agree(asked(case, folder), twice=True)


def everything_agrees(case: Case, folder: Path) -> None:
    want = asked(case, folder)
    if NIGHTLY:
        levels_agree(want, twice=True)
    kernels_agree(want)
    checked_mode_is_silent(want)


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


@given(case=specs_in_pieces())
@examples(6, nightly=60)
def test_instructions_of_rows_in_pieces(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=specs_in_pieces())
@examples(1, nightly=35)
def test_kernels_of_rows_in_pieces(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)


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


@given(case=iteration_specs())
@examples(3, nightly=30)
def test_instructions_of_iterations(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=iteration_specs())
@examples(1, nightly=35)
def test_kernels_of_iterations(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)


@given(case=attention_specs())
@examples(3, nightly=30)
def test_instructions_of_attention(case: Case, tmp_path: Path) -> None:
    instructions_agree(case, tmp_path)


@given(case=attention_specs())
@examples(1, nightly=35)
def test_kernels_of_attention(case: Case, tmp_path: Path) -> None:
    everything_agrees(case, tmp_path)
