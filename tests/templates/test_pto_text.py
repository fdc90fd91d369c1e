"""PTO assembly of every kernel: parsed back by xDSL, printed again, and doing what the instructions say."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiling import NIGHTLY
from hypothesis import given, settings
from hypothesis import strategies as st
from lower.small_programs import SPECS, elementwise, instructions, lowered, program_of
from operators.loop_specs import CASES
from operators.test_scans_in_iterations import ROWS
from syrupy.assertion import SnapshotAssertion

from pyptogen.codegen import generate
from pyptogen.lower.expr import ONE, Poly
from pyptogen.lower.instruction.ir import (
    Barrier,
    Declare,
    For,
    GmWindow,
    Instr,
    InstrKernel,
    ReadIndex,
    SetFlag,
    WaitFlag,
    walk,
)
from pyptogen.lower.instruction.side_by_side import pairs
from pyptogen.lower.instruction.synchronise import with_flags_only
from pyptogen.lower.spec_lines import spec_lines
from pyptogen.lower.tile.ir import Extent
from pyptogen.templates.pto_text import lacks, pto_text
from pyptogen.templates.pto_text_body import mnemonic
from pyptogen.templates.pto_text_values import literal

pytest.importorskip("xdsl", reason="xDSL (the `dev` extra) reads the text back")
from xdsl.dialects.builtin import ModuleOp
from xdsl.printer import Printer

from templates.pto import parse
from templates.pto.trace import KernelTrace, ModuleTrace

LIBRARY = sorted(path.stem for path in SPECS.glob("*.yaml") if "targets: [cpu" not in path.read_text())
GRAPHS = {
    "dims": "y: x * t",
    "scalars": "b: x * 3.5 + 1e-30\ny: (b - 2) / 7",
    "divided": "b: 1 / (x + 1)\ny: minimum(b, 4)",
    "columns": "b: x - s\ny: b * c",
    "reduced": "m: amax(x, axis=-1, keepdim=true)\ny: maximum(x - m, -inf)",
    "sliced": "a: x[:, :8]\nb: x[:, 8:]\ny: concat(b, a, axis=-1)",
}


MOST_EVENTS = 10_000 if NIGHTLY else 2_000
"""Of a block, that are compared: rounds of loops beyond these repeat the others."""
HALVES = """\
pyptogen: 1
operator: halves
dims:
  t: {min: 1, max: 4096}
  d: 32
inputs:
  x: fp16[t, d]
attrs:
  eps: {type: fp32, default: 1.0e-5}
outputs:
  y: fp16[t, d]
graph:
  a: x * (eps * 2 + 1)
  b: a + sqrt(eps)
  c: b + min(eps, 3)
  y: c / eps ** 2
tiling:
  - {t: 8}
"""


@cache
def kernels(name: str) -> tuple[InstrKernel, ...]:
    """The kernels for a2a3 of an operator of the library, or of a small program, as texts say them: with flags where
    C++ has unit flags."""
    return tuple(map(with_flags_only, _kernels(name)))


def _kernels(name: str) -> tuple[InstrKernel, ...]:
    if name in GRAPHS:
        return generate(elementwise(GRAPHS[name]), "a2a3").instructions
    if name in LOOPS:
        return generate(program_of(CASES[name].text), "a2a3").instructions
    if name in ("halves", "scans in rounds"):
        return generate(program_of(HALVES if name == "halves" else ROWS), "a2a3").instructions
    return lowered(name, "a5" if name in ON_A5 else "a2a3").instructions


ON_A5 = ("linear_fp8", "linear_fp8_blocks", "linear_hif8", "linear_mxfp8", "linear_mxfp4")
LOOPS = ("attention_apart", "attention_rings", "attention_rings_rows", "state_rings")
OPERATORS = (*LIBRARY, *ON_A5, "product", "fused", *LOOPS, "halves", "scans in rounds", *GRAPHS)
Parsed = list[tuple[tuple[InstrKernel, ...], str, ModuleOp]]


def text_of(kernel: InstrKernel, beside: InstrKernel | None = None) -> str:
    return pto_text(kernel, "demo", lambda span: f"line {span.line}", beside)


def modules(name: str) -> list[tuple[InstrKernel, ...]]:
    """The kernels that share a text: one, or both programs of a mixed kernel; but those that have none."""
    alone = [(kernel,) for kernel in kernels(name) if not kernel.fifos]
    return [programs for programs in (*alone, *pairs(kernels(name))) if not lacks(*programs)]


@pytest.fixture(scope="module", params=OPERATORS)
def parsed(request: pytest.FixtureRequest) -> Parsed:
    """The texts of an operator's kernels, parsed once for all tests of that operator."""
    found = [(programs, text_of(*programs)) for programs in modules(request.param)]
    return [(programs, text, parse(text)) for programs, text in found]


