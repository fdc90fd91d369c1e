"""Mixed kernels where cube and vector cores are separate: the proof of their fifos, and checked mode."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from compiling import QUICK_CHECKED
from sanitize.mutant_count import in_process

from operators.conftest import SPECS
from operators.loop_specs import CASES
from pyptogen.codegen import Generated, generate
from pyptogen.lower.instruction import side_by_side
from pyptogen.lower.instruction.ir import For, Instr, InstrKernel, Node, walk
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tile.sizes.sizes import SLOTS
from pyptogen.lower.verify import IllegalIR
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.schema import load_spec
from pyptogen.schema.loader import load_source
from pyptogen.schema.source import Source
from pyptogen.simulate.graph import interpret
from pyptogen.verify.cases import case_dims
from tests.runtime.isa.programs import program as program_of

MAIN = """
#include <cmath>
#include <cstdio>
#include <vector>
#include <pto/side_by_side.hpp>
int main() {
    const int sq = 70, kv = 300, d = 64;
    std::vector<bfloat16_t> q(sq * d, bfloat16_t(0.5f)), k(kv * d, bfloat16_t(0.25f)), v(kv * d, bfloat16_t(2.0f));
    std::vector<float> o(sq * d), FIFOS;
    for (uint32_t block = 0; block < 2; ++block) {
        pto::cpu_sim::set_execution_context(block, 0, 1);
        pto_rt::side_by_side<2>([&] { CUBE; }, [&] { VECTOR; });
    }
    pto::cpu_sim::set_execution_context(0, 0, 1);
    for (float x : o) if (std::fabs(x - 2.0f) > 1e-2f) return 1;
    return 0;
}
"""
"""Equal scores: each output is the mean of the values."""


@cache
def lowered(table: str, case: str = "attention_rings", fifos: bool = False) -> Generated:
    """``fifos``: with those of the author's own."""
    table = table.replace("}", ", fifo: 1}") if fifos else table
    text = CASES[case].text.partition("tiling:")[0] + f"tiling:\n  - {table}\n"
    return generate(from_spec(load_source(Source(f"{case}.yaml", text))), "a2a3")


ATTENTION = "{sq: 64, fifo: 2, fuse: [[attention, out]]}"


def programs(result: Generated) -> tuple[InstrKernel, InstrKernel]:
    (pair,) = side_by_side.pairs(result.instructions)
    return pair


def without(nodes: tuple[Node, ...], name: str, fifo: str) -> tuple[Node, ...]:
    """The body without an instruction on a fifo."""
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, For):
            kept.append(replace(node, body=without(node.body, name, fifo)))
        elif not (isinstance(node, Instr) and node.name == name and getattr(node.operands[0], "name", "") == fifo):
            kept.append(node)
    return tuple(kept)


def test_scores_stay_in_fifos() -> None:
    """No workspace but the fifos, whose size does not depend on the lengths; one launch."""
    graph = lowered(ATTENTION).execution
    ((launch,),) = graph.plans
    assert graph.workspaces == ()
    assert launch.core == "mixed"
    assert [name for name, _ in launch.programs] == list(launch.kernels)
    assert all(fifo.elements.constant is not None for fifo in launch.fifos)
    assert len(launch.fifos) == 3


@pytest.mark.parametrize(("target", "ways"), [("a2a3", {"C2V", "V2C"}), ("a5", {"C2V_GM", "V2C_GM"})])
def test_where_fifos_lie(target: str, ways: set[str]) -> None:
    """A5 has fifos on chip too, under the words that A2/A3 has for those in GM: its headers take a slot in GM under the
    others alone."""
    kernels = generate(from_spec(load_spec(SPECS / "flash_attention.yaml")), target).kernels
    assert {way for kernel in kernels for way in re.findall(r"Direction::DIR_(\w+)", kernel.text)} == ways


@pytest.mark.parametrize("row", [ATTENTION, "{sq: 256, fifo: 2, fuse: [[attention, out]]}"])
def test_both_programs_begin_the_next_iteration(row: str) -> None:
    """The cube program pushes the scores of the second iteration before it waits for the probabilities of the first,
    and the vector program pushes the second's probabilities before it waits for what the first's are multiplied with;
    also where the memories have room for one operand at a time."""
    cube, vector = programs(lowered(row))
    assert [what for what, _ in side_by_side.events(cube, 1, 3)[:5]] == ["claim", "fill", "claim", "fill", "pop"]
    of_scores = ["pop", "load", "free", "claim", "fill"]
    assert [what for what, _ in side_by_side.events(vector, 1, 3)[:11]] == [*of_scores, *of_scores, "pop"]


