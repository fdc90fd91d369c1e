"""The library's kernels are compiled with the flags of users: here is seen what a compiler does with them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from compiling import flags_of_users


@pytest.fixture(scope="package", autouse=True)
def compiled_for_users() -> Iterator[None]:
    with flags_of_users():
        yield
