"""What a case of library.py is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

Tensors = Mapping[str, torch.Tensor]
Dims = Mapping[str, int]
Work = Callable[[Dims], float]
Arrays = dict[str, npt.NDArray[Any]]


def untouched(_: Arrays, __: np.random.Generator) -> None:
    """The spec's own example inputs."""


def distinct(*names: str) -> Callable[[Arrays, np.random.Generator], None]:
    """Other values for these inputs, hardly two of them alike: PyTorch has equal ones in any order."""

    def draw(arrays: Arrays, rng: np.random.Generator) -> None:
        for name in names:
            arrays[name] = rng.standard_normal(arrays[name].shape).astype(arrays[name].dtype)

    return draw


@dataclass(frozen=True)
class Onnx:
    """The same operator in ONNX: its type, its inputs in order, its attributes, and inputs that are numbers."""

    kind: str
    inputs: tuple[str, ...]
    attributes: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One operator at one size.

    Attributes:
        spec: file below specs/; `static` replaces sizes that the file fixes, `dims` gives the dynamic ones.
        torch: the outputs in contract order, of the inputs by name.
        out: the same into tensors given by output name; None where PyTorch has no such form.
        compiled: whether torch.compile is a peer (it leaves a lone matrix product to the same library, and breaks off
            where a loop goes over run-time numbers).
        onnx: None where ONNX Runtime has no such operator.
        operations: their number by element type; none where moving the data is the limit.
        moved: bytes that must be read and written; by default those of all inputs and outputs but caches.
        inputs: changes the example inputs of the spec, where these are smaller or more regular than real ones.
        apart: largest difference from PyTorch, as a share of the largest value.
        outliers: share of an integer output that may differ more, where a peer rounds scores before it picks.
    """

    name: str
    spec: str
    dims: Dims
    torch: Callable[[Tensors], Any]
    static: Dims = field(default_factory=dict)
    out: Callable[[Tensors, Tensors], object] | None = None
    compiled: bool = True
    onnx: Onnx | None = None
    operations: Mapping[str, Work] = field(default_factory=dict)
    moved: Work | None = None
    inputs: Callable[[Arrays, np.random.Generator], None] = untouched
    apart: float = 1e-5
    outliers: float = 0.0
