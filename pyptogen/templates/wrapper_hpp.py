"""Feeds ``wrapper_hpp.j2``: the C++ header of an operator, which its orchestration and its C++ callers
include."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyptogen.lower.origins import Traced
from pyptogen.records import dataclass
from pyptogen.templates.contract_view import ContractView, TensorView, contract_view
from pyptogen.templates.declared import declared
from pyptogen.templates.environment import Marks
from pyptogen.templates.environment import render as render_template
from pyptogen.templates.spelling import field_name

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program

CPP_TYPES = {
    "fp32": "float", "fp16": "uint16_t", "bf16": "uint16_t", "bool": "uint8_t",
    "int8": "int8_t", "int16": "int16_t", "int32": "int32_t", "int64": "int64_t",
    "uint8": "uint8_t", "uint16": "uint16_t", "uint32": "uint32_t",
    "fp8_e4m3": "uint8_t", "fp8_e5m2": "uint8_t", "fp8_e8m0": "uint8_t", "int4": "uint8_t",
    "hif8": "uint8_t", "fp4_e2m1": "uint8_t",
}  # fmt: skip
"""Element types as plain C++17 has them: a float of 8 or 16 bits travels as its bits, numbers of four bits two in a
byte."""


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    declaration: str
    comment: str


@dataclass(frozen=True, slots=True)
class _Group:
    title: str
    fields: tuple[_Field, ...]


def render(program: Program, targets: Sequence[str], spec_file: str = "") -> Traced:
    """The text of ``wrapper.hpp``: the argument struct (C ABI of the operator) and one prototype per target.

    ``spec_file`` is the name, without folders, of the spec that the header's first line points to; by default
    the operator's.
    """
    contract = contract_view(program)
    groups = _groups(
        (
            (
                "inputs",
                [(_pointer(t, const=not t.updated), field_name(t.name), _tensor_comment(t)) for t in contract.inputs],
            ),
            ("outputs", [(_pointer(t, const=False), field_name(t.name), t.type) for t in contract.new_outputs]),
            ("sizes", [("int64_t", field_name(dim.name), dim.meaning) for dim in contract.dynamic_dims]),
            ("scalars", [("double" if a.is_float else "int64_t", field_name(a.name), a.dtype) for a in contract.attrs]),
        )
    )
    marks = Marks()
    return render_template(
        "wrapper_hpp.j2",
        marks,
        declared=declared(program, marks, {name: field_name(name) for name in _names(contract)}),
        apart=any(tensor.strides for tensor in (*contract.inputs, *contract.outputs)),
        contract=contract,
        # A backslash at the end of a line comment would swallow the next line.
        doc="\n".join(f"// {line}".rstrip("\\ ") for line in textwrap.wrap(contract.doc, 107)),
        groups=groups,
        slots=sum(len(group.fields) for group in groups),
        spec_file=spec_file or f"{program.name}.yaml",
        targets=tuple(targets),
    )


def _names(contract: ContractView) -> tuple[str, ...]:
    """Of all fields, as the spec has them."""
    tensors = [tensor.name for tensor in (*contract.inputs, *contract.new_outputs)]
    return (*tensors, *(dim.name for dim in contract.dynamic_dims), *(attr.name for attr in contract.attrs))


def _pointer(tensor: TensorView, *, const: bool) -> str:
    return f"{'const ' if const else ''}{CPP_TYPES[tensor.dtype]}*"


def _tensor_comment(tensor: TensorView) -> str:
    return f"{tensor.type}, in place" if tensor.updated else tensor.type


def _groups(titled: Sequence[tuple[str, Sequence[tuple[str, str, str]]]]) -> tuple[_Group, ...]:
    """Rows of (type, name, comment) as declarations, padded so that all comments of the struct start in one
    column."""
    width = max(len(f"{kind} {name};") for _, rows in titled for kind, name, _ in rows)
    return tuple(
        _Group(title, tuple(_Field(name, f"{kind} {name};".ljust(width), comment) for kind, name, comment in rows))
        for title, rows in titled
        if rows
    )
