"""`--snapshot` of generated tests: outputs are kept, and compared to the bit."""

from __future__ import annotations

import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import Any, cast

import ml_dtypes
import numpy as np
import pytest

from pyptogen.runtime import CompiledOperator
from pyptogen.verify.snapshot import Snapshot

Outputs = namedtuple("Outputs", "y n")


def run(folder: Path | None, y: Any, n: Any) -> tuple[Snapshot, list[str]]:
    """A run of an operator that gives these outputs."""
    snapshot = Snapshot(folder)
    operator = cast(CompiledOperator, lambda **_: Outputs(np.asarray(y), np.asarray(n)))
    snapshot.recording(operator)(x=1)
    return snapshot, snapshot.changes("op/cpu-t2")


def test_nothing_is_kept_without_a_folder(tmp_path: Path) -> None:
    operator = cast(CompiledOperator, object())
    assert Snapshot(None).recording(operator) is operator
    assert Snapshot(None).changes("op/cpu") == []


def test_outputs_are_kept_and_compared(tmp_path: Path) -> None:
    y = np.array([[1.0, 2.0, np.nan]], ml_dtypes.bfloat16)
    first, found = run(tmp_path, y, np.int64([3]))
    assert (found, first.written) == ([], [str(tmp_path / "op/cpu-t2.npz")])
    again, found = run(tmp_path, y, np.int64([3]))
    assert (found, again.written) == ([], [])
    other = y.copy()
    other[0, 1] = 2.5
    path = tmp_path / "op/cpu-t2.npz"
    assert run(tmp_path, other, np.int64([3]))[1] == [f"y: 1 of 3 elements changed, by 0.5 at most ({path})"]
    assert run(tmp_path, y.reshape(3), np.int32([3]))[1] == [
        f"n: int32 1, was int64 1 ({path})",
        f"y: bfloat16 3, was bfloat16 1 3 ({path})",
    ]


@pytest.mark.parametrize("data", [b"", b"no archive", b"PK\x03\x04"])
def test_a_file_that_is_no_snapshot_is_a_difference(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "op").mkdir()
    (tmp_path / "op/cpu-t2.npz").write_bytes(data)
    found = run(tmp_path, [1.0], [2])[1]
    assert [line.split(" (")[0] for line in found] == ["n: was not an output", "y: was not an output"]


def test_pytest_knows_the_marks_and_the_option(tmp_path: Path) -> None:
    """A test like the generated ones, with an operator that needs no compiler."""
    (tmp_path / "test_it.py").write_text("""
from collections import namedtuple
import numpy as np
import pytest
Outputs = namedtuple("Outputs", "y")

@pytest.mark.pyptogen
@pytest.mark.parametrize("target", [pytest.param(t, marks=getattr(pytest.mark, f"target_{t}")) for t in ("cpu", "a5")])
def test_it(target, pyptogen_snapshot):
    pyptogen_snapshot.recording(lambda: Outputs(np.arange(3)))()
    assert pyptogen_snapshot.changes(f"it/{target}") == []
""")
    words = ["-q", "-p", "no:xdist", "--strict-markers", "-m", "pyptogen and not target_a5", "--snapshot", "kept"]
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "1 passed, 1 deselected" in done.stdout
    assert "pyptogen: 1 snapshots written to kept" in done.stdout
    assert [path.name for path in (tmp_path / "kept/it").iterdir()] == ["cpu.npz"]
