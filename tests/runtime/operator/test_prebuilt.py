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

import pyptogen.runtime.native
from pyptogen.builder.binaries import chosen_machines, write_binaries
from pyptogen.diagnostics import DiagnosticError
from pyptogen.runtime import load_generated
from pyptogen.runtime.operator import prebuilt
from pyptogen.schema import load_spec

SPECS = Path(__file__).resolve().parents[3] / "specs"
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
    machines = chosen_machines(["x86_64:avx512-bf16", "x86_64:portable"])
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
    assert [one["level"] for one in index["objects"]] == ["avx512-bf16", "portable"]
    avx512 = frozenset(index["objects"][0]["needs"])
    some = avx512 - {"avx512_bf16"}
    for has, level in ((avx512 | {"amx_tile"}, "avx512-bf16"), (some, "portable"), (frozenset(), "portable")):
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


EMULATOR, CROSS = shutil.which("qemu-aarch64"), shutil.which("aarch64-linux-gnu-g++")


@pytest.mark.skipif(EMULATOR is None or CROSS is None, reason="needs Debian's qemu-user and g++-aarch64-linux-gnu")
def test_aarch64_computes_what_this_machine_does(tmp_path: Path) -> None:
    """Scheduler and kernels for AArch64, executed by an emulator."""
    assert EMULATOR is not None
    assert CROSS is not None
    list(write_binaries([load_spec(SPECS / "rms_norm.yaml")], tmp_path / "dist", chosen_machines(["aarch64"])))
    native = Path(pyptogen.runtime.native.__file__).parent
    include = [f"-I{native}", f"-I{native.parent / 'include'}", f"-I{native.parent / 'include' / 'orchestration'}"]
    program = tmp_path / "foreign"
    subprocess.run(
        [CROSS, "-std=c++20", "-pthread", *include, Path(__file__).with_name("foreign.cpp"), "-o", program], check=True
    )
    x, gamma = np.random.default_rng(1).normal(size=(37, 4096)), np.random.default_rng(2).normal(size=4096)
    data = tmp_path / "data.bin"
    data.write_bytes(x.astype(np.float32).tobytes() + gamma.astype(np.float32).tobytes())
    objects = tmp_path / "dist" / "runtime" / "scheduler-aarch64.so", tmp_path / "dist" / "rms_norm"
    command = [
        EMULATOR,
        "-L",
        "/usr/aarch64-linux-gnu",
        program,
        objects[0],
        objects[1] / "rms_norm-aarch64-portable.so",
    ]
    subprocess.run([*command, data, "37", "4096"], check=True)
    got = np.fromfile(data, np.float32)[x.size + gamma.size :].reshape(37, 4096)
    x = x.astype(np.float32).astype(np.float64)
    wanted = x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-6) * gamma.astype(np.float32)
    np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)
