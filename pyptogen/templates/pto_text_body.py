"""Instruction IR → the lines of one function of PTO assembly."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ZERO, Poly
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
    Pattern,
    ReadIndex,
    Relu,
    SetFlag,
    SkipIfNegative,
    TileType,
    WaitFlag,
    walk,
)
from pyptogen.lower.tile.ir import Condition, distributed_nest
from pyptogen.templates.merges import is_merge_of_lists
from pyptogen.templates.node_origins import NodeOrigins
from pyptogen.templates.pto_text_fifos import Pipes, split_rows
from pyptogen.templates.pto_text_parts import shown
from pyptogen.templates.pto_text_types import DTYPES, in_elements, pointer, tile_buf
from pyptogen.templates.pto_text_values import Values
from pyptogen.templates.pto_text_windows import Windows

MNEMONICS = {"TMATMUL_ACC": "tmatmul.acc", "TFILLPAD_INPLACE": "tfillpad"}
"""Where the assembler's name of an instruction is not its lower case."""
SCALES = ("ScaleLeft", "ScaleRight")
OF_BITS = {"TANDS": "pto.tand", "TORS": "pto.tor"}
"""Instructions of bits with one number, and those with a tile in its place."""


def mnemonic(name: str) -> str:
    """Name of an instruction in the pto dialect, such as ``tload`` for ``TLOAD``."""
    return MNEMONICS.get(name, name.lower())


