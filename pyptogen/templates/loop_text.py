"""The head of a loop in a kernel's text."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import For


def loop_head(node: For) -> list[str]:
    """The lines up to the opening brace: first, where the loop begins and ends if it leaves out rounds."""
    lines: list[str] = []
    start, stop, step = node.start.c(), node.stop.c(), str(node.step)
    if node.after is not None:
        left, begin = (node.after - node.start).c(), f"{node.var}_begin"
        first = f"({left}) / {step} * {step}" if start == "0" else f"{start} + ({left}) / {step} * {step}"
        text = f"{left} > 0 ? {first} : {start}"
        lines.append(f"const int32_t {begin} = {text};  // those before see nothing of this block")
        start = begin
    if node.before is not None:
        end, limit = f"{node.var}_end", node.before.c()
        lines.append(
            f"const int32_t {end} = {limit} < {stop} ? {limit} : {stop};  // what comes later is not seen from here"
        )
        stop = end
    if node.parallel:
        share = "block" if node.step == 1 else f"block * {node.step}"
        start = share if start == "0" else f"{start} + {share}"
        step = "nblk" if node.step == 1 else f"nblk * {node.step}"
    advance = f"++{node.var}" if step == "1" else f"{node.var} += {step}"
    if node.slot:
        advance += f", {node.slot} ^= 1" if node.slots == 2 else f", {node.slot} = ({node.slot} + 1) % {node.slots}"
    return [*lines, f"for (int32_t {node.var} = {start}; {node.var} < {stop}; {advance}) {{"]
