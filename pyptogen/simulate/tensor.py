"""Runs a Tensor program on numpy arrays: the golden reference of an operator."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import sympy

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.expr import RELATIONS
from pyptogen.lower.tensor.ir import BINARY, REDUCE, UNARY, Loop, Op, Operand, Program, Scalar, Value
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.passes.host_scalars import as_number
from pyptogen.lower.tensor.program_names import element_symbol, scalar_symbol, start_symbol
from pyptogen.lower.tensor.reading import conditions
from pyptogen.numerics import operations as numerics
from pyptogen.numerics import selection as numerics_selection
from pyptogen.numerics.operations import Array
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.simulate.arithmetic import AS_DECLARED, AsDeclared
from pyptogen.simulate.bind_dims import bind_dims
from pyptogen.simulate.row_blocks import RowBlockRun, row_block_runs

_BLOCK_BYTES = 1 << 23
"""Size of the widest value of a block of rows: small enough to stay near the processor, large enough for
matmuls."""

Watch = Callable[[Op, list[Any], Array, Callable[[list[Any]], Array]], None]
"""Is told of every operation that was done: its operands, its result, and how to do it with other operands."""


def interpret(
    program: Program,
    arrays: Mapping[str, Array],
    attrs: Mapping[str, float | int] | None = None,
    *,
    watch: Watch | None = None,
    arithmetic: AsDeclared = AS_DECLARED,
) -> dict[str, Array]:
    """Outputs by contract name, in-place ones as new arrays; the inputs are not changed.

    ``arrays`` has every input by name, with the contract's shape and dtype (nz weights in their logical
    shape); an attr that is not given has its default. ``watch`` sees each operation, those of large tensors once for
    each block of rows; ``arithmetic`` says in which formats they are done. Raises PTG402, PTG404 or
    PTG405 for arrays that do not fit.
    """
    run = _Run(program, arrays, attrs or {}, watch, arithmetic)
    with np.errstate(all="ignore"):
        return run.outputs()


class _Run:
    def __init__(
        self,
        program: Program,
        arrays: Mapping[str, Array],
        attrs: Mapping[str, float | int],
        watch: Watch | None = None,
        arithmetic: AsDeclared = AS_DECLARED,
    ) -> None:
        self._program, self._watch, self._arithmetic = program, watch, arithmetic
        self._arrays, self._attrs = arrays, attrs
        self._kernels: dict[str, dict[str, Array]] = {}
        self._dims = dim_table(program)
        self._values: dict[str, Array] = {value.name: _input(value, arrays) for value in program.inputs}
        self._sizes = bind_dims(program, self._dims, self._values)
        for attr in (attr for attr in program.attrs if attr.definition is None):
            value = attrs.get(attr.name, attr.default)
            if value is None:
                raise fault("PTG404", f"the attr `{attr.name}` is not given and has no default", attr.span)
            self._sizes[self._dims.symbols[attr.name]] = sympy.sympify(value)
        self._read = {
            scalar_symbol(v.name, v.dtype): sympy.sympify(self._values[v.name].reshape(-1)[0].item())
            for v in conditions.inputs_read(program)
        }
        self._values = {name: arithmetic.given(array) for name, array in self._values.items()}
        self._runs = {s.name: s.condition is None or self._holds(s.condition) for s in program.stages}
        self._numbers: dict[Any, Any] = {}
        self._gathered: dict[str, Array] = {}
        """What loops collected, by the name of the result."""
        self._start = 0
        """Inside a loop: where this iteration's block begins."""

    def outputs(self) -> dict[str, Array]:
        """Runs everything, keeping only what later operations need."""
        pieces = row_block_runs(self._program)
        for index, piece in enumerate(pieces):
            later = {v.name for other in pieces[index + 1 :] for op in other.ops for v in _tensors(op.operands)}
            keep = later | {value.name for _, value in self._program.outputs}
            if piece.ops[0].kind == "either":
                self._either(piece.ops[0])
            elif self._runs[piece.ops[0].stage]:
                self._row_block_run(piece, keep)
            for name in [name for name in self._values if name not in keep]:
                del self._values[name]
        return {name: self._values[value.name] for name, value in self._program.outputs}

    def _holds(self, condition: Any) -> bool:
        """Whether a condition holds in this call."""
        return bool(self._dims.resolve_condition(condition).xreplace({**self._sizes, **self._read}))

    def _either(self, op: Op) -> None:
        held = (v for v, c in zip(_tensors(op.operands), op.attrs["conditions"], strict=True) if self._holds(c))
        chosen = next(held, None)
        if chosen is not None:
            self._values[op.result.name] = self._values[chosen.name]

    def _loop(self, loop: Loop, ops: tuple[Op, ...]) -> None:
        """The iterations of a loop. Afterwards the carries are what the last iteration made them, or the starts where
        there was none."""
        over, block = (self._dims.symbols[name] for name in (loop.over, loop.block.name))
        carries = [op for op in ops if op.kind == "carry"]
        state = {op.result.name: self._values[v.name] for op in carries for v in _tensors(op.operands)}
        gathered = [op for op in self._program.ops if op.kind == "collected" and op.attrs["loop"] == loop.name]
        parts: dict[str, list[Array]] = {op.result.name: [] for op in gathered}
        for start in range(0, self._number(over), loop.tile):
            self._sizes[block] = sympy.Integer(min(loop.tile, self._number(over) - start))
            self._numbers.clear()
            self._start = start
            values = {**self._values, **state}
            holds: Any = True
            for op in ops:
                if op.kind == "only":
                    holds = self._takes_place(op, values)
                    if not np.any(holds):
                        break
                elif op.kind != "carry":
                    values[op.result.name] = self._op(op, values, {}, None)
            if not np.any(holds):
                continue
            for op in gathered:
                part = values[_tensors(op.operands)[0].name]
                parts[op.result.name].append(np.expand_dims(part, 0) if op.attrs["stacked"] else part)
            state = {carry: np.where(holds, values[after], state[carry]) for carry, after in loop.carried}
        self._numbers.clear()
        for op in gathered:
            empty = np.empty(self._shape(op.result), self._arithmetic.dtype(op.result.dtype))
            self._gathered[op.result.name] = np.concatenate(parts[op.result.name] or [empty], axis=op.attrs["axis"])
        self._values |= state

    def _takes_place(self, op: Op, values: Mapping[str, Array]) -> Any:
        """Whether an iteration takes place; an array where that differs between rows of the carried values."""
        known = {element_symbol(at): values[v.name].astype(np.int64) for at, v in enumerate(_tensors(op.operands))}
        holds: Any = True
        for left, relation, right in op.attrs["comparisons"]:
            sides = (self._side(side, op.loop, known) for side in (left, right))
            holds = holds & RELATIONS[relation](*sides)
        return holds

    def _side(self, side: Any, loop: str, elements: Mapping[Any, Array]) -> Any:
        over = next(found.over for found in self._program.loops if found.name == loop)
        expr = self._dims.resolve(side).xreplace({**self._sizes, start_symbol(over): sympy.Integer(self._start)})
        names = sorted(expr.free_symbols, key=str)
        return sympy.lambdify(names, expr, modules="numpy")(*(elements[name] for name in names))

    def _row_block_run(self, piece: RowBlockRun, keep: set[str]) -> None:
        if piece.loop is not None:
            self._loop(piece.loop, piece.ops)
            return
        produced = [op.result for op in piece.ops if op.result.name in keep]
        rows = self._number(piece.rows) if piece.rows is not None else 1
        step = self._rows_per_block(piece) if piece.rows is not None else rows
        right = self._right_operands(piece)
        if step >= rows:
            self._values.update(self._block(piece.ops, self._values, right, produced))
            return
        results = {value.name: np.empty(self._shape(value), self._arithmetic.dtype(value.dtype)) for value in produced}
        for start in range(0, rows, step):
            stop = min(start + step, rows)
            inputs = {
                name: array[start:stop] if name in piece.batched else array for name, array in self._values.items()
            }
            for name, array in self._block(piece.ops, inputs, right, produced, rows=(piece.rows, stop - start)).items():
                results[name][start:stop] = array
        self._values.update(results)

    def _rows_per_block(self, piece: RowBlockRun) -> int:
        rows = int(self._number(piece.rows))
        widest = max(
            int(np.prod(self._shape(op.result))) * self._arithmetic.dtype(op.result.dtype).itemsize for op in piece.ops
        )
        return max(1, rows * _BLOCK_BYTES // max(widest, 1))

    def _right_operands(self, piece: RowBlockRun) -> dict[str, Array]:
        """Right operands of matmuls that are there before the run, converted once for all blocks."""
        names = {op.operands[1].name for op in piece.ops if op.kind == "matmul" and isinstance(op.operands[1], Value)}
        return {name: numerics.prepare_right(self._values[name]) for name in sorted(names) if name in self._values}

    def _block(
        self,
        ops: tuple[Op, ...],
        inputs: Mapping[str, Array],
        right: Mapping[str, Array],
        produced: Iterable[Value],
        rows: tuple[Any, int] | None = None,
    ) -> dict[str, Array]:
        """Runs ``ops`` on one block of rows and gives the values of ``produced``."""
        wanted = {value.name for value in produced}
        last = {value.name: index for index, op in enumerate(ops) for value in _tensors(op.operands)}
        values = dict(inputs)
        for index, op in enumerate(ops):
            values[op.result.name] = self._op(op, values, right, rows)
            for value in _tensors(op.operands):
                if last[value.name] == index and value.name not in wanted:
                    values.pop(value.name, None)
        return {name: values[name] for name in sorted(wanted)}

    def _op(
        self, op: Op, values: Mapping[str, Array], right: Mapping[str, Array], rows: tuple[Any, int] | None
    ) -> Array:
        if op.kind == "collected":
            return self._gathered.pop(op.result.name)
        if op.kind == "carried":
            # Only the carry has the last state: its next value may be another carry, or one from outside of the loop.
            operands: list[Any] = [values[_tensors(op.operands)[0].name]] * 2
        else:
            operands = [values[o.name] if isinstance(o, Value) else self._number(o.expr) for o in op.operands]

        def apply(others: list[Any], dtype: np.dtype[Any]) -> Array:
            return self._apply(op, others, right if others is operands else {}, rows, dtype)

        result = self._arithmetic.result(op, operands, apply)
        if self._watch is not None:
            self._watch(op, operands, result, lambda others: apply(others, self._arithmetic.dtype(op.result.dtype)))
        return result

    def _apply(
        self,
        op: Op,
        operands: list[Any],
        right: Mapping[str, Array],
        rows: tuple[Any, int] | None,
        dtype: np.dtype[Any],
    ) -> Array:
        if op.kind == "bitwise_not":
            return np.asarray(np.invert(operands[0]))
        if op.kind in UNARY:
            return numerics.unary(op.kind, operands[0], dtype)
        if op.kind in BINARY:
            return numerics.binary(op.kind, operands[0], operands[1], dtype)
        if op.kind in REDUCE:
            return numerics.reduce(op.kind, operands[0], op.attrs["axis"], dtype)
        if op.kind == "cast":
            return numerics.cast(operands[0], dtype, op.attrs["mode"], op.attrs["saturate"])
        if op.kind == "matmul":
            name = op.operands[1].name if isinstance(op.operands[1], Value) else ""
            prepared = right[name] if name in right else numerics.prepare_right(operands[1])
            return numerics.matmul(operands[0], prepared, dtype)
        if op.kind == "scatter_update":
            return self._scatter(op, operands)
        if op.kind == "carried":
            return np.asarray(operands[0])
        if op.kind == "by_hand":
            return self._by_hand(op, operands)
        if op.kind == "full":
            return np.full(self._shape(op.result), self._number(op.attrs["value"]), dtype)
        if op.kind == "positions":
            shape = self._shape(op.result)
            block = any(size.name.endswith(".tile") for axis in op.result.shape for size in axis.free_symbols)
            first = self._number(op.attrs["start"]) + (self._start if block and not op.attrs["in_block"] else 0)
            return np.arange(first, first + shape[0], dtype=dtype).reshape(shape)
        if op.kind in numerics_selection.KINDS:
            return self._selection(op, operands, dtype)
        return self._view(op, operands, rows)

    def _by_hand(self, op: Op, operands: list[Any]) -> Array:
        """One result of a kernel that is its own meaning; the kernel runs once for all of them."""

        name = str(op.attrs["kernel"])
        if name not in self._kernels:
            read = {v.name: x for v, x in zip(_tensors(op.operands), operands, strict=True)}
            from pyptogen.simulate import by_hand

            self._kernels[name] = by_hand.run(self._program, name, {**self._arrays, **read}, self._attrs)
        return self._kernels[name][str(op.attrs["output"])]

    def _selection(self, op: Op, operands: list[Any], dtype: np.dtype[Any]) -> Array:
        attrs = {name: self._number(x) if hasattr(x, "free_symbols") else x for name, x in op.attrs.items()}
        try:
            return numerics_selection.compute(op.kind, operands, attrs, self._shape(op.result), dtype)
        except IndexError as error:
            raise self._out_of_range(op, error) from None

    def _view(self, op: Op, operands: list[Any], rows: tuple[Any, int] | None) -> Array:
        x: Array = operands[0]
        if op.kind == "concat":
            return np.asarray(np.concatenate(operands, axis=op.attrs["axis"]))
        if op.kind == "transpose":
            return np.swapaxes(x, -1, -2)
        if op.kind == "block":
            window = slice(self._start, self._start + self._number(op.result.shape[op.attrs["axis"]]))
            block: Array = x[(slice(None),) * op.attrs["axis"] + (window,)]
            return block
        if op.kind == "slice":
            window = slice(self._number(op.attrs["start"]), self._number(op.attrs["stop"]))
            part: Array = x[(slice(None),) * op.attrs["axis"] + (window,)]
            return part
        if op.kind == "unfold":
            count, size = (self._number(op.result.shape[axis]) for axis in (op.attrs["axis"], -1))
            at = np.add.outer(op.attrs["step"] * np.arange(count), op.attrs["dilation"] * np.arange(size))
            return np.moveaxis(np.take(x, at, axis=op.attrs["axis"]), op.attrs["axis"] + 1, -1)
        shape = self._shape(op.result)
        if rows is not None and op.result.shape and op.result.shape[0] == rows[0]:
            shape = (rows[1], *shape[1:])
        return x.reshape(shape)

    def _scatter(self, op: Op, operands: list[Any]) -> Array:
        try:
            return numerics.scatter_update(operands[0], operands[1], operands[2], op.attrs["dim"])
        except IndexError as error:
            raise self._out_of_range(op, error) from None

    @staticmethod
    def _out_of_range(op: Op, error: IndexError) -> DiagnosticError:
        index = op.operands[1]
        name = index.name if isinstance(index, Value) else "index"
        expected = "-1, or a row that exists" if op.kind == "scatter_update" else "the index of a row that exists"
        return fault("PTG408", f"`{name}` has an index out of range: {error}", op.span, expected=expected)

    def _shape(self, value: Value) -> tuple[int, ...]:
        return tuple(self._number(size) for size in value.shape)

    def _number(self, expr: Any) -> Any:
        """An expression of dims and attrs as a Python number."""
        if expr not in self._numbers:
            value = self._dims.resolve(expr).xreplace(self._sizes)
            self._numbers[expr] = as_number(value)
        return self._numbers[expr]


def _input(value: Value, arrays: Mapping[str, Array]) -> Array:
    if value.name not in arrays:
        raise fault("PTG404", f"the input `{value.name}` is not given", value.span)
    array = np.asarray(arrays[value.name])
    if array.dtype != NUMPY_DTYPES[value.dtype]:
        raise fault("PTG403", f"`{value.name}` is {array.dtype}", value.span, expected=value.dtype)
    return array


def _tensors(operands: Iterable[Operand]) -> list[Value]:
    return [operand for operand in operands if not isinstance(operand, Scalar)]
