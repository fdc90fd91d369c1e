"""The lines that open a loop of a kernel."""

from __future__ import annotations

from pyptogen.lower.instruction.ir import For


def loop_lines(node: For) -> list[str]:
    """Where the loop begins and ends, if not at its start and stop, and its head."""
    lines = []
    start, stop, step = node.start.c(), node.stop.c(), str(node.step)
    if node.after is not None:
        left, begin = (node.after - node.start).c(), f"{node.var}_begin"
        text = f"{left} > 0 ? {f'{start} + ' if start != '0' else ''}({left}) / {step} * {step} : {start}"
        lines.append(f"const int32_t {begin} = {text};  // those before see nothing of this block")
        start = begin
    if node.before is not None:
        end, limit = f"{node.var}_end", node.before.c()
        text = f"{limit} < {stop} ? {limit} : {stop}"
        lines.append(f"const int32_t {end} = {text};  // what comes later is not seen from here")
        stop = end
    if node.parallel:
        share = "block" if node.step == 1 else f"block * {node.step}"
        start = share if start == "0" else f"{start} + {share}"
        step = "nblk" if node.step == 1 else f"nblk * {node.step}"
    advance = f"++{node.var}" if step == "1" else f"{node.var} += {step}"
    if node.slot:
        advance += f", {node.slot} ^= 1" if node.slots == 2 else f", {node.slot} = ({node.slot} + 1) % {node.slots}"
    return [*lines, f"for (int32_t {node.var} = {start}; {node.var} < {stop}; {advance}) {{"]


def condition_lines(node: For) -> list[str]:
    """The head of a condition: a loop of one round, which may be left out."""
    holds = f"{node.var} < {node.stop.c()}"
    if node.after is not None:
        holds = f"{(node.after - node.step).c()} < {node.var} && {holds}"
    if node.before is not None:
        holds += f" && {node.var} < {node.before.c()}"
    return [f"if (const int32_t {node.var} = {node.start.c()}; {holds}) {{"]


def share_lines(node: For, lane: str) -> list[str]:
    """A vector core's rows of the iteration's tile."""
    first, rows = node.share or ("", "")
    return [
        f"const int32_t {rows} = ({node.valid} + 1) / 2;  // rows of each vector core",
        f"const int32_t {first} = {lane} * ({node.valid} - {rows});  // this one's first",
    ]
