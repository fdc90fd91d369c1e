"""A kernel of the Instruction level as the model of the device takes it: what one block of a launch does.

Loops become loops of the model as far as their iterations do the same. Whether they do is told without walking them: by
the numbers on which anything in the body hangs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from pyptogen.lower.expr import Poly, part_of
from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    Pass,
    ReadIndex,
    SetFlag,
    WaitFlag,
    declarations,
    walk,
)
from pyptogen.lower.instruction.price import price_of, shape_of
from pyptogen.lower.isa.cost import Price, Shape
from pyptogen.lower.platforms.timing import Timing
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Condition, distributed_nest, half_of
from pyptogen.simulate.device.program import CLAIM, FILL, FREE, POP, InstrStream, Recorder, Step

PASSED = " passed"
"""Iterations of distributed loops that came before in the row of all of them, up to a whole number for each block."""
MOST_ITERATIONS = 100_000
"""Iterations of all loops of a kernel on one core that are looked at one by one. The longest of the library has 8,400;
half a second or so goes by for as many as these, and a spec may ask for tiles of one element."""
UNKNOWN_END = 2**31
"""The end of a loop that a number in GM says: all of its iterations take place."""
LONGEST_PERIOD = 4
"""Iterations after which a loop's body may do the same again: the copies of its buffers."""


class TooLong(Exception):
    """A kernel has more than `MOST_ITERATIONS`: what it takes is not told."""


def stream_of(
    kernel: InstrKernel,
    timing: Timing,
    numbers: Mapping[str, int],
    block: int = 0,
    blocks: int = 1,
) -> InstrStream:
    """What one core does for a block.

    Args:
        kernel: the kernel, or a program of a mixed one.
        timing: figures.
        numbers: dims, attrs and bounds of the range by name; those not given count as 0.
        block, blocks: which block, of how many.

    Raises:
        TooLong: it has too many iterations to look at.
    """
    fifos = {fifo.name: fifo.slots for fifo in kernel.fifos}
    recorder = Recorder("cube" if kernel.core == "cube" else "vector", fifos)
    env = first_numbers(kernel, numbers)
    Writer(kernel, recorder, block, blocks, env, timing=timing).nodes(kernel.body)
    return recorder.stream(2 if kernel.subblock else 1)


def first_numbers(kernel: InstrKernel, numbers: Mapping[str, int]) -> dict[str, int]:
    """What a kernel's text knows when it begins: ``numbers``, and counters of buffers and vector cores at 0."""
    env = {n.slot: 0 for n in walk(kernel.body) if isinstance(n, For) and n.slot is not None}
    env |= numbers
    if kernel.subblock:
        env[kernel.subblock] = 0
    return env


