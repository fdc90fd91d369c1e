"""Tests lower the same operator many times, for the interpreters and again for compiled kernels: here once a run.

What was lowered is kept pickled in a folder that all workers of a run share, by all that goes in: the program with its
places, and the target. Each caller gets objects of its own, so no test sees what another one did to them. It is lowered
anew where lowering is what a test changes (`MonkeyPatch`), counts or shows, and nightly.

Pickles of equal programs are equal where sets have the same order. So the workers of a run share a seed of hashes,
which is another one for each run; processes that tests start have seeds of their own.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import random
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from compiling import NIGHTLY

from pyptogen.lower import pipeline
from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.launch_cost import LaunchCost
from pyptogen.lower.tensor.ir import Program
from pyptogen.simulate.device.call import launch_cycles

_FOLDER = "PYPTOGEN_TESTS_LOWERED"
"""The variable that names the folder of a run to its workers."""
_BESIDE = ("pyptogen.builder", "pyptogen.cli", "pyptogen.runtime", "pyptogen.verify")
"""Rooms that do not lower."""

_driver = pipeline.lower


def lower_anew(program: Program, target: str, **options: Any) -> Lowered:
    """The compiler itself, as `codegen.lowered` has it, for tests that ask whether it does the same twice."""
    return _driver(program, target, **{"launch_cost": launch_cycles, **options})


class _Kept:
    """Pickled results, files of a folder."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.changed: set[int] = set()
        """Patches of the compiler that are in force."""

    def lower(
        self, program: Program, target: str, *, dump: Dump | None = None, launch_cost: LaunchCost | None = launch_cycles
    ) -> Lowered:
        """As `codegen.lowered` does, also for tests that call the driver itself."""
        own = dump is not None or self.changed or launch_cost is not launch_cycles or sys.getprofile() is not None
        if self.folder is None or own:
            return lower_anew(program, target, dump=dump, launch_cost=launch_cost)
        path = self.folder / hashlib.sha256(pickle.dumps((program, target), 5)).hexdigest()
        try:
            result: Lowered = pickle.loads(path.read_bytes())
        except FileNotFoundError:
            result = lower_anew(program, target, launch_cost=launch_cycles)
            new = path.with_suffix(f".{os.getpid()}")
            new.write_bytes(pickle.dumps(result, 5))
            new.replace(path)  # whole at once: another worker may look for it
        return result


KEPT = _Kept()


def _is_of_compiler(target: Any) -> bool:
    if target is os.environ:
        return False
    if isinstance(target, (dict, list, set)):
        return True  # whose it is cannot be seen
    if not isinstance(target, str):
        module = (
            target.__name__
            if isinstance(target, ModuleType)
            else getattr(target, "__module__", type(target).__module__)
        )
        target = str(module)
    return target.startswith("pyptogen") and not target.startswith(_BESIDE)


def begin_run() -> None:
    """The folder and the seed for the workers of a run, before they start."""
    os.environ[_FOLDER] = tempfile.mkdtemp(prefix="lowered-")
    os.environ.setdefault("PYTHONHASHSEED", str(random.randrange(1 << 32)))


def end_run() -> None:
    """The folder goes; workers have ended."""
    shutil.rmtree(os.environ.pop(_FOLDER), ignore_errors=True)


def lower_once_a_run() -> None:
    """From now on, for all tests, in a process that runs some."""
    if NIGHTLY:
        return
    KEPT.folder = Path(os.environ[_FOLDER])
    os.environ.pop("PYTHONHASHSEED", None)
    pipeline.lower = KEPT.lower
    for name in ("setattr", "delattr", "setitem", "delitem"):
        setattr(pytest.MonkeyPatch, name, _noted(getattr(pytest.MonkeyPatch, name)))
    undo = pytest.MonkeyPatch.undo

    def undone(self: pytest.MonkeyPatch) -> None:
        undo(self)
        KEPT.changed.discard(id(self))

    pytest.MonkeyPatch.undo = undone  # type: ignore[method-assign]


def _noted(change: Any) -> Any:
    def noted(self: pytest.MonkeyPatch, target: Any, *others: Any, **named: Any) -> None:
        if _is_of_compiler(target):
            KEPT.changed.add(id(self))
        change(self, target, *others, **named)

    return noted
