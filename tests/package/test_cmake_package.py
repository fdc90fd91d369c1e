"""Libraries for C and C++: built by CMake, found from the build tree and after an installation, called from a typed
program and by the C entries, beside numpy."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from compiling import NIGHTLY
from meeting import meeting

from pyptogen.diagnostics import DiagnosticError
from pyptogen.layout.packing import pack
from pyptogen.package.folder import build_package
from pyptogen.runtime.operator.prebuilt import LEVELS
from pyptogen.runtime.toolchain.cpu import features, level_named

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "cpp"
PUT = """\
pyptogen: 1
operator: put
doc: Rows, which lie apart, to their slots of a cache; -1 skips one.
dims: {tokens: {min: 1, max: 64}, slots: {min: 1, max: 1024}, width: {min: 32, max: 4096}, d: 32}
attrs:
  gain: {type: fp32, default: 1.0}
requires: [slots >= tokens]
inputs:
  cache: bf16[slots, d]
  slot: int32[tokens]
  rows: {shape: [tokens, d], dtype: fp32, strides: [width, 1]}
outputs:
  cache: {inplace: true}
graph:
  cache: scatter_update(cache, slot, cast(rows * gain, bf16), dim=-2)
tiling:
  - {}
"""
TAKE = """\
pyptogen: 1
operator: take
doc: Rows of a table by numbers that count from one, and by numbers that are computed where only a kernel knows them.
dims: {tokens: {min: 1, max: 64}, places: {min: 1, max: 1024}}
inputs:
  table: fp32[places, 32]
  token: int32[tokens]
  odd: fp32[tokens, 32]
outputs:
  y: fp32[tokens, 32]
  z: fp32[tokens, 32]
graph:
  y: index_select(table, 0, token - 1)
  z: index_select(table, 0, cast(sum(odd, axis=-1), int32))
tiling:
  - {}
"""
OK, ARGUMENT, SIZE, OVERLAP, PRECONDITION, INDEX, FAILED, UNAVAILABLE = range(8)
BEST = next(name for name in LEVELS["x86_64"] if level_named(name).needs <= features())
BUILT = tuple(dict.fromkeys((BEST, "portable") if NIGHTLY else (BEST,)))
"""The page docs/cpp.md builds the portable one in every run, and shows what it prints."""


def tool(name: str) -> str:
    """A program of this machine, or of the wheel beside this Python."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.is_file() else shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed: `pip install {name}`")
    return found


def done(*command: str | Path, **more: Any) -> str:
    """What a command printed, which must end well."""
    said = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    assert said.returncode == 0, f"{command}\n{said.stdout}\n{said.stderr}"
    return said.stdout


