"""How long a library of many operators takes: to build it, to build it again, to change one spec, to check it.

    python benchmarks/scale.py                        1,000 operators, minutes
    python benchmarks/scale.py --operators 90 --only unchanged,check

The operators are those of `specs/` over and over, each time under other names, so that nothing is the same twice.

| part | what | aim, seconds on two cores, for 1,000 |
|---|---|---|
| `cold` | into an empty folder, nothing rendered before | 120 |
| `unchanged` | once more | 1 |
| `one_changed` | a number of one spec is another | 1.5 |
| `check` | `--check` of it all | 2 |
| `elsewhere` | into another folder, as a fresh clone does whose machine keeps the cache | none |

Wall time and processor time (of all processes) of the command, Python's start included, and the most memory that one of
the processes took.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
AIMS = {"cold": 120.0, "unchanged": 1.0, "one_changed": 1.5, "check": 2.0, "elsewhere": None}


def make(folder: Path, count: int) -> None:
    """``count`` specs, each with a name of its own."""
    for part in (path for path in (ROOT / "specs").iterdir() if path.is_dir()):
        shutil.copytree(part, folder / part.name)
    specs = sorted((ROOT / "specs").glob("*.yaml"))
    for number in range(count):
        spec = specs[number % len(specs)]
        name = f"{spec.stem}_{number // len(specs)}"
        text = re.sub(r"(?m)^operator: *\w+", f"operator: {name}", spec.read_text(encoding="utf-8"), count=1)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")


def change(folder: Path) -> None:
    """A dim of one spec has another maximum, another each time."""
    spec = folder / "argmax_0.yaml"
    text = spec.read_text(encoding="utf-8")
    spec.write_text(re.sub(r"max: (\d+)", lambda found: f"max: {int(found[1]) - 1}", text, count=1), encoding="utf-8")


def timed(folder: Path, out: str, *options: str) -> dict[str, float]:
    """Seconds of one build."""
    command = [sys.executable, "-m", "pyptogen", "build", "specs", "-o", out, *options]
    # Bytecode of modules is kept beside them, as that of an installation is.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYPTOGEN_CACHE_DIR"] = str(folder / "cache")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"wall": round(wall, 3), "processor": round(used, 3), "megabytes": after.ru_maxrss >> 10}


def measure(count: int, runs: int, only: set[str]) -> dict[str, dict[str, float]]:
    """By part; of `runs` the one with the least processor time, but for `cold`."""
    found = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "specs").mkdir()
        make(folder / "specs", count)
        found["cold"] = timed(folder, "out")
        for part in AIMS:
            if part not in only or part == "cold":
                continue
            tried = []
            for number in range(runs):
                if part == "one_changed":
                    change(folder / "specs")
                out = f"out{number}" if part == "elsewhere" else "out"
                tried.append(timed(folder, out, *(["--check"] if part == "check" else [])))
            found[part] = min(tried, key=lambda one: one["processor"])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--operators", type=int, default=1000)
    parser.add_argument("--runs", type=int, default=3, help="runs of each part but the first")
    parser.add_argument("--only", default=",".join(AIMS), help="parts, with commas; `cold` always runs")
    parser.add_argument("-o", "--output", type=Path, help="write the figures there as JSON")
    given = parser.parse_args()
    found = measure(given.operators, given.runs, set(given.only.split(",")))
    for part, figures in found.items():
        aim = "" if AIMS[part] is None else f"aim for 1,000: {AIMS[part]:g} s"
        print(f"{part:<12} " + "  ".join(f"{value:9.2f} {kind}" for kind, value in figures.items()) + f"  {aim}")
    if given.output is not None:
        given.output.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
