"""Inputs whose memory outputs take: all that reads them as they were comes before they are overwritten.

before: y = sum(x, axis 0); x' = x + 1, in place of x          y and x' share no value that would order them
after:  x' is made in a later kernel than y, or in the same one where each tile is read before it is written

A value may be read and overwritten in one kernel where an iteration reads no element that another iteration writes:
other iterations may be those of another block. Of a kernel for two cores, which run side by side, one core overwrites
only what it makes of that which the other one read. Where that cannot be seen, readers and writer are kernels apart;
and where the operation itself reads what other iterations of it write (``x' = x + x[0:1]``), or what is read afterwards
as it was before, the new value is computed beside the input and copied to its place at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import CopyOf, Refused, TwoKernels, refuse
from pyptogen.lower.tensor.fit.alternatives import sharing
from pyptogen.lower.tensor.ir import Op, Program, Value
from pyptogen.lower.tensor.program_names import iteration_condition
from pyptogen.lower.tensor.views import read_with, root
from pyptogen.lower.tile.ir import GmRef, Loop, Node, TileKernel, TileOp, distributed_nest, walk_in_loops, walk_loops
from pyptogen.lower.tile.ops import Load, Matmul, ScatterRows, Store
from pyptogen.records import dataclass, replace

Edges = frozenset[tuple[str, str]]
"""Pairs of (reader, value that it reads) that must meet in GM, (x, x) makes x a kernel of its own; and of (what
overwrites an input, what reads it before), which must be in different kernels."""


@dataclass(frozen=True, slots=True)
class Overwrite:
    """An operation that writes to the memory of an input.

    Attributes:
        result: its value.
        tensor: the input.
        output: the value of the spec that lies there in the end.
        readers: results of the other operations that read what is there before.
    """

    result: str
    tensor: str
    output: str
    readers: frozenset[str]


def overwrites(program: Program) -> tuple[Overwrite, ...]:
    """All operations of a fitted program that write to the memory of an input."""
    defining = {op.result.name: op for op in program.ops}
    found: dict[str, Overwrite] = {}
    for name, value in program.outputs:
        if name in program.inplace:
            tensor = program.inplace[name]
            for op in _writers(value.name, defining):
                before = _versions(op, defining) if op.kind == "scatter_update" else {tensor}
                readers = frozenset(other.result.name for other in _readers(before, program, defining) if other != op)
                found[op.result.name] = Overwrite(op.result.name, tensor, name, readers)
    return tuple(found.values())


def _writers(name: str, defining: Mapping[str, Op]) -> Iterator[Op]:
    """The operations whose results lie in the memory of a value, an update before those of what it updates."""
    op = defining.get(root(name, defining))
    if op is not None and op.kind != "either":
        yield op
    if op is not None and op.kind in ("either", "scatter_update"):
        for operand in sharing(op):
            yield from _writers(operand.name, defining)


def _versions(op: Op, defining: Mapping[str, Op]) -> set[str]:
    """What the memory of an update may hold before it."""
    below = {root(operand.name, defining) for operand in sharing(op)}
    deeper = (defining[name] for name in below if name in defining)
    return below.union(*(_versions(one, defining) for one in deeper if one.kind in ("either", "scatter_update")))


def _readers(values: set[str], program: Program, defining: Mapping[str, Op]) -> Iterator[Op]:
    for op in program.ops:
        if op.kind != "either" and op.result.name == root(op.result.name, defining):
            operands = (v.name for v in op.operands if isinstance(v, Value))
            if any(read_with(operand, defining) & values for operand in operands):
                yield op


def last(program: Program) -> Program:
    """The program with each operation that overwrites an input behind those that read it as it was.

    Raises:
        Refused: one of these needs what the operation computes: the new value is to be copied to its place.
    """
    for one in overwrites(program):
        names = [op.result.name for op in program.ops]
        at, end = names.index(one.result), max((names.index(name) + 1 for name in one.readers), default=0)
        if at < end:
            moved = _with_dependents(program.ops[at:end])
            if any(op.loop or op.result.name in one.readers for op in moved):
                raise out_of_place(program, one)
            kept = tuple(op for op in program.ops[at:end] if op not in moved)
            program = replace(program, ops=(*program.ops[:at], *kept, *moved, *program.ops[end:]))
    return program


def _with_dependents(ops: Sequence[Op]) -> list[Op]:
    """The first operation, and those that need it."""
    found = [ops[0]]
    names = {ops[0].result.name}
    for op in ops[1:]:
        decides = {iteration_condition(op.loop)} if op.loop else set()
        if names & (decides | {v.name for v in op.operands if isinstance(v, Value)}):
            found.append(op)
            names.add(op.result.name)
    return found


def before_overwrites(program: Program) -> Mapping[str, frozenset[str]]:
    """By the result of each operation that overwrites an input, the results that are to be made before it."""
    return {one.result: one.readers for one in overwrites(program) if one.readers}


def check(kernel: TileKernel, ops: Sequence[Op], program: Program, platform: Platform, unfused: Edges) -> None:
    """One kernel, cut into tiles: each tile of an input that it overwrites is read before, and by the iteration that
    overwrites it.

    Args:
        kernel: the kernel.
        ops: its operations.
        program: the operator.
        platform: where it will run.
        unfused: pairs of (writer, reader) that are in different kernels already.

    Raises:
        Refused: another operation of the kernel is to be in an earlier one.
        Refused: nothing helps but to compute the new value beside the input.
    """
    mine = {op.result.name for op in ops}
    by_two = kernel.core == "mixed" and not platform.unified
    for one in overwrites(program):
        if one.result in mine and not in_turns(kernel, one.tensor, by_two):
            error = out_of_place(program, one)
            for reader in sorted(one.readers & mine):
                if (one.result, reader) not in unfused:
                    raise error.helped_by(TwoKernels(one.result, reader))
            raise error


def out_of_place(program: Program, one: Overwrite) -> Refused:
    """What asks for a copy of the new value at the end."""
    op = next(op for op in program.ops if op.result.name == one.result)
    return refuse(
        "PTG303",
        f"cannot write `{one.output}` to the memory of `{one.tensor}`, which is still read as it was",
        op.span,
        expected="an update whose iterations read no element that other iterations write",
        fix="give the output memory of its own: leave out `inplace`",
    ).helped_by(CopyOf(one.output))


# -- tiles ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Access:
    """One tile operation that reads or writes a tensor: its place in program order, and the loops around it."""

    op: TileOp
    loops: tuple[Loop, ...]
    at: int


def in_turns(kernel: TileKernel, tensor: str, by_two: bool) -> bool:
    """Whether each element of ``tensor`` is read by the iteration alone that writes it, and before it writes;
    ``by_two`` cores that only wait for each other's values."""
    accesses = [_Access(op, loops, at) for at, (op, loops) in enumerate(walk_in_loops(kernel.body))]
    writes = [a for a in accesses if isinstance(a.op, Store | ScatterRows) and a.op.gm.tensor == tensor]
    reads = [a for a in accesses if a not in writes and a.op.window and a.op.window.tensor == tensor]
    named = any(a.op.index_tensor == tensor for a in accesses) or _decides(kernel.body, tensor)
    if not writes or not (reads or named):
        return True
    plain = all(isinstance(a.op, Load) for a in reads) and all(isinstance(a.op, Store) for a in writes)
    distributed = [loop for loop in walk_loops(kernel.body) if loop.parallel]
    if not plain or named:
        return False
    pairs = [(read, write) for read in reads for write in writes]
    ordered = not by_two or all(_is_waited_for(kernel, read, write) for read, write in pairs)
    return ordered and all(_read_first(read, write, distributed) for read, write in pairs)


