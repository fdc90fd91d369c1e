"""Faults of kernels by hand: each is a diagnostic at its place that says what to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from lower.hand.cases import BLOCK, INSTRUCTION, LEVELS, SOURCE, TILE, write
from pyptogen.codegen import generate
from pyptogen.diagnostics import Diagnostic, DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.schema import load_spec


@dataclass(frozen=True)
class Bad:
    """One change of a good kernel: the code, and a word of the line that the diagnostic points at."""

    name: str
    level: str
    old: str
    new: str
    code: str
    at: str
    words: tuple[str, ...] = ()


PRIMED = "      - set_flag(MTE3, V, 0)\n    body"
SET, WAIT = "      - set_flag(MTE2, V, 0)\n", "      - wait_flag(MTE2, V, 0)\n"
T, B, I, S = "tile", "block", "instruction", "source"  # noqa: E741
CASES = [
    Bad("level", T, "level: tile", "level: register", "PTG104", "register", ("tile", "source")),
    Bad("key_of_another_level", T, "level: tile", "level: tile\n    sync: hand", "PTG103", "sync", ("tile level",)),
    Bad("no_body", T, "    body:", "    bodi:", "PTG103", "bodi"),
    Bad("no_store", T, "_:  store(yt, y[8*i:8*i+8, :])", "zt: exp(yt)", "PTG105", "my_scale", ("stores nothing",)),
    Bad("unknown_operation", T, "muls(", "mulz(", "PTG202", "mulz", ("muls",)),
    Bad("unknown_tile", T, "muls(xt", "muls(xx", "PTG201", "xx"),
    Bad("unknown_tensor", T, "load(x[", "load(xx[", "PTG201", "xx"),
    Bad("scalar_wanted", T, "muls(xt, 2.0)", "muls(xt, xt)", "PTG220", "muls", ("a number",)),
    Bad("operands", T, "muls(xt, 2.0)", "exp(xt, xt)", "PTG203", "exp"),
    Bad("no_effect", T, "      _:  store", "      _2: exp(yt)\n      _:  store", "PTG104", "_2"),
    Bad("index_no_multiple", T, "load(x[8*i:8*i+8", "load(x[4*i:4*i+8", "PTG304", "4*i", ("8*i",)),
    Bad("may_leave", T, "load(x[8*i:8*i+8", "load(x[8*i+1:8*i+9", "PTG304", "8*i+1", ("ceil(rows / 8)",)),
    Bad("size_at_run_time", T, "load(x[8*i:8*i+8, :]", "load(x[:, :]", "PTG304", ":, :"),
    Bad("columns_outside", T, "load(x[8*i:8*i+8, :]", "load(x[8*i:8*i+8, 256:768]", "PTG304", "256:768"),
    Bad("rank", T, "load(x[8*i:8*i+8, :]", "load(x[8*i:8*i+8, :, 0]", "PTG204", ":, 0"),
    Bad("stored_extent", T, "store(yt, y[8*i:8*i+8, :]", "store(yt, y[8*i:8*i+8, 0:256]", "PTG205", "0:256"),
    Bad("dtype", T, "yt: muls(xt, 2.0)", "yt: cast(xt, bf16)", "PTG206", "store(yt", ("cast(…, fp32)",)),
    Bad("loop_name", T, "{i: ceil(rows / 8)}", "{x: ceil(rows / 8)}", "PTG208", "{x:"),
    Bad("not_exact", T, "ceil(rows / 8)", "rows // 8", "PTG304", "rows // 8", ("multiple_of",)),
    Bad("capacity", B, "address: 0x4000", "address: 0xffffff", "PTG301", "yt: {"),
    Bad("alignment", B, "address: 0x4000", "address: 0x4004", "PTG302", "yt: {"),
    Bad("no_buffer", B, "- yt: muls(xt, 2.0)", "- zt: muls(xt, 2.0)", "PTG201", "muls", ("buffers",)),
    Bad("two_operations", B, "muls(xt, 2.0)", "muls(exp(xt), 2.0)", "PTG201", "exp(xt)"),
    Bad("valid_missing", B, ", valid: [i, cols]", "", "PTG205", "load(x", ("valid: [i, 512]",)),
    Bad("flags_and_auto", B, "sync: hand", "sync: auto", "PTG305", "set_flag(V, MTE2, 0)", ("sync: hand",)),
    Bad("pipe", B, "set_flag(MTE2, V, 0)", "set_flag(MTE9, V, 0)", "PTG203", "MTE9"),
    Bad("event", B, "set_flag(MTE2, V, 0)", "set_flag(MTE2, V, 8)", "PTG203", "V, 8"),
    Bad("missing_flag", B, f"{SET}{WAIT}", "", "PTG305", "muls", ("race", "0x00000")),
    Bad("left_over", B, "after:\n      - wait_flag(V, MTE2, 0)\n", "after:\n", "PTG305", "my_block", ("left over",)),
    Bad("deadlock", B, PRIMED, "    body", "PTG305", "wait_flag(MTE3, V, 0)", ("never set",)),
    Bad("memory", B, "yt: {memory: ub", "yt: {memory: l1", "PTG303", "muls", ("TMULS on `yt`", "L1", "UB")),
    Bad("product_in_ub", I, "TMULS(yt, xt, 2.0)", "TMATMUL(yt, xt, xt)", "PTG303", "TMATMUL", ("a buffer in L0C",)),
    Bad("on_the_operand", B, "address: 0x4000", "address: 0x0400", "PTG304", "muls", ("0x400 to 0x4000", "0x4000")),
    Bad("unknown_instruction", I, "TMULS(", "TMULZ(", "PTG202", "TMULZ", ("TMUL",)),
    Bad("form", I, "TMULS(yt, xt, 2.0)", "TMULS(yt, xt, xt)", "PTG203", "TMULS", ("TMULS(dst, a, scalar)",)),
    Bad("window_for_a_tile", I, "TMULS(yt, xt, 2.0)", "TMULS(yt, x[8*i:8*i+8, :], 2.0)", "PTG203", "TMULS"),
    Bad("extent", I, ", valid: [i, cols]", "", "PTG205", "TLOAD", ("valid: [i, 512]",)),
    Bad("instruction_dtype", I, "TMULS(yt, xt, 2.0)", "TEXP(yt, xt)", "PTG303", "TEXP", ("int32",)),
    Bad("no_meaning", S, "graph:\n  my_extern: {y: x * 2.0}\n", "", "PTG105", "my_extern", ("golden",)),
    Bad("no_file", S, "my_kernel.cpp", "other.cpp", "PTG110", "other.cpp"),
    Bad("outside", S, "kernels/my_kernel.cpp", "../my_kernel.cpp", "PTG113", "../my"),
    Bad("argument", S, "core: aiv", "core: aiv\n    arguments: [y, xx, rows, nblk]", "PTG201", "my_extern", ("xx",)),
    Bad("core", S, "core: aiv", "core: gpu", "PTG104", "gpu"),
]  # fmt: skip


def found(text: str, folder: Path, target: str = "a2a3") -> Diagnostic:
    with pytest.raises(DiagnosticError) as raised:
        generate(from_spec(load_spec(write(folder, text))), target)
    return raised.value.diagnostics[0]


@pytest.mark.parametrize("bad", CASES, ids=lambda bad: bad.name)
def test_fault_is_found(bad: Bad, tmp_path: Path) -> None:
    good = LEVELS[bad.level]
    if bad.name == "instruction_dtype":
        good = good.replace("dtype: fp32", "dtype: int32").replace("TLOAD(xt, x[8*i:8*i+8, :])", "TEXPANDS(xt, 1)")
    assert good.count(bad.old) >= 1
    text = good.replace(bad.old, bad.new, 1)
    diagnostic = found(text, tmp_path)
    assert diagnostic.code == bad.code
    assert diagnostic.span is not None
    line = (tmp_path / "twice.yaml").read_text().splitlines()[diagnostic.span.line - 1]
    assert bad.at in line
    said = " ".join((diagnostic.message, diagnostic.expected, diagnostic.fix))
    assert all(word in said for word in bad.words), said


def test_arithmetic_on_buffers_of_two_shapes(tmp_path: Path) -> None:
    text = LEVELS[I].replace("TMULS(yt, xt, 2.0)", "TADD(yt, xt, xt)")
    wide = text.replace("0x4000, shape: [8, cols]", "0x4000, shape: [8, 1024]")
    assert generate(from_spec(load_spec(write(tmp_path, text))), "a2a3").kernels
    diagnostic = found(wide, tmp_path)
    assert diagnostic.code == "PTG303"
    assert "8 x 1024, 8 x 512" in diagnostic.message
    assert "valid" in diagnostic.fix


@pytest.mark.parametrize("line", [text for text in BLOCK.splitlines() if "_flag(" in text])
def test_every_flag_is_needed(line: str, tmp_path: Path) -> None:
    """A good kernel with any one of its flags taken away is refused."""
    lines = BLOCK.splitlines()
    for at in [i for i, text in enumerate(lines) if text == line]:
        rest = [text for i, text in enumerate(lines) if i != at]
        assert found("\n".join(rest) + "\n", tmp_path).code == "PTG305"


CUBE = """\
kernels:
  both:
    level: tile
    grid: {i: ceil(rows / 16)}
    body:
      - xt: load(x[16*i:16*i+16, :])
      - p: matmul(xt, load(w[:, :]))
      - store(exp(p), y[16*i:16*i+16, :])
