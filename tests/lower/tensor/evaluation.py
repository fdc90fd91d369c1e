"""Values of expressions of the language over a few small tensors, by way of the Tensor level's interpreter."""

from __future__ import annotations

from typing import Any

import numpy as np

from pyptogen.lower.tensor import from_spec, verify
from pyptogen.schema import Source, load_source
from pyptogen.simulate.tensor import interpret

Array = np.ndarray[Any, Any]
T, D = 5, 8

X = np.random.default_rng(1).uniform(-2, 2, (T, D)).astype(np.float32)
Z = np.random.default_rng(2).uniform(0.5, 2, (T, D)).astype(np.float32)
G = np.random.default_rng(3).uniform(-1, 1, D).astype(np.float32)
W = np.random.default_rng(4).uniform(-1, 1, (D, 3)).astype(np.float32)
I = np.array([3, -1, 0, 4, 1])  # noqa: E741
U = np.random.default_rng(5).integers(-50, 50, (T, D)).astype(np.int32)
V = np.random.default_rng(6).integers(1, 7, (T, D)).astype(np.int32)
J = np.random.default_rng(7).integers(0, D, (T, D)).astype(np.int32)
C = np.random.default_rng(8).permutation(D).astype(np.int32)
S = np.array([[0.0], [-0.0], [np.inf], [-np.inf], [np.nan]], np.float32)
INPUTS = {"x": X, "z": Z, "g": G, "w": W, "i": I, "u": U, "v": V, "j": J, "c": C, "s": S}


def evaluate_all(expression: str, results: list[tuple[str, str]]) -> list[Array]:
    """The values of an expression of x, z [t, d], g [d], w [d, 3], whole u, v, j [t, d], c [d], i [t], and s [t, 1]."""
    names = [f"y{index}" for index in range(len(results))]
    outputs = "".join(f"  {name}: {dtype}[{shape}]\n" for name, (dtype, shape) in zip(names, results, strict=True))
    text = (
        "pyptogen: 1\noperator: demo\ndims: {t: {max: 64}, d: 8}\n"
        "inputs: {x: 'fp32[t, d]', z: 'fp32[t, d]', g: 'fp32[d]', w: 'fp32[d, 3]', i: 'int64[t]', u: 'int32[t, d]', "
        "v: 'int32[t, d]', j: 'int32[t, d]', c: 'int32[d]', s: 'fp32[t, 1]'}\n"
        f"outputs:\n{outputs}graph:\n  {', '.join(names)}: {expression}\n"
    )
    program = from_spec(load_source(Source("demo.yaml", text)))
    verify(program)
    values = interpret(program, INPUTS)
    return [values[name] for name in names]


def evaluate(expression: str, dtype: str, shape: str) -> Array:
    """The value of an expression that has one."""
    return evaluate_all(expression, [(dtype, shape)])[0]
