"""How tests have kernels compiled, and which of them take their time only in the nightly run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pyptogen.runtime.toolchain import build

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
"""Others and more random examples, and every kernel as users have it compiled."""


@contextmanager
def quick_kernels() -> Iterator[None]:
    """Kernels are compiled with -O1, in little more than half the time: for tests of values, which are the same.

    Not nightly. What a compiler does to the library's kernels with the flags of users is seen by `tests/library`.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not NIGHTLY:
            patch.setattr(build, "OPTIMISATION", "-O1")
        yield
