"""How one block goes through the loops of a kernel, at the Tile and Block levels and as instructions alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyptogen.lower.expr import part_of
from pyptogen.lower.instruction.ir import For
from pyptogen.lower.tile.ir import Condition, Element, Loop, distributed_nest, half_of
from pyptogen.simulate.gm import GlobalMemory


@dataclass(slots=True)
class LoopWalk:
    """One block of a kernel. ``env`` has the integers of the kernel, which an iteration changes; ``scalars`` its attrs;
    ``subblock`` names the number of the vector core, where two share the rows."""

    env: dict[str, int]
    scalars: Mapping[str, float | int]
    memory: GlobalMemory
    block: int
    blocks: int
    subblock: str | None
    nested: int = 0
    """How many distributed loops are open."""
    passed: int = 0
    """The iterations of the innermost of them before the one that begins, of all blocks."""

    def iterations(self, loop: Loop | For) -> Iterator[None]:
        """Stops in each iteration of this block that takes place, with the loop's numbers in ``env``."""
        if not loop.parallel:
            yield from self._counted(loop, first=0, every=loop.every)
            return
        if not self.nested:
            self.passed = 0
        self.nested += 1
        if len(distributed_nest(loop)) > 1:
            yield from self._counted(loop, first=0, every=1)
        else:
            before = self.passed
            self.passed += max(0, -(-(loop.stop - loop.start).evaluate(self.env) // _step(loop)))
            yield from self._counted(loop, (self.block - before) % self.blocks, self.blocks)
        self.nested -= 1

    def _counted(self, loop: Loop | For, first: int, every: int) -> Iterator[None]:
        """Of its iterations number ``first`` and each ``every``-th from there on."""
        env, tile = self.env, _step(loop)
        start, stop = loop.start.evaluate(env) + first * tile, loop.stop.evaluate(env)
        last = min(stop, start + tile) if loop.once else stop
        for at in part_of(range(start, last, every * tile), loop.after, loop.before, env):
            env[loop.var] = at
            if loop.valid is not None:
                env[loop.valid] = min(tile, stop - at)
            if loop.only is not None and not self._takes_place(loop.only):
                continue
            if loop.half is not None:
                env |= zip(loop.half, half_of(env[str(loop.valid)], env[str(self.subblock)]), strict=True)
            yield
            if loop.slot is not None:
                env[loop.slot] = (env[loop.slot] + 1) % loop.slots
        for name in (loop.var, loop.valid or loop.var, *(loop.half or ())):
            env.pop(name, None)

    def _takes_place(self, only: Condition) -> bool:
        for element in only.elements:
            self.env[element.name] = self._element(element)
        return only.holds(lambda e: self.env[e.name], {**self.scalars, **self.env}, self.block, self.blocks)

    def _element(self, element: Element) -> int:
        found = self.memory.element(element.tensor, element.offset.evaluate(self.env), element.span)
        return found if element.bound is None else min(max(found, 0), element.bound.evaluate(self.env) - 1)


def _step(loop: Loop | For) -> int:
    return loop.tile if isinstance(loop, Loop) else loop.step
