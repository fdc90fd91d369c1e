"""An operator's contract in the words in which generated files show it.

Wrapper, header, harness and manifest all describe the same arguments; what they share is worked out here
once, as plain strings and numbers, so that a template only places text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyptogen.lower.tensor.ir import PACKED
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program, Value


@dataclass(frozen=True, slots=True)
class TensorView:
    """One tensor argument. ``updates`` is, for an output, the input whose memory it takes, else empty;
    ``updated`` says, for an input, that an output takes its memory."""

    name: str
    dtype: str
    shape: tuple[str, ...]
    layout: str
    updates: str = ""
    updated: bool = False
    strides: tuple[str, ...] = ()

    @property
    def type(self) -> str:
        """As in a spec: ``bf16[t, h]``, with ``@ nz`` where the layout is not the plain one."""
        suffix = "" if self.layout == "nd" else f" @ {self.layout}"
        suffix += f" strides [{', '.join(self.strides)}]" if self.strides else ""
        suffix += ", two in a byte" if self.dtype in PACKED else ", by their codes" if self.dtype == "hif8" else ""
        return f"{self.dtype}[{', '.join(self.shape)}]{suffix}"


@dataclass(frozen=True, slots=True)
class DimView:
    """One named size. ``meaning`` is its number, its range, or its definition."""

    name: str
    dynamic: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class AttrView:
    """One run-time scalar. ``default`` is None where the caller must give it."""

    name: str
    dtype: str
    default: float | int | None

    @property
    def is_float(self) -> bool:
        return self.dtype.startswith(("fp", "bf"))


@dataclass(frozen=True, slots=True)
class ContractView:
    """A whole contract. ``new_outputs`` are those that do not update an input; the order is the spec's
    everywhere."""

    name: str
    doc: str
    inputs: tuple[TensorView, ...]
    outputs: tuple[TensorView, ...]
    dims: tuple[DimView, ...]
    attrs: tuple[AttrView, ...]

    @property
    def class_prefix(self) -> str:
        """``indexer_prolog`` as ``IndexerProlog``."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def new_outputs(self) -> tuple[TensorView, ...]:
        return tuple(output for output in self.outputs if not output.updates)

    @property
    def dynamic_dims(self) -> tuple[DimView, ...]:
        return tuple(dim for dim in self.dims if dim.dynamic)


def contract_view(program: Program) -> ContractView:
    """The contract of a Tensor program."""
    updated = set(program.inplace.values())
    return ContractView(
        name=program.name,
        doc=" ".join(program.doc.split()),
        inputs=tuple(_tensor(value.name, value, updated=value.name in updated) for value in program.inputs),
        outputs=tuple(
            _tensor(name, program.laid_out.get(name, value), updates=program.inplace.get(name, ""))
            for name, value in program.outputs
        ),
        dims=tuple(DimView(dim.name, dim.dynamic, _meaning(dim)) for dim in program.dims),
        attrs=tuple(AttrView(a.name, a.dtype, a.default) for a in program.attrs if a.definition is None),
    )


def _tensor(name: str, value: Value, *, updates: str = "", updated: bool = False) -> TensorView:
    shape, strides = (tuple(map(_spaced, sizes)) for sizes in (value.shape, value.strides))
    return TensorView(name, value.dtype, shape, value.layout, updates, updated, strides)


def _spaced(expression: Any) -> str:
    """A sympy expression as in a spec: ``d*heads`` as ``d * heads``."""
    return str(expression).replace("**", "^").replace("*", " * ").replace("^", "**")


def _meaning(dim: Any) -> str:
    if dim.dynamic:
        multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
        return f"{dim.min} to {dim.max}{multiple}"
    if dim.value is None:
        return f"= {_spaced(dim.definition)}"
    return f"= {dim.value}"
