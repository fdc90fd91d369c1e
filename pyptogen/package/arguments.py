"""The arguments of an operator as parameters of C: pointers, sizes, scalars, in the order of its contract."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pyptogen.templates.contract_view import contract_view
from pyptogen.templates.spelling import field_name
from pyptogen.templates.wrapper_hpp import CPP_TYPES

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program


@dataclass(frozen=True, slots=True)
class Argument:
    """One parameter. ``kind``: an input, an input that is updated, an output, a size, a scalar; ``meaning`` is its type
    or range as the spec has it; ``default`` that of a scalar."""

    name: str
    field: str
    ctype: str
    kind: Literal["input", "updated", "output", "size", "scalar"]
    meaning: str
    default: float | int | None = None

    @property
    def declared(self) -> str:
        return f"{self.ctype}{'' if self.ctype.endswith('*') else ' '}{self.field}"


def arguments_of(program: Program) -> tuple[Argument, ...]:
    """The parameters of an operator."""
    return tuple(_arguments(program))


def _arguments(program: Program) -> Iterator[Argument]:
    contract = contract_view(program)
    for tensor in contract.inputs:
        ctype, kind = CPP_TYPES[tensor.dtype], "updated" if tensor.updated else "input"
        pointer = f"{ctype} *" if tensor.updated else f"const {ctype} *"
        yield Argument(tensor.name, field_name(tensor.name), pointer, kind, tensor.type)  # type: ignore[arg-type]
    for tensor in contract.new_outputs:
        yield Argument(tensor.name, field_name(tensor.name), f"{CPP_TYPES[tensor.dtype]} *", "output", tensor.type)
    for dim in contract.dynamic_dims:
        yield Argument(dim.name, field_name(dim.name), "int64_t", "size", dim.meaning)
    for attr in contract.attrs:
        ctype = "double" if attr.is_float else "int64_t"
        yield Argument(attr.name, field_name(attr.name), ctype, "scalar", attr.dtype, attr.default)


_OWN = ("stream", "workspace", "workspace_bytes", "args", "needed", "launcher", "status")


def own_names(arguments: Sequence[Argument], words: Sequence[str] = _OWN) -> dict[str, str]:
    """What an entry calls its own parameters and variables: with as many underscores behind them as no argument has."""
    taken, found = {argument.field for argument in arguments}, {}
    for word in words:
        name = word
        while name in taken:
            name += "_"
        found[word] = name
    return found
