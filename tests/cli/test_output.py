"""A full disk, or a reader that went away, under standard output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """\
pyptogen: 1
operator: fine
dims: {n: {min: 1, max: 64}}
inputs: {x: "fp32[n, 64]"}
outputs: {y: "fp32[n, 64]"}
graph: {y: exp(x)}
"""


@pytest.mark.parametrize(
    "words",
    [
        ["--version"],
        ["--help"],
        ["explain", "PTG202"],
        ["schema"],
        ["build", "--diff", "fine.yaml"],
        ["check", "--output-format", "json", "fine.yaml"],
    ],
)
def test_a_full_disk_under_the_output(tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "fine.yaml").write_text(SPEC)
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "pyptogen", *words],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 1
    assert "error PTG504: cannot write all of the output: No space left on device" in done.stderr
    assert "fix: make room there" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.parametrize(
    "words",
    ["-m pyptogen schema", "-c 'from pyptogen.cli.output import written_out as w\nwith w(): print()'"],
    ids=["a command", "what is still in the buffer"],
)
def test_a_reader_that_went_away(tmp_path: Path, words: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} {words} | true; echo ${{PIPESTATUS[0]}}"],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_a_command_that_closes_its_output() -> None:
    source = "import sys\nfrom pyptogen.cli.output import written_out as w\nwith w(): sys.stdout.close()"
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
