"""Stages to kernels: fused where the row says so, cut apart where cube and vector cores are."""

from __future__ import annotations

import pytest

from lower.small_programs import library, lowered, program_of
from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor.ir import Program
from pyptogen.lower.tile.kernels.partition import KernelOps, group_names, groups, run
from pyptogen.lower.tile.sizes.sizes import select_rows

TEXT = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  d: 32
inputs:
  x: bf16[t, d]
  w: bf16[d, d]
  v: bf16[d, d]
outputs:
  y: fp32[t, d]
  z: fp32[t, d]
graph:
  first:
    p: matmul(x, w, dtype=fp32)
    h: cast(exp(p), bf16)
  second:
    q: matmul(h, v, dtype=fp32)
    y: q + 1
  side:
    z: cast(x, fp32) * 2
tiling:
  - {t: 16ROW}
"""


def demo(fuse: str = "") -> Program:
    return program_of(TEXT.replace("ROW", f", fuse: {fuse}" if fuse else ""))


def parts(program: Program, target: str) -> dict[str, KernelOps]:
    (selected,) = select_rows(program, target)
    return {k.name: k for k in run(program, selected.row, PLATFORMS[target])}


def test_a_kernel_a_stage() -> None:
    kernels = parts(demo(), "cpu")
    assert {k.name: (k.core, k.stages) for k in kernels.values()} == {
        "first": ("mixed", ("first",)),
        "second": ("mixed", ("second",)),
        "side": ("vector", ("side",)),
    }
    assert {k.name: k.writes for k in kernels.values()} == {"first": ("h",), "second": ("y",), "side": ("z",)}


def test_cores_apart() -> None:
    kernels = parts(demo(), "a2a3")
    assert {k.name: k.core for k in kernels.values()} == {
        "first_cube": "cube", "first_vec": "vector", "second_cube": "cube", "second_vec": "vector", "side": "vector",
    }  # fmt: skip
    assert kernels["first_cube"].writes == ("p",)
    assert kernels["first_vec"].writes == ("h",)


def test_a_fused_kernel_is_cut_into_alternating_runs() -> None:
    fused = demo("[[first, second]]")
    (whole, _) = parts(fused, "cpu").values()
    assert (whole.name, whole.core, whole.writes) == ("first_to_second", "mixed", ("y",))
    kernels = parts(fused, "a2a3")
    assert [(k.name, k.core, k.stages) for k in kernels.values() if k.name != "side"] == [
        ("first_to_second_cube1", "cube", ("first",)),
        ("first_to_second_vec1", "vector", ("first",)),
        ("first_to_second_cube2", "cube", ("second",)),
        ("first_to_second_vec2", "vector", ("second",)),
    ]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
@pytest.mark.parametrize("name", ["softmax", "rms_norm", "matmul_bf16", "indexer_prolog"])
def test_every_operation_is_in_one_kernel_and_after_what_it_needs(name: str, target: str) -> None:
    program = library(name)
    row = select_rows(program, target)[-1].row
    kernels = run(program, row, PLATFORMS[target])
    placed = [op.result.name for k in kernels for op in k.ops]
    assert sorted(placed) == sorted(set(placed))
    assert len({k.name for k in kernels}) == len(kernels)
    written: set[str] = set()
    for kernel in kernels:
        own = {op.result.name for op in kernel.ops}
        assert set(kernel.writes) <= own
        if not PLATFORMS[target].unified:
            assert len({op.kind == "matmul" for op in kernel.ops}) == 1
        written |= own
    assert {value.name for _, value in program.outputs} <= written | {o.result.name for o in program.ops}


@pytest.mark.parametrize(
    ("stages", "name"),
    [
        (("query_linear", "query_rope"), "query"),
        (("key_linear", "key_rope_low"), "key"),
        (("linear", "rope"), "linear_to_rope"),
        (("one",), "one"),
    ],
)
def test_names(stages: tuple[str, ...], name: str) -> None:
    assert group_names([stages]) == [name]


def test_a_prefix_that_two_kernels_share_names_neither() -> None:
    kernels = [("index_linear", "index_rope"), ("index_key", "index_weights"), ("key_linear", "key_rope")]
    assert group_names(kernels) == ["index_linear_to_index_rope", "index_key_to_index_weights", "key"]
    assert group_names([("query",), ("query_a", "query_b")]) == ["query", "query_a_to_query_b"]


def test_fused_stages_need_not_be_neighbours() -> None:
    program = demo("[[first, side], [second]]")
    assert groups(program, program.tiling[0]) == [("first", "side"), ("second",)]


def test_a_stage_in_two_kernels() -> None:
    program = demo("[[first, second], [second, side]]")
    with pytest.raises(DiagnosticError) as caught:
        groups(program, program.tiling[0])
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG304"
    assert diagnostic.span is not None
    assert diagnostic.span.line == TEXT.count("\n")
    assert "`second` is in two `fuse` lists" in diagnostic.message


def test_kernels_that_would_wait_for_each_other() -> None:
    text = TEXT.replace("z: cast(x, fp32) * 2", "z: y * 2")
    program = program_of(text.replace("ROW", ", fuse: [[first, side]]"))
    with pytest.raises(DiagnosticError) as caught:
        parts(program, "cpu")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "PTG304"
    assert "wait for each other" in diagnostic.message


APART = """\
pyptogen: 1
operator: apart
dims:
  a: {min: 1, max: 4096}
  b: {min: 1, max: 4096}
  d: 64