@pytest.mark.parametrize("name", ["flash_attention", "flash_attention_causal", "flash_attention_grouped"])
def test_iterations_that_end_early_run_ahead_too(name: str) -> None:
    """Products of later iterations, as many as fifos have slots, end with the iterations: after the last block that a
    row sees, not with the keys."""
    cube, _ = programs(generate(from_spec(load_spec(SPECS / f"{name}.yaml")), "a2a3"))
    conditions = [node for node in walk(cube.body) if isinstance(node, For) and node.once]
    assert [node.before is not None for node in conditions] == [name != "flash_attention", False]
    ahead = cube.fifos[0].slots // (2 if name == "flash_attention" else 1)  # whose iterations are of two parts
    assert ahead > 2
    events = [what for what, _ in side_by_side.events(cube, 1, ahead)]
    assert events[: events.index("pop")] == ["claim", "fill"] * ahead


@pytest.mark.parametrize(("side", "instruction"), [(0, "TPUSH"), (1, "TPOP"), (0, "TFREE"), (1, "TPUSH")])
def test_the_proof_sees_what_is_missing(side: int, instruction: str) -> None:
    pair = list(programs(lowered(ATTENTION)))
    side_by_side.require_order(pair)
    fifo = next(
        node.operands[0].name  # type: ignore[union-attr]
        for node in _instructions(pair[side].body)
        if node.name == instruction
    )
    pair[side] = replace(pair[side], body=without(pair[side].body, instruction, fifo))
    with pytest.raises(IllegalIR, match=fifo):
        side_by_side.require_order(pair)


def _instructions(nodes: tuple[Node, ...]) -> list[Instr]:
    found: list[Instr] = []
    for node in nodes:
        found += _instructions(node.body) if isinstance(node, For) else [node] if isinstance(node, Instr) else []
    return found


def test_a_recurrence_through_matrix_work_has_fifos_in_any_row() -> None:
    made = lowered("{d: 32}", "state_rings")
    assert [launch.core for launch in made.execution.plans[0]] == ["mixed"]
    assert all(fifo.slots == SLOTS for kernel in made.instructions for fifo in kernel.fifos)
    assert any("only they can do it" in note for note in made.notes)
    asked = lowered("{fifo: 1}", "state_rings")
    assert all(fifo.slots == 1 for kernel in asked.instructions for fifo in kernel.fifos)
    assert not any("fifos" in note for note in asked.notes)


@pytest.mark.parametrize(("case", "why"), [("attention_rings", "as fast as"), ("state_rings", "only they can do it")])
def test_a_loop_without_sizes_gets_the_faster_form(case: str, why: str) -> None:
    """The compiler writes `fifo: 4` by itself where that is faster, and says so."""
    made = lowered("{}", case)
    assert made.execution.plans[-1][0].core == "mixed"
    assert made.report.get("chosen") == ({"fifo": SLOTS} if case == "attention_rings" else None)
    (note,) = (note for note in made.notes if f"fifos of {SLOTS} tiles" in note)
    assert why in note
    assert all(fifo.slots == SLOTS for kernel in made.instructions for fifo in kernel.fifos)
    assert lowered("{d: 32}" if case == "state_rings" else "{sq: 64}", case, True).notes == ()


TRANSPOSED = """\
pyptogen: 1
operator: turned
dims: {n: {min: 1, max: 4096}, d: 32}
inputs: {x: "fp32[n, d]"}
outputs: {h: "fp32[d, d]"}
graph:
  state:
    loop: {over: n, tile: 32}
    carry:
      h: full([d, d], 0.5, fp32)
    body:
      e: exp(x[n])
      y: matmul(e, h)
    next:
      h: h * 0.5 + matmul(transpose(e, 0, 1), y) * 0.001
tiling: [{d: 32}]
"""


def test_a_recurrence_transposes_on_chip_what_its_products_read_transposed() -> None:
    made = generate(from_spec(load_source(Source("transposed.yaml", TRANSPOSED))), "a2a3")
    x = np.random.default_rng(3).uniform(-1, 1, (70, 32)).astype(np.float32)
    h = np.full((32, 32), 0.5)
    for start in range(0, 70, 32):
        e = np.exp(x[start : start + 32].astype(np.float64))
        h = h * 0.5 + e.T @ (e @ h) * 0.001
    np.testing.assert_allclose(interpret(made, {"x": x})["h"], h, rtol=1e-5)


