"""How the names of a spec are spelled in C++.

A spec may give any identifier to a dim, a tensor, a value or a stage. Where C++ text has a word of its own for it, the
text gets the name with an underscore behind it, and only there:

before: __gm__ half *half, int32_t block        of the tensor `half` and the dim `block`
after:  __gm__ half *half_, int32_t block_
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any, cast

from pyptogen.lower.execution.ir import Cut, ExecutionGraph, LaunchPlan, Tiles, Workspace
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
    Pass,
    ReadIndex,
    SetFlag,
    SkipIfNegative,
    WaitFlag,
    declarations,
    walk,
)
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tile.ir import Comparison, Condition, Element, Extent, Fifo, GmTensor, Owner, distributed_nest
from pyptogen.records import replace
from pyptogen.schema.c_names import is_c_name, is_keyword, is_macro
from pyptogen.templates.cpp_names import C_TYPES
from pyptogen.templates.kernel_loops import counting_names

_VARIABLES: Mapping[type, tuple[str, ...]] = {
    Choose: ("zero", "then", "other"),
    Comparison: ("left", "right"),
    Condition: ("elements", "comparisons", "owner"),
    Cut: ("when",),
    Declare: ("name", "rows", "cols", "address", "owner"),
    ExecutionGraph: ("launch_dim", "dims", "workspaces", "cuts", "plans"),
    Extent: ("valid",),
    Fifo: ("name", "slot"),
    Element: ("name", "tensor", "offset", "bound"),
    For: ("var", "start", "stop", "valid", "body", "slot", "after", "before", "only", "half"),
    GmTensor: ("name", "shape"),
    GmWindow: ("tensor", "offset", "rows", "cols", "row_stride", "col_stride"),
    Instr: ("operands",),
    InstrKernel: ("writes", "reads", "scalars", "arguments", "launch_dim", "dims", "body", "fifos", "subblock"),
    LaunchPlan: ("arguments", "tiles", "programs", "fifos"),
    Owner: ("at",),
    Tiles: ("nests",),
    Pass: ("rows", "cols", "members", "kept", "tiles", "dtypes", "ahead"),
    FifoRef: ("name",),
    ReadIndex: ("name", "tensor", "offset", "bound", "plus"),
    SetFlag: ("slot",),
    SkipIfNegative: ("name",),
    WaitFlag: ("slot",),
    Workspace: ("name", "elements", "row"),
}
"""The fields of each node that name variables, or have nodes that do."""
_TILES: Mapping[type, tuple[str, ...]] = {
    Choose: ("then", "other"),
    Declare: ("name", "owner", "note"),
    For: ("body",),
    Instr: ("operands",),
    InstrKernel: ("body",),
    Pass: ("members", "kept", "tiles", "dtypes"),
}
"""The fields that name tiles, or have nodes that do. There a name is that of a tile; elsewhere it is another variable,
even where the two are called the same."""
_NAMED_IN_NOTE = re.compile(r"(?<=same bytes as )\w+")
"""The tile that a note about another one names."""
_FIRST_ONLY = frozenset({(InstrKernel, "scalars"), (Pass, "dtypes"), (Cut, "when")})
"""Fields of tuples that begin with a variable; in the rest of them are other words."""

_KERNEL_WORDS = (
    "AICORE AccPhase BLayout CmpMode DYNAMIC Direction Divisor ENTIRE_DATA_CACHE FarStores GlobalTensor Layout "
    "LeftRows MaskPattern MrgSortExecutedNumList PTO_ASSERT PadValue RoundMode RowMax RowMin RowSum SLayout STPhase "
    "SaturationMode Shape Stride TPASS TPipe Tile TileAcc TileAccCompact TileLeft TileLeftCompact TileRight "
    "TileRightCompact TileSplitAxis TileType block cache_line_t dcci event_t far ffts get_block_idx "
    "get_subblockid index_inside index_or_skip int32_t int64_t pipe_barrier pto run_block set_ffts_base_addr "
    "set_flag set_mask_norm set_vector_mask taken uint64_t wait_flag pow sqrt exp log fabs floor ceil fmax fmin"
)
KERNEL_WORDS = frozenset(_KERNEL_WORDS.split())
"""What the text of kernels says beside instructions, element types, pipes and events; the functions are those of
scalar expressions."""
_ORCHESTRATION_WORDS = (
    "AICORE Core Launch args begin blocks_for cores cube fewer ffts int32_t int64_t mixed pto_rt pyptogen range "
    "launch_range range_of rt scope size tiles vector"
)
ORCHESTRATION_WORDS = frozenset(_ORCHESTRATION_WORDS.split())
_TYPES = frozenset({*C_TYPES.values(), "int64_t", "uint16_t", "uint32_t"})
_SHAPES = re.compile(
    r"(PIPE_|EVENT_ID|CAST_)\w*[A-Z0-9]|P[01]{4}|\w*(Gm\d*|Pipe|Slot)|"
    r"(Vec|Mat|MatZn|Left|Right|Acc)(F32|F16|B16|I8|U8|I16|U16|I32|U32|I64)_\w*[a-z0-9]"
)
"""Enumerators, mask patterns and aliases of types. None ends in an underscore."""
_NAME = re.compile(r"(?<![\w.])[A-Za-z_]\w*\b(?!\()")


@cache
def _instructions() -> frozenset[str]:
    from pyptogen.lower.isa import INSTRUCTIONS

    return frozenset(INSTRUCTIONS)


def is_kernel_word(name: str) -> bool:
    """Whether the text of any kernel may have ``name`` as a word of its own, types aside."""
    mine = name in KERNEL_WORDS or name in _instructions() or _SHAPES.fullmatch(name) is not None
    return mine or is_macro(name) or is_keyword(name)


def field_name(name: str) -> str:
    """A contract name as a member of the argument struct, whose other words are types."""
    return f"{name}_" if is_macro(name) or is_keyword(name) or name in _TYPES else name


def function_names(kernels: Sequence[str], operator: str, by_hand: Sequence[str]) -> dict[str, str]:
    """The names of kernels as those of C functions: `select_kernel` for `select`, which C's library has. Functions of
    an author keep theirs; the operator has an entry for each target, of the name `<operator>_<target>`."""
    entries = {*by_hand, *(f"{operator}_{platform}" for platform in PLATFORMS)}
    found: dict[str, str] = {}
    for kernel in kernels:
        name = f"{kernel}_kernel" if kernel != kernel.lower() or _is_taken(kernel) else kernel
        while name in entries or (name != kernel and (name in kernels or name in found.values())):
            name += "_kernel"
        found[kernel] = name
    return found | {name: name for name in by_hand}


def _is_taken(kernel: str) -> bool:
    """Whether a function of C cannot have this name: headers or the orchestration have a word for it."""
    return (
        is_c_name(kernel)
        or is_macro(kernel)
        or kernel in ORCHESTRATION_WORDS
        or is_kernel_word(kernel)
        or kernel in _TYPES
    )


def variables(node: Any) -> frozenset[str]:
    """The variables that a kernel or an execution graph names."""
    found: set[str] = set()

    def note(name: str) -> str:
        found.add(name)
        return name

    _renamed(node, note, _VARIABLES)
    return frozenset(found)


def renamed(node: Any, names: Mapping[str, str]) -> Any:
    """A kernel or an execution graph with other names for some of its variables."""
    return _renamed(node, lambda name: names.get(name, name), _VARIABLES) if names else node


def spelled(kernel: InstrKernel) -> tuple[InstrKernel, dict[str, str]]:
    """The kernel as its text has it, and what is spelled otherwise in it."""
    kernel = _tiles_apart(kernel)
    own = _own_words(kernel)
    names = respelled(variables(kernel), lambda name: name in own or is_kernel_word(name))
    return renamed(kernel, names), names


def _tiles_apart(kernel: InstrKernel) -> InstrKernel:
    """The kernel with other names for tiles that are called as an argument is, or as a number of a loop."""
    fifos = (name for fifo in kernel.fifos for name in (fifo.name, fifo.slot))
    numbers = {*_numbers(kernel), *fifos}
    names: dict[str, str] = {}
    for tile in sorted(declarations(kernel)):
        name = tile
        while name in numbers or (name != tile and name in declarations(kernel)):
            name += "_tile"
        names |= {tile: name} if name != tile else {}
    return _renamed(kernel, lambda name: names.get(name, name), _TILES) if names else kernel


def _numbers(kernel: InstrKernel) -> list[str]:
    """The arguments, and the numbers of loops and of indices, in their order."""
    numbers = list(kernel.arguments)
    for node in walk(kernel.body):
        if isinstance(node, For):
            numbers += [name for name in (node.var, node.valid, node.slot, *(node.half or ())) if name]
        elif isinstance(node, ReadIndex):
            numbers.append(node.name)
    return numbers


def _tiles(kernel: InstrKernel) -> list[str]:
    """The tiles, each with the one whose data it shows, in their order."""
    return [name for node in declarations(kernel).values() for name in (node.name, node.owner)]


def named_as(kernel: InstrKernel, other: InstrKernel) -> InstrKernel:
    """The kernel with the names of another one: those of its arguments, of its loops and of its tiles, one by one."""
    numbers = dict(zip(_numbers(kernel), _numbers(other), strict=False))
    tiles = dict(zip(_tiles(kernel), _tiles(other), strict=False))
    named = _renamed(renamed(kernel, numbers), lambda name: tiles.get(name, name), _TILES)
    return cast("InstrKernel", replace(named, name=other.name))


def _own_words(kernel: InstrKernel) -> frozenset[str]:
    """The words that only some kernels have: the types of their elements, how a pass is walked, and how the tiles of
    loops that are distributed together are counted."""
    nodes = list(walk(kernel.body))
    dtypes = {tensor.dtype for tensor in kernel.tensors} | {fifo.dtype for fifo in kernel.fifos}
    dtypes |= {dtype for _, dtype in kernel.scalars}
    dtypes |= {node.type.dtype for node in nodes if isinstance(node, Declare)}
    dtypes |= {dtype for node in nodes if isinstance(node, Pass) for _, dtype in node.dtypes}
    passes = {"at"} if any(isinstance(node, Pass) for node in nodes) else set()
    outermost = [n for n in nodes if isinstance(n, For) and len(distributed_nest(n)) > 1]
    inner = {id(loop) for node in outermost for loop in distributed_nest(node)[1:]}
    counts = set[str]()
    for number, node in enumerate((n for n in outermost if id(n) not in inner), 1):
        tile, total, each = counting_names(distributed_nest(node), number)
        counts |= {tile, total, *each.values()}
    return frozenset({C_TYPES[dtype] for dtype in dtypes} | passes | counts)


def respelled(names: Collection[str], taken: Callable[[str], bool]) -> dict[str, str]:
    """Another spelling for each of ``names`` that is ``taken``, one that is neither taken nor among them."""
    found: dict[str, str] = {}
    for name in sorted(names):
        spelling = name
        while taken(spelling) or (spelling != name and (spelling in names or spelling in found.values())):
            spelling += "_"
        if spelling != name:
            found[name] = spelling
    return found


def in_text(text: str, names: Mapping[str, str]) -> str:
    """An expression of C++ with other names for some of its variables; what is called keeps its name."""
    return _NAME.sub(lambda m: names.get(m[0], m[0]), text) if names else text


def _renamed(node: Any, name: Callable[[str], str], fields: Mapping[type, tuple[str, ...]]) -> Any:
    """``node`` with other names in ``fields``, and in what they have; ``node`` itself where they stay."""
    kind = type(node)
    if kind is str:
        return name(node)
    if kind is tuple:
        parts = tuple([_renamed(part, name, fields) for part in node])
        return parts if any(map(operator.is_not, parts, node)) else node
    if kind is Poly or kind is Imm:
        if fields is _TILES:
            return node
        return node.renamed(name) if kind is Poly else replace(node, text=_NAME.sub(lambda m: name(m[0]), node.text))
    if kind not in fields:
        return node
    changed: dict[str, Any] = {}
    for field in fields[kind]:
        value = getattr(node, field)
        if (kind, field) in _FIRST_ONLY:
            new: Any = tuple((name(part[0]), *part[1:]) for part in value)
        elif (kind, field) == (Declare, "note"):
            new = _NAMED_IN_NOTE.sub(lambda found: name(found[0]), value)
        elif (kind, field) == (LaunchPlan, "programs"):
            new = tuple((function, tuple(map(name, arguments))) for function, arguments in value)
        else:
            new = _renamed(value, name, fields)
        if new is not value:
            changed[field] = new
    return replace(node, **changed) if changed else node
