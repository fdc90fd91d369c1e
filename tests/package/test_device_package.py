"""Device packages as folders: what a build writes and refuses, whether its build files name what is there, and its test
programs, run on this machine in place of a device."""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from compiling import NIGHTLY, QUICK_OF
from typer.testing import CliRunner

from package.standing_in import CONDITIONS, SPECS, local_entry
from pyptogen.cli.app import app
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.package.device_package import device_package
from pyptogen.package.folder import build_package
from pyptogen.package.launches import device_operator
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.headers import BUNDLED
from pyptogen.schema import load_spec

OPERATORS = ("rms_norm", "flash_attention", "rope_cache")
FAKE_BISHENG = """\
#!/usr/bin/env bash
# In place of bisheng: compiles the host's code, and of a device's file sees that it is there.
args=() source= object= device=0
while (($#)); do
    case "$1" in
        -xcce) device=1 ;;
        -mllvm) shift ;;
        --cce-*|-Xhost-*) ;;
        -o) object=$2; args+=(-o "$2"); shift ;;
        -l*) [[ $1 == -lpkg ]] && args+=("$1") ;;
        *) [[ $1 == *.cpp ]] && source=$1; args+=("$1") ;;
    esac
    shift
done
if ((device)); then
    [[ -f $source ]] || { echo "no $source" >&2; exit 1; }
    exec g++ -x c++ -c /dev/null -o "$object"
fi
for arg in "${args[@]}"; do  # objects of kernels are empty: programs stay open
    [[ $arg == -c || $arg == -shared || $arg == --version || $arg == -E ]] && exec g++ "${args[@]}"
done
exec g++ "${args[@]}" -Wl,--unresolved-symbols=ignore-all
"""

