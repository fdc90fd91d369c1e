"""Accumulators that are handed to the fixpipe by unit flags, in place of flags between the two pipes (`handover`).

before: TMATMUL acc, left, right
        TSTORE y, acc
after:  TMATMUL<Final> acc, left, right
        TSTORE<Final> y, acc

A product then begins once the store before it has read its tile, not once what that stored has arrived. A product in K
loops around which the store comes is final in their last iterations. An accumulator is handed over so where one product
makes it, and one store of all of it to rows of GM, or one push into a fifo, reads it in the same body: then they take
turns, however often loops run. All else is ordered by flags as ever.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from pyptogen.lower.expr import ZERO
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    FifoRef,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    Phase,
    SetFlag,
    SkipIfNegative,
    WaitFlag,
    declarations,
    walk,
)
from pyptogen.records import replace

PRODUCTS = frozenset({"TMATMUL", "TMATMUL_ACC", "TMATMUL_MX"})
STORES = frozenset({"TSTORE", "TPUSH"})


def run(kernel: InstrKernel) -> InstrKernel:
    """Give phases to the products and stores of one kernel, which has no flags yet."""
    handed = dict(_Reader(kernel).handed(kernel.body, False))
    pushes = list(_pushes(kernel))
    by_flags = {fifo for fifo, tile in pushes if tile not in handed}
    for fifo, tile in pushes:
        if fifo in by_flags:  # all that is pushed into a fifo, or nothing
            handed.pop(tile, None)
    fifos = {fifo for fifo, tile in pushes if tile in handed}
    return replace(
        kernel,
        body=_changed(kernel.body, lambda instr: _with_phase(instr, handed)),
        fifos=tuple(replace(fifo, unit_flags=fifo.name in fifos) for fifo in kernel.fifos),
    )


def without(kernel: InstrKernel) -> InstrKernel:
    """A kernel as it was before, without any flags."""
    return replace(
        kernel,
        body=_changed(kernel.body, lambda instr: replace(instr, phase=None)),
        fifos=tuple(replace(fifo, unit_flags=False) for fifo in kernel.fifos),
    )


def _pushes(kernel: InstrKernel) -> Iterator[tuple[str, str]]:
    """Of each push the fifo and the tile."""
    for node in walk(kernel.body):
        if isinstance(node, Instr) and node.name == "TPUSH":
            fifo, tile = node.operands[:2]
            assert isinstance(fifo, FifoRef)
            yield fifo.name, str(tile)


def _with_phase(instr: Instr, handed: Mapping[str, int]) -> Instr:
    """``handed``: the loops of `Phase` by accumulator."""
    if instr.name in STORES and instr.operands[1] in handed:
        return replace(instr, phase=Phase("Final"))
    if instr.name in PRODUCTS and instr.operands[0] in handed:
        return replace(instr, phase=Phase("Final", handed[str(instr.operands[0])]))
    return instr


def _changed(nodes: Sequence[Node], change: Callable[[Instr], Instr]) -> tuple[Node, ...]:
    """Bodies with other instructions, and without flags."""
    found: list[Node] = []
    for node in nodes:
        if isinstance(node, SetFlag | WaitFlag | Barrier):
            continue
        if isinstance(node, For):
            node = replace(node, body=_changed(node.body, change))
        elif isinstance(node, Choose):
            node = replace(node, then=change(node.then), other=change(node.other))
        elif isinstance(node, Instr):
            node = change(node)
        found.append(node)
    return tuple(found)


class _Reader:
    """Of one kernel."""

    def __init__(self, kernel: InstrKernel) -> None:
        self.tiles = declarations(kernel)
        nodes = walk(kernel.body)
        self.uses = [{o for instr in _instructions(n) for o in instr.operands if isinstance(o, str)} for n in nodes]
        self.positive = {*kernel.dims, *(n.valid for n in nodes if isinstance(n, For) and n.valid is not None)}
        """Numbers of which none is 0."""

    def handed(self, nodes: Sequence[Node], repeats: bool) -> Iterator[tuple[str, int]]:
        """Accumulators that are made and read in a body or one within, with the loops of `Phase`; ``repeats``: the body
        is a loop's."""
        for at, node in enumerate(nodes):
            if isinstance(node, For):
                yield from self.handed(node.body, True)
            elif isinstance(node, Instr) and node.name in STORES and self._reads_all(node):
                acc = str(node.operands[1])
                before = reversed(nodes[:at])
                for other in before:
                    loops = self._made_in(other, acc, ())
                    if loops is not None and (repeats or loops == 0):
                        yield acc, loops
                    if loops is not None or isinstance(other, SkipIfNegative):
                        break

    def _reads_all(self, store: Instr) -> bool:
        """Whether it reads all of an accumulator that only one product accesses beside it."""
        to, name = store.operands[:2]
        tile = self.tiles[str(name)]
        if tile.type.loc != "Acc" or any(t.owner in (name, tile.owner) and t.name != name for t in self.tiles.values()):
            return False
        if isinstance(to, GmWindow):
            rows = to.layout == "ND" and (to.rows.poly(), to.cols.poly()) == (tile.rows.poly(), tile.cols.poly())
        else:
            rows = isinstance(to, FifoRef)
        return rows and sum(name in used for used in self.uses) == 2

    def _made_in(self, node: Node, acc: str, loops: tuple[For, ...]) -> int | None:
        """In how many K loops a node makes all of an accumulator; None where it does not. ``loops``: those around."""
        if isinstance(node, For):
            if not self._runs(node):
                return None
            found = (self._made_in(inner, acc, (*loops, node)) for inner in node.body)
            return next((count for count in found if count is not None), None)
        products = _instructions(node)
        first = {loop.var for loop in loops}
        steps = set(node.zero.split(" + ")) if isinstance(node, Choose) else set[str]()
        if not products or steps != first or not all(self._makes(product, acc) for product in products):
            return None
        return len(loops)

    def _makes(self, product: Instr, acc: str) -> bool:
        """Whether a product fills those fractals of an accumulator that a store of it reads."""
        if product.name not in PRODUCTS or product.operands[0] != acc:
            return False
        sides = {tile.type.loc: tile for o in product.operands if isinstance(o, str) for tile in (self.tiles[o],)}
        tile, left, right = self.tiles[acc], sides["Left"], sides["Right"]
        return (tile.rows.poly(), tile.cols.poly()) == (left.rows.poly(), right.cols.poly())

    def _runs(self, loop: For) -> bool:
        """Whether a loop has all of its iterations, and at least one."""
        known = loop.stop.names() <= self.positive and all(factor > 0 for _, factor in loop.stop.terms)
        whole = loop.before is None and loop.after is None and loop.only is None and not loop.index_set
        plain = not loop.once and not loop.parallel and loop.every == 1 and loop.distance == 0
        return loop.start == ZERO != loop.stop and known and whole and plain


def _instructions(node: Node) -> tuple[Instr, ...]:
    if isinstance(node, Choose):
        return node.then, node.other
    return (node,) if isinstance(node, Instr) else ()


__all__ = ["run", "without"]
