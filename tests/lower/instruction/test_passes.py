"""Vector instructions walked together: what is formed, that it means the same, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pyptogen
from lower.instruction.editing import with_parts
from lower.small_programs import elementwise, lowered
from pyptogen.codegen import generate
from pyptogen.lower import platforms
from pyptogen.lower.expr import Poly
from pyptogen.lower.instruction import passes
from pyptogen.lower.instruction.declare import place_declarations
from pyptogen.lower.instruction.ir import For, GmWindow, Instr, InstrKernel, Node, Pass, declarations, walk
from pyptogen.lower.instruction.passes import footprint, form
from pyptogen.lower.instruction.passes.replan import disjoint, replan
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.ir import Extent
from pyptogen.schema import load_spec
from pyptogen.simulate.graph import interpret
from pyptogen.verify import example_inputs

OPERATORS = [
    "softmax", "log_softmax", "layer_norm_residual", "rms_norm_bf16", "swiglu", "rope", "quant_per_token",
    "linear_int8", "vector_add", "column_sum",
]  # fmt: skip
SIZES = {
    "vector_add": {"n": 4100},
    "rope": {"t": 33},
    "linear_int8": {"t": 33},
    "flash_attention": {"sq": 50, "kv": 300},
}
SPECS = Path(__file__).resolve().parents[3] / "specs"


def formed(kernel: InstrKernel) -> list[Pass]:
    return [n for n in walk(passes.run(kernel).body) if isinstance(n, Pass)]


def names(node: Pass) -> list[str]:
    return [m.name for m in node.members]


def unfolded(kernel: InstrKernel) -> InstrKernel:
    """The members of all passes again one by one, in their order and at their addresses."""
    tiles = disjoint(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    packed = replan(body, tiles, 1 << 30)
    assert packed is not None
    moved, _ = packed

    def flat(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            if isinstance(node, Pass):
                found += node.members
            else:
                found.append(replace(node, body=flat(node.body)) if isinstance(node, For) else node)
        return tuple(found)

    return replace(kernel, body=place_declarations(flat(body), moved))


@pytest.mark.parametrize("name", OPERATORS)
def test_the_order_and_the_addresses_of_passes_mean_the_same(name: str) -> None:
    spec = load_spec(SPECS / f"{name}.yaml")
    program = from_spec(spec)
    once = generate(program, "cpu")
    assert any(formed(k) for k in once.instructions)
    arrays = example_inputs(spec, SIZES.get(name, {"rows": 5}), seed=3)
    again = with_parts(once, instructions=tuple(unfolded(k) for k in once.instructions))
    want, got = interpret(once, arrays), interpret(again, arrays)
    for output, expected in want.items():
        assert got[output].tobytes() == expected.tobytes(), output


def test_softmax_walks_three_times() -> None:
    (kernel,) = lowered("softmax", "cpu").instructions
    first, second, third = formed(kernel)
    assert names(first) == ["TLOAD", "TROWMAX"]
    assert names(second) == ["TROWEXPANDSUB", "TEXP", "TROWSUM"]
    assert names(third) == ["TROWEXPANDDIV", "TSTORE"]
    assert first.kept == ("x_tile", "m")
    assert third.kept == ()


def test_columns_are_added_up_as_rows_come_in() -> None:
    """Lines of the tensor are read whole, and nothing of them goes through a tile."""
    (kernel,) = lowered("column_sum", "cpu").instructions
    (node,) = formed(kernel)
    assert names(node) == ["TLOAD", "TCOLSUM"]
    assert node.kept == ("y_part",)
    assert node.cols.size == 4096


def test_halves_of_rows_are_loaded_and_stored_apart() -> None:
    """Both halves of a head in one walk from memory to memory; cosines and sines are widened in one before it."""
    (kernel,) = lowered("rope", "cpu").instructions
    angles, heads = formed(kernel)
    assert names(angles) == ["TLOAD", "TCVT", "TLOAD", "TCVT"]
    moved = [o for m in heads.members for o in m.operands if isinstance(o, GmWindow)]
    assert [(w.tensor, w.cols.size) for w in moved] == [("x", 64), ("x", 64), ("y", 64), ("y", 64)]
    assert [(b.offset - a.offset).constant for a, b in (moved[:2], moved[2:])] == [64, 64]
    assert heads.kept == ()


@pytest.mark.parametrize(("factor", "width"), [("s", 8), ("sum(e, axis=-1, keepdim=true)", 16)])
def test_a_tile_goes_by_halves_if_nothing_needs_whole_rows(factor: str, width: int) -> None:
    """All that is computed with is halves of e, and then the sum of its rows as well."""
    graph = f"e: exp(x)\nh: e[:, :8] * e[:, 8:] * {factor}\ny: concat(h, h, axis=-1)"
    (kernel,) = generate(elementwise(graph), "cpu").instructions
    found = {n.cols.size for n in formed(kernel) for m in n.members if m.name == "TEXP"}
    assert found == {width}


def test_what_is_loaded_next_is_asked_for_while_a_pass_computes() -> None:
    (kernel,) = lowered("softmax", "cpu").instructions
    first, second, third = formed(kernel)
    ((window, rows),) = second.ahead
    assert window in first.members[0].operands
    assert rows == Poly.of("nblk") * 1  # the rows of this block's next round
    assert not first.ahead
    assert not third.ahead
    _, middle, _ = formed(lowered("layer_norm", "cpu").instructions[0])
    assert middle.ahead
    for name in ("swiglu", "rms_norm_bf16", "layer_norm_residual"):  # passes move something, or memory is busy
        assert not any(node.ahead for kernel in lowered(name, "cpu").instructions for node in formed(kernel))


def test_long_chains_interleave_four_vectors() -> None:
    """Not those that fill the registers, as of 16 planes, nor walks that mostly load, as of a softmax."""

    def interleaved(name: str) -> list[bool]:
        return [node.interleaved for kernel in lowered(name, "cpu").instructions for node in formed(kernel)]

    assert interleaved("gelu") == interleaved("silu") == [True]
    assert not any(interleaved("softmax"))
    assert not any(interleaved("sinkhorn"))


def test_values_that_only_a_pass_uses_need_no_memory() -> None:
    (kernel,) = lowered("swiglu", "cpu").instructions
    (only,) = formed(kernel)
    assert only.kept == only.tiles == ()
    assert dict(passes.run(kernel).occupancy)["ub"] == 0


def test_scores_are_scaled_twice_and_weights_go_to_the_matrix_unit() -> None:
    """What follows from an accumulator in a few instructions is computed again, not stored; the rounded weights become
    a left operand without a tile of their own; the sum so far is scaled where the new part is added."""
    (kernel,) = lowered("flash_attention", "cpu").instructions
    largest, weights, total, _ = formed(kernel)
    assert names(largest) == ["TEXTRACT", "TMULS", "TROWMAX"]
    assert names(weights) == ["TEXTRACT", "TMULS", "TROWEXPANDSUB", "TEXP", "TROWSUM", "TCVT", "TMOV"]
    assert names(total) == ["TROWEXPANDMUL", "TEXTRACT", "TADD"]
    locs = [declarations(kernel)[n].type.loc for n in weights.kept]
    assert (len(largest.kept), sorted(locs)) == (1, ["Left", "Vec"])


def test_what_an_accumulator_held_is_not_computed_again_once_it_is_overwritten() -> None:
    (kernel,) = lowered("flash_attention", "cpu").instructions
    tiles = disjoint(declarations(kernel))
    (loop,) = (n for n in walk(kernel.body) if isinstance(n, For) and n.var == "sq1")
    product = next(n for n in loop.body if isinstance(n, Instr) and n.name == "TMATMUL")
    largest = next(i for i, n in enumerate(loop.body) if isinstance(n, Instr) and n.name == "TROWMAX")
    again = (*loop.body[: largest + 1], replace(product), *loop.body[largest + 1 :])
    first, *_ = (n for n in form.Former(tiles, again).body(again) if isinstance(n, Pass))
    assert len(first.kept) == 2, "the scores go to their tile"


def test_two_loads_alone_are_no_pass() -> None:
    (kernel,) = lowered("layer_norm_residual", "cpu").instructions
    assert all(set(names(node)) != {"TLOAD"} for node in formed(kernel))


def test_other_platforms_have_no_passes() -> None:
    for name in ("softmax", "rope"):
        for kernel in lowered(name, "a2a3").kernels:
            assert "TPASS" not in kernel.text


def test_members_that_meet_at_other_elements_may_not_walk() -> None:
    """The proof obligation: any result moved onto a tile that others read, but not to the same elements."""
    (kernel,) = generate(elementwise("y: exp(x + z) * z - x"), "cpu").instructions
    tiles = disjoint(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    (node,) = (n for n in walk(body) if isinstance(n, Pass))
    assert form.is_legal(node, tiles)
    read = {n for m in node.members if m.name != "TLOAD" for n in m.operands if isinstance(n, str)}
    refused = 0
    for result in {str(m.operands[0]) for m in node.members if m.name not in ("TSTORE", "TLOAD")}:
        for other in read - {result}:
            onto = replace(tiles[result], address=tiles[other].address + Poly.of(64))
            assert not form.is_legal(node, {**tiles, result: onto}), (result, other)
            refused += 1
    assert refused > 5


@pytest.mark.parametrize(
    ("offset", "cols", "disjoint"),
    [
        pytest.param(8 * 128, 128, True, id="behind each other"),
        pytest.param(7 * 128, 128, False, id="the last row in both"),
        pytest.param(64, 64, True, id="side by side"),
        pytest.param(64, 128, False, id="the second half in both"),
        pytest.param(128 + 64, 64, True, id="side by side, a row further on"),
    ],
)
def test_windows_of_one_tensor_without_a_common_element(offset: int, cols: int, disjoint: bool) -> None:
    """Stores to two windows of eight rows of a tensor whose rows have 128 elements."""

    def store(at: Poly) -> footprint.Access:
        window = GmWindow("y", "fp32", "ND", at, Extent(8), Extent(cols), Poly.of(128), Poly.of(1))
        return footprint.of_window(window, True)

    first = Poly.of("i0") * 1024
    for one, other in ((first, first + offset), (first + offset, first)):
        assert footprint.independent([store(one)], [store(other)]) == disjoint
    assert not footprint.independent([store(first)], [store(Poly.of("j0"))])


def test_a_result_takes_the_place_of_an_operand_only_after_its_last_use() -> None:
    (kernel,) = generate(elementwise("y: exp(x + z) * z - x"), "cpu").instructions
    tiles = disjoint(declarations(kernel))
    body = form.Former(tiles, kernel.body).body(kernel.body)
    (node,) = (n for n in walk(body) if isinstance(n, Pass))
    first = str(node.members[2].operands[0])
    onto = replace(tiles[first], address=tiles["x_tile"].address)
    assert not form.is_legal(node, {**tiles, first: onto})


def test_passes_whose_tiles_find_no_room_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel stays as it was planned, which does fit."""
    (kernel,) = lowered("softmax", "cpu").instructions
    walked = passes.run(kernel)
    needed = dict(walked.occupancy)["ub"]
    for room, expected in ((needed, walked), (needed - 1, kernel)):
        small = replace(platforms.PLATFORMS["cpu"], memories={**platforms.PLATFORMS["cpu"].memories, "ub": room})
        monkeypatch.setitem(platforms.PLATFORMS, "cpu", small)  # type: ignore[arg-type]
        assert passes.run(kernel) == expected


