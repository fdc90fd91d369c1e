"""How long tests take: of each phase of each test the seconds of a processor, that of its subprocesses among them.

`PYPTOGEN_TEST_TIMES=FILE` makes a table of it, by file, slowest first. Seconds of a clock say how busy the machine was;
these hardly do.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest


def _used() -> float:
    """Seconds that this process and those that it has waited for took of processors."""
    return sum(os.times()[:4])


class Durations:
    """A plug-in. Workers note what each phase took in its report; the controller adds up and writes."""

    def __init__(self, table: Path) -> None:
        self.table = table
        self.last = _used()
        self.by_file: dict[str, float] = defaultdict(float)
        self.tests: dict[str, set[str]] = defaultdict(set)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterator[None]:
        report = yield
        now = _used()
        report.processor_seconds, self.last = now - self.last, now
        return report  # type: ignore[return-value]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        file = report.nodeid.partition("::")[0]
        self.by_file[file] += getattr(report, "processor_seconds", 0.0)
        self.tests[file].add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if hasattr(session.config, "workerinput"):
            return
        rows = sorted(self.by_file.items(), key=lambda row: -row[1])
        lines = [f"{seconds:8.1f}  {len(self.tests[file]):5}  {file}" for file, seconds in rows]
        total, tests = sum(self.by_file.values()), sum(map(len, self.tests.values()))
        self.table.write_text("\n".join([f"{total:8.1f}  {tests:5}  all", *lines]) + "\n")
