"""Random chains of elementwise work and row reductions, and a second opinion on which bytes are in use when."""

from __future__ import annotations

from dataclasses import dataclass, replace

from hypothesis import strategies as st

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    declarations,
    walk,
)
from pyptogen.lower.isa import INSTRUCTIONS

UNARY = ("abs({a})", "exp(-abs({a}))", "sqrt(abs({a}))", "({a} * 0.5)", "(2 - {a})", "(1 / (abs({a}) + 1))")
BINARY = ("({a} + {b})", "({a} - {b})", "maximum({a}, {b})", "minimum({a} * {b}, 4)", "({a} / (abs({b}) + 1))")
REDUCE = ("amax({a}, axis=-1, keepdim=true)", "(sum({a}, axis=-1, keepdim=true) * 0.0625)")


@st.composite
def chains(draw: st.DrawFn) -> str:
    """The lines of a graph over ``x``, ``z`` (full), ``c`` (a row), ``s`` (a column), that ends in ``y``."""
    full, column = ["x", "z"], ["s"]
    unused: dict[str, None] = {"x": None}
    lines = []
    for n in range(draw(st.integers(1, 9))):
        kind = draw(st.sampled_from(("unary", "binary", "binary", "by row", "by column", "reduce", "column")))
        a = draw(st.sampled_from(column if kind == "column" else full))
        others = {"binary": full, "by row": ["c"], "by column": column, "column": column}.get(kind)
        b = draw(st.sampled_from(others)) if others else ""
        templates = UNARY if kind == "unary" else REDUCE if kind == "reduce" else BINARY
        lines.append(f"v{n}: {draw(st.sampled_from(templates)).format(a=a, b=b)}")
        unused = {name: None for name in unused if name not in (a, b)} | {f"v{n}": None}
        (column if kind in ("reduce", "column") else full).append(f"v{n}")
    return "\n".join([*lines, f"y: z + {' + '.join(unused)}"])


@dataclass(frozen=True)
class Step:
    """One executed instruction: the tiles it shows and the one it makes, by declaration."""

    instr: Instr
    reads: tuple[Declare, ...]
    writes: tuple[Declare, ...]


def trace(kernel: InstrKernel, trips: int) -> list[Step]:
    """The instructions in the order in which they run, every loop ``trips`` times."""
    tiles = declarations(kernel)
    steps: list[Step] = []
    slots = {n.slot: 0 for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None}

    def run(nodes: tuple[Node, ...], first: bool) -> None:
        for node in nodes:
            if isinstance(node, For):
                for trip in range(trips):
                    run(node.body, trip == 0)
                    if node.slot is not None:
                        slots[node.slot] = (slots[node.slot] + 1) % node.slots
            elif isinstance(node, Choose):
                add(node.then if first else node.other)
            elif isinstance(node, Instr):
                add(node)

    def here(tile: Declare) -> Declare:
        """The tile at the address of this round."""
        return (
            replace(tile, address=Poly.of(tile.address.evaluate(slots)))
            if tile.address.names() <= slots.keys()
            else tile
        )

    def add(instr: Instr) -> None:
        accessed = [o for o in instr.operands if isinstance(o, str | GmWindow)]
        effects = INSTRUCTIONS[instr.name].effects_for(len(accessed))
        tiles_only = [
            (here(tiles[o]), effect) for o, effect in zip(accessed, effects, strict=True) if isinstance(o, str)
        ]
        reads = tuple(tile for tile, effect in tiles_only if effect in "ru")
        steps.append(Step(instr, reads, tuple(tile for tile, effect in tiles_only if effect in "wut")))

    run(kernel.body, True)
    return steps


def overlap(a: Declare, b: Declare) -> bool:
    """Whether the buffers of two tiles have bytes in common."""
    start_a, start_b = a.address.constant, b.address.constant
    assert start_a is not None
    assert start_b is not None
    return a.type.loc == b.type.loc and start_a < start_b + b.size and start_b < start_a + a.size


def clobbered(steps: list[Step]) -> list[str]:
    """Reads of a tile after another one was written over it: by looking back from every read, step by step."""
    found = []
    for at, step in enumerate(steps):
        for tile in step.reads:
            for back in range(at - 1, -1, -1):
                written = steps[back].writes
                if any(w.owner == tile.owner for w in written):
                    break
                hit = next((w for w in written if overlap(w, tile)), None)
                if hit is not None:
                    found.append(f"{step.instr.name} reads {tile.name} after {steps[back].instr.name} wrote {hit.name}")
                    break
            else:
                found.append(f"{step.instr.name} reads {tile.name}, which nobody wrote")
    return found


ELEMENT_FOR_ELEMENT = {
    "TADD",
    "TSUB",
    "TMUL",
    "TDIV",
    "TMAX",
    "TMIN",
    "TABS",
    "TNEG",
    "TEXP",
    "TLOG",
    "TSQRT",
    "TRSQRT",
}
ELEMENT_FOR_ELEMENT |= {"TRECIP", "TRELU", "TADDS", "TSUBS", "TMULS", "TDIVS", "TMAXS", "TMINS"}


def wrong_reuse(step: Step) -> list[str]:
    """Results that lie over an operand of the same instruction in a way that the instruction does not allow."""
    name = step.instr.name
    found = []
    for position, source in enumerate(step.reads):
        for result in step.writes:
            if source.owner == result.owner or not overlap(source, result):
                continue
            first_of_broadcast = (
                position == 0 and name.startswith(("TROWEXPAND", "TCOLEXPAND")) and len(step.reads) == 2
            )
            same_place = (source.address, source.type) == (result.address, result.type)
            if not same_place or not (name in ELEMENT_FOR_ELEMENT or first_of_broadcast):
                found.append(f"{name} writes {result.name} over its operand {source.name}")
    for one in step.writes:
        found += [
            f"{name} has scratch {two.name} over {one.name}"
            for two in step.writes
            if two is not one and overlap(one, two)
        ]
    return found
