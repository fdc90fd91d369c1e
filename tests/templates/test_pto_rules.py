"""The pto dialect of the tests refuses what is wrong: a checker that takes everything would prove nothing."""

from __future__ import annotations

import pytest
from lower.small_programs import lowered

from pyptogen.lower.isa import table
from pyptogen.lower.verify import IllegalIR
from pyptogen.templates.pto_text import pto_text
from pyptogen.templates.pto_text_body import mnemonic

pytest.importorskip("xdsl", reason="xDSL (the `dev` extra) reads the text back")
from xdsl.utils.exceptions import ParseError, VerifyException

from templates.pto import INSTRUCTIONS, parse

REFUSED = {
    "an unknown instruction": ("softmax", "pto.texp ins", "pto.texq ins"),
    "an unknown memory": ("softmax", "loc=vec", "loc=vex"),
    "a type that is not that of the value": (
        "softmax", "texp ins(%e_1 : !pto.tile_buf<loc=vec", "texp ins(%e_1 : !pto.tile_buf<loc=acc",
    ),
    "a pipe that does not exist": ("softmax", "<PIPE_V>, <PIPE_MTE3>", "<PIPE_V>, <PIPE_MTE9>"),
    "a flag from a pipe to itself": ("softmax", "<PIPE_V>, <PIPE_MTE3>", "<PIPE_V>, <PIPE_V>"),
    "an event beyond the eight": ("softmax", "<EVENT_ID0>", "<EVENT_ID8>"),
    "an address that is not aligned": ("softmax", "arith.constant 98304 : i64", "arith.constant 98305 : i64"),
    "no valid extent where the type leaves it open": ("softmax", " valid_row = %rows0_valid", ""),
    "a value nobody defined": ("softmax", "ins(%m_folded_1024, %m_tmp", "ins(%m_folded_1024, %m_temp"),
    "a reduction to a matrix": ("softmax", "cols=1, v_row=?, v_col=1", "cols=2, v_row=?, v_col=2"),
    "a scratch tile too few": ("softmax", "ins(%x_tile, %m : ", "ins(%x_tile : "),
    "an ND view with a stride on its columns": ("softmax", "strides = [%c4096, %c1]", "strides = [%c4096, %c8]"),
    "a size that is not the type's": ("softmax", "sizes = [%rows0_valid, %c4096]", "sizes = [%rows0_valid, %c8]"),
    "an element type that changes in a view": (
        "softmax", "-> !pto.partition_tensor_view<?x4096xf32>", "-> !pto.partition_tensor_view<?x4096xf16>",
    ),
    "columns beyond the tensor": ("softmax", "offsets = [%rows0, %c0]", "offsets = [%rows0, %c8]"),
    "a product of K that differs": ("matmul_int8", "loc=right, dtype=i8, rows=64", "loc=right, dtype=i8, rows=32"),
    "an accumulator of bytes": ("matmul_int8", "loc=acc, dtype=i32", "loc=acc, dtype=i8"),
    "an accumulator that is stored by its capacity": (
        "matmul_int8", "fractal=1024, pad=0, compact=1", "fractal=1024, pad=0",
    ),
    "a compact mode that tiles in L0 do not have": ("matmul_int8", "compact=1", "compact=2"),
    "a layout that the memory does not have": ("matmul_int8", "fractal=1024", "fractal=512"),
    "a store that changes the element": ("matmul_int8", "xi32>", "xf32>"),
    "relu of what is no accumulator": (
        "softmax", "outs(%y_out : !pto.partition_tensor_view<?x4096xf32>)",
        "outs(%y_out : !pto.partition_tensor_view<?x4096xf32>) {reluPreMode = #pto<relu_pre_mode normal_relu>}",
    ),
    "saturation of what is no conversion": (
        "softmax", "texp ins(%e_1 :", "texp ins(%e_1 {sat_mode = #pto<saturation_mode ON>} :",
    ),
    "fractals that are no five axes": ("matmul_int8", "#pto.layout<nz>", "#pto.layout<nd>"),
    "a push to the core that pushes": ("flash_attention", "pto.tpush_to_aiv", "pto.tpush_to_aic"),
    "a pop against the direction of the pipe": ("flash_attention", "tpop_from_aic {id = 1", "tpop_from_aic {id = 0"),
    "a slot given back to another pipe": ("flash_attention", "64x128xf32>) {id = 1", "64x128xf32>) {id = 2"),
    "a pipe that was not made": ("flash_attention", "{id = 2, split", "{id = 3, split"),
    "fifos of other lengths at their ends": ("flash_attention", "slot_num = 8} (gm_slot_tensor = %o_qk",
        "slot_num = 3} (gm_slot_tensor = %o_qk"),
    "slots of another size": ("flash_attention", "slot_size = 65536", "slot_size = 8192"),
    "a pipe of the vector core in a cube function": ("flash_attention", "kernel_kind<cube>", "kernel_kind<vector>"),
    "rows beyond the slot": (
        "flash_attention", "o_pv_slot, offsets = [%52, %c0], sizes = [%sq3_half, %c128]",
        "o_pv_slot, offsets = [%52, %c64], sizes = [%sq3_half, %c128]",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_it_is_refused(case: str) -> None:
    name, old, new = REFUSED[case]
    kernel, *beside = lowered(name, "a2a3").instructions
    text = pto_text(kernel, name, lambda span: "", *beside)
    parse(text)
    assert old in text
    with pytest.raises((ParseError, VerifyException)):
        parse(text.replace(old, new, 1 if "slot_num" in old else -1))


def test_every_rule_is_of_an_instruction_that_the_platform_has() -> None:
    """The other way round each program of the tests proves: text with an instruction without a rule is refused."""
    there = {f"pto.{mnemonic(name)}" for name, row in table.INSTRUCTIONS.items() if row.has("a2a3") or row.has("a5")}
    assert set(INSTRUCTIONS) <= there


def test_a_target_without_an_architecture_has_no_text() -> None:
    (kernel,) = lowered("softmax", "cpu").instructions
    with pytest.raises(IllegalIR, match="no PTO assembly for cpu"):
        pto_text(kernel, "softmax", lambda span: "")
