"""A kernel as it is cut, where it sees its values in another way than the program does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from pyptogen.lower.tensor.ir import Op, Program
from pyptogen.lower.tile.cutting.axes import Axes, GmView
from pyptogen.lower.tile.kernels.partition import KernelOps
from pyptogen.lower.tile.sizes.first_guesses import Choice
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class KernelView:
    """``program`` has the dims that its loops go over, and its operations as ``ops`` has them. ``nests``: those that
    have their loops together, where they are not all (empty). ``views``: how values lie in GM, by name. ``first``: the
    tiles that the search for sizes begins with, where a kernel's kind tells (empty: `first_guesses`). ``leading``: the
    dim that the first axis of the result has, and no other one, if a launch may make a part of it."""

    program: Program
    ops: KernelOps
    axes: Axes
    nests: tuple[tuple[Op, ...], ...] = ()
    views: Mapping[str, GmView] = field(default_factory=dict)
    first: Mapping[str, Choice] = field(default_factory=dict)
    leading: str | None = None
