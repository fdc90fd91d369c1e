"""What block and instruction level share: buffers at fixed addresses, loops, flags by hand, and the proof.

Flags that the author places are proved by the same replay that proves the compiler's own; where pipes are not
asynchronous (`cpu`) they say nothing and are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

from pyptogen.diagnostics import Diagnostic, DiagnosticError, Span, fault
from pyptogen.lower.block.ir import BlockKernel, Buffer
from pyptogen.lower.expr import Poly
from pyptogen.lower.hand import operands
from pyptogen.lower.hand.expressions import extent
from pyptogen.lower.hand.finished import Finished
from pyptogen.lower.hand.scope import BoundLoop, Scope
from pyptogen.lower.hand.tile import Core, distributed, in_grid, loop_node, tile_kernel
from pyptogen.lower.instruction import synchronise
from pyptogen.lower.instruction import verify as instruction_verify
from pyptogen.lower.instruction.declare import place_declarations
from pyptogen.lower.instruction.event_ids import EVENT_IDS
from pyptogen.lower.instruction.ir import Barrier, Declare, For, Instr, InstrKernel, Node, SetFlag, WaitFlag, walk
from pyptogen.lower.instruction.replay import Finding, prove
from pyptogen.lower.instruction.select import HANDLERS
from pyptogen.lower.instruction.select.selector import Selector
from pyptogen.lower.platforms import Platform
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Form, GmTensor, TileKernel, TileVal
from pyptogen.lower.tile.ir import Node as TileNode
from pyptogen.records import replace
from pyptogen.schema.hand import HandBuffer, HandKernel, HandLine, HandLoop, HandNode

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")
SYNC = ("set_flag", "wait_flag", "pipe_barrier")


class FixedBody:
    """Reads the body of a kernel whose buffers are given. What a line is that is no flag or barrier, its level says."""

    def __init__(self, kernel: HandKernel, scope: Scope, gm: Mapping[str, GmTensor], platform: Platform) -> None:
        self.kernel, self.scope, self.platform, self.gm = kernel, scope, platform, gm
        self.grid = [scope.bind(axis.var, axis.trips, axis.span, grid=True) for axis in kernel.grid]
        self.every: dict[str, BoundLoop] = dict(scope.loops)
        """All loops, also those that are not open."""
        skeleton = (
            *self._skeleton(kernel.before),
            *in_grid(kernel, self.grid, self._skeleton(kernel.body)),
            *self._skeleton(kernel.after),
        )
        scope.loops.clear()
        everywhere = replace(scope, loops=self.every)
        self.buffers = {b.name: _buffer(b, platform, everywhere) for b in kernel.buffers}
        self.vals = {b.name: _tile(b, everywhere) for b in kernel.buffers}
        outline = self.outline(([], list(gm)), skeleton, "vector")
        memory = tuple((b.name, b.memory) for b in self.buffers.values())
        block = BlockKernel(outline, skeleton, tuple(self.vals.values()), memory, tuple(self.buffers.values()))
        self.selector = Selector(block, platform, HANDLERS, {dim.name: dim.multiple_of for dim in scope.program.dims})
        self.nodes: list[Node] = []

    def outline(self, moved: tuple[list[str], list[str]], body: tuple[TileNode, ...], core: Core) -> TileKernel:
        names = frozenset(n for loop in self.every.values() for n in loop.stop.names() | loop.start.names())
        names |= frozenset(n for node in walk(tuple(getattr(self, "nodes", ()))) for n in _address_names(node))
        return tile_kernel(self.kernel, core, self.scope, self.gm, moved, self.vals, body, names)

    def _skeleton(self, nodes: tuple[HandNode, ...]) -> tuple[TileNode, ...]:
        """The loops alone."""
        found: list[TileNode] = []
        for node in nodes:
            if isinstance(node, HandLoop):
                loop = self.scope.bind(node.var, node.trips, node.span, grid=False)
                if node.var in self.every:
                    raise fault("PTG208", f"two loops are named `{node.var}`", node.span, fix="rename one of them")
                self.every[node.var] = loop
                found.append(loop_node(loop, self._skeleton(node.body), "sub", False, node.span))
                del self.scope.loops[node.var]
        return tuple(found)

    # -- lines ----------------------------------------------------------------------------------------------------

    def read(self, line: Callable[[HandLine], None]) -> None:
        """Read the whole kernel: what comes before the grid, its body inside its loops, and what comes after. ``line``
        reads a line that is no flag or barrier."""
        self._walk(self.kernel.before, line)
        before, self.nodes = self.nodes, []
        self.scope.loops |= {axis.var: self.every[axis.var] for axis in self.kernel.grid}
        self._walk(self.kernel.body, line)
        self.scope.loops.clear()
        body, parallel = tuple(self.nodes), distributed(self.grid)
        for i in reversed(range(len(self.grid))):
            body = (_for(self.grid[i], body, i == parallel, self.kernel.grid[i].span),)
        self.nodes = [*before, *body]
        self._walk(self.kernel.after, line)

    def _walk(self, nodes: tuple[HandNode, ...], line: Callable[[HandLine], None]) -> None:
        for node in nodes:
            if isinstance(node, HandLoop):
                self._loop(node, line)
            elif node.call in SYNC:
                self._sync(node)
            else:
                line(node)

    def _loop(self, node: HandLoop, line: Callable[[HandLine], None]) -> None:
        loop = self.every[node.var]
        self.scope.loops[node.var] = loop
        outside, self.nodes = self.nodes, []
        self._walk(node.body, line)
        body, self.nodes = tuple(self.nodes), outside
        del self.scope.loops[node.var]
        self.nodes.append(_for(loop, body, False, node.span))

    def _sync(self, line: HandLine) -> None:
        node = line.value.node
        assert isinstance(node, ast.Call)
        if self.kernel.sync == "auto":
            raise fault(
                "PTG305",
                f"kernel `{self.kernel.name}` places flags, and its synchronisation is automatic",
                line.span,
                expected="`sync: hand` in the kernel, and all flags placed by hand",
                fix="add `sync: hand`, or leave the flags to the compiler",
            )
        names = [a.id.removeprefix("PIPE_") if isinstance(a, ast.Name) else "" for a in node.args[:2]]
        if line.call == "pipe_barrier":
            if len(node.args) != 1 or names[0] not in (*PIPES, "ALL"):
                raise _bad_sync(line, "pipe_barrier(V)")
            pipe: Any = names[0]
            self.nodes.append(Barrier(pipe, line.span))
            return
        event = node.args[2] if len(node.args) == 3 else None
        number = event.value if isinstance(event, ast.Constant) else None
        if not isinstance(number, int) or not 0 <= number < EVENT_IDS or not set(names) <= set(PIPES):
            raise _bad_sync(line, f"{line.call}(MTE2, V, 0)")
        src, dst = (cast_pipe(name) for name in names)
        kind = SetFlag if line.call == "set_flag" else WaitFlag
        self.nodes.append(kind(src, dst, number, "", line.span))

    # -- the whole ------------------------------------------------------------------------------------------------

    def finish(self, reads: list[str], writes: list[str], declared: Mapping[str, Declare]) -> Finished:
        """Loops of the grid, declarations, legality, flags and their proof."""
        body: tuple[Node, ...] = tuple(self.nodes)
        core = self._core(body)
        skeleton = in_grid(self.kernel, self.grid, self._loops_only())
        outline = self.outline((reads, writes), skeleton, core)
        attrs = {a.name: a.dtype for a in self.scope.program.attrs}
        occupancy: dict[str, int] = {}
        for buffer in self.buffers.values():
            occupancy[buffer.memory] = max(occupancy.get(buffer.memory, 0), buffer.address + buffer.size)
        kernel = InstrKernel(
            outline.name, core, self.platform.name, outline.stages,
            tuple(self.gm[n] for n in writes), tuple(self.gm[n] for n in reads),
            tuple((n, attrs[n]) for n in outline.scalars), outline.arguments, outline.launch_dim, outline.dims,
            place_declarations(body, declared), tuple(sorted(occupancy.items())), self.kernel.span,
        )  # fmt: skip
        operands.check(body, declared, self.buffers, self.platform)
        instruction_verify.verify([kernel], self.platform)
        return Finished(outline, self._in_order(kernel))

    def _loops_only(self) -> tuple[TileNode, ...]:
        return tuple(
            loop_node(loop, (), "sub", False, self.kernel.span)
            for name, loop in self.every.items()
            if name not in {axis.var for axis in self.kernel.grid}
        )

    def _core(self, body: tuple[Node, ...]) -> Core:
        pipes = {node.pipe for node in walk(body) if isinstance(node, Instr)}
        core: Core = "vector" if "M" not in pipes else "mixed" if "V" in pipes else "cube"
        if core == "mixed" and not self.platform.unified:
            raise fault(
                "PTG303",
                f"kernel `{self.kernel.name}` needs cube and vector, which are separate on {self.platform.name}",
                self.kernel.span,
                expected="instructions of one core",
                fix="cut it in two kernels that meet in a value",
            )
        return core

    def _in_order(self, kernel: InstrKernel) -> InstrKernel:
        if not self.platform.flags:
            return replace(kernel, body=_without_sync(kernel.body))
        if self.kernel.sync == "auto":
            return synchronise.run(kernel)
        findings = prove(kernel)
        if findings:
            raise DiagnosticError(*_diagnostics(self.kernel, findings))
        return kernel


def cast_pipe(name: str) -> Any:
    """A checked pipe name as the type that the IR has for it."""
    return name


def _for(loop: BoundLoop, body: tuple[Node, ...], parallel: bool, span: Span) -> For:
    return For(loop.var, loop.start, loop.stop, loop.step, loop.valid, parallel, body, "", span)


def _address_names(node: Node) -> frozenset[str]:
    found: set[str] = set()
    for operand in node.operands if isinstance(node, Instr) else ():
        offset = getattr(operand, "offset", None)
        if isinstance(offset, Poly):
            found |= offset.names()
    return frozenset(found)


def _without_sync(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    kept = [node for node in nodes if not isinstance(node, SetFlag | WaitFlag | Barrier)]
    return tuple(replace(n, body=_without_sync(n.body)) if isinstance(n, For) else n for n in kept)


def _bad_sync(line: HandLine, example: str) -> DiagnosticError:
    return fault(
        "PTG203",
        f"`{line.value.text}` is no flag or barrier",
        line.span,
        expected=f"such as `{example}`; pipes {' '.join(PIPES)}, ids 0 to {EVENT_IDS - 1}",
    )


def _diagnostics(kernel: HandKernel, findings: list[Finding]) -> list[Diagnostic]:
    """One diagnostic a place and kind of finding."""
    seen: set[tuple[str, str]] = set()
    found = []
    for finding in findings:
        key = finding.kind, str(finding.span)
        if key in seen:
            continue
        seen.add(key)
        notes = () if finding.earlier is None else (("the earlier instruction", finding.earlier.instr.span),)
        found.append(
            Diagnostic(
                "PTG305",
                f"{finding.kind} in kernel `{kernel.name}`: {finding.text}",
                finding.span,
                expected="flags that order every pair of instructions on the same bytes, each set and waited for once",
                fix=_FIXES.get(finding.kind, ""),
                notes=notes,
            )
        )
    return found


_FIXES = {
    "race": "set a flag after the earlier instruction and wait for it before this one",
    "hazard": "put `pipe_barrier(V)` before this instruction",
    "double set": "wait for the flag before it is set again, or use another id",
    "deadlock": "set the flag before it is waited for, also on the path where a loop runs zero times",
    "left over": "wait for the flag at the end",
}


def _buffer(buffer: HandBuffer, platform: Platform, scope: Scope) -> Buffer:
    rows, cols = (scope.number(size, "a size of a buffer") for size in buffer.shape)
    memory: Any = buffer.memory
    size = rows * cols * DTYPES[buffer.dtype]
    room = platform.memories[memory]
    if buffer.address + size > room:
        raise fault(
            "PTG301",
            f"buffer `{buffer.name}` ends at byte {buffer.address + size} of {room} in {memory} of {platform.name}",
            buffer.span,
            expected=f"address + {size} bytes <= {room}",
        )
    return Buffer(buffer.name, memory, buffer.dtype, rows, cols, size, buffer.address, 0, 0, buffer.span)


def _tile(buffer: HandBuffer, scope: Scope) -> TileVal:
    sizes = buffer.valid or buffer.shape
    rows, cols = (extent(size, size.node, scope) for size in sizes)
    whole = tuple(scope.number(size, "a size of a buffer") for size in buffer.shape)
    if rows.size > whole[0] or cols.size > whole[1]:
        raise fault(
            "PTG304",
            f"`valid` of `{buffer.name}` is larger than its shape",
            sizes[0].span,
            expected=f"at most {whole[0]} x {whole[1]}",
        )
    form: Form = "col" if whole[1] == 1 else "row" if whole[0] == 1 else "full"
    return TileVal(buffer.name, buffer.dtype, rows, cols, form, buffer.span)
