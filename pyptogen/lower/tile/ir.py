"""Tile level IR: kernels as loop nests over 2-D tiles.

A tile is [rows, cols] of one dtype, with a fixed capacity and a valid prefix that may be smaller at run time. Loop
variables are element offsets (`t0` runs 0, 256, 512 …), so GM addresses are polynomials in them. Where a tile lives is
decided at the Block level.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, TypeVar

from pyptogen.diagnostics import Span
from pyptogen.lower.expr import ONE, RELATIONS, ZERO, Poly
from pyptogen.lower.lately import Lately
from pyptogen.records import dataclass, replace

if TYPE_CHECKING:
    from typing_extensions import Self

Form = Literal["full", "col", "row"]
"""full [R, C]; col [R, 1] (one number a row); row [1, C] (one number a column)."""


@dataclass(frozen=True, slots=True)
class Extent:
    """Capacity in elements, and the valid prefix when it is not the whole capacity."""

    size: int
    valid: Poly | None = None

    def poly(self) -> Poly:
        """The valid extent."""
        return Poly.of(self.size) if self.valid is None else self.valid

    def renamed(self, poly: Callable[[Poly], Poly]) -> Extent:
        """The same with another polynomial."""
        return self if self.valid is None else Extent(self.size, poly(self.valid))


@dataclass(frozen=True, slots=True)
class TileVal:
    """A tile value. ``parent`` makes it a window of another tile (no data of its own): of its columns from
    ``col_offset`` on, and of its rows from ``row_offset`` on. ``is_scales``: no window, but the scales of the operand
    ``parent`` of a product, whose place follows from that of the operand."""

    name: str
    dtype: str
    rows: Extent
    cols: Extent
    form: Form
    span: Span
    parent: str | None = None
    col_offset: int = 0
    row_offset: Poly = ZERO
    is_scales: bool = False

    @property
    def owner(self) -> str:
        """The tile that has the data."""
        return self.name if self.parent is None or self.is_scales else self.parent


@dataclass(frozen=True, slots=True)
class GmTensor:
    """A tensor in global memory: a contract tensor, or a workspace value between kernels. Sizes in elements."""

    name: str
    dtype: str
    shape: tuple[Poly, ...]
    layout: str
    workspace: bool
    span: Span


@dataclass(frozen=True, slots=True)
class GmRef:
    """A 2-D window of a GM tensor; offset and strides in elements. For ``layout: nz`` tensors ``k``/``n`` give the
    window's position in its matrix, ``matrix`` counts the matrices before that, and ``offset`` is unused; where one is
    stored, ``row_stride`` is the number of the matrix's rows."""

    tensor: str
    offset: Poly
    row_stride: Poly
    col_stride: Poly
    rows: Extent
    cols: Extent
    k: Poly = ZERO
    n: Poly = ZERO
    matrix: Poly = ZERO

    def polys(self) -> Iterator[Poly]:
        """Offsets, strides and extents."""
        yield from (self.offset, self.row_stride, self.col_stride, self.k, self.n, self.matrix)
        yield from (self.rows.poly(), self.cols.poly())

    def place(self) -> frozenset[str]:
        """The names that say where it begins."""
        return frozenset().union(*(p.names() for p in (self.offset, self.k, self.n, self.matrix)))

    def renamed(self, poly: Callable[[Poly], Poly]) -> GmRef:
        """The same with other polynomials."""
        return GmRef(
            self.tensor, poly(self.offset), poly(self.row_stride), poly(self.col_stride),
            self.rows.renamed(poly), self.cols.renamed(poly), poly(self.k), poly(self.n), poly(self.matrix),
        )  # fmt: skip

    def plain(self, tensor: GmTensor) -> GmRef:
        """The same window of an `nz` tensor, were its matrices row-major."""
        rows, columns = tensor.shape[-2:]
        offset = (self.matrix * rows + self.k) * columns + self.n
        return replace(self, offset=offset, row_stride=columns, col_stride=ONE)


@dataclass(frozen=True, slots=True)
class ScalarArg:
    """A scalar operand: C++ text over attrs, and the same as a sympy expression for the interpreters."""

    expr: Any
    span: Span


