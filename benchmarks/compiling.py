"""How long the C++ of the library takes: every spec compiled and loaded, into a cache that is empty at first
but for the runtime's scheduler.

    python benchmarks/compiling.py [--only softmax,matmul] [--target cpu,a2a3] [--json FILE]

Wall time counts (aim for the library on two cores: 480 seconds). Processor time, of this process and of its compilers,
says what a machine that others use as well would take by itself: half of it on two cores, as kernels are compiled side
by side, if nothing waits.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

import pyptogen
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime.native.binding import scheduler
from pyptogen.schema import load_spec

ROOT = Path(__file__).parents[1]
AIM = 480.0
"""Seconds for all specs, on two cores."""


def processor_seconds() -> float:
    """Of this process and of those that it has waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


def compiled(path: Path, target: str) -> dict[str, object]:
    """Wall and processor seconds of one spec."""
    wall, processor = time.perf_counter(), processor_seconds()
    pyptogen.compile(path, target)
    return {
        "spec": path.stem,
        "target": target,
        "wall_s": time.perf_counter() - wall,
        "processor_s": processor_seconds() - processor,
    }


def main() -> int:
    """Compile, print, write."""
    parser = argparse.ArgumentParser(description="How long the C++ of the library takes to compile.")
    parser.add_argument("--only", default="", help="comma-separated beginnings of spec names")
    parser.add_argument("--target", default="cpu,a2a3", help="comma-separated targets")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    args = parser.parse_args()
    begins = tuple(args.only.split(","))
    paths = [path for path in sorted((ROOT / "specs").glob("*.yaml")) if path.stem.startswith(begins)]
    rows = []
    scheduler()  # of the runtime, for all operators of all libraries
    with tempfile.TemporaryDirectory() as cache:
        os.environ["PYPTOGEN_CACHE_DIR"] = cache
        for path in paths:
            targets = from_spec(load_spec(path)).targets
            for target in (target for target in args.target.split(",") if target in targets):
                rows.append(compiled(path, target))
                print("{spec:<34} {target:<5} {wall_s:8.2f} s {processor_s:8.2f} s of processors".format(**rows[-1]))
    wall, processor = (sum(float(str(row[key])) for row in rows) for key in ("wall_s", "processor_s"))
    aim = f" (aim: {AIM:.0f})" if not args.only else ""
    print(f"{len(rows)} builds: {wall:.0f} s{aim}, {processor:.0f} s of processors")
    if args.json:
        args.json.write_text(json.dumps({"rows": rows, "wall_s": wall, "processor_s": processor}, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
