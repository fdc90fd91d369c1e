"""Operators of the library beside those of an older commit: the same inputs, runs taken in turn, ratios with a spread.

    python benchmarks/regress.py --against REF [--only flash_attention,softmax] [--threads 1] [--runs 15] [--json FILE]

REF is anything that git knows. Its files are unpacked into a temporary folder and run by this Python beside the present
ones. Exit code 1: an operator has become slower than the bound allows; 2: REF is unknown or nothing could be compared.
README.md beside this file says how to read the table.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BOUND = 0.05
"""An operator is slower when the lower quartile of its ratios is further above 1 than this, each time."""
AGAIN = 2
"""How often a case that seems slower is measured anew."""


@dataclass(frozen=True)
class Case:
    """An operator of the library at one size."""

    name: str
    spec: str
    dims: Mapping[str, int]


def _case(spec: str, shape: str, /, **dims: int) -> Case:
    return Case(f"{spec} {shape}", f"{spec}.yaml", dims)


CASES = (
    _case("flash_attention", "8×2048×128", sq=2048, kv=2048),
    _case("flash_attention_causal", "8×2048×128", sq=2048, kv=2048),
    _case("flash_attention_fp32", "8×1024×128", sq=1024, kv=1024),
    _case("paged_attention", "8×2048", batch=8, pages=64, blocks=512),
    _case("layer_norm", "8192×4096", rows=8192),
    _case("rms_norm", "8192×4096", rows=8192),
    _case("rms_norm_bf16", "8192×4096", rows=8192),
    _case("softmax", "4096×4096", rows=4096),
    _case("gelu", "8192×4096", rows=8192),
    _case("swiglu", "8192×2048", rows=8192),
    _case("rope", "4096×32×128", t=4096),
    _case("quant_per_token", "8192×4096", rows=8192),
    _case("vector_add", "16M", n=1 << 24),
    _case("topk", "1024×4096, 64", rows=1024),
    _case("matmul_fp32", "1024³", m=1024),
    _case("matmul_bf16", "1024³", m=1024),
    _case("matmul_fp16", "1024³", m=1024),
    _case("matmul_int8", "1024³", m=1024),
    _case("linear_int8", "1024×2048×2048", t=1024),
    _case("indexer_prolog", "t=8", t=8, blocks=64),
    _case("indexer_prolog", "t=128", t=128, blocks=64),
    _case("mla_prolog", "t=8", t=8, slots=8192),
)


@dataclass(frozen=True)
class Row:
    """What a case came to: milliseconds of a call now and before, and the quartiles of the ratios of all rounds.
    ``note`` says why there are none."""

    case: str
    threads: int
    now_ms: float = 0.0
    before_ms: float = 0.0
    ratio: float = 0.0
    low: float = 0.0
    high: float = 0.0
    rounds: int = 0
    note: str = ""

    def slower(self, bound: float) -> bool:
        """Whether three quarters of the rounds say so."""
        return not self.note and self.low > 1 + bound


def judged(case: str, threads: int, now: Sequence[float], before: Sequence[float]) -> Row:
    """Of the seconds of each round, which met the same state of the machine."""
    ratios = [a / b for a, b in zip(now, before, strict=True)]
    low, middle, high = statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    return Row(
        case, threads, 1e3 * statistics.median(now), 1e3 * statistics.median(before), middle, low, high, len(ratios)
    )


class Version:
    """The worker of one version."""

    def __init__(self, name: str, root: Path) -> None:
        self.name, self.root = name, root
        paths = (str(root), os.environ.get("PYTHONPATH", ""))
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))}
        command = [sys.executable, str(Path(__file__).with_name("regress_worker.py")), str(root)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=root
        )
        self.level = self._who()

    def _who(self) -> dict[str, Any]:
        who = self.ask(do="who")
        if Path(who.get("root", "")) != self.root:
            raise SystemExit(f"{self.name}: pyptogen comes from {who.get('root', who)} and not from {self.root}")
        return who

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request. A process that has died says so once and for all."""
        assert self.process.stdin
        assert self.process.stdout
        try:
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        found: dict[str, Any] = json.loads(line) if line else {"missing": f"its process ended ({self.process.wait()})"}
        return found

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def unpack(ref: str, folder: Path) -> str:
    """The files of a commit; its short name. Exits with 2 when there is no such commit here."""
    said = subprocess.run(
        ["git", "rev-parse", "--short", f"{ref}^{{commit}}"], cwd=ROOT, capture_output=True, text=True
    )
    if said.returncode != 0:
        print(f"regress.py: git knows no commit `{ref}` in {ROOT}", file=sys.stderr)
        raise SystemExit(2)
    files = subprocess.run(["git", "archive", "--format=tar", ref], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=io.BytesIO(files)) as archive:
        archive.extractall(folder)  # of this repository
    return said.stdout.strip()


