"""Whole operators on the path of processors with a matrix unit, which is software here, against the golden."""

from __future__ import annotations

import pytest
from runtime.isa.conftest import emulated_kernels

import pyptogen
from pyptogen.verify import verify_case

from .conftest import SPECS

# Products of int8 with packed weights, of bf16 from GM and in vector passes, of halves by moves.
CASES = [
    ("indexer_prolog", "cpu", [{"t": 37, "blocks": 4}]),
    ("flash_attention", "cpu", [{"sq": 33, "kv": 130}]),
    ("matmul_fp16", "a2a3", [{"m": 5}, {"m": 37}]),
]


@pytest.mark.parametrize(("name", "target", "cases"), CASES, ids=[case[0] for case in CASES])
def test_operator(monkeypatch: pytest.MonkeyPatch, name: str, target: str, cases: list[dict[str, int]]) -> None:
    toolchain = emulated_kernels().toolchain
    monkeypatch.setattr("pyptogen.runtime.operator.sources.make_toolchain", lambda **_: toolchain)
    operator = pyptogen.compile(SPECS / f"{name}.yaml", target=target)
    for dims in cases:
        failed = [v.describe() for v in verify_case(operator, dims, seed=7).verdicts if not v.passed]
        assert not failed, "\n".join(failed)
