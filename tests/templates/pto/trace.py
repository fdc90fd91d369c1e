"""What a kernel does in one block, as a list of events: once from the `.pto` module, once from the instruction IR.

The two walks share nothing but the form of an event: instruction or flag, then per operand what it stands for: a tile's
memory, byte address and valid extents; a GM window's first element, and size and stride of each axis; a number.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from weakref import WeakKeyDictionary

from xdsl.dialects import arith, func, scf
from xdsl.dialects.builtin import FloatAttr, ModuleOp, VectorType
from xdsl.ir import Block, Operation

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Barrier,
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
    Relu,
    SetFlag,
    SkipIfNegative,
    walk,
)
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Condition, Fifo
from templates.pto.fifos import Give, InitializePipe, Take
from templates.pto.instructions import Instruction
from templates.pto.structure import (
    AddPtr,
    AllocTile,
    CacheInvalid,
    Flag,
    FlagDyn,
    GetBlockIdx,
    GetSubblockIdx,
    LoadScalar,
    MakeTensorView,
    PartitionView,
    SubView,
)
from templates.pto.structure import Barrier as BarrierOp
from templates.pto.types import TileBuf

Event = tuple[Any, ...]
ARITH: Mapping[str, Any] = {
    "arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b,
    "arith.minsi": min, "arith.maxsi": max,
    "arith.remui": lambda a, b: a % b, "arith.divui": lambda a, b: a // b, "arith.addf": lambda a, b: a + b,
    "arith.divsi": lambda a, b: int(a / b),
    "arith.mulf": lambda a, b: a * b, "arith.divf": lambda a, b: a / b, "math.sqrt": lambda a: a**0.5,
    "arith.index_cast": lambda a: a, "arith.sitofp": float, "arith.truncf": lambda a: a,
    "arith.minimumf": min, "arith.maximumf": max, "arith.select": lambda there, a, b: a if there else b,
}  # fmt: skip

PREDICATES: Mapping[int, Any] = {
    0: operator.eq, 1: operator.ne, 2: operator.lt, 3: operator.le, 4: operator.gt, 5: operator.ge,
}  # fmt: skip
"""Of `arith.cmpi`, for signed numbers."""
RELATIONS: Mapping[str, Any] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip


def index_at(offset: int) -> int:
    """Element of an index tensor: some negative, all small."""
    return offset * 7 % 5 - 1


def axes(sizes: Any, strides: Any) -> tuple[tuple[int, int], ...]:
    """(size, stride) of the axes that have more than one element."""
    return tuple((size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1)


@dataclass(slots=True)
class ModuleTrace:
    """Runs the one function of a module with numbers for its arguments; pointers are (tensor, first element)."""

    block: int
    subblock: int
    values: dict[int, Any]
    """What stands for an SSA value, by its `id`."""
    events: list[Event]
    pipes: dict[int, Any] = field(default_factory=dict)
    """Of each pipe: the fifo's memory and first element, and the strides of a slot."""

    @staticmethod
    def of(
        module: ModuleOp,
        names: Sequence[str],
        arguments: Mapping[str, Any],
        block: int,
        name: str | None = None,
        subblock: int = 0,
    ) -> list[Event]:
        """Events of one block of the function ``name``, or of the only one, on the vector core ``subblock``. ``names``
        are those of its arguments, in order: the hints in a module may lack what stands behind an underscore."""
        functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
        (function,) = [op for op in functions if name in (None, op.sym_name.data)]
        trace = ModuleTrace(block, subblock, {}, [])
        for argument, word in zip(function.body.block.args, names, strict=True):
            trace.values[id(argument)] = arguments.get(word, (word, 0))
        steps = _decoded.get(function)
        if steps is None:
            steps = _decoded[function] = decode(function.body.block)
        for step in steps:
            step(trace)
        return trace.events


Step: TypeAlias = Callable[[ModuleTrace], None]
_decoded: WeakKeyDictionary[func.FuncOp, list[Step]] = WeakKeyDictionary()
"""Functions are run many times, and xDSL takes long to say what an operation is."""


def decode(block: Block) -> list[Step]:
    """What each operation of a block does, in order."""
    return [step for op in block.ops if (step := decode_one(op)) is not None]


