"""Ascend A2/A3: 24 cube and 48 vector cores, cube and vector meet in GM.

Sources: pool sizes from the public pto-isa documentation (UB is 192 K, of which the top 8 K is not safe to use) and its
`buffer_limits.hpp`;
frequency from its `arch_config`.
"""

from pyptogen.lower.platforms.a2a3_timing import TIMING_A2A3
from pyptogen.lower.platforms.model import Platform

CAST_CHAINS = {
    # int8 and uint8 are reached from fp16 alone, and go there alone (exact up to 2048, saturating beyond).
    ("fp32", "int8"): ("int32", "fp16"), ("fp32", "uint8"): ("int32", "fp16"),
    ("bf16", "int8"): ("int32", "fp16"), ("bf16", "uint8"): ("int32", "fp16"),
    ("int16", "int8"): ("fp16",), ("int16", "uint8"): ("fp16",),
    ("int32", "int8"): ("fp16",), ("int32", "uint8"): ("fp16",),
    ("int64", "int8"): ("int32", "fp16"), ("int64", "uint8"): ("int32", "fp16"),
    ("int8", "uint8"): ("fp16",), ("uint8", "int8"): ("fp16",),
    ("int8", "fp32"): ("fp16",), ("uint8", "fp32"): ("fp16",),
    ("int8", "bf16"): ("fp16", "fp32"), ("uint8", "bf16"): ("fp16", "fp32"),
    ("int8", "int16"): ("fp16",), ("uint8", "int16"): ("fp16",),
    ("int8", "int32"): ("fp16",), ("uint8", "int32"): ("fp16",),
    ("int8", "int64"): ("fp16", "int32"), ("uint8", "int64"): ("fp16", "int32"),
    # int4 meets fp16 alone.
    ("int4", "fp32"): ("fp16",), ("int4", "bf16"): ("fp16", "fp32"), ("int4", "int8"): ("fp16",),
    ("int4", "uint8"): ("fp16",), ("int4", "int16"): ("fp16",), ("int4", "int32"): ("fp16",),
    ("int4", "int64"): ("fp16", "int32"),
    ("fp32", "int4"): ("int32", "fp16"), ("bf16", "int4"): ("int32", "fp16"), ("int8", "int4"): ("fp16",),
    ("uint8", "int4"): ("fp16",), ("int16", "int4"): ("fp16",), ("int32", "int4"): ("fp16",),
    ("int64", "int4"): ("int32", "fp16"),
    # bf16 meets fp32 and int32; int16 the floats; int64 fp32 and int32.
    ("fp16", "bf16"): ("fp32",), ("bf16", "fp16"): ("fp32",),
    ("bf16", "int16"): ("fp32",), ("int16", "bf16"): ("fp32",), ("int32", "bf16"): ("fp32",),
    ("int16", "int32"): ("fp32",), ("int16", "int64"): ("fp32",),
    ("int64", "int16"): ("int32",), ("int64", "fp16"): ("fp32",), ("int64", "bf16"): ("fp32",),
    ("fp16", "int64"): ("fp32",), ("bf16", "int64"): ("fp32",),
}  # fmt: skip
"""What lies between two dtypes that one TCVT does not join. The first step that leads to whole numbers rounds."""

A2A3 = Platform(
    name="a2a3",
    memories={"ub": 184 * 1024, "l1": 512 * 1024, "l0a": 64 * 1024, "l0b": 64 * 1024, "l0c": 128 * 1024},
    cube_cores=24,
    vector_cores=48,
    unified=False,
    operands_from_gm=False,
    packed_nz=False,
    flags=True,
    runs_of_elements=True,
    serial_column_reductions=True,
    serial_row_reductions=True,
    serial_row_expansions=True,
    transposes_on_load=False,
    vector_mask=True,
    data_cache=True,
    unit_flags=True,
    tile_room={"Vec": 192 << 10, "Mat": 512 << 10, "Left": 64 << 10, "Right": 64 << 10, "Acc": 128 << 10},
    small_memories={"Bias": 1 << 10, "Scaling": 2 << 10},
    cast_chains=CAST_CHAINS,
    low_bits_of_floats=False,
    equality_only=frozenset({"int32"}),
    frequency_ghz=1.85,
    timing=TIMING_A2A3,
)
