"""What a legal Tensor program is: SSA order, known kinds, and results that follow from the rules of the
builder."""

from __future__ import annotations

from collections.abc import Callable

from pyptogen.diagnostics import attempted
from pyptogen.lower.tensor.building import selection, strided
from pyptogen.lower.tensor.building.builder import Builder
from pyptogen.lower.tensor.building.dims import DimTable
from pyptogen.lower.tensor.ir import (
    ARG_REDUCE,
    BINARY,
    BITWISE,
    COMPARE,
    INTEGER,
    PAIRS,
    PRIMITIVES,
    REDUCE,
    ROUNDING,
    SCAN,
    UNARY,
    Op,
    Operand,
    Program,
    Value,
)
from pyptogen.lower.tensor.program_names import dim_symbol, scalar_symbol


class IllegalIR(AssertionError):
    """A pass produced a program that breaks a rule of its level: a fault of the tool, not of the user."""


def dim_table(program: Program) -> DimTable:
    """The dims of a program with the symbols that its shapes are made of."""
    symbols = {dim.name: dim_symbol(dim.name) for dim in program.dims}
    attrs = {attr.name: scalar_symbol(attr.name, attr.dtype) for attr in program.attrs}
    table = DimTable(program.dims, {**symbols, **attrs})
    for loop in program.loops:
        table.add_block(loop.block)
    for requirement in program.requires:
        table.state_all(requirement.condition, requirement.span)
    return table


def verify(program: Program) -> None:
    """Raises ``IllegalIR`` with the first broken rule."""
    dims = dim_table(program)
    stages = [stage.name for stage in program.stages]
    known: dict[str, Value] = {value.name: value for value in program.inputs}
    taken = set(known) | {dim.name for dim in program.dims} | {attr.name for attr in program.attrs}
    reached = 0
    for op in program.ops:
        _check_operands(op, known)
        if op.result.name in taken:
            raise IllegalIR(f"{op.result.name} is defined twice")
        if op.stage not in stages:
            raise IllegalIR(f"{op.result.name} stands in the unknown stage {op.stage}")
        if stages.index(op.stage) < reached:
            raise IllegalIR(f"{op.result.name} of stage {op.stage} stands after a later stage")
        reached = stages.index(op.stage)
        _check_result(op, dims)
        known[op.result.name] = op.result
        taken.add(op.result.name)
    _check_loops(program)
    for name, value in program.outputs:
        if known.get(value.name) != value:
            raise IllegalIR(f"the output {name} is {value.name}, which is not defined")
    for name, source in program.inplace.items():
        if name not in dict(program.outputs) or source not in {value.name for value in program.inputs}:
            raise IllegalIR(f"in place: {name} of {source}")


def _check_loops(program: Program) -> None:
    """What is inside of a loop is used inside, but for the next values, and every carried value has one."""
    home = {op.result.name: op.loop for op in program.ops}
    loops = {loop.name: loop for loop in program.loops}
    for op in program.ops:
        if op.loop and op.loop not in loops:
            raise IllegalIR(f"{op.result.name} stands in the unknown loop {op.loop}")
        names = [operand.name for operand in op.operands if isinstance(operand, Value)]
        if op.kind == "collected":
            if op.loop or {home.get(name) for name in names} != {op.attrs["loop"]}:
                raise IllegalIR(f"{op.result.name} = collected(…) is of no value of the loop {op.attrs['loop']}")
        elif op.kind == "carried":
            if op.loop or tuple(names) not in loops[op.attrs["loop"]].carried:
                raise IllegalIR(f"{op.result.name} = carried(…) ends no value of a loop")
        elif any(home.get(name) and home[name] != op.loop for name in names):
            raise IllegalIR(f"{op.result.name} uses a value from inside of a loop")
        if op.kind == "carry" and op.result.name not in dict(loops[op.loop].carried):
            raise IllegalIR(f"{op.result.name} is carried without a next value")


def _check_operands(op: Op, known: dict[str, Value]) -> None:
    if op.kind not in PRIMITIVES:
        raise IllegalIR(f"{op.result.name} is of the unknown kind {op.kind}")
    for operand in op.operands:
        if isinstance(operand, Value) and known.get(operand.name) != operand:
            raise IllegalIR(f"{op.result.name} uses {operand.name}, which is not defined before it with that type")


def _check_result(op: Op, dims: DimTable) -> None:
    """Emits the operation anew and compares the types."""
    builder = Builder(dims, op.span)
    with attempted() as faults:
        value = _REBUILD[op.kind](builder, op)
    if faults:
        reason = faults.first.message if faults.first else "illegal"
        raise IllegalIR(f"{op.result.name} = {op.kind}(…): {reason}") from faults.found
    if value.dtype != op.result.dtype or not dims.same_shape(value.shape, op.result.shape):
        raise IllegalIR(
            f"{op.result.name} = {op.kind}(…) is {op.result.dtype}{list(op.result.shape)}, "
            f"its operands make {value.dtype}{list(value.shape)}"
        )


