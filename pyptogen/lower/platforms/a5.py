"""Ascend A5: 18 cube and 36 vector cores, a larger UB and L0C than A2/A3, and vector results that need no barrier.

Sources: pool sizes and core counts from the public pto-isa documentation (UB is 256 K, of which 240 K are safe to use)
and its `buffer_limits.hpp`.
No figures of speed are public: tilings are compared by those of A2/A3.
"""

from pyptogen.lower.platforms.a2a3_timing import TIMING_A2A3
from pyptogen.lower.platforms.model import Platform
from pyptogen.records import replace

CAST_CHAINS = {
    # int8 is reached from fp16, and from there through int16; uint8 from int32 too, which saturates.
    ("fp32", "int8"): ("int32", "int16", "fp16"), ("fp32", "uint8"): ("int32",),
    ("bf16", "int8"): ("int32", "int16", "fp16"), ("bf16", "uint8"): ("int32",),
    ("int16", "int8"): ("fp16",), ("int32", "int8"): ("int16", "fp16"),
    ("int64", "int8"): ("int32", "int16", "fp16"), ("int64", "uint8"): ("int32",),
    ("int8", "uint8"): ("fp16",), ("uint8", "int8"): ("fp16",),
    ("int8", "fp32"): ("fp16",), ("uint8", "fp32"): ("fp16",),
    ("int8", "bf16"): ("fp16", "fp32"), ("uint8", "bf16"): ("fp16", "fp32"),
    ("int8", "int64"): ("int32",), ("uint8", "int16"): ("fp16",), ("uint8", "int32"): ("fp16",),
    ("uint8", "int64"): ("fp16", "int32"),
    # bf16 meets fp32, int32 and fp16; int64 fp32 and int32.
    ("fp16", "bf16"): ("fp32",), ("bf16", "int16"): ("fp32",), ("bf16", "int64"): ("fp32",),
    ("int16", "bf16"): ("fp32",), ("int16", "int64"): ("int32",),
    ("int32", "fp16"): ("fp32",), ("int32", "bf16"): ("fp32",), ("fp16", "int64"): ("fp32",),
    ("int64", "int16"): ("int32",), ("int64", "fp16"): ("fp32",), ("int64", "bf16"): ("fp32",),
}  # fmt: skip
"""What lies between two dtypes that one TCVT does not join. The first step that leads to whole numbers rounds."""

A5 = Platform(
    name="a5",
    memories={"ub": 240 * 1024, "l1": 512 * 1024, "l0a": 64 * 1024, "l0b": 64 * 1024, "l0c": 256 * 1024},
    cube_cores=18,
    vector_cores=36,
    unified=False,
    operands_from_gm=False,
    packed_nz=False,
    flags=True,
    runs_of_elements=True,
    cast_chains=CAST_CHAINS,
    low_bits_of_floats=False,
    equality_only=frozenset({"int32"}),
    vector_barriers=False,
    data_cache=True,
    unit_flags=True,
    fifos_on_chip=True,
    tile_room={"Vec": 256 << 10, "Mat": 512 << 10, "Left": 64 << 10, "Right": 64 << 10, "Acc": 256 << 10},
    small_memories={"Bias": 4 << 10, "Scaling": 4 << 10, "ScaleLeft": 4 << 10, "ScaleRight": 4 << 10},
    frequency_ghz=1.85,
    timing=replace(TIMING_A2A3, borrowed=True),
)
