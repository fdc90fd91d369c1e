"""Tile instructions of the pto dialect: ``pto.name ins(…) outs(…)``, each with the rule that its operands obey.

The rules are those of the A2/A3 checks of the assembler and of the device's headers, as far as types show them.
"""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import BoolAttr, IndexType, IntegerType, StringAttr, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, var_operand_def
from xdsl.parser import Parser
from xdsl.printer import Printer

from templates.pto.products import PRODUCTS
from templates.pto.types import (
    Comparison,
    MaskPattern,
    PartitionTensorView,
    ReluPreMode,
    RoundMode,
    SaturationMode,
    TileBuf,
    agree,
    check,
    elements,
    print_words,
    width,
)


class Instruction(IRDLOperation):
    """Sources, then the destination, each with its type; a conversion has its round mode among the sources. What a
    merge says beside its result, a vector in ``outs``, is the last source here."""

    sources = var_operand_def()
    destination = operand_def()
    rmode = opt_prop_def(RoundMode)
    sat_mode = opt_prop_def(SaturationMode)
    cmpMode = opt_prop_def(Comparison)  # noqa: N815  (the assembler's word)
    maskPattern = opt_prop_def(MaskPattern)  # noqa: N815
    exhausted = opt_prop_def(BoolAttr)
    reluPreMode = opt_prop_def(ReluPreMode)  # noqa: N815
    axis = opt_prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Instruction:
        parser.parse_keyword("ins")
        parser.parse_punctuation("(")
        names = [parser.parse_unresolved_operand()]
        while parser.parse_optional_punctuation(","):
            name = parser.parse_optional_unresolved_operand()
            if name is None:  # a gather has a comma ahead of its pattern
                break
            names.append(name)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parser.parse_punctuation(")")
        sources = parser.resolve_operands(names, types, parser.pos)
        parser.parse_keyword("outs")
        parser.parse_punctuation("(")
        name = parser.parse_unresolved_operand()
        beside = parser.parse_unresolved_operand() if parser.parse_optional_punctuation(",") else None
        parser.parse_punctuation(":")
        destination = parser.resolve_operand(name, parser.parse_type())
        if beside is not None:
            parser.parse_punctuation(",")
            sources = [*sources, parser.resolve_operand(beside, parser.parse_type())]
        parser.parse_punctuation(")")
        return cls(operands=[sources, destination], properties=attributes | parser.parse_optional_attr_dict())

    def print(self, printer: Printer) -> None:
        printer.print_string(" ins(")
        sources = [source for source in self.sources if not isinstance(source.type, VectorType)]
        beside = [source for source in self.sources if isinstance(source.type, VectorType)]
        printer.print_list(sources, printer.print_operand)
        if self.maskPattern is not None:
            printer.print_string(f", {{maskPattern = #pto.mask_pattern<{self.maskPattern.word.data}>}}")
        if self.exhausted is not None:
            printer.print_string(" {exhausted = false}")
        rounding = ("rmode", "round_mode", self.rmode), ("sat_mode", "saturation_mode", self.sat_mode)
        print_words(printer, (*rounding, ("cmpMode", "cmp", self.cmpMode)))
        printer.print_string(" : ")
        printer.print_list([source.type for source in sources], printer.print_attribute)
        printer.print_string(") outs(")
        printer.print_list([self.destination, *beside], printer.print_operand)
        printer.print_string(" : ")
        printer.print_list([out.type for out in (self.destination, *beside)], printer.print_attribute)
        printer.print_string(")")
        print_words(printer, (("reluPreMode", "relu_pre_mode", self.reluPreMode),))
        if self.axis is not None:
            printer.print_string(f' {{axis = "{self.axis.data}"}}')

    def verify_(self) -> None:
        check(self.name == "pto.tcvt" or self.rmode is None, f"{self.name} has no round mode")
        check(self.name == "pto.tcvt" or self.sat_mode is None, f"{self.name} has no saturation mode")
        clips = self.name == "pto.tstore" and "loc=acc" in str(self.sources[0].type)
        check(self.reluPreMode is None or clips, f"{self.name} of {self.sources[0].type} under relu")
        by_pattern = self.name == "pto.tgather" and len(self.sources) == 1
        check(by_pattern == (self.maskPattern is not None), f"{self.name} and a pattern")
        check(by_pattern == (self.axis is not None), f"{self.name} and an axis")
        check((self.name in ("pto.tcmp", "pto.tcmps")) == (self.cmpMode is not None), f"{self.name} and a comparison")
        RULES[self.name](self)

    def tiles(self, loc: str, *values: SSAValue) -> list[TileBuf]:
        """Types of values that are tiles in ``loc``."""
        found = []
        for value in values:
            check(isinstance(value.type, TileBuf), f"{self.name}: {value.type} is no tile")
            assert isinstance(value.type, TileBuf)
            check(value.type.loc.data in loc.split("|"), f"{self.name} in {value.type.loc.data}, not {loc}")
            found.append(value.type)
        return found

    def count(self, *counts: int) -> None:
        check(len(self.sources) in counts, f"{self.name} has {len(self.sources)} sources, not {counts}")


