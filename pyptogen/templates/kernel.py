"""Instruction IR → the C++ text of one kernel.

Straight-line text in the order of the IR: type aliases, the entry, then a line per instruction, each group under the
line of the spec that it serves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import (
    Choose,
    For,
    InstrKernel,
    ReadIndex,
    declarations,
    reads_numbers,
    walk,
)
from pyptogen.lower.origins import Traced
from pyptogen.lower.platforms import Platform
from pyptogen.templates.environment import Marks, render
from pyptogen.templates.far_stores import far_stores
from pyptogen.templates.kernel_body import Writer
from pyptogen.templates.kernel_entry import BLOCK_FUNCTION, entry_of
from pyptogen.templates.kernel_fifos import pipe_aliases, pipe_line
from pyptogen.templates.merges import is_merge_of_lists
from pyptogen.templates.node_origins import NodeOrigins
from pyptogen.templates.spelling import in_text, spelled

if TYPE_CHECKING:
    from pyptogen.schema.hand import HandKernel


FORGET_NUMBERS = "dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);"
"""The scalar unit reads GM through a data cache, which transfers by other pipes and other cores do not keep up to date
(CANN, Ascend C guide, `DataCacheCleanAndInvalid`). Kernels are built without the calls that the compiler may insert."""


def _loop_names(kernel: InstrKernel) -> Iterator[str]:
    for node in walk(kernel.body):
        if isinstance(node, For):
            yield from (name for name in (node.var, node.valid, node.slot, *(node.half or ())) if name)
            yield from (element.name for element in (node.only.elements if node.only else ()))
        elif isinstance(node, ReadIndex):
            yield node.name


def _guards(kernel: InstrKernel) -> Iterator[bool]:
    """Of each index that is guarded, whether one that names no place is skipped."""
    for node in walk(kernel.body):
        if isinstance(node, ReadIndex) and node.bound is not None:
            yield node.skips
        elif isinstance(node, For) and node.only is not None and any(e.bound is not None for e in node.only.elements):
            yield False


def kernel_text(
    kernel: InstrKernel,
    function: str,
    operator: str,
    sizes: str,
    source: Callable[[Span], str],
    platform: Platform,
    sites: Mapping[Span, int] | None = None,
    by_hand: HandKernel | None = None,
    part: str = "file",
    told: bool = False,
) -> Traced:
    """The C++ file of one kernel.

    Args:
        kernel: its instructions.
        function: its name as a function of C.
        operator: name of the operator.
        sizes: the chosen tile sizes, for the head comment.
        source: one line of the spec for a span, such as ``m: amax(x)``.
        platform: what it is for.
        sites: number of each operation of the operator that reads or writes by indices (`index_sites`).
        by_hand: the kernel as its author gave it, where one did.
        part: "program" for the types and what one block does alone, in a namespace of the kernel's name.
        told: whether fifos are told on which vector core they are: the device's own answer is not relied on.
    """
    far = far_stores(kernel)
    kernel, names = spelled(kernel)
    origins, marks = NodeOrigins.of(kernel, by_hand), Marks()
    writer = Writer(
        source,
        origins,
        sites or {},
        origin=origins.whole(),
        far=frozenset(names.get(tensor, tensor) for tensor in far.tensors),
        taken=frozenset({*kernel.arguments, *declarations(kernel), *_loop_names(kernel)}),
        fixed=frozenset({*kernel.arguments, *_loop_names(kernel)}),
        fifos={fifo.name: fifo for fifo in kernel.fifos},
        subblock=kernel.subblock,
        told=told,
        wide=kernel.wide,
        room={} if platform.unified else platform.tile_room,
    )
    if platform.vector_mask and kernel.core == "vector":
        writer.put(1, "set_mask_norm();")
        writer.put(1, "set_vector_mask(-1, -1);  // the kernel before may have left another one")
    if platform.data_cache and reads_numbers(kernel):
        writer.put(1, f"{FORGET_NUMBERS}  // indices in GM may have changed")
    for fifo in kernel.fifos:
        writer.put(1, pipe_line(fifo))
    if far.line:
        writer.put(1, in_text(far.line, names))
    for loop in walk(kernel.body):
        if isinstance(loop, For) and loop.slot:
            writer.put(
                1, f"int32_t {loop.slot} = 0;  // which of {loop.slots} buffers this iteration of {loop.var} uses"
            )
    if any(is_merge_of_lists(n.other if isinstance(n, Choose) else n) for n in walk(kernel.body)):
        writer.put(1, "MrgSortExecutedNumList taken;  // how many pairs a merge took of each list")
    writer.body(kernel.body, 1)
    guards = {"cube": "__DAV_CUBE__", "vector": "__DAV_VEC__", "mixed": ""}
    occupancy = ", ".join(f"{name.upper()} {used} B" for name, used in kernel.occupancy)
    return render(
        "kernel.cpp.j2",
        marks,
        kernel=kernel,
        part=part,
        function=function,
        operator=operator,
        sizes=sizes,
        occupancy=occupancy,
        guard=guards[kernel.core],
        entry=entry_of(kernel, function, platform),
        block_function=BLOCK_FUNCTION,
        pipe_aliases=[alias for fifo in kernel.fifos for alias in pipe_aliases(fifo, platform.fifos_on_chip)],
        tile_aliases=writer.aliases.tiles,
        gm_aliases=writer.aliases.tensors,
        guards_indices=set(_guards(kernel)),
        lines=[f"{line}{marks(origin)}" for line, origin in zip(writer.lines, writer.traced, strict=True)],
    )
