"""What the assembler of August 2026 asks for beyond that of April: each rule on the smallest text that keeps it, and on
the same text as it was written before, which is refused in its words."""

from __future__ import annotations

import re
from dataclasses import dataclass

import pytest

pytest.importorskip("xdsl", reason="xDSL (the `dev` extra) reads the text back")
from xdsl.utils.exceptions import ParseError, VerifyException

from templates.pto import parse


def tile(dtype: str, rows: int, cols: int, valid: str = "", where: str = "vec row_major none_box 512 0") -> str:
    """The type of a tile; ``valid`` as ``rows x cols``, all of it unless given."""
    loc, blayout, slayout, fractal, pad = where.split()
    v_row, v_col = (valid or f"{rows}x{cols}").split("x")
    return (
        f"!pto.tile_buf<loc={loc}, dtype={dtype}, rows={rows}, cols={cols}, v_row={v_row}, v_col={v_col},"
        f" blayout={blayout}, slayout={slayout}, fractal={fractal}, pad={pad}>"
    )


@dataclass(frozen=True)
class Case:
    """Tiles by name, and lines with these names for values and, in brackets, for their types."""

    tiles: dict[str, str]
    lines: str
    arch: str = "a3"

    def text(self) -> str:
        body = [f"%{name} = pto.alloc_tile addr = %c0_i64 : {kind}" for name, kind in self.tiles.items()]
        lines = re.sub(r"\[(\w+)\]", lambda found: self.tiles[found[1]], self.lines)
        return (
            f'module attributes {{pto.target_arch = "{self.arch}"}} {{ func.func @f() attributes {{pto.entry}} {{\n'
            "%c0 = arith.constant 0 : index\n%c0_i64 = arith.constant 0 : i64\n%c256 = arith.constant 256 : i32\n"
            "%taken = arith.constant dense<0> : vector<4xi16>\n%cst = arith.constant 0.0 : f32\n"
            + "\n".join([*body, *lines.splitlines()])
            + "\nreturn } }"
        )


ROUND = "{rmode = #pto<round_mode RINT>}"
ODD = "{maskPattern = #pto.mask_pattern<P1010>}"
CONVERSION = f"pto.tcvt ins(%a {ROUND} : [a]) outs(%b : [b])"
GATHER = f'pto.tgather ins(%a, {ODD} : [a]) outs(%b : [b]) {{axis = "row"}}'
MERGE = "pto.tmrgsort ins(%a, %b, %t {exhausted = false} : [a], [b], [t]) outs(%d, %taken : [d], vector<4xi16>)"
MERGE_BLOCKS = "pto.tmrgsort ins(%a, %c256 : [a], i32) outs(%d : [d])"
SELECTION = "pto.tsels ins(%m, %a, %t, %cst : [m], [a], [t], f32) outs(%d : [d])"
PRODUCT = "pto.tmatmul ins(%a, %b : [a], [b]) outs(%d : [d])"
LEFT, ACC = "left {} row_major 512 0", tile("f32", 16, 16, "", "acc col_major row_major 1024 0")
RIGHT, IN_ROWS, IN_COLUMNS = (
    tile("f16", 16, 16, "", where)
    for where in ("right row_major col_major 512 0", LEFT.format("row_major"), LEFT.format("col_major"))
)


def part(size: str, kind: str) -> str:
    """``%p``: the first so many rows and columns of ``%a``."""
    return f"%p = pto.subview %a[%c0, %c0] sizes [{size}] : [a] -> {kind}\n"


