"""Kernels by hand enter the pipeline here, each at its level."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import fault
from pyptogen.lower.hand import block, instruction, source, tile
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.opaque import values_by_name
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.windows import Tensor
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tile.axes import Axes
from pyptogen.lower.tile.ir import GmTensor, TileKernel
from pyptogen.lower.tile.partition import producers, root
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

    def tile(self, kernel: HandKernel) -> TileKernel:
        """A kernel at tile level. Raises PTG1xx, PTG2xx, PTG303, PTG304."""
        return tile.run(kernel, self.scope(kernel), self.tensors(kernel), self.gm, self.platform)

    def finished(self, kernel: HandKernel) -> Finished:
        """A kernel at block, instruction or source level: what the levels below would make of one.

        Raises PTG1xx, PTG2xx, PTG301, PTG303, PTG304, PTG305.
        """
        if kernel.level == "source":
            return source.run(kernel, self.scope(kernel), self.tensors(kernel), self.gm, self.platform)
        front = block.run if kernel.level == "block" else instruction.run
        return front(kernel, self.scope(kernel), self.tensors(kernel), self.gm, self.platform)

    def scope(self, kernel: HandKernel) -> Scope:
        names = {dim.name for dim in self.program.dims} | {attr.name for attr in self.program.attrs} | set(self.gm)
        return Scope(self.program, self.axes, frozenset(names | {buffer.name for buffer in kernel.buffers}))

    def tensors(self, kernel: HandKernel) -> dict[str, Tensor]:
        """The tensors that a kernel may name, by the names of the spec."""
        named = values_by_name(self.program)
        outputs = dict(self.program.outputs)
        found = {}
        for name, span in kernel.reads:
            if name in named:
                found[name] = self._tensor(named[name], name, kernel)
        for name, _ in kernel.writes:
            found[name] = self._tensor(outputs.get(name, named.get(name)), name, kernel)
        return found

    def _tensor(self, value: Value | None, name: str, kernel: HandKernel) -> Tensor:
        made_by = producers(self.program)
        assert value is not None
        at = value.name
        while at in made_by and made_by[at].kind == "reshape":
            at = str(getattr(made_by[at].operands[0], "name", at))
        if at not in self.gm_names or root(at, made_by) != at:
            raise fault(
                "PTG303",
                f"kernel `{kernel.name}` cannot address `{name}`: it is a view of another value",
                kernel.span,
                expected="a tensor in memory of its own",
                fix="load from the tensor behind the view",
            )
        return Tensor(value, self.gm_names[at])
