"""Distinct dims: what the pass writes for values with one dim on two axes, and that it leaves all others alone."""

from __future__ import annotations

import pytest

from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program, Value
from pyptogen.lower.tile.dims import distinct_dims
from pyptogen.lower.tile.sizes.sizes import select_rows
from pyptogen.schema import Source, load_source, load_spec
from tests.lower.small_programs import SPECS

HEAD = """\
pyptogen: 1
operator: demo
dims:
  n: {min: 1, max: 64}
  heads: 2
  d: 16
inputs:
  x: fp32[n, d]
  w: fp32[d, d]
  u: fp32[d, heads * d]
outputs:
"""


def distinct(text: str, head: str = HEAD) -> Program:
    program = from_spec(load_source(Source("demo.yaml", head + text)))
    found, _ = distinct_dims.run(program, select_rows(program, "cpu"))
    return found


def shapes(program: Program) -> dict[str, str]:
    values = (*program.inputs, *(op.result for op in program.ops))
    return {value.name: ", ".join(map(str, value.shape)) for value in values}


def test_depth_and_columns_of_a_square_weight() -> None:
    found = shapes(distinct("  y: fp32[n, d]\ngraph:\n  y: matmul(matmul(x, w), w) + x\n"))
    assert found["w"] == "d, d_twin"
    assert found["y"] == "n, d_twin"
    assert found["x_twin"] == "n, d_twin"
    assert found["y_1_twin"] == "n, d"  # the depth of the second product


def test_both_axes_of_a_gram_matrix() -> None:
    found = shapes(distinct("  y: fp32[n, n]\ngraph:\n  y: matmul(x, x, b_trans=true)\n"))
    assert found["y"] == "n, n_twin"
    assert found["x_twin"] == "n_twin, d"


def test_a_dim_inside_of_a_product_of_dims() -> None:
    found = shapes(distinct("  y: fp32[n, heads * d]\ngraph:\n  y: matmul(matmul(x, w), u)\n"))
    assert found["u"] in ("d, heads*d_twin", "d, d_twin*heads")


def test_tiles_of_a_twin() -> None:
    text = "  y: fp32[n, n]\ngraph:\n  a: {y: 'matmul(x, x, b_trans=true)'}\ntiling:\n  - {n: 8, a: {d: 4}}\n"
    program = from_spec(load_source(Source("demo.yaml", HEAD + text)))
    _, rows = distinct_dims.run(program, select_rows(program, "cpu"))
    assert rows[0].row.sizes == {"": {"n": 8, "n_twin": 8}, "a": {"d": 4, "d_twin": 4}}


def test_one_size_under_two_names() -> None:
    head = HEAD.replace("  d: 16\n", "  d: 16\n  e: 16\n").replace(
        "w: fp32[d, d]\n", "w: fp32[e, heads]\n  g: fp32[e]\n"
    )
    found = distinct("  y: fp32[n, heads]\ngraph:\n  y: matmul(x * g, w)\n", head)
    assert {"y_g_row_twin": "1, d", "y_1": "n, d", "w_twin": "d, heads"}.items() <= shapes(found).items()


@pytest.mark.parametrize("path", sorted(SPECS.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_value_has_a_dim_twice(path: object) -> None:
    program = from_spec(load_spec(path))  # type: ignore[arg-type]
    rows = select_rows(program, program.targets[0])
    found, _ = distinct_dims.run(program, rows)
    dims = {dim.name for dim in found.dims if dim.value != 1}
    for op in found.ops:
        for value in (op.result, *(v for v in op.operands if isinstance(v, Value))):
            names = [s.name for size in value.shape for s in size.free_symbols & set(size.as_ordered_factors())]
            named = [name for name in names if name in dims]
            assert len(named) == len(set(named)), value


@pytest.mark.parametrize("given", ["cast(b, fp32)", "relu(cast(b, fp32)) * x"])
def test_what_is_made_of_loaded_values_is_named_where_they_are_loaded(given: str) -> None:
    """A residual beside a square product: it is converted in the names of the product's columns."""
    head = HEAD.replace("  u: fp32", "  b: bf16[n, d]\n  u: fp32")
    program = distinct(f"  y: bf16[n, d]\ngraph:\n  y: cast(matmul(x, w) * 2 + {given}, bf16)\n", head)
    computed = [op for op in program.ops if op.kind not in ("reshape", "matmul")]
    assert {str(op.result.shape) for op in computed} == {"(n, d_twin)"}
    renamed = {str(op.operands[0].name) for op in program.ops if op.attrs.get("renames")}  # type: ignore[union-attr]
    assert renamed <= {"b", "x"}


def test_only_a_cast_is_made_twice() -> None:
    """Where a product and the sum behind it read one value, in two names."""
    for made, kinds in (("cast(b, fp32)", ["cast", "cast"]), ("exp(x)", ["exp"])):
        head = HEAD.replace("  u: fp32", "  b: bf16[n, d]\n  u: fp32")
        program = distinct(f"  y: fp32[n, d]\ngraph:\n  h: {made}\n  y: matmul(h, w) + h\n", head)
        assert [op.kind for op in program.ops if op.kind in ("cast", "exp")] == kinds