WIDE, NARROW, PART = tile("bf16", 16, 128, "16x64"), tile("f32", 16, 64), tile("bf16", 16, 64)
LONG, PAIRS, LINE = tile("f32", 1, 512, "1x256"), tile("f32", 1, 256), tile("f32", 1, 512)
WIDE_BITS = tile("i32", 1, 8)
MASK, ROW = tile("ui8", 8, 32), tile("f32", 8, 128)
ALIKE = {
    "a left operand on a3 is row-major": (
        Case({"a": IN_ROWS, "b": RIGHT, "d": ACC}, PRODUCT),
        Case({"a": IN_COLUMNS, "b": RIGHT, "d": ACC}, PRODUCT),
        "a left operand with blayout=col_major on a3, not row_major",
    ),
    "and on a5 column-major": (
        Case({"a": IN_COLUMNS, "b": RIGHT, "d": ACC}, PRODUCT, "a5"),
        Case({"a": IN_ROWS, "b": RIGHT, "d": ACC}, PRODUCT, "a5"),
        "a left operand with blayout=row_major on a5, not col_major",
    ),
    "a conversion has tiles of one capacity": (
        Case({"a": WIDE, "b": NARROW}, part("16, 64", PART) + CONVERSION.replace("%a {", "%p {").replace("[a]", PART)),
        Case({"a": WIDE, "b": NARROW}, CONVERSION),
        "pto.tcvt of capacity (16, 128) to (16, 64)",
    ),
    "pairs are two elements of a conversion": (
        Case({"a": tile("bf16", 8, 64), "b": tile("!pto.f4E2M1x2", 8, 32)}, CONVERSION, "a5"),
        Case({"a": tile("bf16", 8, 64), "b": tile("!pto.f4E2M1x2", 8, 64)}, CONVERSION, "a5"),
        "pto.tcvt of capacity (8, 64) to (8, 128)",
    ),
    "a gather by pattern says its axis": (
        Case({"a": tile("f32", 1, 64), "b": tile("f32", 1, 32)}, GATHER),
        Case({"a": tile("f32", 1, 64), "b": tile("f32", 1, 32)}, GATHER.partition(' {axis')[0]),
        "pto.tgather and an axis",
    ),
    "a gather fills its rows": (
        Case({"a": tile("f32", 1, 64), "b": tile("f32", 1, 32)}, GATHER),
        Case({"a": tile("f32", 1, 64, "1x48"), "b": tile("f32", 1, 32, "1x24")}, GATHER),
        "pto.tgather to rows with gaps",
    ),
    "a gather leaves no rest": (
        Case({"a": tile("f32", 1, 64), "b": tile("f32", 1, 32)}, GATHER),
        Case({"a": tile("f32", 1, 64, "1x63"), "b": tile("f32", 1, 32)}, GATHER),
        "pto.tgather of (1, 63) to (1, 32)",
    ),
    "lists of a merge are no longer than its scratch": (
        Case({"a": PAIRS, "b": PAIRS, "t": LINE, "d": LINE}, MERGE),
        Case({"a": LONG, "b": LONG, "t": LINE, "d": LINE}, MERGE),
        "pto.tmrgsort of 1024 elements with scratch (1, 512)",
    ),
    "blocks are merged within one capacity": (
        Case({"a": PAIRS, "d": PAIRS}, MERGE_BLOCKS),
        Case({"a": PAIRS, "d": LONG}, MERGE_BLOCKS),
        "pto.tmrgsort of (1, 256) to (1, 512)",
    ),
    "the scratch of a selection holds a line": (
        Case({"m": MASK, "a": ROW, "t": tile("f32", 1, 128), "d": ROW}, SELECTION),
        Case({"m": MASK, "a": ROW, "t": tile("f32", 1, 8), "d": ROW}, SELECTION),
        "pto.tsels: (1, 8)",
    ),
    "on a3 a number is joined with 16 bits at most": (
        Case({"a": WIDE_BITS, "b": WIDE_BITS}, "pto.texpands ins(%c256 : i32) outs(%b : [b])\n"
             "pto.tand ins(%a, %b : [a], [b]) outs(%b : [b])"),
        Case({"a": WIDE_BITS, "b": WIDE_BITS}, "pto.tands ins(%a, %c256 : [a], i32) outs(%b : [b])"),
        "pto.tands of i32 on a3",
    ),
    "what fills a tile up is `tfillpad`": (
        Case({"a": LONG, "d": tile("f32", 1, 512, "", "vec row_major none_box 512 3")},
             "pto.tfillpad ins(%a : [a]) outs(%d : [d])"),
        Case({"a": LONG, "d": tile("f32", 1, 512, "", "vec row_major none_box 512 3")},
             "pto.tfillpad_inplace ins(%a : [a]) outs(%d : [d])"),
        "pto.tfillpad_inplace",
    ),
    "a part has room in its tile": (
        Case({"a": WIDE, "b": NARROW}, part("16, 64", PART)),
        Case({"a": WIDE, "b": NARROW}, part("16, 256", tile("bf16", 16, 256))),
        "pto.subview: 256 from 0 on of 128",
    ),
    "a part has the layout of its tile": (
        Case({"a": WIDE, "b": NARROW}, part("16, 64", PART)),
        Case({"a": WIDE, "b": NARROW}, part("16, 64", PART.replace("row_major", "col_major"))),
        "pto.subview changes more than extents",
    ),
}  # fmt: skip


@pytest.mark.parametrize("rule", ALIKE)
def test_a_text_that_keeps_the_rule_is_taken_and_the_one_before_is_not(rule: str) -> None:
    right, wrong, said = ALIKE[rule]
    parse(right.text())
    with pytest.raises((ParseError, VerifyException), match=re.escape(said)):
        parse(wrong.text())


@pytest.mark.parametrize("element", ["i4", "f8E8M0FNU", "f4E2M1FN"])
def test_element_types_that_the_assembler_lacks_are_refused(element: str) -> None:
    parse(Case({"a": tile("!pto.f8E8M0", 8, 64)}, "", "a5").text())
    with pytest.raises((ParseError, VerifyException), match=r"no element type|type"):
        parse(Case({"a": tile(element, 8, 64)}, "", "a5").text())
