"""What the sanitizer has to know of a device: memories, and the macros that its compiler defines.

Sizes are those of the hardware, from the public pto-isa headers; a build leaves the unsafe end of UB alone besides.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.records import dataclass

CORES = ("VEC", "CUBE")


@dataclass(frozen=True, slots=True)
class Target:
    """``capacity`` in bytes by the location of tiles, ``arch`` and ``family`` as the compiler's macros have them."""

    capacity: Mapping[str, int]
    arch: str
    family: str

    def macros(self, core: str) -> dict[str, str]:
        """What is defined for the vector or the cube core."""
        there = {"__CCE_AICORE__": self.arch, "__NPU_ARCH__": f"{self.arch}1", f"PTO_NPU_ARCH_{self.family}": "1"}
        return {**there, f"__DAV_{core}__": "1", f"__DAV_C{self.arch}_{core}__": "1"}


TARGETS = {
    "a2a3": Target(
        {"Vec": 192 << 10, "Mat": 512 << 10, "Left": 64 << 10, "Right": 64 << 10, "Acc": 128 << 10}, "220", "A2A3"
    ),
    "a5": Target(
        {"Vec": 256 << 10, "Mat": 512 << 10, "Left": 64 << 10, "Right": 64 << 10, "Acc": 256 << 10}, "310", "A5"
    ),
}
