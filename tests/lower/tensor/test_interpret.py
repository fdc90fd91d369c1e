"""The interpreter: rounding, casts, exactness, blocks of rows, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.diagnostics import DiagnosticError
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.numerics.operations import cast, matmul, prepare_right, scatter_update
from pyptogen.numpy_dtypes import NUMPY_DTYPES
from pyptogen.schema import Source, load_source, load_spec
from pyptogen.simulate.row_blocks import row_block_runs
from pyptogen.simulate.tensor import interpret

SPEC = Path(__file__).parents[3] / "specs" / "indexer_prolog.yaml"
NAN, INF = float("nan"), float("inf")


def small_prolog() -> Program:
    """The centrepiece with small sizes."""
    text = SPEC.read_text("utf-8").replace("h: 7168", "h: 32").replace("q_rank: 1536", "q_rank: 16")
    text = text.replace("heads: 64", "heads: 2").replace("d: 128", "d: 8").replace("r: 64 ", "r: 4 ")
    return from_spec(load_source(Source("small.yaml", text.replace("block_size: 128", "block_size: 4"))))


def inputs_of(program: Program, sizes: dict[str, int]) -> dict[str, Any]:
    """Random arrays for a program."""
    rng = np.random.default_rng(0)
    arrays: dict[str, Any] = {}
    values = {dim.name: dim.value for dim in program.dims if dim.value is not None} | sizes
    for value in program.inputs:
        shape = tuple(
            int(size.xreplace({symbol: sympy.Integer(values[symbol.name]) for symbol in size.free_symbols}))
            for size in value.shape
        )
        dtype = NUMPY_DTYPES[value.dtype]
        whole = rng.integers(-128, 128, shape)
        arrays[value.name] = (whole if value.dtype.startswith("int") else whole / 128).astype(dtype)
    arrays["k_index"] = rng.permutation(sizes["blocks"] * 4)[: sizes["t"]].astype(np.int64)
    arrays["k_index"][0] = -1
    return arrays


def test_blocks_of_rows_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    program = small_prolog()
    arrays = inputs_of(program, {"t": 11, "blocks": 5})
    before = {name: array.copy() for name, array in arrays.items()}
    whole = interpret(program, arrays)
    monkeypatch.setattr("pyptogen.simulate.tensor._BLOCK_BYTES", 200)
    blocked = interpret(program, arrays)
    assert list(whole) == ["q", "q_scale", "k_cache", "k_scale_cache", "weights"]
    for name, array in whole.items():
        assert array.tobytes() == blocked[name].tobytes()
    for name, array in arrays.items():
        assert array.tobytes() == before[name].tobytes()
    single = [piece.ops[0].result.name for piece in row_block_runs(program) if piece.rows is None]
    rows_of_weights = ["q_f32_3", "k_b_gamma", "k_b_gamma_row", "k_b_beta", "k_b_beta_row"]
    assert single == [*rows_of_weights, "k_cache_out", "k_scale_cache_out"]


def test_attrs_have_defaults_and_can_be_given() -> None:
    program = small_prolog()
    arrays = inputs_of(program, {"t": 3, "blocks": 2})
    usual = interpret(program, arrays)["k_cache"]
    assert interpret(program, arrays, {"eps": 1.0e-6})["k_cache"].tobytes() == usual.tobytes()
    assert interpret(program, arrays, {"eps": 1.0e6})["k_cache"].tobytes() != usual.tobytes()


def test_a_row_of_zeros_quantises_to_zeros_and_scale_zero() -> None:
    program = small_prolog()
    arrays = inputs_of(program, {"t": 3, "blocks": 2})
    arrays["q_norm"][1] = 0
    outputs = interpret(program, arrays)
    assert not outputs["q"][1].any()
    assert not outputs["q_scale"][1].any()
    assert outputs["q"][0].any()
    assert np.isfinite(outputs["q_scale"].astype(np.float32)).all()


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda a: a.pop("x"), "PTG404"),
        (lambda a: a.update(x=a["x"].astype(np.float32)), "PTG403"),
        (lambda a: a.update(x=a["x"][0]), "PTG402"),
        (lambda a: a.update(x=a["x"][:2]), "PTG405"),
        (lambda a: a.update(w_k=a["w_k"][1:]), "PTG405"),
        (lambda a: a["k_index"].__setitem__(1, 8), "PTG408"),
        (lambda a: a["k_index"].__setitem__(1, -2), "PTG408"),
    ],
    ids=["missing", "dtype", "rank", "inconsistent", "static", "index", "negative_index"],
)
def test_arrays_that_do_not_fit(change: Any, code: str) -> None:
    program = small_prolog()
    arrays = inputs_of(program, {"t": 3, "blocks": 2})
    change(arrays)
    with pytest.raises(DiagnosticError) as raised:
        interpret(program, arrays)
    assert raised.value.diagnostics[0].code == code


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("rint", [-3, -2, -2, 0, 0, 0, 2, 2, 3]),
        ("none", [-3, -2, -2, 0, 0, 0, 2, 2, 3]),
        ("round", [-3, -3, -2, -1, 0, 1, 2, 3, 3]),
        ("floor", [-3, -3, -2, -1, 0, 0, 1, 2, 2]),
        ("ceil", [-2, -2, -1, 0, 0, 1, 2, 3, 3]),
        ("trunc", [-2, -2, -1, 0, 0, 0, 1, 2, 2]),
    ],
)
@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_cast_modes(mode: str, expected: list[int], dtype: Any) -> None:
    x = np.array([-2.75, -2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5, 2.75], dtype)
    assert cast(x, np.dtype(np.int8), mode, True).tolist() == expected


@pytest.mark.parametrize(
    ("dtype", "expected"),
    [
        ("int8", [127, -128, 0, 127, -128, 127]),
        ("uint8", [255, 0, 0, 255, 0, 128]),
        ("int16", [32767, -32768, 0, 32767, -32768, 128]),
        ("int32", [2**31 - 1, -(2**31), 0, 2**31 - 1, -(2**31), 128]),
        ("int64", [2**63 - 1, -(2**63), 0, 2**63 - 1, -(2**63), 128]),
    ],
)
def test_casts_saturate_and_drop_nan(dtype: str, expected: list[int]) -> None:
    x = np.array([INF, -INF, NAN, 1e30, -1e30, 127.9], np.float32)
    assert cast(x, NUMPY_DTYPES[dtype], "rint", True).tolist() == expected


def test_integer_casts() -> None:
    x = np.array([-300, -1, 5, 300], np.int32)
    assert cast(x, np.dtype(np.int8), "rint", True).tolist() == [-128, -1, 5, 127]
    assert cast(x, np.dtype(np.uint8), "rint", True).tolist() == [0, 0, 5, 255]
    assert cast(x, np.dtype(np.int8), "rint", False).tolist() == [-44, -1, 5, 44]


def test_round_does_not_double_round_below_a_half() -> None:
    x = np.array([0.49999997, -0.49999997, 8388609.0], np.float32)
    assert cast(x, np.dtype(np.int32), "round", True).tolist() == [0, 0, 8388609]


def test_lone_numbers_are_compared() -> None:
    """numpy takes the axes that they do not have for a reason to give no array."""
    text = "pyptogen: 1\noperator: lone\ninputs: {x: 'fp32[4]'}\noutputs: {y: 'fp32[4]'}\ngraph:\n"
    text += "  part: full([], 0.25, fp32)\n  y: where(abs(part) >= 0.5, x, -x)\n"
    program = from_spec(load_source(Source("lone.yaml", text)))
    assert interpret(program, {"x": np.ones(4, np.float32)})["y"].tolist() == [-1] * 4


def test_int8_matmul_is_exact_at_the_extremes() -> None:
    a = np.full((2, 5000), -128, np.int8)
    a[1] = 127
    b = np.full((5000, 1), -128, np.int8)
    assert matmul(a, prepare_right(b), np.dtype(np.int32)).tolist() == [[81920000], [-81280000]]


@given(st.integers(1, 2100), st.integers(0, 2**32 - 1))
def test_int8_matmul_agrees_with_int64(k: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.integers(-128, 128, (3, k), np.int8), rng.integers(-128, 128, (k, 2), np.int8)
    expected = a.astype(np.int64) @ b.astype(np.int64)
    assert (matmul(a, prepare_right(b), np.dtype(np.int32)) == expected).all()


def test_scatter_takes_leading_axes_together_and_the_last_writer_wins() -> None:
    x = np.zeros((2, 2, 1, 1), np.int8)
    src = np.array([[1], [2], [3], [4]], np.int8)
    assert scatter_update(x, np.array([3, 0, -1, 3]), src, 2).ravel().tolist() == [2, 0, 0, 4]
    assert not x.any()


def test_bf16_arithmetic_rounds_after_every_operation() -> None:
    text = (
        "pyptogen: 1\noperator: demo\ndims: {t: {max: 9}}\ninputs: {x: 'bf16[t]'}\noutputs: {y: 'bf16[t]'}\n"
        "graph:\n  y: (x + 1) - 1\n"
    )
    program = from_spec(load_source(Source("demo.yaml", text)))
    x = np.array([2**-9, 2**-7, 3 * 2**-8], ml_dtypes.bfloat16)
    assert interpret(program, {"x": x})["y"].astype(float).tolist() == [0.0, 2**-7, 2**-6]


def test_spec_at_full_size_runs_one_token() -> None:
    program = from_spec(load_spec(SPEC))
    arrays = inputs_of(program, {"t": 1, "blocks": 1})
    arrays["k_index"][0] = 100
    outputs = interpret(program, arrays)
    assert outputs["q"].shape == (1, 64, 128)
    assert outputs["k_cache"].reshape(128, 128)[100].any()
