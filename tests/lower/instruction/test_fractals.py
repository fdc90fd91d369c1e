"""Products whose extents are known at run time: the tiles in L0 that go by what is valid are compact, and a build that
forgets one is not proved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from lower.instruction.test_columns_in_l1 import SUMS, TEXT
from pyptogen.lower.instruction.ir import Declare, For, InstrKernel, Node, TileType, declarations
from pyptogen.lower.instruction.replay import prove
from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_source
from pyptogen.schema.source import Source


def kernel(
    target: str, dtype: str = "fp16", *, depth: str = "64", width: str = "64", turned: bool = False
) -> InstrKernel:
    """A product of up to 64 rows at a time; of the depth and the width some may be known at run time. ``turned``: the
    left matrix is stored column after column."""
    words = {
        "AXES_B": "k, n", "AXES": "k, m" if turned else "m, k", "DTYPE": dtype, "SUM": SUMS[dtype],
        "DEPTH": depth, "WIDTH": width, "A,": "a.T," if turned else "a,", "B,": "b,", "{m: 16}": "{m: 64, n: 64}",
    }  # fmt: skip
    text = TEXT
    for word, meant in words.items():
        text = text.replace(word, meant)
    (found,) = lower(from_spec(load_source(Source("product.yaml", text))), target).instructions
    return found


def types(of: InstrKernel) -> dict[str, TileType]:
    """The tiles in L0, by location."""
    return {d.type.loc: d.type for d in declarations(of).values() if d.type.loc in ("Left", "Right", "Acc")}


def retyped(nodes: tuple[Node, ...], loc: str, change: Callable[[TileType], TileType]) -> tuple[Node, ...]:
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, For):
            result.append(replace(node, body=retyped(node.body, loc, change)))
        elif isinstance(node, Declare) and node.type.loc == loc:
            result.append(replace(node, type=change(node.type)))
        else:
            result.append(node)
    return tuple(result)


RUN_TIME = "{min: 1, max: 512}"
COMPACT = {
    "rows alone": ("a2a3", {}, {"Acc"}),
    "the depth too": ("a2a3", {"depth": RUN_TIME}, {"Acc", "Left"}),
    "the columns too": ("a2a3", {"width": RUN_TIME}, {"Acc", "Right"}),
    "rows alone on A5": ("a5", {}, {"Acc", "Left"}),
    "the depth too on A5": ("a5", {"depth": RUN_TIME}, {"Acc", "Left"}),
}


@pytest.mark.parametrize("case", COMPACT)
def test_tiles_that_go_by_what_is_valid_are_compact(case: str) -> None:
    target, sizes, compact = COMPACT[case]
    found = kernel(target, **sizes)
    assert {loc for loc, kind in types(found).items() if kind.compact} == compact
    assert prove(found) == []
    for loc in compact:
        forgotten = replace(found, body=retyped(found.body, loc, lambda kind: replace(kind, compact=False)))
        assert {finding.kind for finding in prove(forgotten)} == {"fractals"}


def test_all_sizes_known_need_no_compact_tile() -> None:
    found = kernel("a2a3", depth="64", width="64")
    whole = replace(found, body=retyped(found.body, "Acc", lambda kind: replace(kind, valid_rows=64, compact=False)))
    assert not any(kind.compact for loc, kind in types(whole).items() if loc != "Acc")


def test_a_transposed_left_operand_of_fp32_has_its_depth_in_sixteens() -> None:
    found = kernel("a2a3", "fp32", depth=RUN_TIME, turned=True)
    assert types(found)["Left"].k_aligned
    assert prove(found) == []
    forgotten = replace(found, body=retyped(found.body, "Left", lambda kind: replace(kind, k_aligned=False)))
    assert {finding.kind for finding in prove(forgotten)} == {"fractals"}
    assert not types(kernel("a2a3", "fp32", depth=RUN_TIME))["Left"].k_aligned


def test_rows_of_transposed_bytes_in_thirty_twos_make_the_sum_compact() -> None:
    """The capacity is whole pairs of fractals there, what is valid need not be."""
    found = kernel("a2a3", "int8", depth="64", turned=True)
    assert types(found)["Acc"].compact
    assert prove(found) == []
