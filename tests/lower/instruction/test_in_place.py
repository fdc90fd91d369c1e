"""Steps that overwrite each other under one name: the same instructions on the same bytes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lower.small_programs import elementwise, lowered
from pyptogen.codegen import generate
from pyptogen.lower.instruction import in_place
from pyptogen.lower.instruction.ir import Choose, Instr, InstrKernel, declarations, walk


def executed(kernel: InstrKernel) -> Iterator[object]:
    """Every instruction with what it works on, whatever that is called."""
    tiles = declarations(kernel)
    for node in walk(kernel.body):
        for instr in (node.then, node.other) if isinstance(node, Choose) else (node,):
            if isinstance(instr, Instr):
                found = [tiles[o] if isinstance(o, str) else o for o in instr.operands]
                yield instr.name, [(o.type, o.rows, o.cols, o.address) if o in tiles.values() else o for o in found]


@pytest.mark.parametrize("name", ["gelu", "softmax", "rms_norm", "flash_attention", "rope_cache_interleaved", "topk"])
def test_nothing_changes_but_names(name: str) -> None:
    saved = 0
    for kernel in lowered(name, "a2a3").instructions:
        shown = in_place.run(kernel)
        assert list(executed(shown)) == list(executed(kernel))
        saved += len(declarations(kernel)) - len(declarations(shown))
    assert (saved > 0) == (name == "gelu")


def test_steps_of_a_polynomial_have_one_name() -> None:
    (kernel,) = lowered("gelu", "a2a3").instructions
    names = declarations(in_place.run(kernel))
    assert {"y_p_2", "y_p_3"} <= declarations(kernel).keys()
    assert "y_p" in names
    assert {"y_p_2", "y_p_3"}.isdisjoint(names)


def test_the_value_gives_the_name() -> None:
    (kernel,) = generate(elementwise("e: exp(x * 2)\n  y: e / (e + 1) * e"), "a2a3").instructions
    assert {"e_1", "e"} <= declarations(kernel).keys()
    assert {"e_1", "e"} & declarations(in_place.run(kernel)).keys() == {"e"}


def test_values_of_the_author_keep_their_names() -> None:
    text = generate(elementwise("a: x * 2\n  a_2: a + 1\n  y: a_2 * a_2"), "a2a3").kernels[0].text
    assert "TADDS(a_2, a, 1.0f)" in text
