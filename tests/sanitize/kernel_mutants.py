"""Kernels that are wrong in one place: addresses, valid extents, loops, slots, flags of generated ones.

Each mutant is another expression in the place of one of the kernel's. So one file can hold all of them, each chosen by
its number at run time (`switched`): they are compiled once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

TILE_TYPE = re.compile(r"^using (\w+) = (Tile<TileType::(\w+)|Tile(Left|Right|Acc)\w*<)", re.M)
DECLARED = re.compile(r"^(\s*)(\w+) (\w+)(?:\(([^;]*)\))?; TASSIGN")
ASSIGN = re.compile(r"TASSIGN\((\w+), ([^;]*)\);")
ASSIGN_CONSTANT = re.compile(r"TASSIGN<(0x[0-9a-f]+)>\((\w+)\);")
LOOP = re.compile(r"^\s*for \(int\w+ (\w+) = ([^;]+); \1 < ([^;]+); (?:\1 \+= ([^,;)]+)|\+\+\1)[,)]")
VIEW = re.compile(r"^\s*\w+Gm \w+\(.*, \{(\w+)\}(?:, \{[^}]*\})?\);")
FLAG = re.compile(r"\b(?:set_flag|wait_flag|pipe_barrier)\([^;]*\);")
EVENT = re.compile(r"event_t\((?:(\d+) \+ )?(\w+_buffer)\)")
CONST = re.compile(r"^(\s*)(?:for \(|if \()?const int32_t (\w+_valid)\b")
CAPACITY = {"Vec": 192 << 10, "Mat": 512 << 10, "Left": 64 << 10, "Right": 64 << 10, "Acc": 128 << 10}
KINDS = ("address", "extent", "loop", "slot", "flag")


@dataclass(frozen=True, slots=True)
class Mutant:
    """``new`` in the place of ``old``, from column ``at`` of line number ``line`` (from 0) on; ``what`` says why."""

    kind: str
    what: str
    line: int
    at: int
    old: str
    new: str

    def text(self, lines: Sequence[str]) -> str:
        """The kernel with this fault."""
        line = lines[self.line]
        changed = line[: self.at] + self.new + line[self.at + len(self.old) :]
        return "\n".join([*lines[: self.line], changed, *lines[self.line + 1 :]])


def mutants(text: str) -> list[Mutant]:
    """All mutants of a kernel's text, in the order of its lines."""
    lines = text.split("\n")
    memory = {m[1]: m[3] or m[4] for m in TILE_TYPE.finditer(text)}
    found: list[Mutant] = []
    placed: dict[str, list[str]] = {}
    valid: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        depth = len(line) - len(line.lstrip())
        valid = [v for v in valid if not line.strip() or v[0] <= depth]
        found += _loop(number, line)
        found += _tile(number, line, memory, placed, [name for _, name in valid])
        if view := VIEW.match(line):
            found += _extent(number, view.start(1), view[1], [name for _, name in valid])
        found += [Mutant("slot", "event", number, m.start(2), m[2], f"(1 - {m[2]})") for m in EVENT.finditer(line)]
        found += [Mutant("flag", "removed", number, m.start(), m[0], "") for m in FLAG.finditer(line)]
        if const := CONST.match(line):
            valid.append((len(const[1]), const[2]))
    return found


def _loop(number: int, line: str) -> Iterator[Mutant]:
    loop = LOOP.match(line)
    if loop is None:
        return
    step = loop[4] or "1"
    if "_valid" not in loop[3]:  # the rows of one tile are no loop over tiles
        yield Mutant("loop", "one round fewer", number, loop.start(3), loop[3], f"{loop[3]} - {step}")
        yield Mutant("loop", "one round more", number, loop.start(3), loop[3], f"{loop[3]} + {step}")
    yield Mutant("loop", "begins later", number, loop.start(2), loop[2], f"{loop[2]} + {step}")
    if step.isdigit() and int(step) > 1:
        yield Mutant("loop", "begins askew", number, loop.start(2), loop[2], f"{loop[2]} + {int(step) // 2}")
    if loop[4]:
        yield Mutant("loop", "step", number, loop.start(4), step, f"2 * {step}")


