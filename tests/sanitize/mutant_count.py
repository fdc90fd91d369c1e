"""How many of the harmful mutants of generated kernels `pyptogen sanitize` and the checked mode tell.

python -m sanitize.mutant_count OPERATOR…        with tests/ on PYTHONPATH: one line for each mutant
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import pickle
import select
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.runtime import CompiledOperator
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.sanitize import sanitize_files
from pyptogen.schema import load_spec
from pyptogen.verify.watched import run_watched
from sanitize.kernel_mutants import Mutant, mutants, sample, switched

ROOT = Path(__file__).parents[2]
TARGET = "a2a3"
MOST = {"address": 7, "extent": 5, "loop": 6, "slot": 3, "flag": 1}
"""Mutants of each kind that are taken of one kernel."""
SECONDS = 30
"""A run that takes longer is a deadlock."""


@dataclass(frozen=True, slots=True)
class Row:
    """What became of one mutant. ``harm``: wrong, crash, hang, race, or empty."""

    operator: str
    kernel: str
    mutant: Mutant
    harm: str
    by_sanitize: str
    by_checked: str


def kernels(operator: str) -> list[Path]:
    """The generated kernels of an operator."""
    return sorted((ROOT / "generated" / operator / TARGET / "kernels").glob("*.cpp"))


def chosen(operator: str) -> dict[Path, dict[int, Mutant]]:
    """The mutants of each kernel by their numbers."""
    found: dict[Path, dict[int, Mutant]] = {}
    number = 1
    for file in kernels(operator):
        some = sample(mutants(file.read_text()), MOST)
        found[file] = dict(enumerate(some, number))
        number += len(some)
    return found


def told_by_sanitize(file: Path, mutant: Mutant, folder: Path) -> str:
    """The first finding in a kernel with this fault; empty if there is none. Raises PTG306 as `sanitize_files`."""
    broken = folder / file.name
    broken.write_text(mutant.text(file.read_text().split("\n")))
    files = [broken]
    for half, other in (("_cube", "_vec"), ("_vec", "_cube")):
        beside = file.with_name(file.name.replace(f"{half}.cpp", f"{other}.cpp"))
        if file.stem.endswith(half) and "TPipe<" in file.read_text() and beside.is_file():
            files.append(beside)
    found = [d for report in sanitize_files(files, None, []) for d in report.findings]
    return found[0].message.split("\n")[0] if found else ""


def compiled(operator: str, chosen: Mapping[Path, Mapping[int, Mutant]], checked: bool) -> CompiledOperator:
    """The operator with all of its mutants in it."""
    root = ROOT / "generated" / operator
    spec = load_spec(next(root.glob(f"{operator}.*ml")))
    paths = [root / "wrapper.hpp", root / TARGET / "orchestration.cpp", *kernels(operator)]
    sources = {
        path.relative_to(root).as_posix(): switched(path.read_text(), chosen[path])
        if path in chosen
        else path.read_text()
        for path in paths
    }
    toolchain = make_toolchain(checked=TARGET if checked else None)
    library = toolchain.shared_object(spec.name, sources, [entry_name(spec.name, TARGET)])
    return CompiledOperator(spec, from_spec(spec), TARGET, library, 2)


def in_process(work: Callable[[], Any]) -> tuple[Any, str]:
    """What ``work`` gives in a process of its own (None if that dies or hangs), and what it said on standard error."""
    with tempfile.TemporaryFile() as said:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.dup2(said.fileno(), 2)
            faulthandler.disable()  # pytest's would print where this process, which is meant to end so, was
            with contextlib.suppress(BaseException):
                data = pickle.dumps(work())
                with os.fdopen(writing, "wb") as pipe:
                    pipe.write(data)
            os._exit(0)
        os.close(writing)
        data = b""
        while select.select([reading], [], [], SECONDS)[0]:
            part = os.read(reading, 1 << 20)
            data += part
            if not part:
                break
        else:
            os.kill(child, signal.SIGKILL)
            data = pickle.dumps("hang")
        os.close(reading)
        os.waitpid(child, 0)
        said.seek(0)
        return pickle.loads(data) if data else None, said.read().decode(errors="replace")


def cases(operator: CompiledOperator) -> list[Mapping[str, int]]:
    """The smallest case of the spec that is not a single row."""
    return sorted(operator.spec.verify.cases or ({},), key=lambda case: prod(case.values()))[:2][-1:]


def results(operator: CompiledOperator, number: int, run: Callable[..., Any] | None = None) -> list[Any]:
    """The outputs of the cases with one of the mutants at work (0: none)."""
    os.environ["PYPTOGEN_MUTANT"] = str(number)
    found = []
    for case in cases(operator):
        inputs = operator.example_inputs(seed=7, **case)
        got = run(operator, **inputs) if run else operator(**inputs)
        found += [np.asarray(getattr(a, "array", a)) for a in got]
    return found


def differ(a: Any, b: Any) -> bool:
    """Whether results are apart by more than another order of rounding."""
    a, b = (np.nan_to_num(np.asarray(x, np.float64)) for x in (a, b))
    scale = float(np.abs(a).mean()) + 1e-30
    return bool((np.abs(a - b) > 1e-2 * np.abs(a) + 1e-2 * scale).any())


def counted(operator: str) -> Iterator[Row]:
    """All chosen mutants of an operator."""
    by_file = chosen(operator)
    plain, checked = (compiled(operator, by_file, checked) for checked in (False, True))
    right, _ = in_process(lambda: results(plain, 0))
    assert isinstance(right, list)
    _, said = in_process(lambda: results(checked, 0, run_watched))
    assert not said, said
    with tempfile.TemporaryDirectory() as folder:
        for file, some in by_file.items():
            for number, mutant in some.items():
                got, _ = in_process(lambda number=number: results(plain, number))
                _, said = in_process(lambda number=number: results(checked, number, run_watched))
                try:
                    told = told_by_sanitize(file, mutant, Path(folder))
                except DiagnosticError as error:
                    told = str(error.diagnostics[0].message)
                harm = got if isinstance(got, str) else "crash" if got is None else ""
                if isinstance(got, list) and any(map(differ, right, got)):
                    harm = "wrong"
                if not harm and told.startswith(("race", "hazard", "deadlock", "double", "left over")):
                    harm = "race"
                yield Row(operator, file.name, mutant, harm, told, said.strip().split("\n")[0])


if __name__ == "__main__":
    for name in sys.argv[1:]:
        for row in counted(name):
            m = row.mutant
            print(
                f"{row.operator}|{row.kernel}:{m.line + 1}|{m.kind}|{m.what}|{row.harm}|{row.by_sanitize[:140]}"
                f"|{row.by_checked[:240]}|{m.new}",
                flush=True,
            )
