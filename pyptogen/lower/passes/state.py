"""What lowering knows of an operator between two passes, and what a pass is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.execution.ir import ExecutionGraph
from pyptogen.lower.hand.lowering import ByHand
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.instruction.known_flags import KNOWN, KnownFlags
from pyptogen.lower.launch_cost import LaunchCost
from pyptogen.lower.passes.made import Made
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.ir import TileKernel
from pyptogen.lower.tile.kernels.overwritten import Edges
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.lower.tile.sizes.variants import Table, Variants
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.lower.passes.tiling import Tiling

Level = Literal["tensor", "tile", "block", "execution", "instruction"]
Programs = tuple[TileKernel, ...]
"""The programs of one kernel: one, or that of the cube core and that of the vector core."""
Described = tuple[object, ...]
"""All of a kernel that its tiles hang on."""
NO_VARIANTS, NONE_BY_HAND = Variants((), ()), ByHand({}, {}, {})


@dataclass(frozen=True, slots=True)
class Known:
    """What other ways to lower an operator found out: tile sizes that were chosen (`Tiling.chosen`), and kernels with
    their flags; and what all operators of the process know of flags."""

    tables: list[tuple[Described, Table]] = field(default_factory=list)
    flags: KnownFlags = KNOWN
    synchronised: dict[InstrKernel, InstrKernel] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class State:
    """An operator on its way down, for one target. What no pass has made yet is empty."""

    program: Program
    """In the dims of its spec."""
    fitted: Program
    """For the platform: what tiles are cut from."""
    platform: Platform
    rows: tuple[Selected, ...]
    """The tiling rows that can apply."""
    launch_cost: LaunchCost | None = None
    """What tells how long launches take, where whoever lowers has something that does."""
    known: Known | None = None
    """What is known of its kernels, where it is lowered in several ways."""
    copied: frozenset[str] = frozenset()
    """Values that are copied, because neither strides nor an index lead to where they lie."""
    unfused: Edges = frozenset()
    """Pairs of values, reader and what it reads, that are not made in one kernel."""
    grouped: Mapping[str, str] = field(default_factory=dict)
    """Operations that are one kernel, whatever else could be in it: by their results, with that of the last one."""
    variants: Variants = NO_VARIANTS
    made: Made = field(default_factory=Made, compare=False)
    """What passes make of the kernels whose tiles were taken."""
    tiling: Tiling | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    """The tile sizes of each kernel."""
    kernels: tuple[TileKernel, ...] = ()
    by_hand: ByHand = NONE_BY_HAND
    """The kernels that an author gave."""
    programs: tuple[Programs, ...] = ()
    """Those of each kernel."""
    blocks: tuple[BlockKernel, ...] = ()
    """One for each program, and for each kernel that an author finished."""
    graph: ExecutionGraph | None = None
    instructions: tuple[InstrKernel, ...] = ()
    """As they are proved and interpreted."""
    walked: tuple[InstrKernel, ...] = ()
    """As their text has them."""

    @property
    def split(self) -> tuple[Programs, ...]:
        """The programs of each kernel, which are itself where no pass splits kernels."""
        return self.programs or tuple((kernel,) for kernel in self.kernels)

    @property
    def launches(self) -> ExecutionGraph:
        """The graph, once it is built."""
        assert self.graph is not None
        return self.graph


@dataclass(frozen=True, slots=True)
class OnText:
    """A step from one kernel to others, as `pyptogen opt` runs it: what level it takes, and what it gives."""

    run: Callable[[Any, Platform], tuple[Any, ...]]
    takes: Level
    gives: Level


@dataclass(frozen=True, slots=True)
class Pass:
    """One step of lowering; ``doc`` is a line for people.

    Attributes:
        level: the level whose programs it makes or changes.
        run: the step.
        applies: whether a platform needs it.
        shows: the text of what it made, where that is not the programs of its level.
        on_text: the same step for one kernel, where it can be tried alone.
    """

    name: str
    level: Level
    doc: str
    run: Callable[[State], State]
    applies: Callable[[Platform], bool] = lambda platform: True
    shows: Callable[[State], str] | None = None
    on_text: OnText | None = None

    @property
    def title(self) -> str:
        """Its name in ``--dump-ir`` and in source maps."""
        return f"{self.level}-{self.name}"
