"""A Tensor program as text: the contract, then one line per operation under its stage."""

from __future__ import annotations

from typing import Any

from pyptogen.lower.tensor.building.dims import show_shape, show_size
from pyptogen.lower.tensor.ir import LOOP, Dim, Op, Program, Scalar, Value


def print_program(program: Program) -> str:
    """The whole program; ends with a newline. Same program, same text."""
    lines = [f"operator {program.name}"]
    lines += [f"  dim {_dim(dim)}" for dim in program.dims]
    lines += [
        f"  attr {a.name}: {a.dtype}" + (f" = {a.default}" if a.default is not None else "") for a in program.attrs
    ]
    lines += [f"  requires {r.text}" for r in program.requires]
    lines += [f"  input {_typed(value)}" for value in program.inputs]
    for name, value in program.outputs:
        target = program.inplace.get(name)
        lines.append(f"  output {name} = {_typed(value)}" + (f" in place of {target}" if target else ""))
    for stage in program.stages:
        lines += ["", f"stage {stage.name}" + (f" if {stage.condition}" if stage.condition is not None else "")]
        inside = ""
        for op in (op for op in program.ops if op.stage == stage.name):
            if op.loop and op.loop != inside:
                loop = next(loop for loop in program.loops if loop.name == op.loop)
                lines.append(f"  loop over {loop.over} by {loop.tile}")
            inside = op.loop
            lines.append(f"  {'  ' if op.loop else ''}{print_op(op)}")
    return "\n".join(lines) + "\n"


def print_op(op: Op) -> str:
    """One operation: ``name: dtype[shape] = kind(operands, attr=…)``."""
    operands = [o.name if isinstance(o, Value) else print_scalar(o) for o in op.operands]
    shown = {name: value for name, value in op.attrs.items() if not _implied(op, name, value)}
    attrs = [f"{name}={_attr(value)}" for name, value in shown.items()]
    if op.kind == "only":
        attrs = [" and ".join(f"{left} {relation} {right}" for left, relation, right in op.attrs["comparisons"])]
    return f"{_typed(op.result)} = {op.kind}({', '.join(operands + attrs)})"


def print_scalar(scalar: Scalar) -> str:
    """A scalar operand, a number in its shortest form."""
    expr = scalar.expr
    return repr(float(expr)) if expr.is_number and not expr.is_Rational else show_size(expr)


def _implied(op: Op, name: str, value: Any) -> bool:
    """Attrs that the result's type or name shows, or that have their usual value."""
    if op.kind in LOOP or (op.kind == "collected" and name != "axis"):
        return True
    if name == "shape" or (name == "dtype" and op.kind in {"cast", "matmul"}):
        return True
    return op.kind == "cast" and ((name == "mode" and value == "rint") or (name == "saturate" and value is True))


def _attr(value: Any) -> str:
    return value if isinstance(value, str) else show_size(value) if hasattr(value, "free_symbols") else str(value)


def _typed(value: Value) -> str:
    layout = "" if value.layout == "nd" else f" @ {value.layout}"
    return f"{value.name}: {value.dtype}{show_shape(value.shape)}{layout}"


def _dim(dim: Dim) -> str:
    if dim.value is not None:
        return f"{dim.name} = {dim.value}"
    multiple = f", a multiple of {dim.multiple_of}" if dim.multiple_of > 1 else ""
    definition = f" = {show_size(dim.definition)}" if dim.definition is not None else ""
    return f"{dim.name}{definition} from {dim.min} to {dim.max}{multiple}"
