"""Text of the Instruction level, and its counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyptogen.lower.instruction.ir import (
    Barrier,
    Choose,
    Declare,
    For,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Mode,
    Node,
    Pass,
    Queue,
    ReadIndex,
    SetFlag,
    SkipIfNegative,
    WaitFlag,
    walk,
)
from pyptogen.lower.tile.printer import extent


def _operand(o: Any) -> str:
    if isinstance(o, GmWindow):
        return f"{o.tensor}[{o.offset}; {extent(o.rows)} x {extent(o.cols)} {o.layout}]"
    if isinstance(o, Imm):
        return o.text
    if isinstance(o, Queue):
        return o.name
    if isinstance(o, Mode):
        return o.name + {None: "", True: " saturate", False: " wrap"}[o.saturate]
    return str(o)


def _instr(node: Instr) -> str:
    return f"{node.name} {', '.join(_operand(o) for o in node.operands)}  ; {node.pipe}"


def _lines(nodes: Sequence[Node], depth: int) -> list[str]:
    lines: list[str] = []
    pad = "  " * depth
    for node in nodes:
        if isinstance(node, For):
            dealt = " parallel" if node.parallel else ""
            slot = f" {node.slot} of {node.slots}" if node.slot else ""
            part = f" after {node.after}" if node.after else ""
            part += f" before {node.before}" if node.before else ""
            part += " once" if node.once else ""
            part += f" if {node.only}" if node.only is not None else ""
            part += f" share {', '.join(node.share)}" if node.share else ""
            lines.append(f"{pad}for {node.var} = {node.start}; < {node.stop}; += {node.step}{part}{dealt}{slot}")
            lines += _lines(node.body, depth + 1)
        elif isinstance(node, Declare):
            t = node.type
            valid = f"{extent(node.rows)} x {extent(node.cols)}"
            lines.append(
                f"{pad}tile {node.name}: {t.loc} {t.dtype}[{t.rows}, {t.cols}] valid {valid} at {node.address}"
            )
        elif isinstance(node, Instr):
            lines.append(pad + _instr(node))
        elif isinstance(node, Pass):
            lines.append(f"{pad}pass over {extent(node.rows)} x {extent(node.cols)}, kept: {', '.join(node.kept)}")
            lines += [f"{pad}  {_instr(member)}" for member in node.members]
        elif isinstance(node, Choose):
            lines.append(f"{pad}{node.zero} == 0 ? {_instr(node.then)} : {_instr(node.other)}")
        elif isinstance(node, ReadIndex):
            lines.append(f"{pad}{node.name} = {node.tensor}[{node.offset}]  ; S")
        elif isinstance(node, SkipIfNegative):
            lines.append(f"{pad}continue if {node.name} < 0")
        elif isinstance(node, Barrier):
            lines.append(f"{pad}barrier {node.pipe}")
        else:
            word = "set" if isinstance(node, SetFlag) else "wait"
            slot = f" + {node.slot}" if node.slot else ""
            lines.append(f"{pad}{word} {node.src} -> {node.dst} #{node.event}{slot}  {node.note}".rstrip())
    return lines


def print_kernel(kernel: InstrKernel) -> str:
    """One kernel."""
    head = f"kernel {kernel.name} ({kernel.core}) on {kernel.platform}: {', '.join(t.name for t in kernel.tensors)}"
    return "\n".join([head, *_lines(kernel.body, 1)]) + "\n"


def print_kernels(kernels: Sequence[InstrKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)


def sync_counts(kernel: InstrKernel) -> dict[str, int]:
    """How many flags are set and waited for, and how many barriers stand in the text."""
    nodes = list(walk(kernel.body))
    return {
        "barriers": sum(isinstance(n, Barrier) for n in nodes),
        "sets": sum(isinstance(n, SetFlag) for n in nodes),
        "waits": sum(isinstance(n, WaitFlag) for n in nodes),
    }
