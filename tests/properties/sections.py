"""The text of a random spec: what a draft holds, and sections drawn around it.

An axis of an input may be a number or have a dim of its own, rows of an input may lie apart, an output may take the
memory of an input, the graph may stand in stages, of which one may run in some calls only, and tiles, ranges and hints
may be given for one target or for both.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from properties.draft import FLOATS, Draft, Known


def written(d: Draft) -> str:
    """The text of a spec. Outputs are the values that nothing else uses, six at the most."""
    names = {name for line, _ in d.lines for name in line}
    read = _names(" ".join(text for _, text in d.lines))
    outputs = [k for k in (*d.known, *d.ended) if k.name in names and k.name not in read][-6:]
    inputs = [_input(d, k) for k in d.inputs.values()]
    graph = _graph(d, [f"{', '.join(names)}: {text}" for names, text in d.lines], outputs)
    dims = [f"{name}: {{min: 1, max: 4096}}" for name in d.dynamic]
    parts = ["pyptogen: 1", "operator: random_graph"]
    parts += _section("dims", [*dims, *(f"{name}: {size}" for name, size in d.static.items())])
    parts += _section("attrs", [f"{name}: {kind}" for name, kind in d.attrs.items()])
    parts += _section("inputs", inputs)
    parts += _section("outputs", _outputs(d, outputs))
    parts += [line for text in d.functions for line in ("functions:", text)]
    parts += graph
    parts += ["verify:", f"  cases: [{{{', '.join(f'{n}: {v}' for n, v in d.dynamic.items())}}}]"]
    if d.generate:
        parts += ["  generate:", *(f"    {name}: {how}" for name, how in d.generate.items())]
    return "\n".join(parts) + "\n"


def _names(text: str) -> set[str]:
    return set(re.findall(r"[a-z]\w*", text))


def _section(name: str, entries: Sequence[str]) -> list[str]:
    return [f"{name}:", *(f"  {entry}" for entry in entries)] if entries else []


def _input(d: Draft, k: Known) -> str:
    """The declaration of an input; now and then a static axis by its number, or by the name of another dim."""
    axes = list(k.shape)
    fixed = [i for i, axis in enumerate(axes) if axis in d.static]
    if fixed and d.seldom(4):
        axis = d.any(*fixed)
        size = d.static[axes[axis]]
        axes[axis] = str(size) if d.any(True, False) else d.dim(size)
    shape = ", ".join(axes)
    apart = len(axes) == 2 and axes[1] in d.static and k.dtype != "bool" and d.seldom(6)
    if apart and k.name not in _names(" ".join(text for _, text in d.lines if "scatter_update" in text)):
        more = 16 if k.dtype == "int4" else d.any(3, 16)  # a row begins at a whole byte
        return f"{k.name}: {{shape: [{shape}], dtype: {k.dtype}, strides: [{axes[1]} + {more}, 1]}}"
    return f"{k.name}: {k.dtype}[{shape}]"


def _outputs(d: Draft, outputs: Iterable[Known]) -> list[str]:
    """The declarations of outputs; now and then one is written over an input."""
    found = []
    free = list(d.inputs.values()) if d.seldom(3) else []
    for k in outputs:
        over = next((i for i in free if (i.dtype, i.shape) == (k.dtype, k.shape)), None)
        free = [i for i in free if i is not over]
        found.append(f"{k.name}: {{inplace: {over.name}}}" if over else f"{k.name}: {k.dtype}[{', '.join(k.shape)}]")
    return found


def _graph(d: Draft, lines: Sequence[str], outputs: Iterable[Known]) -> list[str]:
    """The graph, in stages where a boundary was drawn, and tiles of some dims or the compiler's own."""
    rows = [f"r: {d.any(1, 3, 8, 16, 24, '{unroll: [16, 4, 1]}')}"]
    if "s" in d.dynamic and d.any(True, False):  # a tile has rows of one dim
        rows = [f"r: {d.any(1, 3)}, s: 1"] if d.any(True, False) else [f"r: 1, s: {d.any(8, 16)}"]
    cut = d.number(0, len(lines))
    if not cut or cut == len(lines) or d.any(True, False):
        graph = _section("graph", lines)
        hints = ["policy: breadth"] if d.seldom(5) else []
    else:
        when = ["  when: r > 0"] if d.seldom(5) else []
        stages = ["one:", *(f"  {line}" for line in lines[:cut]), "two:", *when, *(f"  {line}" for line in lines[cut:])]
        graph = _section("graph", [*stages, *_again(d, outputs)])
        rows += ["fuse: [[one, two]]"] if d.any(True, False, False) else []
        depth = d.any(0, 1, 3)
        hints = [f"buffers: {{one: {depth}}}"] if depth else []
        hints += [d.any("cores: 2", "merge: {one: 2}", "priority: {two: 1}", "policy: depth")] if d.seldom(3) else []
    row = ", ".join(rows)
    tiles = d.any("", f"- {{{row}}}", f"- {{when: {{target: cpu}}, {row}}}\n  - {{}}")
    return [*graph, *_section("schedule", hints), *_section("tiling", [tiles] if tiles else [])]


def _again(d: Draft, outputs: Iterable[Known]) -> list[str]:
    """A stage that gives an output anew in some calls."""
    able = [k for k in outputs if k.dtype in FLOATS and k not in d.ended]
    if not able or not d.seldom(3):
        return []
    return ["again:", f"  if: r > {d.any(0, 30)}", f"  {able[-1].name}: abs({able[-1].name}) + 1"]