Source = str | ScalarArg


@dataclass(frozen=True, slots=True)
class TileOp:
    """What every operation has: a result, sources, its place in the spec, its stage. The operations are in `ops`.

    Any pass may ask any operation the questions below.
    """

    dst: str | None
    srcs: tuple[Source, ...]
    span: Span
    stage: str

    mnemonic: ClassVar[str] = ""
    """What the operation is called in text."""
    spelled: ClassVar[tuple[str, ...]] = ()
    """The fields that this name tells."""

    @classmethod
    def of(cls, op: TileOp, dst: str | None, *srcs: Source, **fields: Any) -> Self:
        """An operation of this class at the place of another one."""
        return cls(dst, srcs, op.span, op.stage, **fields)

    @property
    def operands(self) -> tuple[str, ...]:
        """The tiles among the sources."""
        return tuple([source for source in self.srcs if isinstance(source, str)])

    @property
    def tiles(self) -> tuple[str, ...]:
        """Every tile that it names: its result, the one that it works in, its operands."""
        return (*self.written, *self.operands)

    @property
    def scratches(self) -> tuple[str, ...]:
        """The tile that its instruction works in, if it wants one."""
        return ()

    @property
    def written(self) -> tuple[str, ...]:
        """The tiles that it writes, the one that it works in among them."""
        return (*((self.dst,) if self.dst is not None else ()), *self.scratches)

    @property
    def window(self) -> GmRef | None:
        """What it reads or writes in GM, beside an index."""
        return None

    @property
    def index_tensor(self) -> str | None:
        """The tensor in GM of which it reads indices."""
        return None

    @property
    def tensors(self) -> tuple[str, ...]:
        """The tensors in GM that it reads or writes, that of an index included."""
        window = None if self.window is None else self.window.tensor
        return tuple(tensor for tensor in (window, self.index_tensor) if tensor is not None)

    @property
    def accumulates(self) -> bool:
        """Whether it may read its result before it writes it."""
        return False

    def polys(self) -> Iterator[Poly]:
        """Offsets, strides, extents and bounds."""
        for name in _fields(type(self), "Poly"):
            poly = getattr(self, name)
            if poly is not None:
                yield poly
        if self.window is not None:
            yield from self.window.polys()

    def renamed(self, poly: Callable[[Poly], Poly], loop: Callable[[str], str], tile: Callable[[str], str]) -> Self:
        """The same with other polynomials, loop variables and tiles."""
        changed: dict[str, Any] = {}
        for name in _fields(type(self), "Poly"):
            value = getattr(self, name)
            changed[name] = None if value is None else poly(value)
        for name in _fields(type(self), "tuple[str, ...]"):
            changed[name] = tuple(map(loop, getattr(self, name)))
        if self.window is not None:
            changed["gm"] = self.window.renamed(poly)
        if self.scratches:
            changed["scratch"] = tile(self.scratches[0])
        srcs = tuple(tile(source) if isinstance(source, str) else source for source in self.srcs)
        return replace(self, dst=None if self.dst is None else tile(self.dst), srcs=srcs, **changed)


_FIELDS: dict[tuple[type[TileOp], str], tuple[str, ...]] = {}


def _fields(operation: type[TileOp], kind: str) -> tuple[str, ...]:
    """The fields of an operation that have a type, or None in its place."""
    found = _FIELDS.get((operation, kind))
    if found is None:
        found = tuple(field.name for field in fields(operation) if field.type in (kind, f"{kind} | None"))
        _FIELDS[operation, kind] = found
    return found


@dataclass(frozen=True, slots=True)
class Element:
    """The whole number ``name`` = element ``offset`` of a tensor in GM. ``places``: how many places there are for an
    index that a kernel computed; one that names none is made to fit."""

    name: str
    tensor: str
    offset: Poly
    span: Span
    bound: Poly | None = None


@dataclass(frozen=True, slots=True)
class Comparison:
    """``left relation right``, of names that are known where it stands."""

    left: Poly
    relation: str
    right: Poly

    def __str__(self) -> str:
        return f"{self.left} {self.relation} {self.right}"


