"""The indexer prolog, compiled for every target, against the reference by hand."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from references.agreement import assert_prolog_close, assert_same_bytes
from references.data import Arrays, bf16, prolog_inputs, prolog_weights
from references.indexer_prolog import HEAD_DIM, HIDDEN, Outputs, indexer_prolog

Compile = Callable[..., Any]
SIZES = [1, 5, 8, 33, 512, pytest.param(4096, marks=pytest.mark.slow)]
NZ = ("w_qb", "w_k", "w_proj")
CACHES = ("k_cache", "k_scale_cache")


@cache
def case(t: int, skipped: float) -> tuple[Arrays, Outputs]:
    """Inputs and what must come out, made once a session."""
    arrays = prolog_inputs(t, skipped=skipped)
    return arrays, indexer_prolog(arrays)


@cache
def packed(target: str) -> dict[str, Any]:
    """The weights of `prolog_weights()` as that target likes them."""
    import pyptogen

    return {name: pyptogen.pack(prolog_weights()[name], layout="nz", target=target) for name in NZ}


def run(operator: Any, arrays: Arrays, **changed: Any) -> Any:
    """Run on copies of the caches; weights packed unless given."""
    copies = {name: arrays[name].copy() for name in CACHES}
    return operator(**{**arrays, **packed(operator.target), **copies, **changed})


@pytest.mark.parametrize("t", SIZES)
def test_every_output(operator: Compile, target: str, t: int) -> None:
    """All tokens have a slot; the contract's tolerances hold; the caches that were given are the results."""
    arrays, want = case(t, 0.0)
    k_cache, k_scale_cache = arrays["k_cache"].copy(), arrays["k_scale_cache"].copy()
    got = run(operator("indexer_prolog", target), arrays, k_cache=k_cache, k_scale_cache=k_scale_cache)
    assert got._fields == Outputs._fields
    assert_prolog_close(got, want)
    assert np.shares_memory(got.k_cache, k_cache)
    assert np.shares_memory(got.k_scale_cache, k_scale_cache)


@pytest.mark.parametrize("t", SIZES)
def test_only_named_slots_change(operator: Compile, target: str, t: int) -> None:
    """Some tokens have slot -1: every row of the caches that no token names keeps its bytes."""
    arrays, want = case(t, 0.2)
    got = run(operator("indexer_prolog", target), arrays)
    assert_prolog_close(got, want)
    untouched = np.ones(arrays["k_scale_cache"].size, bool)
    untouched[arrays["k_index"][arrays["k_index"] >= 0]] = False
    for name, width in zip(CACHES, (HEAD_DIM, 1), strict=True):
        rows = getattr(got, name).reshape(-1, width)[untouched]
        assert_same_bytes(name, rows, arrays[name].reshape(-1, width)[untouched])


def test_tokens_without_slots_leave_the_caches(operator: Compile, target: str) -> None:
    arrays, want = case(5, 0.0)
    got = run(operator("indexer_prolog", target), arrays, k_index=np.full(5, -1, np.int64))
    for name in CACHES:
        assert_same_bytes(name, getattr(got, name), arrays[name])
    assert_same_bytes("q", got.q, run(operator("indexer_prolog", target), arrays).q)
    assert got.q.shape == want.q.shape


def test_a_row_of_zeros(operator: Compile, target: str) -> None:
    """Zeros quantise to zeros with scale 0, in the query path and (with no beta) in the key path."""
    arrays = dict(case(5, 0.0)[0])
    arrays["q_norm"], arrays["x"] = arrays["q_norm"].copy(), arrays["x"].copy()
    arrays["q_norm"][3], arrays["x"][3] = 0, 0
    arrays["ln_beta"] = np.zeros_like(arrays["ln_beta"])
    got = run(operator("indexer_prolog", target), arrays)
    assert_prolog_close(got, indexer_prolog(arrays))
    slot = int(arrays["k_index"][3])
    for name in ("q", "q_scale", "weights"):
        assert not getattr(got, name)[3].any(), name
    assert not got.k_cache.reshape(-1, HEAD_DIM)[slot].any()
    assert got.k_scale_cache.ravel()[slot] == 0


def test_values_of_very_different_size(operator: Compile, target: str) -> None:
    """Tokens scaled by powers of two: sums keep their roundings, and each step keeps up with its range."""
    arrays = dict(case(33, 0.2)[0])
    powers = 2.0 ** np.linspace(-12, 6, 33).round()[:, None]
    arrays["x"] = bf16(arrays["x"].astype(np.float32) * powers)
    arrays["q_norm_scale"] = (arrays["q_norm_scale"] * powers[::-1] / 64).astype(np.float32)
    assert_prolog_close(run(operator("indexer_prolog", target), arrays), indexer_prolog(arrays))


def test_sums_without_rounding_are_equal_to_the_bit(operator: Compile, target: str) -> None:
    """x of -1, 0, 1 and weights of 64ths: every order of an fp32 sum gives the same head weights."""
    arrays = dict(case(33, 0.0)[0])
    rng = np.random.default_rng(11)
    arrays["x"] = bf16(rng.integers(-1, 2, (33, HIDDEN)))
    w_proj = bf16(rng.integers(-64, 65, (HIDDEN, 64)) / 64)
    got = run(operator("indexer_prolog", target), {**arrays, "w_proj": w_proj}, w_proj=w_proj)
    assert_same_bytes("weights", got.weights, indexer_prolog({**arrays, "w_proj": w_proj}).weights)


def test_eps_reaches_the_layer_norm(operator: Compile, target: str) -> None:
    arrays, want = case(8, 0.0)
    got = run(operator("indexer_prolog", target), arrays, eps=1e5)
    assert_prolog_close(got, indexer_prolog(arrays, eps=1e5))
    assert (got.k_cache != want.k_cache).any()


def test_plain_weights_give_the_same_as_packed_ones(operator: Compile, target: str) -> None:
    arrays, _ = case(5, 0.0)
    plain = run(operator("indexer_prolog", target), arrays, **{name: arrays[name] for name in NZ})
    for name, value in run(operator("indexer_prolog", target), arrays)._asdict().items():
        assert_same_bytes(name, getattr(plain, name), value)


@pytest.mark.parametrize("t", [33, 512])
def test_threads_and_repetition_do_not_change_a_bit(operator: Compile, target: str, t: int) -> None:
    arrays, _ = case(t, 0.2)
    alone = run(operator("indexer_prolog", target, 1), arrays)
    for _ in range(3):
        for name, value in run(operator("indexer_prolog", target, 2), arrays)._asdict().items():
            assert_same_bytes(name, value, getattr(alone, name))


def test_out_receives_the_results(operator: Compile, target: str) -> None:
    arrays, want = case(5, 0.0)
    out = {name: np.full_like(getattr(want, name), 77) for name in ("q", "q_scale", "weights")}
    got = run(operator("indexer_prolog", target), arrays, out=out)
    for name, given in out.items():
        assert np.shares_memory(getattr(got, name), given)
    assert_prolog_close(got, want)
