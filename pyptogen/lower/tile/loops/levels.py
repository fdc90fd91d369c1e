"""Order of a loop's iterations: matrix and vector work in turns.

before: s = matmul(q, k); p = exp(s); y1 = mul(acc, a); mm = matmul(p, v); acc' = add(y1, mm)
after:  0: s    1: p    2: mm    3: y1, acc'
        a product of a product comes two levels later: cube cores take operands from GM

Each operation goes as early as its operands allow, but what leads from a carried value to the next one stays together
where that is possible, so that the value is read and replaced in one go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS, Loop, Op, Program, Value
from pyptogen.lower.tensor.views import root


def levels(
    ops: Sequence[Op],
    defining: Mapping[str, Op],
    carried: Sequence[tuple[str, str]],
    first: Mapping[str, frozenset[str]] = MappingProxyType({}),
) -> tuple[dict[str, int], frozenset[str]]:
    """The level of each operation of a loop by its result, even for matrix work and odd for vector work, and the
    carried values that matrix work of their own iteration needs before it makes the next one: these are read at a lower
    level than replaced. ``first``: by result, what comes before it though it is no operand."""
    following = dict(carried)
    free: set[str] = set()
    floor: dict[str, int] = {}
    while True:
        found = _assign(ops, defining, floor, first)
        wanted = {carry: _vector_level(found.get(root(following[carry], defining), 0)) for carry in following}
        late = [c for c in following if c in found and c not in free and wanted[c] > found[c]]
        if not late:
            return found, frozenset(free)
        for carry in late:
            if wanted[carry] > 2 * len(ops) or _feeds_itself(carry, ops, defining, following[carry]):
                free.add(carry)
                floor = {}
            else:
                floor[carry] = wanted[carry]


def recurrent(program: Program) -> frozenset[str]:
    """The loops of which matrix work leads a carried value to its next one: where cube and vector cores are separate,
    they take turns in every iteration."""
    defining = {op.result.name: op for op in program.ops}

    def feeds_itself(loop: Loop) -> bool:
        ops = [op for op in program.ops if op.loop == loop.name and op.kind not in VIEWS | {"only"}]
        return bool(levels(ops, defining, loop.carried)[1])

    return frozenset(loop.name for loop in program.loops if feeds_itself(loop))


def _vector_level(level: int) -> int:
    return level + (level % 2 == 0)


def _assign(
    ops: Sequence[Op], defining: Mapping[str, Op], floor: Mapping[str, int], first: Mapping[str, frozenset[str]]
) -> dict[str, int]:
    found: dict[str, int] = {}
    products = {op.result.name for op in ops if op.kind in PRODUCTS}
    for op in ops:
        operands = (root(v.name, defining) for v in op.operands if isinstance(v, Value))
        gap = 2 if op.kind in PRODUCTS else 0
        at = max((found[name] + gap * (name in products) for name in operands if name in found), default=0)
        earlier = (found.get(name, 0) for name in first.get(op.result.name, ()))
        at = max(at, floor.get(op.result.name, 0), *earlier)
        found[op.result.name] = at + ((at % 2) != (op.kind not in PRODUCTS))
    return found


def _feeds_itself(carry: str, ops: Sequence[Op], defining: Mapping[str, Op], following: str) -> bool:
    """Whether matrix work stands between a carried value and its next value."""
    through: dict[str, bool] = {carry: False}
    for op in ops:
        if op.result.name == carry:
            continue
        sources = [root(v.name, defining) for v in op.operands if isinstance(v, Value)]
        reached = [through[name] for name in sources if name in through]
        if reached:
            through[op.result.name] = op.kind in PRODUCTS or any(reached)
    return through.get(root(following, defining), False)
