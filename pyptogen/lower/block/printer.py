"""Text of the Block level: the memory plan above the loop nest."""

from __future__ import annotations

from collections.abc import Sequence

from pyptogen.lower.block.ir import ALWAYS, BlockKernel, Buffer
from pyptogen.lower.tile import printer as tile_printer


def _life(buffer: Buffer) -> str:
    return "alone" if (buffer.first, buffer.last) == ALWAYS else f"live {buffer.first}..{buffer.last}"


def print_kernel(kernel: BlockKernel) -> str:
    """One kernel."""
    lines = [f"kernel {kernel.tile.name} ({kernel.tile.core})"]
    for b in sorted(kernel.buffers, key=lambda b: (b.memory, b.address, b.first)):
        lines.append(
            f"  {b.memory:<3} 0x{b.address:05x}..0x{b.end:05x} {_life(b)}:"
            f" {b.name} {b.dtype}[{b.rows}, pitch {b.pitch}]{f' x {b.copies} by {b.slot}' if b.slot else ''}"
        )
    return "\n".join(lines + tile_printer.body(kernel.body, 1)) + "\n"


def print_kernels(kernels: Sequence[BlockKernel]) -> str:
    """All kernels of an operator."""
    return "\n".join(print_kernel(k) for k in kernels)
