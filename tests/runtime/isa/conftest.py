"""Compiles the C++ kernels of this directory, once for each flavour of the bundled PTO-ISA implementation."""

from __future__ import annotations

import ctypes
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
INCLUDE = HERE.parents[2] / "pyptogen" / "runtime" / "include"
COMMON_FLAGS = ["-std=c++20", "-O2", "-ffp-contract=off", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror"]
FLAVOURS = {
    "fast": ["-march=sapphirerapids", "-mprefer-vector-width=512"],
    "portable": ["-DPTO_PORTABLE"],
}
FAST_NEEDS = {
    "avx512f",
    "avx512bw",
    "avx512vl",
    "avx512dq",
    "avx512_bf16",
    "avx512_fp16",
    "amx_tile",
    "amx_int8",
    "amx_bf16",
}

Build = Callable[[str], ctypes.CDLL]


def compiler() -> str:
    return os.environ.get("CXX", "g++")


def cpu_features() -> set[str]:
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    lines = [line for line in text.splitlines() if line.startswith("flags")]
    return set(lines[0].split(":", 1)[1].split()) if lines else set()


@pytest.fixture(scope="session", params=list(FLAVOURS))
def build(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Build:
    """``build("elementwise")`` is the shared object of kernels/elementwise.cpp in the current flavour."""
    flavour: str = request.param
    if flavour == "fast" and not cpu_features() >= FAST_NEEDS:
        pytest.skip("this CPU has no AVX-512 with AMX")
    folder = tmp_path_factory.mktemp(flavour)
    loaded: dict[str, ctypes.CDLL] = {}

    def load(name: str) -> ctypes.CDLL:
        if name not in loaded:
            library = folder / f"{name}.so"
            source = HERE / "kernels" / f"{name}.cpp"
            command = [compiler(), *COMMON_FLAGS, *FLAVOURS[flavour], f"-I{INCLUDE}", str(source), "-o", str(library)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            loaded[name] = ctypes.CDLL(str(library))
        return loaded[name]

    return load