DEALT = """\
pyptogen: 1
operator: distributed
dims: {t: {min: 1, max: 4096}, b: 3, d: 32}
inputs: {x: "fp32[b, t, d]", w: "fp32[d, d]", u: "fp32[d, d]"}
outputs: {y: "fp32[b, t, d]"}
graph:
  rounds:
    loop: {over: t, tile: 32}
    body:
      e: exp(matmul(x[:, t], w))
    collect:
      y: matmul(e, u) + 1
tiling: [{b: 1, fifo: 2}]
"""


def test_iterations_that_are_distributed_do_not_run_ahead() -> None:
    """The next iteration is another block's, and so are the fifos through which it goes."""
    made = generate(from_spec(load_source(Source("distributed.yaml", DEALT))), "a2a3")
    rng = np.random.default_rng(3)
    x, w, u = (rng.uniform(-0.2, 0.2, shape).astype(np.float32) for shape in ((3, 130, 32), (32, 32), (32, 32)))
    want = np.exp(x.astype(np.float64) @ w) @ u + 1
    for blocks in (1, 2, 3):
        np.testing.assert_allclose(
            interpret(made, {"x": x, "w": w, "u": u}, blocks=blocks)["y"], want, rtol=1e-5, atol=1e-5
        )


def test_the_proof_sees_the_iteration_of_another_block() -> None:
    cube, vector = programs(lowered(ATTENTION))
    assert side_by_side.faults(cube, vector) == []
    cube = replace(cube, body=_dealt(cube.body))
    assert "another block's iteration" in side_by_side.faults(cube, vector)[0]


def _dealt(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """The nodes with all loops distributed to blocks."""
    return tuple(replace(n, parallel=True, body=_dealt(n.body)) if isinstance(n, For) else n for n in nodes)


@pytest.mark.parametrize("drop", ["", "set_flag(PIPE_V, PIPE_MTE3", "set_flag(PIPE_MTE1, PIPE_M,"])
def test_checked_mode(drop: str) -> None:
    result = lowered(ATTENTION)
    kernels = "\n".join(k.text for k in result.kernels)
    ((launch,),) = result.execution.plans
    fifos = ", ".join(f"{fifo.name}(2 * {fifo.elements})" for fifo in launch.fifos if fifo.dtype == "fp32")
    halves = "".join(
        f"std::vector<bfloat16_t> {fifo.name}(2 * {fifo.elements}); " for fifo in launch.fifos if fifo.dtype == "bf16"
    )
    sizes = {"scale": "0.125f", "sq_begin": "0", "sq_end": "sq", "nblk": "2"}
    numbers = {"kv", "sq"}
    calls = [
        f"{name}(nullptr, {', '.join(sizes.get(a, a if a in numbers else f'{a}.data()') for a in arguments)})"
        for name, arguments in launch.programs
    ]
    main = MAIN.replace("FIFOS;", f"{fifos}; {halves}").replace("CUBE", calls[0]).replace("VECTOR", calls[1])
    text = "\n".join(line for line in kernels.splitlines() if not drop or drop not in line)
    flags = ("-std=c++20", *QUICK_CHECKED, "-pthread", "-DPTO_CHECKED_A2A3")
    made = program_of("main.cpp", text + main, *flags)
    done = subprocess.run([str(made)], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "") if not drop else "pto check" in done.stderr


def test_a_kernel_that_does_not_know_where_the_flags_are_is_told() -> None:
    """The checked mode, of the library's kernel without the call that its launch passes the base for."""
    spec = load_spec(SPECS / "linear_gelu.yaml")
    program = from_spec(spec)
    folder = SPECS.parent / "generated" / "linear_gelu"
    paths = [folder / "wrapper.hpp", *sorted((folder / "a2a3").rglob("*.cpp"))]
    sources = {path.relative_to(folder).as_posix(): path.read_text() for path in paths}
    cube = "a2a3/kernels/product_to_activation_cube.cpp"
    sources[cube] = re.sub(r"set_ffts_base_addr\(.*\);", "", sources[cube])
    toolchain = make_toolchain(checked="a2a3")
    library = toolchain.shared_object(program.name, sources, [entry_name(program.name, "a2a3")])
    operator = CompiledOperator(spec, program, "a2a3", library, 1)
    inputs = operator.example_inputs(seed=7, **case_dims(spec, program, {}))
    _, said = in_process(lambda: operator(**inputs))
    assert "TPUSH uses the flags between cores before the kernel knows where they are" in said
