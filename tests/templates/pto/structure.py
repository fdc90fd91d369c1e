"""What stands around the instructions: pointers, views, tiles and flags; and the parser of a whole text."""

from __future__ import annotations

from typing import Any

from xdsl.context import Context
from xdsl.dialects.arith import Arith, ConstantOp
from xdsl.dialects.builtin import ArrayAttr, Builtin, IndexType, IntAttr, IntegerAttr, ModuleOp, StringAttr, i64
from xdsl.dialects.func import Func
from xdsl.dialects.math import Math
from xdsl.dialects.scf import Scf
from xdsl.ir import Dialect, SSAValue
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from templates.pto.fifos import FIFOS, AicInitializePipe, AivInitializePipe, Take, verify_pipes
from templates.pto.instructions import INSTRUCTIONS, check
from templates.pto.types import (
    EVENTS,
    F8E8M0,
    LEFT,
    PIPES,
    Comparison,
    F4E2M1x2,
    HiF8,
    KernelKind,
    Layout,
    MaskPattern,
    PartitionTensorView,
    Ptr,
    ReluPreMode,
    RoundMode,
    SaturationMode,
    TensorView,
    TileBuf,
)


def whole(value: SSAValue) -> int | None:
    """The number that a value is, if it is a constant."""
    if isinstance(value.owner, ConstantOp) and isinstance(value.owner.value, IntegerAttr):
        return value.owner.value.value.data
    return None


@irdl_op_definition
class AddPtr(IRDLOperation):
    """A pointer some elements further on."""

    name = "pto.addptr"
    ptr = operand_def(Ptr)
    offset = operand_def(IndexType)
    result = result_def(Ptr)
    assembly_format = "$ptr `,` $offset attr-dict `:` type($ptr) `->` type($result)"

    def verify_(self) -> None:
        check(self.ptr.type == self.result.type, "pto.addptr changes the element")


@irdl_op_definition
class LoadScalar(IRDLOperation):
    """One element of GM to the scalar unit."""

    name = "pto.load_scalar"
    ptr = operand_def(Ptr)
    offset = operand_def(IndexType)
    value = result_def()
    assembly_format = "$ptr `[` $offset `]` attr-dict `:` type($ptr) `->` type($value)"

    def verify_(self) -> None:
        assert isinstance(self.ptr.type, Ptr)
        check(self.value.type == self.ptr.type.element, "pto.load_scalar changes the element")


class _Place(IRDLOperation):
    """A number of the core that runs the kernel."""

    result = result_def(i64)

    @classmethod
    def parse(cls, parser: Parser) -> _Place:
        return cls(result_types=[i64])

    def print(self, printer: Printer) -> None:
        """Nothing stands behind the name."""


@irdl_op_definition
class GetBlockIdx(_Place):
    """Which of the launch's blocks this is."""

    name = "pto.get_block_idx"


@irdl_op_definition
class GetSubblockIdx(_Place):
    """Which of the vector cores beside the block's cube core this is."""

    name = "pto.get_subblock_idx"


def _list(parser: Parser, word: str) -> list[SSAValue]:
    """``, word = [%a, %b]``, all of them indices."""
    parser.parse_punctuation(",")
    parser.parse_keyword(word)
    parser.parse_punctuation("=")
    names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
    return [parser.resolve_operand(name, IndexType()) for name in names]


def _print_list(printer: Printer, word: str, values: Any) -> None:
    printer.print_string(f", {word} = [")
    printer.print_list(values, printer.print_operand)
    printer.print_string("]")


