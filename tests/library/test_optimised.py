"""Kernels that are compiled with the flags of users stand for all others."""

from __future__ import annotations

import pytest
from compiling import NIGHTLY, QUICK_OF

from library.optimised import cover, flags_for, kernels_for_devices, uses_of
from pyptogen.runtime.toolchain import build

KERNEL = """
using VecF32_8x16 = Tile<TileType::Vec, float, 8, 16, BLayout::RowMajor, DYNAMIC, 16>;
using VecF32_8x1 = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor, DYNAMIC, 1>;
        VecF32_8x16 x(rows0_valid); TASSIGN<0x10000>(x);
        VecF32_8x1 m(rows0_valid); TASSIGN(m, 0x18000);
        TROWEXPANDSUB(x, x, m);
        TADDS(x, x, 2.0f);
"""


def test_a_use_is_an_instruction_with_its_operands() -> None:
    wide, narrow = "Vecfloat, BLayout::RowMajor", "Vecfloat, BLayout::ColMajor"
    assert uses_of(KERNEL) == {("TROWEXPANDSUB", wide, wide, narrow), ("TADDS", wide, wide, "")}


def test_every_use_is_optimised_somewhere() -> None:
    kernels = kernels_for_devices()
    assert len(cover()) < len(kernels) * 3 / 4
    optimised = set().union(*(uses_of(kernels[key]) for key in cover()))
    assert optimised >= set().union(*map(uses_of, kernels.values()))
    assert {use[0] for use in optimised} > {"TLOAD", "TMATMUL", "TCVT", "TROWSUM", "TSORT32"}


@pytest.mark.skipif(NIGHTLY, reason="all have the flags of users")
def test_the_others_are_compiled_quickly() -> None:
    other = min(set(kernels_for_devices()) - cover())
    quick = {}
    for key in (("softmax", "cpu"), min(cover()), other):
        with flags_for(*key):
            quick[key] = set(QUICK_OF["gcc"]) <= set(build._BY_FAMILY["gcc"])
    assert list(quick.values()) == [False, False, True]
