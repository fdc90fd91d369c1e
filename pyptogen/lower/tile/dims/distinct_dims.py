"""Pass: no value has one dim on two axes, so that a loop over the rows is never taken for one over the columns; and
axes that belong together have one name, so that a loop over one is a loop over both.

before: y = matmul(x: [b, h], w: [h, h])             z = add(y: [b, h], x: [b, h])
after:  y = matmul(x: [b, h], w: [h, h_twin])        z = add(y: [b, h_twin], x_twin: [b, h_twin])

before: y = matmul(x: [b, k], w: [k2, n]) + bias: [m]                               k2 = k and m = n, by their numbers
after:  y = matmul(x: [b, k], w_twin: [k, n]) + bias_twin: [n]

A twin is a dim of the same size, with the tiles that the tiling row gives the original; but 1 where both count rows of
a value: a tile has rows of one dim. `x_twin` is a view: the same elements under other names, free for what lies in GM.
In a product the depth differs from rows and columns as well.

Afterwards each axis that loops may cut has a name of its own within its value, and the operands of an operation agree
in the names of the axes that belong together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence, Set
from typing import Any

from pyptogen.lower.tensor.ir import (
    ARG_REDUCE,
    BINARY,
    PRODUCTS,
    REDUCE,
    ROUNDING,
    SCAN,
    UNARY,
    VIEWS,
    Dim,
    Op,
    Operand,
    Program,
    Shape,
    TilingRow,
    Value,
)
from pyptogen.lower.tensor.legality import dim_table
from pyptogen.lower.tensor.program_names import FreeNames, dim_symbol
from pyptogen.lower.tile.dims.tiles_of import with_tiles_of
from pyptogen.lower.tile.sizes.sizes import Selected
from pyptogen.records import replace

_KEEPS_AXES = REDUCE | ARG_REDUCE | SCAN | {"prod"}
MOST_RENAMED = 64
"""Operations in a chain that is done under other names of its axes; a longer one is kept as it is and renamed in GM."""
_SINGLE = UNARY | BINARY | ROUNDING | {"cast", "where"}
"""Operations on single elements: their operands may be renamed in the place of their results."""
_OTHERS_AXES = frozenset({"gather", "index_select", "scatter", "index_add", "by_hand", "full", "positions",
                          "topk_values", "topk_indices"})  # fmt: skip
"""Operations whose result has its axes from elsewhere: they are named as they come."""


def run(program: Program, rows: Sequence[Selected]) -> tuple[Program, tuple[Selected, ...]]:
    """The program and its tiling rows with distinct dims; as they are where nothing is twice."""
    namer = _Namer(program)
    starts = namer.name_all()
    if starts:
        program = replace(program, ops=tuple(_started(op, starts) for op in program.ops))
        namer = _Namer(program)
        namer.name_all()
    inputs = tuple(namer.now[value.name] for value in program.inputs)
    if tuple(namer.ops) == program.ops and inputs == program.inputs:
        return program, tuple(rows)
    carried = {carry: namer.following.get(after, after) for loop in program.loops for carry, after in loop.carried}
    loops = tuple(
        replace(loop, carried=tuple((carry, carried[carry]) for carry, _ in loop.carried)) for loop in program.loops
    )
    renamed = replace(
        program,
        dims=namer.every_dim(),
        inputs=inputs,
        outputs=tuple((name, namer.now[value.name]) for name, value in program.outputs),
        ops=tuple(namer.ops),
        loops=loops,
    )
    of_one = _beside_originals(renamed, namer.original)
    rows = [replace(row, row=with_tiles_of(row.row, namer.original)) for row in rows]
    return renamed, tuple(replace(row, row=_with_tiles_of_one(row.row, of_one)) for row in rows)


def _beside_originals(program: Program, original: Mapping[str, str]) -> frozenset[str]:
    """The twins that count rows of a computed value beside their originals, or beside other twins of these."""
    found: set[str] = set()
    for op in program.ops:
        rows = [s.name for size in op.result.shape[:-1] for s in size.free_symbols] if op.kind not in VIEWS else []
        families = [original.get(name, name) for name in rows]
        found.update(name for at, name in enumerate(rows) if name in original and families.count(families[at]) > 1)
    return frozenset(found)


def _with_tiles_of_one(row: TilingRow, dims: Set[str]) -> TilingRow:
    """The row with the tile 1 for each of these dims that it gives another one."""
    return replace(
        row, sizes={scope: {d: 1 if d in dims else t for d, t in of.items()} for scope, of in row.sizes.items()}
    )


class _Namer:
    """Names the axes of one value after the other."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.dims = {dim.name: dim for dim in program.dims if dim.value != 1}
        self.table = dim_table(program)
        self._equal: dict[tuple[Any, Any], bool] = {}
        """What is known of pairs of sizes; sympy takes some milliseconds for each."""
        self.names = FreeNames(program)
        self.twins: dict[str, Dim] = {}
        self.original: dict[str, str] = {}
        self.now: dict[str, Value] = {}
        """Each value with the names that its axes have now."""
        self.defining: dict[str, Op] = {}
        self.views: dict[tuple[str, Shape], Value] = {}
        self.following: dict[str, str] = {}
        """The view that leads to the next iteration in the place of a value."""
        self.ops: list[Op] = []
        self._loaded: dict[str, bool] = {}
        """Whether a result is a view of an input; like the next, noted as operations come, so that no chain of them is
        followed again and again."""
        self._chain: dict[str, int] = {}
        """Of what is made of single elements of what is for one reader alone, or by a cast alone: the length of the
        longest chain that leads to it. 0 of anything else."""
        self.reads = Counter(v.name for op in program.ops for v in _values(op))
        self.reads.update(value.name for _, value in program.outputs)
        self.reads.update(name for loop in program.loops for pair in loop.carried for name in pair)

    def name_all(self) -> dict[str, Shape]:
        """Name the axes of all values. Gives the shapes that starts of loops should have had: numbers filled in
        (``full``) whose sizes are given as numbers, and that the iterations know under the names of dims."""
        self.now |= {value.name: self.distinct(value) for value in self.program.inputs}
        for op in self.program.ops:
            self.add(op)
        starts: dict[str, Shape] = {}
        for loop in self.program.loops:
            for carry, after in loop.carried:
                (start,) = _values(self.defining[carry])
                shape = tuple(self._base(size) for size in self.now[after].shape)
                maker = self.defining.get(start.name)
                if maker is not None and maker.kind == "full" and shape != tuple(map(self._base, start.shape)):
                    starts[start.name] = shape
        return starts

    def add(self, op: Op) -> None:
        """Name the axes of an operation's result, and give it operands that agree with them."""
        values = [self.now[v.name] for v in _values(op)]
        wanted, shape = self._named(op, [value.shape for value in values])
        seen = iter([self.view(value, axes, op) for value, axes in zip(values, wanted, strict=True)])
        operands: tuple[Operand, ...] = tuple(next(seen) if isinstance(v, Value) else v for v in op.operands)
        attrs: Mapping[str, Any] = {**op.attrs, "shape": shape} if op.kind in ("reshape", "expand") else op.attrs
        self._emit(replace(op, operands=operands, result=replace(op.result, shape=shape), attrs=attrs))
        for loop in self.program.loops:
            for carry, after in loop.carried:
                both = carry in self.now and after in self.now
                if both and op.result.name in (carry, after) and self.now[carry].shape != self.now[after].shape:
                    self.following[after] = self.view(self.now[after], self.now[carry].shape, op).name

    def _emit(self, op: Op) -> None:
        self.ops.append(op)
        self.defining[op.result.name] = op
        self.now[op.result.name] = op.result
        loaded = all(self._is_loaded(v.name) for v in _values(op))
        cheap = op.kind == "cast" and loaded
        if self.reads[op.result.name] == 1:
            cheap = op.kind in _SINGLE and all(self._is_free(v.name, op) for v in _values(op))
        length = 1 + max((self._chain.get(v.name, 0) for v in _values(op)), default=0)
        self._chain[op.result.name] = length if cheap and length <= MOST_RENAMED else 0
        self._loaded[op.result.name] = op.kind in VIEWS and loaded

    def _named(self, op: Op, shapes: list[Shape]) -> tuple[list[Shape], Shape]:
        """The axes that each operand should have, and those of the result."""
        given = op.result.shape
        if op.kind in PRODUCTS:
            return self._product(shapes)
        if op.kind == "scatter_update":  # an index for each row of the source
            x, index, source = shapes
            return [x, self._aligned(index, source[: len(index)]), source], self._distinct(given)
        if op.kind == "gathered":
            x, index = shapes
            axis = int(op.attrs["axis"])
            result = self._distinct((*x[:axis], *index, *x[axis + 1 :]))
            return [(*result[:axis], x[axis], *result[axis + 1 :]), result[axis : axis + 1]], result
        if op.kind == "only":
            return [self._aligned(shape, self._of_carried(op, len(shape))) for shape in shapes], given
        if op.kind in _OTHERS_AXES or not shapes:
            return shapes, self._distinct(given)
        first = shapes[0]
        if op.kind == "transpose":
            return shapes, (*first[:-2], first[-1], first[-2])
        if op.kind in ("permute", "reorder"):
            return shapes, tuple(first[axis] for axis in op.attrs["axes"])
        if op.kind in _KEEPS_AXES or op.kind in ("slice", "block"):
            axis = int(op.attrs["axis"])
            size = first[axis] if self._same(first[axis], given[axis]) else given[axis]
            return shapes, self._distinct((*first[:axis], size, *first[axis + 1 :]))
        if op.kind == "unfold":
            axis = int(op.attrs["axis"])
            return shapes, self._distinct((*first[:axis], given[axis], *first[axis + 1 :], given[-1]))
        if op.kind == "reshape":
            return shapes, self._reshaped(first, given)
        if op.kind in ("carry", "carried"):
            return [first] * len(shapes), first
        result = self._broadcast(op, shapes)
        skipped = int(op.attrs["axis"]) if op.kind == "concat" else None
        return [self._aligned(shape, result, skipped) for shape in shapes], result

    def _of_carried(self, only: Op, rank: int) -> Shape:
        """The axes of the carried values that a condition of their iterations is for; of size 1, where they have
        fewer."""
        carried = [carry for loop in self.program.loops if loop.name == only.loop for carry, _ in loop.carried]
        widest = max((self.now[name].shape for name in carried if name in self.now), key=len, default=())
        return (*(1,) * (rank - len(widest)), *widest)

    def _product(self, shapes: list[Shape]) -> tuple[list[Shape], Shape]:
        """Rows are named by the left operand, columns by the right one, the depth by either or anew."""
        a, b, *scales = shapes
        lead = a[:-2] if len(b) == 2 else tuple(y if x == 1 else x for x, y in zip(a[:-2], b[:-2], strict=True))
        result = self._distinct((*lead, a[-2], b[-1]))
        used = self._names(result)
        depth = next((size for size in (a[-1], b[-2]) if not self._names((size,)) & used), None)
        if depth is None:
            depth = self._distinct((*result, a[-1]))[-1]
        left, right = (self._aligned(shape[:-2], result[: len(shape) - 2]) for shape in (a, b))
        named = [(*left, result[-2], depth), (*right, depth, result[-1])]
        of_scales = [(result[-2], scales[0][-1]), (scales[1][0], result[-1])] if scales else []
        return [*named, *of_scales], result

    def _broadcast(self, op: Op, shapes: Sequence[Shape]) -> Shape:
        """The names of each axis: of what is computed before what is loaded, which costs nothing to rename."""
        order = sorted(zip(_values(op), shapes, strict=True), key=lambda pair: self._is_free(pair[0].name, op))
        named = list(op.result.shape)
        for axis in range(1, len(named) + 1):
            sizes = [shape[-axis] for _, shape in order if axis <= len(shape)]
            same = [size for size in sizes if self._same(size, named[-axis])]
            named[-axis] = next((size for size in same if not size.is_number and not size.is_Add), named[-axis])
        return self._distinct(tuple(named))

    def _is_loaded(self, name: str) -> bool:
        """Whether a value lies in GM before the operator runs: an input, or a view of one."""
        return self._loaded.get(name, True)

    def _is_free(self, name: str, reader: Op) -> bool:
        """Whether other names of a value's axes cost next to nothing: it is loaded, or made of single elements of what
        is for this reader alone, or by a cast alone, which is done again."""
        return self._is_loaded(name) or self._is_made_for(self.defining[name], reader)

    def _is_made_for(self, maker: Op, reader: Op) -> bool:
        return self._chain[maker.result.name] > 0 and (maker.stage, maker.loop) == (reader.stage, reader.loop)

    def _aligned(self, shape: Shape, result: Shape, skipped: int | None = None) -> Shape:
        """An operand's axes under the names of the result's, but for the axis ``skipped``, and for those of size 1."""
        shift = len(result) - len(shape)
        axes = enumerate(shape, shift)
        return tuple(s if s == 1 or at == skipped or not self._same(s, result[at]) else result[at] for at, s in axes)

    def _reshaped(self, source: Shape, given: Shape) -> Shape:
        """Whole dims keep their names; a reshape that only adds or drops axes of size 1 keeps those of numbers, too."""
        axes = [size for size in source if size != 1]
        kept = [size for size in given if size != 1]
        if len(axes) == len(kept) and all(map(self._same, axes, kept)):
            following = iter(axes)
            sizes = [(size, next(following) if size != 1 else size) for size in given]
            given = tuple(named if size.is_Integer else size for size, named in sizes)
        names = [symbol for size in source for symbol in self._symbols(size)]
        left = list(names)
        result = []
        for size in given:
            replaced = {}
            for symbol in self._symbols(size):
                if left and self._base(left[0]) == self._base(symbol):
                    replaced[symbol] = left.pop(0)
            result.append(size.xreplace(replaced))
        return self._distinct(tuple(result))

    def view(self, value: Value, shape: Shape, reader: Op) -> Value:
        """The value under other names of its axes; a transposed one is renamed before it is transposed, and one that is
        made for this reader of what is loaded has its operands renamed."""
        if value.shape == shape:
            return value
        key = (value.name, shape)
        if key in self.views:
            return self.views[key]
        maker = self.defining.get(value.name)
        alone = self.reads[value.name] == 1
        if maker is not None and alone and self._is_made_for(maker, reader):
            self.ops.remove(maker)
            self._emit(self._renamed(maker, replace(value, shape=shape)))
            return self.now[value.name]
        name = self.names.take(f"{value.name}_twin")
        result = replace(value, name=name, shape=shape, layout="nd" if maker else value.layout)
        if maker is not None and self._is_made_for(maker, reader):
            self._emit(self._renamed(maker, result))
        elif maker is not None and maker.kind == "transpose":
            (source,) = maker.operands
            assert isinstance(source, Value)
            operand = self.view(source, (*shape[:-2], shape[-1], shape[-2]), maker)
            self._emit(replace(maker, operands=(operand,), result=result))
        else:
            stage, loop = (maker.stage, maker.loop) if maker is not None else (reader.stage, "")
            attrs = {"shape": shape, "renames": True}
            self._emit(Op("reshape", (value,), result, attrs, stage, reader.span, loop))
        self.views[key] = result
        return result

    def _renamed(self, maker: Op, result: Value) -> Op:
        """An operation on single elements whose result has other names of its axes."""
        operands = tuple(
            self.view(self.now[v.name], self._aligned(self.now[v.name].shape, result.shape), maker)
            if isinstance(v, Value)
            else v
            for v in maker.operands
        )
        return replace(maker, operands=operands, result=result)

    def every_dim(self) -> tuple[Dim, ...]:
        """The dims, each before its twins: the dims of one axis lie in memory in this order."""
        return tuple(
            d
            for dim in self.program.dims
            for d in (dim, *(self.twins[twin] for twin, of in self.original.items() if of == dim.name))
        )

    def distinct(self, value: Value) -> Value:
        """A value of its own under distinct names."""
        return replace(value, shape=self._distinct(value.shape))

    def _distinct(self, shape: Shape) -> Shape:
        used: set[str] = set()
        result = []
        for size in shape:
            replaced = {symbol: self._other(symbol, used) for symbol in self._symbols(size) if symbol.name in used}
            result.append(size.xreplace(replaced) if replaced else size)
            used |= self._names((result[-1],))
        return tuple(result)

    def _other(self, symbol: Any, used: set[str]) -> Any:
        """The dim, or a twin of it, that is not used yet."""
        base = self._base(symbol)
        family = [base.name, *(twin for twin, of in self.original.items() if of == base.name)]
        for name in family:
            if name not in used:
                return dim_symbol(name)
        dim = self.dims[base.name]
        name = self.names.take(f"{base.name}_twin")
        self.twins[name] = replace(dim, name=name, definition=base if dim.value is None else None)
        self.original[name] = base.name
        return dim_symbol(name)

    def _symbols(self, size: Any) -> list[Any]:
        """The dims that are factors of a size, in the order in which they lie in memory."""
        import sympy

        order = {name: at for at, name in enumerate(self.dims)}
        order |= {twin: order[of] for twin, of in self.original.items()}
        parts = [p for p in sympy.Mul.make_args(sympy.sympify(size)) if p.is_Symbol and p.name in order]
        return sorted(parts, key=lambda part: order[part.name])

    def _names(self, shape: Shape) -> set[str]:
        return {symbol.name for size in shape for symbol in self._symbols(size)}

    def _same(self, one: Any, other: Any) -> bool:
        """Whether two sizes are equal, whatever their names."""
        sizes = self._base(one), self._base(other)
        if sizes not in self._equal:
            self._equal[sizes] = self.table.equal(*sizes)
        return self._equal[sizes]

    def _base(self, size: Any) -> Any:
        """A size in the dims of the spec."""
        import sympy

        size = sympy.sympify(size)
        return size.xreplace(
            {s: dim_symbol(self.original[s.name]) for s in size.free_symbols if s.name in self.original}
        )


def _started(op: Op, starts: Mapping[str, Shape]) -> Op:
    """An operation with the shapes of the starts that it makes or takes."""
    operands = tuple(
        replace(v, shape=starts[v.name]) if isinstance(v, Value) and v.name in starts else v for v in op.operands
    )
    result = replace(op.result, shape=starts[op.result.name]) if op.result.name in starts else op.result
    return replace(op, operands=operands, result=result)


def _values(op: Op) -> list[Value]:
    return [v for v in op.operands if isinstance(v, Value)]
