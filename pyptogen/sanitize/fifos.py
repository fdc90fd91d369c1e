"""What a walk sees of the fifos between the cores of a block: TPipe, its instructions, bare flags between cores.

A fifo is known by the flag of its TPipe and its direction, so that the walks of both programs speak of the same one.
What happens to fifos goes into the trace in the order of `pyptogen.lower.instruction.fifos`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyptogen.sanitize.lexer import Token
from pyptogen.sanitize.regions import handover, lying, region_of, use_of
from pyptogen.sanitize.syntax import Call, Name
from pyptogen.sanitize.values import UNKNOWN, Other, OtherType, Pipe, Result, SlotPointer, Tile

if TYPE_CHECKING:
    from pyptogen.sanitize.machine import Machine

INSTRUCTIONS = frozenset({"TPUSH", "TPOP", "TFREE", "TALLOC"})
DIRECTIONS = {"DIR_C2V": 1, "DIR_V2C": 2, "DIR_BOTH": 3, "DIR_C2V_GM": 1, "DIR_V2C_GM": 2, "DIR_BOTH_GM": 3}
CROSS_CORE_MODE = 2
"""The mode of `ffts_cross_core_sync` that passes between the cube core of a block and its vector cores."""


def construct(machine: Machine, kind: OtherType, arguments: list[Any], token: Token) -> Pipe:
    """A TPipe object. Raises PTG306 where its numbers hang on the call."""
    given = [DIRECTIONS.get(str(getattr(a, "name", a)), a) for a in kind.arguments]
    if len(given) < 4 or not all(isinstance(a, int) for a in given[:4]) or given[1] not in (1, 2, 3):
        raise machine.fault(token, "a TPipe whose flag, direction, slots and bytes are not all known numbers")
    local = given[4] if len(given) > 4 and isinstance(given[4], int) else 2
    unit_flags = len(given) > 6 and given[6] is not UNKNOWN and bool(given[6])
    pipe = Pipe(given[0], given[1], given[2], given[3], local, tuple(arguments[1:3]), unit_flags=unit_flags)
    for way in ("c2v", "v2c"):
        if given[1] & {"c2v": 1, "v2c": 2}[way]:
            machine.trace.pipes[fifo_name(pipe, way)] = given[3]
    return pipe


def fifo_name(pipe: Pipe, way: str) -> str:
    """How findings call a fifo."""
    return f"the {'cube to vector' if way == 'c2v' else 'vector to cube'} fifo of flag {pipe.flag}"


def instruction(machine: Machine, node: Call, name: str, values: list[Any]) -> Any:
    """TPUSH, TPOP, TFREE and TALLOC, of a tile or of a GlobalTensor that stands for a slot."""
    assert isinstance(node.function, Name)
    token = node.function.token
    pipe = next((value for value in values if isinstance(value, Pipe)), None)
    if pipe is None:
        raise machine.fault(token, f"`{name}` of a fifo that is no TPipe known here")
    tile = next((value for value in values if isinstance(value, Tile)), None)
    view = next((value for value in values if isinstance(value, Other)), None)
    gives = name in ("TPUSH", "TALLOC")
    fifo = fifo_name(pipe, "c2v" if gives == (machine.core == "CUBE") else "v2c")
    if fifo not in machine.trace.pipes:
        raise machine.fault(token, f"`{name}` against the direction of its TPipe")
    span = token.span
    if name == "TFREE":
        if view is not None:  # a tile was copied by TPOP, which freed its slot
            machine.trace.fifo("free", fifo, span)
        return Result("S")
    if name == "TALLOC" or (name == "TPOP" and tile is None):
        machine.trace.fifo("claim" if gives else "pop", fifo, span)
        if view is not None:
            view.fifo = fifo
        return Result("S")
    if tile is None:
        machine.trace.fifo("fill", fifo, span)
        return Result("S")
    return _of_tile(machine, name, pipe, fifo, tile, token)


def _of_tile(machine: Machine, name: str, pipe: Pipe, fifo: str, tile: Tile, token: Token) -> Result:
    """A tile that is stored into a slot, or loaded from one and the slot freed."""
    span = token.span
    if name == "TPUSH":
        machine.trace.fifo("claim", fifo, span)
        on = "FIX" if tile.kind.loc == "Acc" else "MTE3"
        apart = lying(name, [tile], machine.target)
        turn = handover(name, [tile], "Final" if pipe.unit_flags else None, token)
        uses = [use_of(tile, "r", token)]
        machine.trace.instruction(name, on, span, [region_of(tile, token)], [], apart, uses, turn)
        machine.trace.fifo("fill", fifo, span)
        return Result(on)
    machine.trace.fifo("pop", fifo, span)
    base = pipe.bases[0 if tile.kind.loc == "Vec" else 1] if len(pipe.bases) == 2 else None
    if isinstance(base, int):  # the device gives the tile its place in the consumer's fifo
        tile.address = base + pipe.taken % pipe.local * pipe.size
    pipe.taken += 1
    machine.trace.instruction(name, "MTE2", span, [], [region_of(tile, token)], uses=[use_of(tile, "w", token)])
    machine.trace.fifo("free", fifo, span)
    return Result("MTE2")


def slot_of(value: Any) -> str | None:
    """The fifo whose slot a GlobalTensor or a pointer stands for."""
    return value.fifo if isinstance(value, Other | SlotPointer) else None


def access_slots(machine: Machine, name: str, values: list[Any], token: Token) -> None:
    """Notes a load from a popped slot, or a store into a claimed one."""
    for value in values:
        fifo = slot_of(value)
        if fifo is not None:
            machine.trace.fifo("store" if name.startswith("TSTORE") else "load", fifo, token.span)


def between_cores(machine: Machine, name: str, values: list[Any], token: Token) -> None:
    """A bare flag between the cores of a block: `ffts_cross_core_sync(pipe, message)`, `wait_flag_dev(flag)`."""
    if name == "wait_flag_dev" and len(values) == 1 and isinstance(values[0], int):
        machine.trace.fifo("await", _flag_name(machine, values[0], False), token.span)
    if name == "ffts_cross_core_sync" and len(values) == 2 and isinstance(values[1], int):
        mode, number = values[1] >> 4 & 3, values[1] >> 8 & 15
        if mode == CROSS_CORE_MODE:
            machine.trace.fifo("signal", _flag_name(machine, number, True), token.span)


def _flag_name(machine: Machine, number: int, sets: bool) -> str:
    """The flag `number` that this core sets, or that it waits for: each way has flags of its own."""
    return f"flag {number} to the {'vector' if sets == (machine.core == 'CUBE') else 'cube'} core"


def message(values: list[Any]) -> int | None:
    """What `getFFTSMsg(mode, flag)` gives: the word for `ffts_cross_core_sync`."""
    mode, flag = values if len(values) == 2 else (None, None)
    return 1 | (mode & 3) << 4 | (flag & 15) << 8 if isinstance(mode, int) and isinstance(flag, int) else None
