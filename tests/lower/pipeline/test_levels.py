"""Every level as text, and the same text every time."""

from __future__ import annotations

import subprocess
import sys

import pytest
from lowering import lower_anew
from syrupy.assertion import SnapshotAssertion

from lower.small_programs import PRODUCT, TARGETS, levels, library, program_of
from pyptogen.codegen import generate
from pyptogen.codegen.generate import of_lowered
from pyptogen.lower.tensor.ir import Program

SMALL = {"softmax": lambda: library("softmax"), "matmul_int8": lambda: program_of(PRODUCT)}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted(SMALL))
def test_text_of_every_level(name: str, target: str, snapshot: SnapshotAssertion) -> None:
    texts = levels(SMALL[name](), target)
    assert list(texts) == sorted(texts)
    assert "\n".join(f"== {level}\n{text}" for level, text in texts.items()) == snapshot


def whole(program: Program, target: str) -> str:
    result = of_lowered(lower_anew(program, target))
    texts = [kernel.text for kernel in result.kernels]
    return "\n".join([*texts, result.orchestration, str(result.report), *levels(program, target).values()])


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["softmax", "indexer_prolog"])
def test_same_text_twice(name: str, target: str) -> None:
    assert whole(library(name), target) == whole(library(name), target)


BY_GM = """\
pyptogen: 1
operator: by_gm
dims: {t: {min: 1, max: 4096}, d: 1024}
inputs: {x: "bf16[t, d]", w: "bf16[d, d]"}
outputs: {y: "bf16[t, d]"}
graph:
  n: cast(softmax(cast(x, fp32)), bf16)
  y: cast(gelu(matmul(n, w, dtype=fp32)), bf16)
"""
IN_FIFOS = BY_GM.replace("matmul(n, w", "matmul(x, w")


@pytest.mark.parametrize("text", [BY_GM, IN_FIFOS], ids=["through memory", "in fifos"])
def test_what_is_shown_is_what_was_chosen(text: str) -> None:
    """Both ways between separate cores are lowered; the texts are those of one."""
    program = program_of(text)
    result, texts = generate(program, "a2a3"), levels(program, "a2a3")
    mixed = any(title.endswith("tile-split-cores") for title in texts)
    assert mixed == ("chosen" in result.report) == (text == IN_FIFOS)
    last = [text for title, text in texts.items() if "-instruction-" in title][-1]
    shown = [line.split()[1] for line in last.splitlines() if line.startswith("kernel ")]
    assert sorted(shown) == sorted(kernel.name for kernel in result.kernels)


def test_same_text_whatever_the_hash_seed() -> None:
    code = (
        "import sys; sys.path.insert(0, 'tests')\n"
        "from lower.small_programs import lowered\n"
        "for kernel in lowered('fused', 'a2a3').kernels: print(kernel.text)\n"
    )
    root = str(__import__("pathlib").Path(__file__).resolve().parents[3])
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={"PYTHONHASHSEED": seed, "PYTHONPATH": root}, check=True,
            capture_output=True, text=True,
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1
    assert "TMATMUL" in outputs.pop()


@pytest.mark.parametrize("target", TARGETS)
def test_report(target: str) -> None:
    from lower.small_programs import lowered
    from pyptogen.lower.platforms import PLATFORMS

    result = lowered("indexer_prolog", target)
    assert list(result.report["kernels"]) == [k.name for k in result.kernels]
    for kernel in result.report["kernels"].values():
        assert kernel["core"] in ("cube", "vector", "mixed")
        assert all(used <= PLATFORMS[target].memories[name] for name, used in kernel["memory"].items())
        counts = kernel["sync"]
        assert counts["sets"] == counts["waits"]
        assert (counts["sets"] > 0) == PLATFORMS[target].flags
