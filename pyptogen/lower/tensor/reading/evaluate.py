"""Expressions of the graph to primitives: names, operators, subscripts and calls."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sympy

from pyptogen.diagnostics import DiagnosticError, did_you_mean, fault
from pyptogen.lower.tensor.building import strided
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import show_shape
from pyptogen.lower.tensor.building.registry import Parameter, operations
from pyptogen.lower.tensor.building.rules import CAST_MODES
from pyptogen.lower.tensor.ir import DTYPES, Operand, Scalar, Value
from pyptogen.lower.tensor.reading.arguments import bind_arguments, bind_function
from pyptogen.lower.tensor.reading.operators import COMPARISONS, EXPANDED, PRIMITIVES
from pyptogen.lower.tensor.reading.other_names import meant
from pyptogen.lower.tensor.reading.scalars import (
    CONSTANTS,
    FUNCTIONS,
    arithmetic,
    call,
    check_right,
    not_allowed,
    number,
)
from pyptogen.lower.tensor.reading.size_of_numbers import within_reason
from pyptogen.records import dataclass
from pyptogen.schema import Expr, FunctionSpec
from pyptogen.schema.contract import suggest_dtype

_WORDS: Mapping[str, Mapping[str, Any]] = {
    "dtype": {name: name for name in DTYPES},
    "mode": {name: name for name in CAST_MODES},
    "reduction": {"none": "none", "add": "add"},
    "form": {"none": "none", "tanh": "tanh"},
    "flag": {"true": True, "false": False, "True": True, "False": False},
}
"""Words that arguments of these kinds may be."""

Result = Operand | tuple[Operand, ...]


@dataclass(frozen=True, slots=True)
class Scope:
    """What names mean where an expression stands. ``unknown`` makes the diagnostic for a name that means
    nothing."""

    values: Mapping[str, Operand]
    functions: Mapping[str, FunctionSpec]
    unknown: Callable[[str, Expr, ast.AST], DiagnosticError]
    calls: tuple[str, ...] = ()
    """Functions being inlined, outermost first."""
    block: tuple[str, Any] | None = None
    """Inside a loop: the dim that it is over, and the symbol of its block's size."""


