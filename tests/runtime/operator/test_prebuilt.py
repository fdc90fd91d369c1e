"""Shared objects for several machines: chosen at load, and called where there is no compiler."""

from __future__ import annotations

import json
import pickle
import platform
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from compiling import quick_kernels

from pyptogen.builder.binaries import chosen_machines, write_binaries
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import load_generated
from pyptogen.runtime.operator import prebuilt
from pyptogen.schema import load_spec

SPEC = """\
pyptogen: 1
operator: doubled
dims: {n: {min: 1, max: 64}}
inputs: {x: "fp32[n, 16]"}
outputs: {y: "fp32[n, 16]"}
graph: {y: x * 2}
targets: [cpu]
"""
ONLY_X86 = pytest.mark.skipif(platform.machine() != "x86_64", reason="the levels of x86-64")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("prebuilt")
    (root / "doubled.yaml").write_text(SPEC)
    with quick_kernels():
        machines = chosen_machines(["x86_64:amx", "x86_64:avx2", "x86_64:portable"])
        list(write_binaries([load_spec(root / "doubled.yaml")], root / "dist", machines))
    (root / "doubled.yaml").unlink()
    return root / "dist" / "doubled"


@ONLY_X86
def test_it_runs_without_a_compiler(folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    shutil.copytree(folder.parent, moved)
    script = f"""
import sys, numpy as np
from pyptogen.runtime import load_generated
operator = load_generated({str(moved / "doubled")!r}, threads=1)
x = np.arange(48, dtype=np.float32).reshape(3, 16)
for _ in range(3):
    assert (operator(x=x).y == 2 * x).all()
rooms = ("sympy", "ruamel", "pydantic", "jinja2", "pyptogen.schema", "pyptogen.lower", "pyptogen.codegen",
         "pyptogen.builder")
print(sorted({{name for name in sys.modules if name.startswith(rooms)}}))
"""
    nothing = {"PATH": str(tmp_path), "CXX": "", "PYPTOGEN_CACHE_DIR": str(tmp_path / "cache")}
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, env=nothing)
    assert (said.stdout.strip(), said.stderr) == ("[]", "")
    assert not list((tmp_path / "cache").rglob("*.so")), "something was compiled"


@ONLY_X86
def test_the_best_that_the_machine_has_is_chosen(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = json.loads((folder / "binaries.json").read_text())
    assert [one["level"] for one in index["objects"]] == ["amx", "avx2", "portable"]
    needs = {one["level"]: frozenset(one["needs"]) for one in index["objects"]}
    for has, level in ((needs["amx"], "amx"), (needs["avx2"] | {"avx512f"}, "avx2"), (frozenset(), "portable")):
        monkeypatch.setattr(prebuilt, "features", lambda has=has: has)
        best = prebuilt._best(index, "x86_64", False)
        assert best is not None
        assert best["level"] == level
    assert prebuilt._best(index, "riscv64", False) is None


@ONLY_X86
def test_it_pickles_and_has_no_spec(folder: Path) -> None:
    operator = load_generated(folder, threads=1)
    again = pickle.loads(pickle.dumps(operator))
    x = np.ones((2, 16), np.float32)
    assert (again(x=x).y == 2).all()
    with pytest.raises(DiagnosticError, match="PTG504"):
        operator.golden(x=x)
    with pytest.raises(DiagnosticError, match="PTG402"):
        operator(x=np.ones((2, 15), np.float32))


@ONLY_X86
@pytest.mark.parametrize("change", [{"scheduler": "of another version"}, {"objects": []}, {"target": "a2a3"}])
def test_a_folder_that_does_not_fit(folder: Path, tmp_path: Path, change: dict[str, object]) -> None:
    shutil.copytree(folder, tmp_path / "doubled")
    index = json.loads((folder / "binaries.json").read_text())
    (tmp_path / "doubled" / "binaries.json").write_text(json.dumps(index | change))
    with pytest.raises(DiagnosticError, match="PTG504"):
        load_generated(tmp_path / "doubled")
    (tmp_path / "doubled" / "binaries.json").write_text("{")
    with pytest.raises(DiagnosticError, match="PTG504"):
        load_generated(tmp_path / "doubled")


def test_machines_by_name() -> None:
    assert chosen_machines(["aarch64", "x86_64:avx2"]) == [("x86_64", "avx2"), ("aarch64", "portable")]
    with pytest.raises(DiagnosticError, match="x86_64:avx512"):
        chosen_machines(["x86_64:avx9"])
