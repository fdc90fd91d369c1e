"""What the names of PTO-ISA mean in a walk: types, TASSIGN, instructions, flags, Event objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.effects import Region
from pyptogen.lower.instruction.replay import Finding
from pyptogen.lower.isa.device_rules import USED_UP, fills_first
from pyptogen.lower.isa.table import INSTRUCTIONS, pipe_of
from pyptogen.records import replace
from pyptogen.sanitize import fifos, registers, structs
from pyptogen.sanitize.calls import argument, type_of
from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.operands import shape_of, uses_of
from pyptogen.sanitize.regions import Use, handover, lying, region_of, use_of
from pyptogen.sanitize.syntax import Call, Member, Name
from pyptogen.sanitize.values import (
    SIZES,
    UNKNOWN,
    Cell,
    EnumType,
    Event,
    Functions,
    Instance,
    Other,
    OtherType,
    Pipe,
    Result,
    ScalarType,
    SlotPointer,
    StructType,
    Template,
    Tile,
    TileKind,
)

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine

LOCS = {"TileLeft": "Left", "TileRight": "Right", "TileAcc": "Acc", "TileLeftCompact": "Left",
        "TileRightCompact": "Right", "TileAccCompact": "Acc", "TileLeftScale": "ScaleLeft",
        "TileRightScale": "ScaleRight"}  # fmt: skip
ORDERED_WITHIN = frozenset({"MGATHER", "MSCATTER"})
"""Instructions that wait for all pipes on A2/A3, and let all wait for them: the scalar unit moves each element. On A5
threads of the vector pipe do."""
ALIGNMENT = 32
"""Of the address of a tile, in bytes, in each memory (buffer_limits.hpp)."""
_ACCS = frozenset({"Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling", "ScaleLeft", "ScaleRight"})
_QUIET = re.compile(
    r"dsb|dcci|set_mask_\w+|set_vector_mask|set_atomic_\w+|set_ffts_base_addr|ffts_cross_core_sync|wait_flag_dev|set_padding"
    r"|set_quant_pre|set_fpc|set_nd_para|set_loop\d?\w*|pipe_\w*printf|printf|PRINTF|cce_\w+|trap|assert|PTO_ASSERT|TPRINT"
    r"|set_mov_pad_val|set_deqscale|set_cmpmask|get_\w+|__builtin_\w+|set_l1_3d_size|set_ctrl|sbitset\d|bitcast\w*|set_fix_clip\w*"
)
"""Calls that access no tile: masks, caches, other cores, printing."""
_NUMBERS = {
    "true": 1, "false": 0, "nullptr": 0, "DYNAMIC": -1, "C0_SIZE_BYTE": 32, "FRACTAL_NZ_ROW": 16, "BLOCK_BYTE_SIZE": 32,
    "REPEAT_BYTE": 256, "BLOCK_LEN": 16, "CUBE_BLOCK_SIZE": 512, "MX_BLOCK_SIZE": 32,
}  # fmt: skip
"""Constants of PTO-ISA's headers."""


def named(machine: Machine, path: Sequence[str], node: Name) -> Any:
    """A name that is no variable."""
    last = path[-1]
    if last.startswith("PIPE_"):
        return last.removeprefix("PIPE_")
    if last.startswith("EVENT_ID") and len(last) == len("EVENT_ID0") and last[-1].isdigit():
        return int(last[-1])
    if last in _NUMBERS:
        return _NUMBERS[last]
    if last in ("DAV_VEC", "DAV_CUBE"):
        return last == f"DAV_{machine.core}"
    if node.outer is not None or (node.arguments is not None and len(path) == 1):
        kind = _template(machine, path, node)
        return kind if len(path) == 1 or isinstance(kind, OtherType) else attribute(kind, last)
    if len(path) > 1:
        holder = machine.cell(path[0])
        return last if holder is None else attribute(machine.opened(holder.value, node.token), last)
    return UNKNOWN if not last[:1].isupper() else OtherType(last)


