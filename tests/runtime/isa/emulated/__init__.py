"""The path of processors with a matrix unit (AMX) and arithmetic of halves (AVX512-FP16), for machines without them.

The headers beside this file are both in software, and found before the compiler's <immintrin.h>.
"""

from __future__ import annotations

from pathlib import Path

from pyptogen.runtime.toolchain.cache import digest
from pyptogen.runtime.toolchain.cpu import X86_LEVELS, Level
from pyptogen.runtime.toolchain.headers import Headers, bundled_headers

_BESIDE = next(level for level in X86_LEVELS if level.name == "avx512-bf16")
WITH_UNIT = (*_BESIDE.flags, "-mamx-tile", "-mamx-int8", "-mamx-bf16")
"""Flags for the same code with the tile instructions of the processor, which need not be executed to be looked at."""
_EMULATED = ("-D__AVX512FP16__=1", "-DPTO_CPU_VARIANT=emulated")
LEVEL = Level("amx-emulated", _BESIDE.needs, (*WITH_UNIT, *_EMULATED))
"""What is needed beside the software, and the flags; compile against headers()."""


def headers() -> Headers:
    """The bundled headers and those beside this file."""
    bundled = bundled_headers()
    own = tuple((path.name, path.read_bytes()) for path in sorted(Path(__file__).parent.glob("*.h")))
    return Headers(digest("emulated", bundled.key, *(data for _, data in own)), None, (*bundled.own, *own))
