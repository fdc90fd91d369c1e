"""Objects compiled for different machines, modes and matrix units in one process: nothing of one answers for another.

The dynamic linker makes one of all variables of a name that g++ emits as unique, in whatever objects of the process.
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from compiling import compiled_as_for_users

from pyptogen.runtime.native.binding import build_scheduler
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.cpu import PORTABLE, X86_LEVELS, features

from . import emulated
from .conftest import HERE, OPTIMISATION, QUIET, emulated_kernels, kernels_for

MACHINES = [level for level in X86_LEVELS if level.needs <= features()]
LEVELS = [*MACHINES[:1], *MACHINES[1:][-1:], PORTABLE]  # the best of this machine, AVX2, and what every machine has
MODES = {"checked": ("-DPTO_CHECKED",), "checked a2a3": ("-DPTO_CHECKED", "-DPTO_CHECKED_A2A3")}
SHARED = re.compile(r"(guard variable for )?pto::cpu::(thread_core\[abi:\w+\]|core_memory_key\[abi:\w+\]\(\)::key)")
"""What a thread owns, and what frees it when the thread ends: one for all objects that are compiled alike."""

IN_A_PROCESS = """
import ctypes, json, sys
said, loaded = [], []
for path in sys.argv[1:]:
    library = ctypes.CDLL(path)
    for name in ("thread_state", "thread_memory"):
        getattr(library, name).restype = ctypes.c_void_p
    places = (ctypes.c_void_p * 16)()
    count = library.own_states(places)
    said.append({
        "unit": library.unit_permitted(), "shared": [library.thread_state(), library.thread_memory()],
        "own": list(places[:count]), "launched": library.launched(),
    })
system = ctypes.CDLL(None).syscall(158, 0x1023, 18) == 0  # arch_prctl(ARCH_REQ_XCOMP_PERM, XFEATURE_XTILE_DATA)
print(json.dumps([said, system]))
"""


def objects() -> dict[str, Path]:
    """shared_state.cpp for levels that this machine has, in modes, and for matrix units of both kinds."""
    compiler, named = find_compiler(), {level.name: level.flags for level in LEVELS}
    named |= {mode: (*PORTABLE.flags, *flags) for mode, flags in MODES.items()}
    made = {
        name: kernels_for(compiler, (*OPTIMISATION, *flags, *QUIET)).compile("shared_state")
        for name, flags in named.items()
    }
    if emulated.LEVEL.needs <= features():
        made["amx-emulated"] = emulated_kernels().compile("shared_state")
        flags = (*OPTIMISATION, *emulated.WITH_UNIT, *QUIET)
        made["amx-compiled"] = kernels_for(compiler, flags).compile("shared_state")
    return made


def said(*paths: Path) -> tuple[list[dict[str, Any]], bool]:
    """What objects say of themselves in a process that loads them in this order; whether the system grants the unit."""
    command = [sys.executable, "-c", IN_A_PROCESS, *map(str, paths)]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    answers, granted = json.loads(ended.stdout)
    return answers, granted


@pytest.mark.parametrize("first", ["amx-emulated", "amx-compiled"])
def test_each_object_asks_for_the_matrix_unit_itself(first: str) -> None:
    """Software grants its unit, the system that of the processor if there is one, whoever is asked first."""
    emulated_kernels()
    order = sorted(("amx-emulated", "amx-compiled"), key=lambda name: name != first)
    made = objects()
    answers, granted = said(*(made[name] for name in order))
    permitted = dict(zip(order, (answer["unit"] for answer in answers), strict=True))
    assert permitted == {"amx-emulated": 1, "amx-compiled": int(granted)}


@pytest.mark.parametrize("backwards", [False, True], ids=["forwards", "backwards"])
def test_objects_of_different_settings_share_nothing(backwards: bool) -> None:
    made = objects()
    names = sorted(made, reverse=backwards)
    answers, _ = said(*(made[name] for name in names))
    for (one, a), (other, b) in itertools.combinations(zip(names, answers, strict=True), 2):
        common = {place for kind in ("own", "shared") for place in a[kind] if place} & {
            place for kind in ("own", "shared") for place in b[kind] if place
        }
        assert not common, (one, other, common)
    assert all(answer["launched"] == 2 for answer in answers)


def test_objects_of_one_setting_share_what_a_thread_owns_and_nothing_else(tmp_path: Path) -> None:
    one = objects()["portable"]
    other = Path(shutil.copy(one, tmp_path / "other.so"))
    (a, b), _ = said(one, other)
    if find_compiler().family == "gcc":  # clang makes no unique symbols
        assert a["shared"] == b["shared"]
    assert not {place for place in a["own"] if place} & {place for place in b["own"] if place}


def exported_variables(path: Path) -> set[str]:
    """The variables that other objects of the process can be given instead of their own, constants left out."""
    said = subprocess.run(["objdump", "-T", "-C", str(path)], capture_output=True, text=True, check=True).stdout
    # address flags section size version name
    lines = re.findall(r"^[0-9a-f]+ .{7} (\.\S+)\s+[0-9a-f]+\s+(?:\S+\s\s+)?(.*)$", said, re.M)
    return {name.strip() for section, name in lines if section in (".data", ".bss", ".tdata", ".tbss")}


needs_objdump = pytest.mark.skipif(shutil.which("objdump") is None, reason="no objdump here (GNU binutils)")


@needs_objdump
def test_kernels_export_nothing_else_that_can_change() -> None:
    for name, path in objects().items():
        others = {variable for variable in exported_variables(path) if not SHARED.fullmatch(variable)}
        ours = {variable for variable in others if "pto" in variable}
        assert not ours, (name, ours)


@needs_objdump
@pytest.mark.parametrize("checked", [None, "a2a3"], ids=["plain", "checked"])
def test_operators_export_nothing_else_that_can_change(checked: str | None) -> None:
    sources = {name: (HERE / "kernels" / name).read_text() for name in ("common.hpp", "shared_state.cpp")}
    with compiled_as_for_users():  # linkers list hidden variables in ways of their own
        path = make_toolchain(checked=checked).shared_object("shared_state", sources, ["thread_memory", "own_states"])
    variables = exported_variables(path)
    assert len(variables) == 3  # what is found at all
    assert all(map(SHARED.fullmatch, variables)), variables


@needs_objdump
def test_the_scheduler_exports_no_variable() -> None:
    assert not {name for name in exported_variables(build_scheduler()) if "pto" in name}
