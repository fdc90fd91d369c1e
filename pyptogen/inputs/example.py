"""Example inputs: one array per input of a contract, from the generators of the spec's ``verify`` section.

Each tensor draws from a random stream of its own, seeded by the seed and the tensor's name: adding an input
to a spec, or another order of inputs, leaves the data of the others as it was. What inputs draw together
(``coordinate``) has a stream of its own, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import fault
from pyptogen.inputs.generators import Generator, draw_default, stream
from pyptogen.inputs.sizes import case_dims, evaluate, resolve_dims

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.lower.tensor.ir import Program, Value
    from pyptogen.schema.spec import Spec


def example_inputs(
    spec: Spec, dims: Mapping[str, int], seed: int = 7, *, program: Program | None = None
) -> dict[str, npt.NDArray[Any]]:
    """Arrays for all inputs, by name in contract order, in logical form (a weight with layout nz is not
    packed).

    ``dims`` gives sizes of dynamic dims; those it leaves out come from a verify case. ``program`` is
    the spec's Tensor program where the caller has it already. Raises ``DiagnosticError``: PTG404 for an
    unknown or missing dim, PTG401 for one out of range, PTG2xx for a generator without a meaning.
    """
    if not isinstance(seed, int) or seed < 0:
        raise fault("PTG403", f"`seed` is {seed!r}", spec.span, expected="a whole number, 0 or more")
    program = program or _tensor_program(spec)
    sizes = resolve_dims(program, case_dims(spec, program, dims))
    inputs = {value.name: _draw(spec, value, sizes, seed) for value in program.inputs}
    updated = (value for value in program.inputs if value.layout == "dn" and value.name in program.inplace.values())
    return inputs | {value.name: laid_out(value, inputs[value.name], sizes) for value in updated}


def _draw(spec: Spec, value: Value, sizes: Mapping[str, int], seed: int) -> npt.NDArray[Any]:
    from pyptogen.numpy_dtypes import numpy_dtype

    shape = tuple(evaluate(axis, sizes) for axis in value.shape)
    dtype = numpy_dtype(value.dtype)
    rng = stream(seed, value.name)
    expression = spec.verify.generate.get(value.name)
    if expression is None:
        array = draw_default(shape, dtype, rng)
    else:
        array = Generator(expression, shape, dtype, sizes, rng, seed).draw()
    return laid_out(value, array, sizes) if value.strides else array


def laid_out(value: Value, array: npt.NDArray[Any], sizes: Mapping[str, int]) -> npt.NDArray[Any]:
    """The array in memory as a tensor of the contract lies there; in gaps between its rows stands no number that means
    something."""
    from pyptogen.lower.tensor.building import layouts

    if not array.size:
        return array
    steps = [evaluate(step, sizes) for step in layouts.steps(value)]
    elements = 1 + sum((n - 1) * step for n, step in zip(array.shape, steps, strict=True))
    memory = np.full(elements * array.itemsize, 0xA5, np.uint8)
    apart: npt.NDArray[Any] = np.ndarray(array.shape, array.dtype, memory, 0, [step * array.itemsize for step in steps])
    apart[...] = array
    return apart


def _tensor_program(spec: Spec) -> Program:
    from pyptogen.lower.tensor import from_spec

    return from_spec(spec)
