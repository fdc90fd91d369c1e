"""All verify cases of some specs: several specs at a time, each in a process of its own."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from multiprocessing.connection import wait
from pathlib import Path

from pyptogen.verify.suite_process import Conditions, Outcome, SpecProcess


def run_suite(
    paths: Iterable[Path],
    targets: Sequence[str] | None = None,
    seed: int = 7,
    *,
    checked: bool = False,
    jobs: int = 1,
    allow_code: bool = True,
) -> Iterator[Outcome]:
    """Compile each spec for each target, run its cases, and give what came out: by spec, target and case.

    A spec without cases has one, of the sizes that it fixes. What goes wrong with one case, or with one spec, ends
    nothing else.

    Args:
        paths: specs, or folders of specs
        targets: None means all that each spec declares; targets that a spec does not have are left out where a folder
            led to it
        seed: of the example data
        checked: in the checked mode of the bundled headers
        jobs: specs in work at a time
        allow_code: goldens and C++ of specs from outside of the project may run, too (PTG411)

    Raises ``DiagnosticError`` PTG110 for a folder without specs, and ``RuntimeError`` for a fault of the tool.
    """
    from pyptogen.spec_files import find_specs, given_paths

    given = given_paths(paths)
    conditions = Conditions(None if targets is None else tuple(targets), seed, checked, allow_code)
    waiting = deque(find_specs(given))
    running: deque[SpecProcess] = deque()
    while waiting or running:
        while waiting and sum(not process.over for process in running) < jobs:
            path = waiting.popleft()
            running.append(SpecProcess(path, path not in given, conditions))
        ready = wait([process.pipe for process in running if not process.over])
        for process in running:
            if process.pipe in ready:
                process.listen()
        while running and (running[0].outcomes or running[0].over):
            yield from running[0].taken()
            if not running[0].over:
                break
            running.popleft()