def decode_one(op: Operation) -> Step | None:
    """What an operation does, or None for the last one of a block, which hands on what its operands stand for."""
    given = [id(operand) for operand in op.operands]
    if isinstance(op, arith.ConstantOp):
        number = None if isinstance(op.result.type, VectorType) else op.value.value.data  # type: ignore[union-attr]
        assert number is None or isinstance(op.value, FloatAttr) or isinstance(number, int)
        return _result(op, lambda t: number)
    if isinstance(op, arith.CmpiOp):
        return _calculated(op, PREDICATES[op.predicate.value.data])
    if op.name in ARITH:
        return _calculated(op, ARITH[op.name])
    if isinstance(op, scf.ForOp):
        return _loop(op)
    if isinstance(op, scf.IfOp):
        return _branch(op)
    if isinstance(op, Instruction):
        *sources, destination = given
        words = (op.rmode, op.sat_mode, op.cmpMode, op.maskPattern, op.reluPreMode)
        mode = tuple(word.word.data.lower() for word in words if word)
        if op.exhausted is not None:
            *lists, scratch, _ = sources
            sources = [scratch, *lists]
        order, name = (destination, *sources), op.name
        return lambda t: t.events.append((name, *(t.values[value] for value in order), *mode))
    if isinstance(op, Flag):
        event: Event = (op.name, op.src.data, op.dst.data, op.event.data)
        return lambda t: t.events.append(event)
    if isinstance(op, FlagDyn):
        word, source, target, slot = op.name.removesuffix("_dyn"), op.src.data, op.dst.data, given[0]
        return lambda t: t.events.append((word, source, target, f"EVENT_ID{t.values[slot]}"))
    if isinstance(op, InitializePipe | Give | Take):
        return _pipe(op)
    if isinstance(op, BarrierOp):
        event = op.name, op.pipe.data
        return lambda t: t.events.append(event)
    if isinstance(op, CacheInvalid):
        return _forget
    if op.results:
        return _result(op, _made(op, given))
    assert op.name in ("func.return", "scf.yield"), op.name
    return None


def _result(op: Operation, value: Callable[[ModuleTrace], Any]) -> Step:
    at = id(op.results[0])

    def step(t: ModuleTrace) -> None:
        t.values[at] = value(t)

    return step


def _calculated(op: Operation, function: Callable[..., Any]) -> Step:
    given = [id(operand) for operand in op.operands]
    if len(given) == 2:
        left, right = given
        return _result(op, lambda t: function(t.values[left], t.values[right]))
    return _result(op, lambda t: function(*(t.values[value] for value in given)))


def _handed_on(block: Block) -> list[int]:
    return [id(value) for value in block.last_op.operands] if block.last_op is not None else []


def _loop(op: scf.ForOp) -> Step:
    bounds, state = [id(v) for v in op.operands[:3]], [id(v) for v in op.operands[3:]]
    first, *carried = [id(argument) for argument in op.body.block.args]
    results, last, body = [id(r) for r in op.results], _handed_on(op.body.block), decode(op.body.block)

    def step(t: ModuleTrace) -> None:
        at = t.values
        now = [at[value] for value in state]
        for i in range(*(at[value] for value in bounds)):
            at[first] = i
            at.update(zip(carried, now, strict=True))
            for inner in body:
                inner(t)
            now = [at[value] for value in last]
        at.update(zip(results, now, strict=True))

    return step


def _branch(op: scf.IfOp) -> Step:
    condition, results = id(op.operands[0]), [id(r) for r in op.results]
    true, false = (
        (decode(region.block), _handed_on(region.block)) if region.blocks else ([], [])
        for region in (op.true_region, op.false_region)
    )

    def step(t: ModuleTrace) -> None:
        body, last = true if t.values[condition] else false
        for inner in body:
            inner(t)
        if results:
            t.values.update(zip(results, [t.values[value] for value in last], strict=True))

    return step


def _pipe(op: InitializePipe | Give | Take) -> Step:
    name = op.name
    if isinstance(op, InitializePipe):
        entry = id(op.operands[0])
        number, way, size, slots = (op.properties[key].value.data for key in op.KEYS)  # type: ignore[attr-defined]

        def initialize(t: ModuleTrace) -> None:
            fifo, first, strides = t.values[entry]
            t.pipes[number] = (fifo, first), strides
            t.events.append((name, (fifo, first), way, size, slots))

        return initialize
    pipe, taken = op.id.value.data, id(op.entry) if isinstance(op, Take) else None

    def hand_over(t: ModuleTrace) -> None:
        slot, strides = t.pipes[pipe]
        t.events.append((name, slot))
        if taken is not None:
            t.values[taken] = slot, 0, strides

    return hand_over


