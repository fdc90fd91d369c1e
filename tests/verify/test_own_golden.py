"""A reference of the author's (`verify: {golden: …}`): it judges, and its faults are told."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.verify import verify_case

SPEC = """\
pyptogen: 1
operator: doubled
dims:
  t: {min: 1, max: 64}
  d: 16
attrs:
  more: {type: fp32, default: 1.5}
inputs:
  x: bf16[t, d]
outputs:
  y: fp32[t, d]
  z: int32[t, d]
graph:
  y: cast(x, fp32) * 2 + more
  z: cast(y, int32)
verify:
  golden: {file: goldens/mine.py, function: right}
  cases: [{t: 9}]
"""
GOLDEN = """\
import numpy as np

def right(x, more):
    y = x.astype(np.float64) * 2 + more
    x[:] = 0  # its own copy
    return y, np.rint(y)

def by_name(**arguments):
    y, z = right(arguments["x"], arguments["more"])
    return {"z": z, "y": y}

def wrong(x):
    return x * 3, x

def one(x):
    return x

def shape(x):
    return x[:1], x

def names(x):
    return {"y": x}

def fails(x):
    return x + missing
"""


def spec(folder: Path, function: str = "right", text: str = SPEC) -> Path:
    (folder / "goldens").mkdir(exist_ok=True)
    (folder / "goldens" / "mine.py").write_text(GOLDEN)
    path = folder / "doubled.yaml"
    path.write_text(text.replace("function: right", f"function: {function}"))
    return path


@pytest.mark.parametrize(("function", "passes"), [("right", True), ("by_name", True), ("wrong", False)])
def test_the_golden_judges(function: str, passes: bool, tmp_path: Path) -> None:
    operator = pyptogen.compile(spec(tmp_path, function), target="cpu", threads=1)
    assert verify_case(operator, {"t": 9}).passed is passes
    assert not list(tmp_path.glob("**/__pycache__"))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("one", "gives 1 results for 2 outputs"),
        ("shape", "gives `y` the shape [1, 16], not [9, 16]"),
        ("names", "gives y, and the outputs are y, z"),
        ("fails", "NameError: name 'missing' is not defined"),
    ],
)
def test_faults_of_the_golden(function: str, message: str, tmp_path: Path) -> None:
    operator = pyptogen.compile(spec(tmp_path, function), target="cpu", threads=1)
    with pytest.raises(DiagnosticError) as caught:
        verify_case(operator, {"t": 9})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG409"
    assert message in diagnostic.message
    assert diagnostic.span is not None
    assert diagnostic.span.line == 17


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("function: right", "function: rigt", "PTG201"),
        (", function: right", "", "PTG201"),
        ("goldens/mine.py", "../mine.py", "PTG113"),
        ("goldens/mine.py", "goldens/mine.txt", "PTG113"),
        ("goldens/mine.py", "goldens/other.py", "PTG110"),
        ("{file: goldens/mine.py, function: right}", "goldens/mine.py", "PTG104"),
    ],
)
def test_faults_of_the_section(old: str, new: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        pyptogen.load(spec(tmp_path, text=SPEC.replace(old, new)))
    assert caught.value.diagnostics[0].code == code


def test_a_build_takes_the_golden_along(tmp_path: Path) -> None:
    path = spec(tmp_path)
    pyptogen.build(path, tmp_path / "out", ["cpu"])
    folder = tmp_path / "out" / "doubled"
    assert (folder / "goldens" / "mine.py").read_text() == GOLDEN
    shutil.rmtree(tmp_path / "goldens")
    from pyptogen.runtime import load_generated

    assert verify_case(load_generated(folder), {"t": 9}).passed
