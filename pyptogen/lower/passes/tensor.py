"""The passes of the Tensor level: a program as it was read → what tiles are cut from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyptogen.lower.hand import opaque
from pyptogen.lower.passes.state import Pass, State
from pyptogen.lower.tensor import fit, halves
from pyptogen.lower.tensor.building import layouts
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tensor.passes import (
    adjacent_indices,
    host_scalars,
    late_reshapes,
    planes,
    reciprocals,
    reduce_before_loop,
    unlowered,
    update_after_loop,
)
from pyptogen.lower.tile.cutting import fixpipe
from pyptogen.lower.tile.dims import distinct_dims, literal_sizes, named_sizes, product_depths
from pyptogen.lower.tile.kernels import (
    merged_columns,
    overwritten,
    paired_orders,
    split_orders,
    split_products,
    split_reductions,
)
from pyptogen.lower.tile.loops import transposed_values
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace

WithRows = Callable[[Program, Sequence[Selected]], tuple[Program, Sequence[Selected]]]


def prepared(program: Program, target: str) -> Program:
    """The form that all platforms share: stages by hand closed, updates behind their loop, reductions ahead of it.

    Raises:
        DiagnosticError: PTG3xx, what cannot be lowered, with its place in the spec.
    """
    program = opaque.run(program, target)
    program = update_after_loop.run(program)
    program = reduce_before_loop.run(program)
    unlowered.check(program)
    layouts.check(program)
    return program


def _on_program(name: str, doc: str, run: Callable[[Program], Program]) -> Pass:
    return _on_state(name, doc, lambda state: run(state.fitted))


def _on_state(name: str, doc: str, run: Callable[[State], Program]) -> Pass:
    return Pass(name, "tensor", doc, lambda state: replace(state, fitted=run(state)))


def _with_rows(name: str, doc: str, run: WithRows) -> Pass:
    def changed(state: State) -> State:
        program, rows = run(state.fitted, state.rows)
        return replace(state, fitted=program, rows=tuple(rows))

    return Pass(name, "tensor", doc, changed)


def _declared(state: State) -> State:
    """What the passes found out about the contract, and the stages that they added, go back to the program of the
    spec."""
    fitted = state.fitted
    return replace(
        state, program=replace(state.program, attrs=fitted.attrs, halves=fitted.halves, stages=fitted.stages)
    )


TENSOR = (
    _on_state("halves", "int64 becomes two tensors of 32-bit words where the platform has no instructions for it",
              lambda s: halves.run(s.fitted, s.platform)),
    _on_state("fit", "dtypes and operations that the platform lacks are rewritten",
              lambda s: fit.run(s.fitted, s.platform, s.copied)),
    _on_state("reciprocals", "products in place of divisions where many numbers have one divisor",
              lambda s: reciprocals.run(s.fitted, s.platform)),
    _on_state("adjacent-indices", "columns of indices that a loop reads are transposed ahead of it",
              lambda s: adjacent_indices.run(s.fitted, s.platform)),
    _on_program("late-reshapes", "elementwise operations move ahead of reshapes", late_reshapes.run),
    _on_state("planes", "small matrices of a long batch become a vector for each element (structure of arrays)",
              lambda s: planes.run(s.fitted, s.platform)),
    _on_program("named-sizes", "a dim for each size that loops may cut", named_sizes.run),
    _on_state("fixpipe", "relu and rounding behind a product move into its store",
              lambda s: fixpipe.run(s.fitted, s.platform, s.rows)),
    _on_program("host-scalars", "scalars that the host computes", host_scalars.run),
    Pass("contract", "tensor", "attributes, halves and stages go into the program of the spec", _declared),
    _with_rows("literal-sizes", "a dim for each axis whose size is a number, or no dim's", literal_sizes.run),
    _with_rows("product-depths", "a dim for each depth of a product", product_depths.run),
    _with_rows("distinct-dims", "no value has a dim on two axes: the second gets a twin", distinct_dims.run),
    _with_rows("split-products", "split-K products", split_products.run),
    _on_state("transposed-values", "values that an iteration makes and reads transposed",
              lambda s: transposed_values.run(s.fitted, s.platform, s.rows)),
    _on_state("merged-columns", "axes behind a reduced one are one axis, where a kernel has them together",
              lambda s: merged_columns.run(s.fitted, s.platform, s.rows)),
    _on_state("split-reductions", "parts of a long axis on all cores, where there are few results",
              lambda s: split_reductions.run(s.fitted, s.platform)),
    _on_state("split-orders", "the first elements of few long rows on all cores, where a call has such rows",
              lambda s: split_orders.run(s.fitted, s.platform)),
    _on_state("paired-orders", "values and positions of an order are sides of the same sorted pairs",
              lambda s: paired_orders.run(s.fitted, s.platform)),
    _on_program("order-overwrites", "what overwrites an input stands behind what reads it", overwritten.last),
)  # fmt: skip
"""In order."""