def same_valid(op: Instruction, *tiles: TileBuf) -> None:
    first = tiles[0]
    for tile in tiles[1:]:
        fits = all(agree(a, b) for a, b in zip(first.valid, tile.valid, strict=True))
        check(fits, f"{op.name} on {first.valid} and {tile.valid}")


def same_element(op: Instruction, *tiles: TileBuf) -> None:
    check(len({tile.element for tile in tiles}) == 1, f"{op.name} on elements that differ")


def calculable(op: Instruction, element: Attribute, integers: bool) -> None:
    whole = isinstance(element, IntegerType)
    allowed = element.width.data in (16, 32) and integers if whole else width(element) in (2, 4)
    check(allowed and "bf16" not in str(element), f"{op.name} does not calculate with {element}")


def elementwise(sources: int, integers: bool = True) -> Callable[[Instruction], None]:
    """All tiles alike: element, valid extents, rows after each other."""

    def rule(op: Instruction) -> None:
        op.count(sources)
        tiles = op.tiles("vec", *op.sources, op.destination)
        same_element(op, *tiles)
        same_valid(op, *tiles)
        calculable(op, tiles[0].element, integers)
        check(all(tile.row_major for tile in tiles), f"{op.name} on a column-major tile")

    return rule


def with_scalar(op: Instruction) -> None:
    """A tile and a scalar of its element's type; a division has them in either order."""
    op.count(2)
    a, b = op.sources
    flipped = op.name == "pto.tdivs" and not isinstance(a.type, TileBuf)
    tile, scalar = (b, a) if flipped else (a, b)
    source, dst = op.tiles("vec", tile, op.destination)
    same_element(op, source, dst)
    same_valid(op, source, dst)
    calculable(op, source.element, op.name != "pto.tdivs")
    check(scalar.type == source.element, f"{op.name}: a scalar {scalar.type} beside {source.element}")


def fill(op: Instruction) -> None:
    op.count(1)
    (dst,) = op.tiles("vec", op.destination)
    check(op.sources[0].type == dst.element, f"{op.name}: a scalar {op.sources[0].type} into {dst.element}")


def convert(op: Instruction) -> None:
    """Two tiles of one capacity and valid part, in elements."""
    op.count(1)
    check(op.rmode is not None, "pto.tcvt without a round mode")
    source, dst = op.tiles("vec", op.sources[0], op.destination)
    check(source.logical == dst.logical, f"pto.tcvt of capacity {source.logical} to {dst.logical}")
    fits = all(agree(a, b) for a, b in zip(source.logical_valid, dst.logical_valid, strict=True))
    check(fits, f"pto.tcvt on {source.logical_valid} and {dst.logical_valid}")


def row_reduction(op: Instruction) -> None:
    """A tile and scratch to a column; the scratch is as long as the tile."""
    op.count(2)
    source, tmp, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, source, tmp, dst)
    calculable(op, source.element, True)
    check(source.row_major and tmp.row_major, f"{op.name} of a column-major tile")
    check(agree(source.valid[0], dst.valid[0]), f"{op.name} of {source.valid} rows to {dst.valid}")
    check(dst.valid[1] == 1 and dst.shape[0] >= 1, f"{op.name} to {dst.valid}")


