"""Tensor level: an SSA graph of primitive operations over whole tensors with symbolic shapes.

The level is target independent. Shapes are tuples of sympy expressions in the operator's dims; static dims stay
symbols here (``heads*d``), their values stand in ``Program.dims``, so that a person and the passes below see names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal

from pyptogen.diagnostics import Span
from pyptogen.number_formats import BY_BYTES as BY_BYTES
from pyptogen.number_formats import PACKED as PACKED
from pyptogen.records import dataclass

if TYPE_CHECKING:
    from pyptogen.schema.hand import HandKernel

Shape = tuple[Any, ...]
"""One sympy expression per axis, in dims of the program."""


@dataclass(frozen=True, slots=True)
class Dim:
    """A named size. ``value`` is its number when static, None when it is known only at run time."""

    name: str
    value: int | None
    min: int
    max: int
    multiple_of: int
    definition: Any
    """sympy expression over other dims (derived dim, such as ``blocks*block_size``), or None."""
    span: Span

    @property
    def dynamic(self) -> bool:
        return self.value is None and self.definition is None


@dataclass(frozen=True, slots=True)
class Attr:
    """A run-time scalar argument of the operator; with a ``definition`` one that the caller's processor computes from
    dims and other attrs, of which the contract knows nothing."""

    name: str
    dtype: str
    default: float | int | None
    span: Span
    definition: Any = None


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value; also the type of a contract tensor. ``layout`` is the physical layout in GM (nd, dn, nz)."""

    name: str
    dtype: str
    shape: Shape
    layout: str
    span: Span
    strides: Shape = ()
    """Of a contract tensor whose rows lie apart: elements from one index of each axis to the next; else as the layout
    says."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar operand: a sympy expression over attrs and dims (a plain number in most cases)."""

    expr: Any
    span: Span


Operand = Value | Scalar

UNARY = frozenset({"neg", "abs", "exp", "log", "sqrt", "rsqrt", "reciprocal", "relu"})
BINARY = frozenset({"add", "sub", "mul", "div", "maximum", "minimum"})
REDUCE = frozenset({"sum", "amax", "amin"})
VIEWS = frozenset({"reshape", "slice", "transpose", "block", "reorder", "collected", "gathered", "unfold"})
LOOP = frozenset({"carry", "carried", "only"})
PRODUCTS = frozenset({"matmul", "batch_matmul", "matmul_mx"})
ROUNDING = frozenset({"floor", "ceil", "trunc", "round"})
COMPARE = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
INTEGER = frozenset({"floor_div", "gcd"})
BITWISE = frozenset({"bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift", "bitwise_right_shift"})
ARG_REDUCE = frozenset({"argmax", "argmin"})
SCAN = frozenset({"cumsum", "cumprod"})
SORTING = frozenset({"topk_values", "topk_indices"})
PAIRS = frozenset({"topk_pairs", "span_pairs", "merged_pairs", "pair_values", "pair_indices"})
INDEXED = frozenset({"gather", "index_select", "scatter", "index_add"})

LOWERED = (
    UNARY | BINARY | REDUCE | VIEWS | ROUNDING | COMPARE | BITWISE | LOOP | PRODUCTS
    | ARG_REDUCE | SCAN | SORTING | PAIRS
    | {"cast", "bitcast", "concat", "scatter_update", "full", "bitwise_not", "where", "floor_div", "gcd", "prod",
       "arange", "positions", "permute", "expand", "gather", "index_select", "scatter", "index_add", "by_hand",
       "either"}
)  # fmt: skip
"""Primitives that the levels below know; the others run in the interpreter, and lowering refuses them (PTG303)."""

