"""Which steps of a K loop are final, as the text of a kernel says it: no branch that cannot be taken."""

from __future__ import annotations

import pytest

from pyptogen.lower.instruction.ir import For
from pyptogen.lower.instruction.parser import parse_kernels
from pyptogen.templates.k_loops import KLoopEnds, k_loop_ends

HEAD = """\
kernel one (cube) on a2a3 stages one
  reads ; writes
  dims k
"""


def loops(*headers: str) -> list[For]:
    text = "".join(f"{'  ' * (depth + 1)}for {header}\n" for depth, header in enumerate(headers))
    (kernel,) = parse_kernels(HEAD.replace("reads ; writes", "reads ; writes ") + text)
    found, nodes = [], kernel.body
    while nodes:
        (loop,) = nodes
        assert isinstance(loop, For)
        found.append(loop)
        nodes = loop.body
    return found


@pytest.mark.parametrize(
    ("headers", "ends"),
    [
        (("k0 in 0..1024 step 64",), ("Partial", "", "k0 + 64 < 1024")),
        (("k0 in 0..128 step 64",), ("Partial", "Final", "k0 + 64 < 128")),
        (("k0 in 0..100 step 64 (k0_valid valid)",), ("Partial", "Final", "k0 + 64 < 100")),
        (("k0 in 0..64 step 64",), ("Final", "Final", "k0 + 64 < 64")),
        (("k0 in 0..k step 64 (k0_valid valid)",), ("", "", "k0 + 64 < k")),
        (("k0 in 0..1024 step 256", "k1 in 0..256 step 64"), ("Partial", "", "k0 + k1 + 64 < 1024")),
        (
            ("k0 in 0..k step 256 (k0_valid valid)", "k1 in 0..k0_valid step 64 (k1_valid valid)"),
            ("", "", "k0 + k1 + 64 < k"),
        ),
        (
            ("k0 in 0..1000 step 256 (k0_valid valid)", "k1 in 0..k0_valid step 64"),
            ("Partial", "", "k0 + k1 + 64 < 1000"),
        ),
        (("a0 in 0..4 step 1", "k0 in 0..256 step 64"), ("Partial", "", "a0 + 1 < 4 || k0 + 64 < 256")),
        (("a0 in 0..1 step 1", "k0 in 0..128 step 64"), ("Partial", "Final", "a0 + 1 < 1 || k0 + 64 < 128")),
    ],
    ids=str,
)
def test_only_what_is_not_known_is_asked(headers: tuple[str, ...], ends: tuple[str, str, str]) -> None:
    first, other, more = ends
    assert k_loop_ends(loops(*headers)) == KLoopEnds(first, other, more)  # type: ignore[arg-type]
