"""Operators as shared objects for several machines: a folder that needs no compiler where it is used.

``binaries.json`` in a folder says how the operator is called, and names a shared object for each machine and level of
its instruction sets; the scheduler lies beside the operators' folders, in ``runtime``. What a machine has decides at
load which one is used: the best whose features are all there.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.processors import available_processors
from pyptogen.runtime.native.binding import scheduler_key, use_scheduler
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.toolchain.cpu import features

INDEX = "binaries.json"
RUNTIME = "runtime"
LEVELS: Mapping[str, tuple[str, ...]] = {
    "x86_64": ("amx", "avx512-bf16", "avx512", "avx2", "portable"),
    "aarch64": ("portable",),
}
"""A machine -> the levels that folders have shared objects for, best first: x86-64-v4 with AMX (Sapphire Rapids), v4
with BF16 and VNNI, v4, v3, and the baseline; of AArch64 the baseline, which has NEON."""


def is_prebuilt(folder: Path) -> bool:
    """Whether a folder has shared objects."""
    return (folder / INDEX).is_file()


class PrebuiltOperator(CompiledOperator):
    """An operator of such a folder. It has no spec: neither a golden nor example inputs."""

    found_in: tuple[Path, bool]

    def __reduce__(self) -> tuple[Any, ...]:
        """The folder it is from: another process chooses there what fits its machine."""
        folder, portable = self.found_in
        return load_prebuilt, (folder, self.target, self.threads, portable)


def load_prebuilt(folder: Path, target: str, threads: int | None, portable: bool) -> CompiledOperator:
    """The operator of a folder that ``pyptogen build --binary`` wrote. Raises PTG504 for another folder, and where
    there is nothing for this machine."""
    index = _index(folder)
    if index["target"] != target:
        raise fault("PTG504", f"{folder} was built for target `{index['target']}`", None, expected=f"target `{target}`")
    if index["scheduler"] != scheduler_key():
        raise fault(
            "PTG504",
            f"{folder} was built by another version of pyptogen",
            None,
            fix="build it again with the version that is installed here, or install the one that built it",
        )
    machine = platform.machine()
    found = _best(index, machine, portable)
    if found is None:
        built = ", ".join(f"{one['machine']} {one['level']}" for one in index["objects"])
        raise fault(
            "PTG504",
            f"{folder} has nothing for this machine ({machine})",
            None,
            expected=f"one of: {built}",
            fix="build it for this machine, or load the generated folder, which is compiled here",
        )
    use_scheduler(folder.parent / RUNTIME / f"scheduler-{machine}.so")
    rules = CallRules.of_data(index["call"], index["spec"])
    library = (folder / found["file"]).absolute()
    operator = PrebuiltOperator(None, None, target, library, threads or available_processors(), rules=rules)
    operator.found_in = (folder.absolute(), portable)
    return operator


def _best(index: Mapping[str, Any], machine: str, portable: bool) -> Mapping[str, Any] | None:
    """The first object, the best, that this machine can execute."""
    for one in index["objects"]:
        fits = one["machine"] == machine and frozenset(one["needs"]) <= features()
        if fits and (not portable or one["level"] == "portable"):
            found: Mapping[str, Any] = one
            return found
    return None


def _index(folder: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads((folder / INDEX).read_text(encoding="utf-8"))
        for key in ("target", "scheduler", "objects", "call", "spec"):
            found[key]
    except (OSError, ValueError, KeyError, TypeError):
        raise _no_folder(folder) from None
    return found


def _no_folder(folder: Path) -> DiagnosticError:
    return fault("PTG504", f"{folder / INDEX} cannot be read", None, expected="what `pyptogen build --binary` wrote")
