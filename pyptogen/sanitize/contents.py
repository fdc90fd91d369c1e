"""Which value each byte of a core's memories holds, in program order.

A walk whose numbers are all known tells for each byte which instruction wrote it last, and through which tile. So it
tells a tile that is read after another one was put over its value, a read of what nothing has written, a value that
nobody has read when the next one is put over it, and tiles that lie askew over each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any

import numpy as np

from pyptogen.diagnostics import Span
from pyptogen.lower.instruction.effects import Region
from pyptogen.lower.instruction.ir import Instr
from pyptogen.lower.instruction.replay import Finding
from pyptogen.records import dataclass
from pyptogen.sanitize.regions import Use

Bytes = np.ndarray[Any, np.dtype[np.int32]]

_ROOM = 1 << 20
"""Bytes: more than any memory has."""
_ANYTHING = -1
"""What bytes hold that an instruction may have written."""


@dataclass(slots=True)
class _Value:
    """What one instruction left in a tile. ``read``: whether anybody has; ``scratch``: nobody need."""

    instr: Instr
    use: Use
    region: Region
    read: bool = False
    scratch: bool = False


@dataclass(slots=True)
class Contents:
    """The memories of a core."""

    memories: dict[str, Bytes] = field(default_factory=dict)
    """By byte the number of the value that it holds, 0 where nothing was written, `_ANYTHING` where nobody knows."""
    values: list[_Value] = field(default_factory=list)
    """By number; the first one is no value."""
    own: dict[int, list[int]] = field(default_factory=dict)
    """The values that were put into a tile, by its holder."""

    lost: dict[Span, tuple[Instr, Use]] = field(default_factory=dict)
    """What was put over a value that nobody had read, by the place of the value's instruction."""

    def instruction(self, instr: Instr, uses: tuple[Use, ...]) -> Iterator[Finding]:
        """One instruction in program order: what is wrong with it."""
        for use, around in ((use, use.around) for use in uses if use.effect in "ru"):
            if use.region is None and around is not None:
                self._may_read(around)
            elif use.region is not None and use.region.start < use.region.end <= _ROOM:
                yield from self._read(instr, use, use.region)
        for use, around in ((use, use.around) for use in uses if use.effect in "wut"):
            if use.region is None and around is not None:
                self._bytes(_whole(around))[...] = _ANYTHING
            elif use.region is not None and use.region.start < use.region.end <= _ROOM:
                self._write(instr, use, use.region)

    def _may_read(self, region: Region) -> None:
        for number in _numbers(self._bytes(_whole(region))):
            if number > 0:
                self.values[number - 1].read = True

    def end(self) -> Iterator[Finding]:
        """Values that are overwritten before anybody has read them, whenever their instruction runs."""
        of: dict[Span, list[_Value]] = {}
        for value in self.values:
            if not value.scratch:
                of.setdefault(value.instr.span, []).append(value)
        for span, (instr, use) in self.lost.items():
            values = of.get(span, ())
            if values and not any(value.read for value in values):
                text = f"overwrites {_place(values[0].region)}, which nobody has read since {values[0].instr.name}"
                yield _finding("unused", instr, use, text, values[0].instr)

    def _bytes(self, region: Region) -> Bytes:
        if region.memory not in self.memories:
            self.memories[region.memory] = np.zeros(_ROOM, np.int32)
        memory = self.memories[region.memory]
        if region.pitch == 0 or region.pitch == region.width or region.end - region.start <= region.width:
            return memory[region.start : region.end]
        lines = -(-(region.end - region.start) // region.pitch)
        whole = memory[region.start : region.start + lines * region.pitch]
        return whole.reshape(lines, region.pitch)[:, : region.width]

    def _read(self, instr: Instr, use: Use, region: Region) -> Iterator[Finding]:
        there = self._bytes(region)
        numbers = _numbers(there)
        for number in numbers[numbers > 0]:
            self.values[number - 1].read = True
        plain = region.memory == "Vec"
        if 0 in numbers and (plain or len(numbers) == 1):
            yield _finding("unwritten", instr, use, f"reads bytes of {_place(region)} that nothing has written", None)
        for number in numbers[numbers > 0]:
            value = self.values[number - 1]
            if value.use.holder == use.holder:
                continue
            own = [self.values[n - 1] for n in self.own.get(use.holder, ())]
            for mine in own:
                if mine.region.overlaps(value.region) and not _part(value, mine):
                    text = f"reads {_place(region)}, where {value.instr.name} has put `{value.use.name}` over it"
                    yield _finding("overwritten", instr, use, text, value.instr)
                    break
            if not own and _askew(value.region, region) and not _has_room(use, value.use):
                text = f"at {_place(region)} lies askew over `{value.use.name}` at {_place(value.region)}"
                yield _finding("askew", instr, use, text, value.instr)

    def _write(self, instr: Instr, use: Use, region: Region) -> None:
        there = self._bytes(region)
        for number in _numbers(there):
            if number > 0 and not self.values[number - 1].read:
                self.lost.setdefault(self.values[number - 1].instr.span, (instr, use))
        self.values.append(_Value(instr, use, region, scratch=use.effect == "t"))
        there[...] = len(self.values)
        self.own.setdefault(use.holder, []).append(len(self.values))


def _numbers(there: Bytes) -> Bytes:
    """The different numbers in some bytes, in order. They lie in a few long runs: to look for where one ends takes less
    time than to sort them all."""
    flat = there.reshape(-1)
    ends = flat[:-1] != flat[1:]
    return np.unique(np.append(flat[:-1][ends], flat[-1:])) if ends.any() else flat[:1].copy()


def _whole(region: Region) -> Region:
    """All bytes from the first to the last one."""
    return Region(region.memory, max(region.start, 0), min(region.end, _ROOM), 0, 0)


def _part(value: _Value, whole: _Value) -> bool:
    """Whether a value is less than a whole tile: some of its rows, or some columns of it."""
    a, b = value.use.tile, whole.use.tile
    assert a is not None and b is not None
    if value.region.start < whole.region.start or value.region.end > whole.region.end:
        return False
    if not all(isinstance(size, int) for size in (a.rows, a.cols, b.rows, b.cols)):
        return False
    smaller = value.region.end - value.region.start < whole.region.end - whole.region.start or (
        value.region.width < whole.region.width or a.rows < b.rows  # of which a call may have no more
    )
    return smaller and a.row_major == b.row_major and a.cols * a.element.size == b.cols * b.element.size


def _askew(a: Region, b: Region) -> bool:
    """Whether two regions overlap and each has bytes before or after the other, also when what the last line of few
    valid columns leaves free counts to it: that belongs to the same tile."""
    return _crossed(a, b, a.end, b.end) and _crossed(a, b, _end_of_lines(a), _end_of_lines(b))


def _has_room(a: Use, b: Use) -> bool:
    """Whether the memory of one of two tiles has all of the other one's in it, whatever is valid of either: some rows
    of a tile whose last rows a call may leave empty."""
    (one, size), (other, more) = ((use.region, use.tile.bytes() if use.tile else None) for use in (a, b))
    if one is None or other is None or size is None or more is None:
        return False
    return not _crossed(one, other, one.start + size, other.start + more)


def _crossed(a: Region, b: Region, a_end: int, b_end: int) -> bool:
    return a.start < b.start < a_end < b_end or b.start < a.start < b_end < a_end


def _end_of_lines(region: Region) -> int:
    if region.pitch == 0:
        return region.end
    return region.start - (region.start - region.end) // region.pitch * region.pitch


def _place(region: Region) -> str:
    return f"{region.memory} 0x{region.start:05x}..0x{region.end:05x}"


def _finding(kind: str, instr: Instr, use: Use, text: str, put_by: Instr | None) -> Finding:
    return Finding(kind, None, None, f"{instr.name} of `{use.name}` {text}", instr.span, put_by=put_by)