def _template(machine: Machine, path: Sequence[str], node: Name) -> Any:
    """What the first name with template arguments stands for; an OtherType of the last name where that is unknown."""
    arguments = [machine.value(argument) for argument in node.outer or node.arguments or ()]
    name = path[0]
    if path[-1] == "is_same_v" or (name == "is_same" and path[-1] == "value"):
        return UNKNOWN if UNKNOWN in arguments else arguments[0] == arguments[1]
    if name in ("conditional_t", "conditional"):
        return UNKNOWN if arguments[0] is UNKNOWN else arguments[1 if arguments[0] else 2]
    found = machine.cell(name)
    if found is not None and isinstance(found.value, Template):
        return structs.instantiate(machine, found.value, arguments, node.token)
    if name in machine.program.refused:
        raise machine.program.refused[name]
    for parameters, using in machine.program.aliases:
        if using.name == name and parameters:
            machine.scopes.append({p.name: Cell(v) for p, v in zip(parameters, arguments, strict=False)})
            try:
                return machine.value(using.type)
            finally:
                machine.scopes.pop()
    if name == "Tile" and len(arguments) >= 4:
        return _tile_kind(str(arguments[0]), arguments[1:])
    if name in LOCS and len(arguments) >= 3:
        kind = _tile_kind(LOCS[name], [*arguments[:3], "RowMajor", *arguments[3:]])
        return replace(kind, compact=name.endswith("Compact"))
    return OtherType(path[-1], tuple(arguments))


def _tile_kind(loc: str, arguments: Sequence[Any]) -> TileKind:
    """From element, rows, columns, layout, valid rows, valid columns and, after three others, whether it is compact."""
    given = [*arguments, *[UNKNOWN] * 10]
    layout = arguments[3] if len(arguments) > 3 else "RowMajor"
    valid = tuple(given[i] if len(arguments) > i else given[i - 3] for i in (4, 5))
    return TileKind(loc, given[0], given[1], given[2], layout != "ColMajor", (valid[0], valid[1]), given[9] == "Normal")


def attribute(value: Any, name: str) -> Any:
    """``T::Rows`` and the like."""
    if isinstance(value, EnumType):
        return value.values.get(name, UNKNOWN)
    if isinstance(value, StructType):
        return value.shared[name].value if name in value.shared else UNKNOWN
    if isinstance(value, TileKind):
        known = {"Rows": value.rows, "Cols": value.cols, "DType": value.element, "Loc": value.loc}
        if name == "Numel" and isinstance(value.rows, int) and isinstance(value.cols, int):
            return value.rows * value.cols
        return known.get(name, UNKNOWN)
    return UNKNOWN


def construct(machine: Machine, kind: Any, name: str, arguments: Sequence[Any], token: Token) -> Any:
    """An object of a type: a tile, an event, a number."""
    if isinstance(kind, TileKind):
        sizes = [a.value if isinstance(a, Cell) else a for a in arguments]
        given = iter(sizes)
        valid = [next(given, UNKNOWN) if size == -1 else size for size in kind.valid]
        return Tile(kind, name, token, (valid[0], valid[1]))
    if isinstance(kind, OtherType) and kind.name == "Event":
        return Event()
    if isinstance(kind, StructType):
        return structs.construct(machine, kind, arguments, token)
    if isinstance(kind, OtherType) and kind.name in machine.program.refused:
        raise machine.program.refused[kind.name]
    if isinstance(kind, ScalarType | EnumType) or kind is UNKNOWN:
        return arguments[0] if len(arguments) == 1 else UNKNOWN
    if isinstance(kind, OtherType) and kind.name == "TPipe":
        return fifos.construct(machine, kind, [a.value if isinstance(a, Cell) else a for a in arguments], token)
    if isinstance(kind, OtherType) and kind.name == "ConvTile":
        raise machine.fault(token, f"the ConvTile `{name}`")
    values = [a.value if isinstance(a, Cell) else a for a in arguments]
    return Other(kind, next((a.fifo for a in values if isinstance(a, SlotPointer)), None), shape_of(kind, values))


def assign(machine: Machine, cell: Cell, value: Any) -> None:
    """``variable = value``."""
    if isinstance(cell.value, Event) and isinstance(value, Result):
        cell.value.number = machine.trace.set_event(value.pipe)
    elif isinstance(cell.value, Tile) and isinstance(value, Tile):
        tile = cell.value
        cell.value = Tile(value.kind, tile.name, tile.token, value.valid, value.address, value.k_aligned, value.holder)
    elif not isinstance(cell.value, Tile | Event):
        cell.value = value


