"""Compiled operators and their programs, each made once a session. These tests are about values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SPECS = Path(__file__).resolve().parents[2] / "specs"
TARGETS = ("cpu", "a2a3")


@pytest.fixture(scope="session")
def program() -> Callable[[str], Any]:
    """The Tensor level of an operator of the library, by name."""
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_spec

    return cache(lambda name: from_spec(load_spec(SPECS / f"{name}.yaml")))


@pytest.fixture(scope="session")
def operator() -> Callable[..., Any]:
    """`operator(name, target, threads=None)`: the compiled operator."""
    import pyptogen

    @cache
    def compiled(name: str, target: str, threads: int | None = None) -> Any:
        with pytest.MonkeyPatch.context() as patch:  # the bundled headers, whatever the caller's environment says
            patch.delenv("PTO_ISA_ROOT", raising=False)
            return pyptogen.compile(SPECS / f"{name}.yaml", target=target, threads=threads)

    return compiled


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    """Each known target in turn."""
    return str(request.param)