def cmake(source: Path, build: Path, *options: str) -> None:
    done(tool("cmake"), "-S", source, "-B", build, "-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}", *options)
    done(tool("cmake"), "--build", build)


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package `model`, built for the best level of this machine, nightly also the portable one, and
    installed."""
    folder = tmp_path_factory.mktemp("cmake")
    for name, text in (("put", PUT), ("take", TAKE)):
        (folder / f"{name}.yaml").write_text(text)
    specs = [EXAMPLE / "specs", folder / "put.yaml", folder / "take.yaml", meeting(folder)]
    build_package(specs, "cpu", folder / "model")
    warnings = "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror -ffast-math"  # of a project around it
    cmake(folder / "model", folder / "build", f"-DPYPTOGEN_LEVELS={';'.join(BUILT)}", warnings)
    done(tool("cmake"), "--install", folder / "build", "--prefix", folder / "prefix")
    return folder


class Library:
    """The C entries of `model`."""

    def __init__(self, path: Path) -> None:
        self.c = ctypes.CDLL(str(path))
        self.c.model_message.restype = self.c.model_level.restype = ctypes.c_char_p
        self.c.model_create.restype = ctypes.c_void_p
        self.c.model_destroy.argtypes = [ctypes.c_void_p]

    def __call__(self, name: str, *given: Any, context: int | None = None) -> int:
        """Arrays as addresses, whole numbers as int64, others as double."""
        words = [ctypes.c_void_p(context)]
        for one in given:
            if one is None or isinstance(one, np.ndarray):
                words.append(ctypes.c_void_p(None if one is None else one.ctypes.data))
            else:
                words.append(ctypes.c_double(one) if isinstance(one, float) else ctypes.c_int64(one))
        return int(getattr(self.c, f"model_{name}")(*words))

    @property
    def message(self) -> str:
        return str(self.c.model_message().decode())


@pytest.fixture(scope="module")
def library(work: Path) -> Library:
    return Library(work / "prefix" / "lib" / "libmodel.so")


def probabilities() -> np.ndarray[Any, Any]:
    """What the example computes, in double, from its inputs."""

    def numbers(count: int, seed: int) -> np.ndarray[Any, Any]:
        made = np.empty(count)
        for i in range(count):
            seed = (seed * 1664525 + 1013904223) % 2**32
            made[i] = (seed >> 22) / 512 - 1
        return made

    x, gain = numbers(37 * 512, 1).reshape(37, 512), numbers(512, 2)
    w, bias = numbers(512 * 1000, 3).reshape(512, 1000), numbers(1000, 4)
    scores = x / np.sqrt(np.mean(x * x, -1, keepdims=True) + 1e-6) * gain @ w + bias
    raised = np.exp(scores - scores.max(-1, keepdims=True))
    return np.asarray(raised / raised.sum(-1, keepdims=True))


@pytest.mark.slow
@pytest.mark.parametrize("found", ["build tree", "installation"])
def test_the_example_agrees_with_numpy(work: Path, tmp_path: Path, found: str) -> None:
    """Built against either, and run in an empty environment: nothing of Python is there."""
    where = f"-Dpyptogen_DIR={work / 'build'}" if found == "build tree" else f"-DCMAKE_PREFIX_PATH={work / 'prefix'}"
    cmake(EXAMPLE, tmp_path / "app", where, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Wpedantic -Werror")
    wanted = probabilities()
    for level in BUILT:
        said = done(tmp_path / "app" / "classify", tmp_path / "out.bin", env={"PYPTOGEN_LEVEL": level})
        got = np.fromfile(tmp_path / "out.bin", np.float32).reshape(37, 1000)
        np.testing.assert_allclose(got, wanted, rtol=2e-4, atol=1e-9)
        assert said.splitlines()[5] == f"row 5: class {wanted[5].argmax()}, {wanted[5].max():.3f}"


@pytest.mark.slow
def test_nothing_of_python_is_linked(work: Path) -> None:
    for path in (work / "prefix" / "lib").glob("*.so"):
        needed = [line for line in done("readelf", "-d", path).splitlines() if "NEEDED" in line]
        assert needed
        assert not [line for line in needed if "python" in line.lower()], path


@pytest.mark.slow
def test_the_best_level_is_taken(library: Library, work: Path) -> None:
    assert library.c.model_level() == BEST.encode()
    assert np.float32(1e-40) * np.float32(0.5) != 0, "-ffast-math of the project around it changed this process"
    code = (
        f"import ctypes; c = ctypes.CDLL({str(work / 'build' / 'libmodel.so')!r}); "
        "c.model_level.restype = c.model_message.restype = ctypes.c_char_p; print(c.model_level(), c.model_message())"
    )
    for level, says in (
        (BUILT[-1], f"{BUILT[-1].encode()} b''"),
        ("amx-512", "b'' b'model: no kernels: PYPTOGEN_LEVEL names no level of it'"),
        ("avx2", "b'' b'model: no kernels: none of avx2 is both built and for this machine'"),
    ):
        assert done(sys.executable, "-c", code, env={**os.environ, "PYPTOGEN_LEVEL": level}).strip() == says


@pytest.mark.slow
def test_in_place_strides_and_indices(library: Library) -> None:
    cache = np.zeros((8, 32), ml_dtypes.bfloat16)
    rows = np.arange(3 * 40, dtype=np.float32).reshape(3, 40)
    slot = np.array([6, -1, 0], np.int32)
    assert library("put", cache, slot, rows, 3, 8, 40, 0.5) == OK
    wanted = np.zeros((8, 32), ml_dtypes.bfloat16)
    wanted[6], wanted[0] = (rows[0, :32] * 0.5), (rows[2, :32] * 0.5)
    np.testing.assert_array_equal(cache.view(np.uint16), wanted.view(np.uint16))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "status", "says"),
    [
        ({"tokens": 0}, SIZE, "put: tokens is 0, expected 1 to 64"),
        ({"tokens": 65}, SIZE, "put: tokens is 65, expected 1 to 64"),
        ({"gain": 1e39}, ARGUMENT, "put: gain is 1e+39, which its type rounds to infinity"),
        ({"slot": None}, ARGUMENT, "put: slot is null"),
        ({"slot": np.zeros(16, np.uint8)[1:]}, ARGUMENT, "put: slot is not aligned to 4 bytes"),
        (
            {"slot": np.array([0, 8, 1], np.int32)},
            INDEX,
            "put: the index from slot is 8, expected -1 (skip), or 0 to 7: positions of `cache`",
        ),
        ({"slot": np.array([0, 1, -2], np.int32)}, INDEX, "put: the index from slot is -2"),
        ({"slots": 2}, PRECONDITION, "put: `slots >= tokens` does not hold"),
        ({"rows": "cache"}, OVERLAP, "put: cache is written and shares memory with rows"),
    ],
)
def test_wrong_calls_are_told(library: Library, change: dict[str, Any], status: int, says: str) -> None:
    cache = np.zeros((64, 32), ml_dtypes.bfloat16)
    given = {"cache": cache, "slot": np.array([0, 1, 2], np.int32), "rows": np.ones((3, 32), np.float32)}
    given |= {"tokens": 3, "slots": 8, "width": 32, "gain": 1.0} | change
    given["rows"] = cache if isinstance(given["rows"], str) else given["rows"]
    assert library("put", *given.values()) == status
    assert says in library.message
    assert not cache.astype(np.float32).any()


@pytest.mark.slow
def test_indices_are_computed_as_the_kernel_does(library: Library) -> None:
    """Those that follow from one input are looked at before the call, others by the kernel."""
    table = np.arange(8 * 32, dtype=np.float32).reshape(8, 32)
    odd, y, z = np.zeros((2, 32), np.float32), np.empty((2, 32), np.float32), np.empty((2, 32), np.float32)
    odd[:, 0] = 5, 2
    assert library("take", table, np.array([1, 8], np.int32), odd, y, z, 2, 8) == OK
    np.testing.assert_array_equal(y, table[[0, 7]])
    np.testing.assert_array_equal(z, table[[5, 2]])
    assert library("take", table, np.array([0, 8], np.int32), odd, y, z, 2, 8) == INDEX
    assert library.message == "take: the index from token is -1, expected 0 to 7: positions of `table`"
    odd[1, 0] = 9
    assert library("take", table, np.array([1, 8], np.int32), odd, y, z, 2, 8) == INDEX
    assert library.message == "take: an index is 9, and the axis has 8 elements"


@pytest.mark.slow
def test_packed_weights_are_those_of_python(library: Library) -> None:
    """C packs as Python does, for each size of elements and sizes that fill no box."""
    for dtype, shape in ((np.float32, (20, 40)), (np.int16, (33, 70)), (np.int8, (65, 31))):
        matrix = np.random.default_rng(7).integers(-100, 100, shape).astype(dtype)
        wanted = pack(matrix, target="cpu").data
        library.c.model_packed_bytes.restype = ctypes.c_int64
        sizes = [ctypes.c_int64(n) for n in (*shape, matrix.itemsize)]
        assert library.c.model_packed_bytes(*sizes) == wanted.nbytes
        got = np.empty_like(wanted)
        library.c.model_pack(ctypes.c_void_p(matrix.ctypes.data), *sizes, ctypes.c_void_p(got.ctypes.data))
        np.testing.assert_array_equal(got, wanted)


@pytest.mark.slow
def test_several_threads_call_one_operator(library: Library) -> None:
    """Each with a context of its own, or all with the one that they share."""
    rng = np.random.default_rng(3)
    inputs = [rng.normal(size=(64, 1000)).astype(np.float32) for _ in range(4)]
    results: list[Any] = [None] * 8
    own = [library.c.model_create(ctypes.c_int32(threads)) for threads in (1, 1, 2, 3)]
    assert all(own)
    assert library.c.model_create(ctypes.c_int32(-1)) is None
    assert library.message == "-1 threads: from 1 to 256, or 0 for all processors"

    def work(number: int) -> None:
        x, y = inputs[number % 4], np.empty((64, 1000), np.float32)
        for _ in range(20):
            assert library("softmax", x, y, 64, context=own[number] if number < 4 else None) == OK
        results[number] = y

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for context in own:
        library.c.model_destroy(context)
    for number, y in enumerate(results):
        raised = np.exp(inputs[number % 4].astype(np.float64))
        np.testing.assert_allclose(y, raised / raised.sum(-1, keepdims=True), rtol=2e-6)


@pytest.mark.slow
def test_calls_of_two_contexts_run_side_by_side(library: Library) -> None:
    """Each kernel waits until the other has begun."""
    count, wanted, seen = np.zeros(1, np.int32), np.array([2], np.int32), [np.zeros(1, np.int32) for _ in range(2)]
    contexts = [library.c.model_create(ctypes.c_int32(1)) for _ in seen]

    def work(number: int) -> None:
        assert library("meet", count, wanted, seen[number], 1, context=contexts[number]) == OK

    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [int(one[0]) for one in seen] == [2, 2]
    for context in contexts:
        library.c.model_destroy(context)


@pytest.mark.slow
def test_typed_calls_check_shapes(work: Path, tmp_path: Path) -> None:
    values = np.random.default_rng(1).integers(0, 2**32, 20000, dtype=np.uint32).view(np.float32)
    values = np.concatenate([values, np.random.default_rng(2).normal(size=20000).astype(np.float32) * 1e-5])
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        halves = [values.astype(dtype).view(np.uint16) for dtype in (np.float16, ml_dtypes.bfloat16)]
    np.rec.fromarrays([values, *halves]).tofile(tmp_path / "halves.bin")
    prefix = work / "prefix"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined", "-fno-sanitize-recover=all"]
    linked = [f"-L{prefix / 'lib'}", "-lmodel", f"-Wl,-rpath,{prefix / 'lib'}", "-o", tmp_path / "typed"]
    done("c++", *flags, f"-I{prefix / 'include'}", Path(__file__).with_name("typed_calls.cpp"), *linked)
    said = done(tmp_path / "typed", cwd=tmp_path).splitlines()
    assert said == [
        "2 softmax: y: axis 0 has 1 elements, expected 2",
        "2 softmax: x: the stride of axis 0 is 1, expected 1000",
        "3 softmax: y is written and shares memory with x",
        "6 1000 threads: from 1 to 256, or 0 for all processors",
        "1000 threads: from 1 to 256, or 0 for all processors",
        "0 0 3.01562",
        str(len(values)),
    ]


TWO_IN_C = """\
#include <model/model.h>
#include <second/second.h>
#include <string.h>

