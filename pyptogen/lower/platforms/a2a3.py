"""Ascend A2/A3: 24 cube and 48 vector cores, cube and vector meet in GM.

Sources: pool sizes from the public pto-isa documentation (UB is 192 K, of which the top 8 K is not safe to use);
frequency from its `arch_config`.
"""

from pyptogen.lower.platforms.model import Platform

A2A3 = Platform(
    name="a2a3",
    memories={"ub": 184 * 1024, "l1": 512 * 1024, "l0a": 64 * 1024, "l0b": 64 * 1024, "l0c": 128 * 1024},
    cube_cores=24,
    vector_cores=48,
    unified=False,
    operands_from_gm=False,
    packed_nz=False,
    flags=True,
    # TCVT has no int8 from fp32 or int32: the device goes by int32 (rounding there, once) and fp16 (exact up to 2048).
    cast_chains={
        ("fp32", "int8"): ("int32", "fp16"),
        ("int32", "int8"): ("fp16",),
        ("int8", "fp32"): ("fp16",),
    },
    frequency_ghz=1.85,
)
