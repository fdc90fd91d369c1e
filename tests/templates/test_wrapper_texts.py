"""The wrappers of a toy operator, against texts written by hand from the ABI and the language page."""

from __future__ import annotations

import ast
import shutil
import subprocess
from pathlib import Path

import pytest
from verify import toy

from pyptogen.templates import harness, wrapper_hpp, wrapper_py

HEADER = """\
// toy: the C++ entry. Made by pyptogen from toy.yaml: changes belong there.
//
// Projects rows and notes them in a cache.
#pragma once

#include <cstdint>

namespace pto_rt {
class Runtime;
}

// The arguments, one 8-byte slot each. Arrays are contiguous, in the layout named;
// one marked "in place" is read and written.
struct toy_args {
  // inputs
  const uint16_t* x;     // bf16[t, k]
  const uint16_t* w;     // bf16[k, 2 * n] @ nz
  float* cache;          // fp32[blocks * size, 2 * n], in place
  const int64_t* index;  // int64[t]

  // outputs
  uint16_t* y;           // fp16[t, 2 * n]

  // sizes
  int64_t t;             // 1 to 64
  int64_t blocks;        // 2 to 16, a multiple of 2

  // scalars
  double eps;            // fp32
  int64_t count;         // int64
};
static_assert(sizeof(toy_args) == 9 * 8, "one slot per argument");

// Each entry submits its launches to `runtime` and returns; the results are there when all of them have run.
extern "C" void toy_cpu(pto_rt::Runtime& runtime, const toy_args& args);
extern "C" void toy_a2a3(pto_rt::Runtime& runtime, const toy_args& args);
"""

SIGNATURE = """\
def toy(
    x: npt.NDArray[Any],
    w: npt.NDArray[Any] | PackedWeight,
    cache: npt.NDArray[Any],
    index: npt.NDArray[Any],
    *,
    eps: float = 1e-06,
    count: int,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> ToyOutputs:
    \"\"\"Projects rows and notes them in a cache.

    Sizes: t 1 to 64; blocks 2 to 16, a multiple of 2; k = 32; n = 16; size = 8; slots = blocks * size.

    Args:
        x: bf16[t, k]
        w: bf16[k, 2 * n] @ nz, a logical array or one from `pyptogen.pack`
        cache: fp32[blocks * size, 2 * n], updated in place
        index: int64[t]
        eps: fp32 scalar
        count: int64 scalar
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    \"\"\"
    results = _compiled(target)(
        x=x,
        w=w,
        cache=cache,
        index=index,
        eps=eps,
        count=count,
        out=out,
    )
    return ToyOutputs(*results)
"""


def test_header() -> None:
    assert wrapper_hpp.render(toy.program(), ("cpu", "a2a3")) == HEADER


def test_header_points_to_the_spec_it_is_told() -> None:
    first = wrapper_hpp.render(toy.program(), ("cpu",), "toy.toml").splitlines()[0]
    assert first == "// toy: the C++ entry. Made by pyptogen from toy.toml: changes belong there."


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_header_is_plain_cpp17(tmp_path: Path) -> None:
    (tmp_path / "wrapper.hpp").write_text(HEADER)
    (tmp_path / "use.cpp").write_text(
        '#include "wrapper.hpp"\n#include "wrapper.hpp"\nint64_t t(const toy_args& a) { return a.t; }\n'
    )
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", str(tmp_path / "use.cpp")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stderr == ""


def test_python_function() -> None:
    text = wrapper_py.render(toy.program(), ("cpu", "a2a3"), "toy.yaml")
    assert text.endswith("\n\n\n" + SIGNATURE)


def test_python_outputs_are_a_typed_tuple_in_contract_order() -> None:
    tree = ast.parse(wrapper_py.render(toy.program(), ("cpu",), "toy.yaml"))
    (outputs,) = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    fields = [
        node.target.id for node in outputs.body if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]
    assert outputs.name == "ToyOutputs"
    assert fields == ["cache", "y"]


def test_long_docs_are_wrapped() -> None:
    program = toy.program("A sentence that goes on. " * 20)
    for text in (wrapper_py.render(program, ("cpu",), "toy.yaml"), wrapper_hpp.render(program, ("cpu",))):
        assert max(len(line) for line in text.splitlines()) <= 120


def test_quotes_in_docs_stay_text() -> None:
    text = wrapper_py.render(toy.program('Says """hello""" and \\n.'), ("cpu",), "toy.yaml")
    function = ast.parse(text).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function) or "").startswith('Says """hello""" and \\n.')


def test_harness_has_every_case_on_every_target() -> None:
    text = harness.render(toy.program(), ({"t": 1, "blocks": 2}, {"t": 33, "blocks": 4}), ("cpu", "a2a3"), "toy.yaml")
    assert 'CASES = (\n    {"t": 1, "blocks": 2},\n    {"t": 33, "blocks": 4},\n)\n' in text
    assert '    pytest.param("cpu", marks=pytest.mark.target_cpu),\n    pytest.param("a2a3", marks' in text
    assert "def test_toy(target: str, dims: dict[str, int], pyptogen_snapshot: Snapshot) -> None:" in text
    ast.parse(text)


def test_harness_without_cases_takes_the_smallest_sizes() -> None:
    text = harness.render(toy.program(), (), ("cpu",), "toy.yaml")
    assert 'CASES = (\n    {"t": 1, "blocks": 2},\n)\n' in text
