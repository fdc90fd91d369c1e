"""Running one case: example inputs, the golden of the Tensor level, the compiled operator, verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.inputs.example import laid_out
from pyptogen.inputs.sizes import case_dims, resolve_dims
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.lower.tensor.ir import BY_BYTES
from pyptogen.numpy_dtypes import numbers, numpy_dtype, out_of_bytes
from pyptogen.records import dataclass, replace
from pyptogen.verify.compare import Verdict, compare
from pyptogen.verify.golden import golden
from pyptogen.verify.spread import spreads
from pyptogen.verify.tolerance import Derived, tolerances

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.runtime import CompiledOperator


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One verified case. ``seconds`` is the time that the operator took in native code, in its second run where there
    was one: the first also pays for fresh memory and for threads that start."""

    dims: Mapping[str, int]
    verdicts: tuple[Verdict, ...]
    seconds: float

    @property
    def passed(self) -> bool:
        return all(verdict.passed for verdict in self.verdicts)


def verify_case(
    operator: CompiledOperator,
    dims: Mapping[str, int],
    seed: int = 7,
    *,
    run: Callable[..., Any] | None = None,
    again: bool = False,
) -> CaseResult:
    """Run ``operator`` on example inputs and judge every output against the golden.

    ``dims`` not given come from a case of the spec. ``run`` makes the run in place of the operator itself; it takes the
    same arguments. With ``again`` it is run once more when all is judged, for its time. Raises ``DiagnosticError`` for
    sizes that the spec does not allow.
    """
    sizes = case_dims(operator.spec, operator.program, dims)
    inputs = operator.example_inputs(seed=seed, **sizes)
    # The golden comes first: the operator updates its in-place inputs.
    expected = golden(operator, inputs)
    fresh: dict[str, Any] = {
        name: _poisoned(array) for name, array in expected.items() if name not in operator.program.inplace
    }
    kept = {name: _unchanged(expected[name], inputs[source]) for name, source in operator.program.inplace.items()}
    known = resolve_dims(operator.program, sizes)
    for name, value in operator.program.laid_out.items():
        if name in fresh and value.layout == "nz":
            fresh[name] = pack(fresh[name], target=operator.target)
        elif name in fresh:
            fresh[name] = laid_out(value, fresh[name], known)
    actual = (run or operator)(**inputs, out=fresh)._asdict()
    actual = {name: got.unpack() if isinstance(got, PackedWeight) else got for name, got in actual.items()}
    for name, dtype in ((name, value.dtype) for name, value in operator.program.outputs if value.dtype in BY_BYTES):
        for given in (actual, expected):
            given[name] = numbers(out_of_bytes(given[name], numpy_dtype(dtype)))
    verdicts = judge(operator, actual, expected, lambda: operator.example_inputs(seed=seed, **sizes), kept)
    if again:
        (run or operator)(**inputs, out=fresh)
    return CaseResult(sizes, verdicts, operator.last_run)


def judge(
    operator: CompiledOperator,
    actual: Mapping[str, npt.NDArray[Any]],
    expected: Mapping[str, npt.NDArray[Any]],
    inputs: Callable[[], Mapping[str, Any]],
    kept: Mapping[str, npt.NDArray[np.bool_]] | None = None,
) -> tuple[Verdict, ...]:
    """Verdicts on results in elements. How far sound kernels are apart on this data is found out, from ``inputs``, only
    where results are not as near to the golden as they may be on any data."""
    allowed = tolerances(operator.spec, operator.program)
    verdicts = compare(actual, expected, allowed, kept)
    doubtful = [v for v in verdicts if not v.passed and not v.problem and not v.not_finite]
    tolerance = [allowed[v.output] for v in doubtful]
    if not any(isinstance(one, Derived) and one.way.errs for one in tolerance):
        return verdicts
    contract = operator.contract
    given = inputs()
    arrays = {tensor.name: tensor.elements(given[tensor.name]) for tensor in contract.inputs}
    attrs = dict(zip((attr.name for attr in contract.attrs), contract.bind_attrs({}), strict=True))
    own = operator.spec.verify.golden is not None
    found = spreads(operator.program, arrays, attrs, expected, own=own)
    for name, one in allowed.items():
        if isinstance(one, Derived):
            allowed[name] = replace(one, spread=found[name])
    return compare(actual, expected, allowed, kept)


def _unchanged(updated: npt.NDArray[Any], given: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """Rows that an update in place leaves as they were: there is nothing to be off in."""
    same = np.all(updated == given, axis=-1, keepdims=True) if updated.ndim else updated == given
    return np.array(np.broadcast_to(same, updated.shape))


def _poisoned(like: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """An array of this shape and dtype without a meaning: NaN, or one odd integer everywhere.

    Memory as it comes may still hold the right results of an earlier run, and would hide an element never
    written.
    """
    array: npt.NDArray[Any] = np.empty(like.shape, like.dtype)
    array.reshape(-1).view(np.uint8).fill(0xA5 if np.issubdtype(like.dtype, np.integer) else 0xFF)
    return array
