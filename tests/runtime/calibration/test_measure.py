"""Microbenchmarks: what is compiled, and that their times are those of the work."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from pyptogen.runtime.calibration import instruction_cases, kept, memory_cases, pass_cases, product_cases
from pyptogen.runtime.calibration.case import Case, source
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.runtime.toolchain.cache import Cache
from pyptogen.simulate.processor.fit import from_times
from tests.simulate.processor.figures import times

ALL = (*instruction_cases.cases(), *pass_cases.cases(), *product_cases.cases(), *memory_cases.cases())


def test_names_are_different() -> None:
    names = [case.name for case in ALL]
    assert len(names) == len(set(names))


def test_every_case_compiles() -> None:
    """As C++; that is looked at without optimisation, which takes most of the time."""
    toolchain = make_toolchain()
    text = source(ALL, "all_cases")
    include = toolchain.headers.include_flags(toolchain.cache)
    said = toolchain.compiler.run([*toolchain.flags, "-O0", "-fsyntax-only", *include, "-x", "c++", "-"], stdin=text)
    assert said.returncode == 0, said.stderr[:2000]


def test_a_turn_runs_the_body_once_for_each_repeat_after_as_many_that_do_not_count() -> None:
    case = Case("counted", "    auto* count = (int64_t*)scratch;", "    ++*count;")
    sources = {"counted.cpp": source([case], "counted")}
    library = ctypes.CDLL(str(make_toolchain().shared_object("counted", sources, ["counted"])))
    library.counted.restype = ctypes.c_double
    library.counted.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_void_p]
    memory = np.zeros(64, np.int64)
    assert library.counted(0, 5, memory.ctypes.data) >= 0.0
    assert memory[0] == 10


def test_figures_are_kept_for_this_machine_and_toolchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "cache"))
    kept._kept.cache_clear()
    assert kept.kept_figures() is None
    measured = {name: seconds for name, seconds in times().items() if name not in ("call", "launch")}
    monkeypatch.setattr(kept, "measure", lambda portable, say: measured)
    monkeypatch.setattr(kept, "measure_calls", lambda portable: {"call": 3e-6, "launch": 1e-7})
    made = kept.calibrate()
    found = kept.kept_figures()
    assert found is not None
    assert found.machine == made.machine
    assert found.call == pytest.approx(3000.0)
    assert found.products == from_times("", measured).products
    assert kept.kept_figures(portable=True) is None
    monkeypatch.setattr(kept, "FORMAT", "another")
    kept._kept.cache_clear()
    assert kept.kept_figures() is None


def test_a_damaged_entry_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYPTOGEN_CACHE_DIR", str(tmp_path / "cache"))
    Cache().put("calibration", kept._key(make_toolchain()), ".json", b'{"call": 1}')
    kept._kept.cache_clear()
    assert kept.kept_figures() is None
    kept._kept.cache_clear()
