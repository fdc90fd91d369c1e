"""Legality of the Instruction level: every instruction against the ISA table of its platform."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.instruction import bound_names, operands
from pyptogen.lower.instruction.cube_tiles import cube_tile
from pyptogen.lower.instruction.ir import (
    Choose,
    Declare,
    FifoRef,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    Node,
    declarations,
)
from pyptogen.lower.isa.device_rules import Operands, broken_rule
from pyptogen.lower.isa.table import CASTS, INSTRUCTIONS
from pyptogen.lower.platforms import Platform
from pyptogen.lower.refusal import Refused, refuse
from pyptogen.lower.tensor.ir import DTYPES
from pyptogen.lower.tile.ir import is_one_nest
from pyptogen.lower.verify import require


def verify(kernels: Sequence[InstrKernel], platform: Platform) -> None:
    """Known instructions, dtypes the platform has, aligned tiles, names that are bound.

    Raises:
        Refused: PTG301 a tile leaves its memory, PTG302 it breaks an alignment, PTG303 the platform has no
            such instruction for a dtype: the author's choice of dtypes or tiles.
        IllegalIR: a rule is broken that no spec can break.
    """
    for kernel in kernels:
        bound_names.verify(kernel)
        declared = declarations(kernel)
        for tile in declared.values():
            _check_tile(tile, platform)
        _check(kernel.body, declared, platform)


def _check(nodes: Sequence[Node], declared: dict[str, Declare], platform: Platform) -> None:
    for node in nodes:
        if isinstance(node, For):
            require(is_one_nest(node), f"a distributed loop in {node.var} is not directly nested in it", node.span)
            _check(node.body, declared, platform)
        elif isinstance(node, Choose):
            _check((node.then, node.other), declared, platform)
        elif isinstance(node, Instr):
            _check_instr(node, declared, platform)


def _check_instr(instr: Instr, declared: dict[str, Declare], platform: Platform) -> None:
    require(instr.name in INSTRUCTIONS, f"unknown instruction {instr.name}", instr.span)
    tiles = [declared[o].type for o in instr.operands if isinstance(o, str)]
    if not tiles and any(isinstance(o, FifoRef) for o in instr.operands):
        return  # what is popped has a type where it is loaded
    windows = [o for o in instr.operands if isinstance(o, GmWindow)]
    if platform.runs_of_elements and instr.name in ("TLOAD", "TSTORE") and tiles[0].loc == "Vec":
        _check_run(instr, windows[0], tiles[0].col_major, platform)
    if instr.name == "TLOAD" and tiles[0].loc == "Mat" and not platform.transposes_on_load:
        _check_columns(instr, windows[0], tiles[0].across, platform)
    row = INSTRUCTIONS[instr.name]
    dtype = _typed(instr, declared)
    if dtype not in row.dtypes[platform.name]:
        raise _illegal(
            instr,
            f"{instr.name} takes no {dtype} on {platform.name}",
            ", ".join(sorted(row.dtypes[platform.name])),
        )
    broken = operands.broken_rule(instr, declared)
    if broken is not None:
        raise _illegal(
            instr,
            f"{instr.name}: operand `{broken.name}` is {broken.found}",
            broken.wanted,
            "declare the buffer with the element type and in the memory that the instruction takes",
        )
    if instr.name == "TCVT" and (tiles[1].dtype, dtype) not in CASTS[platform.name]:
        raise _illegal(
            instr,
            f"no cast from {tiles[1].dtype} to {dtype} on {platform.name}",
            "a cast by a dtype between, written out",
        )
    if instr.name == "TSTORE" and tiles[0].loc == "Vec":
        require(windows[0].dtype == dtype, f"TSTORE of {dtype} to {windows[0].dtype}", instr.span)
    _check_device_rules(instr, declared, platform)
    if instr.name == "TTRANS":
        require(not tiles[1].col_major, "TTRANS of a tile that lies by columns", instr.span)
    kinds = [(t.rows, t.cols, t.col_major) for t in tiles]
    if instr.name in ("TADD", "TSUB", "TMUL", "TDIV", "TMAX", "TMIN") and len(set(kinds)) > 1:
        shapes = ", ".join(f"{rows} x {cols}{' by columns' if column else ''}" for rows, cols, column in kinds)
        raise _illegal(
            instr,
            f"{instr.name} on tiles of different types: {shapes}",
            "one type for all of them",
            "declare the buffers with one `shape`; `valid` says how much of it is in use",
        )


def _check_device_rules(instr: Instr, declared: dict[str, Declare], platform: Platform) -> None:
    """What the device's own headers ask beyond element types (`isa.device_rules`)."""
    named = [declared[o] for o in instr.operands if isinstance(o, str)]
    tiles, places = [cube_tile(tile) for tile in named], [(tile.type.loc, tile.address) for tile in named]
    indices = [o.constant for o in instr.operands if isinstance(o, Poly)]
    at = (indices[0], indices[1]) if len(indices) == 2 else (None, None)
    nz = next((o.dtype for o in instr.operands if isinstance(o, GmWindow) and o.layout == "NZ"), None)
    number_first = len(instr.operands) > 1 and not isinstance(instr.operands[1], str | GmWindow | FifoRef)
    rule = broken_rule(platform.name, instr.name, Operands(tiles, at, nz, places, number_first))
    if rule is not None:
        shapes = ", ".join(f"{tile.shape[0]} x {tile.shape[1]} in {tile.loc}" for tile in tiles)
        raise _illegal(
            instr,
            f"{instr.name} on {platform.name} does not take these tiles: {shapes}",
            f"{rule.wants} ({rule.source})",
            "give the stage other tile sizes",
        )


