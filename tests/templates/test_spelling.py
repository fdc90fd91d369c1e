"""Names of a spec in C++: every identifier that kernels and orchestrations say themselves is kept from them."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.instruction.ir import Instr, InstrKernel
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec
from pyptogen.schema.c_names import is_c_name, is_macro
from pyptogen.schema.naming import RESERVED
from pyptogen.templates import wrapper_py
from pyptogen.templates.kernel import kernel_text
from pyptogen.templates.spelling import function_names, in_text, is_kernel_word, renamed, respelled, spelled, variables

SPECS = Path(__file__).parents[2] / "specs"
OPERATORS = ("softmax", "topk_long", "moe_dispatch", "flash_attention", "scans")


@cache
def _lowered(operator: str, target: str) -> Lowered:
    return lower(from_spec(load_spec(SPECS / f"{operator}.yaml")), target)


def _words(text: str) -> set[str]:
    code = re.sub(r"//.*|\"[^\"]*\"|#.*|\b0x[0-9a-f]+\b|[0-9.]+e-?[0-9]+f?", " ", text)
    return set(re.findall(r"(?<![\w.:])[A-Za-z_]\w*", code))


GUARDS = ("index", "size", "site", "maybe_unused")
"""Parameters of the functions that make an index fit: no variable of a kernel is in sight there."""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_every_word_of_a_kernel_is_a_variable_or_kept_from_variables(operator: str, target: str) -> None:
    """All variables are called v1z, v2z, …: what the text says beside them must be known as words of kernels."""
    for kernel in _lowered(operator, target).instructions:
        ours = variables(kernel) - {"nblk"}
        marked = {name: f"v{i}z" for i, name in enumerate(sorted(ours))}
        shown = renamed(kernel, marked)
        text = kernel_text(shown, "k", "o", "", lambda span: "", PLATFORMS[target])
        own = {spelled(_with_variable(shown, word))[1].get(word, word) != word and word for word in _words(text)}
        loose = {
            word
            for word in _words(text) - own - RESERVED
            if not re.match(r"[vV]\d+z", word) and not word.startswith("__") and word not in ("k", "nblk", *GUARDS)
        }
        assert loose == set()


def _with_variable(kernel: InstrKernel, word: str) -> InstrKernel:
    return replace(kernel, arguments=(*kernel.arguments, word))


def test_renaming_touches_variables_only() -> None:
    kernel = next(k for k in _lowered("softmax", "a2a3").instructions)
    body = renamed(kernel, {"TLOAD": "wrong", "x": "x_", "rows0": "rows0_", "V": "wrong"}).body
    texts = str(body)
    assert "wrong" not in texts
    assert "'x_'" in texts
    assert "'rows0_'" in texts
    assert any(isinstance(node, Instr) and node.name == "TLOAD" for loop in body for node in getattr(loop, "body", ()))


def test_a_spelling_is_free() -> None:
    assert respelled({"half", "half_", "rows"}, lambda name: name == "half") == {"half": "half__"}
    assert respelled({"TADD", "x"}, is_kernel_word) == {"TADD": "TADD_"}
    words = {"VecF32_8x64", "XGm", "EVENT_ID0", "PIPE_V", "EOF", "SYS_read", "P0101", "block"}
    assert respelled(words, is_kernel_word) == {word: f"{word}_" for word in words}
    assert (
        in_text("int64_t(half) * 2 + scale(half)", {"half": "half_", "scale": "s"})
        == "int64_t(half_) * 2 + scale(half_)"
    )


@pytest.mark.parametrize(
    ("stage", "function"),
    [("select", "select_kernel"), ("TADD", "TADD_kernel"), ("half", "half_kernel"), ("EOF", "EOF_kernel"),
     ("pthread_create", "pthread_create_kernel"), ("query_linear", "query_linear"), ("softmax", "softmax")],
)  # fmt: skip
def test_kernels_keep_clear_of_functions_of_c(stage: str, function: str) -> None:
    assert function_names([stage], "o", [])[stage] == function


def test_functions_of_kernels_are_all_different() -> None:
    names = function_names(["select", "select_kernel", "o_cpu", "mine"], "o", ["mine_too", "select_kernel_kernel"])
    assert list(names.values()) == [
        "select_kernel_kernel_kernel", "select_kernel", "o_cpu_kernel", "mine", "mine_too", "select_kernel_kernel",
    ]  # fmt: skip


def test_macros_are_known_by_their_looks() -> None:
    assert all(map(is_macro, ["EOF", "M_PI", "SIGINT", "errno", "stdin", "SYS_read"]))
    assert not any(map(is_macro, ["KV", "x", "half", "Rows", "KVs", "EOF_"]))
    assert is_c_name("aligned_alloc")
    assert is_c_name("strtol_l")
    assert not is_c_name("attention")


WORDS = """\
pyptogen: 1
operator: namespace
dims: {union: {min: 1, max: 64}, short: 16, signed: {min: 1, max: 64}}
attrs: {register: {type: fp32, default: 0.5}, long: {type: int32, default: 3}}
inputs: {new: "fp32[union, short]", target: "fp32[union, short]", template: "int32[signed]"}
outputs: {delete: "fp32[signed, short]", private: "fp32[union, short]"}
graph:
  switch:
    this: where(new < target, new * (register ** 2 / union), target + long)
    private: relu(this) - register
  public:
    delete: index_select(private, 0, template)
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_words_of_cpp_name_whatever_a_spec_names(target: str, tmp_path: Path) -> None:
    path = tmp_path / "namespace.yaml"
    path.write_text(WORDS)
    operator: Any = pyptogen.compile(path, target=target)
    rng = np.random.default_rng(3)
    new, aim = (rng.normal(size=(5, 16)).astype(np.float32) for _ in range(2))
    got = operator(new=new, target=aim, template=np.array([4, 0], np.int32), register=0.25)
    this = np.where(new < aim, new * (0.0625 / 5), aim + 3)
    np.testing.assert_allclose(got.private, np.maximum(this, 0) - 0.25, rtol=1e-6, atol=1e-6)
    np.testing.assert_array_equal(got.delete, got.private[[4, 0]])


