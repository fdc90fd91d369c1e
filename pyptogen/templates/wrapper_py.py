"""Feeds ``wrapper_py.j2``: the typed Python entry of an operator."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pyptogen.lower.origins import Traced
from pyptogen.templates.contract_view import AttrView, ContractView, TensorView, contract_view
from pyptogen.templates.declared import declared
from pyptogen.templates.environment import Marks, docstring
from pyptogen.templates.environment import render as render_template

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program

_GLUE = "\0"
"""Stands for a blank at which a line must not break."""


def render(program: Program, targets: Sequence[str], spec_file: str) -> Traced:
    """The text of ``wrapper.py``: a named tuple of the outputs, and a function with the contract's names and
    types.

    ``targets`` are those that were built, the first is the default; ``spec_file`` is the spec's name without
    folders.
    """
    contract, marks = contract_view(program), Marks()
    return render_template(
        "wrapper_py.j2",
        marks,
        declared=declared(program, marks),
        argument_note=_argument_note,
        contract=contract,
        default=_default,
        doc=textwrap.fill(docstring(contract.doc), 106, subsequent_indent="    "),
        in_place=_in_place,
        parameter_type=_parameter_type,
        result_type=_result_type,
        taken_types=_taken_types(contract),
        runtime_imports=", ".join(_runtime_names(contract)),
        sizes=_sizes(contract),
        spec_file=docstring(spec_file),
        target=_target(contract),
        targets=tuple(targets),
    )


def _target(contract: ContractView) -> str:
    """The parameter that says which target runs: `target`, with an underscore where an input is called so."""
    name, taken = "target", {tensor.name for tensor in contract.inputs}
    while name in taken:
        name += "_"
    return name


def _parameter_type(tensor: TensorView) -> str:
    return "npt.NDArray[Any] | PackedWeight" if tensor.layout == "nz" else "npt.NDArray[Any]"


def _result_type(tensor: TensorView) -> str:
    return "PackedWeight" if tensor.layout == "nz" and not tensor.updates else "npt.NDArray[Any]"


def _taken_types(contract: ContractView) -> str:
    """The types of arrays that results are written into."""
    types = {_result_type(tensor) for tensor in contract.new_outputs} or {"npt.NDArray[Any]"}
    return " | ".join(sorted(types, reverse=True))


def _runtime_names(contract: ContractView) -> list[str]:
    packed = any(tensor.layout == "nz" for tensor in (*contract.inputs, *contract.new_outputs))
    return ["CompiledOperator", *(["PackedWeight"] if packed else []), "load_generated"]


def _argument_note(tensor: TensorView) -> str:
    if tensor.updated:
        return ", updated in place"
    return ", a logical array or one from `pyptogen.pack`" if tensor.layout == "nz" else ""


def _in_place(tensor: TensorView) -> str:
    return f", the array given as `{tensor.updates}`" if tensor.updates else ""


def _default(attr: AttrView) -> str:
    if attr.default is None:
        return ""
    return f" = {attr.default!r}" if math.isfinite(attr.default) else f' = float("{attr.default}")'


def _sizes(contract: ContractView) -> str:
    """All dims in one sentence, broken between dims only."""
    glued = [f"{dim.name} {dim.meaning}".replace(" ", _GLUE) for dim in contract.dims]
    return textwrap.fill(f"Sizes: {'; '.join(glued)}.", 106, subsequent_indent=" " * 8).replace(_GLUE, " ")