ACL = """\
#include <cstddef>
#include <cstdint>
typedef void *aclrtStream;
enum aclrtDevAttr { ACL_DEV_ATTR_CUBE_CORE_NUM = 102, ACL_DEV_ATTR_VECTOR_CORE_NUM = 201 };
enum { ACL_MEM_MALLOC_HUGE_FIRST, ACL_MEMCPY_HOST_TO_DEVICE, ACL_MEMCPY_DEVICE_TO_HOST };
extern "C" {
int aclInit(const char *);
int aclFinalize();
int aclrtSetDevice(int32_t);
int aclrtResetDevice(int32_t);
int aclrtGetDevice(int32_t *);
int aclrtGetDeviceInfo(uint32_t, aclrtDevAttr, int64_t *);
int aclrtGetHardwareSyncAddr(void **);
int aclrtCreateStream(aclrtStream *);
int aclrtDestroyStream(aclrtStream);
int aclrtSynchronizeStream(aclrtStream);
int aclrtMalloc(void **, size_t, int);
int aclrtFree(void *);
int aclrtMemcpy(void *, size_t, const void *, size_t, int);
}
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "pkg"
    build_package([SPECS / f"{name}.yaml" for name in OPERATORS], "a2a3", folder)
    return folder


@pytest.fixture
def built(package: Path, tmp_path: Path) -> Path:
    """A copy that may be changed."""
    return Path(shutil.copytree(package, tmp_path / "pkg"))


def code_of(action: Callable[[], Any]) -> str:
    with pytest.raises(DiagnosticError) as caught:
        action()
    return str(caught.value.diagnostics[0].code)


def test_a_second_build_changes_nothing(built: Path) -> None:
    done = build_package([SPECS / f"{name}.yaml" for name in OPERATORS], "a2a3", built)
    assert (done.written, done.removed) == ((), ())


def test_what_is_no_longer_made_is_deleted_and_what_others_put_there_stays(built: Path) -> None:
    (built / "build").mkdir()
    done = build_package([SPECS / "rms_norm.yaml", SPECS / "rope_cache.yaml"], "a2a3", built)
    assert "flash_attention/launch.cpp" in done.removed
    assert not (built / "flash_attention" / "launch.cpp").exists()
    assert (built / "build").is_dir()


def test_edited_files_are_kept(built: Path) -> None:
    file = built / "rms_norm" / "launch.cpp"
    file.write_text(file.read_text() + "// mine\n")
    specs = [SPECS / f"{name}.yaml" for name in OPERATORS]
    assert code_of(lambda: build_package(specs, "a2a3", built)) == "PTG514"
    assert build_package(specs, "a2a3", built, force=True).written == ("rms_norm/launch.cpp",)


def test_folders_of_others_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    assert code_of(lambda: build_package([SPECS / "rms_norm.yaml"], "a2a3", tmp_path)) == "PTG705"
    (tmp_path / "package.json").write_text('{"files": {"../notes.txt": ""}}')
    assert code_of(lambda: build_package([SPECS / "rms_norm.yaml"], "a2a3", tmp_path)) == "PTG705"


def test_a_spec_for_other_targets_is_refused(tmp_path: Path) -> None:
    assert code_of(lambda: build_package([SPECS / "linear_mxfp8.yaml"], "a2a3", tmp_path / "p")) == "PTG218"


def test_functions_of_one_name_are_refused(tmp_path: Path) -> None:
    first = (SPECS / "rms_norm.yaml").read_text()
    (tmp_path / "a.yaml").write_text(first.replace("operator: rms_norm", "operator: a").replace("backward:", "#"))
    again = (SPECS / "rms_norm.yaml").read_text()
    (tmp_path / "b.yaml").write_text(again.replace("operator: rms_norm", "operator: a").replace("backward:", "#"))
    paths = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    assert code_of(lambda: build_package(paths, "a2a3", tmp_path / "p")) == "PTG704"


def test_conditions_of_inputs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(CONDITIONS.replace("flag != 0", "flag != 0 and count > 3"))
    assert code_of(lambda: build_package([tmp_path / "s.yaml"], "a2a3", tmp_path / "p")) == "PTG702"


def test_what_cannot_be_packaged_is_told_of_all_specs_at_once(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text(CONDITIONS.replace("flag != 0", "flag != 0 and count > 3"))
    one_core = (SPECS / "flash_attention.yaml").read_text().replace("fifo: 4", "fifo: 4, vector_cores: 1")
    (tmp_path / "one_core.yaml").write_text(one_core)
    with pytest.raises(DiagnosticError) as caught:
        build_package([tmp_path / "one_core.yaml", tmp_path / "s.yaml"], "a2a3", tmp_path / "p")
    assert [str(one.code) for one in caught.value.diagnostics] == ["PTG701", "PTG702"]


def test_the_command_says_what_it_wrote(tmp_path: Path) -> None:
    arguments = ["build", str(SPECS / "rms_norm.yaml"), "--target", "a2a3", "--package", str(tmp_path / "p")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0
    assert f"wrote {tmp_path / 'p' / 'rms_norm' / 'launch.cpp'}" in done.output
    assert "up to date" in CliRunner().invoke(app, arguments).output
    stamped = json.loads((tmp_path / "p" / "package.json").read_text())
    assert (stamped["library"], stamped["target"]) == ("rms_norm", "a2a3")
    assert CliRunner().invoke(app, [*arguments, "--check"]).exit_code == 2
    assert CliRunner().invoke(app, [*arguments[:2], "--package", str(tmp_path / "q")]).exit_code == 2


def tools(folder: Path) -> dict[str, str]:
    """An environment with a compiler that takes bisheng's options, and installations of CANN and PTO-ISA."""
    (folder / "bin").mkdir()
    (folder / "bin" / "bisheng").write_text(FAKE_BISHENG)
    (folder / "bin" / "bisheng").chmod(0o755)
    (folder / "cann" / "lib64").mkdir(parents=True)
    for header, text in {"acl/acl.h": ACL, "pto/pto-inst.hpp": ""}.items():
        (folder / "cann" / "include" / header).parent.mkdir(parents=True)
        (folder / "cann" / "include" / header).write_text(text)
    return {
        **os.environ,
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "ASCEND_HOME_PATH": str(folder / "cann"),
    }


