"""GM tensors of an operator: its contract, and a workspace for each value that crosses kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.tensor.fit.alternatives import SHARED, sharing
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.views import root
from pyptogen.lower.tile.cutting.axes import Axes
from pyptogen.lower.tile.ir import GmTensor
from pyptogen.lower.tile.kernels.partition import KernelOps, defining_ops
from pyptogen.lower.tile.loops.between_iterations import values_per_iteration


def gm_tensors(program: Program, kernels: Sequence[KernelOps]) -> tuple[dict[str, GmTensor], dict[str, str]]:
    """All GM tensors by name, and the tensor of each value that has one.

    An output's tensor is the contract's, also where the value that is computed has another shape (outputs behind a
    reshape); an in-place output's is its input's.
    """
    axes = Axes(program)
    defining = defining_ops(program)
    per_iteration = values_per_iteration(axes)
    tensors: dict[str, GmTensor] = {}
    gm_names: dict[str, str] = {}
    for value in program.inputs:
        shape = _laid_out(value, axes)
        tensors[value.name] = GmTensor(value.name, value.dtype, shape, value.layout, False, value.span)
        gm_names[value.name] = value.name
    for name, value in program.outputs:
        target = program.inplace.get(name, program.halves.get(name, name))
        gm_names[root(value.name, defining)] = target
        if target not in tensors:
            declared = program.laid_out.get(name, value)
            layout = "nz" if declared.layout == "nz" else value.layout
            tensors[target] = GmTensor(target, value.dtype, _laid_out(declared, axes), layout, False, value.span)
    _share(program, axes, defining, tensors, gm_names)
    spoken = _spoken(program, defining)
    for kernel in kernels:
        for name in kernel.writes:
            if name not in gm_names:
                value = defining[name].result
                shape = (per_iteration[name].elements(axes),) if name in per_iteration else _in_memory(value, axes)
                gm_names[name] = free = _free(spoken.get(name, name), tensors)
                tensors[free] = GmTensor(free, value.dtype, shape, "nd", True, value.span)
    return tensors, gm_names


def _spoken(program: Program, defining: Mapping[str, Op]) -> dict[str, str]:
    """For values that the spec does not name itself, the name that it gives to a view of them, the first one."""
    found: dict[str, str] = {}
    for op in program.ops:
        base = root(op.result.name, defining)
        if base not in program.spoken and op.result.name in program.spoken:
            found.setdefault(base, op.result.name)
    return found


def _laid_out(value: Value, axes: Axes) -> tuple[Poly, ...]:
    """The shape of a tensor of the contract in memory: with what lies between its rows, and with columns as rows in
    `dn`."""
    if value.layout == "dn":
        return tuple(axes.poly(e) for e in (*value.shape[:-2], value.shape[-1], value.shape[-2]))
    sizes, steps = (tuple(axes.poly(e) for e in exprs) for exprs in (value.shape, value.strides))
    rows = [outer.quotient(inner) for outer, inner in pairwise(steps)]
    return (
        (sizes[0], *(size if row is None else row for size, row in zip(sizes[1:], rows, strict=True)))
        if steps
        else sizes
    )


def _share(
    program: Program, axes: Axes, defining: dict[str, Op], tensors: dict[str, GmTensor], gm_names: dict[str, str]
) -> None:
    """Values of which one counts in each call have one tensor, and so has a value before and after an update of its
    rows; an input among them is that tensor."""
    for op in reversed(program.ops):
        if op.kind not in SHARED:
            continue
        value = op.result
        if value.name not in gm_names:
            gm_names[value.name] = free = _free(value.name, tensors)
            tensors[free] = GmTensor(free, value.dtype, _in_memory(value, axes), "nd", True, value.span)
        for operand in sharing(op):
            gm_names[root(operand.name, defining)] = gm_names[value.name]


def _free(wanted: str, tensors: Mapping[str, GmTensor]) -> str:
    """A name for a workspace: the value's, unless that is an output which is made of it."""
    name, n = wanted, 1
    while name in tensors:
        n += 1
        name = f"{wanted}_{n}"
    return name


def _in_memory(value: Value, axes: Axes) -> tuple[Poly, ...]:
    """The shape in GM, where an axis of a loop's block is that of the whole dim."""
    sizes = []
    for axis in axes.axes_in_memory(value.shape):
        size = ONE
        for _, elements in axis:
            size = size * elements
        sizes.append(size)
    return tuple(sizes)
