"""Loops with carried values, compiled for every target, against what they mean by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from operators.loop_specs import CASES, inputs
from pyptogen.lower.instruction import interpret
from pyptogen.lower.pipeline import lower

RUNS = [(name, target) for name, case in CASES.items() for target in case.targets]


@pytest.fixture(scope="module")
def looped(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Any]:
    """`looped(case, target)`: the compiled loop."""
    folder: Path = tmp_path_factory.mktemp("loops")

    @cache
    def compiled(name: str, target: str) -> Any:
        path = folder / f"{name}.yaml"
        path.write_text(CASES[name].text)
        return pyptogen.compile(path, target=target, threads=2)

    return compiled


def agree(name: str, got: Any, want: dict[str, Any]) -> None:
    for output, expected in want.items():
        scale = max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(
            np.asarray(got[output], np.float64), expected, rtol=0, atol=CASES[name].allowed * scale, err_msg=output
        )


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_compiled(looped: Callable[[str, str], Any], name: str, target: str) -> None:
    operator = looped(name, target)
    for seed, dims in enumerate(CASES[name].sizes):
        arrays = inputs(operator, seed, dims)
        agree(name, operator(**arrays)._asdict(), CASES[name].reference(arrays))


def test_squares_of_blocks_take_a_strip(looped: Callable[[str, str], Any]) -> None:
    """A value whose rows and columns are both the block crosses kernels of a2a3 with room for one block a row."""
    workspaces = lower(looped("local", "a2a3").program, "a2a3").execution.workspaces
    sizes = {workspace.elements.evaluate({"b": 2, "t": 1000}) for workspace in workspaces}
    assert sizes == {2 * 1000 * 32}


@pytest.mark.parametrize(("name", "target"), RUNS)
def test_checked_levels(looped: Callable[[str, str], Any], name: str, target: str) -> None:
    """The Tensor level and the checked machine: no byte read before it is written, no race between pipes."""
    operator = looped(name, target)
    dims = CASES[name].sizes[1]
    arrays = inputs(operator, 7, dims)
    want = CASES[name].reference(arrays)
    agree(name, operator.golden(**arrays)._asdict(), want)
    agree(name, interpret(lower(operator.program, target), arrays), want)