def printed(module: ModuleOp) -> str:
    """The module as xDSL writes it, with names of its own: those that it makes of ours are not always apart."""
    bare = module.clone()
    for op in bare.walk():
        for value in (*op.results, *(a for region in op.regions for block in region.blocks for a in block.args)):
            value.name_hint = None
    out = io.StringIO()
    Printer(out).print_op(bare)
    return out.getvalue()


def canonical(text: str) -> list[str]:
    """Words of a text without comments, values numbered by first appearance in their function, numbers by value."""
    text = re.sub(r"//[^\n]*", "", text).replace("builtin.module", "module").replace("func.return", "return")
    head, *functions = text.split("func.func")
    return [word for part in (head, *(f"func.func{function}" for function in functions)) for word in _words(part)]


def _words(text: str) -> list[str]:
    numbers: dict[str, str] = {}
    text = re.sub(r"%\w+", lambda m: numbers.setdefault(m[0], f"%{len(numbers)}"), text)
    text = re.sub(r"0x[0-9a-fA-F]+", lambda m: m[0].lower(), text)
    words = re.findall(r"%\d+|-?\d+\.\d+(?:e[+-]\d+)?|[\w.?#!@%-]+|[^\s\w]", text)
    return [str(float(np.float32(word))) if re.fullmatch(r"-?\d+\.\d+(e[+-]\d+)?", word) else word for word in words]


def arguments(kernel: InstrKernel, begin: int, end: int, blocks: int) -> dict[str, Any]:
    """Numbers for all arguments but pointers: the range of a launch, its blocks, 0.25 for every attr, small dims where
    loops take them one by one, smaller ones where loops go over a multiple of them."""
    tensors = {t.name for t in kernel.tensors}
    values: dict[str, Any] = {name: 0.25 for name, _ in kernel.scalars}
    tensors |= {fifo.name for fifo in kernel.fifos}
    values |= {name: end for name in kernel.arguments if name not in tensors and name not in values}
    stops = [node.stop for node in walk(kernel.body) if isinstance(node, For) and node.step == 1]
    free = values.keys() - {f"{kernel.launch_dim}_begin", f"{kernel.launch_dim}_end", str(kernel.launch_dim)}
    many = {name for stop in stops for name in stop.names() if len(stop.terms) == 1}
    values |= {name: min(end, 2) for name in many & free}
    values |= {name: min(end, 5) for name in {str(stop) for stop in stops} & free}
    return values | {"nblk": blocks, f"{kernel.launch_dim}_begin": begin}


def assert_same(got: Any, want: Any) -> None:
    if got == want:
        return
    if isinstance(want, tuple):
        assert len(got) == len(want), (got, want)
        for a, b in zip(got, want, strict=True):
            assert_same(a, b)
    elif isinstance(want, float):
        assert got == pytest.approx(want, rel=1e-6, abs=1e-37), (got, want)
    else:
        raise AssertionError((got, want))


def test_it_is_legal_and_round_trips(parsed: Parsed) -> None:
    for _, text, module in parsed:
        again = printed(module)
        assert module.is_structurally_equivalent(parse(again))
        assert canonical(again) == canonical(text)


def test_every_instruction_is_there_once(parsed: Parsed) -> None:
    ignored = ("pto.make_tensor_view", "pto.partition_view", "pto.addptr", "pto.load_scalar", "pto.get_block_idx")
    ignored += ("pto.get_subblock_idx", "pto.subview")
    for programs, _, module in parsed:
        nodes = [node for kernel in programs for node in walk(kernel.body)]
        wanted = [word for k in programs for i in instructions(k) if i.name not in ON_FIFOS for word in words(k, i)]
        wanted += [word for k in programs for i in instructions(k) for word in fifo_words(k.core, i.name)]
        wanted += ["pto.initialize_pipe" for k in programs for _ in k.fifos]
        wanted += [f"pto.set_flag{'_dyn' if n.slot else ''}" for n in nodes if isinstance(n, SetFlag)]
        wanted += [f"pto.wait_flag{'_dyn' if n.slot else ''}" for n in nodes if isinstance(n, WaitFlag)]
        wanted += ["pto.barrier" for n in nodes if isinstance(n, Barrier)]
        wanted += ["pto.cmo.cacheinvalid" for k in programs if reads_of_scalar_unit(k)]
        wanted += ["pto.alloc_tile" for n in nodes if isinstance(n, Declare)]
        joined = [n for n in nodes if isinstance(n, For) and n.parallel and getattr(n.body[0], "parallel", False)]
        wanted += ["scf.for" for n in nodes if isinstance(n, For) and n not in joined]
        found = [
            op.name.replace(".aic_init", ".init").replace(".aiv_init", ".init")
            for op in module.walk()
            if op.name == "scf.for" or (op.name.startswith("pto.") and op.name not in ignored)
        ]
        assert sorted(found) == sorted(wanted)