def row_place(op: Instruction) -> None:
    """A tile and scratch like it to a column of the places of its extremes."""
    op.count(2)
    source, tmp, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, source, tmp)
    check(str(dst.element) in ("i32", "ui32"), f"{op.name} to {dst.element}")
    check(agree(source.valid[0], dst.valid[0]) and dst.valid[1] == 1, f"{op.name} of {source.valid} to {dst.valid}")


def column_reduction(op: Instruction) -> None:
    """A tile to a row as wide as it."""
    op.count(1)
    source, dst = op.tiles("vec", op.sources[0], op.destination)
    same_element(op, source, dst)
    calculable(op, source.element, True)
    check(source.row_major and dst.row_major, f"{op.name} of a column-major tile")
    check(dst.valid[0] == 1 and agree(source.valid[1], dst.valid[1]), f"{op.name} of {source.valid} to {dst.valid}")


def count_up(op: Instruction) -> None:
    """Whole numbers from a first one on, in one row."""
    op.count(1)
    (dst,) = op.tiles("vec", op.destination)
    check(op.sources[0].type == dst.element and str(dst.element) in ("i16", "i32"), f"{op.name} into {dst.element}")
    check(dst.shape[0] == 1 and dst.row_major, f"{op.name} into {dst.shape}")


def compare(op: Instruction) -> None:
    """Two tiles alike to bits, eight in a byte."""
    op.count(2)
    a, b, bits = op.tiles("vec", *op.sources, op.destination)
    same_element(op, a, b)
    same_valid(op, a, b)
    calculable(op, a.element, True)
    check(str(bits.element) in ("i8", "ui8"), f"{op.name} to {bits.element}")
    check(bits.shape[1] * 8 >= a.shape[1], f"{op.name}: {bits.shape[1]} bytes for {a.shape[1]} columns")


def compare_scalar(op: Instruction) -> None:
    """A tile beside a number to bits, eight in a byte."""
    op.count(2)
    a, bits = op.tiles("vec", op.sources[0], op.destination)
    check(op.sources[1].type == a.element, f"{op.name}: a scalar {op.sources[1].type} beside {a.element}")
    calculable(op, a.element, True)
    check(str(bits.element) in ("i8", "ui8"), f"{op.name} to {bits.element}")
    check(bits.shape[1] * 8 >= a.shape[1], f"{op.name}: {bits.shape[1]} bytes for {a.shape[1]} columns")


def select_scalar(op: Instruction) -> None:
    """Bits, a tile, scratch with room for a line of it, and the number that stands where a bit is 0."""
    op.count(4)
    bits, source, scratch, dst = op.tiles("vec", *op.sources[:3], op.destination)
    same_element(op, source, scratch, dst)
    same_valid(op, source, dst)
    check(scratch.row_major and scratch.shape[0] * scratch.shape[1] >= source.shape[1], f"{op.name}: {scratch.shape}")
    check(str(bits.element) in ("i8", "ui8"), f"{op.name} by {bits.element}")
    check(op.sources[3].type == dst.element, f"{op.name}: a scalar {op.sources[3].type} into {dst.element}")


def select(op: Instruction) -> None:
    """Bits, the tiles whose elements stand where a bit is 1 and where it is 0, and scratch."""
    op.count(4)
    bits, first, second, _, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, first, second, dst)
    same_valid(op, first, second, dst)
    check(str(bits.element) in ("i8", "ui8"), f"{op.name} by {bits.element}")


def row_broadcast(op: Instruction) -> None:
    """A tile and a column; or a column alone."""
    op.count(1 if op.name == "pto.trowexpand" else 2)
    *tiles, column, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, *tiles, column, dst)
    same_valid(op, *tiles, dst)
    calculable(op, dst.element, True)
    check(dst.row_major, f"{op.name} to a column-major tile")
    check(column.valid[1] == 1 and agree(column.valid[0], dst.valid[0]), f"{op.name} by {column.valid}")


def column_broadcast(op: Instruction) -> None:
    """A tile and a row; or a row alone."""
    op.count(1 if op.name == "pto.tcolexpand" else 2)
    *tiles, row, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, *tiles, row, dst)
    same_valid(op, *tiles, dst)
    calculable(op, dst.element, True)
    check(all(t.shape == dst.shape and t.row_major for t in (*tiles, dst)) and row.row_major, f"{op.name}: layouts")
    check(row.valid[0] == 1 and agree(row.valid[1], dst.valid[1]), f"{op.name} by {row.valid}")