@irdl_op_definition
class MakeTensorView(IRDLOperation):
    """A tensor with extents and strides."""

    name = "pto.make_tensor_view"
    ptr = operand_def(Ptr)
    shape = var_operand_def(IndexType)
    strides = var_operand_def(IndexType)
    layout = prop_def(Layout)
    result = result_def(TensorView)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> MakeTensorView:
        name = parser.parse_unresolved_operand()
        shape, strides = _list(parser, "shape"), _list(parser, "strides")
        properties = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        check(isinstance(kind, TensorView), f"pto.make_tensor_view makes {kind}")
        assert isinstance(kind, TensorView)
        ptr = parser.resolve_operand(name, Ptr(kind.element))
        return cls(operands=[ptr, shape, strides], properties=properties, result_types=[kind])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.ptr)
        _print_list(printer, "shape", self.shape)
        _print_list(printer, "strides", self.strides)
        printer.print_string(f" {{layout = #pto.layout<{self.layout.word.data}>}} : ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        assert isinstance(self.ptr.type, Ptr)
        assert isinstance(self.result.type, TensorView)
        rank = len(self.result.type.extents)
        check(self.ptr.type.element == self.result.type.element, "pto.make_tensor_view changes the element")
        check(len(self.shape) == len(self.strides) == rank, f"pto.make_tensor_view: not {rank} extents and strides")
        unit = 0 if self.layout.word.data.endswith("dn") else rank - 1
        stride, extent = whole(self.strides[unit]), whole(self.shape[unit])
        check(stride == 1 or extent == 1, f"a view `{self.layout.word.data}` with the stride {stride} on axis {unit}")
        check((self.layout.word.data == "nz") == (rank == 5), f"a view `{self.layout.word.data}` of rank {rank}")


@irdl_op_definition
class PartitionView(IRDLOperation):
    """A window of a view."""

    name = "pto.partition_view"
    source = operand_def(TensorView)
    offsets = var_operand_def(IndexType)
    sizes = var_operand_def(IndexType)
    result = result_def(PartitionTensorView)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> PartitionView:
        name = parser.parse_unresolved_operand()
        offsets, sizes = _list(parser, "offsets"), _list(parser, "sizes")
        parser.parse_punctuation(":")
        source = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("->")
        return cls(operands=[source, offsets, sizes], result_types=[parser.parse_type()])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        _print_list(printer, "offsets", self.offsets)
        _print_list(printer, "sizes", self.sizes)
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        assert isinstance(self.source.type, TensorView)
        assert isinstance(self.result.type, PartitionTensorView)
        extents = self.result.type.extents
        check(self.source.type.element == self.result.type.element, "pto.partition_view changes the element")
        ranks = {len(self.offsets), len(self.sizes), len(extents), len(self.source.type.extents)}
        check(len(ranks) == 1, f"pto.partition_view: ranks {sorted(ranks)}")
        for size, extent in zip(self.sizes, extents, strict=True):
            check(whole(size) == extent, f"a size {whole(size)} that the type says is {extent}")
        check(all((whole(o) or 0) >= 0 for o in self.offsets), "pto.partition_view: an offset before the tensor")
        if isinstance(self.source.owner, Take):  # a slot of a fifo, of the shape that its type says
            whole_slot = self.source.type.extents
            inside = [(whole(o), whole(s), e) for o, s, e in zip(self.offsets, self.sizes, whole_slot, strict=True)]
            check(all(None in at or at[0] + at[1] <= at[2] for at in inside), f"{inside} of a slot")  # type: ignore
            return
        check(isinstance(self.source.owner, MakeTensorView), "pto.partition_view of what is no view of a tensor")
        assert isinstance(self.source.owner, MakeTensorView)
        for offset, size, shape in zip(self.offsets, self.sizes, self.source.owner.shape, strict=True):
            o, s, e = whole(offset), whole(size), whole(shape)
            check(None in (o, s, e) or o + s <= e, f"{s} elements from {o} on of {e}")  # type: ignore[operator]


@irdl_op_definition
class AllocTile(IRDLOperation):
    """A tile at a byte address of its memory; operands for the valid extents that its type leaves open."""

    name = "pto.alloc_tile"
    addr = operand_def(i64)
    valid_row = opt_operand_def(IndexType)
    valid_col = opt_operand_def(IndexType)
    result = result_def(TileBuf)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    assembly_format = (
        "`addr` `=` $addr (`valid_row` `=` $valid_row^)? (`valid_col` `=` $valid_col^)? attr-dict `:` type($result)"
    )

    def verify_(self) -> None:
        assert isinstance(self.result.type, TileBuf)
        given = self.valid_row is None, self.valid_col is None
        for absent, valid in zip(given, self.result.type.valid, strict=True):
            check(absent == (valid is not None), f"a valid extent for {self.result.type.valid}")
        line = self.result.type.line
        check(self.result.type.loc.data != "vec" or line % 32 == 0, f"lines of {line} bytes, not of a multiple of 32")
        address = whole(self.addr)
        check(address is None or (address >= 0 and address % 32 == 0), f"a tile at byte {address}")


@irdl_op_definition
class SubView(IRDLOperation):
    """A part of a tile: ``%tile[%row, %col] sizes [r, c] valid [%rows, %cols]``. Its lines lie as far apart as those of
    the tile; valid extents are given where the type leaves one open, then both."""

    name = "pto.subview"
    source = operand_def(TileBuf)
    offsets = var_operand_def(IndexType)
    valid = var_operand_def(IndexType)
    sizes = prop_def(ArrayAttr[IntAttr])
    result = result_def(TileBuf)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    @classmethod
    def parse(cls, parser: Parser) -> SubView:
        def indices() -> list[SSAValue]:
            names = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
            return [parser.resolve_operand(name, IndexType()) for name in names]

        name = parser.parse_unresolved_operand()
        offsets = indices()
        parser.parse_keyword("sizes")
        sizes = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        valid = indices() if parser.parse_optional_keyword("valid") else []
        parser.parse_punctuation(":")
        source = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation("->")
        properties = {"sizes": ArrayAttr([IntAttr(size) for size in sizes])}
        return cls(operands=[source, offsets, valid], properties=properties, result_types=[parser.parse_type()])

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.source)
        printer.print_string("[")
        printer.print_list(self.offsets, printer.print_operand)
        printer.print_string(f"] sizes [{', '.join(str(size.data) for size in self.sizes.data)}]")
        if self.valid:
            printer.print_string(" valid [")
            printer.print_list(self.valid, printer.print_operand)
            printer.print_string("]")
        printer.print_string(" : ")
        printer.print_attribute(self.source.type)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)

    def verify_(self) -> None:
        tile, part = self.source.type, self.result.type
        assert isinstance(tile, TileBuf)
        assert isinstance(part, TileBuf)
        check(part.shape == tuple(size.data for size in self.sizes.data), f"pto.subview: sizes are not {part.shape}")
        alike = [(t.loc, t.element, t.blayout, t.slayout, t.fractal, t.pad) for t in (tile, part)]
        check(alike[0] == alike[1], "pto.subview changes more than extents")
        check(len(self.offsets) == 2 and len(self.valid) in (0, 2), "pto.subview with other than two offsets")
        for offset, size, room in zip(self.offsets, part.shape, tile.shape, strict=True):
            at = whole(offset)
            check(at is None or 0 <= at <= room - size, f"pto.subview: {size} from {at} on of {room}")
        check((None in part.valid) == bool(self.valid), f"pto.subview: valid extents for {part.valid}")
        for given, valid in zip(self.valid, part.valid, strict=bool(self.valid)):
            check(whole(given) == valid, f"pto.subview: a valid extent that is not {valid}")