_REBUILD: dict[str, Callable[[Builder, Op], Value]] = {
    **{kind: lambda b, op: b.unary(op.kind, _value(op)) for kind in UNARY | ROUNDING | {"bitwise_not"}},
    **{kind: lambda b, op: b.binary(op.kind, *_equal_rank(op)) for kind in BINARY | COMPARE | INTEGER | BITWISE},
    **{kind: lambda b, op: b.reduce(op.kind, _value(op), op.attrs["axis"]) for kind in REDUCE | ARG_REDUCE | {"prod"}},
    **{kind: lambda b, op: selection.scan(b, op.kind, _value(op), op.attrs["axis"]) for kind in SCAN},
    **{kind: lambda b, op: _topk(b, op) for kind in ("topk_values", "topk_indices")},
    **dict.fromkeys(PAIRS, lambda b, op: op.result),
    "where": lambda b, op: selection.where(b, _value(op), op.operands[1], op.operands[2]),
    "arange": lambda b, op: selection.arange(
        b, op.result.shape[0], op.attrs["start"], op.attrs["step"], op.result.dtype
    ),
    "positions": lambda b, op: b.positions(op.result.shape, op.attrs["start"], in_block=op.attrs["in_block"]),
    "permute": lambda b, op: selection.permute(b, _value(op), op.attrs["axes"]),
    "expand": lambda b, op: selection.expand(b, _value(op), op.attrs["shape"]),
    "gather": lambda b, op: selection.gather(b, _value(op), op.attrs["axis"], _value(op, 1)),
    "index_select": lambda b, op: selection.index_select(b, _value(op), op.attrs["axis"], _value(op, 1)),
    "scatter": lambda b, op: selection.scatter(
        b, _value(op), op.attrs["axis"], _value(op, 1), _value(op, 2), op.attrs["reduce"]
    ),
    "index_add": lambda b, op: selection.index_add(b, _value(op), op.attrs["axis"], _value(op, 1), _value(op, 2)),
    "batch_matmul": lambda b, op: selection.batch_matmul(b, _value(op), _value(op, 1), op.attrs["dtype"]),
    "bitcast": lambda b, op: selection.bitcast(b, _value(op), op.attrs["dtype"]),
    "matmul_mx": lambda b, op: selection.matmul_mx(b, _value(op), _value(op, 1), _value(op, 2), _value(op, 3)),
    "cast": lambda b, op: b.cast(_value(op), op.attrs["dtype"], op.attrs["mode"], op.attrs["saturate"]),
    "reshape": lambda b, op: b.reshape(_value(op), op.attrs["shape"]),
    "slice": lambda b, op: b.slice(_value(op), op.attrs["axis"], op.attrs["start"], op.attrs["stop"]),
    "transpose": lambda b, op: b.transpose(_value(op)),
    "unfold": lambda b, op: strided.unfold(
        b, _value(op), op.attrs["axis"], int(op.result.shape[-1]), op.attrs["step"], op.attrs["dilation"]
    ),
    "block": lambda b, op: b.block(_value(op), op.attrs["axis"], op.result.shape[op.attrs["axis"]]),
    "carry": lambda b, op: b.emit("carry", [_value(op)], _value(op).dtype, _value(op).shape),
    "carried": lambda b, op: b.carried(op.attrs["loop"], _value(op), _value(op, 1)),
    "only": lambda b, op: op.result,
    "collected": lambda b, op: b.collected(
        op.attrs["loop"], _value(op), op.attrs["axis"], op.result.shape[op.attrs["axis"]], op.attrs["stacked"]
    ),
    "concat": lambda b, op: b.concat(_values(op), op.attrs["axis"]),
    "matmul": lambda b, op: b.matmul(_value(op), _value(op, 1), op.attrs["dtype"]),
    "scatter_update": lambda b, op: b.scatter_update(_value(op), _value(op, 1), _value(op, 2), op.attrs["dim"]),
    "by_hand": lambda b, op: op.result,
    "either": lambda b, op: op.result,
    "full": lambda b, op: b.full(op.result.shape, op.attrs["value"], op.result.dtype),
}


def _topk(b: Builder, op: Op) -> Value:
    return selection.topk(b, [op.kind], _value(op), op.attrs["k"], op.attrs["axis"], op.attrs["largest"])[0]


def _values(op: Op) -> list[Value]:
    return [operand for operand in op.operands if isinstance(operand, Value)]


def _value(op: Op, index: int = 0) -> Value:
    if index >= len(op.operands) or not isinstance(op.operands[index], Value):
        raise IllegalIR(f"{op.result.name} = {op.kind}(…) lacks the tensor operand {index}")
    return _values(op)[index]


def _equal_rank(op: Op) -> tuple[Operand, Operand]:
    if len(op.operands) != 2 or len({len(value.shape) for value in _values(op)}) != 1:
        raise IllegalIR(f"{op.result.name} = {op.kind}(…) needs two operands of equal rank")
    return op.operands[0], op.operands[1]
