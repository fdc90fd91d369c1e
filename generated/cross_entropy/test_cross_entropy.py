"""Tests of cross_entropy: the kernels of this folder against the Tensor level.

Made by pyptogen from cross_entropy.yaml: changes belong there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.runtime import load_generated
from pyptogen.verify import verify_case

FOLDER = Path(__file__).resolve().parent
SEED = 7

CASES = (
    {"rows": 1},
    {"rows": 37},
    {"rows": 2048},
)


def case_name(dims: dict[str, int]) -> str:
    return "-".join(f"{name}{size}" for name, size in dims.items())


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("dims", CASES, ids=case_name)
def test_cross_entropy(target: str, dims: dict[str, int]) -> None:
    """Every output agrees with the golden within the tolerance of the spec."""
    result = verify_case(load_generated(FOLDER, target), dims, seed=SEED)

    failed = [verdict.describe() for verdict in result.verdicts if not verdict.passed]
    assert not failed, "\n".join(failed)
