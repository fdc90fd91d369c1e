"""How long the compiler itself takes: processor time of lowering, emission, memory planning, and of building a library.

    python benchmarks/lowering.py                       the table, least of three runs
    python benchmarks/lowering.py --runs 5 -o FILE      and as JSON

| part | what | aim, seconds |
|---|---|---|
| `help` | `pyptogen --help` | 0.15 |
| `indexer_prolog` | spec to texts, both targets, each | 0.15 |
| `sixty_operations` | a graph of 60 operations in one stage, both targets, each | 3 |
| `two_hundred_buffers` | addresses for 200 buffers in the least memory that any time needs | 0.5 |
| `library_cold` | `pyptogen build specs/` into an empty folder, where nothing was ever built | 7 |
| `library_unchanged` | the same again | 0.2 |
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from pyptogen.lower.block.pack import Block, fitting
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

ROOT = Path(__file__).parents[1]
AIMS = {
    "help": 0.15, "indexer_prolog cpu": 0.15, "indexer_prolog a2a3": 0.15, "sixty_operations cpu": 3.0,
    "sixty_operations a2a3": 3.0, "two_hundred_buffers": 0.5, "library_cold": 7.0, "library_unchanged": 0.2,
}  # fmt: skip
"""Seconds of processor time; for commands, those of the library and `--help`, of wall time."""
LINKS = (
    "v{0} * g + x", "exp(minimum(v{0}, 1.0))", "v{0} / (sum(abs(v{0}), axis=-1, keepdim=true) + 1)",
    "maximum(v{0}, x * 0.5)", "cast(cast(v{0}, bf16), fp32)", "v{0} - amax(v{0}, axis=-1, keepdim=true)",
)  # fmt: skip


def sixty_operations() -> str:
    """A spec whose program has 60 primitives or a few more, each after the one before."""
    lines, primitives, number = ["  v0: x * 1.0"], 1, 0
    while primitives < 66:  # some links are one less than they look
        link = LINKS[number % len(LINKS)]
        number += 1
        lines.append(f"  v{number}: {link.format(number - 1)}")
        primitives += max(1, link.count("(") + sum(link.count(sign) for sign in "*/+-") - link.count("-1"))
    inputs = "inputs:\n  x: fp32[t, d]\n  g: fp32[d]\noutputs:\n"
    dims = "dims:\n  t: {min: 1, max: 65536}\n  d: 1024\n"
    head = f"pyptogen: 1\noperator: sixty\n{dims}{inputs}  v{number}: fp32[t, d]\ngraph:\n"
    return head + "\n".join(lines) + "\n"


def seconds(work: Callable[[], object], runs: int) -> float:
    """Least processor time of several runs. The first loads what is loaded once: it counts where it is the only one."""
    least = float("inf")
    for _ in range(runs):
        start = time.process_time()
        work()
        least = min(least, time.process_time() - start)
    return least


def spec_to_texts(path: Path, target: str) -> None:
    lower(from_spec(load_spec(path)), target)


def buffers(count: int = 200) -> tuple[list[Block], int]:
    """Random lives and sizes, and the most that is live at any time."""
    chance = random.Random(5)
    found = []
    for number in range(count):
        first = 2 * chance.randrange(count)
        last = first + 2 * chance.randint(1, count // 5)
        found.append(Block(f"b{number}", 32 * chance.randint(1, 64), first, last))
    times = {block.first for block in found}
    return found, max(sum(b.size for b in found if b.first <= t <= b.last) for t in times)


def command(*arguments: str, **settings: str) -> float:
    """Wall time of a `pyptogen` command, Python's start included."""
    start = time.perf_counter()
    line = [sys.executable, "-m", "pyptogen", *arguments]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True, env={**os.environ, **settings})
    return time.perf_counter() - start


def library(folder: Path) -> float:
    """One build of all specs into a folder. Beside the folder lies a cache of its own: that of the user has texts of
    earlier builds."""
    return command("build", "specs/", "-o", str(folder), PYPTOGEN_CACHE_DIR=str(folder.with_name("cache")))


def measure(runs: int) -> dict[str, float]:
    """Seconds by part."""
    found = {"help": min(command("--help") for _ in range(runs))}
    with tempfile.TemporaryDirectory() as folder:
        sixty = Path(folder) / "sixty.yaml"
        sixty.write_text(sixty_operations(), encoding="utf-8")
        for name, path in (("indexer_prolog", ROOT / "specs/indexer_prolog.yaml"), ("sixty_operations", sixty)):
            for target in ("cpu", "a2a3"):
                found[f"{name} {target}"] = seconds(partial(spec_to_texts, path, target), runs)
        blocks, least = buffers()
        found["two_hundred_buffers"] = seconds(lambda: fitting(blocks, least, 32), runs)
        out = Path(folder) / "library"
        found["library_cold"] = library(out)
        found["library_unchanged"] = min(library(out) for _ in range(runs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="runs of each part, of which the least counts")
    parser.add_argument("-o", "--output", type=Path, help="write the figures there as JSON")
    given = parser.parse_args()
    found = measure(given.runs)
    for name, value in found.items():
        print(f"{name:<24} {value:7.3f} s  aim {AIMS[name]:g}  {'' if value < AIMS[name] else 'missed'}")
    if given.output is not None:
        figures = {name: {"seconds": round(value, 3), "aim": AIMS[name]} for name, value in found.items()}
        given.output.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
