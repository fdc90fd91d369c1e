"""Legality of names: all that the text of a kernel says is an argument, or made before by the kernel itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Imm,
    Instr,
    InstrKernel,
    Node,
    Pass,
    ReadIndex,
    SetFlag,
    SkipIfNegative,
    WaitFlag,
    walk,
)
from pyptogen.lower.tile.ir import Extent
from pyptogen.lower.verify import require


def verify(kernel: InstrKernel) -> None:
    """Numbers and tensors that a kernel names are arguments, loop variables around or numbers that it has read; its
    tiles are declared before.

    Raises:
        IllegalIR: a name that nothing binds (a fault of the compiler).
    """
    bound = {*kernel.arguments, *(fifo.slot for fifo in kernel.fifos), *(fifo.name for fifo in kernel.fifos)}
    bound |= {node.slot for node in walk(kernel.body) if isinstance(node, For) and node.slot is not None}
    bound |= {kernel.subblock} if kernel.subblock is not None else set()
    _check(kernel.body, bound, set(), kernel.name)


def _check(nodes: Sequence[Node], bound: set[str], tiles: set[str], kernel: str) -> None:
    bound, tiles = set(bound), set(tiles)
    for node in nodes:
        missing = set(numbers(node)) - bound - (_inside(node) if isinstance(node, For) else set())
        missing |= set(_tiles(node)) - tiles
        require(not missing, f"kernel {kernel} names {', '.join(sorted(missing))}, which nothing binds", node.span)
        if isinstance(node, For):
            _check(node.body, bound | _inside(node), tiles, kernel)
        elif isinstance(node, ReadIndex):
            bound.add(node.name)
        elif isinstance(node, Declare):
            tiles.add(node.name)


def _inside(node: For) -> set[str]:
    """What a loop binds for its body."""
    names = {node.var, *((node.valid,) if node.valid else ()), *(node.half or ())}
    return names | ({element.name for element in node.only.elements} if node.only is not None else set())


def numbers(node: Node) -> Iterator[str]:
    """The numbers and tensors that a node names."""
    if isinstance(node, For):
        for poly in (node.start, node.stop, node.after, node.before):
            yield from _of(poly)
        if node.only is not None:
            yield from node.only.names()
            yield from (element.tensor for element in node.only.elements)
    elif isinstance(node, Declare | Pass):
        yield from _of(node.rows)
        yield from _of(node.cols)
        if isinstance(node, Declare):
            yield from _of(node.address)
        else:
            yield from (name for member in node.members for name in numbers(member))
    elif isinstance(node, Choose):
        yield from (word for word in node.zero.split() if word != "+")
        yield from numbers(node.then)
        yield from numbers(node.other)
    elif isinstance(node, Instr):
        for operand in node.operands:
            yield from _of_operand(operand)
    elif isinstance(node, ReadIndex):
        yield node.tensor
        yield from _of(node.offset)
        yield from _of(node.bound)
        yield from _of(node.plus)
    elif isinstance(node, SkipIfNegative):
        yield node.name
    elif isinstance(node, SetFlag | WaitFlag) and node.slot is not None:
        yield node.slot


def _of_operand(operand: object) -> Iterator[str]:
    if isinstance(operand, GmWindow):
        yield operand.tensor
        for part in (operand.offset, operand.rows, operand.cols, operand.row_stride, operand.col_stride):
            yield from _of(part)
    elif isinstance(operand, Imm):
        yield from (symbol.name for symbol in getattr(operand.expr, "free_symbols", ()))
    elif isinstance(operand, FifoRef):
        yield operand.name
    elif isinstance(operand, Poly):
        yield from _of(operand)


def _of(value: Poly | Extent | None) -> Iterator[str]:
    poly = value.valid if isinstance(value, Extent) else value
    yield from poly.names() if poly is not None else ()


def _tiles(node: Node) -> Iterator[str]:
    """The tiles that an instruction names."""
    if isinstance(node, Pass):
        yield from (name for member in node.members for name in _tiles(member) if name in node.tiles)
    elif isinstance(node, Choose):
        yield from _tiles(node.then)
        yield from _tiles(node.other)
    elif isinstance(node, Instr):
        yield from (operand for operand in node.operands if isinstance(operand, str))
