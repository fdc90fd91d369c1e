"""Calls whose shapes have been seen, started by ``native/array_calls.cpp``.

Checking a call in Python takes tens of microseconds, and says for the same shapes what it said before. Here two native
calls look at the arrays as they lie in memory; whatever is not exactly what was seen goes the long way.
"""

from __future__ import annotations

import ctypes
import functools
import struct
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from pyptogen.layout.buffers import ALIGNMENT
from pyptogen.runtime.native.binding import POLICIES, RunError, scheduler, shared_chip
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import TensorArg

_OBJECT_HEAD = object.__basicsize__
_TUPLE_HEAD = tuple.__basicsize__
_MOST_CALLS = 4096
_MOST_OUTPUTS = 10
"""How many numbers of six bits a result of ``pto_arrays_run`` holds."""
_FAILED = -2
_empty, _array, _BYTE = np.empty, np.ndarray, np.dtype(np.uint8)


class _Tensor(ctypes.Structure):
    """The ``Tensor`` of ``array_calls.cpp``."""

    _fields_ = (
        ("dtype", ctypes.c_void_p),
        ("itemsize", ctypes.c_int64),
        ("rank", ctypes.c_int32),
        ("strided", ctypes.c_int32),
        ("updated", ctypes.c_int32),
    )


@functools.cache
def _library() -> ctypes.PyDLL | None:
    """The native part, whose functions run with the interpreter lock; None where it does not read the arrays of this
    Python and this numpy."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    library = ctypes.PyDLL(str(scheduler()))
    pointer, whole, int_, thing = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.py_object
    library.pto_arrays_define.argtypes = [
        whole, int_, whole, whole, pointer, ctypes.POINTER(_Tensor), int_, int_, int_, pointer,
    ]  # fmt: skip
    library.pto_arrays_define.restype = pointer
    library.pto_arrays_destroy.argtypes = [pointer]
    library.pto_arrays_destroy.restype = None
    library.pto_arrays_find.argtypes = [pointer, thing, ctypes.c_char_p]
    library.pto_arrays_find.restype = whole
    library.pto_arrays_learn.argtypes = [pointer, thing, ctypes.c_char_p, pointer, int_, pointer, int_]
    library.pto_arrays_learn.restype = whole
    library.pto_arrays_forget.argtypes = [pointer]
    library.pto_arrays_forget.restype = None
    library.pto_arrays_run.argtypes = [pointer, pointer, whole, thing, thing, int_, ctypes.c_char_p]
    library.pto_arrays_run.restype = whole
    library.pto_arrays_message.argtypes = [pointer]
    library.pto_arrays_message.restype = ctypes.c_char_p
    library.pto_arrays_read.argtypes = [whole, whole, thing, pointer]
    library.pto_arrays_read.restype = None
    return library if _reads_arrays(library) else None


def _reads_arrays(library: ctypes.PyDLL) -> bool:
    """Whether the native part finds in an array what numpy says."""
    probe = np.zeros((5, 6, 7), np.int16)[:, 1::2]
    found = (ctypes.c_int64 * 10)()
    library.pto_arrays_read(_OBJECT_HEAD, _TUPLE_HEAD, (probe,), found)
    address = probe.__array_interface__["data"][0]
    told = [address, 3, probe.flags.num, id(probe.dtype), *probe.shape, *probe.strides]
    return list(found) == told


class KnownCalls:
    """Those of one operator. ``take`` answers a call, or says that it is not known; ``learn`` is told of one that went
    the long way. ``entry`` is 0 for an operator without native code."""

    def __init__(self, rules: CallRules, entry: int, threads: int, results: Callable[..., Any]) -> None:
        contract = rules.contract
        self._threads, self._results = threads, results
        self.seconds = ctypes.c_double()
        self._lock = threading.Lock()
        self._handle: int | None = None
        inplace = contract.inplace
        self._fresh = [(i, tensor) for i, tensor in enumerate(contract.outputs) if tensor.name not in inplace]
        plain = all(tensor.layout == "nd" and tensor.packed is None for tensor in (*contract.inputs, *contract.outputs))
        laid = not any(tensor.strides for _, tensor in self._fresh)
        if (
            not entry
            or rules.indices
            or not plain
            or not laid
            or not contract.inputs
            or len(self._fresh) > _MOST_OUTPUTS
        ):
            return
        library = _library()
        if library is None:
            return
        self._library, self._find, self._run = library, library.pto_arrays_find, library.pto_arrays_run
        tensors = [*contract.inputs, *(tensor for _, tensor in self._fresh)]
        updated = frozenset(inplace.values())
        self._dtypes = [tensor.dtype for tensor in tensors]  # native code knows them by their addresses
        given = (_Tensor * len(tensors))(*(_rule(tensor, tensor.name in updated) for tensor in tensors))
        self._handle = library.pto_arrays_define(
            entry, POLICIES[rules.policy], _OBJECT_HEAD, _TUPLE_HEAD, id(np.ndarray), given, len(contract.inputs),
            len(self._fresh), len(contract.attrs), ctypes.addressof(self.seconds),
        )  # fmt: skip
        names = [tensor.name for tensor in contract.inputs]
        self._inputs = _in_order(names)
        self._outputs = _in_order([tensor.name for _, tensor in self._fresh])
        self._count = len(names)
        self._attrs = contract.attrs
        self._packing = struct.Struct("=" + "".join("d" if attr.is_float else "q" for attr in contract.attrs))
        whole = all(attr.default is not None for attr in contract.attrs)
        self._usual = contract.bind_attrs({}) if whole else None
        self._usual_bytes = self._packing.pack(*self._usual) if self._usual is not None else None
        self._places = [
            (True, [one.name for _, one in self._fresh].index(tensor.name))
            if tensor.name not in inplace
            else (False, names.index(inplace[tensor.name]))
            for tensor in contract.outputs
        ]
        self._bare = all(is_fresh for is_fresh, _ in self._places)
        self._alone = self._bare and len(self._places) == 1
        self._made: list[tuple[tuple[tuple[int, ...], Any, int], ...]] = []
        self._extents = contract.output_extents

    @property
    def learns(self) -> bool:
        """Whether any call of this operator can be known."""
        return self._handle is not None

    def take(self, arguments: Mapping[str, Any], out: Mapping[str, Any] | None) -> Any:
        """The results of a call, None where it has to go the long way. Raises ``RunError`` when a kernel fails."""
        handle = self._handle
        if handle is None:
            return None
        attrs = self._usual_bytes if len(arguments) == self._count else self._given_attrs(arguments)
        if attrs is None:
            return None
        try:
            inputs = self._inputs(arguments)
        except KeyError:
            return None
        number = self._find(handle, inputs, attrs)
        if not 0 <= number < len(self._made):
            return None
        if out is None and self._alone:
            ((shape, dtype, size),) = self._made[number]
            memory = _empty(size, _BYTE)
            before = self._run(handle, shared_chip(self._threads).handle, number, inputs, (memory,), 1, attrs)
            return self._results(_array(shape, dtype, memory, before)) if before >= 0 else self._went_wrong(before)
        if out is None:
            made = self._made[number]
            room = tuple([_empty(size, _BYTE) for _, _, size in made])
            before = self._run(handle, shared_chip(self._threads).handle, number, inputs, room, 1, attrs)
            if before < 0:
                return self._went_wrong(before)
            results: Any = [
                _array(shape, dtype, memory, before >> 6 * i & 63)
                for i, ((shape, dtype, _), memory) in enumerate(zip(made, room))  # noqa: B905
            ]
        else:
            if type(out) is not dict or len(out) != len(self._fresh):
                return None
            try:
                results = self._outputs(out)
            except KeyError:
                return None
            before = self._run(handle, shared_chip(self._threads).handle, number, inputs, results, 0, attrs)
            if before < 0:
                return self._went_wrong(before)
        if self._bare:
            return self._results(*results)
        return self._results(*[results[at] if is_fresh else inputs[at] for is_fresh, at in self._places])

    def _given_attrs(self, arguments: Mapping[str, Any]) -> bytes | None:
        """The bits of attrs of which some are given; None for what Python has to look at."""
        values = []
        for attr in self._attrs:
            value = arguments.get(attr.name, attr.default)
            if type(value) is not (float if attr.is_float else int):
                return None
            values.append(value)
        if len(arguments) - self._count != sum(attr.name in arguments for attr in self._attrs):
            return None
        try:
            return self._packing.pack(*values)
        except struct.error:
            return None

    def _went_wrong(self, status: int) -> None:
        """None for a call that has to go the long way. Raises ``RunError`` for one that failed."""
        if status == _FAILED:
            raise RunError(self._library.pto_arrays_message(self._handle).decode(errors="replace"))

    def learn(self, arguments: Mapping[str, Any], dims: tuple[int, ...], scalars: Sequence[float | int]) -> None:
        """A call that went well the long way: what its shapes mean, if native code may read them."""
        attrs = self._usual_bytes if len(arguments) == self._count else self._given_attrs(arguments)
        if attrs is None or attrs != self._packing.pack(*scalars):
            return
        extents = self._extents(*dims)
        shapes = [extents[i] for i, _ in self._fresh]
        if any(0 in shape for shape in shapes):
            return
        sizes = [size for shape in shapes for size in shape]
        room = [_bytes(shape, tensor) for shape, (_, tensor) in zip(shapes, self._fresh, strict=True)]
        made = zip(shapes, (tensor.dtype for _, tensor in self._fresh), room, strict=True)
        with self._lock:
            if len(self._made) >= _MOST_CALLS:
                self._library.pto_arrays_forget(self._handle)
                self._made = []
            inputs = self._inputs(arguments)
            number = self._library.pto_arrays_learn(
                self._handle, inputs, attrs, _numbers(dims), len(dims), _numbers(sizes), len(sizes)
            )
            if number >= 0:
                self._made.append(tuple(made))

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._library.pto_arrays_destroy(self._handle)


def _in_order(names: list[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """The values of these names, as a tuple."""
    if not names:
        return lambda given: ()
    getter = itemgetter(*names)
    return getter if len(names) > 1 else lambda given: (getter(given),)


def _rule(tensor: TensorArg, updated: bool) -> _Tensor:
    return _Tensor(id(tensor.dtype), tensor.dtype.itemsize, len(tensor.shape), bool(tensor.strides), updated)


def _bytes(shape: tuple[int, ...], tensor: TensorArg) -> int:
    size = tensor.dtype.itemsize
    for one in shape:
        size *= one
    return size + ALIGNMENT


def _numbers(values: Any) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