"""
SQUARE = "pyptogen: 1\noperator: twice\ndims: {rows: {max: 99}, cols: 32}\n"
SQUARE += "inputs: {x: 'fp32[rows, cols]', w: 'fp32[cols, cols]'}\noutputs: {y: 'fp32[rows, cols]'}\n"


def test_cube_and_vector_are_apart_on_a2a3(tmp_path: Path) -> None:
    program = from_spec(load_spec(write(tmp_path, CUBE, SQUARE)))
    assert generate(program, "cpu").kernels[0].core == "mixed"
    with pytest.raises(DiagnosticError) as raised:
        generate(program, "a2a3")
    assert raised.value.diagnostics[0].code == "PTG303"


def test_a_stage_by_hand_is_not_fused(tmp_path: Path) -> None:
    stages = "graph:\n  first: {h: x + 1.0}\n  my_scale: {y: h * 2.0}\n"
    text = stages + TILE.replace("load(x", "load(h") + "tiling:\n  - {rows: 8, fuse: [[first, my_scale]]}\n"
    assert found(text, tmp_path).code == "PTG304"


def test_what_others_need_must_be_stored(tmp_path: Path) -> None:
    stages = "graph:\n  my_scale: {h: x * 1.0, y: h * 2.0}\n  more: {z: h + 1.0}\n"
    head = write(tmp_path, "").read_text().replace("outputs:", "outputs:\n  z: fp32[rows, cols]")
    with pytest.raises(DiagnosticError) as raised:
        generate(from_spec(load_spec(write(tmp_path, stages + TILE, head))), "cpu")
    diagnostic = raised.value.diagnostics[0]
    assert (diagnostic.code, "`h`" in diagnostic.message) == ("PTG207", True)


def test_an_unrolled_dim_and_a_kernel_that_does_all_of_it(tmp_path: Path) -> None:
    text = SOURCE + "tiling:\n  - {rows: {unroll: [8, 4, 2, 1]}}\n"
    diagnostic = found(text, tmp_path)
    assert (diagnostic.code, "range" in diagnostic.expected) == ("PTG304", True)


def test_flags_say_nothing_on_cpu(tmp_path: Path) -> None:
    text = generate(from_spec(load_spec(write(tmp_path, BLOCK))), "cpu").kernels[0].text
    assert "flag(" not in text
    assert "xt * 2.0f" in text
    assert INSTRUCTION.count("TMULS") == 1


IN_PLACE = """\
graph:
  k:
    y: cast(cast(x, bf16), fp32)