def compare(case: Case, now: Version, before: Version, args: argparse.Namespace) -> Row:
    """A case: both make it ready, then take turns, each the first in every other round."""
    with tempfile.TemporaryDirectory() as folder:
        signatures = []
        for version in (now, before):
            said = version.ask(
                do="load",
                spec=case.spec,
                dims=dict(case.dims),
                threads=args.threads,
                folder=folder,
                write=version is now,
            )
            if "missing" in said:
                return Row(case.name, args.threads, note=f"{version.name}: {said['missing']}")
            signatures.append(said["signature"])
    if signatures[0] != signatures[1]:
        return Row(case.name, args.threads, note="the inputs of the operator have changed")
    seconds: dict[str, list[float]] = {now.name: [], before.name: []}
    for round_ in range(args.runs):
        for version in (now, before) if round_ % 2 == 0 else (before, now):
            said = version.ask(do="turn", clock=args.clock)
            if "missing" in said:
                return Row(case.name, args.threads, note=f"{version.name}: {said['missing']}")
            seconds[version.name].append(statistics.median(said["seconds"]))
    return judged(case.name, args.threads, seconds[now.name], seconds[before.name])


def line(row: Row, bound: float) -> str:
    """One line of the table."""
    if row.note:
        return f"{row.case:<36} not compared: {row.note}"
    verdict = "SLOWER" if row.slower(bound) else "faster" if row.high < 1 - bound else ""
    spread = f"{row.low:.2f} to {row.high:.2f}"
    return f"{row.case:<36}{row.now_ms:10.3f}{row.before_ms:12.3f}{row.ratio:8.2f}   {spread:<14} {verdict}"


def machine(level: Mapping[str, Any]) -> str:
    """The processor, in words that tell machines apart."""
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    models = {entry.partition(":")[2].strip() for entry in text.splitlines() if entry.startswith("model name")}
    unit = "with" if level["unit"] else "without"
    return f"{', '.join(sorted(models)) or platform.machine()}, {unit} a matrix unit (level {level['level']})"


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="The operator library beside an older commit of itself.")
    parser.add_argument("--against", required=True, metavar="REF", help="a commit, as git names it")
    parser.add_argument("--only", default="", help="comma-separated beginnings of case names")
    parser.add_argument("--runs", type=int, default=15, help="rounds: turns of each version")
    parser.add_argument("--threads", type=int, default=1, help="cores of the simulated chip")
    parser.add_argument(
        "--clock", choices=("wall", "cpu"), default="wall", help="cpu: processor time, on crowded machines"
    )
    parser.add_argument("--bound", type=float, default=BOUND, help="how much slower is not noise")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser.parse_args()


def main() -> int:
    """Compare, print, write."""
    args = arguments()
    begins = tuple(args.only.split(",")) if args.only else ("",)
    chosen = [case for case in CASES if case.name.startswith(begins)]
    if not chosen:
        print(
            f"regress.py: no case begins with {args.only}; there are {', '.join(c.name for c in CASES)}",
            file=sys.stderr,
        )
        return 2
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="pyptogen-regress-") as folder:
        root = Path(folder).resolve()
        short = unpack(args.against, root)
        kind = ""
        for case in chosen:
            row = Row(case.name, args.threads)
            for _ in range(1 + AGAIN):  # in processes of its own: where arrays happen to lie is a matter of luck
                now, before = Version("now", ROOT), Version(short, root)
                if not kind:
                    kind = machine(now.level)
                    print(f"{kind}; {args.threads} thread(s), {args.clock} time, {args.runs} rounds\n")
                    print(f"{'':<36}{'now ms':>10}{short + ' ms':>12}{'ratio':>8}   quartiles")
                row = compare(case, now, before, args)
                now.close()
                before.close()
                if not row.slower(args.bound):
                    break
            rows.append(row)
            print(line(row, args.bound), flush=True)
            if args.json:  # each time: a run that is stopped leaves what it has measured
                found = {"machine": kind, "against": short, "clock": args.clock, "rows": [asdict(row) for row in rows]}
                args.json.write_text(json.dumps(found, indent=2, sort_keys=True, ensure_ascii=False) + "\n")
    slower = [row.case for row in rows if row.slower(args.bound)]
    if slower:
        print(f"\nslower by more than {100 * args.bound:.0f} %: {', '.join(slower)}")
    return 2 if all(row.note for row in rows) else 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
