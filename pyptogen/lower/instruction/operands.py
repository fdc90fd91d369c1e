"""Places, layouts and element types of an instruction's operands, by the rules that the headers state, too
(`isa.operand_rules`): what no C++ compiler takes is told before there is C++."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache

from pyptogen.lower.instruction.ir import Declare, GmWindow, Instr
from pyptogen.lower.isa.operand_rules import LOCATIONS, Like, Operand, row_of, ruled_names, rules_of_form
from pyptogen.lower.isa.table import CAST_FROM_ACC
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.records import dataclass


@dataclass(frozen=True, slots=True)
class Broken:
    """An operand that breaks a rule: what it is, and what it must be instead."""

    name: str
    found: str
    wanted: str


@dataclass(frozen=True, slots=True)
class _Given:
    """What is given for an operand of a rule; ``loc`` of a window is ``gm``."""

    rule: Operand
    loc: str
    dtype: str
    rows: int
    col_major: bool


def broken_rule(instr: Instr, declared: Mapping[str, Declare]) -> Broken | None:
    """The first operand that breaks a rule of the instruction; None where all are kept to."""
    names = [instr.name]
    if instr.name == "TSTORE":
        source = instr.operands[1]
        from_acc = isinstance(source, str) and declared[source].type.loc == "Acc"
        names += [] if from_acc else ["TSTORE_BYTES"]
    found = tuple(isinstance(operand, str | GmWindow) for operand in instr.operands)
    for name in names:
        given = [_given(rule, instr.operands[at], declared) for at, rule in _rules(name, found)]
        for operand in given:
            wanted = _wanted(operand, given)
            if wanted:
                return Broken(operand.rule.name, f"{operand.dtype} in {operand.loc}", wanted)
    return _broken_cast(instr, declared)


_RULED = frozenset(ruled_names())


@cache
def _rules(name: str, found: tuple[bool, ...]) -> tuple[tuple[int, Operand], ...]:
    """The rules of a call, each with the number of its operand. ``found`` says which operands are tiles or windows:
    that tells forms of one length apart."""
    for form in row_of(name).forms if name in _RULED else ():
        rules = tuple((form.index(rule.name), rule) for rule in rules_of_form(name, form))
        if len(form) == len(found) and all(found[at] for at, _ in rules):
            return rules
    return ()


def _given(rule: Operand, operand: object, declared: Mapping[str, Declare]) -> _Given:
    if isinstance(operand, GmWindow):
        return _Given(rule, "gm", operand.dtype, 0, False)
    kind = declared[str(operand)].type
    return _Given(rule, kind.loc, kind.dtype, kind.rows, kind.col_major)


def _wanted(operand: _Given, given: Sequence[_Given]) -> str:
    """What an operand must be and is not; nothing where it is right."""
    place, types = operand.rule.place, operand.rule.types
    if (operand.loc == "gm") != (place == "gm") and place != "any":
        return "a tensor in GM" if place == "gm" else "a tile"
    if operand.loc != "gm" and operand.loc not in LOCATIONS[place]:
        return f"one in {' or '.join(LOCATIONS[place])}"
    if place in ("shape", "view") and operand.loc != given[0].loc:
        return f"one in {given[0].loc}, as `{given[0].rule.name}` is"
    first = next((other for other in given if other.rule.place == "alike"), operand)
    if place == "alike" and operand.col_major != first.col_major:
        return f"one by {'columns' if first.col_major else 'rows'}, as `{first.rule.name}` is"
    if place in ("rows", "line") and operand.col_major:
        return "one by rows"
    if place == "line" and operand.rows != 1:
        return "one of one row"
    if not isinstance(types, Like):
        return "" if operand.dtype in types else f"one of {' or '.join(sorted(types))}"
    other = next(other for other in given if other.rule.name == types.operand)
    if types.of_size:
        return "" if DTYPES[operand.dtype] == DTYPES[other.dtype] else f"of elements of the size of {other.dtype}"
    return "" if operand.dtype == other.dtype else f"one of {other.dtype}, as `{other.rule.name}` is"


def _broken_cast(instr: Instr, declared: Mapping[str, Declare]) -> Broken | None:
    """What an accumulator is stored or moved as."""
    if instr.name not in ("TSTORE", "TMOV", "TEXTRACT"):
        return None
    to, source = instr.operands[:2]
    if not isinstance(source, str) or declared[source].type.loc != "Acc":
        return None
    sums = declared[source].type.dtype
    dtype = to.dtype if isinstance(to, GmWindow) else declared[str(to)].type.dtype
    types = CAST_FROM_ACC[sums]
    return None if dtype in types else Broken("dst", f"{dtype} made of {sums}", f"one of {' or '.join(sorted(types))}")
