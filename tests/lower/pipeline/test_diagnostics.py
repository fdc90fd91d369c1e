"""What a spec asks for and a platform cannot give, as the user reads it."""

from __future__ import annotations

import pytest
from syrupy.assertion import SnapshotAssertion

from lower.small_programs import ELEMENTWISE, PRODUCT, program_of
from pyptogen.codegen import generate
from pyptogen.diagnostics import DiagnosticError, render_text

WIDE = ELEMENTWISE.replace("d: 16", "d: 4096")
CASES = {
    "ub_overflow": ("PTG301", "cpu", WIDE + "  y: exp(x) + z\ntiling:\n  - {t: 128}\n"),
    "ub_overflow_a2a3": ("PTG301", "a2a3", WIDE + "  y: exp(x) + z\ntiling:\n  - {t: 8}\n"),
    "l1_overflow": ("PTG301", "a2a3", PRODUCT.replace("k: 128", "k: 65536").replace("{l1: 64, l0: 32}", "65536")),
    "whole_dims": ("PTG301", "cpu", PRODUCT.replace("k: 128", "k: 65536").replace("k: {l1: 64, l0: 32}, n: 32", "")),
    "no_int64_arithmetic": (
        "PTG303",
        "a2a3",
        ELEMENTWISE + "  h: cast(x, int64)\n  y: cast(bitwise_left_shift(h, h), fp32)\ntiling:\n  - {t: 8}\n",
    ),
    "table_with_a_gap": ("PTG304", "cpu", PRODUCT.replace("  - {m", "  - {when: {m: '<= 16'}, m")),
    "illegal_size": ("PTG304", "a2a3", PRODUCT.replace("l0: 32", "l0: 48")),
    "unknown_target": ("PTG303", "abacus", PRODUCT),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_diagnostic(name: str, snapshot: SnapshotAssertion) -> None:
    code, target, text = CASES[name]
    with pytest.raises(DiagnosticError) as caught:
        generate(program_of(text), target)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code
    assert diagnostic.span is not None
    assert diagnostic.span.file == "demo.yaml"
    assert diagnostic.expected
    assert render_text(diagnostic, {"demo.yaml": text}.get) == snapshot


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_a_smaller_tile_helps(target: str) -> None:
    """The size that PTG301 proposes does fit."""
    _, _, text = CASES["ub_overflow"]
    with pytest.raises(DiagnosticError) as caught:
        generate(program_of(text), target)
    fix = caught.value.diagnostics[0].fix
    proposed = int(fix.split("`t: ")[1].split("`")[0])
    assert generate(program_of(text.replace("t: 128", f"t: {proposed}")), target).kernels
