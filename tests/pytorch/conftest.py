"""Operators of the library in PyTorch. `make test-torch` installs it; without it these tests are skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SPECS = Path(__file__).resolve().parents[2] / "specs"


@pytest.fixture(scope="session")
def load() -> Callable[[str], Any]:
    """An operator of the library by name."""
    pytest.importorskip("torch", reason="pip install 'pyptogen[torch]'")
    import pyptogen.torch

    return lambda name: pyptogen.torch.load(SPECS / f"{name}.yaml")


@pytest.fixture
def arguments() -> Callable[..., list[Any]]:
    """Tensors for the first case of an operator's spec, in the order of its contract."""
    from pyptogen.torch.tensors import as_tensor

    def of(operator: Any, **dims: int) -> list[Any]:
        compiled = operator.operator
        sizes = dims or dict(compiled.spec.verify.cases[0] if compiled.spec.verify.cases else {})
        given = compiled.example_inputs(**sizes)
        return [as_tensor(given[tensor.name]) for tensor in compiled.contract.inputs]

    return of