def member(machine: Machine, value: Any, node: Member) -> Any:
    """``tile.Rows`` and the like; methods are calls."""
    if isinstance(value, Pipe) and node.name in ("prod", "cons"):
        raise machine.fault(node.token, "the end of a TPipe that the kernel moves by hand")
    if isinstance(value, Instance):
        return value.members[node.name].value if node.name in value.members else UNKNOWN
    return attribute(value.kind, node.name) if isinstance(value, Tile) else UNKNOWN


# -- calls --------------------------------------------------------------------------------------------------------


def call(machine: Machine, node: Call) -> Any:
    """A call: flags, instructions, functions of the file, constructors."""
    if isinstance(node.function, Member):
        return _method(machine, node, node.function)
    if not isinstance(node.function, Name):
        return _own_call(machine, node, machine.value(node.function), node.token)
    name = node.function.path[-1].removesuffix("_IMPL")
    if name in ("set_flag", "wait_flag", "PtoSetWaitFlag"):
        return _flag(machine, node, name)
    if name in ("pipe_barrier", "PtoBarrier"):
        return _barrier(machine, node)
    if name == "TASSIGN":
        return _place(machine, node)
    if name == "TSYNC":
        return _sync(machine, node)
    if name in INSTRUCTIONS:
        return _instruction(machine, node, name)
    if name in ("static_cast", "reinterpret_cast", "const_cast", *SIZES):
        return machine.value(node.arguments[0]) if node.arguments else 0
    if name == "decltype":
        return type_of(machine.value(node.arguments[0])) or UNKNOWN
    if name in ("min", "max"):
        values = [machine.value(argument) for argument in node.arguments]
        return (
            UNKNOWN if not all(isinstance(v, int | float) for v in values) else (min if name == "min" else max)(values)
        )
    if name in ("get_block_idx", "get_subblockid", "get_block_num"):
        machine.trace.by_core |= name == "get_subblockid"
        return machine.given.get(name, UNKNOWN)
    return _other_call(machine, node, name)


def _other_call(machine: Machine, node: Call, name: str) -> Any:
    assert isinstance(node.function, Name)
    own = _own(machine, node.function, name)
    if own is not None:
        return _own_call(machine, node, own, node.function.token)
    values = [machine.value(argument) for argument in node.arguments]
    kind = machine.value(node.function) if node.function.arguments is not None or machine.cell(name) else UNKNOWN
    if isinstance(kind, TileKind | OtherType | ScalarType):
        return construct(machine, kind, name, values, node.function.token)
    if any(isinstance(value, Tile) for value in values) and not _QUIET.fullmatch(name):
        raise machine.fault(node.function.token, f"`{name}` is no instruction that the table knows, and takes a tile")
    registers.set_by(machine, name)
    if name in ("ffts_cross_core_sync", "wait_flag_dev"):
        registers.needed(machine, "base", name, node.function.token)
        fifos.between_cores(machine, name, values, node.function.token)
    if name == "getFFTSMsg" and (word := fifos.message(values)) is not None:
        return word
    return UNKNOWN


def _own(machine: Machine, name: Name, last: str) -> Functions | None:
    """The functions of the file, the methods or the lambda of a name."""
    if len(name.plain) > 1:
        found = machine.value(name)
        return found if isinstance(found, Functions) else machine.functions(last)
    cell = machine.cell(name.plain[0])
    if cell is not None and isinstance(cell.value, Functions):
        return structs.method_here(machine, cell.value)
    return machine.functions(last)


def _own_call(machine: Machine, node: Call, functions: Any, token: Token) -> Any:
    """A call of the file's own functions."""
    if not isinstance(functions, Functions):
        raise machine.fault(token, "a call of something that is no function known here")
    given = node.function.arguments if isinstance(node.function, Name) else None
    template = [machine.value(part) for part in given or ()]
    return machine.call(functions, template, [argument(machine, a) for a in node.arguments], token)


