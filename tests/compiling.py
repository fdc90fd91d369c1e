"""How tests have kernels compiled, and which of them take their time only in the nightly run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pyptogen.runtime.toolchain import build

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
"""Others and more random examples, and every kernel as users have it compiled."""
QUICK = (
    "-O1",
    *("-fno-tree-ccp", "-fno-tree-bit-ccp", "-fno-tree-pta", "-fno-tree-dominator-opts", "-fno-tree-dse"),
    *("-fno-tree-loop-optimize", "-fno-move-loop-invariants", "-fno-ivopts", "-fno-guess-branch-probability"),
    *("-fno-ipa-modref", "-fno-ipa-pure-const"),
)
"""The passes of g++ that instructions need to become short code, without those that look long for the rest: half the
time of -O3, two thirds of the time of -O1, and less than -O0, which writes every vector to memory."""


@contextmanager
def quick_kernels() -> Iterator[None]:
    """Kernels are compiled in half the time: for tests of values, which are the same.

    Not nightly. What a compiler does to the library's kernels with the flags of users is seen by `tests/library`.
    """
    with pytest.MonkeyPatch.context() as patch:
        if not NIGHTLY:
            patch.setattr(build, "OPTIMISATION", QUICK[0])
            patch.setattr(build, "_BY_FAMILY", {**build._BY_FAMILY, "gcc": (*build._BY_FAMILY["gcc"], *QUICK[1:])})
        yield