def _is_waited_for(kernel: TileKernel, read: _Access, write: _Access) -> bool:
    """Whether a store waits for a load, as it is done by the same core, or stores what follows from it."""
    ops = [op for op, _ in walk_in_loops(kernel.body)]
    accumulators = {op.dst for op in ops if isinstance(op, Matmul)}
    by_cube = isinstance(read.op, Load) and read.op.for_product
    if by_cube == (write.op.srcs[0] in accumulators):
        return True
    within = {tile.name: tile.parent or tile.name for tile in kernel.tiles}
    follows = {within[str(read.op.dst)]}
    for op in ops[read.at + 1 : write.at]:
        if op.dst is not None and any(within.get(str(source)) in follows for source in op.srcs):
            follows.add(within[op.dst])
        elif not isinstance(op, Matmul):  # which adds to what is there
            follows.discard(op.dst or "")
    return within[str(write.op.srcs[0])] in follows


def _decides(nodes: Sequence[Node], tensor: str) -> bool:
    """Whether elements of the tensor decide about iterations."""
    loops = [node for node in nodes if isinstance(node, Loop)]
    return any(
        (loop.only is not None and any(e.tensor == tensor for e in loop.only.elements)) or _decides(loop.body, tensor)
        for loop in loops
    )


def _read_first(read: _Access, write: _Access, distributed: Sequence[Loop]) -> bool:
    """Whether what ``read`` loads in one iteration of the loops around both is written by no other iteration of these,
    and in this one only afterwards. What is in no loop that is ``distributed`` to blocks, each of them does; what is in
    some loops of a nest that is, may be in another block's iteration."""
    if read.at > write.at:
        return False
    common = [loop for loop, other in zip(read.loops, write.loops, strict=False) if loop is other]
    if distributed and not any(loop.parallel and len(distributed_nest(loop)) == 1 for loop in common):
        return False
    own = read.loops[len(common) :], write.loops[len(common) :]
    source, target = read.op.window, write.op.window
    assert source is not None and target is not None
    variables = {loop.var for loop in common}
    if _same_window(source, target, own) and variables <= target.place():
        return True
    return _same_rows(source, target, own, variables)