def load(op: Instruction) -> None:
    op.count(1)
    (tile,) = op.tiles("vec|mat", op.destination)
    window = op.sources[0].type
    check(isinstance(window, PartitionTensorView), f"pto.tload of {window}")
    assert isinstance(window, PartitionTensorView)
    check(width(window.element) == width(tile.element), f"pto.tload of {window.element} to {tile.element}")
    if len(window.extents) == 2:
        check(agree(elements(window.extents), elements(tile.valid)), f"pto.tload of {window.extents} to {tile.valid}")


def store(op: Instruction) -> None:
    op.count(1)
    (tile,) = op.tiles("vec|acc", op.sources[0])
    window = op.destination.type
    check(isinstance(window, PartitionTensorView), f"pto.tstore to {window}")
    assert isinstance(window, PartitionTensorView)
    check(agree(elements(window.extents), elements(tile.valid)), f"pto.tstore of {tile.valid} to {window.extents}")
    given, taken = str(tile.element), str(window.element)
    if tile.loc.data == "vec":
        check(given == taken, f"pto.tstore of {given} to {taken}")
    else:
        check(
            taken in {"i32": ("i32",), "f32": ("f32", "f16", "bf16")}.get(given, ()), f"pto.tstore {given} to {taken}"
        )


def extract(op: Instruction) -> None:
    op.count(3)
    source, (dst,) = op.tiles("mat", op.sources[0])[0], op.tiles("left|right", op.destination)
    same_element(op, source, dst)
    check(all(isinstance(o.type, IndexType) for o in op.sources[1:]), "pto.textract at what is no index")
    check(all(d <= s for d, s in zip(dst.shape, source.shape, strict=True)), f"{dst.shape} of {source.shape}")


def move(op: Instruction) -> None:
    op.count(1)
    source, dst = op.tiles("vec|mat|left|right", op.sources[0], op.destination)
    pairs = {("vec", "vec"), ("mat", "left"), ("mat", "right")}
    check((source.loc.data, dst.loc.data) in pairs, f"pto.tmov from {source.loc.data} to {dst.loc.data}")
    same_element(op, source, dst)
    check(source.shape == dst.shape, f"pto.tmov of {source.shape} to {dst.shape}")


def turn(op: Instruction) -> None:
    """A tile and scratch to the tile transposed."""
    op.count(2)
    source, scratch, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, source, scratch, dst)
    check(agree(source.valid[0], dst.valid[1]) and agree(source.valid[1], dst.valid[0]), f"{op.name} to {dst.valid}")


def fill_up(op: Instruction) -> None:
    """The same bytes with another valid part; the destination's type has the number that fills it up."""
    op.count(1)
    source, dst = op.tiles("vec", op.sources[0], op.destination)
    same_element(op, source, dst)
    check(source.shape == dst.shape and dst.pad.data != 0, f"{op.name} of {source.shape} to {dst.shape}")


def sort_blocks(op: Instruction) -> None:
    """Values and their places to pairs, two elements each."""
    op.count(2)
    values, places, pairs = op.tiles("vec", *op.sources, op.destination)
    same_element(op, values, pairs)
    check(str(values.element) == "f32" and str(places.element) == "ui32", f"{op.name} of {values.element}")
    check(values.valid == places.valid and values.shape[1] % 32 == 0, f"{op.name} of {values.valid}")
    check(pairs.valid == (values.valid[0], 2 * values.shape[1]), f"{op.name} to {pairs.valid}")


def merge(op: Instruction) -> None:
    """Blocks of one tile, four into one; or two to four sorted lists with scratch, and how much was taken of each."""
    if op.exhausted is None:
        op.count(2)
        pairs, dst = op.tiles("vec", op.sources[0], op.destination)
        check(pairs.valid == dst.valid and str(op.sources[1].type) == "i32", f"{op.name} of {pairs.valid}")
        check(pairs.shape == dst.shape and pairs.shape[0] == 1, f"{op.name} of {pairs.shape} to {dst.shape}")
        return
    op.count(4, 5, 6)
    *lists, scratch, dst = op.tiles("vec", *op.sources[:-1], op.destination)
    same_element(op, *lists, scratch, dst)
    check(isinstance(op.sources[-1].type, VectorType), f"{op.name} without the numbers of each list")
    check(all(tile.shape[0] == 1 for tile in (*lists, scratch, dst)), f"{op.name} of more than one row")
    longest = max(dst.shape[1], sum(tile.shape[1] for tile in lists))
    check(scratch.shape[1] >= longest, f"{op.name} of {longest} elements with scratch {scratch.shape}")


