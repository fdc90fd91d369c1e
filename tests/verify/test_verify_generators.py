"""The generator language: values, determinism, and the place that an error names."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from pyptogen.diagnostics import DiagnosticError
from pyptogen.inputs.generators import Generator, draw_default
from pyptogen.schema.expression import parse_expression
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Scalar


def draw(text: str, shape: tuple[int, ...] = (100, 50), dtype: Any = np.float32, seed: int = 1, **dims: int) -> Any:
    node = Scalar(Source("toy.yaml", text), text, text, 0, len(text), "plain")
    rng = np.random.Generator(np.random.PCG64(seed))
    return Generator(parse_expression(node), shape, np.dtype(dtype), dims, rng).draw()


def fault_of(text: str, **arguments: Any) -> Any:
    with pytest.raises(DiagnosticError) as caught:
        draw(text, **arguments)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@pytest.mark.parametrize("text", ["uniform(-2, 3)", "zeros()", "integers(1, 4)"])
def test_a_lone_number_has_no_axes(text: str) -> None:
    assert draw(text, shape=()).shape == ()
    assert draw_default((), np.dtype(np.float32), np.random.Generator(np.random.PCG64(1))).shape == ()


@pytest.mark.parametrize("dtype", [np.float32, np.float16, ml_dtypes.bfloat16])
def test_uniform_fills_its_range(dtype: Any) -> None:
    values = draw("uniform(-2, 3)", dtype=dtype)
    assert values.dtype == dtype
    assert -2 <= values.min() < -1.95
    assert 2.95 < values.max() <= 3
    assert abs(float(values.astype(np.float64).mean()) - 0.5) < 0.1


def test_uniform_on_an_integer_tensor_gives_both_ends() -> None:
    assert set(draw("uniform(-1, 2)", dtype=np.int8).ravel()) == {-1, 0, 1, 2}


def test_normal_has_its_moments() -> None:
    values = draw("normal(10, 0.5)")
    assert abs(values.mean() - 10) < 0.05
    assert abs(values.std() - 0.5) < 0.05


def test_integers_without_bounds_cover_the_dtype() -> None:
    assert set(draw("integers()", dtype=np.int8).ravel()) == set(range(-128, 128))


def test_integers_with_bounds_include_them() -> None:
    assert set(draw("integers(3, n)", dtype=np.int32, n=5).ravel()) == {3, 4, 5}


def test_permutation_is_distinct_and_in_range() -> None:
    slots = draw("permutation(blocks * 128)", shape=(500,), dtype=np.int64, blocks=4)
    assert len(set(slots)) == 500
    assert slots.min() >= 0
    assert slots.max() < 512
    assert list(slots) != sorted(slots)


def test_coordinates_are_of_distinct_places() -> None:
    sizes = {"blocks": 4, "size": 16, "heads": 3}
    texts = [f"coordinate({axis}, blocks, size, heads)" for axis in range(3)]
    drawn = [draw(text, shape=(150,), dtype=np.int64, seed=seed, **sizes) for seed, text in enumerate(texts)]
    places = [*zip(*drawn, strict=True)]
    assert len({*places}) == 150
    assert places != sorted(places)
    for axis, size in zip(drawn, sizes.values(), strict=True):
        assert {*axis} == {*range(size)}


def test_skip_rows_replaces_whole_rows() -> None:
    drawn = draw("skip_rows(uniform(1, 2), -inf, 0.25)", shape=(4, 1000, 3))
    masked = np.isneginf(drawn)
    assert (masked.all(axis=-1) == masked.any(axis=-1)).all()
    assert 0.2 < masked.mean() < 0.3


def test_skip_replaces_a_part() -> None:
    slots = draw("skip(permutation(n), -1, 0.25)", shape=(4000,), dtype=np.int64, n=4000)
    kept = slots[slots >= 0]
    assert 800 < np.count_nonzero(slots == -1) < 1200
    assert len(set(kept)) == len(kept)


def test_trigonometry_and_arithmetic() -> None:
    assert np.array_equal(draw("cos(uniform(-3, 3))"), np.cos(draw("uniform(-3, 3)")))
    assert np.array_equal(draw("2 * uniform(0, 1) - 1"), 2 * draw("uniform(0, 1)") - 1)
    assert np.array_equal(draw("-ones()"), np.full((100, 50), -1, np.float32))
    assert np.array_equal(draw("zeros"), np.zeros((100, 50), np.float32))


def test_integers_saturate() -> None:
    assert set(draw("ones() * 1000", dtype=np.int8).ravel()) == {127}


def test_same_seed_same_data() -> None:
    assert np.array_equal(draw("uniform(0, 1)", seed=3), draw("uniform(0, 1)", seed=3))
    assert not np.array_equal(draw("uniform(0, 1)", seed=3), draw("uniform(0, 1)", seed=4))


def test_defaults_by_dtype() -> None:
    rng = np.random.Generator(np.random.PCG64(0))
    floats = draw_default((1000,), np.dtype(ml_dtypes.bfloat16), rng).astype(np.float32)
    assert -1 <= floats.min() < -0.9
    assert 0.9 < floats.max() <= 1
    assert set(draw_default((9000,), np.dtype(np.uint8), rng)) == set(range(256))
    wide = draw_default((1000,), np.dtype(np.int64), rng)
    assert wide.min() < -(2**60)
    assert wide.max() > 2**60
    assert set(draw_default((99,), np.dtype(np.bool_), rng)) == {False, True}


@pytest.mark.parametrize(
    ("text", "code", "col", "words"),
    [
        ("unifrom(0, 1)", "PTG202", 1, "unifrom"),
        ("1 + nmae", "PTG201", 5, "nmae"),
        ("cos(uniform(3, 1))", "PTG215", 5, "above"),
        ("permutation(10)", "PTG215", 1, "5000 distinct"),
        ("coordinate(0, 10, 499)", "PTG215", 1, "5000 distinct"),
        ("coordinate(2, 100, 100)", "PTG215", 1, "no axis 2 of 2"),
        ("skip(ones(), 0, 2)", "PTG215", 1, "between 0 and 1"),
        ("2 * (lambda: 1)", "PTG108", 6, "no meaning"),
        ("__import__('os')", "PTG202", 1, "__import__"),
        ("uniform(0, 1).dtype", "PTG108", 1, "no meaning"),
        ("uniform(0, 1 // 0)", "PTG215", 12, "no value"),
    ],
)
def test_faults_name_the_place(text: str, code: str, col: int, words: str) -> None:
    diagnostic = fault_of(text)
    assert (diagnostic.code, diagnostic.span.line, diagnostic.span.col) == (code, 1, col)
    assert words in diagnostic.message


def test_a_slip_of_spelling_gets_a_suggestion() -> None:
    assert fault_of("unifrom(0, 1)").fix == "did you mean `uniform`?"
