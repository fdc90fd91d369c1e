"""Reads the text of the Block level that `printer` writes, for trying one pass alone."""

from __future__ import annotations

import re
from typing import Any, cast

from pyptogen.lower.block.ir import ALWAYS, BlockKernel, Buffer
from pyptogen.lower.tile.parser import Parser

_BUFFER = re.compile(
    r"buffer (?P<memory>\w+) 0x(?P<begin>[0-9a-f]+)\.\.0x(?P<end>[0-9a-f]+) for (?P<name>\w+):"
    r" (?P<dtype>\w+)\[(?P<rows>\d+), pitch (?P<pitch>\d+)\](?: x (?P<copies>\d+) by (?P<slot>\w+))?,"
    r" (?:exclusive|live (?P<first>-?\d+)\.\.(?P<last>-?\d+))(?:, as (?P<group>\w+))?"
)


def parse_kernels(text: str, file: str = "<text>") -> list[BlockKernel]:
    """All kernels of a text.

    Raises:
        DiagnosticError: PTG104, a line is none of the Block level.
    """
    parser = Parser(text, file, "Block")
    kernels: list[BlockKernel] = []
    while not parser.is_done():
        buffers: list[Buffer] = []
        kernel = parser.kernel(lambda found=buffers: found.extend(parser.all("buffer ", lambda: _buffer(parser))))  # type: ignore[misc]
        memory = tuple(sorted(cast(Any, parser.memory).items()))
        kernels.append(BlockKernel(kernel, kernel.body, kernel.tiles, memory, tuple(buffers)))
    return kernels


def _buffer(parser: Parser) -> Buffer:
    expected = "buffer MEMORY 0xBEGIN..0xEND for NAME: DTYPE[ROWS, pitch N] x N by SLOT, exclusive|live N..N, as NAME"
    b = parser.take(_BUFFER, expected)
    copies, begin = int(b["copies"] or 1), int(b["begin"], 16)
    first, last = (int(b["first"]), int(b["last"])) if b["first"] else ALWAYS
    return Buffer(
        b["name"], cast(Any, b["memory"]), b["dtype"], int(b["rows"]), int(b["pitch"]),
        (int(b["end"], 16) - begin) // copies, begin, first, last, parser.span(), copies, b["slot"],
        b["group"] or b["name"],
    )  # fmt: skip
