"""What a kernel by hand makes, where no stage of the graph says it: one operation a result, of declared type."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import Span, did_you_mean, fault
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.ir import Operand, Value
from pyptogen.lower.tensor.reading.contract import Contract, declared_value
from pyptogen.schema.hand import HandKernel


def results(
    kernel: HandKernel, contract: Contract, known: Mapping[str, Operand], builder: Builder
) -> list[tuple[str, Span, Value]]:
    """(name, place, value) of everything that the kernel stores.

    Raises PTG201 for a tensor that it reads and nobody has made, PTG207 for one that it stores and whose type nobody
    has said, PTG208 for one that is there already.
    """
    types = {value.name: value for value in contract.outputs}
    types |= {tensor.name: declared_value(tensor, contract.dims) for tensor in kernel.declared}
    written = {name for name, _ in kernel.writes}
    updated = {value.name for value in contract.inputs} & types.keys()
    operands = []
    for name, span in kernel.reads:
        value = known.get(name)
        if isinstance(value, Value):
            operands.append(value)
        elif name not in written:
            tensors = [n for n, v in known.items() if isinstance(v, Value)]
            raise fault(
                "PTG201",
                f"kernel `{kernel.name}` reads `{name}`, which is no tensor",
                span,
                expected="an input, or a value of a stage above",
                fix=did_you_mean(name, tensors),
            )
    operands += [v for n in sorted(written & updated) if isinstance(v := known[n], Value) and v not in operands]
    found = []
    for name, span in kernel.writes:
        if name not in types:
            raise fault(
                "PTG207",
                f"kernel `{kernel.name}` stores `{name}`, whose type is not known",
                span,
                expected="an output, a value of the stage with the kernel's name, or a type under `writes`",
                fix=f"add `writes: {{{name}: …}}` to the kernel",
            )
        if name in known and name not in updated:
            raise fault("PTG208", f"`{name}` is made already, and kernel `{kernel.name}` stores it again", span)
        kind = types[name]
        with builder.located(kernel.span):
            builder.prefix = name
            value = builder.emit("by_hand", operands, kind.dtype, kind.shape, "", kernel=kernel.name, output=name)
        found.append((name, span, value))
    return found
