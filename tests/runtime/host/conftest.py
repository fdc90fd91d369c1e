"""Runtimes that several tests share: a worker takes a while to start."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pyptogen import Runtime


@pytest.fixture(scope="module")
def rt() -> Iterator[Runtime]:
    """Two chips."""
    with Runtime(level="host", devices=[0, 1], threads=1) as runtime:
        yield runtime


@pytest.fixture(scope="module")
def four() -> Iterator[Runtime]:
    """Four chips."""
    with Runtime(level="host", devices=[0, 1, 2, 3], threads=1) as runtime:
        yield runtime
