"""The passes over one kernel of the Tile level, by name: what `pyptogen opt` runs on text.

Each takes a kernel and gives the kernels that it makes of it, one but where cube and vector cores are apart.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyptogen.lower.block import place
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile import legalise
from pyptogen.lower.tile import verify as tile_verify
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.lower.tile.kernels import divide, share_rows
from pyptogen.lower.tile.rounds import carried, index_sets, loads_first, run_ahead

Run = Callable[[TileKernel, Platform], tuple[TileKernel, ...]]


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass; ``doc`` is a line for people."""

    name: str
    run: Run
    doc: str


def _plain(run: Callable[[TileKernel], TileKernel]) -> Run:
    return lambda kernel, _: (run(kernel),)


def _split_cores(kernel: TileKernel, _: Platform) -> tuple[TileKernel, ...]:
    return divide.run(kernel) if kernel.core == "mixed" else (kernel,)


PASSES = (
    Pass("forward-copies", _plain(carried.run), "next values made in the place of the loop-carried ones"),
    Pass("split-index-sets", _plain(index_sets.run), "rows that see a whole block lose their mask"),
    Pass("legalise", lambda k, p: (legalise.run(k, p),), "operations that the target has one instruction for"),
    Pass("split-cores", _split_cores, "a mixed kernel becomes a cube and a vector program"),
    Pass("pipeline", _plain(run_ahead.run), "the cube program begins the next iteration early"),
    Pass("split-rows", lambda k, p: (share_rows.on_both(k, p),), "two vector cores take half of the rows each"),
    Pass("hoist-loads", _plain(loads_first.run), "loads go to the front of their loop body"),
    Pass("place", lambda k, p: (place.run(k, p)[0],), "every tile gets a memory; moves between memories are explicit"),
)
"""In the order in which lowering runs them."""

BY_NAME: Mapping[str, Pass] = {one.name: one for one in PASSES}


def run(kernels: list[TileKernel], names: list[str], platform: Platform) -> list[TileKernel]:
    """The kernels after some passes, each of which leaves a legal program.

    Raises:
        IllegalIR: the kernels, or what a pass made of them, break a rule of the level.
        DiagnosticError: PTG302, PTG303, as the pass says.
    """
    tile_verify.verify(kernels)
    for name in names:
        kernels = [made for kernel in kernels for made in BY_NAME[name].run(kernel, platform)]
        tile_verify.verify(kernels)
    return kernels
