"""benchmarks/mutations.txt: each listed change has a place in the code of today, and at least 40 are listed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks/mutate_passes.py"


@pytest.fixture(scope="module")
def mutate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("mutate_passes", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["mutate_passes"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_listed_mutations_can_be_made(mutate: ModuleType) -> None:
    listed = mutate.listed()
    assert len(listed) >= 40
    assert [line for line in listed if mutate.mutant_of(*line[1:]) is None] == []
