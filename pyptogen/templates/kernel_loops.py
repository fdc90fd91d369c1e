"""The lines that open a loop of a kernel."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.bound_names import numbers
from pyptogen.lower.instruction.ir import For, walk
from pyptogen.lower.tile.ir import Comparison, Condition
from pyptogen.records import replace


def counting_names(nest: Sequence[For], number: int) -> tuple[str, str, dict[str, str]]:
    """What counts the tiles of loops that are distributed together, in the text of a kernel: the number of a tile, how
    many there are, and how many of each loop. ``number`` tells the nests of one kernel apart, from 1 on."""
    suffix = "" if number == 1 else str(number)
    return f"tile{suffix}", f"tiles{suffix}", {loop.var: f"{loop.var}_tiles{suffix}" for loop in nest}


def trips_text(extent: Poly, step: int) -> str:
    """How many tiles of a step an extent has."""
    if extent.constant is not None:
        return str(-(-extent.constant // step))
    return f"({extent.c()} + {step - 1}) / {step}" if step > 1 else extent.c()


def product_lines(nest: Sequence[For], count: str, number: int) -> tuple[list[str], list[str]]:
    """Loops whose iterations are distributed as one product: the lines up to the head of the loop over all tiles, and
    where each of the loops is in an iteration. ``number`` as in `counting_names`."""
    tile, total, each = counting_names(nest, number)
    trips = [trips_text(loop.stop - loop.start, loop.step) for loop in nest]
    if nest[0].step == 1 and " " in trips[0]:  # a sum; a quotient is a factor as it is, where it comes first
        trips[0] = f"({trips[0]})"
    names = [loop.var for loop in nest]
    lines = []
    for at, (loop, text) in enumerate(zip(nest, trips, strict=True)):
        if at and not text.isdigit():
            trips[at] = each[loop.var]
            lines.append(f"const {count} {trips[at]} = {text};")
    lines.append(f"const {count} {total} = {_product(trips)};  // of {', '.join(names[:-1])} and {names[-1]}")
    slot = f", {next_slot(nest[-1])}" if nest[-1].slot else ""
    head = f"for ({count} {tile} = block; {tile} < {total}; {tile} += nblk{slot}) {{"
    return [*lines, head], [_place(loop, at, trips, tile, count) for at, loop in enumerate(nest)]


def _place(loop: For, at: int, trips: Sequence[str], tile: str, count: str) -> str:
    """Where one of the loops is in the iteration with the number ``tile``, which counts the last loop fastest."""
    inner = _product(trips[at + 1 :])
    number = tile if inner == "1" else f"{tile} / {inner if ' ' not in inner else f'({inner})'}"
    number += f" % {trips[at]}" if at else ""
    number += f" * {loop.step}" if loop.step > 1 else ""
    start = loop.start.c()
    return f"const {count} {loop.var} = {number if start == '0' else f'{start} + {number}'};"


def _product(factors: Sequence[str]) -> str:
    """The product of numbers and names, the numbers as one."""
    known = prod(int(factor) for factor in factors if factor.isdigit())
    others = [factor for factor in factors if not factor.isdigit()]
    return " * ".join([*others, *([str(known)] if known != 1 or not others else [])])


def loop_lines(node: For, count: str) -> list[str]:
    """Where the loop begins and ends, if not at its start and stop, and its head; ``count`` is the type of both."""
    lines = []
    start, stop, step = node.start.c(), node.stop.c(), str(node.advance)
    if node.after is not None:
        left, begin = (node.after - node.start).c(), f"{node.var}_begin"
        text = f"{left} > 0 ? {f'{start} + ' if start != '0' else ''}({left}) / {step} * {step} : {start}"
        bound = "inside" if node.index_set == "full" else "ahead of"
        lines.append(f"const {count} {begin} = {text};  // rows before this: their causal bound is {bound} this block")
        start = begin
    if node.before is not None:
        end, limit = f"{node.var}_end", node.before.c()
        text = f"{limit} < {stop} ? {limit} : {stop}"
        if node.index_set == "partial":
            later = "rows from here on: their causal bound is behind this block"
        elif _is_plain(node.before):  # a number that was read
            later = "later iterations are left out"
        else:
            later = "causal bound: later blocks are masked"
        lines.append(f"const {count} {end} = {text};  // {later}")
        stop = end
    if node.parallel:
        share = "block" if node.step == 1 else f"block * {node.step}"
        start = share if start == "0" else f"{start} + {share}"
        step = "nblk" if node.step == 1 else f"nblk * {node.step}"
    advance = f"++{node.var}" if step == "1" else f"{node.var} += {step}"
    if node.slot and node.only is None:
        advance += f", {next_slot(node)}"
    note = f"  // one tile in {node.every}" if node.every > 1 else ""
    return [*lines, f"for ({count} {node.var} = {start}; {node.var} < {stop}; {advance}) {{{note}"]


def rounded_up(element: str, plus: Poly, per: int) -> str:
    """How many tiles an element says, with ``plus`` more, ``per`` of them a tile."""
    total = Poly.of(element) + plus + (per - 1)
    text = element if total == Poly.of(element) else total.c(wide=True)
    return f"({text}) / {per}" if per > 1 else text


def next_slot(node: For) -> str:
    """The step to the buffers of the next iteration."""
    return f"{node.slot} ^= 1" if node.slots == 2 else f"{node.slot} = ({node.slot} + 1) % {node.slots}"


def skip_lines(only: Condition) -> list[str]:
    """What leaves an iteration out in which a condition does not hold, once its elements are read."""
    first, *others = only.comparisons or (None,)
    tests: list[str] = []
    if only.owner is not None:
        tile = f" / {only.owner.tile}" if only.owner.tile > 1 else ""
        tests.append(f"{only.owner.at.c()}{tile} % nblk != block")
    if others:
        holds = " && ".join(_comparison(c) for c in only.comparisons)
        tests.append(f"!({holds})")
    elif first is not None:
        tests.append(_comparison(replace(first, relation=_OPPOSITE[first.relation])))
    why = "another block's" if only.owner is not None else "this iteration is skipped"
    return [f"if ({' || '.join(tests)}) {{  // {why}", "    continue;", "}"]


_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _comparison(comparison: Comparison) -> str:
    left, right = (side.c(wide=not _is_plain(side)) for side in (comparison.left, comparison.right))
    return f"{left} {comparison.relation} {right}"


def _is_plain(side: Poly) -> bool:
    """A number or a name, which nothing can overflow."""
    return len(side.terms) <= 1 and all(len(names) + (count != 1) <= 1 for names, count in side.terms)


def condition_lines(node: For, count: str) -> list[str]:
    """The head of a condition: a loop of one iteration, which may be left out. ``count`` is the type of its place."""
    holds = f"{node.var} < {node.stop.c()}"
    if node.after is not None:
        holds = f"{(node.after - node.step).c()} < {node.var} && {holds}"
    if node.before is not None:
        holds += f" && {node.var} < {node.before.c()}"
    notes = {
        "columns": "  // up to the causal bound of these rows",
        "masked": "  // beyond the causal bound of some rows",
    }
    note = notes.get(node.index_set, "")
    return [f"if (const {count} {node.var} = {node.start.c()}; {holds}) {{{note}"]


def half_lines(node: For, subblock: str) -> list[str]:
    """A vector core's rows of the iteration's tile, and the first of them if anything names it."""
    first, rows = node.half or ("", "")
    begins = f"const int32_t {first} = {subblock} * ({node.valid} - {rows});  // the first row of this core"
    named = any(first in numbers(inner) for inner in walk(node.body))
    return [
        f"const int32_t {rows} = ({node.valid} + 1) / 2;  // half of the rows for each vector core",
        *([begins] if named else []),
    ]
