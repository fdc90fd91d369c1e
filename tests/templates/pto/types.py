"""Types and attributes of the pto dialect, each with its textual form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    BFloat16Type,
    Float8E4M3FNType,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    IntAttr,
    IntegerType,
    StringAttr,
)
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

MEMORIES = ("vec", "mat", "left", "right", "acc")
PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL")
EVENTS = 8
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
PATTERNS = ("P0101", "P1010", "P0001", "P0010", "P0100", "P1000", "P1111")
ROUND_MODES = ("NONE", "RINT", "ROUND", "FLOOR", "CEIL", "TRUNC", "ODD")
BOXES = {
    "vec": {("row_major", "none_box", 512), ("col_major", "none_box", 512)},
    "mat": {("col_major", "row_major", 512), ("row_major", "col_major", 512)},
    "left": {("row_major", "row_major", 512), ("col_major", "row_major", 512)},
    "right": {("row_major", "col_major", 512)},
    "acc": {("col_major", "row_major", 1024)},
}
"""Layouts that a tile of each memory may have: base layout, layout in a fractal, bytes of a fractal."""
LEFT = {"a3": "row_major", "a5": "col_major"}
"""Base layout of left operands by architecture."""


@irdl_attr_definition
class HiF8(ParametrizedAttribute, TypeAttribute):
    """HiFloat8, which MLIR itself has not."""

    name = "pto.hif8"


@irdl_attr_definition
class F8E8M0(ParametrizedAttribute, TypeAttribute):
    """Scales of MX products."""

    name = "pto.f8E8M0"


@irdl_attr_definition
class F4E2M1x2(ParametrizedAttribute, TypeAttribute):
    """Two numbers of four bits in a byte; extents count these pairs."""

    name = "pto.f4E2M1x2"


def width(element: Attribute) -> int:
    """Bytes of an element of a tile.

    Raises:
        VerifyException: no element of a tile or tensor.
    """
    if isinstance(element, IntegerType) and element.width.data in (8, 16, 32, 64):
        return element.width.data // 8
    if isinstance(element, Float8E4M3FNType | Float8E5M2Type | F8E8M0 | F4E2M1x2 | HiF8):
        return 1
    if isinstance(element, Float32Type):
        return 4
    if isinstance(element, Float16Type | BFloat16Type):
        return 2
    raise VerifyException(f"{element} is no element type of the pto dialect")


def _dims(shape: Sequence[int]) -> ArrayAttr[IntAttr]:
    return ArrayAttr([IntAttr(extent) for extent in shape])


_IN_BRACKETS = re.compile(r"<(?:[^<>]|<[^<>]*>)*>")


def once_a_text(parse: Callable[[Any, AttrParser], list[Attribute]]) -> Callable[[Any, AttrParser], list[Attribute]]:
    """A parser of a type's parameters, ``<…>``, that parses each text once: kernels write few types, many times."""
    known: dict[tuple[Any, str], list[Attribute]] = {}

    @wraps(parse)
    def parameters(cls: Any, parser: AttrParser) -> list[Attribute]:
        begin, content = parser.pos, parser.lexer.input.content
        text = _IN_BRACKETS.match(content, begin)
        if text is None:
            return parse(cls, parser)
        if found := known.get((cls, text[0])):
            parser.parse_punctuation("<")
            parser.lexer.pos = text.end() - 1
            # The first word is read already; the next one is the bracket that closes.
            if not parser.parse_optional_identifier() and not parser.parse_optional_punctuation("?"):
                parser.parse_integer()
            parser.parse_punctuation(">")
            return found
        found = parse(cls, parser)
        if content[begin : parser.pos].rstrip() == text[0]:
            known[cls, text[0]] = found
        return found

    return parameters


class _Element(ParametrizedAttribute, TypeAttribute):
    """``<element>``."""

    element: Attribute

    def verify(self) -> None:
        width(self.element)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return [parser.parse_type()]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_attribute(self.element)


@irdl_attr_definition
class Ptr(_Element):
    """Pointer to elements in GM."""

    name = "pto.ptr"


