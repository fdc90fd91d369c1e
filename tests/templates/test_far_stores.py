"""Which results go around the cache."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

SPECS = Path(__file__).resolve().parents[2] / "specs"


@pytest.mark.parametrize(("operator", "far"), [("relu", True), ("index_add", False)])
def test_what_a_kernel_loads_again_stays_in_the_cache(operator: str, far: bool) -> None:
    """The sums of `index_add` grow where they lie."""
    kernels = generate(from_spec(load_spec(SPECS / f"{operator}.yaml")), "cpu").kernels
    assert any("const FarStores far(" in kernel.text for kernel in kernels) is far