def _same_window(source: GmRef, target: GmRef, own: tuple[tuple[Loop, ...], tuple[Loop, ...]]) -> bool:
    """The same elements, in the order of loops of the same lengths."""
    lengths = [[(loop.start, loop.stop, loop.tile, loop.every) for loop in loops] for loops in own]
    if lengths[0] != lengths[1]:
        return False
    names = {a.var: b.var for a, b in zip(*own, strict=True)} | {
        a.valid: b.valid for a, b in zip(*own, strict=True) if a.valid is not None and b.valid is not None
    }

    def renamed(poly: Poly | None) -> Poly | None:
        return None if poly is None else poly.renamed(lambda name: names.get(name, name))

    def parts(window: GmRef) -> list[Poly | None]:
        return [
            window.offset, window.k, window.n, window.matrix, window.row_stride, window.col_stride,
            window.rows.valid, window.cols.valid, Poly.of(window.rows.size), Poly.of(window.cols.size),
        ]  # fmt: skip

    return [renamed(p) for p in parts(source)] == parts(target)


def _same_rows(
    source: GmRef, target: GmRef, own: tuple[tuple[Loop, ...], tuple[Loop, ...]], variables: set[str]
) -> bool:
    """Parts of the same rows, where iterations differ in rows alone."""
    both = (source, target)
    if (source.rows, source.row_stride) != (target.rows, target.row_stride):
        return False
    if any(w.col_stride != ONE or w.k.terms or w.n.terms or w.matrix.terms or _overlap(w) for w in both):
        return False
    places = [_rows_and_columns(window) for window in both]
    if places[0][0] != places[1][0] or not variables <= places[0][0].names():
        return False
    inner = {loop.var for loops in own for loop in loops}
    return not any((variables & columns.names()) or (inner & rows.names()) for rows, columns in places)


def _overlap(window: GmRef) -> bool:
    """Whether rows of the window have elements in common."""
    step = window.row_stride.constant
    return step is not None and window.rows.size > 1 and step < window.cols.size


def _rows_and_columns(window: GmRef) -> tuple[Poly, Poly]:
    """The offset as rows, and what is left of it as columns."""
    rows, columns = Poly(), Poly()
    for term in window.offset.terms:
        whole = Poly((term,)).quotient(window.row_stride)
        rows, columns = (rows + whole, columns) if whole is not None else (rows, columns + Poly((term,)))
    return rows, columns
