"""A chip of level cluster: the Ray actor that runs its tasks.

Tensors arrive as unsigned integers with the name of their dtype beside them, because the object store shares
plain arrays without a copy and does not know bf16 or fp8. What arrives is read-only, so what a task updates, or
writes a part of, is copied, and a task can always be tried again.
"""

from __future__ import annotations

import os
import struct
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from pyptogen.layout.buffers import aligned_empty
from pyptogen.runtime.arrays.arguments import address
from pyptogen.runtime.faults import encode_fault
from pyptogen.runtime.host.python_kernels import find_function, wire_dtype


class EncodedFault(Exception):
    """What a task raised, as ``encode_fault`` writes it."""


class AttemptsSpent(Exception):
    """A task has begun as often as it may, and its process has ended each time; ``args`` has how often."""


class ClusterChip:
    """The actor. Its state is a cache only: after a restart it is as good as before."""

    def __init__(self, chip: int, threads: int, watch: Any) -> None:
        self.chip = chip
        self.threads = threads
        self._watch = watch
        self._kernels: dict[str, Callable[..., list[Any]]] = {}

    def where(self) -> tuple[str, int]:
        """The Ray node and the process that this chip is."""
        import ray

        return ray.get_runtime_context().get_node_id(), os.getpid()

    def run(self, kernel: Sequence[Any], call: Mapping[str, Any], *tensors: Any) -> Any:
        """Run a task: its outputs, then the number of this chip (a sign of success that takes no memory).

        ``kernel`` is its key and the reference of its definition. Of ``tensors``, the first are those contents
        that ``call`` says are given; the rest is what the task had to wait for. When the task takes longer than
        its timeout, this process notes that and ends, and Ray starts a new one. With ``attempts`` in ``call``, Ray
        sends the task until it has run: only what begins here counts.
        """
        attempts = call["attempts"]
        if attempts is not None:
            import ray

            begun = ray.get(self._watch.begin.remote(call["number"], uuid.uuid4().hex))
            if begun > attempts:
                self._watch.end.remote(call["number"])
                raise AttemptsSpent(attempts)
        try:
            key, definition = kernel
            if key not in self._kernels:
                import ray

                self._kernels[key] = self._load(ray.get(definition))
            with self._limit(call["number"], call["timeout"]):
                return (*self._kernels[key](call, tensors), self.chip)
        except Exception as error:
            raise EncodedFault(encode_fault(error)) from None
        finally:
            if attempts is not None:
                self._watch.end.remote(call["number"])

    @contextmanager
    def _limit(self, number: int, seconds: float | None) -> Iterator[None]:
        if seconds is None:
            yield
            return
        import ray

        # Ray may try the task again for which the former process has ended.
        if ray.get(self._watch.was_late.remote(number)):
            raise TimeoutError(f"it took longer than {seconds} s")

        def end() -> None:
            with suppress(Exception):  # without a note the task counts as lost, which ends it as well
                ray.get(self._watch.note_late.remote(number), timeout=5)
            os._exit(1)

        timer = threading.Timer(seconds, end)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _load(self, definition: Mapping[str, Any]) -> Callable[..., list[Any]]:
        if definition["form"] == "native":
            return _native(definition, self.threads)
        function = find_function(definition["module"], definition["function"], None)

        def kernel(call: Mapping[str, Any], tensors: Sequence[Any]) -> list[Any]:
            opened = _opened(call, tensors)
            names = [name for name, _ in call["named"]]
            function(**call["scalars"], **dict(zip(names, (array for array, _ in opened), strict=True)))
            return [to_wire(whole) for _, whole in opened if whole is not None]

        return kernel


class Watch:
    """An actor that remembers what chips that have ended would forget: which tasks took too long, and how often those
    have begun that may be tried again."""

    def __init__(self) -> None:
        self._late: set[int] = set()
        self._begun: dict[int, set[str]] = {}

    def begin(self, number: int, time: str) -> int:
        """Task ``number`` begins: how often it has, this time included, which has a name of its own because Ray may
        send the same call twice."""
        times = self._begun.setdefault(number, set())
        times.add(time)
        return len(times)

    def end(self, number: int) -> None:
        """It has a result, or has raised: it will not begin again."""
        self._begun.pop(number, None)

    def note_late(self, number: int) -> None:
        """Task ``number`` takes too long."""
        self._late.add(number)

    def was_late(self, number: int) -> bool:
        """Whether it did."""
        return number in self._late


def _native(definition: Mapping[str, Any], threads: int) -> Callable[..., list[Any]]:
    from pyptogen.runtime.native.binding import load_entry, shared_chip

    entry = load_entry(_library(definition["key"], definition["library"]), definition["symbol"])

    def kernel(call: Mapping[str, Any], tensors: Sequence[Any]) -> list[Any]:
        opened = _opened(call, tensors)
        pointers = [address(array) for array, _ in opened]
        packed = struct.pack(f"={len(pointers)}Q", *pointers) + call["scalars"]
        shared_chip(threads).run(entry, packed, policy=definition["policy"])
        return [to_wire(whole) for _, whole in opened if whole is not None]

    return kernel


def _library(key: str, content: bytes) -> Path:
    """The operator's shared object on this node, in the user's private cache."""
    from pyptogen.runtime.toolchain.cache import Cache

    def write(path: Path) -> None:
        path.write_bytes(content)

    return Cache().file("cluster", key, ".so", write)


def to_wire(array: Any) -> Any:
    """An array as unsigned integers, without a copy; what the object store takes."""
    plain = np.ascontiguousarray(array)
    return plain.view(np.dtype(f"u{plain.dtype.itemsize}")) if plain.dtype.itemsize <= 8 else plain


def from_wire(array: Any, dtype: np.dtype[Any]) -> Any:
    """The array that ``to_wire`` saw."""
    return array.view(dtype)


def _opened(call: Mapping[str, Any], tensors: Sequence[Any]) -> list[tuple[Any, Any]]:
    """For each tensor of a task, in order: the array that its kernel gets, and the new content when it writes it."""
    given = iter(tensors)
    return [_open(tensor, next(given) if tensor["given"] else None) for _, tensor in call["named"]]


def _open(tensor: Mapping[str, Any], content: Any) -> tuple[Any, Any]:
    dtype = wire_dtype(tensor["dtype"])
    if tensor["shape"] is None:
        return from_wire(content, dtype), None
    if tensor["writes"]:
        # What has arrived belongs to everybody.
        whole = aligned_empty((tensor["size"],), dtype)
        if content is not None:
            whole[...] = from_wire(content, dtype).reshape(-1)
    else:
        whole = from_wire(content, dtype).reshape(-1)
    part = whole if tensor["span"] is None else whole[slice(*tensor["span"])]
    return part.reshape(tensor["shape"]), whole if tensor["writes"] else None