@dataclass(frozen=True, slots=True)
class Owner:
    """The owner-computes rule: the block at hand owns the place ``at``. Of a loop in steps of ``tile`` from 0 on that
    is distributed to the blocks of a launch, it has the iteration that the place is in."""

    at: Poly
    tile: int

    def __str__(self) -> str:
        return f"owner of {self.at} in tiles of {self.tile}"

    def is_block(self, block: int, blocks: int, numbers: Mapping[str, int]) -> bool:
        """Whether it is block number ``block``."""
        return self.at.evaluate(numbers) // self.tile % blocks == block


@dataclass(frozen=True, slots=True)
class Condition:
    """All ``comparisons`` hold, of loop variables, dims, attrs and ``elements`` that are read for it, and the block at
    hand is the ``owner``, if there is one."""

    elements: tuple[Element, ...]
    comparisons: tuple[Comparison, ...]
    span: Span
    owner: Owner | None = None

    def __str__(self) -> str:
        bounds = (f" of {e.bound}" if e.bound is not None else "" for e in self.elements)
        reads = "".join(f"{e.name} = {e.tensor}[{e.offset}]{of}; " for e, of in zip(self.elements, bounds, strict=True))
        return f"{reads}{' and '.join(map(str, (*self.comparisons, *([self.owner] if self.owner else []))))}"

    def holds(
        self, element: Callable[[Element], int], known: Mapping[str, float | int], block: int = 0, blocks: int = 1
    ) -> bool:
        """Whether it holds in a block; ``element`` reads GM, ``known`` are the numbers of names."""
        numbers: dict[str, Any] = {**known, **{e.name: element(e) for e in self.elements}}
        sides = ((c.left.evaluate(numbers), c.relation, c.right.evaluate(numbers)) for c in self.comparisons)
        owned = self.owner is None or self.owner.is_block(block, blocks, numbers)
        return owned and all(RELATIONS[relation](left, right) for left, relation, right in sides)

    def polys(self) -> Iterator[Poly]:
        """Its offsets, both sides of its comparisons, and the place that is owned."""
        for element in self.elements:
            yield from (p for p in (element.offset, element.bound) if p is not None)
        for comparison in self.comparisons:
            yield from (comparison.left, comparison.right)
        if self.owner is not None:
            yield self.owner.at

    def names(self) -> set[str]:
        """What it needs to know, besides what it reads."""
        return {name for poly in self.polys() for name in poly.names()} - {e.name for e in self.elements}


def half_of(rows: int, subblock: int) -> tuple[int, int]:
    """The part of a vector core in the rows of a tile that two share: its first row, and how many it has. Both have the
    larger half, so that each has a row where there is one; the middle one of an odd number is done by both."""
    half = (rows + 1) // 2
    return subblock * (rows - half), half