def _tile(
    number: int, line: str, memory: Mapping[str, str], placed: dict[str, list[str]], valid: Sequence[str]
) -> Iterator[Mutant]:
    tile = DECLARED.match(line)
    where = ASSIGN.search(line) or ASSIGN_CONSTANT.search(line)
    if tile is None or where is None or tile[2] not in memory:
        return
    loc, constant = memory[tile[2]], where.re is ASSIGN_CONSTANT
    group = 1 if constant else 2
    at, address = where.start(group), where[group]
    before = placed.setdefault(loc, [])
    others = [other for other in before if other.split(" ")[0] != address.split(" ")[0]]
    beyond = f"0x{CAPACITY[loc] - 32:05x}"
    moved = [("another tile's", others[-1])] if others else []
    moved += [("32 bytes on", f"{address} + 32"), ("beyond", beyond)]
    moved += [] if re.match(r"0x0+\b", address) else [("32 bytes back", f"{address} - 32")]
    for what, new in moved:
        if constant:  # the address of another tile may hang on a slot
            old = where[0]
            yield Mutant("address", what, number, where.start(), old, f"TASSIGN({where[2]}, {new});")
        else:
            yield Mutant("address", what, number, at, address, new)
    if address not in before:
        before.append(address)
    for slot in dict.fromkeys(re.findall(r"\b\w+_buffer\b", address)):
        yield Mutant("slot", "the other", number, at, address, address.replace(slot, f"(1 - {slot})"))
        yield Mutant("slot", "always the same", number, at, address, address.replace(slot, "0"))
    place = tile.start(4)
    for argument in re.finditer(r"\w+", tile[4] or ""):
        yield from _extent(number, place + argument.start(), argument[0], valid)


def _extent(number: int, at: int, extent: str, valid: Sequence[str]) -> Iterator[Mutant]:
    if extent.isdigit():
        return
    yield Mutant("extent", "one more", number, at, extent, f"{extent} + 1")
    yield Mutant("extent", "one fewer", number, at, extent, f"{extent} - 1")
    others = [name for name in valid if name != extent]
    if others:
        yield Mutant("extent", "another name", number, at, extent, others[-1])


def sample(found: Sequence[Mutant], most: Mapping[str, int]) -> list[Mutant]:
    """At most so many of each kind, evenly spread."""
    chosen: list[Mutant] = []
    for kind in KINDS:
        of = [mutant for mutant in found if mutant.kind == kind]
        room = most.get(kind, 0)
        chosen += of if len(of) <= room else [of[i * len(of) // room] for i in range(room)]
    return chosen


CHOOSER = """\
#include <cstdlib>
static inline int mutant_now()
{
    const char *text = std::getenv("PYPTOGEN_MUTANT");
    return text == nullptr ? 0 : std::atoi(text);
}
"""


def switched(text: str, chosen: Mapping[int, Mutant]) -> str:
    """The kernel with all of these faults in it, each at work where the variable PYPTOGEN_MUTANT has its number."""
    lines = text.split("\n")
    places: dict[tuple[int, int, str], list[int]] = {}
    for number, mutant in chosen.items():
        places.setdefault((mutant.line, mutant.at, mutant.old), []).append(number)
    for (line, at, old), numbers in sorted(places.items(), reverse=True):
        new = old
        for number in numbers:
            mutant = chosen[number]
            if old.endswith(";"):  # a statement
                other = f"{{ {mutant.new} }}" if mutant.new else "{}"
                new = f"if (mutant_now() == {number}) {other} else {{ {new} }}"
            else:
                new = f"(mutant_now() == {number} ? decltype(({old}) + 0)({mutant.new}) : ({new}))"
        lines[line] = lines[line][:at] + new + lines[line][at + len(old) :]
    after = next(i for i, line in enumerate(lines) if line.startswith("#include <pto/"))
    return "\n".join([*lines[: after + 1], CHOOSER, *lines[after + 1 :]])
