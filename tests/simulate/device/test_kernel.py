"""Kernels of the Instruction level in the model: as their own C++ text has them, and as the published figures say."""

from itertools import pairwise
from pathlib import Path

import pytest
from hostile.ending import ends

from pyptogen.codegen import generate
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.pipeline import lower
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import TilingRow
from pyptogen.records import replace
from pyptogen.sanitize.timed import stream_of as stream_of_walk
from pyptogen.sanitize.timed import walk_of_file
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.simulate.device import kernel
from pyptogen.simulate.device.call import ENDLESS, launch_cycles, time_of_call
from pyptogen.simulate.device.cases import call_time, in_manifest
from pyptogen.simulate.device.kernel import stream_of
from pyptogen.simulate.device.launch import Launch, cost
from pyptogen.simulate.device.program import RUN, InstrStream

SPECS = Path(__file__).parents[3] / "specs"
TIMING = PLATFORMS["a2a3"].timing
assert TIMING is not None


def lowered(name: str) -> Lowered:
    return lower(from_spec(load_spec(SPECS / f"{name}.yaml")), "a2a3")


def counts(stream: InstrStream) -> dict[str, int]:
    """How often each instruction runs."""
    found: dict[str, int] = {}
    for work, n in zip(stream.work, stream.counts, strict=True):
        found[work.name] = found.get(work.name, 0) + n
    return found


@pytest.mark.parametrize(
    ("name", "dim", "size"),
    [("matmul_fp16", "m", 640), ("matmul_fp16", "m", 37), ("rms_norm", "rows", 300), ("rms_norm", "rows", 1)],
)
def test_a_kernel_costs_what_its_own_text_does(name: str, dim: str, size: int, tmp_path: Path) -> None:
    found = lowered(name)
    (program,) = found.instructions
    (source,) = generate(found.program, "a2a3").kernels
    (tmp_path / "kernel.cpp").write_text(source.text)
    numbers = {dim: size, f"{dim}_begin": 0, f"{dim}_end": size}
    given = {**numbers, "nblk": 8, "block": 0, "get_block_idx": 0}
    walk = walk_of_file(tmp_path / "kernel.cpp", "CUBE" if program.core == "cube" else "VEC", given)
    text, ours = stream_of_walk(walk, program.core, TIMING), stream_of(program, TIMING, numbers, 0, 8)

    assert counts(ours) == counts(text)
    warm = [
        frozenset(work.tensor for work in stream.work) for stream in (ours, text)
    ]  # the walk calls tensors otherwise
    times = [cost(Launch((stream,), 8, 24, resident=w), TIMING) for stream, w in zip((ours, text), warm, strict=True)]
    assert times[0].cycles == pytest.approx(times[1].cycles, rel=0.02)


def test_iterations_that_do_the_same_are_written_down_once() -> None:
    (program,) = lowered("rms_norm").instructions
    few, many = (
        stream_of(program, TIMING, {"rows": n, "rows_begin": 0, "rows_end": n}, 0, 48) for n in (1 << 14, 1 << 18)
    )
    assert len(many.steps) == len(few.steps)
    assert sum(many.counts) > 10 * sum(few.counts)
    assert all(step.what != RUN or step.at < len(many.work) for step in many.steps)


def test_a_kernel_with_too_many_iterations_has_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    found, sizes = lowered("rms_norm"), {"rows": 1 << 18}
    numbers = {**sizes, "rows_begin": 0, "rows_end": 1 << 18}
    known = call_time(found, sizes)
    assert known is not None
    assert launch_cycles(found.instructions, PLATFORMS["a2a3"], 48, numbers) < ENDLESS
    monkeypatch.setattr(kernel, "MOST_ITERATIONS", 100)
    with pytest.raises(kernel.TooLong):
        time_of_call(found, sizes)
    assert call_time(found, sizes) is None
    assert launch_cycles(found.instructions, PLATFORMS["a2a3"], 48, numbers) == ENDLESS
    assert in_manifest(found, [sizes]) == {}


def test_a_whole_build_of_tiles_of_one_element_ends_soon() -> None:
    """Found by `tests/hostile/fuzz.py`: 90 s went by for the time of its last case."""
    spec = (SPECS / "flash_attention_causal.yaml").read_text()
    head, _, rest = spec.partition("tiling:\n")
    text = f"{head}tiling: [{{sq: 1, kv: 1}}]\n{rest[rest.index('verify:') :]}"
    found = lower(from_spec(load_source(Source("one.yaml", text))), "a2a3")
    with ends():
        assert in_manifest(found, [{"sq": 2048, "kv": 2048}]) == {}


