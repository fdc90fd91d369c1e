"""The lines of one kernel's body: one for each instruction, each group under the line of the spec that it serves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyptogen.diagnostics import Span
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
    Mode,
    Node,
    Pass,
    Pattern,
    ReadIndex,
    Relu,
    SetFlag,
    SkipIfNegative,
    TileType,
    WaitFlag,
)
from pyptogen.lower.origins import Origin
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import Fifo, distributed_nest
from pyptogen.records import replace
from pyptogen.templates.cpp_names import C_TYPES, count_type
from pyptogen.templates.k_loops import KLoopEnds, k_loop_ends
from pyptogen.templates.kernel_fifos import offset_line, pipe_call, slot_line, view_line
from pyptogen.templates.kernel_loops import (
    condition_lines,
    half_lines,
    loop_lines,
    next_slot,
    product_lines,
    rounded_up,
    skip_lines,
)
from pyptogen.templates.kernel_passes import PassText, carried_rows
from pyptogen.templates.kernel_types import Aliases, gm_arguments
from pyptogen.templates.merges import is_merge_of_lists
from pyptogen.templates.node_origins import NodeOrigins

ROUND_MODES = {
    "none": "CAST_NONE", "rint": "CAST_RINT", "round": "CAST_ROUND", "floor": "CAST_FLOOR", "ceil": "CAST_CEIL",
    "trunc": "CAST_TRUNC", "odd": "CAST_ODD",
}  # fmt: skip
INDENT = "    "


@dataclass(slots=True)
class Writer:
    """Collects the lines of one kernel body and the aliases they need."""

    source: Callable[[Span], str]
    origins: NodeOrigins
    sites: Mapping[Span, int]
    aliases: Aliases = field(default_factory=Aliases)
    types: dict[str, TileType] = field(default_factory=dict)
    """Tiles declared so far."""
    declared: dict[str, Declare] = field(default_factory=dict)
    """The same with their extents."""
    lines: list[str] = field(default_factory=list)
    traced: list[Origin] = field(default_factory=list)
    """Of each line, what it comes from."""
    origin: Origin = field(default_factory=Origin)
    """Of the next line."""
    spoken: Span | None = None
    objects: list[dict[int, tuple[GmWindow, str]]] = field(default_factory=list)
    """The windows of each open body and the names of their GlobalTensors, by the window's id: equal ones are two."""
    far: frozenset[str] = frozenset()
    """Tensors to which stores of passes may go around the cache."""
    taken: frozenset[str] = frozenset()
    """Names of arguments, tiles and loop variables."""
    fixed: frozenset[str] = frozenset()
    """Names of arguments and loop variables."""
    fifos: dict[str, Fifo] = field(default_factory=dict)
    """The fifos of a mixed kernel, by name."""
    subblock: str | None = None
    """The number of the vector core, where two share the rows of tiles."""
    told: bool = False
    """Whether fifos are told that number, instead of asking the device."""
    wide: bool = False
    """Whether loops count in int64."""
    loops: list[For] = field(default_factory=list)
    """Those that are open, the innermost last."""
    nests: int = 0
    """How many nests of loops that are distributed together are written so far."""
    room: Mapping[str, int] = field(default_factory=dict)
    """Bytes of the memory of each location, where TASSIGN can compare them with an address that is a number."""

    # -- lines ----------------------------------------------------------------------------------------------------

    def put(self, depth: int, text: str) -> None:
        self.lines.append(f"{INDENT * depth}{text}" if text else "")
        self.traced.append(self.origin)

    def speak(self, depth: int, span: Span) -> None:
        """The spec line that the next instructions serve, once."""
        if self.spoken is not None and (span.line, span.file) == (self.spoken.line, self.spoken.file):
            return
        self.spoken, before = span, self.origin
        self.origin = self.origins.comment(span)
        self.put(depth, f"// {self.source(span)}")
        self.origin = before

    def body(self, nodes: tuple[Node, ...], depth: int) -> None:
        self.objects.append({})
        before = self.origin
        for i, node in enumerate(nodes):
            self.origin = self.origins.node(node)
            if isinstance(node, Declare):
                self.announce(nodes[i:], depth)
            getattr(self, f"on_{type(node).__name__.lower()}")(node, depth)
        self.origin = before
        self.objects.pop()

    def announce(self, nodes: tuple[Node, ...], depth: int) -> None:
        """The spec line of the instruction that a group of declarations is for, above the group."""
        for node in nodes:
            if isinstance(node, For | SetFlag):
                return
            if isinstance(node, Instr | Choose):
                self.speak(depth, node.span)
                return
            if isinstance(node, Pass):
                return

    def on_declare(self, node: Declare, depth: int) -> None:
        valid = [e.valid.c() for e in (node.rows, node.cols) if e.valid is not None]
        arguments = f"({', '.join(valid)})" if valid else ""
        self.types[node.name], self.declared[node.name] = node.type, node
        address = node.address.constant
        where = f"0x{address:05x}" if address is not None else self.address_text(node.address)
        aligned = f" {node.name}.SetKAligned(true);" if node.type.k_aligned else ""
        tile = f"{self.aliases.tile(node.type)} {node.name}{arguments};{aligned}"
        fits = address is not None and address + _capacity(node.type) <= self.room.get(node.type.loc, 0)
        place = f"TASSIGN<{where}>({node.name})" if fits else f"TASSIGN({node.name}, {where})"
        self.put(depth, f"{tile} {place};  // {node.note}")

    @staticmethod
    def address_text(address: Poly) -> str:
        """An address that changes from iteration to iteration: its first value, and a step for each name."""
        base = dict(address.terms).get((), 0)
        terms = sorted((t for t in address.terms if t[0]), key=lambda t: t[1] < 0)
        steps = [f" {'-' if step < 0 else '+'} {' * '.join(names)} * 0x{abs(step):05x}" for names, step in terms]
        return f"0x{base:05x}{''.join(steps)}"

    def on_for(self, node: For, depth: int) -> None:
        """The loop, or the condition that a loop of at most one iteration is."""
        if node.note:
            self.put(depth, f"// {node.note}")
        count = count_type(self.wide)
        if len(nest := distributed_nest(node)) > 1:
            self.nests += 1
            lines, places = product_lines(nest, count, self.nests)
            for line in lines:
                self.put(depth, line)
            for loop, place in zip(nest, places, strict=True):
                self.put(depth + 1, place)
                self.valid_lines(loop, depth)
            self.within(nest, depth)
            self.put(depth, "}")
            return
        for line in condition_lines(node, count) if node.once else loop_lines(node, count):
            self.put(depth, line)
        self.valid_lines(node, depth)
        self.within((node,), depth)
        if node.only is not None and node.slot:
            self.put(depth + 1, f"{next_slot(node)};")
        self.put(depth, "}")

    def within(self, nest: Sequence[For], depth: int) -> None:
        """The body of the last of some loops."""
        self.loops += nest
        self.body(nest[-1].body, depth + 1)
        del self.loops[-len(nest) :]

    def valid_lines(self, node: For, depth: int) -> None:
        """What an iteration of a loop has of its tile, and whether it takes place."""
        if node.valid:
            left = (node.stop - node.var).c()
            valid = f"{left} < {node.step} ? {left} : {node.step}"
            valid = f"static_cast<int32_t>({valid})" if self.wide else valid
            self.put(depth + 1, f"const int32_t {node.valid} = {valid};")
        if node.only is not None:
            self.speak(depth + 1, node.only.span)
            for e in node.only.elements:
                self.on_readindex(ReadIndex(e.name, e.tensor, e.offset, e.span, e.bound), depth + 1)
            for line in skip_lines(node.only):
                self.put(depth + 1, line)
        if node.half is not None:
            for line in half_lines(node, str(self.subblock)):
                self.put(depth + 1, line)

    def on_instr(self, node: Instr, depth: int) -> None:
        self.speak(depth, node.span)
        self.windows(node, depth)
        popped = next((self.fifos[o.name] for o in node.operands if isinstance(o, FifoRef)), None)
        if popped is not None and node.name == "TPOP":
            self.put(depth, view_line(popped))
        if popped is not None and node.name == "TPUSH" and self.subblock is not None:
            offset = offset_line(node, popped, self.declared[str(node.operands[1])], self.subblock)
            if offset is not None:
                self.put(depth, offset)
        self.put(depth, f"{self.call(node, node.phase.name if node.phase is not None else '')};")
        if popped is not None and node.name == "TPOP":
            self.put(depth, slot_line(popped))

    def windows(self, node: Instr, depth: int) -> None:
        for operand in node.operands:
            if isinstance(operand, GmWindow):
                self.put(
                    depth,
                    f"{self.aliases.gm(operand)} {self.gm_name(node, operand)}({gm_arguments(operand)});",
                )

    def call(self, node: Instr, phase: str = "") -> str:
        """``phase``: that of a product or a store which unit flags order."""
        fifo = next((o for o in node.operands if isinstance(o, FifoRef)), None)
        if fifo is not None:
            told = self.subblock if self.told else None
            return pipe_call(node, self.fifos[fifo.name], self.types, self.aliases.tile, told)
        operands = [self.operand(node, o) for o in node.operands if not isinstance(o, Pattern | Relu)]
        # The type of its first number and the direction (0: ascending) cannot be deduced from what TCI is given.
        name = node.name
        if name == "TCI":
            kind = self.types[operands[0]]
            name = f"TCI<{self.aliases.tile(kind)}, {C_TYPES[kind.dtype]}, 0>"
        elif any(isinstance(o, Relu) for o in node.operands):
            window, tile = node.operands[0], operands[1]
            assert isinstance(window, GmWindow)
            types = f"{self.aliases.tile(self.types[tile])}, {self.aliases.gm(window)}"
            first = f"STPhase::{phase}, " if phase else ""
            name = f"TSTORE<{first}{types}, AtomicType::AtomicNone, ReluPreMode::NormalRelu>"
        elif phase:
            name = f"{name}<{'STPhase' if name == 'TSTORE' else 'AccPhase'}::{phase}>"
        elif name == "TGATHER" and isinstance(node.operands[-1], Pattern):
            pattern = node.operands[-1].name
            types = ", ".join(self.aliases.tile(self.types[o]) for o in operands)
            name = f"TGATHER<{types}, MaskPattern::{pattern}>"
        elif is_merge_of_lists(node):
            types = ", ".join(self.aliases.tile(self.types[o]) for o in operands)
            name = f"TMRGSORT<{types}, false>"
            operands.insert(1, "taken")
        return f"{name}({', '.join(operands)})"

    def gm_name(self, node: Instr, window: GmWindow) -> str:
        """Name of a GlobalTensor object: after its tensor, one of its own in each body."""
        known = self.objects[-1]
        if id(window) not in known:
            base = f"{window.tensor}_{'out' if node.name == 'TSTORE' else 'in'}"
            name, n = base, 1
            while name in {taken for _, taken in known.values()} or name in self.taken:
                n += 1
                name = f"{base}_{n}"
            known[id(window)] = window, name
        return known[id(window)][1]

    def loaded_name(self, window: GmWindow) -> str:
        """Name of the GlobalTensor that this body loads such a window by."""
        return next(name for known, name in self.objects[-1].values() if known == window)

    def operand(self, node: Instr, operand: Any) -> str:
        if isinstance(operand, GmWindow):
            return self.gm_name(node, operand)
        if isinstance(operand, Imm):
            return operand.text
        if isinstance(operand, Mode):
            saturation = {None: "", True: ", SaturationMode::ON", False: ", SaturationMode::OFF"}[operand.saturate]
            return f"RoundMode::{ROUND_MODES[operand.name]}{saturation}"
        if isinstance(operand, Compare):
            return f"CmpMode::{operand.name.upper()}"
        return operand.c() if isinstance(operand, Poly) else str(operand)

    def on_pass(self, node: Pass, depth: int) -> None:
        """TPASS: the windows it moves, then a line for each of its instructions."""
        for member in node.members:
            self.windows(member, depth)
        carried = carried_rows(node)
        if carried is not None:
            self.speak(depth, node.span)
            far = ", far" if carried.to.tensor in self.far else ""
            to, source = (
                self.gm_name(m, w) for m, w in ((node.members[1], carried.to), (node.members[0], carried.source))
            )
            self.put(depth, f"TCARRY({to}, {source}{far});")
            return
        left = frozenset(name for name, kind in self.types.items() if kind.loc == "Left")
        ahead = tuple((self.loaded_name(window), rows) for window, rows in node.ahead)
        text = PassText(node, self.gm_name, ahead, self.far, left, self.fixed)
        text.write()
        parameters = "".join(f", auto &{name}" for name in text.operands)
        rows, cols = (e.poly().c() for e in (node.rows, node.cols))
        together = "<4>" if node.interleaved else ""
        self.put(depth, f"TPASS{together}({rows}, {cols}, [&](auto at{parameters}) {{")
        whole = self.origin
        for member, line in text.lines:
            self.origin = replace(self.origins.node(member), made_by=whole.made_by)
            self.speak(depth + 1, member.span)
            self.put(depth + 1, line)
        self.origin = whole
        self.put(depth, f"}}{''.join(f', {o}' for o in text.operands.values())});")

    def on_choose(self, node: Choose, depth: int) -> None:
        self.speak(depth, node.span)
        phase = node.other.phase
        ends = k_loop_ends(self.loops[-phase.loops :]) if phase is not None else None
        self.put(depth, f"if ({node.zero} == 0) {{")
        self.step(node.then, ends.first if ends is not None else "", ends, depth)
        if ends is not None and not ends.other:
            self.put(depth, f"}} else if ({ends.more}) {{")
            self.put(depth + 1, f"{self.call(node.other, 'Partial')};")
        self.put(depth, "} else {")
        self.put(depth + 1, f"{self.call(node.other, 'Final' if ends is not None else '')};")
        self.put(depth, "}")

    def step(self, node: Instr, phase: str, ends: KLoopEnds | None, depth: int) -> None:
        """The first step of a K loop; where the same step may be the last one or not, it says which."""
        if ends is None or phase:
            self.put(depth + 1, f"{self.call(node, phase)};")
            return
        self.put(depth + 1, f"if ({ends.more}) {{")
        self.put(depth + 2, f"{self.call(node, 'Partial')};")
        self.put(depth + 1, "} else {")
        self.put(depth + 2, f"{self.call(node, 'Final')};")
        self.put(depth + 1, "}")

    def on_readindex(self, node: ReadIndex, depth: int) -> None:
        read = f"{node.tensor}[{node.offset.c(wide=True)}]"
        if node.bound is not None:
            guard = "index_or_skip" if node.skips else "index_inside"
            read = f"{guard}({read}, {node.bound.c(wide=True)}, {self.sites.get(node.span, 0)})"
        if node.per is not None:
            self.speak(depth, node.span)
            read = rounded_up(read, node.plus, node.per)
        self.put(depth, f"const int64_t {node.name} = {read};")

    def on_skipifnegative(self, node: SkipIfNegative, depth: int) -> None:
        self.put(depth, f"if ({node.name} < 0) {{  // {node.note}")
        self.put(depth + 1, "continue;")
        self.put(depth, "}")

    def on_setflag(self, node: SetFlag, depth: int) -> None:
        self.put_flag(node, depth)

    def on_waitflag(self, node: WaitFlag, depth: int) -> None:
        self.put_flag(node, depth)

    def put_flag(self, node: SetFlag | WaitFlag, depth: int) -> None:
        """A flag on a line of its own, or beside the one before it, if that is the same of the copy before."""
        first = _flag(replace(node, event=node.event - 1))
        if node.note and self.lines[-1:] == [f"{INDENT * depth}{first}{_note(node.note)}"]:
            self.lines.pop()
            self.traced.pop()
            self.put(depth, f"{first} {_flag(node)}{_note(node.note)}")
        else:
            self.put(depth, f"{_flag(node)}{_note(node.note)}")

    def on_barrier(self, node: Barrier, depth: int) -> None:
        self.put(depth, f"pipe_barrier(PIPE_{node.pipe});")


def _capacity(kind: TileType) -> int:
    """Bytes of a tile as the static checks of TASSIGN count them: all of its rows, also those that an alignment alone
    has added and that have no memory, and a byte for each number of four bits."""
    return kind.rows * kind.cols * DTYPES[kind.dtype]


def _note(note: str) -> str:
    return f"  // {note}" if note else ""


def _flag(node: SetFlag | WaitFlag) -> str:
    name = "set_flag" if isinstance(node, SetFlag) else "wait_flag"
    return f"{name}(PIPE_{node.src}, PIPE_{node.dst}, {_event(node)});"


def _event(node: SetFlag | WaitFlag) -> str:
    if node.slot is None:
        return f"EVENT_ID{node.event}"
    return f"event_t({node.event} + {node.slot})" if node.event else f"event_t({node.slot})"
