"""The form of kernels for devices: what one block does apart from the entry, and what a device has not by itself."""

from __future__ import annotations

import re

import pytest
from lower.small_programs import lowered

from pyptogen.lower.instruction.ir import Declare, walk
from pyptogen.lower.platforms import PLATFORMS


def texts(name: str, target: str) -> dict[str, str]:
    """The kernels of an operator by name."""
    return {kernel.name: kernel.text for kernel in lowered(name, target).kernels}


def parts(text: str) -> tuple[str, str]:
    """What one block does, and the entry."""
    block, _, entry = text.partition('extern "C" __global__')
    return block, entry


@pytest.mark.parametrize("name", ["softmax", "linear_gelu", "flash_attention"])
def test_the_entry_alone_asks_which_block_it_is(name: str) -> None:
    for text in texts(name, "a2a3").values():
        block, entry = parts(text)
        assert not re.search(r"get_block_idx|get_subblockid|set_ffts_base_addr", block)
        assert entry.count("get_block_idx()") == 1
        assert ("get_subblockid()" in entry) == ("int32_t subblock)" in block)


def test_both_programs_of_a_mixed_kernel_are_told_where_the_flags_are_first() -> None:
    for text in texts("linear_gelu", "a2a3").values():
        _, entry = parts(text)
        first, second = entry.partition("{\n")[2].splitlines()[:2]
        assert first == "    set_ffts_base_addr(reinterpret_cast<uint64_t>(ffts));"
        assert second.startswith("    run_block(")
        assert re.search(r"AICORE void \w+\(\s*__gm__ uint64_t \*ffts, ", entry)
    assert "ffts" not in "".join(texts("softmax", "a2a3").values())


@pytest.mark.parametrize(("name", "target", "masked"), [
    ("softmax", "a2a3", True), ("matmul_int8", "a2a3", False), ("softmax", "a5", False), ("softmax", "cpu", False),
])  # fmt: skip
def test_vector_work_on_a2a3_begins_with_a_mask_of_its_own(name: str, target: str, masked: bool) -> None:
    (text,) = texts(name, target).values()
    found = re.search(r"#if defined\(__DAV_VEC__\)\n    set_mask_norm\(\);\n    set_vector_mask\(-1, -1\);", text)
    assert (found is not None) == masked


@pytest.mark.parametrize(("name", "target", "reads"), [
    ("embedding", "a2a3", True), ("embedding", "cpu", False), ("softmax", "a2a3", False), ("moe_combine", "a5", True),
    ("paged_attention", "a2a3", True),
])  # fmt: skip
def test_what_reads_indices_empties_the_data_cache_first(name: str, target: str, reads: bool) -> None:
    """`paged_attention` reads lengths for a condition, and page numbers."""
    forget = "dcci(static_cast<__gm__ void *>(0), cache_line_t::ENTIRE_DATA_CACHE);"
    read = re.compile(r"= (?:\(int64_t\()?\w+\[int64_t\(|index_(?:inside|or_skip)\(\w+\[")
    kernels = texts(name, target).values()
    assert any(forget in text for text in kernels) == reads
    for text in kernels:
        found = read.search(text) if target != "cpu" else None
        assert (forget in text) == (found is not None)
        assert found is None or text.index(forget) < found.start()


SIZES = {"fp32": 4, "int32": 4, "int64": 8, "fp16": 2, "bf16": 2, "int16": 2, "int8": 1, "uint8": 1}


@pytest.mark.parametrize("name", ["softmax", "rms_norm_bf16", "matmul_int8"])
def test_addresses_that_are_numbers_are_judged_when_they_are_compiled(name: str) -> None:
    """But for tiles with more rows than memory, which an alignment alone has given them."""
    judged: list[bool] = []
    for kernel in lowered(name, "a2a3").instructions:
        text = texts(name, "a2a3")[kernel.name]
        tiles = [node for node in walk(kernel.body) if isinstance(node, Declare)]
        fixed = [(tile.type, place) for tile in tiles if (place := tile.address.constant) is not None]
        room = PLATFORMS["a2a3"].tile_room
        fits = [place + t.rows * t.cols * SIZES[t.dtype] <= room[t.loc] for t, place in fixed]
        assert len(re.findall(r"TASSIGN<0x[0-9a-f]{5}>\(", text)) == sum(fits)
        assert len(re.findall(r"TASSIGN\(\w+, 0x[0-9a-f]{5}\)", text)) == len(fits) - sum(fits)
        judged += fits
    assert set(judged) == {"softmax": {True, False}, "rms_norm_bf16": {True, False}, "matmul_int8": set()}[name]


def test_kernels_for_the_cpu_are_one_function() -> None:
    (text,) = texts("softmax", "cpu").values()
    assert "run_block" not in text
    assert "TASSIGN<" not in text
