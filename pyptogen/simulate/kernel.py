"""Runs one block of one kernel on the interpreter's memories, instruction by instruction in program order.

Order between pipes is not played here: `replay.prove` covers it for every kernel that carries flags.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Choose,
    Compare,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Mode,
    Node,
    Pattern,
    ReadIndex,
    SkipIfNegative,
    walk,
)
from pyptogen.lower.isa import INSTRUCTIONS
from pyptogen.lower.isa.instruction import OTHER_TYPES
from pyptogen.lower.tensor.passes.host_scalars import as_number
from pyptogen.numerics.operations import Array
from pyptogen.records import replace
from pyptogen.simulate.fault import MachineFault
from pyptogen.simulate.fifos import Port
from pyptogen.simulate.gm import BoundWindow, GlobalMemory
from pyptogen.simulate.loops import LoopWalk
from pyptogen.simulate.meaning import MEANINGS, Shaped, meaning_of_call
from pyptogen.simulate.memory import BoundTile, Core


class BlockRun:
    """One block: ``env`` has the kernel's run-time integers, ``scalars`` its attrs; ``fifos``: of a mixed kernel."""

    def __init__(
        self,
        kernel: InstrKernel,
        core: Core,
        memory: GlobalMemory,
        env: Mapping[str, int],
        scalars: Mapping[str, float | int],
        block: int,
        blocks: int,
        fifos: Port | None = None,
    ) -> None:
        self.kernel, self.core, self.memory = kernel, core, memory
        self.env = dict(env)
        self.scalars = scalars
        self.loops = LoopWalk(self.env, scalars, memory, block, blocks, kernel.subblock)
        self.tiles: dict[str, BoundTile] = {}
        self.fifos = fifos
        self.known = {t.name for t in kernel.tensors} | {fifo.slot for fifo in kernel.fifos}
        self.writable = {t.name for t in kernel.writes}
        self.numbers: dict[int, float] = {}

    def run(self) -> None:
        """Run the whole block.

        Raises:
            MachineFault: the first thing that no machine may do.
        """
        self.core.clear()
        self.env |= {n.slot: 0 for n in walk(self.kernel.body) if isinstance(n, For) and n.slot is not None}
        self._body(self.kernel.body)

    def _body(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            if isinstance(node, Instr):
                self._instr(node)
            elif isinstance(node, Declare):
                self._declare(node)
            elif isinstance(node, For):
                for _ in self.loops.iterations(node):
                    self._body(node.body)
            elif isinstance(node, Choose):
                first = sum(self.env[name] for name in node.zero.split(" + ")) == 0
                self._instr(node.then if first else node.other)
            elif isinstance(node, ReadIndex):
                self.env[node.name] = self._index(node)
            elif isinstance(node, SkipIfNegative) and self.env[node.name] < 0:
                return

    def _index(self, node: ReadIndex) -> int:
        """The number that is read, made to fit where it is guarded."""
        index = self.memory.element(node.tensor, node.offset.evaluate(self.env), node.span)
        if node.per is not None:
            return -(-(index + node.plus.evaluate(self.env)) // node.per)
        if node.bound is None:
            return index
        bound = node.bound.evaluate(self.env)
        if node.skips:
            return index if index < bound else -1
        return min(max(index, 0), bound - 1)

    def _declare(self, node: Declare) -> None:
        numbers = (p.evaluate(self.env) for p in (node.address, node.rows.poly(), node.cols.poly()))
        self.tiles[node.name] = BoundTile(node, *numbers)

    # -- instructions -------------------------------------------------------------------------------------------------

    def _instr(self, instr: Instr) -> None:
        """One instruction. Adds it to what goes wrong inside, and makes operands that do not fit a fault with a
        place."""
        try:
            if instr.name == "TSTORE":
                self._store(instr)
            elif isinstance(instr.operands[0], FifoRef):
                self._fifo(instr)
            else:
                self._compute(instr)
        except MachineFault as fault:
            raise MachineFault(
                fault.kind,
                fault.what,
                instr.span,
                instr=instruction_text(instr),
                memory=fault.memory,
                begin=fault.begin,
                end=fault.end,
            ) from None
        except ValueError as error:
            raise MachineFault("extent", str(error), instr.span, instr=instruction_text(instr)) from error

    def _store(self, instr: Instr) -> None:
        window, name, *relu = instr.operands
        assert isinstance(window, GmWindow) and isinstance(name, str)
        if window.tensor not in self.writable:
            raise MachineFault("bounds", f"the kernel does not list `{window.tensor}` as written", instr.span)
        tile = self.tiles[name]
        self._check_dtype(instr, tile, window.dtype)
        bound = BoundWindow.of(window, self.env, instr.span)
        target = Shaped(window.dtype, bound.rows, bound.cols)
        self.memory.write(bound, MEANINGS[instr.name](target, self.core.read(tile), None, bool(relu)))

    def _fifo(self, instr: Instr) -> None:
        fifo, *rest = instr.operands
        assert isinstance(fifo, FifoRef) and self.fifos is not None
        if instr.name == "TPUSH":
            tile, *place = rest
            row = sum(p.evaluate(self.env) for p in place if isinstance(p, Poly))
            self.fifos.push(fifo.name, self.core.read(self.tiles[str(tile)]), instr.span, row)
        elif instr.name == "TPOP":
            self.memory.arrays[self.fifos.slot(fifo.name)] = self.fifos.pop(fifo.name, instr.span)
        else:
            self.fifos.free(fifo.name)
            del self.memory.arrays[self.fifos.slot(fifo.name)]

    def _compute(self, instr: Instr) -> None:
        """The row's effects say which operands are written (``w``), read and written (``u``), read, or scratch."""
        row = INSTRUCTIONS[instr.name]
        effects = iter(row.effects_for(sum(isinstance(o, str | GmWindow) for o in instr.operands)))
        names = row.form_of(len(instr.operands))
        written: list[BoundTile] = []
        scratch: list[BoundTile] = []
        arguments: list[Any] = []
        for operand, name in zip_longest(instr.operands, names[: len(instr.operands)]):
            if not isinstance(operand, str | GmWindow):
                arguments.append(self._value(operand))
                if isinstance(operand, Mode) and operand.saturate is not None:
                    arguments.append(operand.saturate)
                continue
            effect = next(effects)
            if isinstance(operand, GmWindow):
                arguments.append(
                    self._load(operand, None if row.typed == "read" else _shape_of(written[0]), instr.span)
                )
                continue
            tile = self.tiles[operand]
            if effect in "wu":
                written.append(tile)
            elif effect == "t":
                scratch.append(tile)
            if effect in "ru":
                if written and row.typed == "first" and name not in OTHER_TYPES:
                    self._check_dtype(instr, tile, written[0].declare.type.dtype)
                arguments.append(self.core.read(tile))
        targets = tuple(map(_shape_of, written))
        meaning = meaning_of_call(instr.name, instr.operands)
        results = meaning(targets if len(targets) > 1 else targets[0], *arguments)
        for tile in scratch:
            self.core.forget(tile)
        for tile, target, result in zip(written, targets, results if len(targets) > 1 else (results,), strict=True):
            if instr.name == "TGATHER" and target.rows == result.shape[0] == 1 and result.shape[1] < target.cols:
                # A pattern fills as much of its row as it takes.
                tile, target = replace(tile, cols=result.shape[1]), replace(target, cols=result.shape[1])
            if result.shape != target.shape or result.dtype != target.numpy:
                found = f"{result.shape} {result.dtype}"
                raise tile.fault("extent", f"is {target.shape} {target.dtype} and is given {found}")
            self.core.write(tile, result)

    def _value(self, operand: Any) -> float | int | str:
        if isinstance(operand, Imm):
            return self._number(operand)
        if isinstance(operand, Mode | Compare | Pattern):
            return operand.name
        assert isinstance(operand, Poly)
        return operand.evaluate(self.env)

    def _load(self, window: GmWindow, target: Shaped | None, span: Span) -> Array:
        if window.tensor not in self.known:
            raise MachineFault("bounds", f"the kernel does not list `{window.tensor}` as read", span)
        bound = BoundWindow.of(window, self.env, span)
        if target is not None and window.dtype != target.dtype:
            raise bound.fault("dtype", f"is {window.dtype}, the tile {target.dtype}", bound.offset)
        return self.memory.read(bound)

    def _number(self, imm: Imm) -> float | int:
        found = self.numbers.get(id(imm))
        if found is None:
            known = {**self.env, **self.scalars}
            values = {symbol: known[symbol.name] for symbol in imm.expr.free_symbols}
            found = as_number(imm.expr.subs(values))
            if all(symbol.name in self.scalars for symbol in values):  # another may change from iteration to iteration
                self.numbers[id(imm)] = found
        return found

    @staticmethod
    def _check_dtype(instr: Instr, tile: BoundTile, dtype: str) -> None:
        """``dtype`` is the other side's: equal, but for casts, products, and what an accumulator is rounded to."""
        own = tile.declare.type
        if instr.name == "TCVT":
            return
        legal = own.dtype == dtype
        if own.loc in ("ScaleLeft", "ScaleRight"):
            legal |= dtype == "fp32"
        elif own.loc in ("Left", "Right"):
            legal = dtype == ("int32" if own.dtype in ("int8", "uint8") else "fp32")
        elif own.loc == "Acc" and instr.name in ("TSTORE", "TEXTRACT", "TMOV"):
            legal |= own.dtype == "fp32" and dtype in ("bf16", "fp16")
        if not legal:
            raise tile.fault("dtype", f"is {own.dtype}, the other side of {instr.name} {dtype}")


def _shape_of(tile: BoundTile) -> Shaped:
    return Shaped(tile.declare.type.dtype, tile.rows, tile.cols)


def instruction_text(instr: Instr) -> str:
    """An instruction with its tiles and tensors, for messages."""
    shown = (o.tensor if isinstance(o, GmWindow) else o for o in instr.operands if isinstance(o, str | GmWindow))
    return f"{instr.name} {', '.join(shown)}"