def _compiled(spec: Path, monkeypatch: pytest.MonkeyPatch, walks: bool) -> Any:
    with monkeypatch.context() as patch:
        patch.setitem(platforms.PLATFORMS, "cpu", replace(platforms.CPU, vector_passes=walks))
        return pyptogen.compile(spec, threads=1)


def _same_bits(spec: Path, monkeypatch: pytest.MonkeyPatch, sizes: dict[str, int]) -> None:
    walked, one_by_one = (_compiled(spec, monkeypatch, walks) for walks in (True, False))
    assert walked.library != one_by_one.library
    arrays = walked.example_inputs(seed=5, **sizes)
    got, want = walked(**arrays), one_by_one(**arrays)
    for output in want._fields:
        assert np.asarray(getattr(got, output)).tobytes() == np.asarray(getattr(want, output)).tobytes(), output


@pytest.mark.parametrize("name", ["softmax", "rope", "quant_per_token", "flash_attention"])
def test_compiled_passes_give_the_same_bits(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _same_bits(SPECS / f"{name}.yaml", monkeypatch, SIZES.get(name, {"rows": 9}))


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "int8", "int16", "int32"])
def test_other_dtypes_walk_with_the_same_bits(dtype: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each result is rounded, or wraps, before it is computed with again; so it does on its way into a wider one."""
    whole = dtype.startswith("int")
    spec = tmp_path / "narrow.yaml"
    spec.write_text(
        f"pyptogen: 1\noperator: narrow\ndims: {{n: {{min: 1, max: 4096}}}}\n"
        f"inputs: {{a: '{dtype}[n]', b: '{dtype}[n]', c: '{dtype}[n]'}}\n"
        f"outputs: {{y: '{dtype}[n]', z: 'fp32[n]'}}\n"
        f"graph:\n  s: a + b\n  y: (s - c) {'+' if whole else '*'} s\n  z: cast(s, fp32)\ntiling: [{{n: 512}}]\n"
        + (
            "verify: {generate: {a: 'integers(-100, 100)', b: 'integers(-100, 100)', c: 'integers(-100, 100)'}}\n"
            * whole
        )
    )
    (kernel,) = generate(from_spec(load_spec(spec)), "cpu").instructions
    assert any({"TADD", "TSUB"} <= set(names(node)) for node in formed(kernel))
    _same_bits(spec, monkeypatch, {"n": 1100})


def test_work_that_shares_nothing_walks_by_itself() -> None:
    """Five sums of three tensors each: more of these than a processor follows at a time. The last two are few."""
    (kernel,) = lowered("vector_add_dtypes", "cpu").instructions
    assert [names(node).count("TADD") for node in formed(kernel)] == [1, 1, 1, 2]
    assert all(names(node).count("TSTORE") == names(node).count("TADD") for node in formed(kernel))


def test_a_tile_written_twice_and_names_of_the_text_keep_apart(tmp_path: Path) -> None:
    spec = tmp_path / "named.yaml"
    spec.write_text(
        "pyptogen: 1\noperator: named\ndims: {rows: {min: 1, max: 64}, cols: 64}\n"
        "inputs: {x: 'fp32[rows, cols]'}\noutputs: {y: 'fp32[rows, cols]'}\n"
        "graph:\n  at: exp(x)\n  far: 2 - at\n  y: far * 3\ntiling: [{}]\n"
    )
    operator = pyptogen.compile(spec, threads=1)
    x = np.linspace(-1, 1, 3 * 64, dtype=np.float32).reshape(3, 64)
    np.testing.assert_allclose(operator(x=x).y, (2 - np.exp(x)) * 3, rtol=1e-5, atol=1e-6)
    assert "far__2" in program_text(spec)


def program_text(path: Path) -> str:
    (kernel,) = generate(from_spec(load_spec(path)), "cpu").kernels
    return kernel.text