class _Shaped(ParametrizedAttribute, TypeAttribute):
    """``<4x?xelement>``."""

    shape: ArrayAttr[IntAttr]
    element: Attribute

    def verify(self) -> None:
        width(self.element)
        if not self.shape.data or any(e.data < 1 and e.data != DYNAMIC_INDEX for e in self.shape.data):
            raise VerifyException(f"{self.name} of extents {self.extents}")

    @property
    def extents(self) -> tuple[int | None, ...]:
        """Extents, None for a run-time one."""
        return tuple(None if e.data == DYNAMIC_INDEX else e.data for e in self.shape.data)

    @classmethod
    @once_a_text
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            shape, element = parser.parse_ranked_shape()
        return [_dims([DYNAMIC_INDEX if extent == -1 else extent for extent in shape]), element]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_dimension_list([extent.data for extent in self.shape.data])
            printer.print_string("x")
            printer.print_attribute(self.element)


@irdl_attr_definition
class TensorView(_Shaped):
    """A tensor in GM, seen with extents and strides."""

    name = "pto.tensor_view"


@irdl_attr_definition
class PartitionTensorView(_Shaped):
    """A window of a tensor view."""

    name = "pto.partition_tensor_view"


@irdl_attr_definition
class TileBuf(ParametrizedAttribute, TypeAttribute):
    """A tile on chip: memory, element, capacity, valid prefix (None: at run time) and layout."""

    name = "pto.tile_buf"
    loc: StringAttr
    element: Attribute
    capacity: ArrayAttr[IntAttr]
    valid_prefix: ArrayAttr[IntAttr]
    blayout: StringAttr
    slayout: StringAttr
    fractal: IntAttr
    pad: IntAttr
    compact: IntAttr

    @property
    def shape(self) -> tuple[int, int]:
        rows, cols = (extent.data for extent in self.capacity.data)
        return rows, cols

    @property
    def valid(self) -> tuple[int | None, int | None]:
        rows, cols = (None if e.data == DYNAMIC_INDEX else e.data for e in self.valid_prefix.data)
        return rows, cols

    @property
    def logical(self) -> tuple[int, int]:
        """The capacity in elements, of which a pair is two."""
        rows, cols = self.shape
        return rows, cols * self.paired

    @property
    def logical_valid(self) -> tuple[int | None, int | None]:
        """The valid prefix in elements."""
        rows, cols = self.valid
        return rows, cols and cols * self.paired

    @property
    def paired(self) -> int:
        return 2 if isinstance(self.element, F4E2M1x2) else 1

    @property
    def row_major(self) -> bool:
        return self.blayout.data == "row_major" and self.slayout.data == "none_box"

    def verify(self) -> None:
        size = width(self.element)
        if self.loc.data not in MEMORIES:
            raise VerifyException(f"no memory `{self.loc.data}`")
        box = (self.blayout.data, self.slayout.data, self.fractal.data)
        if box not in BOXES[self.loc.data]:
            raise VerifyException(f"no tile of {self.loc.data} has the layout {box}")
        for extent, valid in zip(self.shape, self.valid, strict=True):
            if extent < 1 or (valid is not None and not 1 <= valid <= extent):
                raise VerifyException(f"valid {self.valid} of capacity {self.shape}")
        if self.compact.data not in (0, 1):
            raise VerifyException(f"no compact mode {self.compact.data}")
        along, across, deep = (0, 1, 16) if self.loc.data == "acc" else (1, 0, 32 // size)
        if self.loc.data in ("acc", "right") and not self.compact.data and self.shape[across] > deep:
            valid = self.valid[along]
            whole = self.shape[along] == 16 or (valid is not None and -(-valid // 16) * 16 == self.shape[along])
            if not whole:
                raise VerifyException("the matrix unit puts fractals by what is valid: such a tile is compact")

    @property
    def line(self) -> int:
        """Bytes of a line: of a row, or of a column where these lie without gaps."""
        rows, cols = self.shape
        return (cols if self.blayout.data == "row_major" else rows) * width(self.element)

    @classmethod
    @once_a_text
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        def key(word: str) -> None:
            parser.parse_keyword(word)
            parser.parse_punctuation("=")

        def after(word: str) -> None:
            parser.parse_punctuation(",")
            key(word)

        def extent(word: str) -> int:
            after(word)
            return DYNAMIC_INDEX if parser.parse_optional_punctuation("?") else parser.parse_integer()

        def number(word: str) -> int:
            after(word)
            return parser.parse_integer()

        with parser.in_angle_brackets():
            key("loc")
            loc = parser.parse_identifier()
            after("dtype")
            element = parser.parse_type()
            rows, cols, v_row, v_col = (extent(word) for word in ("rows", "cols", "v_row", "v_col"))
            after("blayout")
            blayout = parser.parse_identifier()
            after("slayout")
            slayout = parser.parse_identifier()
            fractal, pad, compact = number("fractal"), number("pad"), 0
            if parser.parse_optional_punctuation(","):
                key("compact")
                compact = parser.parse_integer()
        capacity, valid = _dims((rows, cols)), _dims((v_row, v_col))
        words = StringAttr(blayout), StringAttr(slayout)
        return [StringAttr(loc), element, capacity, valid, *words, IntAttr(fractal), IntAttr(pad), IntAttr(compact)]

    def print_parameters(self, printer: Printer) -> None:
        rows, cols = self.shape
        v_row, v_col = ("?" if valid is None else valid for valid in self.valid)
        with printer.in_angle_brackets():
            printer.print_string(f"loc={self.loc.data}, dtype=")
            printer.print_attribute(self.element)
            printer.print_string(
                f", rows={rows}, cols={cols}, v_row={v_row}, v_col={v_col}, blayout={self.blayout.data},"
                f" slayout={self.slayout.data}, fractal={self.fractal.data}, pad={self.pad.data}"
            )
            if self.compact.data:
                printer.print_string(f", compact={self.compact.data}")


def _word(parser: AttrParser, words: Sequence[str]) -> list[Attribute]:
    return [StringAttr(parser.parse_keyword_in(words))]


@irdl_attr_definition
class Layout(ParametrizedAttribute):
    """How a tensor lies in GM: by row, by column, in fractals."""

    name = "pto.layout"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return _word(parser, ("nd", "dn", "nz"))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.word.data)


@irdl_attr_definition
class KernelKind(ParametrizedAttribute):
    """Core that a function runs on."""

    name = "pto.kernel_kind"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return _word(parser, ("cube", "vector"))

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.word.data)


@irdl_attr_definition
class RoundMode(ParametrizedAttribute):
    """Round mode of a conversion, written ``#pto<round_mode RINT>``."""

    name = "pto.round_mode"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        return _word(parser, ROUND_MODES)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" {self.word.data}")


