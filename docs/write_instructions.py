"""Write docs/isa/instructions.md from the instruction table: `make docs`."""

from __future__ import annotations

from pathlib import Path

from pyptogen.lower.isa.instruction import (
    ALL,
    ARITH,
    DTYPES,
    EVERY,
    FLOATS,
    FLOATS_3,
    INT_8_32,
    INT_16_32,
    INT_ANY,
    NONE,
    TWO_OR_4_BYTES,
    UP_TO_4_BYTES,
    Bound,
    Types,
)
from pyptogen.lower.isa.table import CASTS, FAMILIES, NARROWING, PRODUCTS

PAGE = Path(__file__).parent / "isa" / "instructions.md"
SETS = {
    NONE: "none", EVERY: "every", FLOATS: "floats", ARITH: "arith", FLOATS_3: "floats3", INT_16_32: "int16-32",
    INT_8_32: "int8-32", INT_ANY: "ints", ALL: "plain", UP_TO_4_BYTES: "≤4 bytes", TWO_OR_4_BYTES: "2-4 bytes",
}  # fmt: skip
HEAD = """\
# The instruction table

Written by `make docs` from `pyptogen/lower/isa/`. What an instruction computes stands in `pyptogen/simulate/meaning/`,
in numpy; [isa.md](../isa.md) says how headers and meanings are kept equal.

Effects: `w` written, `r` read, `u` both, `t` scratch, `-` not accessed, one letter for each tile or GlobalTensor.
Bound: how far the headers may be from the meaning (exact where nothing stands). `none`: the platform has no such
instruction. Pipe: `source`: FIX from L0C, MTE3 from elsewhere; `place`: where both operands lie decides; V becomes MTE2
where L1 is filled.
"""


def listed(types: Types) -> str:
    """A set of element types by its name, or in full."""
    return SETS.get(types) or " ".join(d for d in DTYPES if d in types)


def bound(of: Bound) -> str:
    return {
        "exact": "",
        "equal": "zeros of either sign",
        "ulps": f"{of.size:g} ulp",
        "summed": f"2^{int(of.size.hex().split('p')[1])} of the sum of magnitudes",
        "relative": f"2^{int(of.size.hex().split('p')[1])}",
    }[of.kind]


def page() -> str:
    """The whole page."""
    lines = [HEAD, "| set | element types |", "|---|---|"]
    lines += [f"| {name} | {' '.join(d for d in DTYPES if d in types)} |" for types, name in SETS.items() if types]
    for family, rows in FAMILIES.items():
        lines += [
            "", f"## {family.capitalize()}", "",
            "| name | forms | computes | effects | pipe | A2/A3 | A5 | here | bound |",
            "|---|---|---|---|---|---|---|---|---|",
        ]  # fmt: skip
        for row in rows:
            forms = "<br>".join(f"`{form.strip()}`" for form in row.form.split("|") if form.strip())
            cells = (
                row.name, forms, row.doc.replace("|", "\\|"), row.effects.replace("|", ", "), row.pipe,
                *(listed(row.dtypes[platform]) for platform in ("a2a3", "a5", "cpu")), bound(row.bound),
            )  # fmt: skip
            lines.append(f"| {' | '.join(cells)} |")
    lines += ["", "## Casts of one TCVT", "", "| from | A2/A3 | A5 |", "|---|---|---|"]
    for source in DTYPES:
        cells = [" ".join(d for d in DTYPES if (source, d) in CASTS[platform]) for platform in ("a2a3", "a5")]
        if any(cells):
            lines.append(f"| {source} | {cells[0]} | {cells[1]} |")
    pairs = ", ".join(f"{a} → {b}" for a, b in sorted(NARROWING))
    lines += ["", f"Without a `SaturationMode` low bits stay in: {pairs}. All others saturate.", ""]
    lines += ["## Products", "", "| platform | left × right → accumulator |", "|---|---|"]
    for platform, products in PRODUCTS.items():
        lines.append(f"| {platform} | {', '.join(f'{a} × {b} → {c}' for a, b, c in sorted(products))} |")
    return "\n".join([*lines, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
