"""benchmarks/regress.py: what it calls slower, and that two versions run beside each other."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from .blocks import ROOT

SCRIPT = ROOT / "benchmarks/regress.py"


@pytest.fixture(scope="module")
def regress() -> ModuleType:
    spec = importlib.util.spec_from_file_location("regress", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["regress"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("ratios", "slower"),
    [
        ([1.0, 1.01, 0.99, 1.0], False),
        ([1.33] * 5, True),
        ([1.06, 1.07, 1.08, 1.06], True),
        ([1.04] * 5, False),
        ([1.0, 1.0, 1.0, 9.0], False),  # one round that a neighbour disturbed
        ([1.3, 1.3, 1.3, 0.9], True),
        ([0.7] * 3, False),
        ([1.2], True),
    ],
)
def test_slower_is_what_most_rounds_say(regress: ModuleType, ratios: list[float], slower: bool) -> None:
    before = [0.5 + 0.1 * i for i in range(len(ratios))]  # the machine changes; both versions meet the same
    row = regress.judged("case", 1, [a * b for a, b in zip(ratios, before, strict=True)], before)
    assert row.slower(0.05) == slower
    assert ("SLOWER" in regress.line(row, 0.05)) == slower


def test_every_case_is_one_of_the_library(regress: ModuleType) -> None:
    for case in regress.CASES:
        text = (ROOT / "specs" / case.spec).read_text(encoding="utf-8")
        dims = set(re.findall(r"^  (\w+): \{min", text, re.M))
        assert dims == set(case.dims), case.name


def test_a_commit_that_git_does_not_know() -> None:
    command = [sys.executable, str(SCRIPT), "--against", "no-such-commit"]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 2
    assert ended.stderr.startswith("regress.py: git knows no commit `no-such-commit`")


def test_two_versions_run_beside_each_other(tmp_path: Path) -> None:
    known = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if known.returncode != 0:
        pytest.skip("no history here")
    figures = tmp_path / "figures.json"
    options = ["--only", "vector_add", "--runs", "2", "--bound", "1000", "--json", str(figures)]
    command = [sys.executable, str(SCRIPT), "--against", "HEAD", *options]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    found = json.loads(figures.read_text(encoding="utf-8"))
    assert "a matrix unit" in found["machine"]
    (row,) = found["rows"]
    assert row["note"] == ""
    assert row["rounds"] == 2
    assert row["now_ms"] > 0
    assert row["before_ms"] > 0
