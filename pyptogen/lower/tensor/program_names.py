"""Names of a program: the symbol of a dim, and names that nothing has yet."""

from __future__ import annotations

from typing import Any

from pyptogen.lower.tensor.ir import Program


def dim_symbol(name: str) -> Any:
    """The sympy symbol that stands for a dim in shapes."""
    import sympy

    return sympy.Symbol(name, integer=True, positive=True)


class FreeNames:
    """Gives names that no value, dim, attr or output of a program has, each once."""

    def __init__(self, program: Program) -> None:
        self._taken = {value.name for value in program.inputs} | {op.result.name for op in program.ops}
        self._taken |= {name for name, _ in program.outputs} | {attr.name for attr in program.attrs}
        self._taken |= {dim.name for dim in program.dims}

    def take(self, wanted: str) -> str:
        """``wanted``, with a number where it is taken."""
        name, n = wanted, 1
        while name in self._taken:
            n += 1
            name = f"{wanted}_{n}"
        self._taken.add(name)
        return name
