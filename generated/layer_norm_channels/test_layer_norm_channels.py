"""Tests of layer_norm_channels: the kernels of this folder against the Tensor level.

Made by pyptogen from layer_norm_channels.yaml: changes belong there.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.runtime import load_generated
from pyptogen.verify import verify_case
from pyptogen.verify.snapshot import Snapshot

FOLDER = Path(__file__).resolve().parent
SEED = 7

CASES = (
    {"n": 1, "hw": 1},
    {"n": 2, "hw": 37},
    {"n": 8, "hw": 3136},
)


def case_name(dims: dict[str, int]) -> str:
    return "-".join(f"{name}{size}" for name, size in dims.items())


TARGETS = (
    pytest.param("cpu", marks=pytest.mark.target_cpu),
    pytest.param("a2a3", marks=pytest.mark.target_a2a3),
)


@pytest.mark.pyptogen
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("dims", CASES, ids=case_name)
def test_layer_norm_channels(target: str, dims: dict[str, int], pyptogen_snapshot: Snapshot) -> None:
    """Every output agrees with the golden within the tolerance of the spec, and with what `--snapshot DIR` keeps."""
    operator = load_generated(FOLDER, target)
    result = verify_case(operator, dims, seed=SEED, run=pyptogen_snapshot.recording(operator))

    failed = [verdict.describe() for verdict in result.verdicts if not verdict.passed]
    assert not failed, "\n".join(failed)
    changed = pyptogen_snapshot.changes(f"layer_norm_channels/{target}-{case_name(dims)}")
    assert not changed, "\n".join(changed)
