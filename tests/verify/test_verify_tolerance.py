"""Derived tolerances: wide enough for another order of summation, narrow enough to catch a wrong result."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
import sympy

from pyptogen.lower.tensor.ir import Op, Scalar
from pyptogen.verify.compare import compare
from pyptogen.verify.tolerance import Tolerance, derive
from verify import toy


def op(kind: str, operands: tuple[Any, ...], name: str, dtype: str, **attrs: Any) -> Op:
    return Op(kind, operands, toy.value(name, dtype, operands[0].shape), attrs, "toy", toy.SPAN)


X = toy.value("x", "fp32", (toy.T, toy.K))
Q = toy.value("q", "int8", (toy.T, toy.K))


def derived_from(*ops: Op) -> Tolerance:
    program = replace(
        toy.program(), inputs=(X, Q), ops=ops, outputs=(("y", ops[-1].result),), inplace=MappingProxyType({})
    )
    return derive(program)["y"]


def test_a_copy_may_differ_by_one_unit() -> None:
    tolerance = derived_from(op("reshape", (X,), "y", "fp32"))
    assert (tolerance.rtol, tolerance.scaled) == (2.0**-23, False)


def test_integers_are_exact_until_a_float_is_rounded() -> None:
    assert derived_from(op("cast", (Q,), "y", "int32")).atol == 0
    f = op("cast", (Q,), "f", "fp32")
    scaled = op("mul", (f.result, Scalar(sympy.Float(0.1), toy.SPAN)), "g", "fp32")
    back = op("cast", (scaled.result,), "y", "int8")
    assert derived_from(f, scaled, back).atol == 1


def test_a_rounding_to_fewer_bits_dominates() -> None:
    narrow = op("cast", (X,), "y", "bf16")
    assert 2.0**-7 <= derived_from(narrow).rtol <= 2.0**-5
    wide_again = op("cast", (narrow.result,), "z", "fp32")
    assert 2.0**-8 <= derived_from(narrow, wide_again).rtol <= 2.0**-5


def test_longer_sums_may_differ_by_more() -> None:
    program = toy.program()
    long = replace(program, dims=tuple(replace(d, value=32768) if d.name == "k" else d for d in program.dims))
    total = Op("sum", (X,), toy.value("y", "fp32", (toy.T, sympy.Integer(1))), {"axis": 1}, "toy", toy.SPAN)
    short_rtol, long_rtol = (
        derive(replace(p, inputs=(X, Q), ops=(total,), outputs=(("y", total.result),)))["y"].rtol
        for p in (program, long)
    )
    assert 10 < long_rtol / short_rtol < 40


def test_a_matmul_in_another_order_passes_and_a_wrong_one_fails() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.uniform(-1, 1, (8, 32)).astype(np.float32), rng.uniform(-1, 1, (32, 32)).astype(np.float32)
    exact = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32)
    backwards = np.zeros_like(exact)
    for k in reversed(range(32)):
        backwards += a[:, k : k + 1] * b[k]
    wrong = backwards - a[:, :1] * b[0] * np.float32(1e-3)
    weights = toy.value("w", "fp32", (toy.K, 2 * toy.N))
    product = Op("matmul", (X, weights), toy.value("y", "fp32", (toy.T, 2 * toy.N)), {"dtype": "fp32"}, "toy", toy.SPAN)
    tolerance = derive(replace(toy.program(), inputs=(X, weights), ops=(product,), outputs=(("y", product.result),)))
    assert compare({"y": backwards}, {"y": exact}, tolerance)[0].passed
    assert not compare({"y": wrong}, {"y": exact}, tolerance)[0].passed


def test_the_toy_operator() -> None:
    tolerances = derive(toy.program())
    assert set(tolerances) == {"cache", "y"}
    assert tolerances["y"].rtol > tolerances["cache"].rtol > 2.0**-23
    assert "derived" in tolerances["y"].describe()


@pytest.mark.parametrize("kind", ["prod", "cumprod"])
def test_a_product_has_the_errors_of_all_its_factors(kind: str) -> None:
    factors = op("mul", (X, X), "f", "fp32")
    exact = derived_from(op(kind, (X,), "y", "fp32", axis=1))
    rounded = derived_from(factors, op(kind, (factors.result,), "y", "fp32", axis=1))
    assert rounded.rtol - exact.rtol == pytest.approx(4 * 2.0**-24 * 32**0.5)


def test_a_running_sum_is_a_sum() -> None:
    running = derived_from(op("cumsum", (X,), "y", "fp32", axis=1))
    total = Op("sum", (X,), toy.value("y", "fp32", (toy.T, sympy.Integer(1))), {"axis": 1}, "toy", toy.SPAN)
    assert running.rtol == derived_from(total).rtol


def test_rows_that_are_added_may_all_meet_in_one() -> None:
    """Of a total near 0 the partial sums are not: the last bits of these are what another order changes."""
    tolerance = derived_from(op("index_add", (X, Q, X), "y", "fp32", axis=0))
    numbers = np.random.default_rng(3).standard_normal((4096, 64)).astype(np.float32)
    exact, backwards = numbers.sum(0, np.float64).astype(np.float32), numbers[::-1].cumsum(0)[-1]
    assert compare({"y": backwards}, {"y": exact}, {"y": tolerance})[0].passed
    assert not compare({"y": backwards}, {"y": exact + numbers[7]}, {"y": tolerance})[0].passed