class Flag(IRDLOperation):
    """``[<PIPE_src>, <PIPE_dst>, <EVENT_IDn>]``."""

    src = prop_def(StringAttr)
    dst = prop_def(StringAttr)
    event = prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Flag:
        def one() -> StringAttr:
            with parser.in_angle_brackets():
                return StringAttr(parser.parse_identifier())

        src, dst, event = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, one)
        return cls(properties={"src": src, "dst": dst, "event": event})

    def print(self, printer: Printer) -> None:
        printer.print_string(f"[<{self.src.data}>, <{self.dst.data}>, <{self.event.data}>]")

    def verify_(self) -> None:
        pipes = {f"PIPE_{pipe}" for pipe in PIPES if pipe != "ALL"}
        check({self.src.data, self.dst.data} <= pipes and self.src.data != self.dst.data, f"{self.name}: pipes")
        check(self.event.data in {f"EVENT_ID{i}" for i in range(EVENTS)}, f"{self.name}: event {self.event.data}")


@irdl_op_definition
class SetFlag(Flag):
    """Fires when the source pipe has done what it has."""

    name = "pto.set_flag"


@irdl_op_definition
class WaitFlag(Flag):
    """The destination pipe stops until the flag is set."""

    name = "pto.wait_flag"


class FlagDyn(IRDLOperation):
    """``[<PIPE_src>, <PIPE_dst>, %event]``: the event is a number of run time."""

    src = prop_def(StringAttr)
    dst = prop_def(StringAttr)
    event = operand_def(IndexType)

    @classmethod
    def parse(cls, parser: Parser) -> FlagDyn:
        pipes = []
        with parser.in_square_brackets():
            for _ in range(2):
                with parser.in_angle_brackets():
                    pipes.append(StringAttr(parser.parse_identifier()))
                parser.parse_punctuation(",")
            event = parser.resolve_operand(parser.parse_unresolved_operand(), IndexType())
        return cls(operands=[event], properties={"src": pipes[0], "dst": pipes[1]})

    def print(self, printer: Printer) -> None:
        printer.print_string(f"[<{self.src.data}>, <{self.dst.data}>, ")
        printer.print_ssa_value(self.event)
        printer.print_string("]")

    def verify_(self) -> None:
        pipes = {f"PIPE_{pipe}" for pipe in PIPES if pipe != "ALL"}
        check({self.src.data, self.dst.data} <= pipes and self.src.data != self.dst.data, f"{self.name}: pipes")


