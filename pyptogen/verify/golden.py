"""The reference that a case is judged by: the Tensor level, or a function of the spec's author."""

from __future__ import annotations

import importlib.util
import inspect
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.hifloat8 import HIF8, to_hif8
from pyptogen.numpy_dtypes import in_bytes

if TYPE_CHECKING:
    import numpy.typing as npt

    from pyptogen.runtime import CompiledOperator
    from pyptogen.schema.spec import GoldenSpec


def golden(operator: CompiledOperator, inputs: Mapping[str, Any]) -> dict[str, npt.NDArray[Any]]:
    """The outputs to be expected, by name, for example inputs; these stay as they are.

    Raises PTG409 when the author's function fails or gives something else than the outputs.
    """
    own = operator.spec.verify.golden
    if own is None:
        found: dict[str, npt.NDArray[Any]] = operator.golden(**inputs)._asdict()
        return found
    function = _load(own)
    defaults = {attr.name: attr.default for attr in operator.program.attrs}
    arguments = {**defaults, **{name: np.array(array) for name, array in inputs.items()}}
    try:
        given = function(**_wanted(function, arguments))
    except Exception as error:  # whatever the author's code raises is a finding in that code
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{frame.filename}:{frame.lineno}"
        raise _fault(own, f"failed at {place}: {type(error).__name__}: {error}") from error
    names = [name for name, _ in operator.program.outputs]
    return _outputs(operator, own, _by_name(own, given, names), inputs)


def _load(own: GoldenSpec) -> Callable[..., Any]:
    spec = importlib.util.spec_from_file_location("pyptogen_golden", own.file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True  # no __pycache__ beside specs
    try:
        spec.loader.exec_module(module)
    except Exception as error:  # as above
        raise _fault(own, f"could not be read: {type(error).__name__}: {error}") from error
    finally:
        sys.dont_write_bytecode = written
    function: Callable[..., Any] = getattr(module, own.function)
    return function


def _wanted(function: Callable[..., Any], arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Those of the inputs and attrs that the function has parameters for."""
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return dict(arguments)
    return {p.name: arguments[p.name] for p in parameters if p.name in arguments}


def _by_name(own: GoldenSpec, given: Any, names: list[str]) -> dict[str, Any]:
    """A mapping by output, a tuple in their order, or the only one."""
    if isinstance(given, Mapping):
        found = dict(given)
    else:
        results = given if isinstance(given, tuple) else (given,)
        if len(results) != len(names):
            raise _fault(own, f"gives {len(results)} results for {len(names)} outputs")
        found = dict(zip(names, results, strict=True))
    if set(found) != set(names):
        raise _fault(own, f"gives {', '.join(map(str, found))}, and the outputs are {', '.join(names)}")
    return {name: found[name] for name in names}


def _outputs(
    operator: CompiledOperator, own: GoldenSpec, found: Mapping[str, Any], inputs: Mapping[str, Any]
) -> dict[str, npt.NDArray[Any]]:
    """The results in the dtypes of the contract."""
    contract = operator.contract
    extents = contract.output_extents(*contract.bind(dict(inputs)).values())
    results = {}
    for tensor, extent in zip(contract.outputs, extents, strict=True):
        shape = extent[: len(tensor.shape)]
        array = np.asarray(found[tensor.name])
        if tensor.packed is not None and array.shape[-1:] == (2 * shape[-1],):
            array = in_bytes(array.astype(tensor.packed))
        elif tensor.packed == HIF8 and array.dtype != np.uint8:
            array = in_bytes(array if array.dtype == HIF8 else to_hif8(array))
        if array.shape != shape:
            raise _fault(own, f"gives `{tensor.name}` the shape {list(array.shape)}, not {list(shape)}")
        results[tensor.name] = array.astype(tensor.dtype)
    return results


def _fault(own: GoldenSpec, what: str) -> DiagnosticError:
    return fault(
        "PTG409",
        f"the golden `{own.function}` {what}",
        own.span,
        expected="a function of inputs and attrs by name that gives all outputs: by name, in order, or the only one",
    )
