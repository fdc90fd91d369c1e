"""Tests of the toolchain compile as users do."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from compiling import compiled_as_for_users


@pytest.fixture(scope="package", autouse=True)
def as_for_users() -> Iterator[None]:
    with compiled_as_for_users():
        yield
