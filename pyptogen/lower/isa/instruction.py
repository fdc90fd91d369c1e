"""What the table says of one PTO instruction, and the sets of element types that its rows name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache

from pyptogen.records import dataclass

DTYPES = (
    "fp32", "fp16", "bf16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
    "fp8_e4m3", "fp8_e5m2", "hif8", "fp8_e8m0", "fp4_e2m1", "fp4_e1m2", "int4",
)  # fmt: skip
"""Element types of PTO tiles."""

Types = frozenset[str]
NONE: Types = frozenset()
FP32: Types = frozenset({"fp32"})
FLOATS: Types = FP32 | {"fp16"}
ARITH: Types = FLOATS | {"int32", "int16"}
FLOATS_3: Types = FLOATS | {"bf16"}
CPU_ARITH: Types = ARITH | {"bf16"}
INT_16_32: Types = frozenset({"int16", "uint16", "int32", "uint32"})
INT_8_32: Types = INT_16_32 | {"int8", "uint8"}
INT_ANY: Types = INT_8_32 | {"int64", "uint64"}
ANY: Types = FLOATS_3 | INT_8_32 | {"int64"}
ALL: Types = FLOATS_3 | INT_ANY
UP_TO_4_BYTES: Types = FLOATS_3 | INT_8_32
TWO_OR_4_BYTES: Types = FLOATS_3 | INT_16_32
FP8: Types = frozenset({"fp8_e4m3", "fp8_e5m2", "hif8"})
FP4: Types = frozenset({"fp4_e2m1", "fp4_e1m2"})
EVERY: Types = frozenset(DTYPES)
"""The last one also stands for instructions to which element types do not matter."""


OTHER_TYPES = frozenset(
    {"bits", "idx", "ai", "bi", "offset", "key", "counts", "filter", "words", "scale", "exp", "max", "scaling", "tmp"}
)
"""Operands, by their names in forms, whose element type is not that of the others."""


@dataclass(frozen=True, slots=True)
class Bound:
    """How far a result may be from its meaning.

    Attributes:
        kind: ``exact``: bit for bit, except that a NaN is a NaN. ``equal``: the same, with zeros of either sign.
            ``ulps``: units in the last place of fp32; of a narrower float, one unit of its own where the fp32 result
            lies that close to a tie. ``summed``: relative to the sum of the magnitudes that are added. ``relative``:
            relative to the result.
        size: units, or parts.
    """

    kind: str = "exact"
    size: float = 0.0


EXACT = Bound()
EQUAL = Bound("equal")
SUMMED = Bound("summed", 2.0**-18)
"""fp32 sums of up to some thousand terms in any order."""


def _without_brackets(form: str) -> tuple[str, ...]:
    """``a[, b[, c]]`` is ``a``, ``a, b`` and ``a, b, c``."""
    found = re.search(r"\[([^\[\]]*)\]", form)
    if found is None:
        return (form,)
    short, long = (form[: found.start()] + text + form[found.end() :] for text in ("", found[1]))
    return tuple(dict.fromkeys((*_without_brackets(short), *_without_brackets(long))))


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    Attributes:
        form: the operands of each call form, destination first; forms apart by `` | ``, optional operands in brackets.
        dtypes: legal element types by platform; those of operand ``typed``. An empty set: the platform has no such
            instruction.
        doc: what it computes, in a few words; `meaning` says it in numpy.
        effects: one letter for each tile and GlobalTensor operand: ``w`` written, ``r`` read, ``u`` read and written,
            ``t`` scratch, ``-`` not accessed; several such words apart by ``|`` (see `effects_for`).
        pipe: what runs it; ``source``: FIX from L0C, MTE3 from elsewhere; ``place``: it depends on where both operands
            are (see `table.pipe_of`). Vector instructions that fill a tile in L1 run on MTE2.
        layouts: one word for each tile operand as devices take it (the bundled headers take ND and DN alike where
            devices take one of them): ``nd``, ``dn``, ``nz`` …, ``any``; ``gm`` is a GlobalTensor. The last one holds
            for all further operands.
        typed: which operand ``dtypes`` is about: the ``first`` one, or the first that is ``read``.
        bound: how far the headers may be from the meaning.
    """

    name: str
    form: str
    dtypes: Mapping[str, Types]
    doc: str
    effects: str = "wr"
    pipe: str = "V"
    layouts: str = "nd"
    typed: str = "first"
    bound: Bound = EXACT

    @property
    def forms(self) -> tuple[tuple[str, ...], ...]:
        """The operands of each form, optional ones both left out and given."""
        return _forms(self.form)

    def form_of(self, operands: int) -> tuple[str, ...]:
        """The operands of the first form with that many; the first form where there is none."""
        forms = self.forms
        return next((form for form in forms if len(form) == operands), forms[0])

    def effects_for(self, operands: int) -> str:
        """The letters of a call with this many tiles and GlobalTensors: the word of that length, else the first word,
        cut or with its last letter repeated."""
        return _effects_for(self.effects, operands)

    def has(self, platform: str) -> bool:
        """Whether the platform has the instruction at all."""
        return bool(self.dtypes[platform])


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share everything but names and words.

    ``Group("dst, a", a2a3=FLOATS, a5=FLOATS, cpu=ALL)(TABS="|a|")`` is one row.
    """

    form: str
    a2a3: Types
    a5: Types
    cpu: Types
    effects: str = "wr"
    pipe: str = "V"
    layouts: str = "nd"
    typed: str = "first"
    bound: Bound = EXACT

    def __call__(self, **meanings: str) -> tuple[Instruction, ...]:
        return self.rows(meanings)

    def rows(self, meanings: Mapping[str, str]) -> tuple[Instruction, ...]:
        dtypes = {"a2a3": self.a2a3, "a5": self.a5, "cpu": self.cpu}
        return tuple(
            Instruction(
                name, self.form, dict(dtypes), doc, self.effects, self.pipe, self.layouts, self.typed, self.bound
            )
            for name, doc in meanings.items()
        )


@cache
def _forms(form: str) -> tuple[tuple[str, ...], ...]:
    texts = (text for one in form.split("|") for text in _without_brackets(one))
    return tuple(tuple(word.strip() for word in text.split(",") if word.strip()) for text in texts)


@cache
def _effects_for(effects: str, operands: int) -> str:
    words = effects.split("|")
    word = next((w for w in words if len(w) == operands), words[0])
    return word[:operands] if len(word) >= operands or not word else word.ljust(operands, word[-1])


def by_name(rows: Iterable[Instruction]) -> dict[str, Instruction]:
    """Rows by name; a name stands once.

    Raises:
        ValueError: it stands twice.
    """
    table: dict[str, Instruction] = {}
    for row in rows:
        if row.name in table:
            raise ValueError(f"{row.name} stands twice in the instruction table")
        table[row.name] = row
    return table
