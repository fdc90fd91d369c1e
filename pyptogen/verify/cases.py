"""Running one case: example inputs, the golden of the Tensor level, the compiled operator, verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyptogen.verify.compare import Verdict, compare
from pyptogen.verify.inputs import case_dims
from pyptogen.verify.tolerance import tolerances

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One verified case. ``seconds`` is the time that the operator took in native code."""

    dims: Mapping[str, int]
    verdicts: tuple[Verdict, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)


def verify_case(operator: CompiledOperator, dims: Mapping[str, int], seed: int = 7) -> CaseResult:
    """Run ``operator`` once on example inputs and judge every output against the golden.

    ``dims`` not given come from the first case of the spec. Raises ``DiagnosticError`` for sizes that the
    spec does not allow.
    """
    sizes = case_dims(operator.spec, operator.program, dims)
    inputs = operator.example_inputs(seed=seed, **sizes)
    # The golden comes first: the operator updates its in-place inputs.
    expected = operator.golden(**inputs)._asdict()
    actual = operator(**inputs)._asdict()
    verdicts = compare(actual, expected, tolerances(operator.spec, operator.program))
    return CaseResult(sizes, verdicts, operator.last_run)
