"""Stages that a kernel by hand implements → operations of which only the kernel knows the inside.

before: stage scale {v = mul(x, 2); y = add(v, 1)}      kernels: {scale: … store(t, y[…])}
after:  stage scale {y = by_hand(x)}

The equations stay what the operator means: the golden is computed from them. Afterwards every stage with a kernel for
the target consists of `by_hand` operations, one a stored value.
"""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.diagnostics import Span, did_you_mean, fault
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.records import replace
from pyptogen.schema.hand import HandKernel


def chosen(program: Program, target: str) -> dict[str, HandKernel]:
    """The kernels by hand that serve ``target``, by stage.

    Raises PTG303 where a kernel is for other targets only and no equations can take its place.
    """
    meant = {op.attrs["kernel"] for op in program.ops if op.kind == "by_hand"}
    found = {}
    for kernel in program.kernels:
        named = [name for name, _ in kernel.targets]
        if not named or target in named:
            found[kernel.name] = kernel
        elif kernel.name in meant:
            raise fault(
                "PTG303",
                f"kernel `{kernel.name}` is for {', '.join(named)}, and no stage says what to do on {target}",
                kernel.span,
                expected=f"a stage `{kernel.name}` in the graph, which is lowered for the other targets",
                fix="give the equations of the stage, or restrict the `targets` of the operator",
            )
    return found


def run(program: Program, target: str) -> Program:
    """The program as ``target`` sees it. Raises PTG201, PTG207, PTG303."""
    ops = list(program.ops)
    for kernel in chosen(program, target).values():
        mine = [op for op in ops if op.stage == kernel.name]
        if not mine:
            raise fault("PTG207", f"nothing needs what kernel `{kernel.name}` makes", kernel.span, fix="remove it")
        if mine[0].kind != "by_hand":
            made = _results(program, kernel, mine)
            at = ops.index(mine[0])
            ops = [op for op in ops if op.stage != kernel.name]
            ops[at:at] = made
            _check_used(program, ops, kernel, mine)
    return replace(program, ops=tuple(ops))


def values_by_name(program: Program) -> dict[str, Value]:
    """Tensors by the name that the spec gives them."""
    named = {value.name: value for value in program.inputs}
    named |= {op.result.name: op.result for op in program.ops}
    return named | {name: value for name, value in program.outputs if name not in program.inplace}


def _results(program: Program, kernel: HandKernel, mine: list[Op]) -> list[Op]:
    inside = {op.result.name for op in mine}
    named = values_by_name(program)
    outputs = dict(program.outputs)
    reads, operands = [], []
    for name, span in kernel.reads:
        value = named.get(name)
        if value is None:
            raise fault(
                "PTG201",
                f"kernel `{kernel.name}` reads `{name}`, which is no tensor",
                span,
                expected="an input, or a value of another stage",
                fix=did_you_mean(name, named),
            )
        if value.name not in inside:
            reads.append(name)
            operands.append(value)
    for op in mine:  # what the equations read orders the stages, also where the kernel goes without it
        for operand in op.operands:
            if isinstance(operand, Value) and operand.name not in inside and operand not in operands:
                reads.append(operand.name)
                operands.append(operand)
    made = []
    for name, span in kernel.writes:
        value = outputs.get(name, named.get(name))
        if value is None or value.name not in inside:
            raise fault(
                "PTG207",
                f"kernel `{kernel.name}` stores `{name}`, which its stage does not define",
                span,
                expected="a value of the stage: " + ", ".join(_given_names(program, mine)),
            )
        attrs = {"kernel": kernel.name, "output": name, "reads": tuple(reads)}
        made.append(Op("by_hand", tuple(operands), value, attrs, kernel.name, kernel.span))
    return made


def _given_names(program: Program, mine: list[Op]) -> list[str]:
    outputs: Mapping[str, str] = {value.name: name for name, value in program.outputs}
    return [outputs.get(op.result.name, op.result.name) for op in mine]


def _check_used(program: Program, ops: list[Op], kernel: HandKernel, mine: list[Op]) -> None:
    """Everything that other stages or the caller need from the stage is stored."""
    lost = {op.result.name: op for op in mine}
    for op in ops:
        lost.pop(op.result.name, None)
    needed: dict[str, Span] = {value.name: value.span for _, value in program.outputs}
    needed |= {o.name: op.span for op in ops for o in op.operands if isinstance(o, Value)}
    for name in lost:
        if name in needed:
            raise fault(
                "PTG207",
                f"kernel `{kernel.name}` does not store `{name}`, which is needed outside its stage",
                kernel.span,
                expected=f"`store(…, {name}[…])`",
                notes=(("needed here", needed[name]),),
            )
