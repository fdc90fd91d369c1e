"""Every fault of meaning in a spec: its code, its place, and the words that a user needs."""

from __future__ import annotations

import pytest
from faults import Bad, said_about
from syrupy.assertion import SnapshotAssertion

from pyptogen.lower.tensor import from_spec
from pyptogen.schema import Source, load_source

BASE = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 64}
  blocks: {min: 1, max: 8}
  heads: 4
  d: 16
  slots: blocks * 2
attrs:
  eps: {type: fp32, default: 1.0e-6}
inputs:
  x: fp32[t, d]
  w: fp32[d, heads * d]
  i8: int8[t, d]
  idx: int64[t]
  cache: fp32[blocks, 2, d]
outputs:
  y: fp32[t, d]
  cache: {inplace: true}
functions:
  twice(v):
    a: v + v
    return: a
  both(v):
    return: [v + v, v * v]
graph:
  z: x * 3
  y: x
  cache: scatter_update(cache, idx, x, dim=-2)
"""


def z(name: str, expression: str, code: str, col: int, *words: str) -> Bad:
    """A fault in the expression of ``z``, on line 27; ``col`` counts from the expression's first character."""
    return Bad(name, "z: x * 3", f"z: {expression}", code, (27, 5 + col), words)


CALLED = (("z: x * 3", "z: twice(x)"),)
CASES = [
    Bad("dim_size", "slots: blocks * 2", "slots: 2 ** 31", "PTG214", (8, 10), ("too large", "2147483647")),
    z("unknown_name", "x * epss", "PTG201", 5, "`epss` is not defined", "did you mean `eps`?"),
    z("unknown_operation", "expp(x)", "PTG202", 1, "no operation `expp`", "did you mean `exp`?"),
    z("missing_argument", "softmax()", "PTG203", 1, "lacks the argument `x`", "softmax(x"),
    z("too_many_arguments", "exp(x, x)", "PTG203", 8, "takes 1 argument\n", "exp(x)"),
    z("unknown_argument", "sum(x, axs=0)", "PTG203", 8, "no argument `axs`", "did you mean `axis`?"),
    z("other_alias", "softmax(x, dims=1)", "PTG203", 12, "no argument `dims`", "did you mean `dim`?"),
    z("sizes_apart", "reshape(x, t, d)", "PTG203", 15, "takes 2 arguments", "write a list, `shape=[…]`"),
    z("conversion_by_dtype", "float16(x)", "PTG202", 1, "no operation `float16`", "`cast(x, fp16)`"),
    z("axis_lost", "x - sum(x)", "PTG205", 1, "[t, d] and [t]", "did you mean `sum(…, keepdim=true)`"),
    z("swapped_product", "w @ x", "PTG205", 1, "exchange the two"),
    z("turned_product", "x @ x", "PTG205", 1, "transpose the right one with `.T`"),
    z("vector_in_product", "x @ sum(x, 0)", "PTG204", 1, "[t, d] and [d]", "`v[:, None]` a column"),
    z("product_of_two_floats", "x @ cast(w, bf16)", "PTG206", 1, "fp32 and bf16", "cast one of them"),
    z("two_results", "topk(x, 4)", "PTG216", 1, "1 name for 2 values", "`z, z_2: …`"),
    z("two_numbers", "where(t > 4, x, 0)", "PTG220", 7, "a comparison of two numbers", "`when` or `if` of a stage"),
    Bad("size_without_dim", "i8: int8[t, d]", "i8: int8[t, e]", "PTG201", (14, 15), ("`e` is no dim", "under `dims`")),
    Bad(
        "turned_output",
        "y: x",
        "y: x.T",
        "PTG205",
        (28, 6),
        ("[t, d]", "[d, t]", "`transpose(…)`"),
        (("y: fp32[t, d]", "y: fp32[d, t]"), ("y: x.T", "y: x")),
    ),
    z("argument_twice", "sum(x, -1, dim=0)", "PTG203", 12, "`axis` twice"),
    z("axis", "sum(x, axis=2)", "PTG204", 1, "axis 2 of a tensor of rank 2 [t, d]"),
    z("too_many_indices", "x[:, :, :]", "PTG204", 1, "3 indices", "rank 2 [t, d]"),
    z("transpose_rank", "idx.T", "PTG204", 1, "`.T` of [t]"),
    z("matmul_rank", "matmul(x, idx)", "PTG204", 1, "[t, d]", "[t]"),
    z("bias_dtype", "attention(x, x, x, bias=cast(x, bf16))", "PTG206", 1, "a bias of bf16", "expected: fp32"),
    z("heads_of_keys", "attention(x[None], cache, cache)", "PTG205", 1, "heads that share one, sq, d"),
    z("bias_width", "attention(x, x, x, bias=x)", "PTG205", 1, "to t keys with a bias [t, d]"),
    z("broadcast", "x + w", "PTG205", 1, "[t, d]", "[d, d*heads]"),
    z("matmul_inner", "matmul(x, w.T)", "PTG205", 1, "inner sizes d and d*heads"),
    z("matmul_hint", "matmul(w, x)", "PTG205", 1, "[d, d*heads]", "[t, d]"),
    z("reshape", "reshape(x, [t, d, 2])", "PTG205", 1, "[t, d]", "[t, d, 2]", "d*t elements"),
    z("slice_range", "x[:, :17]", "PTG205", 6, "0:17", "an axis of size d"),
    z("slice_unproved", "x[:2]", "PTG205", 3, "0:2", "an axis of size t"),
    z("concat", "concat(x, w, axis=0)", "PTG205", 1, "along axis 0"),
    z("rope_odd", "rope(x[:, :5], x[:, :5], x[:, :5])", "PTG205", 1, "size 5", "an even size"),
    z("layer_norm_gain", "layer_norm(x, idx, idx)", "PTG206", 1, "`gamma` needs a float", "int64"),
    z("rms_norm_gain", "rms_norm(x, x)", "PTG205", 1, "`gamma` has the shape [t, d]"),
    z("scatter_rows", "scatter_update(cache, idx, w, dim=-2)", "PTG205", 1, "expected: rows of shape [t, d]"),
    z("dtype", "x + i8", "PTG206", 1, "fp32[t, d]", "int8[t, d]", "cast(…, fp32)"),
    z("float_needed", "exp(i8)", "PTG206", 1, "int8", "cast(…, fp32)"),
    z("integer_division", "i8 / 2", "PTG206", 1, "`div` has no meaning for int8"),
    z("integer_fraction", "i8 * 0.5", "PTG206", 1, "the number 0.5, which is not whole"),
    z("integer_range", "i8 + 128", "PTG206", 1, "the number 128, which int8 does not hold", "wider"),
    z("integer_range_where", "where(x > 0, i8, -129)", "PTG206", 1, "-129, which int8 does not hold"),
    z("integer_range_full", "full([t, d], 300, int8)", "PTG206", 1, "300, which int8 does not hold"),
    z("integer_by_zero", "i8 // 0", "PTG206", 1, "a division by zero"),
    z("shift_range", "bitwise_left_shift(i8, 8)", "PTG206", 1, "no shift of 8 bits"),
    z("matmul_dtype", "matmul(i8, w)", "PTG206", 1, "int8 and fp32"),
    z("matmul_result", "matmul(x, w, dtype=bf16)", "PTG206", 1, "dtype=bf16"),
    z("scatter_index", "scatter_update(cache, i8, x)", "PTG206", 1, "int8", "int32 or int64"),
    z("cast_dtype", "cast(x, float16)", "PTG212", 9, "did you mean `fp16`?"),
    z("cast_mode", "cast(x, int8, mode=near)", "PTG215", 20, "rint"),
    z("flag", "sum(x, keepdim=1)", "PTG215", 16, "true or false"),
    z("axis_kind", "sum(x, axis=t)", "PTG215", 13, "whole number"),
    z("number_for_tensor", "softmax(3)", "PTG220", 9, "a number", "a tensor"),
    z("tensor_for_number", "rms_norm(x, x[0], eps=x)", "PTG220", 23, "a tensor fp32[t, d]"),
    z("number_function", "max(x)", "PTG220", 1, "function of numbers", "`amax(x, axis=-1)`"),
    z("argument_elsewhere", "reshape(x, [t, d], valid_shape=[t, 8])", "PTG203", 20, "`valid_shape`", "leave it out"),
    z("sizes_without_a_list", "zeros(t, d, dtype=fp32)", "PTG203", 13, "`dtype` twice", "`shape=[…]`"),
    z("name_with_underscore", "index_add_(x, 0, idx, x)", "PTG202", 1, "`index_add_`", "write `index_add(…)`"),
    z("bytes_of_another_size", "view(x, [t, d], [0, 0], dtype=bf16)", "PTG206", 1, "fp32 as bf16", "of 32 bits"),
    z("comprehension", "(v for v in x)", "PTG108", 1, "no meaning"),
    z("attribute", "x.shape", "PTG108", 1, "`.shape`"),
    z("comparison_chain", "0 < x < 3", "PTG108", 1, "`(a < b) & (b < c)`"),
    z("comparison_of_numbers", "x * (3 < 4)", "PTG220", 6, "two numbers"),
    z("membership", "x in w", "PTG108", 1, "one of < <= > >= == !="),
    z("matrix_operator", "x @ 2", "PTG220", 5, "a side of `@` is a number"),
    z("cast_of_a_dim", "x * cast(d, fp32)", "PTG220", 10, "needs no cast"),
    z("joined_by_and", "x > 0 and x < 3", "PTG108", 1, "`(a > 0) & (b > 0)`"),
    z("method", "x.sum(axis=-1)", "PTG108", 1, "`sum(…)`"),
    z("other_name", "cat(x, x)", "PTG202", 1, "`concat(a, b, axis=-1)`"),
    z("dots_twice", "x[..., ...]", "PTG108", 1, "twice"),
    z("tensor_as_index", "x[idx]", "PTG220", 3, "`index_select(x, 0, idx)`"),
    z("size_left_over", "reshape(x, [-1, 7])", "PTG205", 1, "do not divide"),
    z("one_hot_of_floats", "one_hot(x, 8)", "PTG206", 1, "one_hot of fp32", "cast(…, int32)"),
    z("power_of_integers", "i8 ** x", "PTG206", 1, "`pow` needs a float"),
    z("condition", "where(x, x, 0)", "PTG206", 1, "fp32", "`ne(…, 0)`"),
    z("where_shapes", "where(x > 0, w, 0)", "PTG205", 1, "[t, d]", "[d, d*heads]"),
    z("bits_of_floats", "bitwise_and(x, x)", "PTG206", 1, "integers"),
    z("order_of_bool", "(x > 0) < (x > 1)", "PTG206", 1, "`lt` has no meaning for bool"),
    z("gather_index", "gather(x, 1, idx)", "PTG204", 1, "rank 2"),
    z("topk_size", "topk(x, 17)", "PTG205", 1, "the 17 first", "size d"),
    z("topk_in_expression", "topk(x, 2) + 1", "PTG216", 1, "2 values", "`a, b: topk(…)`"),
    z("permute", "permute(x, [0, 0])", "PTG204", 1, "each of its axes once"),
    z("expand", "expand_clone(x, [d, t])", "PTG205", 1, "[t, d] to [d, t]"),
    z("range", "arange(3, 3)", "PTG215", 1, "at least one number"),
    z("form", "gelu(x, approximate=erf)", "PTG215", 21, "none, tanh"),
    z("odd_quantisation", "quantize(x, x, mode=odd)", "PTG215", 1, "mode=odd"),
    z("quantised_to_float", "quant_per_token(x, dtype=fp16)", "PTG215", 1, "int8"),
    z("infinite_number", "x * 1e39", "PTG206", 1, "which is infinity in fp32", "write `inf`"),
    z("axes_twice", "sum(x, axis=[0, -2])", "PTG204", 1, "the axes [0, -2] of [t, d]"),
    z("no_axes", "amax(x, axis=[])", "PTG204", 1, "at least one"),
    z("one_axis_only", "cumsum(x, axis=[0, 1])", "PTG215", 16, "`axis` is one number here"),
    z("division_by_zero", "x * (1 / 0)", "PTG106", 10, "division by zero"),
    z("huge_power", "x * 9 ** 9 ** 9", "PTG106", 10, "too large"),
    z("step", "x[::-1]", "PTG215", 3, "step"),
    z("values_in_expression", "both(x) + 1", "PTG216", 1, "2 values", "`a, b: both(…)`"),
    z("values_for_one_name", "both(x)", "PTG216", 1, "1 name for 2 values"),
    Bad("values_for_two_names", "z: x * 3", "z, u: x", "PTG216", (27, 9), ("2 names for 1 value",)),
    Bad("output_undefined", "  y: x\n", "", "PTG207", (18, 3), ("`y` is never defined",)),
    Bad(
        "inplace_undefined",
        "  cache: scatter_update(cache, idx, x, dim=-2)\n",
        "",
        "PTG207",
        (19, 3),
        ("`cache`",),
    ),
    Bad("output_shape", "  y: x\n", "  y: w\n", "PTG205", (28, 6), ("[t, d]", "[d, d*heads]", "declared here")),
    Bad("output_dtype", "  y: x\n", "  y: i8\n", "PTG206", (28, 6), ("cast(…, fp32)", "declared here")),
    Bad("output_number", "  y: x\n", "  y: 3\n", "PTG220", (28, 6), ("`y` is a number",)),
    Bad("defined_twice", "z: x * 3", "z, z: both(x)", "PTG208", (27, 6), ("`z` is defined twice",)),
    Bad("value_is_input", "z: x * 3", "x: x * 3", "PTG208", (27, 3), ("an input",)),
    Bad("value_is_dim", "z: x * 3", "d: x * 3", "PTG208", (27, 3), ("a dim",)),
    Bad("cycle", "z: x * 3", "z: u + 1\n  u: z + 1", "PTG209", (27, 6), ("u → z → u",)),
    Bad("self_cycle", "z: x * 3", "z: z + 1", "PTG209", (27, 6), ("z → z",)),
    Bad("too_early", "z: x * 3", "z: u + 1\n  u: x", "PTG211", (27, 6), ("`u` is defined here", "move")),
    Bad("dim_cycle", "d: 16", "d: heads * 2\n  n: d", "PTG209", (7, 6), ("depend",), (("heads: 4", "heads: n"),)),
    Bad("dim_unknown", "slots: blocks * 2", "slots: block * 2", "PTG201", (8, 10), ("did you mean `blocks`?",)),
    Bad("dim_negative", "slots: blocks * 2", "slots: 3 - heads", "PTG214", (8, 10), ("3 - heads = -1",)),
    Bad("dim_fraction", "slots: blocks * 2", "slots: heads / 3", "PTG214", (8, 10), ("use `//`",)),
    Bad(
        "dim_unbound",
        "  heads: 4",
        "  n: {max: 4}\n  heads: 4",
        "PTG210",
        (6, 3),
        ("`n` is bound by no input",),
    ),
    Bad("shape_unknown", "x: fp32[t, d]", "x: fp32[t, dd]", "PTG201", (12, 14), ("did you mean `d`?",)),
    Bad("shape_attr", "x: fp32[t, d]", "x: fp32[t, eps]", "PTG201", (12, 14), ("no dim",)),
    Bad("shape_negative", "x: fp32[t, d]", "x: fp32[t, d - 16]", "PTG214", (12, 14), ("`d - 16`",)),
    Bad("dtype_later", "x: fp32[t, d]", "x: mxfp8[t, d]", "PTG109", (12, 6), ("mxfp8", "elements and scales")),
    Bad(
        "function_name",
        "a: v + v",
        "a: v + x",
        "PTG201",
        (22, 12),
        ("in function `twice`",),
        (("z: x * 3", "z: twice(x)"),),
    ),
    Bad("function_is_operation", "twice(v):", "abs(v):", "PTG213", (21, 3), ("`abs` is an operation",)),
    Bad(
        "recursion",
        "a: v + v\n    return: a",
        "return: twice(v)",
        "PTG209",
        (22, 13),
        ("twice → twice",),
        (("z: x * 3", "z: twice(x)"),),
    ),
    Bad("requires", "graph:", "requires: [heads % 3 == 0]\ngraph:", "PTG219", (26, 12), ("heads % 3 == 0",)),
    Bad("target", "graph:", "targets: [cpu, a2]\ngraph:", "PTG218", (26, 16), ("`a2`", "did you mean `a2a3`?")),
    Bad(
        "when_target",
        "graph:",
        "tiling: [{when: {target: gpu}}]\ngraph:",
        "PTG218",
        (26, 10),
        ("`gpu`", "cpu"),
    ),
]


@pytest.mark.parametrize("bad", CASES, ids=str)
def test_fault_is_found(bad: Bad, snapshot: SnapshotAssertion) -> None:
    found = said_about(bad, BASE, "demo.yaml", lambda source: from_spec(load_source(source)))
    assert found == snapshot


def test_base_is_fine_but_for_a_dead_value() -> None:
    program = from_spec(load_source(Source("demo.yaml", BASE)))
    assert [op.result.name for op in program.ops] == ["y", "cache_out"]
    unused = [(13, "w"), (14, "i8"), (27, "z")]
    assert program.notes == tuple(f"demo.yaml:{line}:3: `{name}` is never used" for line, name in unused)
