"""Stages → kernels.

One kernel per stage, or per `fuse` list of the tiling row. Where cube and vector cores are separate, a kernel that
needs both is cut into alternating cube and vector kernels that meet in GM; with `fifo` in its row it stays one mixed
kernel. So does a loop of which matrix work leads a carried value to its next one: its cores take turns in every
iteration. Of several loops in a stage with `fifo`, those whose cores share too many values for fifos meet in GM all the
same.

before: stages a {matmul, cast}, b {exp}; row says fuse [[a, b]]
after:  cpu:  kernel a_b (mixed)          a2a3: kernels a_b_cube {matmul}, a_b_vec {cast, exp}

Parts of a stage that share neither values nor run-time dims are kernels of their own (`islands`).

Afterwards every value that crosses kernels is listed in `writes` of its producer; views (reshape, slice, transpose)
belong to their readers and cost nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from types import MappingProxyType
from typing import Any

from pyptogen.diagnostics import Span
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refused, refuse
from pyptogen.lower.tensor.fit.alternatives import SHARED, sharing
from pyptogen.lower.tensor.ir import PRODUCTS, VIEWS, CoreKind, Loop, Op, Program, TilingRow, Value
from pyptogen.lower.tensor.program_names import iteration_condition
from pyptogen.lower.tensor.views import read_with, root
from pyptogen.lower.tile.kernels import prologues
from pyptogen.lower.tile.kernels.islands import islands
from pyptogen.lower.tile.kernels.overwritten import Edges, before_overwrites, out_of_place, overwrites
from pyptogen.lower.tile.kernels.split_cores import MOST
from pyptogen.lower.tile.loops.levels import levels
from pyptogen.lower.tile.sizes.sizes import SLOTS, fifo_slots, vector_cores
from pyptogen.records import dataclass
from pyptogen.schema.hand import HandKernel


@dataclass(frozen=True, slots=True)
class KernelOps:
    """The operations of one kernel; ``writes`` are the values that it leaves in GM."""

    name: str
    core: CoreKind
    stages: tuple[str, ...]
    ops: tuple[Op, ...]
    writes: tuple[str, ...]
    span: Span
    by_hand: HandKernel | None = None
    """The kernel that the author gave for the stage."""
    slots: int = 0
    """Of a mixed kernel whose cores are separate: the tiles that the fifos between them hold."""
    vector_cores: int = 0
    """Of such a kernel: the vector cores that the author wants beside the cube core; 0: as the compiler likes."""

    @property
    def condition(self) -> Any:
        """Where the compiler decides in the call whether the kernel runs, that of its operations (`split_orders`)."""
        return self.ops[0].attrs.get("condition")


def defining_ops(program: Program) -> dict[str, Op]:
    """Defining operation of each value."""
    return {op.result.name: op for op in program.ops}


def groups(program: Program, row: TilingRow) -> list[tuple[str, ...]]:
    """Stages by kernel, in the order of the first stage of each.

    Raises:
        Refused: PTG304, `fuse` names an unknown stage or one stage twice.
    """
    known = [s.name for s in program.stages]
    fused: dict[str, tuple[str, ...]] = {}
    given = hand_kernels(program)
    for group in row.fuse or ():
        for stage in group:
            if stage in given:
                raise refuse(
                    "PTG304",
                    f"`fuse` names the stage `{stage}`, whose kernel is given by hand",
                    row.span,
                    expected="stages that the compiler lowers",
                    notes=(("the kernel", given[stage].span),),
                )
            if stage not in known or stage in fused:
                what = "is in two `fuse` lists" if stage in fused else "is no stage"
                raise refuse(
                    "PTG304",
                    f"`{stage}` {what}",
                    row.span,
                    expected=f"each of {', '.join(known)} at most once",
                )
            fused[stage] = group
        _check_conditions(program, group, row)
    ordered: list[tuple[str, ...]] = []
    for stage in known:
        group = fused.get(stage, (stage,))
        if group not in ordered:
            ordered.append(group)
    return ordered


def _check_conditions(program: Program, group: tuple[str, ...], row: TilingRow) -> None:
    """PTG304 for stages of one kernel that do not run in the same calls."""
    first, *others = (program.stage(name) for name in group)
    for other in others:
        if other.condition != first.condition:
            raise refuse(
                "PTG304",
                f"`fuse` joins `{first.name}` and `{other.name}`, which do not run in the same calls",
                row.span,
                expected="stages with the same `if`, or none",
            )


def hand_kernels(program: Program) -> dict[str, HandKernel]:
    """The kernels by hand of the stages that consist of nothing else, by stage."""
    there = {op.attrs["kernel"] for op in program.ops if op.kind == "by_hand"}
    return {kernel.name: kernel for kernel in program.kernels if kernel.name in there}


def group_names(found: Sequence[tuple[str, ...]]) -> list[str]:
    """A name for each kernel: `query_linear, query_rope` → `query`; without a common prefix that is a
    name (`of` is none), or where it names another kernel too, `first_to_last`."""

    def short(stages: tuple[str, ...]) -> str:
        words = [s.split("_") for s in stages]
        return "_".join(group[0] for group in takewhile(lambda group: len(set(group)) == 1, zip(*words, strict=False)))

    names = [short(stages) for stages in found]
    return [
        name if len(stages) == 1 or (len(name) > 2 and names.count(name) == 1) else f"{stages[0]}_to_{stages[-1]}"
        for name, stages in zip(names, found, strict=True)
    ]


def before_updates(program: Program) -> Edges:
    """A tensor whose rows an update changes is all there before it."""
    defining = defining_ops(program)
    pairs = ((op.result.name, root(sharing(op)[0].name, defining)) for op in program.ops if op.kind == "scatter_update")
    return frozenset((reader, base) for reader, base in pairs if base in defining)


First = Mapping[str, frozenset[str]]
"""By result, what else is to be made before it: readers of the memory that it takes."""
Reads = Mapping[str, frozenset[str]]
"""By result, the values with data of their own that its operation reads (`_roots`)."""


def _epochs(
    ops: list[Op],
    reads: Reads,
    is_own: Callable[[Op], bool],
    joined: Mapping[str, str],
    unfused: Edges,
    first: First,
) -> list[list[Op]]:
    """Operations that may share a kernel, each as early as its operands allow; one that ``is_own`` is by itself,
    with what is ``joined`` to it, and what reads a value across one of the edges in ``unfused`` comes later. A loop is
    not taken apart."""
    level: dict[str, int] = {}
    found: dict[int, list[list[Op]]] = {}
    for group in _in_order(_inseparable(ops, joined), reads):
        own = not group[-1].loop and is_own(group[-1])
        at = 0
        for op in group:
            for base in (reads[op.result.name] | first.get(op.result.name, frozenset())) & level.keys():
                gap = 2 if (op.result.name, base) in unfused else own or level[base] % 2
                at = max(at, level[base] + gap)
        at += (own - at) % 2
        level |= {op.result.name: at for op in group}
        found.setdefault(at, []).append(group)
    epochs: list[list[Op]] = []
    for at in sorted(found):
        if at % 2:
            epochs += found[at]
        else:
            names = {op.result.name for group in found[at] for op in group}
            epochs.append([op for op in ops if op.result.name in names])
    return epochs


def _inseparable(ops: Sequence[Op], joined: Mapping[str, str]) -> Sequence[list[Op]]:
    """Operations of one kernel: those of a loop, and those that are ``joined`` to another one, which stands where that
    one does."""
    groups: dict[str, list[Op]] = {}
    before: dict[str, list[Op]] = {}
    for op in ops:
        name = op.result.name
        if name in joined:
            before.setdefault(joined[name], []).append(op)
        else:
            groups.setdefault(op.loop or f" {name}", []).extend([*before.pop(name, ()), op])
    return list(groups.values())


def _in_order(groups: Sequence[list[Op]], reads: Reads) -> Sequence[list[Op]]:
    """The groups, each behind those that it reads of, else in their order: one with several results may begin ahead of
    what reads one of these, and end behind it."""
    maker = {op.result.name: number for number, group in enumerate(groups) for op in group}
    begun: set[int] = set()
    ordered: list[list[Op]] = []

    def place(number: int) -> None:
        begun.add(number)
        before = {maker[name] for op in groups[number] for name in reads[op.result.name] & maker.keys()}
        for other in sorted(before):
            if other not in begun:
                place(other)
        ordered.append(groups[number])

    for number in range(len(groups)):
        if number not in begun:
            place(number)
    return ordered


def _runs(
    ops: list[Op], defining: dict[str, Op], reads: Reads, loops: Sequence[Loop], first: First
) -> tuple[list[tuple[CoreKind, list[Op]]], frozenset[str]]:
    """Alternating cube and vector runs, each operation as early as its operands allow, and the carried values that make
    it impossible to do so. What costs no more than to load it, a tensor of one value or a cast of what lies in GM, is
    made in each of the runs that use it."""
    carried = [pair for loop in loops for pair in loop.carried]
    level, stuck = levels(ops, defining, carried, first)
    again = _made_again(ops, defining, reads, first)
    users = {
        name: {level[other.result.name] for other in ops if name in reads[other.result.name]} or {level[name]}
        for name in again
    }
    runs: dict[int, list[Op]] = {}
    for op in ops:
        for number in users.get(op.result.name, {level[op.result.name]}):
            runs.setdefault(number, []).append(op)
    return [("cube" if at % 2 == 0 else "vector", runs[at]) for at in sorted(runs)], stuck


def _made_again(ops: Sequence[Op], defining: dict[str, Op], reads: Reads, first: First) -> set[str]:
    """The values that each run makes for itself. Not what has to be read before it is overwritten, nor what iterations
    or other kernels read."""
    inside = {op.result.name for op in ops}
    kept = {name for names in first.values() for name in names}
    kept |= {n for name, op in defining.items() if name not in inside or op.loop for n in reads[name]}
    casts = {
        op.result.name for op in ops if op.kind == "cast" and not op.loop and reads[op.result.name].isdisjoint(inside)
    }
    return {op.result.name for op in ops if op.kind == "full"} | (casts - kept)


def _roots(op: Op, defining: dict[str, Op]) -> set[str]:
    """The values with data of their own that an operation reads, those included that decide about its iteration; of
    values of which one counts in each call, all."""
    decides = defining.get(iteration_condition(op.loop)) if op.kind != "only" else None
    found = set() if decides is None else _roots(decides, defining)
    for name in (n for v in op.operands if isinstance(v, Value) for n in read_with(v.name, defining)):
        either = name in defining and defining[name].kind == "either"
        found |= _roots(defining[name], defining) if either else {name}
    return found


def _order(
    kernels: list[tuple[str, CoreKind, tuple[str, ...], list[Op]]], reads: Reads, first: First
) -> list[int] | None:
    """Topological order of the kernels, keeping the written order where it is free; None where they wait for each
    other."""
    homes: dict[str, set[int]] = {}
    for i, kernel in enumerate(kernels):
        for op in kernel[3]:
            homes.setdefault(op.result.name, set()).add(i)
    needs = []
    for i, kernel in enumerate(kernels):
        read = {name for op in kernel[3] for name in reads[op.result.name] | first.get(op.result.name, frozenset())}
        needs.append({min(homes[name]) for name in read if name in homes and i not in homes[name]})
    done: list[int] = []
    while len(done) < len(kernels):
        ready = [i for i in range(len(kernels)) if i not in done and needs[i] <= set(done)]
        if not ready:
            return None
        done.append(ready[0])
    return done


def _no_order(
    kernels: list[tuple[str, CoreKind, tuple[str, ...], list[Op]]], program: Program, reads: Reads
) -> Refused:
    """What is wrong with kernels that wait for each other: a value that is written too early, or what `fuse` says."""
    if _order(kernels, reads, {}) is not None:
        return out_of_place(program, next(one for one in overwrites(program) if one.readers))
    return refuse(
        "PTG304",
        "`fuse` makes kernels wait for each other",
        kernels[0][3][0].span,
        expected="an acyclic order",
    )


def shared(ops: Sequence[Op], defining: Mapping[str, Op]) -> int:
    """The values that cube and vector core would share: products that vector work reads, and what it makes for them."""
    products = {op.result.name: op.kind in PRODUCTS for op in ops}
    return len(
        {
            name
            for op in ops
            for name in (root(v.name, defining) for v in op.operands if isinstance(v, Value))
            if name in products and products[name] != (op.kind in PRODUCTS)
        }
    )


def _titles(name: str, runs: list[tuple[CoreKind, list[Op]]]) -> list[str]:
    """`query` → `query_cube`, `query_vec1`, `query_vec2`: numbers where a word would stand twice."""
    words = ["vec" if core == "vector" else core for core, _ in runs]
    return [
        f"{name}_{word}{words[: at + 1].count(word) if words.count(word) > 1 else ''}" for at, word in enumerate(words)
    ]


def _distinct(
    kernels: Sequence[tuple[str, CoreKind, tuple[str, ...], list[Op]]], given: Mapping[str, HandKernel]
) -> list[tuple[str, CoreKind, tuple[str, ...], list[Op]]]:
    """The kernels, each with a name of its own: an author's C++ has that of its entry, a stage its own, and what is
    named after several stages, or is a part of one, gets a number where its name is one of these."""
    entries = {hand.source.entry for stage, hand in given.items() if hand.source}
    stages = {stage for _, _, names, _ in kernels for stage in names}
    taken: set[str] = set()
    result = []
    for wanted, core, names, ops in kernels:
        hand, name, n = given.get(names[0]), wanted, 1
        while not (hand and hand.source) and (name in entries | taken or (name in stages and names != (name,))):
            n += 1
            name = f"{wanted}_{n}"
        taken |= {name, *((f"{name}_cube", f"{name}_vec") if core == "mixed" else ())}
        result.append((name, core, names, ops))
    return result


def _kernels(
    program: Program,
    row: TilingRow,
    platform: Platform,
    defining: dict[str, Op],
    reads: Reads,
    epochs: Callable[[list[Op]], list[list[Op]]],
    first: First,
) -> list[tuple[str, CoreKind, tuple[str, ...], list[Op]]]:
    """Name, core, stages and operations of each kernel, group of stages after group."""
    kernels: list[tuple[str, CoreKind, tuple[str, ...], list[Op]]] = []
    given, found = hand_kernels(program), groups(program, row)
    for name, stages in zip(group_names(found), found, strict=True):
        if stages[0] in given:
            hand = given[stages[0]]
            name = hand.source.entry if hand.source else hand.name
            kernels.append((name, "vector", stages, [op for op in program.ops if op.stage == stages[0]]))
            continue
        ops = [op for op in program.ops if op.stage in stages and op.kind not in VIEWS | {"either", "only"}]
        parts = [island for epoch in epochs(ops) for island in islands(epoch, program, defining)]
        in_fifos = fifo_slots(row, stages) > 0
        runs: list[tuple[CoreKind, list[Op]]] = []
        for part in parts:
            loops = [loop for loop in program.loops if any(op.loop == loop.name for op in part)]
            alternating, stuck = _runs(part, defining, reads, loops, first)
            one_loop = len({op.loop for op in ops if op.loop}) < 2
            if platform.unified or stuck or (in_fifos and (one_loop or shared(part, defining) <= MOST)):
                runs.append(("mixed" if len(alternating) > 1 else alternating[0][0], part))
            else:
                runs += alternating
        if len(runs) == 1:
            kernels.append((name, runs[0][0], stages, ops))
            continue
        for title, (core, part) in zip(_titles(name, runs), runs, strict=True):
            kernels.append((title, core, tuple(s for s in stages if any(op.stage == s for op in part)), part))
    return kernels


def run(
    program: Program,
    row: TilingRow,
    platform: Platform,
    is_standalone: Callable[[Op], bool] = lambda op: False,
    unfused: Edges = frozenset(),
    grouped: Mapping[str, str] = MappingProxyType({}),
) -> tuple[KernelOps, ...]:
    """Partition the program for one tiling row.

    Args:
        program: the operator.
        row: its tiling row.
        platform: where it will run.
        is_standalone: which operations are kernels of their own.
        unfused: pairs of (reader, value) that must not be in one kernel.
        grouped: which operations are kernels together, by their results, with that of the last one (`column_groups`).
    """
    defining, given, first = defining_ops(program), hand_kernels(program), before_overwrites(program)
    reads: Reads = {name: frozenset(_roots(op, defining)) for name, op in defining.items()}
    joined = {name: last for name, last in grouped.items() if name != last}
    joined |= prologues.run(program, platform, is_standalone, unfused)
    last = frozenset(grouped.values())

    def is_own(op: Op) -> bool:
        return op.result.name in last or is_standalone(op)

    def epochs(ops: list[Op]) -> list[list[Op]]:
        return _epochs(ops, reads, is_own, joined, unfused, first)

    kernels = _kernels(program, row, platform, defining, reads, epochs, first)
    kernels = _distinct(kernels, given)
    order = _order(kernels, reads, first)
    if order is None:
        raise _no_order(kernels, program, reads)
    outputs = {root(value.name, defining) for _, value in program.outputs}
    outputs |= {
        name for op in program.ops if op.kind in SHARED for v in sharing(op) for name in {root(v.name, defining)}
    }
    from_others: list[set[str]] = []
    for *_, ops in kernels:
        from_others.append({name for op in ops for name in reads[op.result.name]} - {op.result.name for op in ops})
    result: list[KernelOps] = []
    for index in order:
        name, core, stages, ops = kernels[index]
        elsewhere = {name for i, names in enumerate(from_others) if i != index for name in names}
        written = {name for kernel in result for name in kernel.writes}
        writes = tuple(op.result.name for op in ops if op.result.name in (outputs | elsewhere) - written)
        slots = (fifo_slots(row, stages) or SLOTS) if core == "mixed" and not platform.unified else 0
        cores = vector_cores(row, stages) if slots else 0
        by_hand = given.get(stages[0])
        result.append(KernelOps(name, core, stages, tuple(ops), writes, ops[0].span, by_hand, slots, cores))
    return tuple(result)
