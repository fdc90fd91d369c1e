"""Pipes between a cube and a vector core, of global entries: each entry is one slot of a fifo in GM, as a tensor view.

`pto.aic_initialize_pipe` and `pto.aiv_initialize_pipe` stand in the cube and the vector function of a module; the words
that follow them name the pipe by its ``id``. The rules are those of the assembler's page on pipes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, StringAttr, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from templates.pto.instructions import check
from templates.pto.types import KernelKind, TensorView, width

FLAGS = 16
"""Flags between the cores of a block; a pipe of one direction takes two."""
DIRECTIONS = {"aiv": 1, "aic": 2}
"""``dir_mask`` by who is pushed to."""


def _number(operation: IRDLOperation, key: str) -> int:
    value = operation.properties[key]
    assert isinstance(value, IntegerAttr)
    return value.value.data


def function_of(operation: Operation) -> FuncOp:
    """The function that an operation stands in."""
    above = operation.parent_op()
    while above is not None and not isinstance(above, FuncOp):
        above = above.parent_op()
    assert isinstance(above, FuncOp)
    return above


class _Marked(IRDLOperation):
    """``{key = number, …}``, all of ``KEYS`` and in their order."""

    KEYS: ClassVar[tuple[str, ...]]

    @classmethod
    def marks(cls, parser: Parser) -> dict[str, IntegerAttr]:
        found: dict[str, IntegerAttr] = {}

        def one() -> None:
            key = parser.parse_identifier()
            parser.parse_punctuation("=")
            found[key] = IntegerAttr(parser.parse_integer(), i32)

        parser.parse_comma_separated_list(parser.Delimiter.BRACES, one)
        if tuple(found) != cls.KEYS:
            raise VerifyException(f"{cls.name} with {tuple(found)}, not {cls.KEYS}")
        return found

    def print_marks(self, printer: Printer) -> None:
        text = ", ".join(f"{key} = {_number(self, key)}" for key in self.KEYS)
        printer.print_string(f" {{{text}}}")


class InitializePipe(_Marked):
    """A pipe over a fifo: the view is its first slot, and tells the shape of all."""

    KEYS: ClassVar = ("id", "dir_mask", "slot_size", "slot_num")
    id = prop_def(IntegerAttr)
    dir_mask = prop_def(IntegerAttr)
    slot_size = prop_def(IntegerAttr)
    slot_num = prop_def(IntegerAttr)
    slots = operand_def(TensorView)

    @classmethod
    def parse(cls, parser: Parser) -> InitializePipe:
        marks = cls.marks(parser)
        parser.parse_punctuation("(")
        parser.parse_keyword("gm_slot_tensor")
        parser.parse_punctuation("=")
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        view = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation(")")
        return cls(operands=[view], properties=marks)

    def print(self, printer: Printer) -> None:
        self.print_marks(printer)
        printer.print_string(" (gm_slot_tensor = ")
        printer.print_operand(self.slots)
        printer.print_string(" : ")
        printer.print_attribute(self.slots.type)
        printer.print_string(")")

    def verify_(self) -> None:
        view = self.slots.type
        assert isinstance(view, TensorView)
        elements = 1
        for extent in view.extents:
            check(extent is not None, f"{self.name}: a slot of {view.extents}")
            elements *= extent or 1
        check(_number(self, "slot_size") == elements * width(view.element), f"{self.name}: not the bytes of a slot")
        check(_number(self, "dir_mask") in (1, 2), f"{self.name} in direction {_number(self, 'dir_mask')}")
        check(_number(self, "slot_num") > 0 and _number(self, "id") >= 0, f"{self.name}: slots or id")


@irdl_op_definition
class AicInitializePipe(InitializePipe):
    """In a cube function."""

    name = "pto.aic_initialize_pipe"


@irdl_op_definition
class AivInitializePipe(InitializePipe):
    """In a vector function."""

    name = "pto.aiv_initialize_pipe"


class _OnPipe(_Marked):
    """Names its pipe."""

    KEYS: ClassVar = ("id", "split")
    id = prop_def(IntegerAttr)
    split = prop_def(IntegerAttr)

    @property
    def other(self) -> str:
        """The kind of core at the other end."""
        return self.name.rpartition("_")[2]

    def pipe(self) -> InitializePipe:
        """The pipe of this id in the same function."""
        found = [
            op
            for op in function_of(self).walk()
            if isinstance(op, InitializePipe) and _number(op, "id") == _number(self, "id")
        ]
        check(len(found) == 1, f"{self.name}: {len(found)} pipes of id {_number(self, 'id')}")
        return found[0]

    def check_pipe(self, view: object) -> None:
        pipe = self.pipe()
        pushes = "_to_" in self.name
        own = "aic" if self.other == "aiv" else "aiv"
        check(pipe.name == f"pto.{own}_initialize_pipe", f"{self.name} on the wrong core")
        way = DIRECTIONS[self.other if pushes else own]
        check(_number(pipe, "dir_mask") == way, f"{self.name} against the direction of its pipe")
        check(view == pipe.slots.type, f"{self.name}: {view} is no slot of its pipe")
        check(_number(self, "split") == 0, f"{self.name}: split {_number(self, 'split')}")


class Take(_OnPipe):
    """``%entry = name {id, split} -> view``."""

    entry = result_def(TensorView)

    @classmethod
    def parse(cls, parser: Parser) -> Take:
        marks = cls.marks(parser)
        parser.parse_punctuation("->")
        return cls(properties=marks, result_types=[parser.parse_type()])

    def print(self, printer: Printer) -> None:
        self.print_marks(printer)
        printer.print_string(" -> ")
        printer.print_attribute(self.entry.type)

    def verify_(self) -> None:
        self.check_pipe(self.entry.type)


class Give(_OnPipe):
    """``name(%entry : view) {id, split}``."""

    entry = operand_def(TensorView)

    @classmethod
    def parse(cls, parser: Parser) -> Give:
        parser.parse_punctuation("(")
        name = parser.parse_unresolved_operand()
        parser.parse_punctuation(":")
        entry = parser.resolve_operand(name, parser.parse_type())
        parser.parse_punctuation(")")
        return cls(operands=[entry], properties=cls.marks(parser))

    def print(self, printer: Printer) -> None:
        printer.print_string("(")
        printer.print_operand(self.entry)
        printer.print_string(" : ")
        printer.print_attribute(self.entry.type)
        printer.print_string(")")
        self.print_marks(printer)

    def verify_(self) -> None:
        self.check_pipe(self.entry.type)
        taken = self.entry.owner
        word = "pto.talloc_to" if "push" in self.name else "pto.tpop_from"
        check(isinstance(taken, Take) and taken.name == f"{word}_{self.other}", f"{self.name} of what it did not take")
        check(isinstance(taken, Take) and _number(taken, "id") == _number(self, "id"), f"{self.name} of another pipe")


def _define(base: type[_OnPipe], stem: str, other: str, doc: str) -> type[_OnPipe]:
    fields = {"name": f"pto.{stem}_{other}", "__doc__": doc}
    return irdl_op_definition(type(f"{stem}_{other}", (base,), fields))


FIFOS = [
    _define(base, stem, other, doc)
    for base, stem, doc in (
        (Take, "talloc_to", "Waits for a free slot."),
        (Give, "tpush_to", "Hands the slot over that was filled."),
        (Take, "tpop_from", "Waits for a filled slot."),
        (Give, "tfree_from", "Gives the slot back that was read."),
    )
    for other in ("aic", "aiv")
]


def _pipes(function: FuncOp) -> Iterator[InitializePipe]:
    for op in function.walk():
        if isinstance(op, InitializePipe):
            yield op


def verify_pipes(module: ModuleOp) -> None:
    """What only both ends of the pipes of a module show.

    Raises:
        VerifyException: an id that is there twice, more flags than there are, ends that do not match or stand in a
            function of the wrong kind.
    """
    ends: dict[str, list[tuple[object, ...]]] = {}
    for function in (op for op in module.walk() if isinstance(op, FuncOp)):
        kind = function.attributes.get("pto.kernel_kind")
        pipes = list(_pipes(function))
        for pipe in pipes:
            word = {"pto.aic_initialize_pipe": "cube", "pto.aiv_initialize_pipe": "vector"}[pipe.name]
            check(
                isinstance(kind, KernelKind) and kind.word == StringAttr(word), f"{pipe.name} in a function of {kind}"
            )
        numbers = [_number(pipe, "id") for pipe in pipes]
        check(len(set(numbers)) == len(numbers) and 2 * len(numbers) <= FLAGS, f"pipes {numbers}")
        if pipes:
            ends[function.sym_name.data] = [
                (*(_number(pipe, key) for key in InitializePipe.KEYS), pipe.slots.type) for pipe in pipes
            ]
    check(len(ends) in (0, 2), f"pipes in {len(ends)} functions")
    check(len({str(end) for end in ends.values()}) <= 1, "the ends of the pipes do not match")
