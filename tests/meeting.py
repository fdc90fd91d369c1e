"""An operator whose kernel waits for others: which calls are in progress at once shows without a clock."""

from __future__ import annotations

from pathlib import Path

_SPEC = """\
pyptogen: 1
operator: meet
doc: Counts itself in, and waits for as many others as are wanted; what it has seen in the end.
dims: {n: {min: 1, max: 1}}
inputs:
  count: int32[n]
  wanted: int32[n]
outputs:
  count: {inplace: true}
  seen: int32[n]
graph:
  waiting:
    count: count + 1
    seen: wanted + 0
kernels:
  waiting:
    level: source
    file: meet.cpp
    entry: meet_others
    core: aiv
    reads: [count, wanted]
    writes: [count, seen]
    arguments: [seen, count, wanted]
tiling:
  - {}
"""
_KERNEL = """\
// Waits at most a minute.
#include <ctime>

#include <pto/pto-inst.hpp>

extern "C" __global__ AICORE void meet_others(__gm__ int32_t *seen, __gm__ int32_t *count, __gm__ int32_t *wanted)
{
    const time_t end = time(nullptr) + 60;
    __atomic_fetch_add(count, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(count, __ATOMIC_SEQ_CST) < *wanted && time(nullptr) < end) {
    }
    *seen = __atomic_load_n(count, __ATOMIC_SEQ_CST);
}
"""


def meeting(folder: Path) -> Path:
    """The spec of ``meet(count, wanted)``, written to a folder: `seen` is less than `wanted` where nobody came."""
    (folder / "meet.cpp").write_text(_KERNEL)
    (folder / "meet.yaml").write_text(_SPEC)
    return folder / "meet.yaml"
