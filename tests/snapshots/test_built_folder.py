"""A folder as a build writes it, used as its reader would: the wrapper, the harness, the commands."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import pyptogen

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "matmul_int8.yaml"

needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in (os.environ.get("CXX", "g++"), "g++", "clang++")),
    reason="needs a C++20 compiler",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("generated")
    pyptogen.build(SPEC, out)
    return out / "matmul_int8"


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pyptogen_command(*arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from pyptogen.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)


@needs_compiler
@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_the_wrapper_computes(folder: Path, target: str) -> None:
    rng = np.random.default_rng(5)
    a = rng.integers(-128, 128, (3, 1024), dtype=np.int8)
    b = rng.integers(-128, 128, (1024, 1024), dtype=np.int8)
    wrapper: Any = imported(folder / "wrapper.py")
    expected = a.astype(np.int64) @ b.astype(np.int64)
    assert np.array_equal(wrapper.matmul_int8(a, b, target=target).c, expected)
    c = np.empty((3, 1024), np.int32)
    assert wrapper.matmul_int8(a, b, out={"c": c}, target=target).c is c
    assert np.array_equal(c, expected)


@needs_compiler
def test_the_harness_passes_on_good_kernels_and_fails_on_bad_ones(folder: Path, tmp_path: Path) -> None:
    broken = tmp_path / "matmul_int8"
    shutil.copytree(folder, broken, ignore=shutil.ignore_patterns("__pycache__"))
    host = broken / "cpu" / "orchestration.cpp"
    text = host.read_text()
    # An orchestration that leaves out the last row.
    assert "= static_cast<int32_t>(args.m);" in text
    host.write_text(text.replace("= static_cast<int32_t>(args.m);", "= static_cast<int32_t>(args.m) - 1;"))
    for place, outcome in ((folder, "6 passed"), (broken, "3 failed, 3 passed")):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(place)]
        result = subprocess.run(command, capture_output=True, text=True, check=False, cwd=place)
        assert outcome in result.stdout, result.stdout


@needs_compiler
def test_run_and_test_agree_on_a_good_spec() -> None:
    ran = pyptogen_command("run", SPEC, "--dims", "m=5", "--target", "cpu", "--target", "a2a3")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.count("│ ok ") == 2
    tested = pyptogen_command("test", SPEC, "--target", "cpu")
    assert tested.returncode == 0
    assert tested.stdout.splitlines()[-1].startswith("3 of 3 cases agree (1 spec, ")


def test_a_second_build_changes_nothing_and_check_sees_an_edit(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert pyptogen_command("build", SPEC, "-o", out).returncode == 0
    again = pyptogen_command("build", SPEC, "-o", out)
    assert (again.returncode, again.stdout) == (0, f"{out}/matmul_int8: up to date\n")
    assert pyptogen_command("build", SPEC, "-o", out, "--check").returncode == 0
    kernel = next((out / "matmul_int8/cpu/kernels").iterdir())
    kernel.write_text(kernel.read_text() + "// edited\n")
    edited = pyptogen_command("build", SPEC, "-o", out, "--check")
    assert (edited.returncode, edited.stdout) == (1, "")
    assert f"error PTG514: {out}/matmul_int8: 1 file edited by hand" in edited.stderr
    assert f"would overwrite {kernel}" in edited.stderr
    refused = pyptogen_command("build", SPEC, "-o", out)
    assert (refused.returncode, "PTG514" in refused.stderr) == (1, True)
    assert kernel.read_text().endswith("// edited\n")
    forced = pyptogen_command("build", SPEC, "-o", out, "--force")
    assert (forced.returncode, forced.stdout) == (0, f"wrote {kernel}\n")
    assert not kernel.read_text().endswith("// edited\n")


def test_a_build_for_one_target(tmp_path: Path) -> None:
    pyptogen.build(SPEC, tmp_path, targets=["cpu"])
    folder = tmp_path / "matmul_int8"
    assert not (folder / "a2a3").exists()
    assert json.loads((folder / "manifest.json").read_text())["targets"] == {
        "built": ["cpu"],
        "declared": ["a2a3", "cpu"],
    }
    assert 'TARGETS = ("cpu",)' in (folder / "wrapper.py").read_text()


def test_an_unknown_target_is_a_finding(tmp_path: Path) -> None:
    result = pyptogen_command("build", SPEC, "-o", tmp_path / "out", "--target", "cpuu")
    assert result.returncode == 1
    assert "PTG218" in result.stderr
    assert "did you mean `cpu`?" in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_folder_leaves_out_what_is_made_for_other_targets(tmp_path: Path) -> None:
    specs, out = tmp_path / "specs", tmp_path / "out"
    specs.mkdir()
    text = (ROOT / "specs" / "vector_add.yaml").read_text()
    (specs / "both.yaml").write_text(text.replace("operator: vector_add", "operator: both"))
    (specs / "only.yaml").write_text(text.replace("operator: vector_add", "operator: only\ntargets: [cpu]"))
    built = pyptogen_command("build", specs, "-o", out, "--target", "a2a3")
    assert built.returncode == 0, built.stderr
    assert built.stdout.splitlines()[-1] == f"{out}/only: left out, it is made for other targets"
    assert (out / "both" / "a2a3").is_dir()
    assert not (out / "only").exists()
    assert pyptogen_command("build", specs, "-o", out, "--target", "a2a3", "--check").returncode == 0
    checked = pyptogen_command("check", specs, "--target", "a2a3")
    assert checked.stdout.splitlines()[-1] == f"{specs}/only.yaml: only is left out, made for other targets"
    named = pyptogen_command("build", specs / "only.yaml", "-o", out, "--target", "a2a3")
    assert named.returncode == 1
    assert "PTG218" in named.stderr


def test_dump_ir_has_every_level(tmp_path: Path) -> None:
    result = pyptogen_command("build", SPEC, "-o", tmp_path / "out", "--dump-ir", tmp_path / "ir")
    assert result.returncode == 0
    dumped = {
        target: {path.stem: path.read_text() for path in (tmp_path / "ir/matmul_int8" / target).iterdir()}
        for target in ("tensor", "cpu", "a2a3")
    }
    levels = {"tensor": ("tensor",), **dict.fromkeys(("cpu", "a2a3"), ("tile", "block", "instruction", "execution"))}
    for target, names in levels.items():
        for level in names:
            assert any(level in name and "matmul" in text for name, text in dumped[target].items()), level


def test_check_accepts_the_library() -> None:
    result = pyptogen_command("check", SPEC)
    assert (result.returncode, result.stdout) == (0, f"{SPEC}: matmul_int8 is fine for cpu, a2a3\n")
