"""Whole operators on the path of processors with a matrix unit, which is software here, against the golden."""

from __future__ import annotations

from typing import Any

import pytest
from runtime.isa import emulated

import pyptogen
from pyptogen.runtime.toolchain.build import Toolchain, make_toolchain
from pyptogen.runtime.toolchain.cpu import PORTABLE, features
from pyptogen.verify import verify_case

from .conftest import SPECS

# Products of int8 with packed weights, of bf16 from GM and in vector passes, of halves by moves, and scaled ones.
CASES = [
    ("indexer_prolog", "cpu", [{"t": 37, "blocks": 4}]),
    ("flash_attention", "cpu", [{"sq": 33, "kv": 130}]),
    ("matmul_fp16", "a2a3", [{"m": 5}, {"m": 37}]),
    ("linear_mxfp8", "cpu", [{"t": 37}]),
]


def emulated_toolchain(**_: Any) -> Toolchain:
    """The usual toolchain, for the emulated level."""
    usual = make_toolchain(portable=True)
    flags = (*(flag for flag in usual.flags if flag not in PORTABLE.flags), *emulated.LEVEL.flags, "-O1")
    return Toolchain(usual.compiler, emulated.LEVEL.name, flags, emulated.headers(), usual.cache)


@pytest.mark.parametrize(("name", "target", "cases"), CASES, ids=[case[0] for case in CASES])
def test_operator(monkeypatch: pytest.MonkeyPatch, name: str, target: str, cases: list[dict[str, int]]) -> None:
    if not emulated.LEVEL.needs <= features():
        pytest.skip("this CPU has no AVX-512 with bf16 and VBMI")
    monkeypatch.setattr("pyptogen.runtime.operator.compiled.make_toolchain", emulated_toolchain)
    operator = pyptogen.compile(SPECS / f"{name}.yaml", target=target)
    for dims in cases:
        failed = [v.describe() for v in verify_case(operator, dims, seed=7).verdicts if not v.passed]
        assert not failed, "\n".join(failed)
