"""The CPU as a tile machine: memories are cache budgets, one core does cube and vector work.

UB is sized for L1/L2 (vector tiles of 8-16 KB run from L1); L0A, L0B and L0C live in L2.
"""

from pyptogen.lower.platforms.model import Platform

CPU = Platform(
    name="cpu",
    memories={
        "ub": 1024 * 1024,
        "l1": 2048 * 1024,
        "l0a": 4096 * 1024,
        "l0b": 2048 * 1024,
        "l0c": 2048 * 1024,
    },
    cube_cores=2,
    vector_cores=2,
    unified=True,
    operands_from_gm=True,
    packed_nz=True,
    flags=False,
    cast_chains={},
    low_bits_of_floats=True,
    frequency_ghz=2.6,
    vector_barriers=False,
    vector_passes=True,
    small_memories={
        "Bias": 64 * 1024,
        "Scaling": 64 * 1024,
        "ScaleLeft": 4096 * 1024 // 16,
        "ScaleRight": 2048 * 1024 // 16,
    },
)