PRIMITIVES = (
    LOWERED
    | INTEGER | INDEXED
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Op:
    """One primitive. ``attrs`` by kind:

    ========== =====================================================================================
    cast       ``dtype``, ``mode`` (none rint round floor ceil trunc odd), ``saturate`` (bool)
    minimum    ``mask``, in a loop with a causal bound: the first operand where the block ends ahead of it
    sum …      ``axis`` (non-negative int); the result keeps the axis with size 1. With ``parts`` and ``piece`` the axis
               has that many elements: piece i of the operand's axis, of so many elements, is reduced into i % parts
    matmul     ``dtype`` of the result; fp32 accumulation for floats, int32 for int8. Operands [.., m, k] and [k, n]
    reshape    ``shape`` (sympy tuple); covers unsqueeze and squeeze
    slice      ``axis``, ``start``, ``stop`` (sympy)
    transpose  swaps the last two axes
    unfold     ``axis``, ``step``, ``dilation``: [i] of the axis and [j] of a new last one are [i * step + j * dilation]
    block      ``axis``; inside a loop: this iteration's block of it, whose size is the loop's block dim
    carry      operand (start); inside a loop: the value at the start of the iteration, ``name`` in the spec
    carried    operands (carry, next); after the loop ``loop``: the value when it is over
    only       operands (tensors of whole numbers that are there before the loop), inside a loop: the iterations that
               take place are those in which the ``comparisons`` (sympy, a relation, sympy) all hold, of elements
               (``@0`` is the first operand's), of the place where the iteration's block begins, of dims and attrs. They
               hold for some rows of the carried values, as the operands broadcast; others keep what they have. The
               result is nothing
    collected  operand (value of the iterations); after the loop ``loop``: the blocks of all iterations along ``axis``;
               with ``stacked``, of a loop over single elements, along a new axis
    bitcast    the same bytes as elements of another dtype of the same size
    concat     ``axis``; n operands
    scatter_update  operands (x, index, src); ``dim``; rows of x viewed as [rows, last axes from dim+1 on];
               index -1 skips the row
    full       ``value``, result shape
    floor …    (``ROUNDING``) floats to whole numbers of the same dtype; ``round`` to the nearest, ties to even
    lt …       (``COMPARE``) of two operands, as binary; the result is bool
    where      operands (condition: bool, a, b); broadcast; one of a and b may be a Scalar
    prod       as sum
    argmax …   as sum; int32, the first of equal elements
    cumsum …   ``axis``
    topk_values, topk_indices  ``axis`` (the last), ``k`` (sympy), ``largest``: the k extreme elements in order, of
               equal ones the first; their positions, int32
    topk_pairs  as topk_values: value and position interleaved, the bits of both in fp32 (`paired_orders`)
    span_pairs  the same of each ``span`` of so many elements: a list for each row, of those that a call has, and each
               span (`split_orders`)
    merged_pairs  ``span``, ``length``: such lists of a row of so many elements in one
    pair_values, pair_indices  one side of the first ``k`` pairs, of rows of ``length`` elements
    arange     ``start``, ``step`` (numbers), ``dtype``; the result has one axis
    positions  ``start``; int32, start, start + 1, … as one row or one column; inside of a loop, of an axis that is its
               block: counted from the beginning of the whole axis, or (``in_block``) of the block
    permute    ``axes``: the operand's axis of each result axis
    expand     ``shape``; axes of size 1 and missing leading axes are repeated
    gather     operands (x, index); ``axis``; same rank, result of the index's shape
    index_select  operands (x, index of rank 1); ``axis``
    gathered     the same as a view: whoever reads it finds each slice by the index, where x lies
    scatter    operands (x, index, src); ``axis``, ``reduce`` (none, add); the inverse of gather
    index_add  operands (x, index of rank 1, src); ``axis``
    matmul_mx  as matmul, operands (a, b, scales of a [.., m, k / 32], scales of b [k / 32, n])
    batch_matmul  as matmul, operands [.., m, k] and [.., k, n] with equal leading axes; ``part``: the dim of the
               parts of one product (`split_k`)
    either     ``conditions``, ``stages``, one for each operand: the one whose condition holds, exactly one where the
               value is used; others may not have been computed. A copy of an operand belongs to its stage
    by_hand    ``kernel``, ``output``: what the kernel of that name stores to ``output``; operands are all that it reads
    ========== =====================================================================================

    Binary operands broadcast as in NumPy; at most one of them is a Scalar. With a ``condition`` (sympy, as that of a
    stage) the kernel of an operation runs in calls where it holds.
    """

    kind: str
    operands: tuple[Operand, ...]
    result: Value
    attrs: Mapping[str, Any]
    stage: str
    span: Span
    loop: str = ""
    """The loop (by its stage's name) that the operation is inside of."""


@dataclass(frozen=True, slots=True)
class Loop:
    """The region of the operations whose ``loop`` is ``name``: done once for each block of ``tile`` elements of the dim
    ``over``, in order, the last block may be shorter, and none at all if the dim is 0. ``block`` is the size of the
    iteration's block as a dim, which shapes inside the region may have. ``carried`` are the names of the ``carry``
    values, each with that of its next value, which takes its place in the next iteration. A stage may have several
    loops. ``causal_bound``, of a dim of rows and a number: what comes after element i + that number of ``over`` changes
    nothing of row i, and may be left out for it. ``exact``: the length of a block has a meaning, no other one will
    do."""

    name: str
    stage: str
    over: str
    tile: int
    block: Dim
    carried: tuple[tuple[str, str], ...]
    span: Span
    causal_bound: tuple[str, Any] | None = None
    exact: bool = False

    @property
    def fixed(self) -> bool:
        """Whether blocks of another length would mean something else: shapes may rely on it that a block is one
        element."""
        return self.exact or self.tile == 1


@dataclass(frozen=True, slots=True)
class Stage:
    """A named group of operations, in the author's words."""

    name: str
    span: Span
    implicit: bool = False
    condition: Any = None
    """A sympy relation over dims, attrs and inputs of one element: the stage runs in calls where it holds. None: in
    all."""
    text: str = ""
    """How the author wrote it."""


@dataclass(frozen=True, slots=True)
class TilingRow:
    """One row of the tiling table, as written. ``sizes[stage or ""][dim]`` is an int or a mapping
    (``tile``/``tail``, ``unroll``, ``l1``/``l0``); ``when`` holds comparisons as (name, op, value)."""

    when: tuple[tuple[str, str, Any], ...]
    sizes: Mapping[str, Mapping[str, Any]]
    fuse: tuple[tuple[str, ...], ...] | None
    """Stages that share a kernel. None: the row does not say which; empty: none do."""
    spans: Mapping[tuple[str, str], Span]
    """span of each size by (stage or "", dim)."""
    span: Span


@dataclass(frozen=True, slots=True)
class Requirement:
    """A precondition: ``condition`` is a sympy relation over dims and attrs, ``text`` how the author wrote it."""

    text: str
    condition: Any
    span: Span


@dataclass(frozen=True, slots=True)
class Program:
    """An operator at the Tensor level. ``outputs`` lists (contract name, value); an in-place output names its input
    in ``inplace``."""

    name: str
    doc: str
    dims: tuple[Dim, ...]
    attrs: tuple[Attr, ...]
    inputs: tuple[Value, ...]
    outputs: tuple[tuple[str, Value], ...]
    inplace: Mapping[str, str]
    stages: tuple[Stage, ...]
    ops: tuple[Op, ...]
    tiling: tuple[TilingRow, ...]
    schedule: Mapping[str, Any]
    targets: tuple[str, ...]
    span: Span
    notes: tuple[str, ...] = field(default=())
    requires: tuple[Requirement, ...] = field(default=())
    """Preconditions that the build could not prove; the host wrapper checks them."""
    loops: tuple[Loop, ...] = field(default=())
    restricted: bool = False
    """Whether the spec names its targets: then there are no others."""
    kernels: tuple[HandKernel, ...] = field(default=())
    """Stages that are given at a lower level."""
    laid_out: Mapping[str, Value] = field(default_factory=dict)
    """By name, as declared, the outputs whose memory is not row after row: `dn`, `nz`, or with strides."""
    halves: Mapping[str, str] = field(default_factory=dict)
    """By name, the tensors of 64-bit numbers that a platform sees as words of 32: the name under which their memory has
    one more axis of two."""
    spoken: frozenset[str] = frozenset()
    """Values that the spec itself names; the names of all others are the compiler's."""
    declared: Mapping[str, Span] = field(default_factory=dict)
    """Where the outputs are declared, by name."""
    sites: Mapping[Span, int] = field(default_factory=dict)
    """Numbers of the operations that read or write by indices (`index_sites`)."""

    def stage(self, name: str) -> Stage:
        return next(stage for stage in self.stages if stage.name == name)

    def dim(self, name: str) -> Dim:
        for d in self.dims:
            if d.name == name:
                return d
        raise KeyError(name)


DTYPES: Mapping[str, int] = {
    "fp32": 4, "fp16": 2, "bf16": 2, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2,
    "int32": 4, "uint32": 4, "int64": 8, "bool": 1, "fp8_e4m3": 1, "fp8_e5m2": 1,
    "hif8": 1, "fp8_e8m0": 1, "int4": 1, "fp4_e2m1": 1,
}  # fmt: skip
"""Element sizes in bytes of the dtypes that the Tensor level computes with; of `PACKED` ones what tiles have
room for."""

GAPLESS = frozenset({"fp4_e2m1"})
"""Those of which rows of tiles lie as close as in memory; rows of the others' are as many bytes apart as elements."""

CoreKind = Literal["cube", "vector", "mixed"]
