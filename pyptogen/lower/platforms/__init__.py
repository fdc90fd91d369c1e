"""Platforms as data: memories, cores, alignments. A new one is a file here plus its legality rows in `lower/isa/`."""

from pyptogen.lower.platforms.a2a3 import A2A3
from pyptogen.lower.platforms.cpu import CPU
from pyptogen.lower.platforms.model import Memory, Platform

PLATFORMS: dict[str, Platform] = {p.name: p for p in (CPU, A2A3)}
KNOWN_TARGETS = tuple(PLATFORMS)

__all__ = ["KNOWN_TARGETS", "PLATFORMS", "Memory", "Platform"]
