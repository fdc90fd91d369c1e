"""Random specs of the language, by Hypothesis: graphs of 1 to 15 definitions over everything that a draft can hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from hypothesis import strategies as st

from properties import definitions, movements
from properties.draft import Draft
from properties.sections import written

Case = tuple[str, dict[str, int]]
"""The text of a spec, and the dims to run it with."""

KINDS: Mapping[str, tuple[Callable[[Draft], bool], ...]] = {
    "vector": (
        definitions.unary, definitions.scalar, definitions.binary, definitions.binary, definitions.reduce,
        definitions.convert, definitions.choose, definitions.composite, definitions.attr, definitions.function,
    ),
    "reductions": (
        definitions.reduce, definitions.reduce, definitions.composite, definitions.binary, definitions.unary,
        definitions.scalar, definitions.convert, definitions.choose,
    ),
    "movement": (movements.view, movements.window, movements.window, definitions.binary, definitions.reduce,
                 definitions.scan, definitions.unary),
    "index": (movements.index, movements.index, movements.order, definitions.scan, definitions.binary,
              definitions.scalar, definitions.convert),
    "product": (movements.product, movements.product, definitions.unary, definitions.binary, definitions.reduce,
                definitions.convert, definitions.composite),
    "four bits": (
        definitions.four_bits, definitions.four_bits, definitions.binary, definitions.unary, definitions.reduce,
        movements.view, definitions.scan,
    ),
    "everything": (
        definitions.unary, definitions.scalar, definitions.attr, definitions.function, definitions.binary,
        definitions.divide_whole, definitions.convert, definitions.choose, definitions.reduce, definitions.scan,
        definitions.composite, movements.view, movements.window, movements.index, movements.order, movements.product,
    ),
}  # fmt: skip
"""What a graph of each flavour is made of."""


@st.composite
def graph_specs(draw: st.DrawFn, flavour: str = "") -> Case:
    """A graph of one flavour, or of any."""
    kinds = KINDS[flavour or draw(st.sampled_from(sorted(KINDS)))]
    d = Draft(draw, dynamic={"r": draw(st.integers(1, 70))})
    if draw(st.sampled_from([True, False, False])):
        d.dynamic["s"] = draw(st.integers(1, 50))
    first = d.fresh(draw(st.sampled_from(["fp32", "fp32", "bf16", "fp16", "int32", "int8", "int16"])), _first_shape(d))
    if "r" not in first.shape:
        d.fresh(first.dtype, ("r", first.shape[-1]))
    wanted = draw(st.integers(1, 15))
    for _ in range(3 * wanted):
        if len(d.lines) < wanted:
            draw(st.sampled_from(kinds))(d)
    if not d.lines:
        definitions.scalar(d)
    return written(d), dict(d.dynamic)


@st.composite
def specs_in_pieces(draw: st.DrawFn) -> Case:
    """A graph of reductions and elementwise work, whose row names pieces of some columns."""
    text, dims = draw(graph_specs("reductions"))
    text = re.sub(r"tiling:\n(  .*\n)+", "", text)
    sizes = {name: int(size) for name, size in re.findall(r"^  (\w+): (\d+)$", text.split("inputs:")[0], re.MULTILINE)}
    sizes |= {name: size for name, size in dims.items() if name != "r"}
    able = sorted(name for name, size in sizes.items() if size > 1)
    pieces = {name: draw(st.integers(1, sizes[name] - 1)) for name in able if draw(st.booleans())}
    row = ", ".join(f"{name}: {tile}" for name, tile in {"r": draw(st.sampled_from([1, 3, 8])), **pieces}.items())
    return f"{text}tiling:\n  - {{{row}}}\n", dims


def _first_shape(d: Draft) -> tuple[str, ...]:
    cols = d.dim(d.length())
    if "s" in d.dynamic:
        return d.any(("r", "s"), ("s", "r"), ("r", "s", cols))
    few = d.dim(d.length(12))
    return d.any(
        ("r", cols), ("r", cols), ("r", cols), ("r", few, cols), ("r", few, cols), (few, "r", cols),
        ("r", "r"), (cols, cols), ("r", few, few),
    )  # fmt: skip