def test_attention_is_held_up_by_waiting_for_its_other_core() -> None:
    found = time_of_call(lowered("flash_attention"), {"sq": 512, "kv": 512})
    (launch,) = found.launches
    assert launch.cost.bound == "waiting"
    assert max(launch.cost.busy.values()) < 0.6
    assert found.roofline_share < 0.3


def test_the_indexer_prolog_has_a_critical_path() -> None:
    found = time_of_call(lowered("indexer_prolog"), {"t": 8, "blocks": 64})
    path = [launch for launch in found.launches if launch.critical]
    assert path[0].kernel in ("query_linear", "key_linear")
    assert path[-1].end == found.cycles
    assert path[0].start == TIMING.launch.value
    assert 0 < found.roofline_share < 1
    for earlier, later in pairwise(path):
        assert earlier.end <= later.start + 1


def test_tasks_of_single_tiles_cost_a_dispatch_for_each_round() -> None:
    """`query_linear` has 64 tiles here for 24 cores: three rounds of tasks, where a core takes its three at once."""
    program = from_spec(load_spec(SPECS / "indexer_prolog.yaml"))
    row = TilingRow((), {"query_linear": {"heads": 1, "q_rank": 128}}, (), {}, program.span)
    found, sizes = lower(replace(program, tiling=(row,)), "a2a3"), {"t": 8, "blocks": 16}
    together, apart = ({one.kernel: one for one in time_of_call(found, sizes, each).launches} for each in (False, True))
    before, after = together["query_linear"], apart["query_linear"]
    assert (before.blocks, after.blocks) == (24, 64)
    assert after.cost.waves == 3
    assert after.end - after.start == pytest.approx(3 * TIMING.task.value + after.cost.cycles)
    assert after.cost.cycles > before.cost.cycles  # each tile begins with its loads
    assert len({run.core for run in after.runs}) == 24
    few = together["key_quant_cube"], apart["key_quant_cube"]
    assert few[0].end - few[0].start == few[1].end - few[1].start


ELEMENTS = """\
pyptogen: 1
operator: elements
dims: {t: {min: 1, max: 65536}}
inputs: {x: "fp32[t, 5]", place: "int32[t, 1]"}
outputs: {y: "fp32[t, 1]"}
graph: {y: "gather(x, 1, place)"}
"""


def reads_of(name: str | Lowered, tensor: str, numbers: dict[str, int], blocks: int) -> float:
    """Cycles of one read of an index by the scalar unit, on the average."""
    program = lowered(name) if isinstance(name, str) else name
    kernel = next(k for k in program.instructions if any(t.name == tensor for t in k.tensors))
    stream = stream_of(kernel, TIMING, numbers, 0, blocks)
    return next(work.price.hold for work in stream.work if work.name == "read" and work.tensor == tensor)


def test_numbers_that_lie_beside_each_other_share_a_line_of_the_data_cache() -> None:
    """16 of `int32` are 64 bytes: one read of 16 goes to GM, where one block reads them in order, and where each reads
    those of a tile's rows. Blocks that take turns at single numbers read such that lie further apart."""
    beside = pytest.approx(TIMING.scalar_hit.value + TIMING.scalar_load.value / 16)
    assert reads_of("index_add", "index", {"rows": 64, "added": 4096}, 1) == beside
    assert reads_of("embedding", "token", {"t": 1024, "vocabulary": 32000}, 48) == beside
    elements = lower(from_spec(load_source(Source("elements.yaml", ELEMENTS))), "a2a3")
    several = [reads_of(elements, "place", {"t": 1024}, blocks) for blocks in (4, 48)]
    assert several[0] < several[1] == pytest.approx(TIMING.scalar_hit.value + TIMING.scalar_load.value)


def test_blocks_share_what_indices_say_and_read_all_indices() -> None:
    """Each changes the places that it owns, and asks of every index whose it is."""
    (program,) = lowered("index_add").instructions
    numbers = {"rows": 4096, "added": 8192}
    alone, one = (stream_of(program, TIMING, numbers, 0, blocks) for blocks in (1, 32))
    assert counts(alone)["TADD"] == 8192
    assert counts(one)["TADD"] == 256
    each, of_all = (reads_of("index_add", "index", numbers, blocks) for blocks in (1, 32))
    assert of_all == pytest.approx(32 * each)
