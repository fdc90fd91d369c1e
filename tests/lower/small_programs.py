"""Small operators for the tests of the lower levels, and the levels of any operator."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pyptogen.codegen import Generated, generate
from pyptogen.lower.instruction.ir import Choose, Instr, InstrKernel, walk
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.ir import Program
from pyptogen.schema import Source, load_source, load_spec

SPECS = Path(__file__).resolve().parents[2] / "specs"
TARGETS = ("cpu", "a2a3")

ELEMENTWISE = """\
pyptogen: 1
operator: demo
dims:
  t: {min: 1, max: 4096}
  d: 16
inputs:
  x: fp32[t, d]
  z: fp32[t, d]
  c: fp32[d]
  s: fp32[t, 1]
outputs:
  y: fp32[t, d]
graph:
"""

PRODUCT = """\
pyptogen: 1
operator: product
dims:
  m: {min: 1, max: 4096}
  k: 128
  n: 64
inputs:
  a: int8[m, k]
  b: int8[k, n] @ nz
outputs:
  c: int32[m, n]
graph:
  c: matmul(a, b, dtype=int32)
tiling:
  - {m: {tile: 16, tail: mask}, k: {l1: 64, l0: 32}, n: 32}
"""

FUSED = """\
pyptogen: 1
operator: fused
dims:
  t: {min: 1, max: 4096}
  k: 64
  d: 32
inputs:
  a: bf16[t, k]
  b: bf16[k, d] @ nz
  c: fp32[d]
outputs:
  y: int8[t, d]
  s: fp32[t, 1]
graph:
  linear:
    p: matmul(a, b, dtype=fp32)
  scale:
    s: amax(abs(p), axis=-1, keepdim=true)
    y: cast(p * c * (127 / (s + 1)), int8, mode=rint)
tiling:
  - when: {target: a2a3}
    t: {unroll: [16, 8, 4, 2, 1]}
    linear: {k: 32, d: 16}
    scale: {t: 8}
  - {t: {tile: 16, tail: mask}, fuse: [[linear, scale]], linear: {k: 32}, scale: {t: 8}}
"""


def program_of(text: str) -> Program:
    """The Tensor level of a spec given as text."""
    return from_spec(load_source(Source("demo.yaml", text)))


def elementwise(graph: str, tile: int = 8) -> Program:
    """A program with the inputs and the output of ``ELEMENTWISE``; ``graph`` has a line per value, ``y`` the last."""
    body = "".join(f"  {line.strip()}\n" for line in graph.strip().splitlines())
    return program_of(f"{ELEMENTWISE}{body}tiling:\n  - {{t: {tile}}}\n")


@cache
def library(name: str) -> Program:
    """An operator of the library at the Tensor level."""
    return from_spec(load_spec(SPECS / f"{name}.yaml"))


@cache
def lowered(name: str, target: str) -> Generated:
    """An operator of the library, or one of the specs above by its name, lowered once."""
    texts = {"product": PRODUCT, "fused": FUSED}
    return generate(program_of(texts[name]) if name in texts else library(name), target)


def levels(program: Program, target: str) -> dict[str, str]:
    """The text of every level by the name of the pass that made it."""
    texts: dict[str, str] = {}
    generate(program, target, dump=lambda name, text: texts.update({name: text}))
    return texts


def instructions(kernel: InstrKernel) -> Iterator[Instr]:
    """Every instruction in the text of a kernel, both of a choice."""
    for node in walk(kernel.body):
        if isinstance(node, Choose):
            yield from (node.then, node.other)
        elif isinstance(node, Instr):
            yield node


def elementwise_arrays(t: int) -> dict[str, npt.NDArray[Any]]:
    """Inputs of ``ELEMENTWISE`` for t rows."""
    rng = np.random.default_rng(t)
    shapes = {"x": (t, 16), "z": (t, 16), "c": (16,), "s": (t, 1)}
    return {name: rng.uniform(0.5, 2, shape).astype(np.float32) for name, shape in shapes.items()}