def _method(machine: Machine, node: Call, target: Member) -> Any:
    if target.name == "setEntryOffset" and isinstance(target.object, Member):
        return UNKNOWN  # where in its slot a tile lies: no bytes of a core, and the slots keep their order
    holder = machine.value(target.object)
    if isinstance(holder, Instance):
        return _own_call(machine, node, structs.method(holder, target.name), target.token)
    values = [machine.value(argument) for argument in node.arguments]
    if isinstance(holder, Tile):
        valid = dict(enumerate(holder.valid))
        if target.name in ("GetValidRow", "GetValidCol"):
            return valid[target.name == "GetValidCol"]
        if target.name in ("SetValidRow", "SetValidCol", "SetValidShape"):
            holder.valid = (UNKNOWN, UNKNOWN)
        if target.name == "SetKAligned" and values:
            holder.k_aligned = values[0] is not UNKNOWN and bool(values[0])
        if target.name == "data":
            return UNKNOWN if holder.address is None else holder.address
        if target.name in ("GetValue", "SetValue") and values:
            _element(machine, holder, values[0], target.name, target.token)
        return UNKNOWN
    if isinstance(holder, Event):
        if target.name in ("Wait", "wait") and holder.number is not None:
            machine.trace.wait_event(holder.number, "S", target.token.span)
        return UNKNOWN
    if isinstance(holder, Other) and holder.fifo is not None and target.name == "data":
        return SlotPointer(holder.fifo)
    if any(isinstance(value, Tile) for value in values):
        raise machine.fault(target.token, f"the method `{target.name}`, which takes a tile")
    return UNKNOWN


def _element(machine: Machine, tile: Tile, offset: Any, name: str, token: Token) -> None:
    """The scalar unit reads or writes one element of a tile, or any of them where the offset is not known."""
    region = region_of(tile, token)
    if isinstance(tile.address, int) and isinstance(offset, int):
        begin = tile.address + offset * tile.kind.element.size
        region = Region(tile.kind.loc, begin, begin + tile.kind.element.size, 0, 0)
    reads, writes = ([region], []) if name == "GetValue" else ([], [region])
    known = region if isinstance(offset, int) and isinstance(tile.address, int) else None
    use = Use("r" if reads else "w", (1, 1), tile.kind, tile.name, known, tile.holder, (), region)
    machine.trace.instruction(name, "S", token.span, reads, writes, uses=[use])


def _flag(machine: Machine, node: Call, name: str) -> Any:
    assert isinstance(node.function, Name)
    operands = [*(node.function.arguments or ()), *node.arguments]
    values = [machine.value(operand) for operand in operands]
    span = node.function.token.span
    if len(values) == 2 and name == "PtoSetWaitFlag":
        values.append(0)
    if len(values) != 3 or not all(isinstance(value, str) for value in values[:2]):
        raise machine.fault(node.function.token, f"`{name}` between pipes that are not known")
    if not isinstance(values[2], int):
        raise machine.fault(node.function.token, f"`{name}` with an event id that is not known")
    for set_ in (True, False) if name == "PtoSetWaitFlag" else (name == "set_flag",):
        machine.trace.flag(set_, values[0], values[1], values[2], span)
    return UNKNOWN


def _barrier(machine: Machine, node: Call) -> Any:
    assert isinstance(node.function, Name)
    operands = [*(node.function.arguments or ()), *node.arguments]
    pipe = machine.value(operands[0]) if operands else "ALL"
    if not isinstance(pipe, str):
        raise machine.fault(node.function.token, "a barrier of a pipe that is not known")
    machine.trace.barrier(pipe, node.function.token.span)
    return UNKNOWN


def _sync(machine: Machine, node: Call) -> Any:
    """``TSYNC(events…)`` and ``TSYNC<Op>()``."""
    assert isinstance(node.function, Name)
    span = node.function.token.span
    if node.function.arguments:
        machine.trace.barrier("V", span)
    for event in [machine.value(operand) for operand in node.arguments]:
        if isinstance(event, Event) and event.number is not None:
            machine.trace.wait_event(event.number, "S", span)
    return UNKNOWN


