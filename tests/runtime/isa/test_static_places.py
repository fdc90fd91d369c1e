"""TASSIGN with an address that is a number is judged when it is compiled, as the device's headers do."""

from __future__ import annotations

import pytest

from .conftest import INCLUDE
from .reading import asked

TEXT = """\
#include <pto/pto-inst.hpp>
using namespace pto;
void place()
{
    Tile<TileType::Vec, float, 64, 256> x;  // 64 KiB
    TASSIGN<ADDRESS>(x);
}
"""
A2A3 = "-DPTO_CHECKED -DPTO_CHECKED_A2A3"
A5 = "-DPTO_CHECKED -DPTO_CHECKED_A5"


def errors(address: str, defines: str) -> str:
    flags = ["-std=c++20", "-fsyntax-only", "-DPTO_PORTABLE", *defines.split(), f"-I{INCLUDE}", "-xc++", "-"]
    return asked(flags, TEXT.replace("ADDRESS", address)).stderr


@pytest.mark.parametrize(
    ("address", "defines", "said"),
    [
        ("0x20000", A2A3, ""),
        ("0x20020", A2A3, "the tile must end inside of its memory"),
        ("0x20020", A5, ""),
        ("0x30020", A5, "the tile must end inside of its memory"),
        ("0x20020", "", ""),
        ("0x10000000", "", "the tile must end inside of its memory"),
        ("0x20010", "", "the address must be a multiple of 32 bytes"),
        ("0x20010", "-D__CPU_SIM", ""),
    ],
)
def test_the_place_of_a_tile(address: str, defines: str, said: str) -> None:
    found = errors(address, defines)
    assert said in found
    assert bool(found) == bool(said)
