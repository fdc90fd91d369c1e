"""Units in the last place, beside numpy's own."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from pyptogen.verify.last_place import FLOATS, last_place


@pytest.mark.parametrize(("name", "dtype"), [("fp32", np.float32), ("fp16", np.float16)])
def test_as_numpy_has_them(name: str, dtype: type) -> None:
    values = np.array([1, 1.5, 2, 3.99, 1024, 1e-3, 0.1], dtype)
    np.testing.assert_array_equal(last_place(values.astype(np.float64), name), np.spacing(values))


@pytest.mark.parametrize(
    ("name", "dtype"),
    [("bf16", ml_dtypes.bfloat16), ("fp8_e4m3", ml_dtypes.float8_e4m3fn), ("fp8_e5m2", ml_dtypes.float8_e5m2)],
)
def test_as_formats_of_fewer_bits_have_them(name: str, dtype: type) -> None:
    values = np.array([1, 1.5, 2, 3.5, 0.25, 96], np.float64)
    places = last_place(values, name)
    assert ((values + places).astype(dtype).astype(np.float64) == values + places).all()
    assert (((values + places / 2).astype(dtype).astype(np.float64) - values) % places == 0).all()


@pytest.mark.parametrize("name", FLOATS)
def test_at_zero_it_is_next_to_nothing_and_beyond_numbers_nothing(name: str) -> None:
    places = last_place(np.array([0.0, -0.0, np.inf, -np.inf, np.nan]), name)
    assert (places == [FLOATS[name].least] * 2 + [0] * 3).all()


def test_whole_numbers_have_none() -> None:
    assert not last_place(np.arange(4.0), "int8").any()