def reads_of_scalar_unit(kernel: InstrKernel) -> int:
    """How many numbers it reads from GM, for indices and for conditions."""
    conditions = [n.only for n in walk(kernel.body) if isinstance(n, For) and n.only is not None]
    return sum(isinstance(n, ReadIndex) for n in walk(kernel.body)) + sum(len(only.elements) for only in conditions)


def words(kernel: InstrKernel, node: Instr) -> list[str]:
    """What an instruction is: one, but for a number joined with 32 bits on A2/A3."""
    tiles = {n.name: n for n in walk(kernel.body) if isinstance(n, Declare)}
    if node.name in ("TANDS", "TORS") and tiles[str(node.operands[0])].type.dtype == "int32":
        return ["pto.texpands", "pto.barrier", f"pto.{node.name.lower().removesuffix('s')}"]
    return [f"pto.{mnemonic(node.name)}"]


ON_FIFOS = {"TPUSH": ("talloc_to", "tstore", "tpush_to"), "TPOP": ("tpop_from",), "TFREE": ("tfree_from",)}


def fifo_words(core: str, instruction: str) -> list[str]:
    """What an instruction on a fifo is in a program of a cube or vector core."""
    other = "aiv" if core == "cube" else "aic"
    return [f"pto.{word}" + ("" if word == "tstore" else f"_{other}") for word in ON_FIFOS.get(instruction, ())]


def assert_same_work(kernel: InstrKernel, module: ModuleOp, begin: int, end: int, blocks: int) -> None:
    given = arguments(kernel, begin, end, blocks)
    for block, subblock in ((b, n) for b in range(blocks) for n in range(2 if kernel.subblock else 1)):
        want = KernelTrace.of(kernel, given, block, subblock)
        got = ModuleTrace.of(module, kernel.arguments, given, block, kernel.name, subblock)
        assert [event[0] for event in got] == [event[0] for event in want]
        for a, b in zip(got, want, strict=True):
            assert_same(a, b)


@pytest.mark.parametrize(("begin", "end", "blocks"), [(0, 1, 1), (0, 37, 2), (16, 130, 3), (8, 8, 1)])
def test_it_does_what_the_instructions_say(parsed: Parsed, begin: int, end: int, blocks: int) -> None:
    for programs, _, module in parsed:
        for kernel in programs:
            assert_same_work(kernel, module, *walkable(kernel, begin, end, blocks), blocks)


