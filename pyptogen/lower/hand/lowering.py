"""Kernels by hand enter the pipeline here, each at its level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.block.ir import BlockKernel
from pyptogen.lower.hand import block, instruction, source, tile
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.opaque import values_by_name
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.windows import Tensor
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.ir import GmTensor, TileKernel
from pyptogen.lower.tile.kernels.partition import defining_ops
from pyptogen.lower.tile.sizes.variants import Part
from pyptogen.records import dataclass
from pyptogen.schema.hand import HandKernel

GmNames = Mapping[str, str]


class Reader:
    """Reads the kernels by hand of one program for one platform. ``tensors`` are all GM tensors, ``gm_names`` the
    tensor of each value that has one."""

    def __init__(
        self, program: Program, tensors: Mapping[str, GmTensor], gm_names: GmNames, platform: Platform
    ) -> None:
        self.program, self.gm, self.gm_names, self.platform = program, tensors, gm_names, platform
        self.axes = Axes(program)

    def tile(self, kernel: HandKernel, uncut: bool) -> TileKernel:
        """A kernel at tile level. Raises PTG1xx, PTG2xx, PTG303, PTG304."""
        return tile.run(kernel, self.scope(kernel, uncut), self.tensors(kernel), self.gm, self.platform)

    def finished(self, kernel: HandKernel, uncut: bool) -> Finished:
        """A kernel at block, instruction or source level: what the levels below would make of one.

        Raises PTG1xx, PTG2xx, PTG301, PTG303, PTG304, PTG305.
        """
        if kernel.level == "source":
            return source.run(kernel, self.scope(kernel, uncut), self.tensors(kernel), self.gm, self.platform)
        front = block.run if kernel.level == "block" else instruction.run
        return front(kernel, self.scope(kernel, uncut), self.tensors(kernel), self.gm, self.platform)

    def scope(self, kernel: HandKernel, uncut: bool) -> Scope:
        """No loop yet; names that loops may not have. ``uncut``: launches have the whole range of the launch dim."""
        names = {dim.name for dim in self.program.dims} | {attr.name for attr in self.program.attrs} | set(self.gm)
        return Scope(
            self.program, self.axes, frozenset(names | {buffer.name for buffer in kernel.buffers}), uncut=uncut
        )

    def tensors(self, kernel: HandKernel) -> dict[str, Tensor]:
        """The tensors that a kernel may name, by the names of the spec."""
        named = values_by_name(self.program)
        outputs = dict(self.program.outputs)
        found = {}
        for name, _ in kernel.reads:
            if name in named:
                found[name] = self._tensor(named[name], name, kernel)
        for name, _ in kernel.writes:
            found[name] = self._tensor(outputs.get(name, named.get(name)), name, kernel)
        return found

    def _tensor(self, value: Value | None, name: str, kernel: HandKernel) -> Tensor:
        defining = defining_ops(self.program)
        assert value is not None
        at = value.name
        while at in defining and defining[at].kind == "reshape":
            at = str(getattr(defining[at].operands[0], "name", at))
        if at not in self.gm_names or root(at, defining) != at:
            raise fault(
                "PTG303",
                f"kernel `{kernel.name}` cannot address `{name}`: it is a view of another value",
                kernel.span,
                expected="a tensor in memory of its own",
                fix="load from the tensor behind the view",
            )
        return Tensor(value, self.gm_names[at])


@dataclass(frozen=True, slots=True)
class ByHand:
    """The kernels by hand of one operator and target by name: those that go on as tile kernels, those that are
    finished, and the level at which each was given."""

    tiles: Mapping[str, TileKernel]
    finished: Mapping[str, Finished]
    levels: Mapping[str, str]

    @staticmethod
    def read(
        program: Program,
        parts: Sequence[Part],
        tensors: Mapping[str, GmTensor],
        gm_names: GmNames,
        platform: Platform,
    ) -> ByHand:
        """Read the kernels of all parts that have one. Raises PTG1xx, PTG2xx, PTG3xx."""
        reader = Reader(program, tensors, gm_names, platform)
        tiles: dict[str, TileKernel] = {}
        finished: dict[str, Finished] = {}
        levels = {}
        for part in parts:
            kernel = part.ops.by_hand
            if kernel is None:
                continue
            levels[part.ops.name] = kernel.level
            if kernel.level == "tile":
                tiles[part.ops.name] = outline = reader.tile(kernel, not part.longest)
            else:
                finished[part.ops.name] = reader.finished(kernel, not part.longest)
                outline = finished[part.ops.name].outline
            if part.longest and outline.launch_dim is None:
                raise _not_cut(kernel, part)
        return ByHand(tiles, finished, levels)

    def joined(self, names: Sequence[str], blocks: Sequence[BlockKernel]) -> list[BlockKernel]:
        """All kernels in the order of ``names``."""
        own = {block.tile.name: block for block in blocks}
        return [own.get(name) or self.finished[name].block() for name in names]

    def source(self, name: str) -> str | None:
        """The C++ of a kernel that was given as such."""
        return self.finished[name].source if name in self.finished else None

    def level(self, name: str) -> dict[str, str]:
        """What the report says of a kernel by hand."""
        return {"by_hand": self.levels[name]} if name in self.levels else {}


def _not_cut(kernel: HandKernel, part: Part) -> DiagnosticError:
    way = "`range`" if kernel.level == "source" else "a loop of `grid` over the dim"
    return fault(
        "PTG304",
        f"the tiling row launches kernel `{kernel.name}` once for each piece of a dim, and it always does all of it",
        kernel.span,
        expected=f"{way}, or a tiling row without `unroll`",
        notes=(("the row", part.row),),
    )