@irdl_attr_definition
class SaturationMode(ParametrizedAttribute):
    """Whether a conversion saturates, written ``#pto<saturation_mode ON>``."""

    name = "pto.saturation_mode"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        return _word(parser, ("ON", "OFF"))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" {self.word.data}")


@irdl_attr_definition
class ReluPreMode(ParametrizedAttribute):
    """What the fixpipe does with an accumulator first, written ``#pto<relu_pre_mode normal_relu>``."""

    name = "pto.relu_pre_mode"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        return _word(parser, ("normal_relu",))

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" {self.word.data}")


@irdl_attr_definition
class MaskPattern(ParametrizedAttribute):
    """Which elements a gather takes, written ``#pto.mask_pattern<P0101>``."""

    name = "pto.mask_pattern"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            return _word(parser, PATTERNS)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.word.data}>")


@irdl_attr_definition
class Comparison(ParametrizedAttribute):
    """What TCMP asks, written ``#pto<cmp eq>``."""

    name = "pto.cmp"
    word: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        return _word(parser, COMPARISONS)

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f" {self.word.data}")


def print_words(
    printer: Printer, words: tuple[tuple[str, str, RoundMode | SaturationMode | Comparison | ReluPreMode | None], ...]
) -> None:
    """Those attributes that are given, as ``{key = #pto<kind word>, …}``."""
    given = [f"{key} = #pto<{kind} {attr.word.data}>" for key, kind, attr in words if attr is not None]
    if given:
        printer.print_string(f" {{{', '.join(given)}}}")


def elements(extents: tuple[int | None, ...]) -> int | None:
    """How many elements that is, None where it is said at run time."""
    total = 1
    for extent in extents:
        if extent is None:
            return None
        total *= extent
    return total


def agree(a: int | None, b: int | None) -> bool:
    """Whether two valid extents can be equal: a run-time one can be anything."""
    return a is None or b is None or a == b


def check(condition: bool, what: str) -> None:
    """Raise `VerifyException` when the condition does not hold."""
    if not condition:
        raise VerifyException(what)
