"""A kernel while its operations are cut into tiles: what it is made of, and what there is of it so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.program_names import loop_variable, names_in_kernels
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes, GmView
from pyptogen.lower.tile.cutting.nest import Nest, Scope
from pyptogen.lower.tile.ir import GmTensor, TileOp, TileVal
from pyptogen.lower.tile.kernels.partition import KernelOps, defining_ops
from pyptogen.lower.tile.sizes.sizes import TileSize
from pyptogen.records import replace


class KernelBuilder:
    """What all parts of cutting share.

    Args:
        program: the operator at the Tensor level.
        kernel: the operations of this kernel.
        sizes: tile sizes by stage and dim, in elements.
        tensors: every GM tensor by name (contract and workspace).
        gm_names: the GM tensor of each value that has one.
        platform: where it will run.
        axes: those of the program.
        gm_views: how values lie in GM that this kernel sees in another way than the program.
    """

    def __init__(
        self,
        program: Program,
        kernel: KernelOps,
        sizes: Mapping[str, Mapping[str, TileSize]],
        tensors: Mapping[str, GmTensor],
        gm_names: Mapping[str, str],
        platform: Platform,
        axes: Axes,
        gm_views: Mapping[str, GmView] = MappingProxyType({}),
    ) -> None:
        self.program, self.kernel, self.sizes, self.platform = program, kernel, sizes, platform
        self.axes, self.tensors, self.gm_names, self.gm_views = axes, tensors, gm_names, gm_views
        self.defining = defining_ops(program)
        self.mine: Mapping[str, Op] = {op.result.name: op for op in kernel.ops}
        """The operations of this kernel by their results."""
        self.nest = Nest(kernel.span, frozenset(names_in_kernels(program, tensors)))
        self.tiles: dict[str, TileVal] = {}
        self.reads: list[str] = []
        self.writes: list[str] = []
        self.scalars: list[str] = []
        """Attrs that the kernel is given."""
        self.numbers: set[str] = set()
        """Variables that elements of GM are read to."""

    def of(self, ops: Sequence[Op]) -> KernelBuilder:
        """The same kernel while those of its operations are cut that have their loops together."""
        part = replace(self.kernel, ops=tuple(ops))
        found = KernelBuilder(
            self.program, part, self.sizes, self.tensors, self.gm_names, self.platform, self.axes, self.gm_views
        )
        found.tiles, found.numbers = self.tiles, self.numbers
        found.reads, found.writes, found.scalars = self.reads, self.writes, self.scalars
        return found

    def emit(self, op: TileOp, scope: Scope, early: bool) -> None:
        """Append an operation to a loop; ``early``: to what stands ahead of everything else of it."""
        (scope.early if early else scope.items).append(op)

    def note_read(self, tensor: str) -> None:
        if tensor not in self.reads:
            self.reads.append(tensor)

    def note_write(self, tensor: str) -> None:
        if tensor not in self.writes:
            self.writes.append(tensor)

    def number(self, tensor: str) -> str:
        """A name for a number that is read from a tensor."""
        name = loop_variable(f"{tensor}_here", self.nest.taken | self.numbers | set(self.tiles))
        self.numbers.add(name)
        return name

    def name(self, wanted: str) -> str:
        """A tile name that no tensor and no other tile has."""
        base = wanted if wanted not in self.tensors else f"{wanted}_tile"
        name, n = base, 1
        while name in self.tiles or name in self.tensors or name in self.numbers:
            n += 1
            name = f"{base}_{n}"
        return name

    def roots(self, op: Op) -> set[str]:
        """The values that an operation reads, also through views."""
        return {root(v.name, self.defining) for v in op.operands if isinstance(v, Value)}
