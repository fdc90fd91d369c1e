"""Polynomials: the laws of a fifo, and agreement of every form with evaluation."""

from __future__ import annotations

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from pyptogen.lower.expr import ONE, ZERO, Poly, from_sympy

NAMES = ("m0", "n0", "k")
ENVS = st.fixed_dictionaries({name: st.integers(-9, 9) for name in NAMES})
SMALL = st.integers(-20, 20)


@st.composite
def polys(draw: st.DrawFn) -> Poly:
    total = Poly.of(draw(SMALL))
    for _ in range(draw(st.integers(0, 4))):
        term = Poly.of(draw(SMALL))
        for name in draw(st.lists(st.sampled_from(NAMES), max_size=2)):
            term = term * name
        total = total + term
    return total


@given(polys(), polys(), polys(), ENVS)
def test_fifo(p: Poly, q: Poly, r: Poly, env: dict[str, int]) -> None:
    a, b = p.evaluate(env), q.evaluate(env)
    assert (p + q).evaluate(env) == a + b
    assert (p - q).evaluate(env) == a - b
    assert (p * q).evaluate(env) == a * b
    assert p + q == q + p
    assert p * (q + r) == p * q + p * r
    assert (p + q) + r == p + (q + r)
    assert p - p == ZERO
    assert p * ONE == p


@given(polys(), ENVS, st.booleans())
def test_c_text_means_the_same(p: Poly, env: dict[str, int], wide: bool) -> None:
    value = eval(p.c(wide), {"int64_t": int}, dict(env))
    assert value == p.evaluate(env)


@given(polys())
def test_wide_products_start_in_64_bits(p: Poly) -> None:
    products = [term for term in p.c(wide=True).replace(" - ", " + ").split(" + ") if " * " in term]
    assert all(term.lstrip("-").startswith("int64_t(") for term in products)


@given(polys(), st.integers(1, 12), ENVS)
def test_division_is_exact_or_refused(p: Poly, divisor: int, env: dict[str, int]) -> None:
    assert (p * divisor).divided(divisor) == p
    if p.is_multiple_of(divisor):
        assert p.divided(divisor).evaluate(env) * divisor == p.evaluate(env)
    else:
        with pytest.raises(ValueError, match="not a multiple"):
            p.divided(divisor)


@given(polys(), st.integers(1, 16), st.fixed_dictionaries({n: st.integers(1, 16) for n in NAMES}), ENVS)
def test_multiples_hold_for_every_multiple_of_the_steps(
    p: Poly, divisor: int, steps: dict[str, int], env: dict[str, int]
) -> None:
    if p.is_multiple_of(divisor, steps):
        assert p.evaluate({name: env[name] * steps[name] for name in NAMES}) % divisor == 0


@given(polys(), ENVS)
def test_sympy_and_back(p: Poly, env: dict[str, int]) -> None:
    symbols = {name: sympy.Symbol(name, integer=True, positive=True) for name in NAMES}
    expr = sum((c * sympy.Mul(*(symbols[n] for n in mono)) for mono, c in p.terms), sympy.Integer(0))
    assert from_sympy(expr, {}) == p
    assert from_sympy(expr, {"k": 5}).evaluate({**env, "k": 0}) == p.evaluate({**env, "k": 5})


def test_constants_and_names() -> None:
    assert ZERO.constant == 0
    assert Poly.of(7).constant == 7
    assert (Poly.of("k") + 7).constant is None
    assert (Poly.of("k") * "m0" + 7).names() == {"k", "m0"}
    assert str(Poly.of("k") * -3 + 7) == "7 - k * 3"
    with pytest.raises(KeyError, match="k"):
        Poly.of("k").evaluate({})


@pytest.mark.parametrize("text", ["k / 2", "2**k", "k**-1", "sqrt(k)", "k * floor(k / 2)"])
def test_what_is_no_polynomial(text: str) -> None:
    with pytest.raises(ValueError, match=r"coefficient|polynomial"):
        from_sympy(sympy.sympify(text, {"k": sympy.Symbol("k", integer=True, positive=True)}), {})
