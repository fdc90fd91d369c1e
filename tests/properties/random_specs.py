"""Random specs of the language, by Hypothesis: graphs of 1 to 15 definitions over everything that a draft can hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from hypothesis import strategies as st

from properties import definitions, movements
from properties.draft import Draft

Case = tuple[str, dict[str, int]]
"""The text of a spec, and the dims to run it with."""

KINDS: Mapping[str, tuple[Callable[[Draft], bool], ...]] = {
    "vector": (
        definitions.unary, definitions.scalar, definitions.binary, definitions.binary, definitions.reduce,
        definitions.convert, definitions.choose, definitions.composite,
    ),
    "movement": (movements.view, movements.window, movements.window, definitions.binary, definitions.reduce,
                 definitions.scan, definitions.unary),
    "index": (movements.index, movements.index, movements.order, definitions.scan, definitions.binary,
              definitions.scalar, definitions.convert),
    "product": (movements.product, movements.product, definitions.unary, definitions.binary, definitions.reduce,
                definitions.convert, definitions.composite),
    "everything": (
        definitions.unary, definitions.scalar, definitions.binary, definitions.divide_whole, definitions.convert,
        definitions.choose, definitions.reduce, definitions.scan, definitions.composite, movements.view,
        movements.window, movements.index, movements.order, movements.product,
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


def _first_shape(d: Draft) -> tuple[str, ...]:
    cols = d.dim(d.length())
    if "s" in d.dynamic:
        return d.any(("r", "s"), ("s", "r"), ("r", "s", cols))
    few = d.dim(d.length(12))
    return d.any(
        ("r", cols), ("r", cols), ("r", cols), ("r", few, cols), ("r", few, cols), (few, "r", cols),
        ("r", "r"), (cols, cols), ("r", few, few),
    )  # fmt: skip


def written(d: Draft) -> str:
    """The text of a spec. Outputs are the values that nothing else uses, six at the most."""
    names = {name for line, _ in d.lines for name in line}
    read = _names(" ".join(text for _, text in d.lines))
    loose = [k for k in (*d.known, *d.ended) if k.name in names and k.name not in read]
    outputs = loose[-6:]
    lines = [f"{', '.join(names)}: {text}" for names, text in d.lines]
    dims = [f"  {name}: {{min: 1, max: 4096}}" for name in d.dynamic]
    dims += [f"  {name}: {size}" for name, size in d.static.items()]
    parts = ["pyptogen: 1", "operator: random_graph", "dims:", *dims, "inputs:"]
    parts += [f"  {k.name}: {k.dtype}[{', '.join(k.shape)}]" for k in d.inputs.values()]
    parts += ["outputs:", *(f"  {k.name}: {k.dtype}[{', '.join(k.shape)}]" for k in outputs), "graph:"]
    parts += [*_staged(d, lines), "verify:", f"  cases: [{{{', '.join(f'{n}: {v}' for n, v in d.dynamic.items())}}}]"]
    if d.generate:
        parts += ["  generate:", *(f"    {name}: {how}" for name, how in d.generate.items())]
    return "\n".join(parts) + "\n"


def _names(text: str) -> set[str]:
    return set(re.findall(r"[a-z]\w*", text))


def _staged(d: Draft, lines: Sequence[str]) -> list[str]:
    """The graph, in two stages where a boundary was drawn, and tiles of some dims or the compiler's own."""
    rows = [f"r: {d.any(1, 3, 8, 16, 24)}"]
    if "s" in d.dynamic and d.any(True, False):  # a tile has rows of one dim
        rows = [f"r: {d.any(1, 3)}, s: 1"] if d.any(True, False) else [f"r: 1, s: {d.any(8, 16)}"]
    cut = d.number(0, len(lines))
    if not cut or cut == len(lines) or d.any(True, False):
        graph = [f"  {line}" for line in lines]
    else:
        graph = ["  one:", *(f"    {line}" for line in lines[:cut]), "  two:", *(f"    {line}" for line in lines[cut:])]
        rows += ["fuse: [[one, two]]"] if d.any(True, False, False) else []
        depth = d.any(0, 1, 3)
        graph += [f"schedule: {{buffers: {{one: {depth}}}}}"] if depth else []
    return [*graph, *(["tiling:", f"  - {{{', '.join(rows)}}}"] if d.any(True, False) else [])]