int main(void)
{
    float x[2000], y[2000], z[2000];
    int i;
    for (i = 0; i < 2000; ++i) x[i] = (float)(i % 37), y[i] = 1, z[i] = 2;
    if (model_softmax(NULL, x, y, 2) != PYPTOGEN_OK || second_softmax(NULL, x, z, 2) != PYPTOGEN_OK) return 1;
    if (model_softmax(NULL, x, x, 2) == PYPTOGEN_OK || second_softmax(NULL, NULL, z, 2) == PYPTOGEN_OK) return 2;
    if (strcmp(model_message(), "softmax: y is written and shares memory with x") != 0) return 3;
    if (strcmp(second_message(), "softmax: x is null") != 0) return 4;
    return memcmp(y, z, sizeof y) == 0 && y[0] < y[36] && y[36] < 1 ? 0 : 5;
}
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES C CXX)
{found}
add_executable(app app.c)
set_target_properties(app PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(app PRIVATE -pedantic -Wall -Wextra -Werror)
target_link_libraries(app PRIVATE pyptogen::model pyptogen::second)
"""


def program_of_two(folder: Path, found: str) -> Path:
    """A project of C99 that calls operators of one name of two libraries."""
    folder.mkdir()
    (folder / "app.c").write_text(TWO_IN_C)
    (folder / "CMakeLists.txt").write_text(PROJECT.format(found=found))
    return folder


@pytest.mark.slow
def test_libraries_within_a_project_and_in_one_prefix(work: Path, tmp_path: Path) -> None:
    """A project takes one library as sources and another from where it is installed, and is installed there; another
    project finds both."""
    build_package([EXAMPLE / "specs" / "softmax.yaml"], "cpu", tmp_path / "second")
    both = tmp_path / "both"
    shutil.copytree(work / "prefix", both)
    within = program_of_two(
        tmp_path / "within", "add_subdirectory(../second second)\nfind_package(pyptogen CONFIG REQUIRED)"
    )
    cmake(within, tmp_path / "b", f"-DPYPTOGEN_LEVELS={BEST}", f"-DCMAKE_PREFIX_PATH={both}")
    done(tmp_path / "b" / "app", env={})
    done(tool("cmake"), "--install", tmp_path / "b", "--prefix", both)
    beside = program_of_two(tmp_path / "beside", "find_package(pyptogen CONFIG REQUIRED COMPONENTS model second)")
    cmake(beside, tmp_path / "c", f"-DCMAKE_PREFIX_PATH={both}")
    done(tmp_path / "c" / "app", env={})


@pytest.mark.slow
@pytest.mark.skipif(not NIGHTLY, reason="compiles the example once more: nightly")
def test_the_example_under_sanitizers(work: Path, tmp_path: Path) -> None:
    """Library, kernels and program with addresses and undefined behaviour watched."""
    watched = "-fsanitize=address,undefined -fno-sanitize-recover=all"
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES CXX)\n"
        f"add_subdirectory({work / 'model'} model)\nadd_executable(classify {EXAMPLE / 'classify.cpp'})\n"
        "target_link_libraries(classify PRIVATE pyptogen::model)\n"
    )
    cmake(tmp_path, tmp_path / "b", f"-DPYPTOGEN_LEVELS={BEST}", f"-DCMAKE_CXX_FLAGS={watched}")
    done(tmp_path / "b" / "classify", tmp_path / "out.bin", env={})
    got = np.fromfile(tmp_path / "out.bin", np.float32).reshape(37, 1000)
    np.testing.assert_allclose(got, probabilities(), rtol=2e-4, atol=1e-9)


@pytest.mark.slow
def test_the_header_is_c(work: Path, tmp_path: Path) -> None:
    (tmp_path / "c.c").write_text("#include <model/model.h>\nint main(void) { return model_level()[0] == 0; }\n")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"]
    done("gcc", *flags, f"-I{work / 'prefix' / 'include'}", "c.c", cwd=tmp_path)


def test_a_library_that_is_not_there_is_told(work: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(app LANGUAGES CXX)\n"
        "find_package(pyptogen CONFIG REQUIRED COMPONENTS other)\n"
    )
    command = [tool("cmake"), "-S", str(tmp_path), "-B", str(tmp_path / "b"), f"-Dpyptogen_DIR={work / 'build'}"]
    said = subprocess.run(command, capture_output=True, text=True, check=False)
    assert said.returncode == 1
    assert "no library other in" in said.stderr


def test_a_second_build_changes_nothing(tmp_path: Path) -> None:
    specs = [EXAMPLE / "specs"]
    assert build_package(specs, "cpu", tmp_path / "new").written
    again = build_package(specs, "cpu", tmp_path / "new")
    assert (again.written, again.removed) == ((), ())
    assert (tmp_path / "new" / "include" / "pyptogen_new" / "wrapper.hpp").is_file(), "`new` is a word of C++"


def test_what_cannot_be_a_library_is_told(tmp_path: Path) -> None:
    for name, text, code in (
        ("create", PUT.replace("operator: put", "operator: create"), "PTG704"),
        ("of_two", TAKE.replace("token - 1", "token - cast(places_of, int32)").replace(
            "  odd: fp32", "  places_of: int32[tokens]\n  odd: fp32"), "PTG706"),
    ):  # fmt: skip
        path = tmp_path / f"{name}.yaml"
        path.write_text(text)
        with pytest.raises(DiagnosticError) as caught:
            build_package([path], "cpu", tmp_path / name)
        assert str(caught.value.diagnostics[0].code) == code
    twice = (tmp_path / "of_two.yaml").read_text()
    (tmp_path / "again.yaml").write_text(twice.replace("operator: take", "operator: again"))
    with pytest.raises(DiagnosticError) as caught:
        build_package([tmp_path / "of_two.yaml", tmp_path / "again.yaml"], "cpu", tmp_path / "both")
    assert [str(one.code) for one in caught.value.diagnostics] == ["PTG706", "PTG706"], "all faults at once"
