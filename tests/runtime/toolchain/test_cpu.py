"""Which compiler flags a machine gets, from the text that its kernel gives about it."""

from __future__ import annotations

import pytest

from pyptogen.runtime.toolchain.cpu import PORTABLE, X86_LEVELS, choose_level, parse_cpuinfo

SAPPHIRE_RAPIDS = (
    "fpu sse2 avx2 fma f16c bmi1 bmi2 movbe abm avx512f avx512bw avx512cd avx512dq avx512vl avx512_vnni "
    "avx512vbmi avx512_vbmi2 avx512ifma avx512_bitalg avx512_vpopcntdq gfni vaes vpclmulqdq "
    "amx_tile amx_int8 amx_bf16 avx512_bf16 avx512_fp16 avx_vnni"
)


def cpuinfo(*flags_of_each: str) -> str:
    return "\n\n".join(f"processor\t: {i}\nmodel name\t: some\nflags\t\t: {f}" for i, f in enumerate(flags_of_each))


def without(*names: str) -> frozenset[str]:
    return frozenset(SAPPHIRE_RAPIDS.split()) - set(names)


@pytest.mark.parametrize(
    ("available", "flags"),
    [
        (without(), ("-march=sapphirerapids", "-mprefer-vector-width=512")),
        (without("amx_int8"), ("-march=icelake-server", "-mavx512bf16", "-mprefer-vector-width=512")),
        (without("amx_int8", "avx512_bf16"), ("-march=icelake-server", "-mprefer-vector-width=512")),
        (without("amx_int8", "avx512vbmi"), ("-march=cascadelake", "-mprefer-vector-width=512")),
        (without("amx_tile", "avx512_vnni"), ("-march=skylake-avx512", "-mprefer-vector-width=512")),
        (without("amx_tile", "avx512f"), ("-march=haswell",)),
        (without("avx2"), ("-DPTO_PORTABLE",)),
        (frozenset(), ("-DPTO_PORTABLE",)),
    ],
)
def test_x86_gets_the_best_level_it_has(available: frozenset[str], flags: tuple[str, ...]) -> None:
    assert choose_level("x86_64", available).flags == flags


def test_other_architectures_get_the_portable_path() -> None:
    assert choose_level("aarch64", frozenset({"asimd", "sve"})) is PORTABLE


def test_no_level_asks_the_compiler_what_the_machine_is() -> None:
    assert not any("native" in flag for level in (*X86_LEVELS, PORTABLE) for flag in level.flags)


def test_a_feature_counts_only_when_every_processor_has_it() -> None:
    assert parse_cpuinfo(cpuinfo("sse2 avx2", "sse2")) == {"sse2"}


def test_cpuinfo_without_flags() -> None:
    assert parse_cpuinfo("processor\t: 0\nFeatures\t: asimd\n") == frozenset()
