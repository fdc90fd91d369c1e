"""What a dim is called decides nothing: with other names the tiles are the same, and kernels but for the names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from compiling import NIGHTLY
from hypothesis import given

from properties.agreement import lowered
from properties.random_specs import Case
from properties.renamed_dims import other_names, shown, with_names, with_old_names
from properties.shaped_specs import matmul_specs
from properties.test_random_specs import examples
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source

SPECS = Path(__file__).parents[2] / "specs"
FEW = ("causal_conv1d", "embedding_bag", "grouped_matmul", "matmul_bf16", "rope", "softmax", "topk", "transpose")


def program_of(text: str) -> Program:
    return from_spec(load_source(Source("demo.yaml", text)))


def check(text: str, target: str) -> None:
    """Lowers a spec with its names, and with others."""
    names = other_names(load_source(Source("demo.yaml", text)))
    before, after = (lowered(program_of(given), target) for given in (text, with_names(text, names)))
    assert tiles(before, {}) == tiles(after, names)
    assert before.notes == tuple(with_old_names(note, names) for note in after.notes)
    for one, other in zip(before.instructions, after.instructions, strict=True):
        assert shown(one, {}) == shown(other, names)


def tiles(made: Lowered, names: dict[str, str]) -> Any:
    kernels = {name: kernel["tiles"] for name, kernel in made.report["kernels"].items()}
    return json.loads(with_old_names(json.dumps(kernels), names))


OPERATORS = sorted(path.stem for path in SPECS.glob("*.yaml")) if NIGHTLY else FEW


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("operator", OPERATORS)
def test_names_of_dims_decide_nothing_in_the_library(operator: str, target: str) -> None:
    text = (SPECS / f"{operator}.yaml").read_text(encoding="utf-8")
    spec = load_source(Source("demo.yaml", text))
    if spec.targets and target not in spec.targets:
        pytest.skip(f"{operator} is not for {target}")
    check(text, target)


@examples(5, nightly=60)
@given(matmul_specs())
def test_names_of_dims_decide_nothing_in_products(case: Case) -> None:
    check(case[0], "a2a3")


TOP = """\
pyptogen: 1
operator: order_of_product
dims: {t: {min: 1, max: 4096}, n: 256, h: 512, top: 2}
inputs: {x: "bf16[t, h]", w: "bf16[h, n]"}
outputs: {v: "fp32[t, top]", i: "int32[t, top]"}
graph:
  product: {s: "matmul(x, w, dtype=fp32)"}
  order: {"v, i": "topk(s, top)"}
tiling: [{}]
"""


@pytest.mark.parametrize("name", ["k", "k1", "kk", "block", "t0"])
def test_a_dim_called_as_the_depth_of_a_product(name: str) -> None:
    """The row that the compiler tells speaks of the depth by its own name."""
    before, after = (lowered(program_of(text), "a2a3") for text in (TOP, with_names(TOP, {"top": name})))
    assert any("h: {l1: " in note for note in before.notes)
    assert after.notes == before.notes
    assert tiles(after, {}) == tiles(before, {})
