"""Reads the text of the Instruction level that `printer` writes, for trying one pass alone.

The source locations of tiles are not in that text. `, line N` at the end of a tile says that it comes from line N;
tiles of one line are steps of one value (`in-place`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, cast, get_args

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
    Operand,
    Pass,
    Pattern,
    Phase,
    Pipe,
    ReadIndex,
    Relu,
    SetFlag,
    SkipIfNegative,
    TileType,
    WaitFlag,
)
from pyptogen.lower.instruction.printer import FLAGS
from pyptogen.lower.tile.parser import EXTENT, Parser, split_operands
from pyptogen.records import replace

_PIPE = "|".join(get_args(Pipe))
_KERNEL = re.compile(r"kernel (?P<name>\w+) \((?P<core>cube|vector|mixed)\) on (?P<platform>\w+) stages (?P<stages>.*)")
_LOOP = re.compile(
    r"for (?P<var>\w+) in (?P<start>.+?)\.\.(?P<stop>.+?) step (?P<step>\d+)(?: every (?P<every>\d+))?"
    r"(?: \((?P<valid>\w+) valid\))?"
    r"(?: after (?P<after>.+?))?(?: before (?P<before>.+?))?(?P<once> once)?(?: if \((?P<only>.*)\))?"
    r"(?: half (?P<first>\w+), (?P<half>\w+))?(?: index_set (?P<index_set>\w+))?"
    r"(?: buffer (?P<slot>\w+) of (?P<slots>\d+))?(?P<parallel> parallel)?(?: -- (?P<note>.*))?"
)
_TILE = re.compile(
    r"tile (?P<name>\w+): (?P<loc>\w+) (?P<dtype>\w+)\[(?P<rows>\d+), (?P<cols>\d+)\]"
    rf" holds (?P<valid_rows>\?|\d+) x (?P<valid_cols>\?|\d+)(?P<flags>(?: (?:{'|'.join(FLAGS)}))*)"
    r"(?: pad (?P<pad>\w+))?,"
    rf" valid (?P<own_rows>{EXTENT}) x (?P<own_cols>{EXTENT}) at (?P<address>.+), (?P<size>\d+) bytes of (?P<owner>\w+)"
    r"(?:, (?P<whole>\d+) in all)?(?:, line (?P<line>\d+))?(?: -- (?P<note>.*))?"
)
_WINDOW = re.compile(
    rf"(?P<tensor>\w+)\[(?P<offset>[^;\]]*); (?P<rows>{EXTENT}) x (?P<cols>{EXTENT}),"
    r" strides (?P<row_stride>[^,\]]*), (?P<col_stride>[^\]]*)\] (?P<layout>\w+) (?P<dtype>\w+)"
    r"(?P<unordered> unordered)?"
)
_INSTR = re.compile(
    r"(?P<name>[A-Z]\w*)(?:<(?P<phase>Partial|Final)(?: at the end of (?P<loops>\d+))?>)?"
    rf"(?: (?P<operands>.*?))?  ; (?P<pipe>{_PIPE})(?: @ (?P<stage>\w+))?"
)
_PASS = re.compile(
    rf"pass over (?P<rows>{EXTENT}) x (?P<cols>{EXTENT}), keeps \((?P<kept>.*?)\), tiles \((?P<tiles>.*?)\),"
    r" of \((?P<dtypes>.*?)\)(?P<interleaved>, four vectors at a time)?"
)
_FLAG = re.compile(
    rf"(?P<word>set|wait) (?P<src>{_PIPE}) -> (?P<dst>{_PIPE}) #(?P<event>\d+)(?: \+ (?P<slot>\w+))?"
    r"(?: -- (?P<note>.*))?"
)
_READ = re.compile(
    r"(?P<name>\w+) = read (?P<tensor>\w+)\[(?P<offset>.*?)\](?: plus (?P<plus>.+?) per (?P<per>\d+))?"
    r"(?: below (?P<bound>.+?))?(?P<skips> or skip)?"
)
_SKIP = re.compile(r"continue if (?P<name>\w+) < 0(?: -- (?P<note>.*))?")
_BARRIER = re.compile(rf"barrier (?P<pipe>{_PIPE}|ALL)")
_CHOOSE = re.compile(r"first where (?P<zero>.+) is 0")
_AHEAD = re.compile(r"ahead by (?P<rows>.+?): (?P<window>.*)")


def parse_kernels(text: str, file: str = "<text>") -> list[InstrKernel]:
    """All kernels of a text.

    Raises:
        DiagnosticError: PTG104, a line is none of the Instruction level.
    """
    reader = _Reader(Parser(text, file, "Instruction"))
    kernels: list[InstrKernel] = []
    while not reader.lines.is_done():
        kernels.append(reader.kernel())
    return kernels


class _Reader:
    def __init__(self, lines: Parser) -> None:
        self.lines = lines
        self.stage = ""

    def kernel(self) -> InstrKernel:
        lines, span = self.lines, self.lines.span()
        head = lines.take(_KERNEL, "kernel NAME (cube|vector|mixed) on TARGET stages NAME, …")
        lines.at += 1
        stages = tuple(head["stages"].split(", "))
        self.stage = stages[0]
        tensors = {tensor.name: tensor for tensor in lines.all("tensor ", lines.tensor)}
        reads, writes = lines.access()
        arguments = lines.names("arguments")
        scalars = tuple(cast("tuple[str, str]", tuple(pair.split())) for pair in lines.names("scalars"))
        lines.scalars = tuple(name for name, _ in scalars)
        dims = lines.names("dims")
        (launch_dim,) = lines.names("launch_dim") or (None,)
        used = tuple((memory, int(size)) for memory, size in (pair.split() for pair in lines.names("memory")))
        fifos = tuple(lines.all("fifo ", lines.fifo))
        subblock = lines.subblock()
        wide = lines.starts("counts in int64")
        lines.at += wide
        return InstrKernel(
            head["name"], cast(Any, head["core"]), head["platform"], stages, tuple(tensors[name] for name in writes),
            tuple(tensors[name] for name in reads), scalars, arguments, launch_dim, dims, self.body(0), used, span,
            fifos, subblock, wide,
        )  # fmt: skip

    def body(self, outside: int) -> tuple[Node, ...]:
        """The nodes that are indented by more than ``outside``."""
        nodes: list[Node] = []
        while not self.lines.is_done() and self.lines.indent() > outside:
            nodes.append(self.node())
        return tuple(nodes)

    def node(self) -> Node:
        for word, read in (("for ", self.loop), ("pass over ", self.group), ("first where ", self.choose)):
            if self.lines.starts(word):
                return cast(Node, read())
        node = self.leaf()
        self.lines.at += 1
        return node

    def loop(self) -> For:
        lines, indent, span = self.lines, self.lines.indent(), self.lines.span()
        loop = lines.take(_LOOP, "for VAR in START..STOP step N (NAME valid) parallel -- NOTE")
        after, before = (None if loop[name] is None else lines.poly(loop[name]) for name in ("after", "before"))
        start, stop = lines.poly(loop["start"]), lines.poly(loop["stop"])
        only = None if loop["only"] is None else lines.condition(loop["only"])
        lines.at += 1
        return For(
            loop["var"], start, stop, int(loop["step"]), loop["valid"], bool(loop["parallel"]), self.body(indent),
            loop["note"] or "", span, loop["slot"], int(loop["slots"] or 1), after, before, bool(loop["once"]), only,
            (loop["first"], loop["half"]) if loop["first"] else None, cast(Any, loop["index_set"] or ""),
            int(loop["every"] or 1),
        )  # fmt: skip

    def group(self) -> Pass:
        lines, indent, span = self.lines, self.lines.indent(), self.lines.span()
        found = lines.take(_PASS, "pass over ROWS x COLUMNS, keeps (NAME, …), tiles (NAME, …), of (NAME DTYPE, …)")
        rows, cols = lines.extent(found["rows"]), lines.extent(found["cols"])
        lines.at += 1
        ahead = []
        while lines.starts("ahead by "):
            asked = lines.take(_AHEAD, "ahead by N: WINDOW")
            ahead.append((self.window(asked["window"]), lines.poly(asked["rows"])))
            lines.at += 1
        members = cast("tuple[Instr, ...]", self.body(indent))
        kept, tiles = (tuple(filter(None, found[name].split(", "))) for name in ("kept", "tiles"))
        dtypes = tuple(cast("tuple[str, str]", tuple(pair.split())) for pair in found["dtypes"].split(", ") if pair)
        return Pass(rows, cols, members, kept, tiles, dtypes, span, tuple(ahead), bool(found["interleaved"]))

    def choose(self) -> Choose:
        lines, indent, span = self.lines, self.lines.indent(), self.lines.span()
        zero = lines.take(_CHOOSE, "first where POLYNOMIAL is 0")["zero"]
        lines.at += 1
        two = self.body(indent)
        if len(two) != 2 or not all(isinstance(node, Instr) for node in two):
            lines.at -= 1
            lines.refuse("two instructions below, of which the first is for 0")
        then, other = cast("tuple[Instr, Instr]", two)
        return Choose(zero, then, other, span)

    def leaf(self) -> Node:
        lines, span = self.lines, self.lines.span()
        if lines.starts("tile "):
            return self.declare()
        if lines.starts("set ") or lines.starts("wait "):
            flag = lines.take(_FLAG, "set|wait PIPE -> PIPE #N + SLOT -- NOTE")
            kind = SetFlag if flag["word"] == "set" else WaitFlag
            pipes = cast(Any, flag["src"]), cast(Any, flag["dst"])
            return kind(*pipes, int(flag["event"]), flag["note"] or "", span, flag["slot"])
        if lines.starts("barrier "):
            return Barrier(cast(Any, lines.take(_BARRIER, "barrier PIPE")["pipe"]), span)
        if lines.starts("continue "):
            skip = lines.take(_SKIP, "continue if NAME < 0 -- NOTE")
            return SkipIfNegative(skip["name"], skip["note"] or "", span)
        if lines.matches(_READ):
            read = lines.take(_READ, "NAME = read TENSOR[OFFSET] plus N per N below N or skip")
            below = None if read["bound"] is None else lines.poly(read["bound"])
            tiles = () if read["per"] is None else (lines.poly(read["plus"]), int(read["per"]))
            offset, skips = lines.poly(read["offset"]), bool(read["skips"])
            return ReadIndex(read["name"], read["tensor"], offset, span, below, skips, *tiles)
        return self.instr()

    def declare(self) -> Declare:
        lines, span = self.lines, self.lines.span()
        expected = "tile NAME: LOC DTYPE[ROWS, COLUMNS] holds N|? x N|?, valid N x N at ADDRESS, N bytes of OWNER"
        t = lines.take(_TILE, expected)
        valid_rows, valid_cols = (None if t[name] == "?" else int(t[name]) for name in ("valid_rows", "valid_cols"))
        flags: dict[str, Any] = dict.fromkeys((t["flags"] or "").split(), True)
        kind = TileType(
            cast(Any, t["loc"]),
            t["dtype"],
            int(t["rows"]),
            int(t["cols"]),
            valid_rows,
            valid_cols,
            pad=t["pad"] or "",
            **flags,
        )
        if t["line"] is not None:
            span = replace(span, line=int(t["line"]), end_line=int(t["line"]))
        rows, cols = lines.extent(t["own_rows"]), lines.extent(t["own_cols"])
        return Declare(
            t["name"], kind, rows, cols, lines.poly(t["address"]), int(t["size"]), t["note"] or "", span, t["owner"],
            int(t["whole"] or 0),
        )  # fmt: skip

    def instr(self) -> Instr:
        lines, span = self.lines, self.lines.span()
        found = lines.take(_INSTR, "INSTRUCTION OPERAND, …  ; PIPE @ STAGE")
        operands = tuple(map(self.operand, split_operands(found["operands"] or "")))
        phase = Phase(cast(Any, found["phase"]), int(found["loops"] or 0)) if found["phase"] else None
        return Instr(found["name"], operands, cast(Any, found["pipe"]), found["stage"] or self.stage, span, phase)

    def operand(self, text: str) -> Operand:
        word, _, rest = text.partition(" ")
        if text.startswith("["):
            return self.lines.poly(text[1:-1])
        if text.startswith("`"):
            spelled, _, number = text[1:].partition("` = ")
            return Imm(spelled, self.lines.number_of(number))
        if re.fullmatch(r"\w+", text):
            return text
        kinds: dict[str, Callable[[str], Operand]] = {"relation": Compare, "pattern": Pattern, "fifo": FifoRef}
        if word in kinds:
            return kinds[word](rest)
        if word == "mode":
            name, _, saturate = rest.partition(" ")
            return Mode(name, {"": None, "saturate": True, "wrap": False}[saturate])
        return Relu() if text == "with relu" else self.window(text)

    def window(self, text: str) -> GmWindow:
        lines, w = self.lines, _WINDOW.fullmatch(text)
        if w is None:
            lines.refuse(f"TENSOR[OFFSET; ROWS x COLUMNS, strides N, N] LAYOUT DTYPE where `{text}` stands")
        return GmWindow(
            w["tensor"], w["dtype"], cast(Any, w["layout"]), lines.poly(w["offset"]), lines.extent(w["rows"]),
            lines.extent(w["cols"]), lines.poly(w["row_stride"]), lines.poly(w["col_stride"]),
            bool(w["unordered"]),
        )  # fmt: skip


__all__ = ["parse_kernels"]
