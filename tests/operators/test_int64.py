"""Operations on int64, compiled for every target, at the extremes and where halves of 32 bits meet."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from compiling import NIGHTLY
from references.whole_numbers import ALONG, ELEMENTWISE, Case, meaning, pairs, random_pairs

import pyptogen
from pyptogen.codegen import generate
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source
from pyptogen.simulate.graph import interpret
from pyptogen.simulate.tile import interpret as run_level

CASES = {**ELEMENTWISE, **ALONG}
GROUPS = {
    "short": [
        "eq_number", "lt", "ge_number", "lt_size", "add", "number_sub", "where_number", "clip", "and_", "right_far",
        "slot", "to_int32", "to_fp32", "of_bool", "column", "sum", "amax", "argmax", "joined",
    ],
    "comparisons": [name for name, case in ELEMENTWISE.items() if case.type.startswith("bool")],
    "arithmetic": [name for name, case in ELEMENTWISE.items() if case.type.startswith("int64") and "of_" not in name],
    "casts": [name for name in ELEMENTWISE if name.startswith(("to_", "of_"))],
    "along": list(ALONG),
}  # fmt: skip
"""What is compiled together; all but the first in the nightly run."""


def cases_of(group: str) -> dict[str, Case]:
    return {name: CASES[name] for name in GROUPS[group]}


def text(cases: dict[str, Case]) -> str:
    outputs = "".join(f"  {name}: {case.type}\n" for name, case in cases.items())
    graph = "".join(f"  {name}: {case.text}\n" for name, case in cases.items())
    return (
        "pyptogen: 1\noperator: wide\ntargets: [cpu, a2a3, a5]\ndims: {t: {min: 1, max: 4096}, d: 40}\n"
        f"inputs: {{a: 'int64[t, d]', b: 'int64[t, d]'}}\noutputs:\n{outputs}graph:\n{graph}"
    )


@pytest.mark.parametrize("group", GROUPS if NIGHTLY else ["short"])
@pytest.mark.parametrize("target", ["cpu", "a2a3", "a5"])
def test_int64(target: str, group: str, tmp_path: Path) -> None:
    """The compiled operator and its golden give what numpy does."""
    cases, path = cases_of(group), tmp_path / "wide.yaml"
    path.write_text(text(cases), encoding="utf-8")
    operator = pyptogen.compile(path, target=target)
    for a, b in (pairs(), random_pairs(1, 40, seed=1)):
        got, golden = operator(a=a, b=b), operator.golden(a=a, b=b)
        for name, case in cases.items():
            want = meaning(case, a, b)
            np.testing.assert_array_equal(getattr(golden, name), want, err_msg=f"golden {name}")
            np.testing.assert_array_equal(getattr(got, name), want, err_msg=name)


@pytest.mark.parametrize("group", GROUPS if NIGHTLY else ["short"])
def test_levels_between(group: str) -> None:
    """The Tile, Block and Instruction levels in halves."""
    cases = cases_of(group)
    lowered = generate(from_spec(load_source(Source("wide.yaml", text(cases)))), "a2a3")
    a, b = pairs()
    arrays = {"a": a, "b": b}
    for found in (
        run_level(lowered, arrays, level="tile", blocks=3),
        run_level(lowered, arrays, level="block", blocks=3),
        interpret(lowered, arrays, blocks=2),
    ):
        for name, case in cases.items():
            np.testing.assert_array_equal(found[name], meaning(case, a, b), err_msg=name)
