"""Tests lower the same operator many times, for the interpreters and again for compiled kernels: here once a process.

What was lowered is kept pickled, by all that goes in: the program with its places, and the target. Each caller gets
objects of its own, so no test sees what another one did to them. It is lowered anew where lowering is what a test
changes (`MonkeyPatch`), counts or shows, and nightly.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
from collections import OrderedDict
from types import ModuleType
from typing import Any

import pytest
from compiling import NIGHTLY

from pyptogen.lower import pipeline
from pyptogen.lower.artifacts import Dump, Lowered
from pyptogen.lower.launch_cost import LaunchCost
from pyptogen.lower.tensor.ir import Program
from pyptogen.simulate.device.call import launch_cycles

_MOST_BYTES = 64 << 20
_BESIDE = ("pyptogen.builder", "pyptogen.cli", "pyptogen.runtime", "pyptogen.verify")
"""Rooms that do not lower."""

_driver = pipeline.lower


def lower_anew(program: Program, target: str, **options: Any) -> Lowered:
    """The compiler itself, as `codegen.lowered` has it, for tests that ask whether it does the same twice."""
    return _driver(program, target, **{"launch_cost": launch_cycles, **options})


class _Kept:
    """Pickled results, those used longest ago first."""

    def __init__(self) -> None:
        self.results: OrderedDict[bytes, bytes] = OrderedDict()
        self.bytes = 0
        self.changed: set[int] = set()
        """Patches of the compiler that are in force."""

    def lower(
        self, program: Program, target: str, *, dump: Dump | None = None, launch_cost: LaunchCost | None = launch_cycles
    ) -> Lowered:
        """As `codegen.lowered` does, also for tests that call the driver itself."""
        if dump is not None or self.changed or launch_cost is not launch_cycles or sys.getprofile() is not None:
            return lower_anew(program, target, dump=dump, launch_cost=launch_cost)
        key = hashlib.sha256(pickle.dumps((program, target), 5)).digest()
        found = self.results.get(key)
        if found is None:
            made = lower_anew(program, target, launch_cost=launch_cycles)
            self.results[key] = pickle.dumps(made, 5)
            self.bytes += len(self.results[key])
            while self.bytes > _MOST_BYTES:
                self.bytes -= len(self.results.popitem(last=False)[1])
            return made
        self.results.move_to_end(key)
        result: Lowered = pickle.loads(found)
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


def lower_once_a_process() -> None:
    """From now on, for all tests."""
    if NIGHTLY:
        return
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
