"""What the bundled headers ask of the tiles of an instruction: a place, a layout, element types. The names of operands
and the element types that the headers take stand in the rows; here stands what only the headers know: in which layouts
an implementation walks over a tile (devices, too, state layouts: the column of the rows), and which operands have
element types of their own.

`pto/cpu/isa/operands.hpp` is written from this (`write_headers`): each instruction begins with one `PTO_OPERANDS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pyptogen.lower.isa.instruction import EVERY, FLOATS_3, FP32, INT_ANY, Instruction, Types
from pyptogen.lower.isa.table import FAMILIES, INSTRUCTIONS
from pyptogen.records import dataclass

Place = Literal["alike", "rows", "vec", "any"]
"""``rows``: a row-major tile in UB; ``vec``: one in UB, row-major or column-major; ``alike``: one in UB with the layout
of the first operand; ``any``: nothing is asked. None of those in UB may have boxes."""

_NO_TILES = frozenset({"scalar", "cmp", "mode", "saturation", "binary", "start", "diagonal", "key", "counter", "gm"})
_STEMS = ("ADD", "SUB", "MUL", "DIV", "MAX", "MIN")
_POSITIONS = "vec rows | vec vec rows"
_LAYOUTS: Mapping[str, str] = {
    **dict.fromkeys((row.name for row in FAMILIES["arithmetic"]), "alike"),
    **dict.fromkeys((row.name for row in FAMILIES["vector"]), "rows"),
    **dict.fromkeys(("TAND", "TOR", "TXOR", "TSHL", "TSHR", "TNOT"), "alike"),
    **dict.fromkeys(("TANDS", "TORS", "TXORS", "TSHLS", "TSHRS"), "alike"),
    "TCMPS": "rows rows vec",
    **dict.fromkeys(("TROWSUM", "TROWMAX", "TROWMIN", "TROWPROD"), "vec rows"),
    **dict.fromkeys(("TROWARGMAX", "TROWARGMIN", "TCOLARGMAX", "TCOLARGMIN"), _POSITIONS),
    **dict.fromkeys(("TROWEXPAND", "TROWEXPANDEXPDIF", *(f"TROWEXPAND{stem}" for stem in _STEMS)), "rows vec"),
    "TCI": "rows",
    **dict.fromkeys(("TINTERLEAVE", "TDEINTERLEAVE", "TSORT32"), "rows"),
    "TCONCAT": "rows rows rows any",
    "TGATHERB": "rows vec any",
    "THISTOGRAM": "vec vec any",
    **dict.fromkeys(("TDEQUANT", "TQUANT"), "rows rows any"),
    **dict.fromkeys(("TADDDEQRELU", "TADDRELUCONV", "TSUBRELUCONV"), "rows"),
    **dict.fromkeys(("TTOPK", "TBOTTOMK", "TROWCUMSUM", "TROWCUMPROD"), "rows"),
}
"""A place for each operand, the last one for all further. Of lists apart by ``|`` that of as many words as operands
holds, else the first."""

_INT32: Types = frozenset({"int32"})
_INDICES: Mapping[str, Types | str] = {"ai": INT_ANY, "bi": "ai", "idx": "ai"}
_BY_NAME: Mapping[str, Types | str] = {"bits": INT_ANY, "idx": INT_ANY, "ai": "idx", "bi": "idx"}
_OWN_TYPES: Mapping[str, Mapping[str, Types | str]] = {
    "TAXPY": {"a": INSTRUCTIONS["TAXPY"].dtypes["cpu"]},
    "TCVT": {"dst": EVERY, "a": EVERY},
    "TSEL": {"bits": EVERY},
    "TSELS": {"bits": EVERY},
    "TCONCAT": _INDICES,
    "TGATHERB": {"a": EVERY, "offset": INT_ANY},
    "TSORT32": {"idx": frozenset({"uint32"})},
    "THISTOGRAM": {"dst": frozenset({"uint32"}), "filter": frozenset({"uint8"})},
    "TQUANT": {
        "a": FLOATS_3, "scale": FP32, "offset": FP32, "exp": frozenset({"uint8", "fp8_e8m0"}), "max": EVERY,
        "scaling": EVERY,
    },
    "TDEQUANT": {"a": frozenset({"int8", "int16"}), "scale": FP32, "offset": FP32},
    "TADDDEQRELU": {"a": _INT32, "b": "a"},
    "TADDRELUCONV": {"a": frozenset({"fp32", "fp16", "int16"}), "b": "a"},
    "TSUBRELUCONV": {"a": frozenset({"fp32", "fp16", "int16"}), "b": "a"},
    "TTOPK": {"idx": _INT32, "tmp": _INT32},
    "TBOTTOMK": {"idx": _INT32, "tmp": _INT32},
}  # fmt: skip
"""Element types of operands that differ from those of the first: a set, or the operand that has the same."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One tile of a call form.

    Attributes:
        name: its name in the form.
        place: what is asked of its place and layout.
        types: the element types that it may have, or the name of the operand of the form that has the same.
    """

    name: str
    place: Place
    types: Types | str


def ruled_instructions() -> tuple[Instruction, ...]:
    """The instructions whose operands the headers check by these rules, by name."""
    return tuple(INSTRUCTIONS[name] for name in sorted(_LAYOUTS))


def rules_of(row: Instruction) -> tuple[tuple[Operand, ...], ...]:
    """What is asked of the tiles of a call, for each number of them. Scratch tiles are not among them where nothing is
    asked of them.

    Raises:
        ValueError: two forms with as many tiles ask for different things.
    """
    found: dict[int, tuple[Operand, ...]] = {}
    for form in row.forms:
        operands = _operands(row, [name for name in form if _is_ruled(row, name)])
        if found.setdefault(len(operands), operands) != operands:
            raise ValueError(f"{row.name} has two forms of {len(operands)} tiles with different rules")
    return tuple(found[count] for count in sorted(found))


def _is_ruled(row: Instruction, name: str) -> bool:
    return name not in _NO_TILES and (name != "tmp" or "tmp" in _OWN_TYPES.get(row.name, {}))


def _operands(row: Instruction, names: Sequence[str]) -> tuple[Operand, ...]:
    lists = [words.split() for words in _LAYOUTS[row.name].split("|")]
    words = next((words for words in lists if len(words) == len(names)), lists[0])
    own = {**_BY_NAME, **_OWN_TYPES.get(row.name, {})}
    first = next((name for name in names if name not in own), "")
    types = {name: own.get(name, row.dtypes["cpu"] if name == first else first) for name in names}
    return tuple(
        Operand(name, _place(words[min(at, len(words) - 1)]), _resolved(types, name)) for at, name in enumerate(names)
    )


def _resolved(types: Mapping[str, Types | str], name: str) -> Types | str:
    """Indices have the type of other ones that the form may lack: then any integers do."""
    said = types[name]
    return said if not isinstance(said, str) or said in types else INT_ANY


def _place(word: str) -> Place:
    match word:
        case "alike" | "rows" | "vec" | "any":
            return word
    raise ValueError(f"{word} is no place")
