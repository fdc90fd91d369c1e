"""Random specs are many kernels, each of which runs a few times."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from compiling import quick_kernels


@pytest.fixture(scope="package", autouse=True)
def compiled_quickly() -> Iterator[None]:
    with quick_kernels():
        yield
