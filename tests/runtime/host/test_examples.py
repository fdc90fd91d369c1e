"""The examples on four simulated chips give what one piece of numpy gives."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

EXAMPLES = Path(__file__).parents[3] / "examples"


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["tensor_parallel", "pipeline_parallel", "split_linear"])
@pytest.mark.parametrize("rows", [5, 37])
def test_example(name: str, rows: int) -> None:
    assert load(name).main(rows) < 1e-5