@dataclass(slots=True)
class Walk:
    """Walks over a kernel's loops as a block does, and writes each of its instructions down; what these take, those who
    are made from this say."""

    kernel: InstrKernel
    recorder: Recorder
    block: int
    blocks: int
    env: dict[str, int]
    tiles: dict[str, Shape] = field(default_factory=dict)
    accumulators: dict[str, int] = field(default_factory=dict)
    """Where they begin in L0C."""
    hangs: dict[int, tuple[tuple[str, ...], tuple[Poly, ...]]] = field(default_factory=dict)
    """By loop, what its body hangs on (`_matters`): single names, and polynomials."""
    zeros: dict[int, list[list[str]]] = field(default_factory=dict)
    """By loop, the counters whose sum says which of two instructions its body takes."""
    nested: int = 0
    """How many distributed loops are open."""
    open: list[tuple[For, int]] = field(default_factory=list)
    """The loops around, outermost first, and by how much their variables grow."""
    seen: int = 0
    """Iterations that were looked at."""
    bodies: dict[Hashable, tuple[tuple[Step, ...], dict[str, int]]] = field(default_factory=dict)
    """Bodies that were written down, and by how much they move the counters of buffers on."""

    def instr(self, instr: Instr) -> None:
        """An instruction by itself."""
        raise NotImplementedError

    def together(self, node: Pass) -> None:
        """Instructions that are walked together."""
        raise NotImplementedError

    def read(self, node: ReadIndex, times: int = 1) -> None:
        """So many numbers that are read from GM, beside each other."""
        raise NotImplementedError

    def nodes(self, nodes: Sequence[Node]) -> None:
        """All that stands in a body."""
        for node in nodes:
            if isinstance(node, Declare):
                self._declare(node)
            elif isinstance(node, Instr):
                self.instr(node)
            elif isinstance(node, SetFlag):
                self.recorder.set(node.src, node.dst, self._event(node))
            elif isinstance(node, WaitFlag):
                self.recorder.wait(node.src, node.dst, self._event(node))
            elif isinstance(node, Barrier):
                self.recorder.barrier(node.pipe)
            elif isinstance(node, Choose):
                first = sum(self.number(Poly.of(name)) for name in node.zero.split(" + ")) == 0
                self.instr(node.then if first else node.other)
            elif isinstance(node, Pass):
                self.together(node)
            elif isinstance(node, ReadIndex):
                self.read(node)
                self.env[node.name] = 0 if node.per is None else UNKNOWN_END
            elif isinstance(node, For):
                self._loop(node)

    def number(self, value: Poly) -> int:
        """A number of the text; names that nobody knows count as 0."""
        return value.evaluate_or_zero(self.env)

    def _event(self, flag: SetFlag | WaitFlag) -> int:
        return flag.event + (self.env[flag.slot] if flag.slot is not None else 0)

    def _declare(self, node: Declare) -> None:
        rows, cols = (max(0, min(extent.size, self.number(extent.poly()))) for extent in (node.rows, node.cols))
        self.tiles[node.name] = shape_of(node, rows, cols)
        if node.type.loc == "Acc":
            self.accumulators[node.name] = self.number(node.address)

    # -- loops --------------------------------------------------------------------------------------------------------

    def _iterations(self, loop: For) -> Iterator[int]:
        """Begins each iteration that this block has, with the loop's numbers in place; yields the loop's variable."""
        env = self.env
        start, stop = self.number(loop.start), self.number(loop.stop)
        first, every = 0, loop.every
        if loop.parallel and len(distributed_nest(loop)) == 1:
            # Nested distributed loops are one row of iterations, of which each block takes every so manyth.
            first, every = (self.block - env.get(PASSED, 0)) % self.blocks, self.blocks
            env[PASSED] = (env.get(PASSED, 0) + max(0, -(-(stop - start) // loop.step))) % self.blocks
        start += first * loop.step
        last = min(stop, start + loop.step) if loop.once else stop
        known = {name: env.get(name, 0) for p in (loop.after, loop.before) if p is not None for name in p.names()}
        for at in part_of(range(start, last, every * loop.step), loop.after, loop.before, known):
            env[loop.var] = at
            if loop.valid is not None:
                env[loop.valid] = min(loop.step, stop - at)
            if loop.only is not None and not self._holds(loop.only, (at - start) // loop.step):
                continue
            if loop.half is not None:
                subblock = env.get(str(self.kernel.subblock), 0)
                env.update(zip(loop.half, half_of(env[str(loop.valid)], subblock), strict=True))
            yield at
            if loop.slot is not None:
                env[loop.slot] = (env[loop.slot] + 1) % loop.slots

    def _holds(self, only: Condition, turn: int) -> bool:
        """Whether an iteration takes place; what is read from GM for it is taken to be so that it does, and that blocks
        own the places of iterations in turn."""
        if only.owner is not None:
            return turn % self.blocks == self.block
        if only.elements:
            return True
        return only.holds(lambda element: 0, {name: self.env.get(name, 0) for name in only.names()})

    def _decide(self, only: Condition) -> None:
        """The numbers that the scalar unit reads to know whether an iteration takes place, and those of iterations of
        other blocks before it."""
        for element in only.elements:
            self.env[element.name] = 0
            times = self.blocks if only.owner is not None else 1
            self.read(ReadIndex(element.name, element.tensor, element.offset, element.span), times)

    def _loop(self, loop: For) -> None:
        """Runs of iterations, each as long as bodies repeat after a few of them."""
        bodies: list[int] = []
        """Of each iteration the number of its body."""
        numbers: dict[Hashable, int] = {}
        steps: list[tuple[Step, ...]] = []
        outermost = loop.parallel and not self.nested
        if outermost:
            self.env[PASSED] = 0
        self.nested += loop.parallel
        distributed = loop.parallel and len(distributed_nest(loop)) == 1
        self.open.append((loop, loop.step * self.blocks if distributed else loop.advance))
        for _ in self._iterations(loop):
            self.seen += 1
            if self.seen > MOST_ITERATIONS:
                raise TooLong
            key = self._key(loop)
            moved = self.bodies.get(key)
            if moved is None:
                before = {name: self.env.get(name, 0) for name in self._counters(loop)}
                outside = self.recorder.mark()
                if loop.only is not None:
                    self._decide(loop.only)
                self.nodes(loop.body)
                body = self.recorder.back(outside)
                moved = body, {name: self.env.get(name, 0) for name in before}
                self.bodies[key] = moved
            else:
                self.env.update(moved[1])
            if key not in numbers:
                numbers[key] = len(steps)
                steps.append(moved[0])
            bodies.append(numbers[key])
        self.open.pop()
        self.nested -= loop.parallel
        for run, times in _runs(bodies):
            body = tuple(step for number in run for step in steps[number])
            self.recorder.loop([(body, times)])

    def _counters(self, loop: For) -> list[str]:
        return [PASSED, *(n.slot for n in walk(loop.body) if isinstance(n, For) and n.slot is not None)]

    def _key(self, loop: For) -> Hashable:
        """What tells iterations apart that do other things."""
        hangs = self.hangs.get(id(loop))
        if hangs is None:
            matters = dict.fromkeys(self._matters(loop))
            alone = {poly: name for poly in matters for name in poly.names() if poly == Poly.of(name)}
            hangs = tuple(alone.values()), tuple(poly for poly in matters if poly not in alone)
            self.hangs[id(loop)] = hangs
        zeros = self.zeros.get(id(loop))
        if zeros is None:
            zeros = [node.zero.split(" + ") for node in loop.body if isinstance(node, Choose)]
            self.zeros[id(loop)] = zeros
        env = self.env
        chosen = tuple([sum([env.get(name, 0) for name in names]) == 0 for names in zeros])
        names, polys = hangs
        numbers = [env.get(name, 0) for name in names]
        return id(loop), env.get(PASSED, 0), chosen, *numbers, *[p.evaluate_or_zero(env) for p in polys]

    def _matters(self, loop: For) -> Iterator[Poly]:
        """Polynomials whose values decide what a body does: extents, strides, bounds of loops within, counters, places
        that unit flags hand over."""
        nodes = walk(loop.body)
        inner = [node for node in nodes if isinstance(node, For)]
        own = {name for n in inner for name in (n.var, n.valid, *(n.half or ())) if name is not None}
        own |= {n.name for n in nodes if isinstance(n, ReadIndex)}
        own |= {element.name for n in (loop, *inner) if n.only is not None for element in n.only.elements}
        for poly in (*_polys(loop.body), *self._handed(nodes)):
            if own.isdisjoint(poly.names()):
                if poly.constant is None:
                    yield poly
            else:
                yield from (Poly.of(name) for name in sorted(poly.names() - own))

    def _handed(self, nodes: Sequence[Node]) -> Iterator[Poly]:
        tiles = declarations(self.kernel)
        for node in nodes:
            instr = node.other if isinstance(node, Choose) else node
            if isinstance(instr, Instr) and instr.phase is not None:
                yield from (tiles[o].address for o in instr.operands if o in tiles and tiles[o].type.loc == "Acc")


@dataclass(slots=True)
class Writer(Walk):
    """With the prices of a device."""

    timing: Timing = field(kw_only=True)

    def together(self, node: Pass) -> None:
        for member in node.members:
            self.instr(member)

    def read(self, node: ReadIndex, times: int = 1) -> None:
        self.recorder.run("S", "read", Price(self._read_cycles(node) * times), node.tensor)

    def instr(self, instr: Instr) -> None:
        fifo = next((o for o in instr.operands if isinstance(o, FifoRef)), None)
        shapes = tuple(self.tiles[o] for o in instr.operands if isinstance(o, str))
        if fifo is not None and not shapes:
            what, pipe = (POP, "S") if instr.name == "TPOP" else (FREE, "MTE2")
            self.recorder.fifo(what, fifo.name, pipe)
            return
        if any(shape.rows == 0 or shape.cols == 0 for shape in shapes):
            return
        if fifo is not None:
            self.recorder.fifo(CLAIM, fifo.name)
        cost = price_of(instr, self.tiles, self.number, self.timing)
        window = next((o for o in instr.operands if isinstance(o, GmWindow)), None)
        tensor = window.tensor if window is not None else fifo.name if fifo is not None else ""
        if instr.phase is None:
            self.recorder.run(instr.pipe, instr.name, cost, tensor)
        else:
            self._hand_over(instr, partial(self.recorder.run, instr.pipe, instr.name, cost, tensor))
        if fifo is not None:
            self.recorder.fifo(FILL, fifo.name, instr.pipe)

    def _hand_over(self, instr: Instr, work: Callable[[], None]) -> None:
        begins = [self.accumulators[o] for o in instr.operands if isinstance(o, str) and o in self.accumulators]
        self.recorder.hand_over(work, "store" if instr.pipe == "FIX" else "product", begins[0], len(begins) == 1)

    def _read_cycles(self, node: ReadIndex) -> float:
        """Of a number that the scalar unit reads: on the average over the loops around, as a line of its data cache
        serves iterations that read beside each other."""
        size = next((DTYPES[tensor.dtype] for tensor in self.kernel.tensors if tensor.name == node.tensor), 4)
        here, same = self.number(node.offset), 1.0
        for loop, grows in reversed(self.open):
            before = self.env[loop.var]
            self.env[loop.var] = before + grows
            moved = abs(self.number(node.offset) - here)
            self.env[loop.var] = before
            if moved:
                misses = min(1.0, moved * size / self.timing.scalar_line.value) / same
                return self.timing.scalar_hit.value + misses * self.timing.scalar_load.value
            same *= max(1, -(-(self.number(loop.stop) - self.number(loop.start)) // grows))
        return self.timing.scalar_load.value


def _polys(nodes: Sequence[Node]) -> Iterator[Poly]:
    for node in nodes:
        if isinstance(node, Declare):
            yield from (node.rows.poly(), node.cols.poly())
        elif isinstance(node, Instr):
            for window in (o for o in node.operands if isinstance(o, GmWindow)):
                yield from (window.rows.poly(), window.cols.poly(), window.row_stride, window.col_stride)
        elif isinstance(node, SetFlag | WaitFlag) and node.slot is not None:
            yield Poly.of(node.slot)
        elif isinstance(node, For):
            yield from (node.stop - node.start, *(p - node.start for p in (node.after, node.before) if p is not None))
            yield from node.only.polys() if node.only is not None and not node.only.elements else ()
            if node.slot is not None:
                yield Poly.of(node.slot)
            yield from _polys(node.body)
            for inner in walk(node.body):
                if isinstance(inner, Choose):
                    yield from (Poly.of(name) for name in inner.zero.split(" + "))


def _runs(keys: list[int]) -> Iterator[tuple[list[int], int]]:
    """Iterations as runs of a few that repeat: (the few, how often)."""
    at = 0
    if keys and keys.count(keys[0]) == len(keys):
        yield keys[:1], len(keys)
        return
    while at < len(keys):
        best, times = 1, 1
        for period in range(1, LONGEST_PERIOD + 1):
            n = 1
            while keys[at : at + period] == keys[at + n * period : at + (n + 1) * period]:
                n += 1
            if n * period > best * times and n > 1:
                best, times = period, n
        yield keys[at : at + best], times
        at += best * times
