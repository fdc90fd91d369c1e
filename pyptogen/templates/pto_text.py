"""Instruction IR → PTO assembly (`.pto`): the same kernel as MLIR text, in the form that `ptoas` reads.

One line an instruction, in the order of the IR, with its addresses, flags and barriers: nothing is left to the
assembler's own memory planning or flag insertion. See docs/pto-text.md.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.ir import (
    For,
    GmWindow,
    Instr,
    InstrKernel,
    declarations,
    reads_numbers,
    walk,
)
from pyptogen.lower.instruction.synchronise import with_flags_only
from pyptogen.lower.origins import Origin, Traced
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.building.rules import SCALE
from pyptogen.lower.verify import require
from pyptogen.records import replace
from pyptogen.templates.node_origins import NodeOrigins
from pyptogen.templates.pto_text_body import SCALES, Writer
from pyptogen.templates.pto_text_fifos import Pipes
from pyptogen.templates.pto_text_types import DTYPES, lies_in_elements, pointer
from pyptogen.templates.pto_text_values import INDENT, Values
from pyptogen.templates.pto_text_windows import Windows

if TYPE_CHECKING:
    from pyptogen.schema.hand import HandKernel

INSTRUCTIONS = "pto_text: instructions"
ARCHITECTURES = {"a2a3": "a3", "a5": "a5"}
"""The assembler's name of each target's architecture."""


def _arguments(kernel: InstrKernel, values: Values) -> list[tuple[str, str]]:
    """The function's arguments and their types, bound to the names of the IR; whole numbers as indices."""
    tensors = {t.name: t.dtype for t in kernel.tensors} | {f.name: f.dtype for f in kernel.fifos}
    scalars = dict(kernel.scalars)
    result, numbers = [], []
    count = "i64" if kernel.wide else "i32"
    for name in kernel.arguments:
        whole = name not in tensors and name not in scalars
        kind = "i32" if name == "nblk" else count
        value = values.name(f"{name}_{kind}" if whole else name)
        if whole:
            numbers.append((name, value, kind))
            result.append((value, kind))
        else:
            values.bind(name, value)
            result.append((value, pointer(tensors[name]) if name in tensors else DTYPES[scalars[name]]))
    for name, value, kind in numbers:
        values.bind(name, values.compute(f"arith.index_cast {value} : {kind} to index", name))
    return result


Lines = list[tuple[str, Origin]]
"""With what each comes from."""


def _function(kernel: InstrKernel, source: Callable[[Span], str], by_hand: HandKernel | None) -> Lines:
    """The function of one kernel, or of one program of a mixed one."""
    arch = ARCHITECTURES[kernel.platform]
    values = Values(kernel.span, {name: DTYPES[dtype] for name, dtype in kernel.scalars})
    origins = NodeOrigins.of(kernel, by_hand, INSTRUCTIONS)
    whole = replace(origins.whole(), part="pto_text: function")
    values.origin = whole
    windows = Windows.of(kernel)
    fifos = Pipes.of(kernel.fifos, values)
    arguments = _arguments(kernel, values)
    if kernel.fifos or any(isinstance(n, For) and n.parallel for n in walk(kernel.body)):
        values.put(f"{values.name('block_i64')} = pto.get_block_idx")
        values.bind("block", values.compute("arith.index_cast %block_i64 : i64 to index", "block"))
    if kernel.subblock is not None:
        number = values.name(f"{kernel.subblock}_i64")
        values.put(f"{number} = pto.get_subblock_idx")
        values.bind(kernel.subblock, values.compute(f"arith.index_cast {number} : i64 to index", kernel.subblock))
    for node in walk(kernel.body):
        if isinstance(node, For) and node.slot is not None:
            values.bind(node.slot, values.index(0))
        if isinstance(node, Instr):
            values.origin = origins.node(node)
            for operand in node.operands:
                if isinstance(operand, GmWindow) and operand.tensor not in fifos.slots:
                    windows.declare(operand, values)
    values.origin = whole
    if PLATFORMS[kernel.platform].data_cache and reads_numbers(kernel):
        values.put("pto.cmo.cacheinvalid all #pto.address_space<gm>")
    fifos.initialise(kernel.core)
    tensors = {t.name: t.dtype for t in kernel.tensors}
    Writer(source, origins, values, windows, fifos, declarations(kernel), tensors, arch, kernel.subblock).body(
        kernel.body
    )
    kind = "" if kernel.core == "mixed" else f", pto.kernel_kind = #pto.kernel_kind<{kernel.core}>"
    return [
        (f"{INDENT}func.func @{kernel.name}({', '.join(f'{name}: {kind}' for name, kind in arguments)})", whole),
        (f"{INDENT * 3}attributes {{pto.entry{kind}}} {{", whole),
        *values.constant_lines(),
        *zip(values.lines, values.traced, strict=True),
        (f"{INDENT * 2}return", whole),
        (f"{INDENT}}}", whole),
    ]


def lacks(*programs: InstrKernel) -> str:
    """What the assembler does not have of a kernel, or of both programs of a mixed one; empty where it has all."""
    if any(kernel.platform not in ARCHITECTURES for kernel in programs):
        return f"no PTO assembly for {programs[0].platform}"
    tiles = [d.type for kernel in programs for d in declarations(kernel).values()]
    if any(kind.loc in ("Mat", *SCALES) and kind.dtype == SCALE for kind in tiles):
        return "no PTO assembly for scales of an MX product that lie in rows"
    if not all(lies_in_elements(kind) for kind in tiles):
        return "no PTO assembly for lines of four-bit floats that are no pairs"
    dtypes = {kind.dtype for kind in tiles} | {tensor.dtype for kernel in programs for tensor in kernel.tensors}
    unknown = sorted(dtypes - DTYPES.keys())
    return f"no PTO assembly for elements of {', '.join(unknown)}" if unknown else ""


def pto_text(
    kernel: InstrKernel,
    operator: str,
    source: Callable[[Span], str],
    beside: InstrKernel | None = None,
    by_hand: HandKernel | None = None,
) -> Traced:
    """The PTO assembly of one kernel, which says no phases of products: accumulators are handed over by flags there.

    Args:
        kernel: its instructions, flags included; of a mixed kernel whose cores are separate, the cube program.
        operator: name of the operator.
        source: one line of the spec for a span, such as ``m: amax(x)``.
        beside: the vector program of such a kernel, a second function of the module.
        by_hand: the kernel as its author gave it, where one did.

    Raises:
        IllegalIR: `lacks` says why, or the kernel names what it does not have, or has fifos and nobody at their other
            end.
    """
    programs = [with_flags_only(program) for program in (kernel, beside) if program is not None]
    require(not lacks(*programs), lacks(*programs), kernel.span)
    require(beside is not None or not kernel.fifos, f"one end only of the fifos of {kernel.name}", kernel.span)
    arch = ARCHITECTURES[kernel.platform]
    names = " and ".join(program.name for program in programs)
    what = f"{kernel.core} kernel" if beside is None else "cube and vector program of a mixed kernel"
    module = Origin("pto_text: module")
    lines = [
        (
            f"// {names}: {what} of `{operator}` for {kernel.platform} as PTO assembly."
            " Made by pyptogen; change the spec, not this file.",
            module,
        ),
        (f"// Addresses and flags are given: ptoas --pto-arch={arch} --pto-level=level3", module),
        (f'module attributes {{pto.target_arch = "{arch}"}} {{', module),
        *(line for program in programs for line in _function(program, source, by_hand)),
        ("}", module),
    ]
    return Traced("".join(f"{line}\n" for line, _ in lines), [origin for _, origin in lines])