def every(op: Instruction) -> None:
    """Every second or fourth element of rows; what is left lies without gaps, so several rows are whole. Or the
    elements that a tile of indices names, with one to work in."""
    if len(op.sources) > 1:
        return by_index(op)
    op.count(1)
    source, dst = op.tiles("vec", op.sources[0], op.destination)
    same_element(op, source, dst)
    step = {"P0101": 2, "P1010": 2}.get(op.maskPattern.word.data if op.maskPattern else "", 4)
    check(op.axis is not None and op.axis.data == "row", f"{op.name} along another axis than rows")
    check(source.row_major and dst.row_major, f"{op.name} of column-major tiles")
    check(dst.valid[1] in (None, dst.shape[1]), f"{op.name} to rows with gaps: {dst.valid} of {dst.shape}")
    check(agree(source.valid[0], dst.valid[0]), f"{op.name} of {source.valid} to {dst.valid}")
    check(agree(source.valid[1], dst.valid[1] and step * dst.valid[1]), f"{op.name} of {source.valid} to {dst.valid}")


def by_index(op: Instruction) -> None:
    """Elements of two or four bytes of any place in the source, by indices of 32 bits (PTO.cpp, `verifyIndexForm`)."""
    op.count(3)
    source, indices, scratch, dst = op.tiles("vec", *op.sources, op.destination)
    same_element(op, source, dst)
    same_element(op, indices, scratch)
    check(str(indices.element) in ("i32", "ui32"), f"{op.name} by indices of {indices.element}")
    same_valid(op, indices, scratch, dst)
    check(all(tile.row_major for tile in (source, indices, scratch, dst)), f"{op.name} of column-major tiles")


_STEMS = ("add", "sub", "mul", "div", "max", "min")
RULES: dict[str, Callable[[Instruction], None]] = {
    "pto.tload": load, "pto.tstore": store, "pto.textract": extract, "pto.tmov": move, "pto.tcvt": convert,
    "pto.texpands": fill, "pto.trowexpand": row_broadcast, **PRODUCTS,
    "pto.tcolexpand": column_broadcast,
    "pto.tfillpad": fill_up, "pto.tsort32": sort_blocks, "pto.tmrgsort": merge, "pto.tgather": every,
    "pto.ttrans": turn, "pto.tci": count_up, "pto.tcmp": compare, "pto.tcmps": compare_scalar,
    "pto.tsel": select, "pto.tsels": select_scalar,
    **{f"pto.trowarg{name}": row_place for name in ("max", "min")},
    **{f"pto.tcol{name}": column_reduction for name in ("sum", "max", "min")},
    **{f"pto.t{stem}": elementwise(2, stem != "div") for stem in _STEMS},
    **{f"pto.t{stem}s": with_scalar for stem in _STEMS},
    **{f"pto.t{name}": elementwise(2) for name in ("and", "or")},
    "pto.txor": elementwise(3),  # the last source is scratch
    "pto.tands": with_scalar,
    "pto.tors": with_scalar,
    "pto.tshls": with_scalar,
    "pto.tshrs": with_scalar,
    **{f"pto.t{name}": elementwise(1, False) for name in ("exp", "log", "sqrt", "rsqrt", "recip")},
    **{f"pto.t{name}": elementwise(1) for name in ("abs", "neg", "relu")},
    **{f"pto.trow{name}": row_reduction for name in ("sum", "max", "min", "prod")},
    **{f"pto.trowexpand{stem}": row_broadcast for stem in _STEMS},
    **{f"pto.tcolexpand{stem}": column_broadcast for stem in _STEMS},
}  # fmt: skip
"""The rule of each instruction: raises `VerifyException` when it is broken."""

INSTRUCTIONS: dict[str, type[Instruction]] = {
    name: irdl_op_definition(type(name.replace(".", "_"), (Instruction,), {"name": name})) for name in RULES
}
