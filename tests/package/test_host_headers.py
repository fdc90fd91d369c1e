"""The host code of device packages beside the headers that it will be compiled with: those of the device's runtime and
of PyTorch's extension, as the wheel of torch_npu ships them, and those of torch. Nothing of it is run here.

`pip download torch_npu==2.14.0 --no-deps`, unpack it, and name the folder `torch_npu` in it by TORCH_NPU_ROOT.
"""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

from package.standing_in import SPECS
from pyptogen.package.device_package import device_package
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.schema import load_spec

ROOT = os.environ.get("TORCH_NPU_ROOT", "")
OPERATORS = ("rms_norm", "flash_attention", "rope_cache", "linear_int8", "indexer_prolog")

pytestmark = pytest.mark.skipif(not ROOT, reason="TORCH_NPU_ROOT names no unpacked wheel of torch_npu")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("package")
    specs = [load_spec(SPECS / f"{name}.yaml") for name in OPERATORS]
    for path, data in device_package(specs, "a2a3", "library").items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


def refusal(file: Path, *include: Path | str) -> str:
    """What the compiler says against a file, empty if nothing."""
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Werror=return-type", *(f"-isystem{path}" for path in include)]
    said = find_compiler().run([*flags, str(file)])
    return said.stderr if said.returncode else ""


@pytest.mark.parametrize("file", ["launch.cpp", "main.cpp"])
@pytest.mark.parametrize("name", OPERATORS)
def test_launches_and_test_programs(package: Path, name: str, file: str) -> None:
    if file == "main.cpp" and not (package / name / file).exists():
        pytest.skip("this operator has no golden data")
    assert refusal(package / name / file, f"{ROOT}/include") == ""


def test_extension_for_pytorch(package: Path) -> None:
    torch = importlib.util.find_spec("torch")  # not imported: torch would look for the device
    if torch is None or not torch.submodule_search_locations:
        pytest.skip("torch is not installed")
    include = Path(torch.submodule_search_locations[0]) / "include"
    folders = (f"{ROOT}/include", include, include / "torch/csrc/api/include")
    assert refusal(package / "torch_extension.cpp", *folders) == ""
