"""Tiles with which a kernel would fit that overflows a memory: what PTG301 advises."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pyptogen.lower.block import plan
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refusal, asked
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.ir import TileKernel

Recut = Callable[[str, str, int], TileKernel]
"""A kernel by name, cut again with another tile for one dim."""

LEAST = 16
"""Tiles of a dim that nobody cuts, from which on they are worth advising."""


def of(kernel: TileKernel, program: Program, spec: Program, platform: Platform, recut: Recut) -> dict[str, int]:
    """By dim the largest tile, halving, with which the kernel would fit: of the dims that are cut, or, where none of
    these will do, of those that are whole. ``program`` is cut into tiles; dims that the ``spec`` has not, which no row
    can name, are given only where no other will do."""
    found = _of_all(kernel, program, platform, recut)
    names = {dim.name for dim in spec.dims}
    return {dim: tile for dim, tile in found.items() if dim in names} or found


def _of_all(kernel: TileKernel, program: Program, platform: Platform, recut: Recut) -> dict[str, int]:
    cut = {dim: size for dim, size, _ in kernel.sizes}
    found = {dim: tile for dim, size in cut.items() if (tile := _largest(kernel, dim, size, 1, platform, recut))}
    if found:
        return found
    whole = {dim: size for dim, size in _whole(kernel, program) if dim not in cut}
    return {dim: tile for dim, size in whole.items() if (tile := _largest(kernel, dim, size, LEAST, platform, recut))}


def otherwise(kernel: TileKernel, program: Program) -> str:
    """What to do where no such tile is known."""
    loop = next((loop for loop in program.loops if loop.stage in kernel.stages and loop.exact and loop.tile > 1), None)
    if loop is None:
        return "cut a dim that is whole now"
    return f"give the loop of `{loop.stage}` shorter blocks (`tile`): its results depend on their length, {loop.tile}"


def _largest(kernel: TileKernel, dim: str, size: int, least: int, platform: Platform, recut: Recut) -> int | None:
    tile = size // 2
    while tile >= least:
        smaller = asked(recut, kernel.name, dim, tile)
        if isinstance(smaller, Refusal):  # this dim must be whole
            return None
        if plan.fits(smaller, platform):
            return tile
        tile //= 2
    return None


def _whole(kernel: TileKernel, program: Program) -> Iterator[tuple[str, int]]:
    """The dims of the kernel's stages whose size is known, in the order of the program."""
    axes = Axes(program)
    shapes = [axes.axes(op.result.shape) for op in program.ops if op.stage in kernel.stages]
    there = {factor.dim for shape in shapes for axis in shape for factor in axis}
    for dim in program.dims:
        if dim.value is not None and dim.name in there:
            yield dim.name, dim.value
