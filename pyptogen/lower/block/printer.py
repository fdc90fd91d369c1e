"""Text of the Block level, which `parser` reads back: that of the Tile level, with memories and a memory plan.

    kernel rows (vector) stages rows
      …
      tile x_t: fp32[8(t0_valid), 256] full in ub
      buffer ub 0x00000..0x04000 for x_t: fp32[8, pitch 256] x 2 by t0_buffer, exclusive
      buffer ub 0x04000..0x06000 for y_t: fp32[8, pitch 256], live 3..9, as x_t
      for t0 in …

``exclusive``: nothing else lies there at any time; ``live A..B``: between which nodes, in program order; ``as``:
buffers of one chain, which take the same place one after another.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.block.ir import ALWAYS, BlockKernel, Buffer
from pyptogen.lower.tile import printer as tile_printer
from pyptogen.records import replace


def buffer_text(buffer: Buffer) -> str:
    """The line of one buffer."""
    copies = f" x {buffer.copies} by {buffer.slot}" if buffer.slot else ""
    life = "exclusive" if (buffer.first, buffer.last) == ALWAYS else f"live {buffer.first}..{buffer.last}"
    group = f", as {buffer.group}" if buffer.group not in ("", buffer.name) else ""
    return (
        f"  buffer {buffer.memory} 0x{buffer.address:05x}..0x{buffer.end:05x} for {buffer.name}:"
        f" {buffer.dtype}[{buffer.rows}, pitch {buffer.pitch}]{copies}, {life}{group}"
    )


def print_kernel(kernel: BlockKernel) -> str:
    """One kernel."""
    plan = map(buffer_text, sorted(kernel.buffers, key=lambda b: (b.memory, b.address, b.first)))
    whole = replace(kernel.tile, body=kernel.body, tiles=kernel.tiles)
    return tile_printer.print_kernel(whole, dict(kernel.memory), list(plan))


def print_kernels(kernels: Sequence[BlockKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)