@pytest.mark.skipif(shutil.which("g++") is None, reason="no g++")
def test_build_script_names_what_is_there(built: Path, tmp_path: Path) -> None:
    environment = tools(tmp_path)
    said = subprocess.run(["./build.sh"], cwd=built, env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    assert (built / "build" / "libpkg.so").exists()
    assert all((built / "build" / f"test_{name}").exists() for name in OPERATORS)
    without = {key: value for key, value in environment.items() if key != "ASCEND_HOME_PATH"}
    said = subprocess.run(["./build.sh"], cwd=built, env=without, capture_output=True, text=True)
    assert said.returncode != 0
    assert "set_env.sh" in said.stderr


@pytest.mark.skipif(shutil.which("cmake") is None, reason="no cmake")
def test_cmake_names_what_is_there(built: Path, tmp_path: Path) -> None:
    environment = tools(tmp_path)
    for command in (["cmake", "-B", "out"], ["cmake", "--build", "out"]):
        said = subprocess.run(command, cwd=built, env=environment, capture_output=True, text=True)
        assert said.returncode == 0, said.stdout + said.stderr
    assert (built / "out" / "libpkg.so").exists()


@pytest.mark.parametrize("name", OPERATORS if NIGHTLY else OPERATORS[1:2])
def test_programs_compare_with_the_golden(built: Path, tmp_path: Path, name: str) -> None:
    """`main.cpp`, `launch.cpp` and the kernels as a program for this machine: it agrees, and tells wrong results."""
    operator = device_operator(lower(from_spec(load_spec(SPECS / f"{name}.yaml")), "a2a3"))
    sources = [f"{name}/main.cpp", f"{name}/launch.cpp"]
    for path, text in local_entry(operator).items():
        (built / path).write_text(text)
        sources.append(path)
    compiler = find_compiler()
    flags = ["-std=c++20", *QUICK_OF[compiler.family], "-w", "-pthread", f"-I{BUNDLED}"]
    said = compiler.run([*flags, *(str(built / path) for path in sources), "-o", str(tmp_path / "program")])
    assert said.returncode == 0, said.stderr
    ran = subprocess.run([str(tmp_path / "program")], cwd=built, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout
    golden = sorted((built / name / "data").glob("*.golden.bin"))[0]
    data = bytearray(golden.read_bytes())
    data[len(data) // 2 + 1] ^= 0x40
    golden.write_bytes(data)
    ran = subprocess.run([str(tmp_path / "program")], cwd=built, capture_output=True, text=True)
    assert ran.returncode == 1
    assert "differs, 1 of" in ran.stdout


def loaded(file: Path) -> Any:
    found = importlib.util.spec_from_file_location(file.stem, file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_ctypes_loader_hands_over_every_argument(built: Path, tmp_path: Path) -> None:
    (tmp_path / "stub.cpp").write_text(
        "#include <cstdint>\n" + "".join(f'#include "{name}/{name}.h"\n' for name in OPERATORS) + "double seen[8];\n"
        "int64_t rms_norm_workspace_bytes(int64_t rows) { return rows < 0 ? -2 : 512 * rows; }\n"
        "int rms_norm_launch(void *s, void *w, int64_t b, const float *x, const float *g, float *y, int64_t rows, "
        "double eps)\n"
        "{ double all[] = {double((intptr_t)s), double((intptr_t)w), double(b), double((intptr_t)x), "
        "double((intptr_t)g), double((intptr_t)y), double(rows), eps};\n"
        "  for (int i = 0; i < 8; ++i) seen[i] = all[i]; return b < 512 * rows ? -1 : 0; }\n"
        + "".join(f"int64_t {name}_workspace_bytes(int64_t, int64_t) {{ return 0; }}\n" for name in OPERATORS[1:])
    )
    flags = ["-std=c++17", "-shared", "-fPIC", f"-I{built}", "-Wl,--unresolved-symbols=ignore-all"]
    stubs = "".join(f'extern "C" void {name}_launch() {{}}\n' for name in OPERATORS[1:])
    (tmp_path / "rest.cpp").write_text(stubs)
    library = tmp_path / "libpkg.so"
    said = find_compiler().run([*flags, str(tmp_path / "stub.cpp"), str(tmp_path / "rest.cpp"), "-o", str(library)])
    assert said.returncode == 0, said.stderr
    module = loaded(built / "pkg.py")
    opened = module.Library(library)
    assert opened.rms_norm_workspace_bytes(3) == 1536
    opened.rms_norm_launch(1, 2, 1536, 4, 5, 6, 3, 0.25)
    seen = (ctypes.c_double * 8).in_dll(opened._library, "seen")
    assert list(seen) == [1, 2, 1536, 4, 5, 6, 3, 0.25]
    with pytest.raises(module.LaunchError, match="too small"):
        opened.rms_norm_launch(1, 2, 1535, 4, 5, 6, 3, 0.25)
    with pytest.raises(module.LaunchError, match="sizes"):
        opened.rms_norm_workspace_bytes(-1)


def test_torch_knows_the_shapes_of_results(tmp_path: Path) -> None:
    """In a process of its own: torch keeps what is registered."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    specs = [load_spec(SPECS / f"{name}.yaml") for name in ("rms_norm", "rope_cache", "topk")]
    for path, data in device_package(specs, "a2a3", "pkg").items():
        if path == "pkg_torch.py" or path == "torch_extension.cpp":
            (tmp_path / path).write_bytes(data)
    (tmp_path / "run.py").write_text(TORCH_PROGRAM)
    said = subprocess.run([sys.executable, str(tmp_path / "run.py")], cwd=tmp_path, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr


TORCH_PROGRAM = """\
import re
import torch, pkg_torch
text = open("torch_extension.cpp").read()
library = torch.library.Library("pkg", "FRAGMENT")
for schema in re.findall(r'library.def\\("(.*)"\\);', text):
    library.define(schema)
pkg_torch.register_fakes()
def meta(*shape, dtype=torch.float32):
    return torch.empty(shape, dtype=dtype, device="meta")
y = torch.ops.pkg.rms_norm(meta(5, 4096), meta(4096))
assert (tuple(y.shape), y.dtype) == ((5, 4096), torch.float32)
try:
    torch.ops.pkg.rms_norm(meta(5, 4095), meta(4096))
except Exception as error:
    assert "rms_norm: x" in str(error)
else:
    raise SystemExit("a wrong shape was taken")
class Model(torch.nn.Module):
    def forward(self, x, gamma):
        return torch.ops.pkg.rms_norm(x, gamma) + 1
exported = torch.export.export(
    Model(), (meta(5, 4096), meta(4096)), dynamic_shapes=({0: torch.export.Dim("rows", min=2, max=64)}, None))
assert "s" in str(exported.graph_module.graph)
values, places = torch.ops.pkg.topk(meta(3, 4096))
assert (tuple(values.shape), tuple(places.shape), places.dtype) == ((3, 64), (3, 64), torch.int32)
cache = meta(2, 16, 4, 128, dtype=torch.bfloat16)
q, kv, turn = (meta(3, *rest, dtype=torch.bfloat16) for rest in ((16, 128), (4, 128), (128,)))
turned = torch.ops.pkg.rope_cache(q, kv, kv, turn, turn, cache, cache.clone(), meta(3, dtype=torch.int64))
assert tuple(turned.shape) == (3, 16, 128)
"""


@pytest.mark.slow
def test_host_code_for_a5_is_cplusplus(tmp_path: Path) -> None:
    """Beside a stand-in of the device's runtime; the kernels are not compiled here."""
    build_package([SPECS / f"{name}.yaml" for name in OPERATORS], "a5", tmp_path / "pkg")
    (tmp_path / "acl").mkdir()
    (tmp_path / "acl" / "acl.h").write_text(f"#pragma once\n{ACL}")
    files = sorted(str(path) for name in ("launch.cpp", "main.cpp") for path in (tmp_path / "pkg").glob(f"*/{name}"))
    assert len(files) >= 2 * len(OPERATORS) - 1
    said = find_compiler().run(["-std=c++17", "-fsyntax-only", f"-I{tmp_path}", f"-I{tmp_path / 'pkg'}", *files])
    assert said.returncode == 0, said.stderr
    assert "dav-c310" in (tmp_path / "pkg" / "CMakeLists.txt").read_text()
