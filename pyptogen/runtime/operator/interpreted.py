"""Operators without a compiler: their kernels are executed in numpy, instruction by instruction."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import fault
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.runtime.arrays.arguments import named_outputs
from pyptogen.runtime.native.binding import RunError
from pyptogen.runtime.operator.compiled import CompiledOperator

if TYPE_CHECKING:
    from pyptogen.lower.artifacts import Lowered
    from pyptogen.lower.tensor.ir import Program
    from pyptogen.schema.spec import Spec


class InterpretedWarning(UserWarning):
    """An operator is interpreted because there is no compiler."""


class InterpretedOperator(CompiledOperator):
    """An operator whose kernels run in numpy, hundreds of times slower than compiled ones. It is called as they are;
    chips, traces and PyTorch do not take it."""

    def __init__(self, spec: Spec, program: Program, target: str, lowered: Lowered) -> None:
        super().__init__(spec, program, target, Path(), 1)
        self.lowered = lowered

    def _loaded(self) -> int:
        return 0  # no native code

    def require_native(self, who: str) -> None:
        """Raises PTG501."""
        raise fault(
            "PTG501",
            f"`{self.contract.name}` is interpreted, and {who} takes compiled operators",
            None,
            expected="an operator that a C++ compiler made",
            fix="install a compiler, or `pip install 'pyptogen[compiler]'`, and leave `interpret` out",
        )

    def __call__(self, *, out: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """Run the operator. Parameters and faults are those of a compiled one; ``RunError`` where a kernel does what no
        machine may do."""
        from pyptogen.simulate.fault import MachineFault
        from pyptogen.simulate.graph import interpret
        from pyptogen.simulate.tensor import interpret as tensor_level

        begin = time.perf_counter()
        results = self.bind(arguments, dict(named_outputs(self.contract, out)) or None).results
        given = self._elements(arguments)
        if len(self.rules.indices) > len(self.rules.bounds):  # kernels say of these that they are wrong, and go on
            tensor_level(self.program, *given)
        try:
            outputs = interpret(self.lowered, *given)
        except MachineFault as error:
            raise RunError(f"`{self.contract.name}`, interpreted: {error}") from None
        for tensor, result in zip(self.contract.outputs, results, strict=True):
            value = tensor.in_bytes(outputs[tensor.name])
            if isinstance(result, PackedWeight):
                result.data[...] = pack(value, target=self.target).data
            else:
                result[...] = value
        self.last_run = time.perf_counter() - begin
        return results

    def __reduce__(self) -> tuple[Any, ...]:
        """Its spec: another process may have a compiler."""
        import pyptogen

        return pyptogen.compile, (self.spec, self.target)


def interpreted(spec: Spec, program: Program, target: str) -> InterpretedOperator | None:
    """An operator without a compiler; None where a kernel was written in C++, which only a compiler understands."""
    from pyptogen.codegen import lowered

    made = lowered(program, target)
    if any(made.by_hand.source(kernel.name) for kernel in made.walked):
        return None
    return InterpretedOperator(spec, program, target, made)


def warn_of(operator: InterpretedOperator) -> None:
    """Says once for each place that calls ``compile`` what that costs."""
    warnings.warn(
        f"there is no C++ compiler: the kernels of `{operator.contract.name}` are interpreted, hundreds of times "
        "slower. `pip install 'pyptogen[compiler]'` brings a compiler",
        InterpretedWarning,
        stacklevel=3,
    )