def _check_run(instr: Instr, window: GmWindow, column: bool, platform: Platform) -> None:
    """Transfers between GM and UB take runs of neighbouring elements; a column-major tile is one run."""
    length, stride = (window.rows, window.row_stride) if column else (window.cols, window.col_stride)
    if length.size == 1 or stride == ONE:
        return
    what = "loaded from" if instr.name == "TLOAD" else "stored to"
    raise refuse(
        "PTG303",
        f"a tile is {what} elements of `{window.tensor}` that lie {stride} apart; {platform.name} moves runs of"
        " neighbouring elements",
        instr.span,
        expected="rows of tiles along the last axis of a tensor",
        fix="lay the tensor out so that what a row takes lies together, or name the targets that can in `targets`,"
        " such as [cpu]",
    )


def _check_columns(instr: Instr, window: GmWindow, across: bool, platform: Platform) -> None:
    """Transfers from GM to L1 do not transpose: columns that lie one after the other become fractals of columns (Zn),
    rows such of rows (Nz)."""
    if (window.layout == "DN") == across:
        return
    raise _illegal(
        instr,
        f"TLOAD on {platform.name} makes no {'columns of rows' if across else 'rows of columns'} in L1",
        "a tile of columns for what lies column after column in GM, and one of rows for the rest",
        "store both parts of the tile the same way round",
    )


def _typed(instr: Instr, declared: dict[str, Declare]) -> str:
    """Element type of the operand that the row's dtypes are about."""
    operands = [o for o in instr.operands if isinstance(o, str | GmWindow)]
    row = INSTRUCTIONS[instr.name]
    at = row.effects_for(len(operands)).index("r") if row.typed == "read" else 0
    operand = operands[at]
    return operand.dtype if isinstance(operand, GmWindow) else declared[operand].type.dtype


def _check_tile(tile: Declare, platform: Platform) -> None:
    size = DTYPES[tile.type.dtype]
    run = tile.type.rows if tile.type.col_major else tile.type.cols
    address = tile.address.constant
    if (tile.type.loc == "Vec" and run * size % 32) or (address is not None and address % 32):
        at = f" at byte {address}" if address is not None else ""
        raise refuse(
            "PTG302",
            f"tile `{tile.name}` ({tile.type.rows} x {tile.type.cols} {tile.type.dtype}{at}) breaks the 32-byte"
            f" alignment of {platform.name}",
            tile.span,
            expected="rows, and columns cut out of them, of a multiple of 32 bytes",
            fix=f"cut at multiples of {32 // size} elements",
        )
    kind = tile.type
    rows = min(kind.rows, tile.rows.size) if kind.loc == "Vec" and not kind.col_major else kind.rows
    memory = platform.tile_room.get(kind.loc)
    if memory is not None and (address or 0) + rows * kind.cols * size > memory:
        raise refuse(
            "PTG301",
            f"tile `{tile.name}` ({rows} x {kind.cols} {kind.dtype} in {kind.loc}) ends beyond its memory on"
            f" {platform.name}",
            tile.span,
            expected=f"an address and a size within {memory} bytes (buffer_limits.hpp)",
            fix="make the tile smaller, or give it a lower address",
        )


def _illegal(
    instr: Instr, what: str, expected: str, fix: str = "cast to a dtype that the platform computes with"
) -> Refused:
    return refuse(
        "PTG303",
        what,
        instr.span,
        expected=expected,
        fix=fix,
    )
