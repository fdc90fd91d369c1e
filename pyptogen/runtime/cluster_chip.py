"""A chip of level cluster: the Ray actor that runs its tasks.

Tensors arrive as unsigned integers with the name of their dtype beside them, because the object store shares
plain arrays without a copy and does not know bf16 or fp8. What arrives is read-only, so what a task updates
in place is copied, and a task can always be tried again.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pyptogen.runtime.arguments import address
from pyptogen.runtime.buffers import aligned_empty
from pyptogen.runtime.faults import encode_fault
from pyptogen.runtime.python_kernels import find_function, wire_dtype


class EncodedFault(Exception):
    """What a task raised, as ``encode_fault`` writes it."""


class ClusterChip:
    """The actor. Its state is a cache only: after a restart it is as good as before."""

    def __init__(self, chip: int, threads: int) -> None:
        self.chip = chip
        self.threads = threads
        self._kernels: dict[str, Callable[..., list[Any]]] = {}

    def where(self) -> tuple[str, int]:
        """The Ray node and the process that this chip is."""
        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()

    def run(self, kernel: Sequence[Any], call: Mapping[str, Any], *tensors: Any) -> Any:
        """Run a task: its outputs, then the number of this chip (a sign of success that takes no memory).

        ``kernel`` is its key and the reference of its definition. Of ``tensors``, the first are the inputs;
        the rest is what the task had to wait for.
        """
        try:
            key, definition = kernel
            if key not in self._kernels:
                import ray

                self._kernels[key] = self._load(ray.get(definition))
            return (*self._kernels[key](call, tensors), self.chip)
        except Exception as error:
            raise EncodedFault(encode_fault(error)) from None

    def _load(self, definition: Mapping[str, Any]) -> Callable[..., list[Any]]:
        if definition["form"] == "native":
            return _native(definition, self.threads)
        function = find_function(definition["module"], definition["function"], None)

        def kernel(call: Mapping[str, Any], tensors: Sequence[Any]) -> list[Any]:
            inputs = iter(tensors)
            given = dict(call["scalars"])
            outputs = []
            for name, tensor in call["tensors"].items():
                array = _fresh(tensor) if not tensor["reads"] else _seen(next(inputs), tensor)
                if tensor["writes"]:
                    array = array.copy() if tensor["reads"] else array
                    outputs.append(array)
                given[name] = array
            function(**given)
            return [to_wire(array) for array in outputs]

        return kernel


def _native(definition: Mapping[str, Any], threads: int) -> Callable[..., list[Any]]:
    from pyptogen.runtime.native import load_entry, shared_chip

    entry = load_entry(_library(definition["key"], definition["library"]), definition["symbol"])

    def kernel(call: Mapping[str, Any], tensors: Sequence[Any]) -> list[Any]:
        inputs = [_seen(array, tensor) for array, tensor in zip(tensors, call["inputs"], strict=False)]
        for number in call["updated"]:
            copy = aligned_empty(inputs[number].shape, inputs[number].dtype)
            copy[...] = inputs[number]
            inputs[number] = copy
        fresh = [_fresh(tensor) for tensor in call["fresh"]]
        pointers = [address(array) for array in (*inputs, *fresh)]
        packed = struct.pack(f"={len(pointers)}Q", *pointers) + call["scalars"]
        shared_chip(threads).run(entry, packed, policy=definition["policy"])
        return [to_wire(array) for array in (*(inputs[number] for number in call["updated"]), *fresh)]

    return kernel


def _library(key: str, content: bytes) -> Path:
    """The operator's shared object on this node, in the user's private cache."""
    from pyptogen.runtime.cache import Cache

    def write(path: Path) -> None:
        path.write_bytes(content)

    return Cache().file("cluster", key, ".so", write)


def to_wire(array: Any) -> Any:
    """An array as unsigned integers, without a copy; what the object store takes."""
    plain = np.ascontiguousarray(array)
    return plain.view(np.dtype(f"u{plain.dtype.itemsize}")) if plain.dtype.itemsize <= 8 else plain


def from_wire(array: Any, dtype: np.dtype[Any], rows: tuple[int, int] | None = None) -> Any:
    """The array that ``to_wire`` saw, or some of its rows."""
    seen = array.view(dtype)
    return seen if rows is None else seen[rows[0] : rows[1]]


def _seen(array: Any, tensor: Mapping[str, Any]) -> Any:
    seen = from_wire(array, wire_dtype(tensor["dtype"]), tensor["rows"])
    return seen if tensor["shape"] is None else seen.reshape(tensor["shape"])


def _fresh(tensor: Mapping[str, Any]) -> Any:
    return aligned_empty(tuple(tensor["shape"]), wire_dtype(tensor["dtype"]))
