"""A fuzzer for specs, for hours: `python tests/hostile/fuzz.py --minutes 60 --seed 1`, in the activated environment.

It changes specs of the library (`mutate.py`) and has each answered as `check` and `build` would: read, lowered for all
targets, rendered. What may not happen is an exception that is no diagnostic, more than 5 s of processor time, and more
than 1 GB; each such text goes to ``--findings`` with its traceback. Texts that lead to an answer nobody got before are
changed further, and the shortest of each go to ``--corpus``, which `test_corpus.py` runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import re
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import FrameType

sys.path.insert(0, str(Path(__file__).parents[1]))

from hostile.mutate import mutant
from pyptogen.builder.render import render_operator
from pyptogen.diagnostics import DiagnosticError, gathering, render_json, render_text
from pyptogen.diagnostics.plain_text import unseen
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec

TARGETS = ("cpu", "a2a3", "a5")
SECONDS = 5.0
"""Of processor time for one text."""
MEMORY = 1 << 30
"""Bytes that one text may add."""
_BATCH = 150
"""Texts for each process: memory is that of a few."""


class Hang(BaseException):
    """The answer takes longer than `SECONDS`."""


def answer(path: Path) -> tuple[str, ...]:
    """What is said of the spec at ``path``: its findings without names and numbers, or "fine" and what it is made of.
    Raises what no spec may lead to."""
    try:
        with gathering():
            program = from_spec(load_spec(path))
        render_operator(path, TARGETS, lenient=True)
    except DiagnosticError as error:
        if not error.diagnostics:
            raise AssertionError("an error without a finding") from None
        for found in error.diagnostics:
            said = render_text(found)
            if unseen(said) is not None:
                raise AssertionError(f"cannot be shown: {said!r}") from None
            render_json([found]).encode()
        return tuple(sorted({f"{one.code} {_skeleton(one.message)}" for one in error.diagnostics}))
    return ("fine", *sorted({op.kind for op in program.ops}))


def _skeleton(message: str) -> str:
    return re.sub(r"`[^`]*`|-?\d+|\([^)]*\)", "_", message)[:80]


def _late(number: int, frame: FrameType | None) -> None:
    raise Hang(f"more than {SECONDS} s of processor time")


def examined(data: bytes, path: Path) -> tuple[tuple[str, ...], str]:
    """The answer to a text, or what went wrong."""
    path.write_bytes(data)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return answer(path), ""
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        return (), "".join(traceback.format_exception(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _batch(seed: int, pool: list[bytes], results: Path, ends: float) -> None:
    """Many texts, a line of JSON each; in a process of its own, so that nothing it does stops the others."""
    signal.signal(signal.SIGPROF, _late)
    base = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (base + 2 * MEMORY, base + 2 * MEMORY))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder, results.open("w") as out:
        for _ in range(_BATCH):
            if time.monotonic() > ends:
                break
            data = mutant(pool, draw)
            print(json.dumps({"text": data.hex()}), file=out, flush=True)
            said, wrong = examined(data, Path(folder) / "fuzz.yaml")
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            if grown > MEMORY and not wrong:
                wrong = f"memory grew by {grown >> 20} MB"
                before += grown // 1024
            print(json.dumps({"said": said, "wrong": wrong}), file=out, flush=True)


class _Session:
    def __init__(self, findings: Path, corpus: Path | None) -> None:
        self.findings, self.corpus = findings, corpus
        self.best: dict[tuple[str, ...], bytes] = {}
        self.count = 0
        self.wrong: dict[str, int] = {}

    def take(self, results: Path, died: str) -> None:
        """The results of a batch; a text without an answer ended its process."""
        text: bytes | None = None
        for line in results.read_text().splitlines():
            entry = json.loads(line)
            if "text" in entry:
                text = bytes.fromhex(entry["text"])
                continue
            assert text is not None
            self.count += 1
            if entry["wrong"]:
                self.note(text, entry["wrong"])
            else:
                key = tuple(entry["said"])
                if key not in self.best or len(text) < len(self.best[key]):
                    self.best[key] = text
            text = None
        if text is not None and died:
            self.note(text, died)

    def note(self, text: bytes, wrong: str) -> None:
        """Keeps the shortest text of each kind of failure."""
        lines = [line for line in wrong.splitlines() if line.strip().startswith('File "')]
        kind = hashlib.sha256("\n".join([*lines[-3:], wrong.splitlines()[-1][:40]]).encode()).hexdigest()[:8]
        self.wrong[kind] = self.wrong.get(kind, 0) + 1
        path = self.findings / f"{kind}.yaml"
        if not path.exists() or len(text) < path.stat().st_size:
            self.findings.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
            path.with_suffix(".txt").write_text(wrong)

    def write_corpus(self, most: int) -> None:
        """One text for each finding that was told, the shortest; what is told first by the shortest ones counts."""
        if self.corpus is None:
            return
        covered: set[str] = set()
        kept = []
        for said, text in sorted(self.best.items(), key=lambda item: (len(item[1]), item[1])):
            if len(text) < 1500 and not set(said) <= covered:
                covered |= set(said)
                kept.append(text)
        self.corpus.mkdir(parents=True, exist_ok=True)
        for text in kept[:most]:
            (self.corpus / f"{hashlib.sha256(text).hexdigest()[:10]}.yaml").write_bytes(text)


def main() -> int:
    """Exit code 1 where anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--findings", type=Path, default=Path("build/fuzz"))
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--most", type=int, default=120, help="Texts of the corpus at most.")
    given = parser.parse_args()
    session = _Session(given.findings, given.corpus)
    start = time.monotonic()
    ends = start + 60 * given.minutes
    seed = given.seed * 1_000_003
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder) / "results"
        while time.monotonic() < ends:
            seed += 1
            child = os.fork()
            if child == 0:
                try:
                    _batch(seed, list(session.best.values()), results, ends)
                finally:
                    os._exit(0)
            limit, died = time.monotonic() + 60 + _BATCH * SECONDS, ""
            while True:
                done, status = os.waitpid(child, os.WNOHANG)
                if done:
                    died = f"the process died: {status}" if status else ""
                    break
                if time.monotonic() > limit:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    died = "the process did not end"
                    break
                time.sleep(0.05)
            if results.exists():
                session.take(results, died)
                results.unlink()
            print(
                f"\r{(time.monotonic() - start) / 60:.1f} min, {session.count} texts, {len(session.best)} answers, "
                f"{len(session.wrong)} kinds of failures ({sum(session.wrong.values())})",
                end="",
                flush=True,
            )
    session.write_corpus(given.most)
    print()
    return 1 if session.wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
