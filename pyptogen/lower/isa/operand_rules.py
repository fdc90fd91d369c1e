"""What the bundled headers ask of the operands of an instruction: a place, a layout, element types. The names of
operands and the element types that the headers take stand in the rows; here stands what only the headers know: in which
memories and layouts an implementation walks over a tile (devices, too, state layouts: the column of the rows), and
which operands have element types of their own.

`pto/cpu/isa/operands.hpp` is written from this (`write_headers`): each instruction begins with one `PTO_OPERANDS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from pyptogen.lower.isa.instruction import EVERY, FLOATS_3, FP32, INT_ANY, Instruction, Types
from pyptogen.lower.isa.table import FAMILIES, INSTRUCTIONS
from pyptogen.records import dataclass

Place = Literal[
    "alike", "rows", "vec", "line", "near", "fifo", "acc", "left", "open", "bytes", "tile", "shape", "view", "data",
    "conv", "gm", "any",
]  # fmt: skip
"""Where an operand lies, and how.

Tiles in UB, without fractals: ``rows``: a row-major one; ``vec``: a row-major or column-major one; ``alike``: one with
the layout of the first operand; ``line``: a row-major one of one row. Tiles with or without fractals: ``near``: in UB
or L1; ``fifo``: in UB, L1 or L0C; ``acc``: in L0C; ``left``: in L0A; ``open``: anywhere but in L0A and L0B, which the
matrix unit alone reads; ``bytes``: neither there nor in L0C: its bytes lie in the API's order; ``tile``: anywhere;
``shape``: in the memory of the first operand, with fractals where that has them; ``view``: there, in the same order.
``data``: a tile or a ConvTile; ``conv``: a ConvTile; ``gm``: a GlobalTensor; ``any``: nothing is asked.
"""

_UB = ("Vec",)
_ALL_LOCATIONS = ("Vec", "Mat", "Left", "Right", "Acc", "Bias", "Scaling", "ScaleLeft", "ScaleRight")
LOCATIONS: Mapping[Place, tuple[str, ...]] = {
    **dict.fromkeys(("alike", "rows", "vec", "line"), _UB),
    "near": ("Vec", "Mat"),
    "fifo": ("Vec", "Mat", "Acc"),
    "acc": ("Acc",),
    "left": ("Left",),
    "open": tuple(loc for loc in _ALL_LOCATIONS if loc not in ("Left", "Right")),
    "bytes": tuple(loc for loc in _ALL_LOCATIONS if loc not in ("Left", "Right", "Acc")),
    **dict.fromkeys(("tile", "shape", "view", "data", "any"), _ALL_LOCATIONS),
    "conv": (),
}
"""Where a tile of such a place may be."""
CONV_TILES: frozenset[Place] = frozenset({"open", "data", "conv"})
"""Places where a ConvTile may stand for a tile."""
_NO_TILES = frozenset(
    {"scalar", "cmp", "mode", "saturation", "binary", "start", "diagonal", "counter", "word", "pipe", "sub", "taken",
     "block"}
)  # fmt: skip
_NO_TILES_OF: Mapping[str, frozenset[str]] = {
    "TRANDOM": frozenset({"key"}),
    **dict.fromkeys(("TEXTRACT", "TINSERT"), frozenset({"row", "col"})),
    "TGATHER": frozenset({"offset"}),
    "TPUSH": frozenset({"gm"}),
    "TPOP": frozenset({"gm"}),
    "TPREFETCH_ASYNC": frozenset({"context"}),
    **dict.fromkeys(("TEXTRACT_FP", "TINSERT_FP", "TSUBVIEW"), frozenset({"row", "col"})),
    "TIMG2COL": frozenset({"m", "k"}),
}
"""Operands of forms that are no tiles there, and the GlobalTensors that stand for a slot of a fifo: of those nothing is
asked."""
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
    **dict.fromkeys(("TTOPK", "TBOTTOMK"), "rows gm rows"),
    **dict.fromkeys(("TROWCUMSUM", "TROWCUMPROD"), "rows"),
    "TLOAD": "data gm",
    "TSTORE": "gm data",
    "TSTORE_BYTES": "gm tile",
    "TSTORE_ADD": "gm tile",
    "TSTORE_RELU": "gm acc",
    "TSTORE_CONVERTED": "gm fifo",
    "TSTORE_FP": "gm fifo tile",
    **dict.fromkeys(("TMOV", "TEXTRACT"), "tile open"),
    "TINSERT": "tile open",
    **dict.fromkeys(("TMOV_CONVERTED", "TEXTRACT_CONVERTED", "TINSERT_CONVERTED"), "near fifo"),
    **dict.fromkeys(("TMOV_FP", "TEXTRACT_FP", "TINSERT_FP"), "near fifo tile"),
    "TRESHAPE": "tile shape",
    "TSUBVIEW": "bytes view",
    "TIMG2COL": "left conv",
    **dict.fromkeys(("SETFMATRIX", "SET_IMG2COL_RPT", "SET_IMG2COL_PADDING"), "conv"),
    "TPREFETCH_ASYNC": "gm",
    **dict.fromkeys(("TFILLPAD", "TFILLPAD_INPLACE", "TFILLPAD_EXPAND"), "near"),
    "TTRANS": "tile",
    "TGATHER": "rows rows | vec vec vec | rows rows vec vec",
    "TSCATTER": "rows rows | vec vec vec",
    "MGATHER": "tile gm any",
    "MSCATTER": "gm tile any",
    "TMRGSORT": "line",
    "SET_QUANT_VECTOR": "tile",
    "TGET_SCALE_ADDR": "tile",
    "TPUSH": "fifo",
    "TPOP": "near",
}
"""A place for each operand, the last one for all further. Of lists apart by ``|`` that of as many words as operands
holds, else the first. A name that is no instruction is a case of one: a store that copies bytes, one that adds, a
move that converts."""


@dataclass(frozen=True, slots=True)
class Like:
    """The element type of another operand of the form, or any ``of_size`` of it."""

    operand: str
    of_size: bool = False


_INT32: Types = frozenset({"int32"})
_INDICES: Mapping[str, Types | Like] = {"ai": INT_ANY, "bi": Like("ai"), "idx": Like("ai")}
_BY_NAME: Mapping[str, Types | Like] = {"bits": INT_ANY, "idx": INT_ANY, "ai": Like("idx"), "bi": Like("idx")}
_SAME_SIZE: Mapping[str, Types | Like] = {"a": Like("dst", of_size=True)}
_MOVED: Types = INSTRUCTIONS["TMOV"].dtypes["cpu"]
_OWN_TYPES: Mapping[str | tuple[str, int], Mapping[str, Types | Like]] = {
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
    "TADDDEQRELU": {"a": _INT32, "b": Like("a")},
    "TADDRELUCONV": {"a": frozenset({"fp32", "fp16", "int16"}), "b": Like("a")},
    "TSUBRELUCONV": {"a": frozenset({"fp32", "fp16", "int16"}), "b": Like("a")},
    "TTOPK": {"idx": _INT32, "tmp": _INT32},
    "TBOTTOMK": {"idx": _INT32, "tmp": _INT32},
    "TLOAD": {"gm": Like("dst", of_size=True)},
    "TSTORE": {"gm": EVERY},
    "TSTORE_BYTES": {"gm": EVERY, "src": Like("gm", of_size=True)},
    "TSTORE_ADD": {"gm": EVERY, "src": Like("gm")},
    **{name: {"gm": EVERY} for name in ("TSTORE_RELU", "TSTORE_CONVERTED")},
    "TSTORE_FP": {"acc": EVERY, "words": EVERY},
    "TMOV": {"src": _MOVED},
    "TEXTRACT": {"src": _MOVED},
    "TINSERT": {"a": _MOVED},
    **{name: {"src": _MOVED} for name in ("TMOV_CONVERTED", "TEXTRACT_CONVERTED")},
    "TINSERT_CONVERTED": {"a": _MOVED},
    **{name: {"acc": EVERY, "words": EVERY} for name in ("TMOV_FP", "TEXTRACT_FP", "TINSERT_FP")},
    "TRESHAPE": {"a": EVERY},
    "TSUBVIEW": {"a": Like("dst", of_size=True)},
    **dict.fromkeys(("TFILLPAD", "TFILLPAD_INPLACE", "TFILLPAD_EXPAND"), _SAME_SIZE),
    ("TGATHER", 2): _SAME_SIZE,
    ("TGATHER", 4): {
        "dst": frozenset({"int32", "uint32"}), "a": INSTRUCTIONS["TSCATTER"].dtypes["cpu"], "key": EVERY,
        "counts": INT_ANY,
    },
    ("TSCATTER", 2): _SAME_SIZE,
    "MGATHER": {"gm": Like("dst", of_size=True)},
    "MSCATTER": {"gm": Like("a", of_size=True)},
    "TMRGSORT": {"tmp": EVERY},
    "SET_QUANT_VECTOR": {"words": frozenset({"int64", "uint64"})},
    "TGET_SCALE_ADDR": {"scales": EVERY, "operand": EVERY},
}  # fmt: skip
"""Element types of operands that differ from those of the first: a set, or those of another operand. By instruction, or
by instruction and number of operands."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand of a call form.

    Attributes:
        name: its name in the form.
        place: what is asked of its place and layout.
        types: the element types that it may have, or whose it has.
    """

    name: str
    place: Place
    types: Types | Like


def ruled_names() -> tuple[str, ...]:
    """What the headers check by these rules: instructions and cases of them, in order."""
    return tuple(sorted(_LAYOUTS))


def row_of(name: str) -> Instruction:
    """The row of an instruction, or of a case of one."""
    return INSTRUCTIONS.get(name) or INSTRUCTIONS[name.rpartition("_")[0]]


def rules_of(name: str) -> tuple[tuple[Operand, ...], ...]:
    """What is asked of the operands of a call, for each number of them. Scratch tiles are not among them where nothing
    is asked of them.

    Raises:
        ValueError: two forms with as many operands ask for different things.
    """
    found: dict[int, tuple[Operand, ...]] = {}
    for form in row_of(name).forms:
        operands = rules_of_form(name, form)
        if found.setdefault(len(operands), operands) != operands:
            raise ValueError(f"{name} has two forms of {len(operands)} operands with different rules")
    return tuple(found[count] for count in sorted(found) if count)


def rules_of_form(name: str, form: Sequence[str]) -> tuple[Operand, ...]:
    """What is asked of the operands of a call in one form."""
    return _operands(name, [operand for operand in form if _is_ruled(name, operand)])


def _is_ruled(name: str, operand: str) -> bool:
    if operand in _NO_TILES or operand in _NO_TILES_OF.get(row_of(name).name, ()):
        return False
    return operand != "tmp" or "tmp" in _OWN_TYPES.get(name, {})


def _operands(name: str, names: Sequence[str]) -> tuple[Operand, ...]:
    lists = [words.split() for words in _LAYOUTS[name].split("|")]
    words = next((words for words in lists if len(words) == len(names)), lists[0])
    own = {**_BY_NAME, **_OWN_TYPES.get(name, {}), **_OWN_TYPES.get((name, len(names)), {})}
    first = next((operand for operand in names if operand not in own), "")
    taken = row_of(name).dtypes["cpu"]
    types = {operand: own.get(operand, taken if operand == first else Like(first)) for operand in names}
    return tuple(
        Operand(operand, _place(words[min(at, len(words) - 1)]), _resolved(types, operand))
        for at, operand in enumerate(names)
    )


def _resolved(types: Mapping[str, Types | Like], name: str) -> Types | Like:
    """Indices have the type of other ones that the form may lack: then any integers do."""
    said = types[name]
    return said if not isinstance(said, Like) or said.operand in types else INT_ANY


def _place(word: str) -> Place:
    match word:
        case "alike" | "rows" | "vec" | "line" | "near" | "fifo" | "acc" | "left" | "open" | "bytes":
            return word
        case "tile" | "shape" | "view" | "data" | "conv" | "gm" | "any":
            return word
    raise ValueError(f"{word} is no place")
