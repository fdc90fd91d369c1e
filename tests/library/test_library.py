"""Every operator of the library against a golden by hand: compiled for both targets, tails and extremes included."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from library import goldens
from library.agreement import assert_agree, operator
from pyptogen.diagnostics import DiagnosticError

TARGETS = ("cpu", "a2a3")

# (relative, absolute) difference allowed for each output; integers may be off by one where a rounding is near a tie.
ALLOWED = {
    "vector_add": {"c": (0, 0)},
    "swiglu": {"y": (2**-7, 1e-30)},
    "layer_norm_residual": {"y": (1e-5, 3e-6), "sum": (0, 0)},
    "relu": {"y": (0, 0)},
    "silu": {"y": (2**-7, 1e-5)},
    "gelu": {"y": (2**-7, 1e-5)},
    "gelu_tanh": {"y": (2**-7, 1e-5)},
    "geglu": {"y": (2**-7, 1e-5)},
    "linear_gelu": {"y": (2**-7, 1e-4)},
    "rms_norm_residual": {"y": (2**-7, 1e-5), "sum": (0, 0)},
    "dequant_per_token": {"y": (2**-7, 0)},
    "quant_per_channel": {"q": (0, 1)},
    "layer_norm": {"y": (1e-5, 3e-6)},
    "layer_norm_bf16": {"y": (2**-7, 1e-4)},
    "layer_norm_channels": {"y": (2**-7, 1e-4)},
    "rms_norm": {"y": (1e-5, 1e-6)},
    "rms_norm_bf16": {"y": (2**-7, 1e-5)},
    "softmax": {"y": (1e-5, 1e-7)},
    "quant_per_token": {"q": (0, 1), "scale": (1e-6, 0)},
    "rope": {"y": (2**-7, 1e-6)},
    "linear_int8": {"y": (2**-7, 1e-3)},
    "log_softmax": {"y": (1e-5, 1e-5)},
    "softmax_long": {"y": (1e-5, 1e-9)},
    "blend": {"y": (1e-6, 1e-6)},
    "dequant_rows": {"y": (2**-7, 0)},
    "transpose_copy": {"y": (0, 0)},
    "flash_attention": {"o": (2**-6, 2**-8)},
    "flash_attention_causal": {"o": (2**-6, 2**-8)},
    "flash_attention_fp32": {"o": (1e-5, 1e-6)},
    "flash_attention_grouped": {"o": (2**-9, 2**-10)},
}
SIZES = {
    "vector_add": ("n", [1, 31, 4096, 70001]),
    "rope": ("t", [1, 31, 65]),
    "linear_int8": ("t", [1, 31, 257]),
    "linear_gelu": ("t", [1, 31, 257]),
    "softmax_long": ("rows", [1, 9, 17]),
    "layer_norm_channels": ("hw", [1, 37, 300]),
    "blend": ("rows", [16, 48, 160]),
    "flash_attention": ("sq", [1, 33, 600]),
    "flash_attention_causal": ("kv", [1, 33, 300]),
    "flash_attention_fp32": ("sq", [1, 33, 300]),
    "flash_attention_grouped": ("kv", [1, 33, 100]),
}
ROWS = ("rows", [1, 7, 65])


def agree(name: str, target: str, arrays: dict[str, Any]) -> Any:
    return assert_agree(name, target, arrays, getattr(goldens, name), ALLOWED[name])


CASES = [(name, size) for name in ALLOWED for size in SIZES.get(name, ROWS)[1]]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "size"), CASES)
def test_on_random_data(name: str, size: int, target: str) -> None:
    dim = SIZES.get(name, ROWS)[0]
    agree(name, target, operator(name, target).example_inputs(seed=size, **{dim: size}))


@pytest.mark.parametrize("target", TARGETS)
def test_quantised_rows_of_zeros_and_of_one_value(target: str) -> None:
    x = np.zeros((3, 4096), ml_dtypes.bfloat16)
    x[1] = 2.5
    x[2, 7] = -1e-20
    got = agree("quant_per_token", target, {"x": x})
    assert not got.q[0].any()
    assert got.scale[0] == 0
    assert (got.q[1] == 127).all()
    assert got.q[2, 7] == -127


@pytest.mark.parametrize("target", TARGETS)
def test_softmax_of_masked_rows(target: str) -> None:
    x = np.full((3, 4096), -np.inf, np.float32)
    x[0, 5:8] = [1.0, 2.0, 3.0]
    x[1] = np.linspace(-200, 0, 4096)  # quotients down to denormal numbers
    x[2, 4095] = 7.0
    got = agree("softmax", target, {"x": x})
    assert got.y[2, 4095] == 1.0
    assert not got.y[2, :4095].any()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["layer_norm", "rms_norm"])
def test_norms_of_rows_of_zeros_and_of_large_values(name: str, target: str) -> None:
    rng = np.random.default_rng(3)
    x = np.zeros((3, 4096), np.float32)
    x[1] = 1e4 * rng.standard_normal(4096)
    x[2] = 1e-4 * rng.standard_normal(4096)
    arrays = {"x": x, "gamma": np.ones(4096, np.float32), "beta": np.zeros(4096, np.float32)}
    if name == "rms_norm":
        del arrays["beta"]
    agree(name, target, arrays)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ["relu", "silu", "gelu", "gelu_tanh"])
def test_activations_far_out_and_at_zero(name: str, target: str) -> None:
    x = np.zeros((2, 4096), ml_dtypes.bfloat16)
    x[0, :8] = [-1e30, -80, -1e-30, 0, 1e-30, 80, 1e30, 0.5]
    x[1] = np.linspace(-20, 20, 4096)
    got = agree(name, target, {"x": x})
    assert np.isfinite(got.y.astype(np.float32)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_log_softmax_of_far_apart_values(target: str) -> None:
    x = np.full((2, 4096), -1e4, np.float32)
    x[0, 5], x[1] = 1e4, 0.0
    got = agree("log_softmax", target, {"x": x})
    assert got.y[0, 5] == 0
    np.testing.assert_allclose(got.y[1], -np.log(4096), rtol=1e-6)


@pytest.mark.parametrize("target", TARGETS)
def test_swiglu_saturates(target: str) -> None:
    gate = np.full((1, 2048), -60.0, ml_dtypes.bfloat16)
    gate[0, :1024] = 60.0
    got = agree("swiglu", target, {"gate": gate, "up": np.ones((1, 2048), ml_dtypes.bfloat16)})
    assert (got.y[0, :1024] == ml_dtypes.bfloat16(60)).all()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kv", [1, 255, 257, 700])
def test_attention_of_any_number_of_keys(target: str, kv: int) -> None:
    agree("flash_attention", target, operator("flash_attention", target).example_inputs(seed=kv, sq=40, kv=kv))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("sq", "kv"), [(1, 700), (40, 300), (257, 257), (130, 129 + 130)])
@pytest.mark.parametrize("name", ["flash_attention_causal", "flash_attention_grouped"])
def test_causal_attention_of_the_last_positions(name: str, target: str, sq: int, kv: int) -> None:
    agree(name, target, operator(name, target).example_inputs(seed=kv, sq=sq, kv=kv))


@pytest.mark.parametrize("target", TARGETS)
def test_blocks_that_no_query_of_a_tile_sees_are_not_read(target: str) -> None:
    """NaN in them would else reach every query: its weight is 0, and 0 times NaN is NaN."""
    causal = operator("flash_attention_causal", target)
    arrays = causal.example_inputs(seed=1, sq=640, kv=640)
    clean = causal(**arrays).o
    arrays["k"][:, 512:], arrays["v"][:, 512:] = np.nan, np.nan
    got = causal(**arrays).o
    assert (got[:, :512] == clean[:, :512]).all()
    assert np.isnan(got[:, 639].astype(np.float32)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_more_queries_than_keys_are_refused(target: str) -> None:
    causal = operator("flash_attention_causal", target)
    arrays = causal.example_inputs(seed=1, sq=4, kv=4)
    with pytest.raises(DiagnosticError, match="kv >= sq"):
        causal(**{**arrays, "k": arrays["k"][:, :3].copy(), "v": arrays["v"][:, :3].copy()})


@pytest.mark.parametrize("target", TARGETS)
def test_attention_to_one_key_far_above_the_others(target: str) -> None:
    """The greatest score comes in the last round, and what was summed before is as nothing beside it."""
    arrays = operator("flash_attention", target).example_inputs(seed=3, sq=5, kv=300)
    arrays["k"][:, 299] = 8 * arrays["q"][:, 0]
    got = agree("flash_attention", target, arrays)
    assert (got.o[:, 0] == arrays["v"][:, 299]).all()