def test_an_input_called_target_has_its_own_parameter(tmp_path: Path) -> None:
    path = tmp_path / "namespace.yaml"
    path.write_text(WORDS)
    text = wrapper_py.render(from_spec(load_spec(path)), ["cpu"], "namespace.yaml")
    assert "    target: npt.NDArray[Any],\n" in text
    assert '    target_: str = "cpu",\n' in text
    assert "_compiled(target_)(" in text


@pytest.mark.parametrize("name", ["and", "lambda", "None", "fp32"])
def test_words_of_the_language_stay_reserved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(
        f"pyptogen: 1\noperator: one\ndims: {{n: 64}}\ninputs:\n  {name}: fp32[n, n]\noutputs:\n  y: fp32[n, n]\n"
        f"graph:\n  y: {name} * 2\n"
    )
    with pytest.raises(DiagnosticError, match="PTG213"):
        load_spec(path)


@pytest.mark.parametrize(("name", "place"), [("out", "  x:"), ("target", "dims: {n:")])
def test_arguments_of_calls_and_subjects_of_conditions_keep_their_names(name: str, place: str, tmp_path: Path) -> None:
    """A value and an output may be called so, but not what a call or a condition names."""
    path = tmp_path / "one.yaml"
    text = "pyptogen: 1\noperator: one\ndims: {n: 64}\ninputs:\n  x: fp32[n, n]\noutputs:\n  y: fp32[n, n]\n"
    path.write_text(text.replace("  y:", f"  {name}:") + f"graph:\n  {name}: x * 2\n")
    assert load_spec(path).outputs[0].name == name
    path.write_text(
        text.replace(place, place.replace("n:", f"{name}:").replace("x:", f"{name}:")) + "graph:\n  y: x * 2\n"
    )
    with pytest.raises(DiagnosticError, match="PTG213"):
        load_spec(path)


@pytest.mark.parametrize(("name", "said"), [("nblk", "number of blocks"), ("m_begin", "begins"), ("m_end", "ends")])
def test_names_of_arguments_that_every_kernel_has_are_refused(name: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text(
        f"pyptogen: 1\noperator: one\ndims: {{m: {{min: 1, max: 9}}, n: 64}}\ninputs:\n  x: fp32[m, n]\n"
        f"outputs:\n  y: fp32[m, n]\ngraph:\n  {name}: x * 2\n  y: exp({name})\n"
    )
    with pytest.raises(DiagnosticError, match=f"PTG213.*\n?.*{said}"):
        load_spec(path)