def _place(machine: Machine, node: Call) -> Any:
    """``TASSIGN(tile, address)``, ``TASSIGN<address>(tile)``; pointers of GlobalTensors are of no interest."""
    assert isinstance(node.function, Name)
    operands = [machine.value(argument) for argument in node.arguments]
    address = machine.value(node.function.arguments[0]) if node.function.arguments else operands[-1]
    tile = operands[0] if operands else UNKNOWN
    if isinstance(tile, Tile):
        tile.address = address.address if isinstance(address, Tile) else address
        tile.token = node.function.token
        machine.trace.holders += 1
        tile.holder = machine.trace.holders
        if isinstance(tile.address, int) and tile.address % ALIGNMENT:
            text = f"{tile.kind.loc} 0x{tile.address:05x} is no multiple of {ALIGNMENT} bytes"
            machine.trace.faults.append(Finding("alignment", None, None, text, tile.token.span))
    return UNKNOWN


def _instruction(machine: Machine, node: Call, name: str) -> Any:
    assert isinstance(node.function, Name)
    token = node.function.token
    values = [machine.value(argument) for argument in node.arguments]
    tiles = [value for value in values if isinstance(value, Tile)]
    if name in ("TRESHAPE", "TSUBVIEW") and len(tiles) >= 2:
        tiles[0].address = tiles[1].address if name == "TRESHAPE" else UNKNOWN
        tiles[0].holder = tiles[1].holder
        return UNKNOWN
    if name in fifos.INSTRUCTIONS:
        registers.needed(machine, "base", name, token)
        return fifos.instruction(machine, node, name, values)
    if name.startswith(("TPUT", "TGET", "TNOTIFY", "TWAIT", "TTEST")):
        raise machine.fault(token, f"`{name}`: fifos between chips")
    fifos.access_slots(machine, name, values, token)
    if not tiles and INSTRUCTIONS[name].effects_for(1) in ("w", "r", "u"):
        raise machine.fault(token, f"`{name}` on operands that are no tiles known here")
    if not tiles:
        return Result("S")
    source = tiles[0] if name.startswith("TSTORE") or len(tiles) == 1 else tiles[1]
    pipe = pipe_of(name, source.kind.loc, tiles[0].kind.loc)
    span = token.span
    if pipe == "V" and name not in ORDERED_WITHIN:
        registers.needed(machine, "mask", name, token)
    if pipe == "S":
        if tiles:
            machine.trace.instruction(name, "S", span, [], [], uses=uses_of(name, values, token))
        return Result("S")
    for value in values:
        if isinstance(value, Event) and value.number is not None:
            machine.trace.wait_event(value.number, pipe, span)
    ordered = machine.target == "a2a3" and name in ORDERED_WITHIN
    if ordered:
        machine.trace.barrier("ALL", span)
    _own_place(machine, name, values, tiles, span)
    uses = uses_of(name, values, token)
    reads = [use.around for use in uses if use.around is not None and use.effect in "ru"]
    writes = [use.around for use in uses if use.around is not None and use.effect in "wut"]
    apart = lying(name, tiles, machine.target)
    on_cube = any(tile.kind.loc == "Acc" for tile in tiles)
    phase = machine.value(node.function.arguments[0]) if on_cube and node.function.arguments else None
    turn = handover(name, tiles, phase, token)
    if machine.target == "a2a3" and name in USED_UP:
        writes.append(region_of(tiles[1], token))
        uses.append(replace(use_of(tiles[1], "t", token), name=f"what {name} works on", holder=-1))
    machine.trace.instruction(name, pipe, span, reads, writes, apart, uses, turn)
    if ordered:
        machine.trace.barrier("ALL", span)
    return Result(pipe)


def _own_place(machine: Machine, name: str, values: Sequence[Any], tiles: Sequence[Tile], span: Span) -> None:
    """Some instructions of A2/A3 fill their result before they have read all operands."""
    first, operands = tiles[0].address, [tile.address for tile in tiles[1:]]
    number_first = len(values) > 1 and not isinstance(values[1], Tile)
    if fills_first(machine.target, name, number_first) and isinstance(first, int) and first in operands:
        text = f"{name} fills `{tiles[0].name}` before it has read what lies there"
        machine.trace.faults.append(Finding("in place", None, None, text, span))