def parts_of_tile(start: Poly, stop: Poly, step: int, tiles: Mapping[str, int]) -> int | None:
    """How many iterations a loop has at most that begins where a tile does and ends with it; None of other loops.
    ``tiles``: sizes by the names of their valid extents."""
    if not start.names():
        return None
    sizes = {Poly.of(name): tile for name, tile in tiles.items()}
    size = sizes.get(stop - start, (stop - start).constant)
    return None if size is None else -(-size // step)


LoopRole = Literal["grid", "reduce", "sub", "sequential"]
IndexSet = Literal["", "partial", "full", "columns", "masked"]
"""What index-set splitting made a loop for: rows whose causal bound lies inside of the iteration's block; rows whose
bound lies behind it; the columns up to a bound; or what conditional masks made it for: the mask of a block in which the
bound of some rows lies.
Empty: none of these."""


@dataclass(frozen=True, slots=True)
class Loop:
    """``for var in start..stop step tile``; ``valid`` names the extent of this iteration's tile, min(tile, stop - var),
    or is None when the tile always is whole. ``parallel``: iterations are distributed to the blocks of a launch; of
    parallel loops that are directly nested, all iterations together (`distributed_nest`).
    ``slot`` (Block level) counts the iterations of the body, modulo ``slots``, over the whole kernel: it tells which
    copy of its buffers an iteration uses. Iterations at or after ``before``, and those whose tiles end at or before
    ``after``, are left out; ``valid`` goes by ``stop`` all the same. ``once``: the first iteration alone, which may be
    left out too: a condition. Iterations in which ``only`` does not hold are left out, and ``slot`` does not count
    them. ``half``: the vector core's part of the iteration's tile, where two cores share it: the names of its first
    row in the tile and of the number of its rows, `half_of` the valid ones. ``index_set`` is for readers:
    `IndexSet`. ``every``: of the tiles from ``start`` on, each so manyth (a cyclic distribution), as of
    a reduction in parts."""

    var: str
    dim: str
    start: Poly
    stop: Poly
    tile: int
    valid: str | None
    role: LoopRole
    parallel: bool
    body: tuple[Node, ...]
    span: Span
    slot: str | None = None
    slots: int = 1
    after: Poly | None = None
    before: Poly | None = None
    once: bool = False
    only: Condition | None = None
    half: tuple[str, str] | None = None
    index_set: IndexSet = ""
    every: int = 1

    @property
    def advance(self) -> int:
        """From one iteration to the next."""
        return self.tile * self.every

    def bounds(self) -> tuple[Poly, ...]:
        """All polynomials that say where the loop begins and ends."""
        return (self.start, self.stop, *(p for p in (self.after, self.before) if p is not None))


Node = Loop | TileOp


class _Distributable(Protocol):
    @property
    def parallel(self) -> bool: ...

    @property
    def body(self) -> tuple[Any, ...]: ...

    @property
    def slot(self) -> str | None: ...


_Nested = TypeVar("_Nested", bound=_Distributable)


def distributed_nest(outer: _Nested) -> tuple[_Nested, ...]:
    """The loops, from ``outer`` inwards, whose iterations are distributed as one product: counted row by row, a block
    of a launch of n blocks takes every n-th. Each loop but the last holds nothing but the next one. Empty if ``outer``
    is not parallel."""
    nest: list[_Nested] = []
    nodes: tuple[Any, ...] = (outer,)
    while len(nodes) == 1 and isinstance(nodes[0], type(outer)) and nodes[0].parallel:
        nest.append(nodes[0])
        nodes = nodes[0].body
    return tuple(nest)


def is_one_nest(outer: _Distributable) -> bool:
    """Whether a loop, if it is parallel, has no parallel loops in it but those of its `distributed_nest`, of which only
    the last has buffers that rotate."""
    nest = distributed_nest(outer)

    def holds_another(nodes: Sequence[Any]) -> bool:
        loops = [node for node in nodes if isinstance(node, type(outer))]
        return any(loop.parallel or holds_another(loop.body) for loop in loops)

    return not nest or not (holds_another(nest[-1].body) or any(loop.slot for loop in nest[:-1]))


@dataclass(frozen=True, slots=True)
class Fifo:
    """A fifo of ``slots`` tiles in GM through which the cube core of a mixed kernel hands tiles to its vector core
    (``to`` vector) or gets them (``to`` cube). A slot holds the valid part of a tile of up to ``rows`` x ``cols``
    elements, row after row without a gap. ``name`` is the fifo as an argument, ``slot`` what the popped slot is called
    as a tensor; ``number`` tells the fifos of a kernel apart; ``both``: two vector cores share the tiles' rows;
    ``unit_flags``: what is pushed is an accumulator that unit flags hand over (`unit_flags`)."""

    name: str
    slot: str
    dtype: str
    rows: int
    cols: int
    slots: int
    to: Literal["cube", "vector"]
    number: int
    span: Span
    both: bool = False
    unit_flags: bool = False


@dataclass(frozen=True, slots=True)
class TileKernel:
    """One kernel. ``launch_dim`` is the dynamic dim whose range [begin, end) a launch is given; ``dims`` the other
    dynamic dims it is told; ``sizes`` the tiles as the author wrote them, with their places; ``longest`` the largest
    range of the launch dim that a launch gets (0: any); ``depths`` the copies of buffers that the author wants, by
    stage. ``slots``: of a mixed kernel whose cores are separate, the tiles that its fifos hold; ``fifos``: the fifos of
    one of its two programs; ``vector_cores``: how many vector cores the author wants beside the cube core (0: as the
    compiler likes); ``subblock``: of a vector program that two of them run, the name of the number of each, 0 or 1."""

    name: str
    core: Literal["cube", "vector", "mixed"]
    stages: tuple[str, ...]
    tensors: tuple[GmTensor, ...]
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    scalars: tuple[str, ...]
    launch_dim: str | None
    dims: tuple[str, ...]
    tiles: tuple[TileVal, ...]
    body: tuple[Node, ...]
    sizes: tuple[tuple[str, int, Span], ...]
    span: Span
    longest: int = 0
    depths: tuple[tuple[str, int], ...] = ()
    signature: tuple[str, ...] | None = None
    """Argument names where an author gave them."""
    slots: int = 0
    fifos: tuple[Fifo, ...] = ()
    vector_cores: int = 0
    subblock: str | None = None

    @property
    def arguments(self) -> tuple[str, ...]:
        """Argument names of the kernel's entry, in order."""
        if self.signature is not None:
            return self.signature
        bounds = (f"{self.launch_dim}_begin", f"{self.launch_dim}_end") if self.launch_dim else ()
        return (*(t.name for t in self.tensors), *self.scalars, *bounds, *self.dims, "nblk")

    @property
    def addressable(self) -> tuple[GmTensor, ...]:
        """What windows may lie in: the tensors, and the popped slots of fifos."""
        views = (GmTensor(f.slot, f.dtype, (Poly.of(f.rows * f.cols),), "nd", True, f.span) for f in self.fifos)
        return (*self.tensors, *views)

    def tile(self, name: str) -> TileVal:
        for tile in self.tiles:
            if tile.name == name:
                return tile
        raise KeyError(name)


def walk(nodes: Sequence[Node]) -> Sequence[TileOp]:
    """Every operation, in program order."""
    return _walked.of(nodes, _walk)


def _walk(nodes: Sequence[Node]) -> list[TileOp]:
    found: list[TileOp] = []
    for node in nodes:
        if isinstance(node, Loop):
            found += _walk(node.body)
        else:
            found.append(node)
    return found


_walked = Lately[Sequence[Node], Sequence[TileOp]]()
"""Most passes ask for the operations of the same kernels."""


def rewrite(nodes: Sequence[Node], change: Callable[[TileOp], Iterable[Node]]) -> tuple[Node, ...]:
    """The same loops, with what ``change`` makes of each operation in its place."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            result.append(replace(node, body=rewrite(node.body, change)))
        else:
            result += change(node)
    return tuple(result)


def walk_in_loops(nodes: Sequence[Node], around: tuple[Loop, ...] = ()) -> Iterator[tuple[TileOp, tuple[Loop, ...]]]:
    """Every operation, in program order, and the loops around it, the outermost first."""
    for node in nodes:
        if isinstance(node, Loop):
            yield from walk_in_loops(node.body, (*around, node))
        else:
            yield node, around


def walk_loops(nodes: Sequence[Node]) -> Iterator[Loop]:
    """Every loop, outer ones first."""
    for node in nodes:
        if isinstance(node, Loop):
            yield node
            yield from walk_loops(node.body)


def tile_sizes(nodes: Sequence[Node]) -> dict[str, list[int]]:
    """Tile of each dim that a kernel loops over, from the outer loop to the inner."""
    sizes: dict[str, list[int]] = {}
    for node in nodes:
        if isinstance(node, Loop):
            for dim, tiles in {node.dim: [node.tile], **tile_sizes(node.body)}.items():
                sizes[dim] = [*([node.tile] if dim == node.dim and tiles != [node.tile] else []), *tiles]
    return sizes


__all__ = [
    "ONE",
    "ZERO",
    "Comparison",
    "Condition",
    "Element",
    "Extent",
    "Fifo",
    "Form",
    "GmRef",
    "GmTensor",
    "Loop",
    "Node",
    "Poly",
    "ScalarArg",
    "TileKernel",
    "TileOp",
    "TileVal",
    "half_of",
    "parts_of_tile",
    "tile_sizes",
    "walk",
    "walk_loops",
]
