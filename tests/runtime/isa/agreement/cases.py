"""Call forms of the regular vector instructions, taken from the rows: what kind of tile each operand is, and how the
call is spelled where a template argument is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyptogen.lower.isa.table import FAMILIES, INSTRUCTIONS, Instruction

KINDS: Mapping[str, str] = {
    "dst": "full", "a": "full", "b": "full", "c": "full", "idx": "index", "ai": "index", "bi": "index", "bits": "bits",
    "col": "col", "row": "row", "tmp": "full",
}  # fmt: skip
"""Kinds of tile operands: the whole block, a column or a row of it, an int32 block, packed predicates."""
NUMBERS = frozenset({"scalar", "cmp", "mode", "binary", "start", "diagonal", "key", "counter"})


@dataclass(frozen=True, slots=True)
class Case:
    """One call form. ``settings`` are keywords of the meaning; ``templates`` go between the name and the operands."""

    row: Instruction
    form: tuple[str, ...]
    kinds: Mapping[str, str]
    templates: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    label: str = ""

    @property
    def symbol(self) -> str:
        return f"{self.row.name}_{self.label or len(self.form)}".replace("::", "_")

    @property
    def tiles(self) -> tuple[str, ...]:
        return tuple(name for name in self.form if name not in NUMBERS)

    @property
    def effects(self) -> Mapping[str, str]:
        return dict(zip(self.tiles, self.row.effects_for(len(self.tiles)), strict=True))


def _kinds(row: Instruction, form: tuple[str, ...]) -> dict[str, str]:
    kinds = {name: KINDS[name] for name in form if name not in NUMBERS}
    if row.name.startswith(("TROWARG", "TCOLARG")):
        line = "col" if row.name.startswith("TROW") else "row"
        kinds |= {name: f"index {line}" if name == "idx" else line for name in form if name in ("dst", "idx")}
    elif row.name in ("TROWSUM", "TROWMAX", "TROWMIN", "TROWPROD"):
        kinds["dst"] = "col"
    elif row.name in ("TCOLSUM", "TCOLMAX", "TCOLMIN", "TCOLPROD"):
        kinds["dst"] = "row"
    elif row.name == "TCI":
        kinds = dict.fromkeys(kinds, "row")
    return kinds


_PRECISION = {
    "TDIV": "Div", "TDIVS": "Div", "TEXP": "Exp", "TLOG": "Log", "TSQRT": "Sqrt", "TRSQRT": "Rsqrt", "TRECIP": "Recip",
    "TFMOD": "Fmod", "TFMODS": "FmodS", "TREM": "Rem", "TREMS": "RemS", "TPOW": "Pow", "TPOWS": "Pow",
    "TROWEXPANDDIV": "Div", "TCOLEXPANDDIV": "Div",
}  # fmt: skip
"""Instructions with a precision as their first template argument."""
ELSEWHERE = frozenset({"TCVT", "TRANDOM"})
"""Rows of the two families that have tests of their own."""


def _of_row(row: Instruction) -> Iterator[Case]:
    forms = list(dict.fromkeys(row.forms))
    for number, form in enumerate(forms):
        kinds = _kinds(row, form)
        label = f"{len(form)}{'abc'[number]}"
        if row.name == "TCI":
            for down in (0, 1):
                types = "Row<T>, Row<T>, T" if "tmp" in form else "Row<T>, T"
                yield Case(row, form, kinds, f"<{types}, {down}>", {"descending": down == 1}, f"{label}{down}")
        elif row.name == "TTRI":
            for upper in (0, 1):
                yield Case(row, form, kinds, f"<Full<T>, {upper}>", {"upper": upper == 1}, f"{label}{upper}")
        else:
            yield Case(row, form, kinds, label=label)
    if row.name in _PRECISION:
        precise = f"<{_PRECISION[row.name]}Algorithm::HIGH_PRECISION>"
        yield Case(row, forms[0], _kinds(row, forms[0]), precise, label="precise")


CASES: tuple[Case, ...] = tuple(
    case
    for family in ("arithmetic", "vector")
    for row in FAMILIES[family]
    if row.name not in ELSEWHERE
    for case in _of_row(row)
)
"""Every call form of the rows of the families `arithmetic` and `vector`."""

COVERED = frozenset(case.row.name for case in CASES)
assert set(INSTRUCTIONS) >= COVERED
