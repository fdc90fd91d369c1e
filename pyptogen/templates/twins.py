"""Kernels that differ in nothing but names, of arguments, loops and tiles: one is written, and launched for all.

before: sum_of_a: a_sum[0] += a[i]; sum_of_b: b_sum[0] += b[i]
after:  sum_of_a: a_sum[0] += a[i]; two launches of it, for (a_sum, a) and for (b_sum, b)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyptogen.lower.instruction.ir import InstrKernel, walk
from pyptogen.templates.spelling import named_as


def twins(kernels: Sequence[InstrKernel], text: Callable[[InstrKernel], str]) -> dict[str, str]:
    """The kernels that an earlier one stands for, by name, each with the name of that one. ``text`` gives the C++ of a
    kernel by its name: two are the same where their texts are, once the later one has the names of the first."""
    found: dict[str, str] = {}
    first: dict[tuple[object, ...], list[InstrKernel]] = {}
    for kernel in kernels:
        alike = first.setdefault(_outline(kernel), [])
        same = next((other for other in alike if not kernel.fifos and _under(kernel, other, text)), None)
        if same is None:
            alike.append(kernel)
        else:
            found[kernel.name] = same.name
    return found


def _outline(kernel: InstrKernel) -> tuple[object, ...]:
    """What cheaply tells most kernels apart."""
    tensors = tuple((t.dtype, len(t.shape)) for t in kernel.tensors)
    numbers = (kernel.scalars, kernel.dims, kernel.launch_dim, kernel.occupancy)
    return (kernel.core, kernel.stages, tensors, numbers, len(kernel.arguments), sum(1 for _ in walk(kernel.body)))


def _under(kernel: InstrKernel, other: InstrKernel, text: Callable[[InstrKernel], str]) -> bool:
    """Whether a kernel that is given the names of another one is that one."""
    return text(named_as(kernel, other)) == text(other)
