"""``pyptogen build --binary``: operators as shared objects for several machines (``runtime/operator/prebuilt.py``)."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import fault
from pyptogen.runtime.native.binding import build_scheduler, scheduler_key
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.prebuilt import INDEX, LEVELS, RUNTIME
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import toolchain_for
from pyptogen.runtime.toolchain.compiler import compiler_for
from pyptogen.runtime.toolchain.cpu import level_named

if TYPE_CHECKING:
    from pyptogen.schema.spec import Spec

TARGET = "cpu"


def chosen_machines(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Machines and levels from texts such as ``x86_64``, which means all its levels, and ``x86_64:avx2``; none mean all
    there are. Raises PTG504 for another one."""
    found = []
    for text in texts or list(LEVELS):
        machine, _, level = text.partition(":")
        known = LEVELS.get(machine, ())
        if not known or (level and level not in known):
            every = [*LEVELS, *(f"{one}:{name}" for one, names in LEVELS.items() for name in names)]
            raise fault("PTG504", f"there are no binaries for `{text}`", None, expected=", ".join(every))
        found += [(machine, one) for one in known if not level or one == level]
    return [(machine, one) for machine, names in LEVELS.items() for one in names if (machine, one) in found]


def write_binaries(specs: Iterable[Spec], folder: Path, machines: Sequence[tuple[str, str]]) -> Iterator[Path]:
    """Write a folder for each spec, with a shared object for each machine and level, and the scheduler of each machine.
    Gives what was written as it is. Raises what ``compile`` raises, and PTG501 for a machine without a compiler."""
    for machine in dict.fromkeys(machine for machine, _ in machines):
        path = folder / RUNTIME / f"scheduler-{machine}.so"
        _put(path, build_scheduler(compiler=compiler_for(machine)))
        yield path
    for spec in specs:
        yield from _operator(spec, folder, machines)


def _operator(spec: Spec, folder: Path, machines: Sequence[tuple[str, str]]) -> Iterator[Path]:
    from pyptogen.codegen import generate
    from pyptogen.lower.tensor import from_spec
    from pyptogen.runtime.operator.traced_sources import traced_sources
    from pyptogen.templates import wrapper_hpp

    program = from_spec(spec)
    sources = {path: str(text) for path, text in traced_sources(generate(program, TARGET)).items()}
    sources["wrapper.hpp"] = str(wrapper_hpp.render(program, program.targets, Path(spec.path).name))
    objects: list[dict[str, Any]] = []
    for machine, name in machines:
        level = level_named(name)
        made = toolchain_for(machine, level).shared_object(program.name, sources, [entry_name(program.name, TARGET)])
        path = folder / program.name / f"{program.name}-{machine}-{name}.so"
        _put(path, made)
        objects.append({"file": path.name, "level": name, "machine": machine, "needs": sorted(level.needs)})
        yield path
    index = {
        "call": CallRules.from_program(program).data(),
        "objects": objects,
        "scheduler": scheduler_key(),
        "spec": Path(spec.path).name,
        "target": TARGET,
    }
    path = folder / program.name / INDEX
    _replaced(path, (json.dumps(index, indent=1, sort_keys=True) + "\n").encode())
    yield path


def _put(path: Path, made: Path) -> None:
    """A copy, in one step: what a process has loaded stays as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    stage = path.with_name(f".{path.name}.{os.getpid()}")
    shutil.copyfile(made, stage)
    os.replace(stage, path)


def _replaced(path: Path, data: bytes) -> None:
    stage = path.with_name(f".{path.name}.{os.getpid()}")
    stage.write_bytes(data)
    os.replace(stage, path)