@dataclass(slots=True)
class Writer:
    """Writes the body of one kernel."""

    source: Callable[[Span], str]
    origins: NodeOrigins
    values: Values
    windows: Windows
    fifos: Pipes
    tiles: dict[str, Declare]
    tensors: dict[str, str]
    arch: str
    subblock: str | None = None
    """The number of the vector core, where two share the rows of tiles."""
    spoken: Span | None = None

    # -- nodes ----------------------------------------------------------------------------------------------------

    def body(self, nodes: Sequence[Node]) -> None:
        before = self.values.origin
        for i, node in enumerate(nodes):
            self.values.origin = self.origins.node(node)
            if isinstance(node, SkipIfNegative):
                self.unless_negative(node, nodes[i + 1 :])
                break
            if isinstance(node, Declare):
                self.announce(nodes[i:])
            self.node(node)
        self.values.origin = before

    def node(self, node: Node) -> None:
        if isinstance(node, Declare):
            self.declare(node)
        elif isinstance(node, Instr):
            self.instr(node)
        elif isinstance(node, For):
            self.product(nest) if len(nest := distributed_nest(node)) > 1 else self.loop(node)
        elif isinstance(node, Choose):
            self.choose(node)
        elif isinstance(node, ReadIndex):
            self.read_index(node)
        elif isinstance(node, Barrier):
            self.values.put(f"pto.barrier <PIPE_{node.pipe}>")
        elif isinstance(node, SetFlag | WaitFlag):
            self.flag(node)

    def flag(self, node: SetFlag | WaitFlag) -> None:
        """A flag of a fixed event, or of one that the iteration chooses."""
        word, pipes = "set" if isinstance(node, SetFlag) else "wait", f"<PIPE_{node.src}>, <PIPE_{node.dst}>"
        if node.slot is None:
            self.values.put(f"pto.{word}_flag[{pipes}, <EVENT_ID{node.event}>]", node.note)
        else:
            event = self.values.poly(Poly.of(node.slot) + node.event)
            self.values.put(f"pto.{word}_flag_dyn[{pipes}, {event}]", node.note)

    def speak(self, span: Span) -> None:
        """The spec line that the next instructions serve, once."""
        if self.spoken is None or (span.line, span.file) != (self.spoken.line, self.spoken.file):
            self.spoken, before = span, self.values.origin
            self.values.origin = self.origins.comment(span)
            self.values.put(f"// {self.source(span)}")
            self.values.origin = before

    def announce(self, nodes: Sequence[Node]) -> None:
        """The spec line of the instruction that a group of declarations is for, above the group."""
        for node in nodes:
            if isinstance(node, For | SetFlag):
                return
            if isinstance(node, Instr | Choose):
                self.speak(node.span)
                return

    def declare(self, node: Declare) -> None:
        values = self.values
        text = f"pto.alloc_tile addr = {self.address(node.address)}"
        for word, extent in (("valid_row", node.rows), ("valid_col", node.cols)):
            if extent.valid is not None:
                text += f" {word} = {values.poly(extent.valid)}"
        name = values.name(node.name)
        values.put(f"{name} = {text} : {tile_buf(node.type, self.arch)}", node.note)
        values.bind(node.name, name)

    def address(self, address: Poly) -> str:
        """A byte address, which the assembler wants in 64 bits."""
        if address.constant is not None:
            return self.values.i64(address.constant)
        return self.values.compute(f"arith.index_cast {self.values.poly(address)} : index to i64")

    def loop(self, node: For) -> None:
        values = self.values
        start, step = node.start, Poly.of(node.advance)
        if node.parallel:
            start, step = start + Poly.of("block") * node.step, Poly.of("nblk") * node.step
        bounds = [values.poly(p) for p in (start, node.stop, step)]
        if node.after is not None:
            zero, left = values.index(0), values.poly(node.after - node.start)
            ahead = values.compute(f"arith.maxsi {left}, {zero} : index")
            whole = values.compute(f"arith.divui {ahead}, {bounds[2]} : index")
            skipped = values.compute(f"arith.muli {whole}, {bounds[2]} : index")
            bounds[0] = values.compute(f"arith.addi {bounds[0]}, {skipped} : index", f"{node.var}_begin")
        limits = [node.start + node.step] if node.once else []
        for limit in (*limits, *([] if node.before is None else [node.before])):
            bounds[1] = values.compute(f"arith.minsi {bounds[1]}, {values.poly(limit)} : index", f"{node.var}_end")
        var = values.name(node.var)
        slots = self.counted(node)
        carried = {slot: (values.bound(slot), values.name(slot), values.name(f"{slot}_end")) for slot in slots}
        self.open_loop(f"scf.for {var} = {bounds[0]} to {bounds[1]} step {bounds[2]}", node.note, carried)
        values.bind(node.var, var)
        self.valid(node)
        if node.only is not None:
            self.only(node, node.only, tuple(slots))
        else:
            self.round(node, tuple(slots))
        values.close()
        for slot, (*_, after) in carried.items():
            values.bind(slot, after)

    def counted(self, node: For) -> dict[str, int]:
        """The counters of iterations that a loop hands on, with how many buffers each tells apart."""
        return {n.slot: n.slots for n in (node, *walk(node.body)) if isinstance(n, For) and n.slot is not None}

    def open_loop(self, head: str, note: str, carried: Mapping[str, tuple[str, str, str]]) -> None:
        """The head of a loop. ``carried``: of each counter its value before the loop, in it, and after it."""
        if carried:
            given = ", ".join(f"{inside} = {before}" for before, inside, _ in carried.values())
            kinds = ", ".join("index" for _ in carried)
            head = f"{', '.join(after for *_, after in carried.values())} = {head} iter_args({given}) -> ({kinds})"
        self.values.open(head, note)
        for slot, (_, inside, _) in carried.items():
            self.values.bind(slot, inside)

    def valid(self, node: For) -> None:
        """What an iteration has of the loop's tile."""
        if node.valid:
            left = self.values.poly(node.stop - node.var)
            least = f"arith.minsi {left}, {self.values.index(node.step)} : index"
            self.values.bind(node.valid, self.values.compute(least, node.valid))

    def product(self, nest: Sequence[For]) -> None:
        """Loops whose iterations are distributed together: one loop over all tiles, the last loop's fastest."""
        values, last = self.values, nest[-1]
        trips = [self.trips(loop) for loop in nest]
        total = trips[0]
        for count in trips[1:]:
            total = values.compute(f"arith.muli {total}, {count} : index")
        bounds = [values.poly(Poly.of("block")), total, values.poly(Poly.of("nblk"))]
        slots = self.counted(last)
        carried = {slot: (values.bound(slot), values.name(slot), values.name(f"{slot}_end")) for slot in slots}
        tile = values.name("tile")
        self.open_loop(f"scf.for {tile} = {bounds[0]} to {bounds[1]} step {bounds[2]}", nest[0].note, carried)
        left = tile
        for loop, count in reversed(list(zip(nest[1:], trips[1:], strict=True))):
            self.bind_place(loop, f"arith.remui {left}, {count} : index")
            left = f"arith.divui {left}, {count} : index"
            left = left if loop is nest[1] else values.compute(left)
        self.bind_place(nest[0], left)
        for loop in nest:
            self.valid(loop)
            if loop.half is not None and loop is not last:
                split_rows(values, loop, str(self.subblock))
        self.round(last, tuple(slots))
        values.close()
        for slot, (*_, after) in carried.items():
            values.bind(slot, after)

    def bind_place(self, loop: For, number: str) -> None:
        """Where a loop is in its iteration ``number``, an operation; the last operation has the loop's name."""
        values, start, steps = self.values, loop.start, [number]
        if loop.step > 1:
            steps.append(f"arith.muli {{}}, {values.index(loop.step)} : index")
        if start != ZERO:
            steps.append(f"arith.addi {values.poly(start)}, {{}} : index")
        value = ""
        for at, step in enumerate(steps, 1):
            value = values.compute(step.format(value), loop.var if at == len(steps) else None)
        values.bind(loop.var, value)

    def trips(self, node: For) -> str:
        """How many iterations a loop has."""
        extent = node.stop - node.start
        if extent.constant is not None:
            return self.values.index(-(-extent.constant // node.step))
        upwards = self.values.poly(extent + (node.step - 1))
        return self.values.compute(f"arith.divui {upwards}, {self.values.index(node.step)} : index")

    def round(self, node: For, slots: Sequence[str]) -> None:
        """The body, and the counters of iterations after it."""
        if node.half is not None:
            split_rows(self.values, node, str(self.subblock))
        self.body(node.body)
        if slots:
            self.next_round(node, tuple(slots))

    def only(self, node: For, only: Condition, slots: Sequence[str]) -> None:
        """The iteration under its condition; where it is left out, the counters of iterations stay as they are."""
        values = self.values
        self.speak(only.span)
        for element in only.elements:
            self.read_index(ReadIndex(element.name, element.tensor, element.offset, element.span, element.bound))
        holds, note = values.holds(only), "else this iteration is skipped"
        if not slots:
            values.open(f"scf.if {holds}", note)
            self.round(node, ())
            values.close()
            return
        before = [values.bound(slot) for slot in slots]
        kinds = ", ".join("index" for _ in slots)
        after = [values.name(f"{slot}_next") for slot in slots]
        values.open(f"{', '.join(after)} = scf.if {holds} -> ({kinds})", note)
        self.round(node, slots)
        values.turn("} else")
        values.put(f"scf.yield {', '.join(before)} : {kinds}")
        values.close()
        values.put(f"scf.yield {', '.join(after)} : {kinds}")

    def next_round(self, node: For, slots: tuple[str, ...]) -> None:
        """Hands the counters of iterations on; the loop's own counts one further."""
        values = self.values
        if node.slot is not None:
            further = values.poly(Poly.of(node.slot) + 1)
            values.bind(node.slot, values.compute(f"arith.remui {further}, {values.index(node.slots)} : index"))
        names = ", ".join(values.bound(slot) for slot in slots)
        values.put(f"scf.yield {names} : {', '.join('index' for _ in slots)}")

    def choose(self, node: Choose) -> None:
        """``scf.if`` on whether a sum of loop variables is 0."""
        values = self.values
        self.speak(node.span)
        total = ZERO
        for name in node.zero.split(" + "):
            total = total + name
        first = values.compute(f"arith.cmpi eq, {values.poly(total)}, {values.index(0)} : index")
        values.open(f"scf.if {first}")
        self.instr(node.then)
        values.turn("} else")
        self.instr(node.other)
        values.close()

    def read_index(self, node: ReadIndex) -> None:
        values, dtype = self.values, self.tensors[node.tensor]
        base, offset, kind = values.bound(node.tensor), values.poly(node.offset), DTYPES[dtype]
        read = values.name(f"{node.name}_{kind}")
        values.put(f"{read} = pto.load_scalar {base}[{offset}] : {pointer(dtype)} -> {kind}")
        index = values.compute(f"arith.index_cast {read} : {kind} to index", None if node.per else node.name)
        if node.per is not None:
            more = values.poly(node.plus + (node.per - 1))
            total = values.compute(f"arith.addi {index}, {more} : index")
            index = values.compute(f"arith.divsi {total}, {values.index(node.per)} : index", node.name)
        if node.bound is not None:
            index = values.made_to_fit(index, node.bound, node.name, skips=node.skips)
        values.bind(node.name, index)

    def unless_negative(self, node: SkipIfNegative, rest: Sequence[Node]) -> None:
        """What follows in the loop's body, under the condition that it is not skipped."""
        values = self.values
        keep = values.compute(f"arith.cmpi sge, {values.bound(node.name)}, {values.index(0)} : index")
        values.open(f"scf.if {keep}", f"else {node.note}")
        self.body(rest)
        values.close()

    # -- instructions ---------------------------------------------------------------------------------------------

    def instr(self, node: Instr) -> None:
        """``pto.name ins(sources : types) outs(destination : type)``."""
        self.speak(node.span)
        if isinstance(node.operands[0], FifoRef):
            self.fifo(node, node.operands[0].name)
            return
        dst, *sources = node.operands
        given = [self.operand(node, o) for o in sources if not isinstance(o, Mode | Compare | Pattern | Relu)]
        out, out_type = self.operand(node, dst)
        modes = [f" {{{_conversion(o)}}}" for o in sources if isinstance(o, Mode)]
        modes += [f" {{cmpMode = #pto<cmp {o.name}>}}" for o in sources if isinstance(o, Compare)]
        modes += [f", {{maskPattern = #pto.mask_pattern<{o.name}>}}" for o in sources if isinstance(o, Pattern)]
        if is_merge_of_lists(node):
            self.merge(given, (out, out_type))
            return
        if needs_filled_tile(node, self.tiles, self.arch):
            self.with_filled_tile(node, given, (out, out_type))
            return
        ins = f"{', '.join(v for v, _ in given)}{''.join(modes)} : {', '.join(t for _, t in given)}"
        behind = " {reluPreMode = #pto<relu_pre_mode normal_relu>}" if any(isinstance(o, Relu) for o in sources) else ""
        if any(isinstance(o, Pattern) for o in sources):
            behind = ' {axis = "row"}'
        self.values.put(f"pto.{mnemonic(node.name)} ins({ins}) outs({out} : {out_type}){behind}")

    def fifo(self, node: Instr, fifo: str) -> None:
        """TPUSH of a tile, TPOP, TFREE."""
        if node.name == "TPUSH":
            tile = str(node.operands[1])
            declared, row = self.tiles[tile], node.operands[-1]
            first = row if isinstance(row, Poly) else ZERO
            self.fifos.push(fifo, self.operand(node, tile), (declared.rows, declared.cols), first)
        elif node.name == "TPOP":
            self.fifos.pop(fifo)
        else:
            self.fifos.free(fifo)

    def merge(self, given: Sequence[tuple[str, str]], out: tuple[str, str]) -> None:
        """Lists, then scratch; beside the result how many pairs were taken of each list."""
        scratch, *lists = given
        counts = "vector<4xi16>"
        taken = self.values.compute(f"arith.constant dense<0> : {counts}", "taken")
        names, types = zip(*lists, scratch, strict=True)
        ins = f"{', '.join(names)} {{exhausted = false}} : {', '.join(types)}"
        self.values.put(f"pto.tmrgsort ins({ins}) outs({out[0]}, {taken} : {out[1]}, {counts})")

    def with_filled_tile(self, node: Instr, given: Sequence[tuple[str, str]], out: tuple[str, str]) -> None:
        """The result full of the number, then both joined, as the device's headers do it."""
        (source, source_type), (number, number_type) = given
        self.values.put(f"pto.texpands ins({number} : {number_type}) outs({out[0]} : {out[1]})")
        self.values.put("pto.barrier <PIPE_V>")
        ins = f"{source}, {out[0]} : {source_type}, {out[1]}"
        self.values.put(f"{OF_BITS[node.name]} ins({ins}) outs({out[0]} : {out[1]})")

    def part(self, name: str, kind: TileType) -> tuple[str, str]:
        """The part of a tile from its first element on that has this type."""
        values, whole, declared = self.values, self.values.bound(name), self.tiles[name]
        whole_type, part_type = (tile_buf(k, self.arch) for k in (declared.type, kind))
        size, zero, valid = in_elements(kind), values.index(0), ""
        if None in (kind.valid_rows, kind.valid_cols):
            valid = f" valid [{values.poly(declared.rows.poly())}, {values.poly(declared.cols.poly())}]"
        text = f"{whole}[{zero}, {zero}] sizes [{size.rows}, {size.cols}]{valid} : {whole_type} -> {part_type}"
        return values.compute(f"pto.subview {text}", f"{whole.removeprefix('%')}_part"), part_type

    def operand(self, node: Instr, operand: object) -> tuple[str, str]:
        values = self.values
        if isinstance(operand, str):
            part = shown(node, self.tiles).get(operand)
            if part is not None:
                return self.part(operand, part)
            return values.bound(operand), tile_buf(self.tiles[operand].type, self.arch)
        if isinstance(operand, GmWindow):
            side = "out" if node.name == "TSTORE" else "in"
            if operand.tensor in self.fifos.slots:
                return self.fifos.window(operand, f"{operand.tensor}_{side}")
            return self.windows.emit(operand, f"{operand.tensor}_{side}", values)
        if isinstance(operand, Imm):
            tiles = [self.tiles[o] for o in node.operands if isinstance(o, str)]
            beside = tiles[1 if node.name == "TCMPS" else 0]  # a comparison gives bits of what it compares
            return values.scalar(operand.expr, beside.type.dtype, node.span)
        assert isinstance(operand, Poly)
        if node.name in ("TCI", "TMRGSORT"):  # a first number, a number of elements
            if operand.constant is not None:
                import sympy

                return values.scalar(sympy.Integer(operand.constant), "int32", node.span)
            return values.compute(f"arith.index_cast {values.poly(operand)} : index to i32"), "i32"
        return values.poly(operand), "index"


def needs_filled_tile(node: Instr, tiles: Mapping[str, Declare], arch: str) -> bool:
    """Whether the assembler has no form with a number: it joins 32 bits with another tile only on A2/A3."""
    result = node.operands[0]
    wide = isinstance(result, str) and tiles[result].type.dtype in ("int32", "uint32")
    return arch == "a3" and node.name in OF_BITS and wide


def _conversion(mode: Mode) -> str:
    """Round mode, and whether what is out of range saturates, where the kernel says it."""
    words = {None: "", True: ", sat_mode = #pto<saturation_mode ON>", False: ", sat_mode = #pto<saturation_mode OFF>"}
    return f"rmode = #pto<round_mode {mode.name.upper()}>{words[mode.saturate]}"