def _forget(t: ModuleTrace) -> None:
    assert not t.events, "numbers in GM are forgotten before all else"


def _made(op: Operation, given: list[int]) -> Callable[[ModuleTrace], Any]:
    """What an operation of the pto dialect stands for."""
    if isinstance(op, GetBlockIdx):
        return lambda t: t.block
    if isinstance(op, GetSubblockIdx):
        return lambda t: t.subblock
    if isinstance(op, AddPtr):

        def further(t: ModuleTrace) -> Any:
            (tensor, first), offset = (t.values[value] for value in given)
            return tensor, first + offset

        return further
    if isinstance(op, LoadScalar):
        return lambda t: index_at(t.values[given[0]][1] + t.values[given[1]])
    if isinstance(op, MakeTensorView):
        pointer, pitches = id(op.ptr), [id(s) for s in op.strides]
        return lambda t: (*t.values[pointer], [t.values[s] for s in pitches])
    if isinstance(op, PartitionView):
        source, offsets, sizes = id(op.source), [id(o) for o in op.offsets], [id(s) for s in op.sizes]

        def part(t: ModuleTrace) -> Any:
            at = t.values
            tensor, first, strides = at[source]
            first += sum(at[o] * stride for o, stride in zip(offsets, strides, strict=True))
            return tensor, first, axes([at[s] for s in sizes], strides)

        return part
    if isinstance(op, SubView):
        kind = op.result.type
        assert isinstance(kind, TileBuf)
        logical, offsets, valid = kind.logical_valid, [id(o) for o in op.offsets], [id(v) for v in op.valid]

        def within(t: ModuleTrace) -> Any:
            loc, address, _ = t.values[given[0]]
            first = [t.values[offset] for offset in offsets]
            run_time = [t.values[value] for value in valid] or [None, None]
            return (loc, address, _extents(logical, run_time), *([first] if any(first) else []))

        return within
    assert isinstance(op, AllocTile), op
    assert isinstance(op.result.type, TileBuf)
    loc, extents, address = op.result.type.loc.data, op.result.type.logical_valid, id(op.addr)
    run_time = [None if value is None else id(value) for value in (op.valid_row, op.valid_col)]
    return lambda t: (loc, t.values[address], _extents(extents, [v and t.values[v] for v in run_time]))


def _extents(logical: Sequence[int | None], run_time: Sequence[int | None]) -> tuple[int | None, ...]:
    """The valid extents of a tile, in elements, with those of run time."""
    return tuple(r if v is None else v for v, r in zip(logical, run_time, strict=True))


class TooLong(Exception):
    """A walk has more events than it may."""


