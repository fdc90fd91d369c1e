"""The native scheduler under ThreadSanitizer: graphs that read what others wrote, on several cores."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from compiling import NIGHTLY

from pyptogen.runtime.toolchain.compiler import find_compiler

CPP = Path(__file__).parents[1] / "cpp"
RUNTIME = Path(__file__).parents[3] / "pyptogen" / "runtime"
FLAGS = ("-std=c++20", "-O1", "-g", "-pthread", "-fsanitize=thread", "-w")


@pytest.mark.skipif(not NIGHTLY, reason="compiles the scheduler once more")
def test_no_two_threads_race(tmp_path: Path) -> None:
    compiler = find_compiler()
    (tmp_path / "pto").mkdir()
    (tmp_path / "pto" / "pto-inst.hpp").write_bytes((CPP / "stub_pto_inst.hpp").read_bytes())
    (tmp_path / "pto" / "runtime.hpp").write_bytes((RUNTIME / "include" / "pto" / "runtime.hpp").read_bytes())
    probe = tmp_path / "probe.cpp"
    probe.write_text("int main() {}")
    if compiler.run([*FLAGS, str(probe), "-o", str(tmp_path / "probe")]).returncode != 0:
        pytest.skip("needs a compiler with ThreadSanitizer")
    native = [path for path in (RUNTIME / "native").glob("*.cpp") if path.name != "c_api.cpp"]
    sources = [*native, CPP / "graphs.cpp", CPP / "races.cpp"]
    objects = [str(tmp_path / f"{source.stem}.o") for source in sources]

    def compiled(source: Path) -> None:
        said = compiler.run(
            [
                *FLAGS,
                f"-I{tmp_path}",
                f"-I{RUNTIME / 'native'}",
                "-c",
                str(source),
                "-o",
                str(tmp_path / f"{source.stem}.o"),
            ]
        )
        assert said.returncode == 0, said.stderr

    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(compiled, sources))
    linked = compiler.run([*FLAGS, *objects, "-o", str(tmp_path / "races")])
    assert linked.returncode == 0, linked.stderr

    said = subprocess.run([tmp_path / "races"], capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr[-8000:]
