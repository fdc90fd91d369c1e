"""What the processor of this machine can execute, as compiler flags.

`-march=native` is never used: virtual machines mask model numbers, and then compilers prefer 256-bit
vectors. The feature flags that the kernel reports are what CPUID says and what the operating system lets
programs use.
"""

from __future__ import annotations

import functools
import platform
from dataclasses import dataclass
from pathlib import Path

_AVX512 = frozenset({"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"})
_AVX2 = frozenset({"avx2", "fma", "f16c", "bmi1", "bmi2", "movbe", "abm"})
_CASCADELAKE = _AVX2 | _AVX512 | {"avx512_vnni"}
_ICELAKE = _CASCADELAKE | frozenset(
    {
        "avx512vbmi", "avx512_vbmi2", "avx512ifma", "avx512_bitalg", "avx512_vpopcntdq", "gfni",
        "vaes", "vpclmulqdq",
    }
)  # fmt: skip
_SAPPHIRE_RAPIDS = _ICELAKE | frozenset({"amx_tile", "amx_int8", "amx_bf16", "avx512_bf16", "avx512_fp16", "avx_vnni"})


@dataclass(frozen=True, slots=True)
class Level:
    """A step of the ladder of instruction sets: its name, the CPU features it needs, the compiler flags it
    gives.
    """

    name: str
    needs: frozenset[str]
    flags: tuple[str, ...]


PORTABLE = Level("portable", frozenset(), ("-DPTO_PORTABLE",))
"""Baseline code of the architecture; every kernel means the same as on the other levels."""

X86_LEVELS = (
    Level("amx", _SAPPHIRE_RAPIDS, ("-march=sapphirerapids", "-mprefer-vector-width=512")),
    Level(
        "avx512-bf16",
        _ICELAKE | {"avx512_bf16"},
        ("-march=icelake-server", "-mavx512bf16", "-mprefer-vector-width=512"),
    ),
    Level("avx512-vbmi", _ICELAKE, ("-march=icelake-server", "-mprefer-vector-width=512")),
    Level("avx512-vnni", _CASCADELAKE, ("-march=cascadelake", "-mprefer-vector-width=512")),
    Level("avx512", _AVX2 | _AVX512, ("-march=skylake-avx512", "-mprefer-vector-width=512")),
    Level("avx2", _AVX2, ("-march=haswell",)),
)
"""Best first."""


def level_named(name: str) -> Level:
    """The step of the ladder that has a name. Raises ``KeyError``."""
    return {level.name: level for level in (*X86_LEVELS, PORTABLE)}[name]


def parse_cpuinfo(text: str) -> frozenset[str]:
    """The feature names that every processor in the text of ``/proc/cpuinfo`` has."""
    features: frozenset[str] | None = None
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "flags":
            found = frozenset(value.split())
            features = found if features is None else features & found
    return features or frozenset()


@functools.cache
def features() -> frozenset[str]:
    """The feature names of this machine; empty where ``/proc/cpuinfo`` does not tell."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return frozenset()
    return parse_cpuinfo(text)


def choose_level(machine: str, available: frozenset[str]) -> Level:
    """The best level for an architecture name (as of ``platform.machine()``) and a set of features."""
    if machine in ("x86_64", "AMD64"):
        for level in X86_LEVELS:
            if level.needs <= available:
                return level
    return PORTABLE


def native_level() -> Level:
    """The best level for this machine."""
    return choose_level(platform.machine(), features())
