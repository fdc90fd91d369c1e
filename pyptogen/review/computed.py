"""What an operator computes, whatever values and stages are called: digests of outputs, kinds of arithmetic."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pyptogen.lower.tensor.ir import LOOP, PRODUCTS, VIEWS, Program, Value

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Dim, Loop, Op

_NAMES = frozenset({"name", "loop", "stages"})
"""Attrs of operations that are names of the spec."""


def computed(program: Program) -> dict[str, str]:
    """A digest of each output: equal where the same operations are done with the same inputs, in whichever order and
    under whichever names they are written. A dim counts as the axis of an input that it is, else by its number."""
    sizes = _sizes(program)
    loops = {loop.name: loop for loop in program.loops}
    digests = {value.name: f"input {value.name}" for value in program.inputs}
    for op in program.ops:
        digests[op.result.name] = _digest(op, digests, sizes, loops)
    return {name: digests[value.name] for name, value in program.outputs}


def counted(program: Program) -> tuple[dict[str, int], dict[str, int]]:
    """How often each kind of rounding, and each kind of other arithmetic, occurs, in words."""
    roundings: Counter[str] = Counter()
    arithmetic: Counter[str] = Counter()
    for op in program.ops:
        operands = [operand.dtype for operand in op.operands if isinstance(operand, Value)]
        if op.kind == "cast":
            mode = op.attrs.get("mode", "rint")
            roundings[f"cast {operands[0]} to {op.result.dtype}{'' if mode == 'rint' else f' ({mode})'}"] += 1
        elif op.kind in PRODUCTS:
            roundings[f"{op.kind} {' x '.join(operands)} to {op.result.dtype}"] += 1
        elif op.kind not in VIEWS | LOOP:
            arithmetic[f"{op.kind} in {op.result.dtype}"] += 1
    return dict(roundings), dict(arithmetic)


def _sizes(program: Program) -> dict[Any, Any]:
    """What each dim is called in digests."""
    from sympy import Integer, Symbol

    from pyptogen.lower.tensor.program_names import dim_symbol

    symbols = {dim_symbol(dim.name): dim for dim in program.dims}
    places: dict[Any, Any] = {}
    for value in sorted(program.inputs, key=lambda one: one.name):
        for axis, size in enumerate(value.shape):
            if size in symbols:
                places.setdefault(size, Symbol(f"{value.name}[{axis}]", integer=True, positive=True))
    for symbol, dim in symbols.items():
        if symbol not in places and dim.value is not None:
            places[symbol] = Integer(dim.value)
    derived = {symbol: dim.definition.xreplace(places) for symbol, dim in symbols.items() if _is_derived(dim)}
    return {**derived, **places}


def _is_derived(dim: Dim) -> bool:
    return dim.value is None and dim.definition is not None


def _digest(op: Op, digests: Mapping[str, str], sizes: Mapping[Any, Any], loops: Mapping[str, Loop]) -> str:
    from pyptogen.lower.tensor.program_names import dim_symbol

    operands = [
        digests.get(one.name, one.name) if isinstance(one, Value) else _plain(one.expr, sizes) for one in op.operands
    ]
    plain = {name: _plain(value, sizes) for name, value in sorted(op.attrs.items()) if name not in _NAMES}
    if "shape" in plain:
        plain["shape"] = _reshaped(op, sizes)
    attrs = [f"{name}={value}" for name, value in plain.items()]
    loop = loops.get(op.loop)
    around = [f"{_plain(dim_symbol(loop.over), sizes)} by {loop.tile}"] if loop else []
    text = "\0".join((op.kind, op.result.dtype, *operands, *attrs, *around))
    return hashlib.sha256(text.encode()).hexdigest()


def _reshaped(op: Op, sizes: Mapping[Any, Any]) -> str:
    """The shape that an operation gives: axes that the operand has are that axis, whatever its size is."""
    first = op.operands[0] if op.operands else None
    own = [_plain(size, sizes) for size in first.shape] if isinstance(first, Value) else []
    wanted = [_plain(size, sizes) for size in op.attrs["shape"]]
    return ", ".join(f"axis {own.index(size)}" if size in own and size != "1" else size for size in wanted)


def _plain(value: Any, sizes: Mapping[Any, Any]) -> str:
    """An operand or attr as text: sizes in numbers where they have one."""
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(_plain(one, sizes) for one in value)}]"
    if hasattr(value, "xreplace"):
        return str(value.xreplace(sizes))
    return str(value)
