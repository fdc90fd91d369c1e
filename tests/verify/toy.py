"""A small operator by hand that has one of everything a contract can have; no spec and no pass is
involved."""

from __future__ import annotations

from types import MappingProxyType

import sympy

from pyptogen.diagnostics import Span
from pyptogen.lower.tensor.ir import Attr, Dim, Op, Program, Stage, Value

SPAN = Span("specs/toy.yaml", 1, 1, 1, 2)
T, K, N, BLOCKS, SIZE = sympy.symbols("t k n blocks size", positive=True, integer=True)


def dim(name: str, value: int | None = None, low: int = 1, high: int = 64, multiple: int = 1) -> Dim:
    return Dim(name, value, value or low, value or high, multiple, None, SPAN)


def value(name: str, dtype: str, shape: tuple[sympy.Expr, ...], layout: str = "nd") -> Value:
    return Value(name, dtype, shape, layout, SPAN)


def program(doc: str = "Projects rows and notes them in a cache.") -> Program:
    """``y = cast(x @ w, fp16)``; cache rows are updated in place."""
    x, w = value("x", "bf16", (T, K)), value("w", "bf16", (K, 2 * N), "nz")
    cache, index = value("cache", "fp32", (BLOCKS * SIZE, 2 * N)), value("index", "int64", (T,))
    acc, y = value("acc", "fp32", (T, 2 * N)), value("y", "fp16", (T, 2 * N))
    updated = value("cache_1", "fp32", (BLOCKS * SIZE, 2 * N))
    ops = (
        Op("matmul", (x, w), acc, MappingProxyType({"dtype": "fp32"}), "toy", SPAN),
        Op(
            "cast",
            (acc,),
            y,
            MappingProxyType({"dtype": "fp16", "mode": "rint", "saturate": True}),
            "toy",
            SPAN,
        ),
        Op("scatter_update", (cache, index, acc), updated, MappingProxyType({"dim": 0}), "toy", SPAN),
    )
    return Program(
        name="toy",
        doc=doc,
        dims=(
            dim("t", high=64),
            dim("blocks", low=2, high=16, multiple=2),
            dim("k", 32),
            dim("n", 16),
            dim("size", 8),
            Dim("slots", None, 16, 128, 1, BLOCKS * SIZE, SPAN),
        ),
        attrs=(Attr("eps", "fp32", 1e-6, SPAN), Attr("count", "int64", None, SPAN)),
        inputs=(x, w, cache, index),
        outputs=(("cache", updated), ("y", y)),
        inplace=MappingProxyType({"cache": "cache"}),
        stages=(Stage("toy", SPAN),),
        ops=ops,
        tiling=(),
        schedule=MappingProxyType({}),
        targets=("cpu", "a2a3"),
        span=SPAN,
    )