def walkable(kernel: InstrKernel, begin: int, end: int, blocks: int) -> tuple[int, int]:
    """The range, or one that begins and ends earlier where the first block has more events than are compared."""
    while end - begin > 4 and not KernelTrace.ends(kernel, arguments(kernel, begin, end, blocks), MOST_EVENTS):
        first = min(begin, max(1, begin // 2))
        begin, end = first, first + (end - begin) // 2
    return begin, end


def test_a_window_of_whole_rows_shows_its_row_and_column() -> None:
    (kernel,) = kernels("matmul_int8")
    text = text_of(kernel)
    assert "%a_in = pto.partition_view %a_view, offsets = [%m0, %k0], sizes = [%m0_valid, %c256]" in text
    fractals = r"offsets = \[%c0, %\d+, %\d+, %c0, %c0\], sizes = \[%c1, %c4, %c16, %c16, %c32\]"
    assert re.search(fractals, text)
    assert "pto.addptr" not in text


@pytest.mark.parametrize(("further", "pointer"), [(16 * 32, False), (64 * 1024, False), (32, True), (1024, True)])
def test_fractals_are_addressed_by_blocks_where_they_are_whole(further: int, pointer: bool) -> None:
    """512 and 65536 elements on are the next fractal down and two to the right; 32 and 1024 lie within one."""
    (kernel,) = kernels("matmul_int8")
    moved = in_windows(kernel, lambda w: replace(w, offset=w.offset + further) if w.layout == "NZ" else w)
    text = text_of(moved)
    assert ("pto.addptr %b" in text) == pointer
    assert_same_work(moved, parse(text), 0, 130, 2)


def in_windows(kernel: InstrKernel, change: Any) -> InstrKernel:
    """The kernel with its loads and stores changed."""

    def node(n: Any) -> Any:
        if isinstance(n, For):
            return replace(n, body=tuple(node(inner) for inner in n.body))
        if not isinstance(n, Instr):
            return n
        return replace(n, operands=tuple(change(o) if isinstance(o, GmWindow) else o for o in n.operands))

    return replace(kernel, body=tuple(node(n) for n in kernel.body))


@settings(max_examples=25, deadline=None)
@given(
    rows=st.integers(1, 9),
    cols=st.integers(1, 9),
    strides=st.tuples(st.sampled_from([1, 2, 16, 48]), st.sampled_from([1, 3, 16])),
    offset=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    layout=st.sampled_from(["ND", "DN"]),
)
def test_any_window_has_its_elements(
    rows: int, cols: int, strides: tuple[int, int], offset: tuple[int, int], layout: Any
) -> None:
    """Strides, offsets and extents of all sorts, also such that no view of the tensor holds."""
    (kernel,) = kernels("softmax")
    var = next(n.var for n in walk(kernel.body) if isinstance(n, For))
    moved = in_windows(
        kernel,
        lambda w: replace(
            w,
            rows=Extent(rows),
            cols=Extent(cols),
            row_stride=Poly.of(strides[0]),
            col_stride=Poly.of(strides[1]),
            offset=Poly.of(var) * offset[0] + offset[1],
            layout=layout,
        ),
    )
    given_values = arguments(moved, 0, 20, 1)
    module = ModuleTrace.of(_parsed_without_rules(moved), moved.arguments, given_values, 0)
    want = KernelTrace.of(moved, given_values, 0)
    windows = [[o for event in events for o in event if _is_window(o)] for events in (module, want)]
    assert windows[0] == windows[1]
    assert windows[0]


def _is_window(operand: Any) -> bool:
    return isinstance(operand, tuple) and len(operand) == 3 and isinstance(operand[2], tuple) and operand[0] in "xy"


def _parsed_without_rules(kernel: InstrKernel) -> ModuleOp:
    """Windows that do not fit their tiles: the grammar holds, the rule of the load does not."""
    from xdsl.context import Context
    from xdsl.dialects.arith import Arith
    from xdsl.dialects.builtin import Builtin
    from xdsl.dialects.func import Func
    from xdsl.dialects.scf import Scf
    from xdsl.parser import Parser

    from templates.pto import Pto

    context = Context()
    for dialect in (Builtin, Func, Scf, Arith, Pto):
        context.load_dialect(dialect)
    return Parser(context, text_of(kernel)).parse_module()


def test_strides_on_both_axes_get_a_pointer_and_a_view_of_their_own() -> None:
    (kernel,) = kernels("softmax")
    text = text_of(in_windows(kernel, lambda w: replace(w, col_stride=Poly.of(2), offset=w.offset + ONE)))
    assert "pto.addptr %x, %" in text
    assert "%x_in_view = pto.make_tensor_view" in text


@given(st.floats(width=32, allow_nan=False))
def test_literals_are_mlir_and_exact(value: float) -> None:
    text = literal(value, "f32")
    if text.startswith("0x"):
        assert np.array(int(text, 16), np.uint32).view(np.float32) == value
    else:
        assert re.fullmatch(r"-?\d+\.\d*(e[+-]?\d+)?", text)
        assert np.float32(text) == np.float32(value)


@pytest.mark.parametrize("name", ["softmax", "matmul_int8"])
def test_whole_output(name: str, snapshot: SnapshotAssertion) -> None:
    (kernel,) = lowered(name, "a2a3").instructions
    assert pto_text(kernel, name, spec_lines()) == snapshot


@pytest.mark.skipif(shutil.which("ptoas") is None, reason="no `ptoas` on PATH: the assembler is not published here")
def test_the_assembler_takes_it(tmp_path: Path) -> None:
    for name in LIBRARY:
        for programs in modules(name):
            path = tmp_path / f"{programs[0].name}.pto"
            path.write_text(text_of(*programs))
            command = ["ptoas", "--pto-arch=a3", "--pto-level=level3", str(path), "-o", str(tmp_path / "out.cpp")]
            done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
            assert done.returncode == 0, f"{name}, {programs[0].name}: {done.stderr}"
