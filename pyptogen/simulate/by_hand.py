"""What a kernel by hand computes, where no equations say it: the kernel itself, lowered and executed in numpy."""

from __future__ import annotations

from collections.abc import Mapping

from pyptogen.lower.tensor.ir import Program, Stage, Value
from pyptogen.numerics.operations import Array
from pyptogen.records import replace


def run(program: Program, name: str, arrays: Mapping[str, Array], attrs: Mapping[str, float | int]) -> dict[str, Array]:
    """Everything that the kernel stores, by the names of the spec.

    Args:
        program: the operator.
        name: of the kernel.
        arrays: the operator's inputs, and every value that the kernel reads.
        attrs: run-time scalars.
    """
    from pyptogen.lower.pipeline import lower
    from pyptogen.simulate.graph import interpret

    kernel = next(k for k in program.kernels if k.name == name)
    ops = tuple(op for op in program.ops if op.kind == "by_hand" and op.attrs["kernel"] == name)
    inputs = {value.name: value for value in program.inputs}
    for op in ops:
        inputs |= {
            o.name: replace(o, layout="nd") for o in op.operands if isinstance(o, Value) and o.name not in inputs
        }
    outputs = tuple((str(op.attrs["output"]), op.result) for op in ops)
    alone = replace(
        program,
        inputs=tuple(inputs.values()),
        outputs=outputs,
        inplace={out: source for out, source in program.inplace.items() if out in dict(outputs)},
        stages=(Stage(name, kernel.span),),
        ops=ops,
        tiling=(),
        schedule={},
        kernels=(kernel,),
    )
    target = kernel.targets[0][0] if kernel.targets else program.targets[0]
    return interpret(lower(alone, target), arrays, attrs)
