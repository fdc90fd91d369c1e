"""Legality of the Block level."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.platforms import Platform
from pyptogen.lower.verify import require


def verify(kernels: Sequence[BlockKernel], platform: Platform) -> None:
    """Buffers are aligned, inside their memory, and disjoint while both live.

    Raises:
        IllegalIR: a rule is broken.
    """
    for kernel in kernels:
        for i, a in enumerate(kernel.buffers):
            require(a.address % 32 == 0, f"{a.name} is not aligned to 32 bytes", a.span)
            require(a.end <= platform.memories[a.memory], f"{a.name} leaves {a.memory}", a.span)
            for b in kernel.buffers[i + 1 :]:
                if a.group and a.group == b.group:
                    same = (a.memory, a.address, a.size, a.copies) == (b.memory, b.address, b.size, b.copies)
                    require(same, f"{a.name} and {b.name} share a place and differ", a.span)
                    continue
                together = a.memory == b.memory and a.first <= b.last and b.first <= a.last
                apart = a.end <= b.address or b.end <= a.address
                require(not together or apart, f"{a.name} and {b.name} overlap while both live", a.span)
