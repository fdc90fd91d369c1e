"""Calls operators with indices that name no place, under AddressSanitizer (``test_hostile_indices.py`` starts it).

    python hostile_indices.py TARGETS -O1 SPEC…

Each index operand of each spec gets each hostile number in turn, in one of its elements and in all of them. The golden
says which calls are at fault: those must end with PTG408, and no call may access memory that is not its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime.native import binding
from pyptogen.runtime.toolchain import build
from pyptogen.runtime.toolchain.compiler import Compiler

SANITIZE = ("-fsanitize=address", "-fno-omit-frame-pointer", "--param=asan-instrumentation-with-call-threshold=0")
"""For g++. Accesses are checked by calls, not in line: that is the same, and compiles in a sixth of the time."""
NUMBERS = (-1, -2, -(2**31), 2**31 - 1, 2**20, 2**40)
"""Beside those just beyond what each operation counts."""


def sanitized(optimisation: str) -> None:
    """Kernels and the scheduler are compiled with AddressSanitizer from now on."""
    build.OPTIMISATION = optimisation
    build._BY_FAMILY["gcc"] = (*build._BY_FAMILY["gcc"], *SANITIZE)
    binding._FLAGS = (*binding._FLAGS, "-O0", *SANITIZE)  # a call or two a second
    run = Compiler.run

    def run_sanitized(self: Compiler, arguments: Any, **how: Any) -> Any:
        """What the sanitizer is called by is in the process, not in the shared object."""
        linked = [SANITIZE[0] if argument == "-Wl,-z,defs" else argument for argument in arguments]
        return run(self, linked, **how)

    Compiler.run = run_sanitized  # type: ignore[method-assign]
    os.environ.pop("LD_PRELOAD", None)  # compilers need no sanitizer themselves


def numbers_for(operator: Any, dims: list[int]) -> list[int]:
    """Hostile numbers for an operator: beyond everything that its indices count, by one and by more."""
    beyond = {use.count(dims) for use in operator._indices}
    return sorted({*NUMBERS, *beyond, *(count + 1 for count in beyond), *(-count for count in beyond)})


def hostile_calls(operator: Any, arrays: dict[str, Any]) -> list[tuple[str, int, Any]]:
    """An input of whole numbers, the number that it gets, and the input with it."""
    names = [t.name for t in operator.contract.inputs if t.dtype in (np.int32, np.int64)]
    dims = [*operator.contract.bind(operator.arrays(arrays)).values()]
    calls = []
    for name in names:
        limits = np.iinfo(arrays[name].dtype)
        for number in numbers_for(operator, dims):
            if not limits.min <= number <= limits.max:
                continue
            for where in (0, -1, slice(None)):
                changed = arrays[name].copy()
                changed.reshape(-1)[where] = number
                calls.append((name, number, changed))
    return calls


def is_refused(call: Any, arrays: dict[str, Any]) -> bool:
    """Whether a call ends with PTG408. Other failures pass through."""
    try:
        call(**{name: value.copy() for name, value in arrays.items()})
    except DiagnosticError as error:
        if error.diagnostics[0].code != "PTG408":
            raise
        return True
    return False


def attack(path: Path, target: str) -> tuple[int, int, list[str]]:
    """Calls, those refused, and what went wrong."""
    operator = pyptogen.compile(path, target=target, threads=2)
    arrays = {name: np.array(value) for name, value in operator.example_inputs(seed=1).items()}
    calls = refused = 0
    wrong = []
    for name, number, changed in hostile_calls(operator, arrays):
        given = arrays | {name: changed}
        says = is_refused(operator, given)
        calls, refused = calls + 1, refused + says
        if not says and is_refused(operator.golden, given):
            wrong.append(f"{path.stem}, {target}: `{name}` holds {number}, and the call went well")
    if is_refused(operator, arrays):
        wrong.append(f"{path.stem}, {target}: good indices are refused")
    return calls, refused, wrong


def main(targets: str, optimisation: str, *specs: str) -> int:
    """Attacks each spec for each target that it has; says what came of it."""
    sanitized(optimisation)
    total, found = [0, 0], []
    for spec in specs:
        for target in targets.split(","):
            try:
                calls, refused, wrong = attack(Path(spec), target)
            except DiagnosticError as error:
                if error.diagnostics[0].code not in ("PTG303", "PTG301", "PTG302", "PTG304"):
                    raise
                continue
            print(f"{Path(spec).stem}, {target}: {calls} calls, {refused} refused", flush=True)
            total, found = [total[0] + calls, total[1] + refused], [*found, *wrong]
    print(f"{total[0]} calls, {total[1]} refused, {len(found)} wrong", *found, sep="\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
