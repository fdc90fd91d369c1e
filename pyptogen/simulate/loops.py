"""How one block goes through the loops of a kernel, at the Tile and Block levels and as instructions alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pyptogen.lower.expr import part_of
from pyptogen.lower.instruction.ir import For
from pyptogen.lower.tile.ir import Element, Loop, share_of
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

    def rounds(self, loop: Loop | For) -> Iterator[None]:
        """Stops in each iteration of this block that takes place, with the loop's numbers in ``env``."""
        env, tile = self.env, loop.tile if isinstance(loop, Loop) else loop.step
        start, stop, step = loop.start.evaluate(env), loop.stop.evaluate(env), tile
        if loop.parallel:
            start, step = start + self.block * step, step * self.blocks
        last = min(stop, start + step) if loop.once else stop
        for at in part_of(range(start, last, step), loop.after, loop.before, env):
            env[loop.var] = at
            if loop.valid is not None:
                env[loop.valid] = min(tile, stop - at)
            if loop.only is not None and not loop.only.holds(self._element, {**self.scalars, **env}):
                continue
            if loop.share is not None:
                env |= zip(loop.share, share_of(env[str(loop.valid)], env[str(self.subblock)]), strict=True)
            yield
            if loop.slot is not None:
                env[loop.slot] = (env[loop.slot] + 1) % loop.slots
        for name in (loop.var, loop.valid or loop.var, *(loop.share or ())):
            env.pop(name, None)

    def _element(self, element: Element) -> int:
        return self.memory.element(element.tensor, element.offset.evaluate(self.env), element.span)