@irdl_op_definition
class SetFlagDyn(FlagDyn):
    """`SetFlag` of an event chosen at run time."""

    name = "pto.set_flag_dyn"


@irdl_op_definition
class WaitFlagDyn(FlagDyn):
    """`WaitFlag` for an event chosen at run time."""

    name = "pto.wait_flag_dyn"


@irdl_op_definition
class Barrier(IRDLOperation):
    """A pipe finishes what it has before it goes on."""

    name = "pto.barrier"
    pipe = prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> Barrier:
        with parser.in_angle_brackets():
            return cls(properties={"pipe": StringAttr(parser.parse_identifier())})

    def print(self, printer: Printer) -> None:
        printer.print_string(f" <{self.pipe.data}>")

    def verify_(self) -> None:
        check(self.pipe.data in {f"PIPE_{pipe}" for pipe in PIPES}, f"pto.barrier: pipe {self.pipe.data}")


@irdl_op_definition
class CacheInvalid(IRDLOperation):
    """The scalar unit forgets what it has read from GM: all of it (the form for one line is not used)."""

    name = "pto.cmo.cacheinvalid"
    space = prop_def(StringAttr)

    @classmethod
    def parse(cls, parser: Parser) -> CacheInvalid:
        parser.parse_keyword("all")
        parser.parse_characters("#pto.address_space")
        with parser.in_angle_brackets():
            return cls(properties={"space": StringAttr(parser.parse_identifier())})

    def print(self, printer: Printer) -> None:
        printer.print_string(f" all #pto.address_space<{self.space.data}>")

    def verify_(self) -> None:
        check(self.space.data == "gm", f"pto.cmo.cacheinvalid: only of GM, not {self.space.data}")


Pto = Dialect(
    "pto",
    [
        AddPtr, LoadScalar, GetBlockIdx, GetSubblockIdx, MakeTensorView, PartitionView, AllocTile, SubView, SetFlag,
        WaitFlag, SetFlagDyn, WaitFlagDyn, Barrier, CacheInvalid, AicInitializePipe, AivInitializePipe, *FIFOS,
        *INSTRUCTIONS.values(),
    ],
    [
        Ptr, TensorView, PartitionTensorView, TileBuf, HiF8, F8E8M0, F4E2M1x2, Layout, KernelKind, RoundMode,
        Comparison, MaskPattern, ReluPreMode, SaturationMode,
    ],
)  # fmt: skip


def parse(text: str) -> ModuleOp:
    """The module of a `.pto` text, verified; only registered operations and types are taken.

    Raises:
        ParseError: the text does not follow the grammar.
        VerifyException: an operation breaks its rule.
    """
    context = Context()
    for dialect in (Builtin, Func, Scf, Arith, Math, Pto):
        context.load_dialect(dialect)
    module = Parser(context, text).parse_module()
    module.verify()
    verify_pipes(module)
    verify_left_operands(module)
    verify_numbers_of_bits(module)
    return module


def verify_left_operands(module: ModuleOp) -> None:
    """Left operands have the base layout of the module's architecture.

    Raises:
        VerifyException: one has another.
    """
    arch = module.attributes["pto.target_arch"]
    assert isinstance(arch, StringAttr)
    for op in module.walk():
        for value in op.results:
            if isinstance(value.type, TileBuf) and value.type.loc.data == "left":
                given, wanted = value.type.blayout.data, LEFT[arch.data]
                check(given == wanted, f"a left operand with blayout={given} on {arch.data}, not {wanted}")


def verify_numbers_of_bits(module: ModuleOp) -> None:
    """On A2/A3 a number is joined with 8 or 16 bits only.

    Raises:
        VerifyException: it is joined with more.
    """
    arch = module.attributes["pto.target_arch"]
    for op in module.walk():
        if op.name in ("pto.tands", "pto.tors") and arch == StringAttr("a3"):
            kind = op.operands[0].type
            assert isinstance(kind, TileBuf)
            check(str(kind.element) in ("i8", "ui8", "i16", "ui16"), f"{op.name} of {kind.element} on a3")
