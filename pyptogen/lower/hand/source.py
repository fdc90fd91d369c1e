"""A kernel at source level: C++ as the author wrote it, launched by the orchestration.

Its entry takes, unless `arguments` says otherwise, what it writes, what it reads besides, the range of the dim that
`range` names, the operator's other run-time dims, and the number of blocks: the order of generated kernels.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import did_you_mean, fault
from pyptogen.lower.expr import Poly
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.scope import Scope
from pyptogen.lower.hand.tile import loop_node
from pyptogen.lower.hand.windows import Tensor
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tile.ir import GmTensor, Loop, TileKernel
from pyptogen.schema.hand import HandKernel, SourceFile


def run(
    kernel: HandKernel, scope: Scope, tensors: Mapping[str, Tensor], gm: Mapping[str, GmTensor], platform: Platform
) -> Finished:
    """The signature of one kernel. Raises PTG201, PTG213, PTG303, PTG304."""
    source, core = kernel.source, kernel.core
    assert source is not None and core is not None
    if source.entry == f"{scope.program.name}_{platform.name}":
        raise fault(
            "PTG213",
            f"`{source.entry}` cannot name the entry of a kernel: the operator is called so on {platform.name}",
            kernel.span,
            fix=f"call it `{source.entry}_kernel`, here and in the file",
        )
    writes = list(dict.fromkeys(tensors[name].gm for name, _ in kernel.writes))
    reads = list(dict.fromkeys(tensors[name].gm for name, _ in kernel.reads))
    dynamic = [dim.name for dim in scope.program.dims if dim.dynamic]
    launch_dim = source.range
    if launch_dim is not None and launch_dim not in dynamic:
        raise fault(
            "PTG201",
            f"`{launch_dim}` is no dynamic dim",
            kernel.span,
            expected="one of " + ", ".join(dynamic),
            fix=did_you_mean(launch_dim, dynamic),
        )
    dims = tuple(name for name in dynamic if name != launch_dim)
    attrs = {attr.name: attr.dtype for attr in scope.program.attrs}
    ranged = (f"{launch_dim}_begin", f"{launch_dim}_end") if launch_dim else ()
    known = {**dict.fromkeys((*writes, *reads, *attrs, *dynamic, *ranged, "nblk"))}
    order = source.arguments or (*dict.fromkeys([*writes, *reads]), *ranged, *dims, "nblk")
    for name in order:
        if name not in known:
            raise fault(
                "PTG201",
                f"kernel `{kernel.name}` takes `{name}`, which nobody gives it",
                kernel.span,
                expected="one of " + ", ".join(known),
                fix=did_you_mean(name, known),
            )
    scalars = tuple(name for name in order if name in attrs)
    used = tuple(gm[name] for name in dict.fromkeys([*writes, *reads]))
    outline = TileKernel(
        source.entry, core, (kernel.name,), used, tuple(reads), tuple(writes), scalars, launch_dim, dims, (),
        _blocks(kernel, source, scope), (), kernel.span, signature=tuple(order),
    )  # fmt: skip
    signature = InstrKernel(
        source.entry, core, platform.name, (kernel.name,), tuple(gm[n] for n in writes), tuple(gm[n] for n in reads),
        tuple((n, attrs[n]) for n in scalars), tuple(order), launch_dim, dims, (), (), kernel.span,
    )  # fmt: skip
    return Finished(outline, signature, source.text)


def _blocks(kernel: HandKernel, source: SourceFile, scope: Scope) -> tuple[Loop, ...]:
    """The loop that stands for the blocks: its steps bound how many are worth launching."""
    if source.range is None and source.blocks is None:
        return ()
    if source.blocks is None:
        start, stop = Poly.of(f"{source.range}_begin"), Poly.of(f"{source.range}_end")
        return (Loop("block", str(source.range), start, stop, 1, None, "grid", True, (), kernel.span),)
    loop = scope.bind("block", source.blocks, source.blocks.span, grid=source.range is not None)
    return (loop_node(loop, (), "grid", True, kernel.span),)