class Evaluator:
    """Evaluates one expression in a scope; ``inline`` evaluates the body of a function of the spec."""

    def __init__(self, builder: Builder, scope: Scope, expr: Expr, inline: Callable[..., tuple[Operand, ...]]) -> None:
        self.b = builder
        self._scope = scope
        self._expr = expr
        self._inline = inline
        self._seen: dict[ast.expr, Operand] = {}
        """Arguments that were looked at before it was known what is called: nothing is evaluated twice."""

    def result(self) -> Result:
        """The expression's value, or values where it is a call of a function that returns several."""
        node = self._expr.node
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._scope.functions:
            results = self._call_function(node, self._scope.functions[node.func.id])
            return results if len(results) > 1 else results[0]
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in operations():
            with self.b.located(self._expr.span_of(node)):
                return self._call_operation(node, node.func.id)
        return self.operand(node)

    def operand(self, node: ast.expr) -> Operand:
        """A sub-expression as a tensor or a number."""
        if node in self._seen:
            return self._seen.pop(node)
        with self.b.located(self._expr.span_of(node)):
            return self._operand(node)

    def _operand(self, node: ast.expr) -> Operand:
        if isinstance(node, ast.Constant) and isinstance(node.value, int | float) and not isinstance(node.value, bool):
            return self.b.scalar(within_reason(number(node.value), self.b.at))
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner = self.operand(node.operand)
            if isinstance(node.op, ast.UAdd):
                return inner
            return self.b.unary("neg", inner) if isinstance(inner, Value) else Scalar(-inner.expr, self.b.at)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self._expanded("bitwise_not", self.tensor(node.operand, "what `~` turns"))
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Compare):
            return self._compare(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise not_allowed(self._expr, node)

    def _name(self, node: ast.Name) -> Operand:
        if node.id in CONSTANTS and node.id not in self._scope.values:
            return self.b.scalar(CONSTANTS[node.id])
        if node.id not in self._scope.values:
            raise self._scope.unknown(node.id, self._expr, node)
        found = self._scope.values[node.id]
        return found if isinstance(found, Value) else Scalar(found.expr, self.b.at)

    def tensor(self, node: ast.expr, what: str) -> Value:
        """A sub-expression that must be a tensor. Raises PTG220."""
        found = self.operand(node)
        if isinstance(found, Scalar):
            raise fault(
                "PTG220",
                f"{what} is a number",
                self._expr.span_of(node),
                expected="a tensor",
                fix="beside a tensor a number has its dtype, and needs no cast; `full([1], n, fp32)` is a tensor",
            )
        return found

    def scalar(self, node: ast.expr, what: str) -> Any:
        """A sub-expression that must be a number, as sympy. Raises PTG220."""
        found = self.operand(node)
        if isinstance(found, Value):
            raise fault(
                "PTG220",
                f"{what} is a tensor {found.dtype}{show_shape(found.shape)}",
                self._expr.span_of(node),
                expected="a number, or an expression of dims and attrs",
            )
        return found.expr

    def _binary(self, node: ast.BinOp) -> Operand:
        if isinstance(node.op, ast.MatMult):
            return self._expanded("matmul", *(self.tensor(side, "a side of `@`") for side in (node.left, node.right)))
        left, right = self.operand(node.left), self.operand(node.right)
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            check_right(node.op, right.expr, self._expr, node.right)
            folded = arithmetic(node.op, left.expr, right.expr)
            if folded is None:
                raise not_allowed(self._expr, node)
            return Scalar(within_reason(folded, self.b.at), self.b.at)
        if type(node.op) in EXPANDED:
            return self._expanded(EXPANDED[type(node.op)], left, right)
        return self.b.binary(PRIMITIVES[type(node.op)], left, right)

    def _expanded(self, operation: str, *operands: Operand) -> Operand:
        """What an operator means that is an operation of the registry."""
        called = operations()[operation]
        found: Operand = called.expand(self.b, *operands, *(p.default for p in called.parameters[len(operands) :]))
        return found

    def _compare(self, node: ast.Compare) -> Value:
        if len(node.ops) != 1 or type(node.ops[0]) not in COMPARISONS:
            raise self.b.fault(
                "PTG108",
                "this comparison has no meaning for tensors",
                expected="one of < <= > >= == != between two operands",
                fix="join two of them with `&`: `(a < b) & (b < c)`",
            )
        left, right = self.operand(node.left), self.operand(node.comparators[0])
        if isinstance(left, Scalar) and isinstance(right, Scalar):
            fix = "what sizes and attrs decide is said by `when` or `if` of a stage"
            raise self.b.fault("PTG220", "a comparison of two numbers", expected="a tensor on one side", fix=fix)
        return self.b.binary(COMPARISONS[type(node.ops[0])], left, right)

    def _attribute(self, node: ast.Attribute) -> Value:
        x = self.tensor(node.value, f"`{self._expr.text_of(node.value)}`")
        if node.attr != "T":
            raise self.b.fault("PTG108", f"a tensor has no `.{node.attr}`", expected="`.T`")
        if len(x.shape) != 2:
            raise self.b.fault(
                "PTG204",
                f"`.T` of {show_shape(x.shape)}",
                expected="a tensor of rank 2",
                fix="transpose(x, -2, -1)",
            )
        return self.b.transpose(x)

    # subscripts

    def _subscript(self, node: ast.Subscript) -> Value:
        x = self.tensor(node.value, f"`{self._expr.text_of(node.value)}`")
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        new_axes = sum(_is_none(item) for item in items)
        items = self._without_dots(items, len(x.shape) + new_axes)
        if len(items) - new_axes > len(x.shape):
            raise self.b.fault(
                "PTG204",
                f"{len(items) - new_axes} indices for a tensor of rank {len(x.shape)} {show_shape(x.shape)}",
                expected=f"at most {len(x.shape)}, besides None",
            )
        shape: list[Any] = []
        reshaped, axis = False, 0
        for item in items:
            if _is_none(item):
                shape.append(sympy.Integer(1))
                reshaped = True
                continue
            x, kept = self._index(x, axis, item)
            reshaped |= not kept
            shape += [x.shape[axis]] if kept else []
            axis += 1
        return self.b.reshape(x, (*shape, *x.shape[axis:])) if reshaped else x

    def _without_dots(self, items: list[ast.expr], rank: int) -> list[ast.expr]:
        """The indices with whole axes in place of `...`. Raises PTG108 for a second one."""
        dots = [at for at, item in enumerate(items) if isinstance(item, ast.Constant) and item.value is Ellipsis]
        if not dots:
            return items
        if len(dots) > 1:
            raise self.b.fault("PTG108", "`...` twice in one index", expected="one at most")
        whole: list[ast.expr] = [ast.Slice()] * (rank - len(items) + 1)
        return [*items[: dots[0]], *whole, *items[dots[0] + 1 :]]

    def _index(self, x: Value, axis: int, item: ast.expr) -> tuple[Value, bool]:
        """One index applied; False when it drops its axis."""
        extent = x.shape[axis]
        with self.b.located(self._expr.span_of(item)):
            if self._scope.block is not None and isinstance(item, ast.Name) and item.id == self._scope.block[0]:
                return self._block(x, axis, *self._scope.block), True
            if not isinstance(item, ast.Slice):
                at = self._from_end(self._place(item, axis), extent)
                return self.b.slice(x, axis, at, at + 1), False
            start = self._from_end(self.scalar(item.lower, "a bound"), extent) if item.lower else sympy.Integer(0)
            stop = self._from_end(self.scalar(item.upper, "a bound"), extent) if item.upper else extent
            if item.step is None:
                return self.b.slice(x, axis, start, stop), True
            step = self.b.dims.number(self.scalar(item.step, "a step"))
            if step is None or step < 1:
                what = f"the step `{self._expr.text_of(item.step)}` of a slice"
                raise self.b.fault("PTG215", what, expected="a positive whole number, known at build time")
            return strided.run(self.b, x, axis, start, stop, step), True

    def _place(self, item: ast.expr, axis: int) -> Any:
        """An index, which is a number. Raises PTG220."""
        found = self.operand(item)
        if isinstance(found, Scalar):
            return found.expr
        places = found.dtype in ("int32", "int64")
        raise fault(
            "PTG220",
            f"an index is a tensor {found.dtype}{show_shape(found.shape)}",
            self._expr.span_of(item),
            expected="a number, or an expression of dims and attrs",
            fix=f"`index_select(x, {axis}, {self._expr.text_of(item)})`" if places else "`where(mask, x, 0)`",
        )

    def _block(self, x: Value, axis: int, dim: str, size: Any) -> Value:
        """`x[dim]` inside a loop over `dim`. Raises PTG231."""
        if self.b.dims.equal(x.shape[axis], self.b.dims.symbols[dim]):
            return self.b.block(x, axis, size)
        if self.b.dims.equal(x.shape[axis], size):
            what = f"axis {axis} of {show_shape(x.shape)} is this iteration's block already"
            raise self.b.fault("PTG231", what, expected=f"an axis of size {dim}", fix=f"leave `[{dim}]` out")
        at = next((i for i, other in enumerate(x.shape) if self.b.dims.equal(other, self.b.dims.symbols[dim])), None)
        raise self.b.fault(
            "PTG231",
            f"axis {axis} of {show_shape(x.shape)} is not `{dim}`, so it has no blocks of it",
            expected=f"an axis of size {dim}",
            fix="" if at is None else f"say which axis: `[{', '.join([':'] * at + [dim])}]`",
        )

    def _from_end(self, bound: Any, extent: Any) -> Any:
        return extent + bound if self.b.dims.resolve(bound).is_negative else bound

    # calls

    def _call(self, node: ast.Call) -> Operand:
        if not isinstance(node.func, ast.Name):
            raise not_allowed(self._expr, node.func)
        name = node.func.id
        if name in self._scope.functions:
            results = self._call_function(node, self._scope.functions[name])
            if len(results) != 1:
                raise self._several(name, len(results))
            return results[0]
        found = self._call_operation(node, name)
        if isinstance(found, tuple):
            raise self._several(name, len(found))
        return found

    def _several(self, name: str, count: int) -> DiagnosticError:
        return self.b.fault(
            "PTG216",
            f"`{name}` gives {count} values inside an expression",
            expected="one value",
            fix=f"name them on a line of their own: `a, b: {name}(…)`",
        )

    def _call_operation(self, node: ast.Call, name: str) -> Result:
        """An operation of the registry, or a function of numbers."""
        known = operations()
        if name in FUNCTIONS and not node.keywords and not any(isinstance(a, ast.Starred) for a in node.args):
            arguments = [self.operand(argument) for argument in node.args]
            if all(isinstance(argument, Scalar) for argument in arguments):
                return self._number_function(name, [a.expr for a in arguments if isinstance(a, Scalar)])
            self._seen |= dict(zip(node.args, arguments, strict=True))
        if name not in known:
            if name in FUNCTIONS:
                raise self.b.fault(
                    "PTG220",
                    f"`{name}` is a function of numbers",
                    expected="numbers, dims and attrs",
                    fix=meant(name, known),
                )
            raise unknown_operation(name, self._expr, node.func, self._scope.functions)
        operation = known[name]
        bound = bind_arguments(operation.name, operation.signature, operation.parameters, node, self._expr)
        positional = [self._argument(p, a) for p, a in bound if not _after_variadic(p, operation.parameters)]
        keywords = {p.name: self._argument(p, a) for p, a in bound if _after_variadic(p, operation.parameters)}
        given = [argument for argument in (*positional, *keywords.values()) if isinstance(argument, Value | Scalar)]
        if given and all(isinstance(argument, Scalar) for argument in given):
            fix = "numbers are computed with operators, at build time"
            raise self.b.fault("PTG220", f"`{name}` of numbers alone", expected="a tensor among its arguments", fix=fix)
        value: Result = operation.expand(self.b, *positional, **keywords)
        return value

    def _number_function(self, name: str, arguments: list[Any]) -> Scalar:
        return Scalar(call(name, arguments, self.b.at), self.b.at)

    def _call_function(self, node: ast.Call, function: FunctionSpec) -> tuple[Operand, ...]:
        with self.b.located(self._expr.span_of(node)):
            if function.name in self._scope.calls:
                path = " → ".join([*self._scope.calls, function.name])
                raise self.b.fault("PTG209", f"functions call themselves: {path}", expected="no recursion")
            bound = bind_function(function, node, self._expr)
            arguments = {p.name: self.operand(argument) for p, argument in bound if argument is not None}
            return self._inline(function, arguments, (*self._scope.calls, function.name))

    def _argument(self, parameter: Parameter, node: ast.expr | None) -> Any:
        """The value of an argument by its kind; None stands for the default."""
        if node is None:
            default = parameter.default
            return number(default) if parameter.kind == "scalar" and default is not None else default
        span = self._expr.span_of(node)
        if parameter.kind == "tensor":
            return self.tensor(node, f"`{parameter.name}`")
        if parameter.kind == "operand":
            return self.operand(node)
        if parameter.kind == "scalar":
            return self.scalar(node, f"`{parameter.name}`")
        if parameter.kind == "shape":
            return self._shape(node)
        if parameter.kind == "ints":
            items = node.elts if isinstance(node, ast.List | ast.Tuple) else [node]
            return tuple(self._integer(parameter, item) for item in items)
        if parameter.kind == "int":
            return self._integer(parameter, node)
        word = self._expr.text_of(node).strip("'\"")
        choices = _WORDS[parameter.kind]
        if word not in choices:
            raise fault(
                "PTG212" if parameter.kind == "dtype" else "PTG215",
                f"`{parameter.name}` cannot be `{self._expr.text_of(node)}`",
                span,
                expected="true or false" if parameter.kind == "flag" else "one of " + ", ".join(choices),
                fix=suggest_dtype(word, choices)
                if parameter.kind == "dtype"
                else did_you_mean(word.lower().removeprefix("cast_"), choices),
            )
        return choices[word]

    def _integer(self, parameter: Parameter, node: ast.expr) -> int:
        if isinstance(node, ast.List | ast.Tuple):
            at = self._expr.span_of(node)
            raise fault("PTG215", f"`{parameter.name}` is one number here", at, expected="such as -1")
        value = self.b.dims.number(self.scalar(node, f"`{parameter.name}`"))
        if value is None:
            at = self._expr.span_of(node)
            raise fault("PTG215", f"`{parameter.name}` must be a known whole number", at, expected="such as -1")
        return value

    def _shape(self, node: ast.expr) -> tuple[Any, ...]:
        if not isinstance(node, ast.List | ast.Tuple):
            place = self._expr.span_of(node)
            raise fault("PTG215", "a shape must be a list", place, expected="such as `[t, heads, d]`, in brackets")
        return tuple(self.scalar(item, "a size") for item in node.elts)


def unknown_operation(name: str, expr: Expr, node: ast.AST, functions: Iterable[str]) -> DiagnosticError:
    """PTG202."""
    return fault(
        "PTG202",
        f"there is no operation `{name}`",
        expr.span_of(node),
        expected="an operation of the language, or a function of this spec",
        fix=meant(name, [*operations(), *functions]),
    )


def _is_none(node: ast.expr) -> bool:
    return (isinstance(node, ast.Constant) and node.value is None) or (isinstance(node, ast.Name) and node.id == "null")


def _after_variadic(parameter: Parameter, parameters: tuple[Parameter, ...]) -> bool:
    """Whether an argument goes by keyword, because tensors in any number stand before it."""
    return any(p.variadic for p in parameters) and not parameter.variadic