class AtMost(list[Event]):
    """The events of a walk that may have so many."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most

    def append(self, event: Event) -> None:
        if len(self) == self.most:
            raise TooLong
        super().append(event)


@dataclass(slots=True)
class KernelTrace:
    """Runs the nodes of a kernel with the same numbers."""

    names: dict[str, Any]
    block: int
    tiles: dict[str, Declare]
    events: list[Event]
    fifos: dict[str, Fifo] = field(default_factory=dict)
    """Fifos by their own names and by those of their popped slots."""
    core: str = ""
    subblock: str | None = None
    distributed: int = 0
    """How many distributed loops are open."""
    tiles_passed: int = 0
    """Iterations of the innermost of them so far, of all blocks."""
    platform: str = ""

    @staticmethod
    def ends(kernel: InstrKernel, arguments: Mapping[str, Any], most: int) -> bool:
        """Whether the first block has no more than so many events."""
        try:
            KernelTrace.of(kernel, arguments, 0, events=AtMost(most))
        except TooLong:
            return False
        return True

    @staticmethod
    def of(
        kernel: InstrKernel,
        arguments: Mapping[str, Any],
        block: int,
        subblock: int = 0,
        events: list[Event] | None = None,
    ) -> list[Event]:
        """Events of one block on the vector core ``subblock``, added to ``events`` where they are given."""
        counters = {n.slot: 0 for n in walk(kernel.body) if isinstance(n, For) and n.slot}
        fifos = {name: fifo for fifo in kernel.fifos for name in (fifo.name, fifo.slot)}
        numbers = {**arguments, **counters, **({kernel.subblock: subblock} if kernel.subblock else {})}
        kind = {"core": kernel.core, "subblock": kernel.subblock, "platform": kernel.platform}
        trace = KernelTrace(numbers, block, {}, [] if events is None else events, fifos, **kind)
        for fifo in kernel.fifos:
            word = "aic" if kernel.core == "cube" else "aiv"
            size = fifo.rows * fifo.cols * DTYPES[fifo.dtype]
            way = 1 if fifo.to == "vector" else 2
            trace.events.append((f"pto.{word}_initialize_pipe", trace.slot(fifo), way, size, fifo.slots))
        trace.run(kernel.body)
        return trace.events

    def run(self, nodes: tuple[Node, ...]) -> None:
        for node in nodes:
            if isinstance(node, SkipIfNegative) and self.names[node.name] < 0:
                return
            self.step(node)

    def takes_place(self, only: Condition) -> bool:
        """Whether the condition of an iteration holds, whose body knows the elements that were read for it."""
        for e in only.elements:
            self.names[e.name] = self.guarded(ReadIndex(e.name, e.tensor, e.offset, e.span, e.bound))
        known, owner = self.names, only.owner
        if owner is not None and owner.at.evaluate(known) // owner.tile % known["nblk"] != self.block:
            return False
        return all(RELATIONS[c.relation](c.left.evaluate(known), c.right.evaluate(known)) for c in only.comparisons)

    def guarded(self, node: ReadIndex) -> int:
        """An index as a kernel goes on with it: the nearest that names a place, or -1 where one beyond them skips."""
        read = index_at(node.offset.evaluate(self.names))
        if node.per is not None:
            return int((read + node.plus.evaluate(self.names) + node.per - 1) / node.per)
        if node.bound is None:
            return read
        bound = node.bound.evaluate(self.names)
        if node.skips:
            return read if read < bound else -1
        return min(max(read, 0), bound - 1)

    def step(self, node: Node) -> None:
        if isinstance(node, For):
            start, stop = (p.evaluate(self.names) for p in (node.start, node.stop))
            assert not node.parallel or (node.after, node.before) == (None, None)
            holds_tiles = node.parallel and not (isinstance(node.body[0], For) and node.body[0].parallel)
            if node.parallel and not self.distributed:
                self.tiles_passed = 0
            self.distributed += node.parallel
            rounds = range(start, stop, node.advance)
            for i in rounds[:1] if node.once else rounds:
                if holds_tiles:
                    self.tiles_passed += 1
                    if (self.tiles_passed - 1) % self.names["nblk"] != self.block:
                        continue
                ends = i + node.step
                if node.after is not None and ends <= node.after.evaluate(self.names):
                    continue
                if node.before is not None and i >= node.before.evaluate(self.names):
                    continue
                self.names[node.var] = i
                if node.valid:
                    self.names[node.valid] = min(node.step, stop - i)
                if node.only is not None and not self.takes_place(node.only):
                    continue
                if node.half:
                    valid = self.names[str(node.valid)]
                    half = valid - valid // 2
                    first = valid - half if self.names[str(self.subblock)] else 0
                    self.names |= zip(node.half, (first, half), strict=True)
                self.run(node.body)
                if node.slot is not None:
                    self.names[node.slot] = (self.names[node.slot] + 1) % node.slots
            self.distributed -= node.parallel
        elif isinstance(node, Declare):
            self.tiles[node.name] = node
        elif isinstance(node, ReadIndex):
            self.names[node.name] = self.guarded(node)
        elif isinstance(node, Choose):
            first = sum(self.names[name] for name in node.zero.split(" + ")) == 0
            self.step(node.then if first else node.other)
        elif isinstance(node, Instr):
            self.instr(node)
        elif isinstance(node, Barrier):
            self.events.append(("pto.barrier", f"PIPE_{node.pipe}"))
        elif not isinstance(node, SkipIfNegative):
            word = "set" if isinstance(node, SetFlag) else "wait"
            pipes = (f"PIPE_{node.src}", f"PIPE_{node.dst}")
            event = node.event + (self.names[node.slot] if node.slot else 0)
            self.events.append((f"pto.{word}_flag", *pipes, f"EVENT_ID{event}"))

    def slot(self, fifo: Fifo) -> Any:
        """A fifo's memory, and where this block's part of it begins."""
        return fifo.name, self.block * fifo.slots * fifo.rows * fifo.cols

    def fifo(self, node: Instr, fifo: Fifo) -> None:
        """A push is a slot taken, a store into it with the pitch of a whole tile, and the slot handed over."""
        other = "aiv" if self.core == "cube" else "aic"
        if node.name == "TPUSH":
            loc, address, valid = self.operand(node.operands[1])
            row = self.operand(node.operands[2]) if len(node.operands) > 2 else 0
            window = self.slot(fifo), row * fifo.cols, axes(valid, (fifo.cols, 1))
            self.events.append((f"pto.talloc_to_{other}", self.slot(fifo)))
            self.events.append(("pto.tstore", window, (loc, address, valid)))
            self.events.append((f"pto.tpush_to_{other}", self.slot(fifo)))
        else:
            word = {"TPOP": "tpop", "TFREE": "tfree"}[node.name]
            self.events.append((f"pto.{word}_from_{other}", self.slot(fifo)))

    def instr(self, node: Instr) -> None:
        if isinstance(node.operands[0], FifoRef):
            self.fifo(node, self.fifos[node.operands[0].name])
            return
        operands = [self.operand(o) for o in node.operands]
        if node.name == "TGATHER" and isinstance(
            node.operands[-1], Pattern
        ):  # the last columns may be none of the source's: nobody reads what comes of them
            ((*result, (lines, kept)), (*source, (rows, _)), pattern) = operands
            step, taken = {"p0101": 2, "p1010": 2}.get(pattern, 4), self.tiles[str(node.operands[1])].type.cols
            kept = min(kept, taken // step)
            operands[:2] = (*result, (lines, kept)), (*source, (rows, kept * step))
        wide = isinstance(node.operands[0], str) and self.tiles[node.operands[0]].type.dtype in ("int32", "uint32")
        if node.name in ("TANDS", "TORS") and wide and self.platform == "a2a3":  # the device's headers do it so
            result, source, number = operands
            self.events += [("pto.texpands", result, number), ("pto.barrier", "PIPE_V")]
            self.events.append((f"pto.{node.name.lower().removesuffix('s')}", result, source, result))
            return
        name = {"TMATMUL_ACC": "tmatmul.acc", "TFILLPAD_INPLACE": "tfillpad"}.get(node.name, node.name.lower())
        saturation = [
            {True: "on", False: "off"}[o.saturate]
            for o in node.operands
            if isinstance(o, Mode) and o.saturate is not None
        ]
        self.events.append((f"pto.{name}", *operands, *saturation))

    def operand(self, operand: Any) -> Any:
        if isinstance(operand, Mode | Compare | Pattern):
            return operand.name.lower()
        if isinstance(operand, Relu):
            return "normal_relu"
        if isinstance(operand, Imm):
            return float(operand.expr.subs({s: self.names[s.name] for s in operand.expr.free_symbols}))
        if isinstance(operand, Poly):
            return operand.evaluate(self.names)
        if isinstance(operand, GmWindow):
            return self.window(operand)
        tile = self.tiles[operand]
        valid = tuple(extent.poly().evaluate(self.names) for extent in (tile.rows, tile.cols))
        return tile.type.loc.lower(), tile.address.evaluate(self.names), valid

    def window(self, window: GmWindow) -> Any:
        first, rows, cols, row, col = (
            p.evaluate(self.names)
            for p in (window.offset, window.rows.poly(), window.cols.poly(), window.row_stride, window.col_stride)
        )
        if window.tensor in self.fifos:  # of a slot, whose rows lie apart as those of a whole tile
            fifo = self.fifos[window.tensor]
            assert (col, window.layout) == (1, "ND")
            return self.slot(fifo), first // row * fifo.cols + first % row, axes((rows, cols), (fifo.cols, 1))
        if window.layout != "NZ":
            return window.tensor, first, axes((rows, cols), (row, col))
        c0 = 32 // DTYPES[window.dtype]
        return window.tensor, first, axes((-(-cols // c0), -(-rows // 16), 16, c0), (row * c0, 16 * c0, c0, 1))