kernels:
  k:
    level: instruction
    grid: {i: ceil(rows / 8)}
    buffers:
      xt: {memory: ub, address: 0x0000, shape: [8, cols], valid: [i, cols], dtype: fp32}
      wt: {memory: ub, address: 0x0000, shape: [8, cols], valid: [i, cols], dtype: bf16}
      yt: {memory: ub, address: 0x4000, shape: [8, cols], valid: [i, cols], dtype: fp32}
      st: {memory: ub, address: 0x8000, shape: [8, 1], valid: [i, 1], dtype: fp32}
      tt: {memory: ub, address: 0xc000, shape: [8, cols], valid: [i, cols], dtype: fp32}
    body:
      - TLOAD(xt, x[8*i:8*i+8, :])
      - TROWSUM(st, xt, tt)
      - TMULS(xt, xt, 1.0)
      - TCVT(wt, xt, rint)
      - TCVT(yt, wt, rint)
      - TSTORE(y[8*i:8*i+8, :], yt)
"""


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("TCVT(yt, wt, rint)", "TCVT(xt, wt, rint)", "TCVT writes `xt` over `wt`"),
        ("0xc000", "0x0000", "TROWSUM writes `tt` over `xt`"),
        ("TMULS(xt, xt, 1.0)", "TTRANS(xt, xt, yt)", "TTRANS writes `xt` over `xt`"),
    ],
)
def test_only_what_goes_element_by_element_works_in_place(old: str, new: str, words: str, tmp_path: Path) -> None:
    """Narrowing does, since no element is written before it is read; widening, scratch and a transpose do not."""
    assert generate(from_spec(load_spec(write(tmp_path, IN_PLACE))), "a2a3").kernels
    diagnostic = found(IN_PLACE.replace(old, new), tmp_path)
    assert diagnostic.code == "PTG304"
    assert words in diagnostic.message
