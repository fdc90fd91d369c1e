"""A platform with the instructions of A2/A3 and a third of its memory."""

from __future__ import annotations

from dataclasses import replace

from pyptogen.lower.platforms import AddedPlatform
from pyptogen.lower.platforms.a2a3 import A2A3

COMPACT = AddedPlatform(
    replace(
        A2A3,
        name="compact",
        memories={"ub": 64 * 1024, "l1": 128 * 1024, "l0a": 16 * 1024, "l0b": 16 * 1024, "l0c": 32 * 1024},
        cube_cores=4,
        vector_cores=8,
    ),
    like="a2a3",
)
