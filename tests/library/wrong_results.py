"""Wrong results of an operator, made of its golden: what a kernel with a common fault would give.

No kernel runs here. A result is edited, or the Tensor program does one of its operations in another way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from pyptogen.diagnostics import DiagnosticError
from pyptogen.inputs.sizes import evaluate, resolve_dims
from pyptogen.lower.tensor.ir import PRODUCTS, Op, Program, Scalar, Value
from pyptogen.numpy_dtypes import NUMPY_DTYPES, rounded_to
from pyptogen.simulate.arithmetic import Apply, AsDeclared
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.last_place import FLOATS
from pyptogen.verify.neighbourhoods import as_float64
from pyptogen.verify.ways import ways

Array = np.ndarray[Any, Any]
LONG = 256
"""Terms of a sum before which a rounding too many is looked for."""
_TILE = 128

MUTATIONS: Mapping[str, str] = {
    "scaled": "scaled by 1.01; by 1.05 where floats of eight bits or fewer lie on the way",
    "step": "whole numbers that were rounded: one step in 1 % of the elements",
    "tail": "the last row of a tail left as it was: zeros, or in place the old row",
    "part of a sum": "one tile of K (128 terms, or a quarter) left out of a product or sum",
    "key": "one key more is seen, or one fewer: a mask's border moved by one, a masked element not masked",
    "bias or eps": "an added row or constant dropped",
    "heads": "two heads exchanged",
    "bf16": "rounding to bf16 one time too many before a sum or product of 256 terms or more",
}


@dataclass(frozen=True, slots=True)
class Wrong:
    """One wrong result: the kind of fault, the operation or axis that has it, and the outputs that it makes."""

    mutation: str
    place: str
    outputs: Mapping[str, Array]


def wrong_results(
    program: Program,
    inputs: Mapping[str, Array],
    attrs: Mapping[str, Any],
    golden: Mapping[str, Array],
    dims: Mapping[str, int],
) -> Iterator[Wrong]:
    """All that this program and its data, of these ``dims``, have a place for."""
    sizes = resolve_dims(program, dims)
    sizes |= {loop.block.name: min(loop.tile, sizes[loop.over]) for loop in program.loops}
    yield from _edited_results(program, inputs, golden)
    for op in program.ops:
        for mutation, edit in _edits(op, program, sizes):
            try:
                outputs = interpret(program, inputs, attrs, arithmetic=_Edited(op, edit))
            except DiagnosticError as error:
                if {found.code for found in error.diagnostics} != {"PTG408"}:
                    raise
                continue  # an index that the fault puts out of range: the call says so, and there is no result
            yield Wrong(mutation, op.result.name, outputs)


Edit = Callable[[list[Any], Callable[[list[Any]], Array]], Array]
"""Does an operation wrongly: gets its operands, and how it is done."""


class _Edited(AsDeclared):
    """One operation done otherwise."""

    def __init__(self, op: Op, edit: Edit) -> None:
        self._name, self._edit = op.result.name, edit

    def result(self, op: Op, operands: list[Any], apply: Apply) -> Array:
        dtype = NUMPY_DTYPES[op.result.dtype]
        if op.result.name != self._name:
            return apply(operands, dtype)
        return self._edit(operands, lambda others: apply(others, dtype))


def _edits(op: Op, program: Program, sizes: Mapping[str, int]) -> Iterator[tuple[str, Edit]]:
    if op.kind in PRODUCTS or op.kind == "sum":
        axis = -1 if op.kind in PRODUCTS else int(op.attrs["axis"])
        yield "part of a sum", lambda x, do: do([_without_a_tile(x[0], axis), *x[1:]])
        long = _length(op, axis, sizes) >= LONG
        if long and any(isinstance(v, Value) and v.dtype in ("fp32", "fp16") for v in op.operands[:2]):
            yield "bf16", lambda x, do: do([*map(_through_bf16, x[:2]), *x[2:]])
    if op.kind in ("add", "sub", "maximum"):
        yield from _without_addend(op, program)
    if op.kind == "where":
        yield "key", lambda x, do: do([_one_more(x[0]), *x[1:]])


def _length(op: Op, axis: int, sizes: Mapping[str, int]) -> int:
    value = op.operands[0]
    assert isinstance(value, Value)
    return evaluate(value.shape[axis], sizes)


def _without_a_tile(x: Array, axis: int) -> Array:
    length = x.shape[axis]
    tile = min(_TILE, max(1, length // 4))
    window = [slice(None)] * x.ndim
    window[axis] = slice(length - tile, length)
    short = x.copy()
    short[tuple(window)] = np.zeros((), np.uint8).view(x.dtype) if x.dtype.itemsize == 1 else 0
    return short


def _through_bf16(x: Any) -> Any:
    if isinstance(x, np.ndarray) and x.dtype in (np.dtype(np.float32), np.dtype(np.float16)):
        return x.astype(np.float32).astype(ml_dtypes.bfloat16).astype(x.dtype)
    return x


def _without_addend(op: Op, program: Program) -> Iterator[tuple[str, Edit]]:
    for at, operand in enumerate(op.operands):
        other = op.operands[1 - at]
        if not isinstance(other, Value) or (op.kind == "sub" and at == 0):
            continue
        if isinstance(operand, Scalar):
            value = _number(operand, program)
            if op.kind != "maximum" and value is not None and abs(value) % 1 == 0.5:
                for step in (1, -1):
                    yield "key", _with_scalar(at, step)
            elif value is not None and 0 < abs(value) <= 1e-4:
                yield "bias or eps", _only(1 - at, op)
        elif op.kind == "add" and _is_row(operand, op, program):
            yield "bias or eps", _only(1 - at, op)


def _number(scalar: Scalar, program: Program) -> float | None:
    defaults = {attr.name: attr.default for attr in program.attrs}
    known = {symbol: defaults.get(str(symbol)) for symbol in scalar.expr.free_symbols}
    if any(value is None for value in known.values()):
        return None
    return float(scalar.expr.subs(known))


def _with_scalar(at: int, step: int) -> Edit:
    return lambda x, do: do([operand + step if index == at else operand for index, operand in enumerate(x)])


def _only(at: int, op: Op) -> Edit:
    def left(x: list[Any], do: Callable[[list[Any]], Array]) -> Array:
        whole = do(x)
        return np.array(np.broadcast_to(x[at], whole.shape)).astype(whole.dtype)

    return left


def _is_row(value: Value, op: Op, program: Program) -> bool:
    """Whether an operand is the same for all rows, and comes from an input alone."""
    return value.shape != op.result.shape and any("bias" in name or "beta" in name for name in _sources(value, program))


def _sources(value: Value, program: Program) -> set[str]:
    """The inputs that a value is made of."""
    by_name = {op.result.name: op for op in program.ops}
    found, pending = set(), [value.name]
    while pending:
        name = pending.pop()
        if name in by_name:
            pending += [v.name for v in by_name[name].operands if isinstance(v, Value)]
        else:
            found.add(name)
    return found


def _one_more(condition: Array) -> Array:
    """In every row the first element that was masked is seen."""
    seen = condition.reshape(-1, condition.shape[-1]).copy()
    masked = ~seen
    rows = np.flatnonzero(masked.any(axis=1))
    seen[rows, np.argmax(masked[rows], axis=1)] = True
    return seen.reshape(condition.shape)


def _edited_results(program: Program, inputs: Mapping[str, Array], golden: Mapping[str, Array]) -> Iterator[Wrong]:
    way = ways(program)
    dynamic = {dim.name for dim in program.dims if dim.value is None}
    for name, value in program.outputs:
        wanted = golden[name]
        if value.dtype in FLOATS:
            by = 1.05 if way[name].narrow else 1.01
            yield Wrong("scaled", name, {name: rounded_to((as_float64(wanted) * by), wanted.dtype)})
        elif way[name].rounded:
            yield Wrong("step", name, {name: _stepped(wanted)})
        old = inputs[program.inplace[name]] if name in program.inplace else np.zeros_like(wanted)
        axis = next((a for a, s in enumerate(value.shape) if {str(x) for x in s.free_symbols} & dynamic), None)
        if axis is not None:
            yield Wrong("tail", name, {name: _forgotten(wanted, old, axis)})
        for what, other in _exchanges(value, wanted, dynamic):
            yield Wrong("heads", what, {name: other})


def _stepped(wanted: Array) -> Array:
    flat = wanted.reshape(-1).copy()
    at = np.arange(0, flat.size, 100)
    flat[at] = np.where(flat[at] > 0, flat[at] - 1, flat[at] + 1).astype(flat.dtype)
    return flat.reshape(wanted.shape)


def _forgotten(wanted: Array, old: Array, axis: int) -> Array:
    """The last row that was written is what it was before."""
    moved, before = np.moveaxis(wanted.copy(), axis, 0), np.moveaxis(old, axis, 0)
    written = [row for row in range(len(moved)) if moved[row].tobytes() != before[row].tobytes()]
    if written:
        moved[written[-1]] = before[written[-1]]
    return np.moveaxis(moved, 0, axis)


def _exchanges(value: Value, wanted: Array, dynamic: set[str]) -> Iterator[tuple[str, Array]]:
    """Heads are a static axis that is not the last one, or the first factor of a last axis that is a product."""
    for axis, size in enumerate(value.shape[:-1]):
        if not {str(symbol) for symbol in size.free_symbols} & dynamic and wanted.shape[axis] > 1:
            order = [1, 0, *range(2, wanted.shape[axis])]
            yield f"{value.name}, axis {axis}", np.take(wanted, order, axis)
