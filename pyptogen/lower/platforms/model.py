"""What lowering has to know of a platform."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from pyptogen.lower.platforms.timing import Timing
from pyptogen.records import dataclass

Memory = Literal["ub", "l1", "l0a", "l0b", "l0c"]


@dataclass(frozen=True, slots=True)
class Platform:
    """Memories in bytes, core counts, and where the platform's rules differ.

    Attributes:
        memories: usable bytes of each on-chip memory of one core.
        cube_cores, vector_cores: cores of a chip; the bundled runtime replaces them by its thread count.
        unified: one core does cube and vector work, and an accumulator moves straight to vector tiles.
        operands_from_gm: TLOAD fills L0A/L0B directly (no L1); else GM → L1 → L0.
        packed_nz: `layout: nz` weights are in the CPU's packed form, bound in place; else the public NZ fractal.
        flags: pipes run asynchronously, so kernels carry set_flag/wait_flag and pipe_barrier.
        vector_barriers: a vector instruction may start before the last one has ended, so that what it reads needs a
            pipe_barrier.
        runs_of_elements: a transfer between GM and UB takes neighbouring elements, not every other one.
        cast_chains: the dtypes between source and destination for pairs that one TCVT cannot do.
        equality_only: dtypes whose tiles compare for equality, but not for order.
        low_bits_of_floats: TCVT of a float to a narrow integer keeps low bits without a scratch tile.
        frequency_ghz: of the cores, for estimates.
        serial_column_reductions: a reduction over rows takes one row after the other, each of which waits for the last.
        serial_row_reductions: a reduction of rows takes an instruction for each 256 bytes of a row.
        serial_row_expansions: TROWEXPAND takes one row after the other, by way of the scalar unit; other instructions
            that take a column broadcast it themselves.
        transposes_on_load: TLOAD makes rows in L1 of what lies column after column in GM; else columns stay columns
            there, and are transposed on the way to L0.
        fifos_on_chip: the plain directions of a TPipe name a fifo in the receiver's memory, so that one in GM says so.
        vector_mask: vector instructions work on the elements that a register names, which outlives a kernel.
        data_cache: the scalar unit reads GM through a cache that nothing else keeps up to date.
        unit_flags: the matrix unit and the fixpipe hand accumulators over by flags of their blocks in L0C, where
            instructions have a phase.
        tile_room: bytes of the memory of each location of tiles, as the device's headers know them, unsafe ends too;
            empty where kernels are for no device.
        small_memories: bytes of the memories that no plan lays out, by the location of tiles: the bias table, the words
            of quantisation, the scales of L0A and L0B.
        timing: figures of time, by which tilings are compared and the model of the device
            (`pyptogen.simulate.device`) tells times; None where there are none.
        vector_passes: the kernel's text walks over vector tiles once for several instructions (TPASS).
    """

    name: str
    memories: Mapping[Memory, int]
    cube_cores: int
    vector_cores: int
    unified: bool
    operands_from_gm: bool
    packed_nz: bool
    flags: bool
    cast_chains: Mapping[tuple[str, str], tuple[str, ...]]
    low_bits_of_floats: bool
    frequency_ghz: float
    equality_only: frozenset[str] = frozenset()
    vector_barriers: bool = True
    vector_passes: bool = False
    runs_of_elements: bool = False
    serial_column_reductions: bool = False
    serial_row_reductions: bool = False
    serial_row_expansions: bool = False
    transposes_on_load: bool = True
    fifos_on_chip: bool = False
    vector_mask: bool = False
    data_cache: bool = False
    unit_flags: bool = False
    timing: Timing | None = None
    tile_room: Mapping[str, int] = field(default_factory=dict)
    small_memories: Mapping[str, int] = field(default_factory=dict)

    @property
    def timed(self) -> bool:
        """Whether there are figures of this very chip, so that a time can be told."""
        return self.timing is not None and not self.timing.borrowed

    def fractal(self, size: int) -> tuple[int, int]:
        """Rows and columns of a fractal of the layout `nz`, for elements of ``size`` bytes: matrices begin and end at
        whole ones."""
        return (64 // size, 32) if self.packed_nz else (16, 32 // size)
