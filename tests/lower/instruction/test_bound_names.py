"""A kernel whose text would name what nothing binds is found where it is made, not by a C++ compiler."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lower.instruction.editing import changed, move_window
from lower.small_programs import TARGETS, lowered
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction import bound_names
from pyptogen.lower.instruction.ir import Declare, For, GmWindow, Instr, InstrKernel
from pyptogen.lower.tile.ir import Extent
from pyptogen.lower.verify import IllegalIR

STRAY = Poly.of("ww")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("operator", ["softmax", "matmul_bf16", "indexer_prolog"])
def test_names_of_the_library_are_bound(operator: str, target: str) -> None:
    for kernel in lowered(operator, target).instructions:
        bound_names.verify(kernel)


def loads(node: Any) -> bool:
    return isinstance(node, Instr) and node.name == "TLOAD" and any(isinstance(o, GmWindow) for o in node.operands)


@pytest.mark.parametrize(
    ("wanted", "change"),
    [
        (lambda n: isinstance(n, For), lambda n: replace(n, stop=STRAY)),
        (lambda n: isinstance(n, For), lambda n: replace(n, start=STRAY)),
        (lambda n: isinstance(n, For), lambda n: replace(n, before=STRAY)),
        (lambda n: isinstance(n, For) and n.valid is not None, lambda n: replace(n, valid=None)),
        (lambda n: isinstance(n, Declare), lambda n: replace(n, rows=Extent(8, STRAY))),
        (lambda n: isinstance(n, Declare), lambda n: replace(n, address=n.address + STRAY)),
        (loads, lambda n: move_window(n, lambda w: replace(w, offset=w.offset + STRAY))),
        (loads, lambda n: move_window(n, lambda w: replace(w, row_stride=STRAY))),
        (loads, lambda n: move_window(n, lambda w: replace(w, tensor="ww"))),
        (loads, lambda n: replace(n, operands=("ww", *n.operands[1:]))),
    ],
)
def test_a_name_that_nothing_binds(wanted: Callable[[Any], bool], change: Callable[[Any], Any]) -> None:
    broken = changed(lowered("fused", "cpu"), "linear_to_scale", wanted, change).instructions[0]
    with pytest.raises(IllegalIR, match=r"kernel linear_to_scale names \w+, which nothing binds.*demo\.yaml:\d+"):
        bound_names.verify(broken)


def test_an_argument_that_is_missing() -> None:
    kernel: InstrKernel = lowered("fused", "cpu").instructions[0]
    for name in set(kernel.arguments) - {"nblk"}:
        with pytest.raises(IllegalIR, match=f"names {name}, which nothing binds"):
            bound_names.verify(replace(kernel, arguments=tuple(a for a in kernel.arguments if a != name)))