inputs:
  x: fp32[a, d]
  z: fp32[b, d]
outputs:
  y: fp32[a, d]
  w: fp32[b, d]
  m: fp32[a, 1]
graph:
  all:
    y: x * 2
    w: z + 1
    m: amax(x, axis=-1, keepdim=true)
tiling:
  - {a: 8, b: 16}
"""


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_run_time_dims_of_their_own_make_kernels_of_their_own(target: str) -> None:
    kernels = parts(program_of(APART), target)
    assert [k.writes for k in kernels.values()] == [("y", "m"), ("w",)]


@pytest.mark.parametrize("target", ["cpu", "a2a3"])
def test_products_of_rows_stay_with_the_work_on_these_rows(target: str) -> None:
    """As sums of rows do; what is multiplied does not go through memory."""
    made = lowered("reductions", target).kernels
    assert [k.name for k in made if k.name.startswith("along_rows")] == ["along_rows"]


CASTS = """\
pyptogen: 1
operator: casts
dims: {t: {min: 1, max: 64}, d: 32, e: 48}
inputs:
  x: bf16[t, e]
  a: bf16[t, d]
  w: bf16[d, e]
outputs:
  OUT: bf16[t, e]
graph:
  one:
    b: cast(a, fp32)
    n: cast(exp(b), bf16)
    f: cast(x, fp32)
    OUT: cast(matmul(n, w, dtype=fp32) + f + sum(b, axis=-1, keepdim=true), bf16)
"""


def test_what_is_loaded_is_cast_where_it_is_used() -> None:
    """Not before the product, from where it would go through GM in more bytes than it was read from."""
    kernels = parts(program_of(CASTS.replace("OUT", "y")), "a2a3")
    assert {name: [op.kind for op in kernel.ops] for name, kernel in kernels.items()} == {
        "one_vec1": ["cast", "exp", "cast", "sum"],
        "one_cube": ["matmul"],
        "one_vec2": ["cast", "add", "add", "cast"],
    }
    assert "f" not in kernels["one_vec1"].writes


def test_a_cast_that_two_runs_use_is_made_in_both() -> None:
    kernels = parts(program_of(CASTS.replace("OUT", "y").replace("exp(b)", "exp(cast(x, fp32))[:, :d]")), "a2a3")
    assert [sum(op.result.name == "f" for op in kernel.ops) for kernel in kernels.values()] == [1, 0, 1]
    assert all("f" not in kernel.writes for kernel in kernels.values())


def test_what_is_overwritten_is_cast_before() -> None:
    program = program_of(CASTS.replace("OUT: bf16[t, e]", "x: {inplace: true}").replace("OUT", "x"))
    (selected,) = select_rows(program, "a2a3")
    kernels = run(program, selected.row, PLATFORMS["a2a3"])
    assert [op.result.name for kernel in kernels for op in kernel.ops].count("f") == 1
