"""Platforms as data: memories, cores, alignments. A new one is a file here plus its legality rows in `lower/isa/`."""

from pyptogen.lower.platforms.a2a3 import A2A3
from pyptogen.lower.platforms.a5 import A5
from pyptogen.lower.platforms.added import AddedPlatform, add
from pyptogen.lower.platforms.cpu import CPU
from pyptogen.lower.platforms.model import Memory, Platform

PLATFORMS: dict[str, Platform] = {p.name: p for p in (CPU, A2A3, A5)}
"""Every platform by name: what `targets`, `when: {target: …}` and `--target` may say. Packages may add some."""
add(PLATFORMS)

DEFAULT_TARGETS = (CPU.name, A2A3.name)
"""What an operator is generated for where its spec names no targets; A5 on demand."""

__all__ = ["DEFAULT_TARGETS", "PLATFORMS", "AddedPlatform", "Memory", "Platform"]
