"""How long tests take: the seconds of a processor that their own process and its subprocesses (compilers) take.

`PYPTOGEN_TEST_TIMES=FILE` makes a table of it, by file, slowest first: all seconds, those of subprocesses among them,
and how many tests. Seconds of a clock say how busy the machine was; these hardly do.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from forked_runs import Server


def _used() -> tuple[float, float]:
    """Seconds of processors that this process took, and those of processes that it or its server has waited for."""
    user, system, children_user, children_system, _ = os.times()
    return user + system, children_user + children_system + Server.seconds


class Durations:
    """A plug-in. Workers note what each phase took in its report; the controller adds up and writes."""

    def __init__(self, table: Path) -> None:
        self.table = table
        self.last = _used()
        self.own: dict[str, float] = defaultdict(float)
        self.subprocesses: dict[str, float] = defaultdict(float)
        self.tests: dict[str, set[str]] = defaultdict(set)
        self.each: dict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report = yield
        now = _used()
        report.processor_seconds, self.last = [a - b for a, b in zip(now, self.last, strict=True)], now
        return report  # type: ignore[return-value]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        own, subprocesses = getattr(report, "processor_seconds", (0.0, 0.0))
        self.own[file] += own
        self.subprocesses[file] += subprocesses
        self.tests[file].add(report.nodeid)
        self.each[report.nodeid] += own + subprocesses

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        rows = [("all", "")] + [(file, file) for file in sorted(self.tests, key=lambda f: -self._seconds(f))]
        lines = [
            f"{self._seconds(file):8.1f} {_sum(self.subprocesses, file):8.1f}  {_tests(self.tests, file):5}  {name}"
            for name, file in rows
        ]
        lines += ["", *(f"{s:8.1f}  {test}" for test, s in sorted(self.each.items(), key=lambda r: -r[1])[:400])]
        self.table.write_text("\n".join(lines) + "\n")

    def _seconds(self, file: str) -> float:
        return _sum(self.own, file) + _sum(self.subprocesses, file)


def _sum(seconds: Mapping[str, float], file: str) -> float:
    return seconds.get(file, 0.0) if file else sum(seconds.values())


def _tests(found: Mapping[str, set[str]], file: str) -> int:
    return len(found[file]) if file else sum(map(len, found.values()))
