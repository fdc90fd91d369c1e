"""Names of a program: the symbols of dims and attrs, and names that nothing has yet."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from pyptogen.lower.tensor.ir import Program


def dim_symbol(name: str) -> Any:
    """The sympy symbol that stands for a dim in shapes."""
    import sympy

    return sympy.Symbol(name, integer=True, positive=True)


def scalar_symbol(name: str, dtype: str) -> Any:
    """The sympy symbol that stands for an attr, or for the number in an input of one element."""
    import sympy

    return sympy.Symbol(name, real=True) if dtype == "fp32" else sympy.Symbol(name, integer=True)


def start_symbol(over: str) -> Any:
    """The sympy symbol of the place where the block of this iteration begins, of a loop over ``over``."""
    import sympy

    return sympy.Symbol(f"{over}.start", integer=True)


def element_symbol(number: int) -> Any:
    """The sympy symbol of an element that the condition of an iteration reads: that of its operand ``number``."""
    import sympy

    return sympy.Symbol(f"@{number}", integer=True)


def iteration_condition(loop: str) -> str:
    """The name of the operation that decides about the iterations of a loop; no name of a spec has a dot."""
    return f"{loop}.if"


def names_of(program: Program) -> set[str]:
    """The names of a program: of its values, dims, attrs and outputs."""
    taken = {value.name for value in program.inputs} | {op.result.name for op in program.ops}
    taken |= {name for name, _ in program.outputs} | {attr.name for attr in program.attrs}
    return taken | {dim.name for dim in program.dims}


def names_in_kernels(program: Program, tensors: Iterable[str]) -> set[str]:
    """What the variables that a kernel makes for itself keep clear of: the names of the program and of the
    ``tensors``, the ends of the ranges of dims, and the number of blocks."""
    ends = {f"{dim.name}_{end}" for dim in program.dims for end in ("begin", "end")}
    return names_of(program) | set(tensors) | ends | {"nblk"}


def loop_variable(wanted: str, taken: Collection[str]) -> str:
    """``wanted``, with a number where it is taken, or where a name is that kernels make of it: the valid extent of a
    tile, the ends of the loop, the number of a buffer."""
    name, n = wanted, 1
    while any(f"{name}{end}" in taken for end in ("", "_valid", "_begin", "_end", "_slot")):
        n += 1
        name = f"{wanted}_{n}"
    return name


class FreeNames:
    """Gives names that no value, dim, attr or output of a program has, each once."""

    def __init__(self, program: Program) -> None:
        self._taken = names_of(program)

    def take(self, wanted: str) -> str:
        """``wanted``, with a number where it is taken."""
        name, n = wanted, 1
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        return name
