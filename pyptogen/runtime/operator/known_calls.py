"""Calls whose shapes have been seen, started by ``native/array_calls.cpp``.

Checking a call in Python takes tens of microseconds, and says for the same shapes what it said before. Here two native
calls look at the arrays as they lie in memory; whatever is not exactly what was seen goes the long way.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import math
import struct
import sys
import sysconfig
import threading
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from pyptogen.layout.buffers import ALIGNMENT
from pyptogen.layout.exchange import exchanged, tensor_reader
from pyptogen.layout.packing import PackedWeight
from pyptogen.runtime.native.binding import POLICIES, WrongIndexError, run_error, scheduler, shared_chip
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import TensorArg
from pyptogen.runtime.operator.indices import simple_bounds, wrong_index

_OBJECT_HEAD = object.__basicsize__
_TUPLE_HEAD = tuple.__basicsize__
_MOST_CALLS = 4096
_FAILED = -2
"""As ``array_calls.cpp`` says it."""
_tuple, _BYTE = tuple.__new__, np.dtype(np.uint8)


class _Rule(ctypes.Structure):
    """The ``ArrayRule`` of ``array_view.hpp``."""

    _fields_ = (
        ("dtype", ctypes.c_void_p),
        ("itemsize", ctypes.c_int64),
        ("rank", ctypes.c_int32),
        ("form", ctypes.c_int32),
        ("updated", ctypes.c_int32),
        ("exchanged", ctypes.c_int32),
    )


@functools.cache
def _library() -> ctypes.PyDLL | None:
    """The native part, whose functions run with the interpreter lock; None where it does not read the arrays of this
    Python and this numpy."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    library = ctypes.PyDLL(str(scheduler()))
    pointer, whole, int_, thing, bits = (
        ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.py_object, ctypes.c_char_p,
    )  # fmt: skip
    rules = ctypes.POINTER(_Rule)
    for name, result, arguments in (
        (
            "define",
            pointer,
            [whole, int_, whole, whole, pointer, rules, int_, int_, int_, int_, pointer, int_, pointer],
        ),
        ("destroy", None, [pointer]),
        ("find", whole, [pointer, thing, bits]),
        ("learn", whole, [pointer, thing, bits, pointer, int_, pointer, pointer]),
        ("forget", None, [pointer]),
        ("make", int_, [pointer, pointer, pointer, whole]),
        ("new", thing, [rules, whole, pointer, pointer]),
        ("into", whole, [pointer, pointer, thing, thing, bits]),
        ("run", thing, [pointer, pointer, thing, bits]),
        ("message", bits, [pointer]),
        ("read", int_, [whole, whole, pointer, thing, rules, pointer]),
        ("exchange", int_, [pointer, pointer]),
    ):
        function = getattr(library, f"pto_arrays_{name}")
        function.restype, function.argtypes = result, arguments
    return library if _reads_arrays(library) and _makes_arrays(library) else None


def _reads_arrays(library: ctypes.PyDLL) -> bool:
    """Whether the native part finds in an array what numpy says."""
    probe = np.zeros((5, 6, 7), np.int16)[:, 1::2]
    address = probe.__array_interface__["data"][0]
    return _read(library, probe, probe.dtype) == [address, 3, 0, 1, *probe.shape, *probe.strides]


def _makes_arrays(library: ctypes.PyDLL) -> bool:
    """Whether arrays that the native part makes are as they should be."""
    home = "numpy._core" if np.__version__ >= "2" else "numpy.core"
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    numpy_core = importlib.import_module(f"{home}._multiarray_umath")
    if not library.pto_arrays_make(get(numpy_core._ARRAY_API, None), id(np.ndarray), id(_BYTE), _OBJECT_HEAD):
        return False
    dtype = np.dtype(np.int16)
    for strides in (None, (2, 64, 8)):
        sizes = _numbers((4, 3, 8))
        made = library.pto_arrays_new(
            _Rule(id(dtype), 2, 3, 0, 0, 0), 512, sizes, None if strides is None else _numbers(strides)
        )
        is_such = type(made) is np.ndarray and made.shape == (4, 3, 8) and made.dtype is dtype
        lies = made.strides == (strides or (48, 16, 2)) and made.__array_interface__["data"][0] % ALIGNMENT == 0
        owner = made.base
        if not (is_such and lies and made.flags.writeable and type(owner) is np.ndarray and owner.nbytes == 512):
            return False
    return True


def _read(library: ctypes.PyDLL, thing: Any, dtype: np.dtype[Any]) -> list[int] | None:
    """What the native part finds in an array or a tensor of three axes."""
    rule = _Rule(id(dtype), dtype.itemsize, 3, 0, 0, exchanged(dtype))
    found = (ctypes.c_int64 * 10)()
    read = library.pto_arrays_read(_OBJECT_HEAD, _TUPLE_HEAD, id(np.ndarray), (thing,), rule, found)
    return list(found) if read else None


@functools.cache
def read_tensors() -> None:
    """Let the native part read torch's tensors, too, where it finds in them what torch says."""
    library, torch = _library(), sys.modules["torch"]
    if library is None:
        return
    for kind in (torch.Tensor, torch.nn.Parameter):
        read = tensor_reader(kind)
        if read is None or not library.pto_arrays_exchange(id(kind), read):
            return
    probe = torch.zeros((5, 6, 7), dtype=torch.int16)[:, 1::2]
    strides = [2 * step for step in probe.stride()]
    if _read(library, probe, np.dtype(np.int16)) != [probe.data_ptr(), 3, 0, 1, *probe.shape, *strides]:
        for kind in (torch.Tensor, torch.nn.Parameter):
            library.pto_arrays_exchange(id(kind), None)


class KnownCalls:
    """Those of one operator. ``take`` answers a call, or says that it is not known; ``learn`` is told of one that went
    the long way. ``entry`` is 0 for an operator without native code."""

    def __init__(self, rules: CallRules, entry: int, threads: int, target: str, results: type[Any]) -> None:
        contract = rules.contract
        self._threads, self._target, self._results = threads, target, results
        self.seconds = ctypes.c_double()
        self._lock = threading.Lock()
        self._handle: int | None = None
        inplace = contract.inplace
        self._fresh = [(i, tensor) for i, tensor in enumerate(contract.outputs) if tensor.name not in inplace]
        written = [tensor for _, tensor in self._fresh]
        updated = frozenset(inplace.values())
        bounds = simple_bounds(rules)
        if not entry or bounds is None or any(tensor.layout == "nz" for tensor in written) or not contract.inputs:
            return
        library = _library()
        if library is None:
            return
        self._rules, self._bounds = rules, bounds
        self._library, self._find = library, library.pto_arrays_find
        self._run, self._into = library.pto_arrays_run, library.pto_arrays_into
        tensors = [*contract.inputs, *written]
        self._dtypes = [tensor.dtype for tensor in tensors]  # native code knows them by their addresses
        given = (_Rule * len(tensors))(*(_rule(tensor, tensor.name in updated) for tensor in tensors))
        indices = (ctypes.c_int32 * max(len(bounds), 1))(*(bound.input for bound in bounds))
        self._weights = [(i, tensor.dtype) for i, tensor in enumerate(contract.inputs) if tensor.layout == "nz"]
        self._shapes: dict[tuple[tuple[int, ...], ...], bytes] = {}
        """A number for the shapes of all packed weights of a call, which their data does not tell."""
        self._handle = library.pto_arrays_define(
            entry, POLICIES[rules.policy], _OBJECT_HEAD, _TUPLE_HEAD, id(np.ndarray), given, len(contract.inputs),
            len(self._fresh), len(contract.attrs), len(contract.attrs) + bool(self._weights), indices, len(bounds),
            ctypes.addressof(self.seconds),
        )  # fmt: skip
        names = [tensor.name for tensor in contract.inputs]
        self._inputs = _in_order(names)
        self._outputs = _in_order([tensor.name for tensor in written])
        self._count = len(names)
        self._attrs = contract.attrs
        self._packing = struct.Struct("=" + "".join("d" if attr.is_float else "q" for attr in contract.attrs))
        whole = all(attr.default is not None for attr in contract.attrs)
        self._usual = contract.bind_attrs({}) if whole else None
        self._usual_bytes = self._packing.pack(*self._usual) if self._usual is not None else None
        fresh = [tensor.name for tensor in written]
        places = [
            len(fresh) + names.index(inplace[tensor.name]) if tensor.name in inplace else fresh.index(tensor.name)
            for tensor in contract.outputs
        ]
        self._ordered = _in_order(places)
        """The results in the order of the contract, of the new ones and all inputs."""
        self._bare = not inplace
        self._made: list[tuple[int, ...]] = []
        """The dims of each known call."""
        self._extents = contract.output_extents

    @property
    def learns(self) -> bool:
        """Whether any call of this operator can be known."""
        return self._handle is not None

    def take(self, arguments: Mapping[str, Any], out: Mapping[str, Any] | None) -> Any:
        """The results of a call, None where it has to go the long way. Raises ``RunError`` when a kernel fails, and
        ``DiagnosticError`` (PTG408) for an index that it computed."""
        handle = self._handle
        if handle is None:
            return None
        bits = self._usual_bytes if len(arguments) == self._count else self._given_attrs(arguments)
        if bits is None:
            return None
        try:
            given = inputs = self._inputs(arguments)
        except KeyError:
            return None
        if self._weights:
            unpacked = self._unpacked(inputs)
            if unpacked is None:
                return None
            inputs, shapes = unpacked
            bits += shapes
        results: Any
        if out is None:
            results = self._run(handle, shared_chip(self._threads).handle, inputs, bits)
            if type(results) is int:
                return self._went_wrong(results, inputs, bits)
        else:
            if type(out) is not dict or len(out) != len(self._fresh):
                return None
            try:
                results = self._outputs(out)
            except KeyError:
                return None
            status = self._into(handle, shared_chip(self._threads).handle, inputs, results, bits)
            if status:
                return self._went_wrong(status, inputs, bits)
        return _tuple(self._results, results if self._bare else self._ordered((*results, *given)))

    def _unpacked(self, inputs: tuple[Any, ...]) -> tuple[tuple[Any, ...], bytes] | None:
        """The arrays of a call with packed weights, and a number for the shapes; None where Python has to look."""
        arrays, shapes = list(inputs), []
        for at, dtype in self._weights:
            weight = arrays[at]
            if type(weight) is not PackedWeight or weight.target != self._target or weight.dtype is not dtype:
                return None
            arrays[at] = weight.data
            shapes.append(weight.shape)
        number = self._shapes.get(tuple(shapes))
        return None if number is None else (tuple(arrays), number)

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

    def _went_wrong(self, status: int, inputs: tuple[Any, ...], bits: bytes) -> None:
        """None for a call that has to go the long way. Raises what ``take`` raises for one that failed."""
        if status != _FAILED:
            return
        error = run_error(self._library.pto_arrays_message(self._handle).decode(errors="replace"))
        number = self._find(self._handle, inputs, bits)
        if isinstance(error, WrongIndexError) and 0 <= number < len(self._made):
            contract = self._rules.contract
            raise wrong_index(error, self._rules.indices, self._made[number], contract.name) from None
        raise error

    def learn(self, arguments: Mapping[str, Any], dims: tuple[int, ...], scalars: Sequence[float | int]) -> None:
        """A call that went well the long way: what its shapes mean, if native code may read them."""
        bits = self._usual_bytes if len(arguments) == self._count else self._given_attrs(arguments)
        if bits is None or bits != self._packing.pack(*scalars):
            return
        extents = self._extents(*dims)
        made = [_new_output(tensor, extents[i]) for i, tensor in self._fresh]
        if any(0 in shape for shape, _, _ in made):
            return
        plans = [number for shape, room, steps in made for number in (room, *shape, *(steps or ()))]
        bounds = [number for bound in self._bounds for number in bound.numbers(dims)]
        with self._lock:
            if len(self._made) >= _MOST_CALLS:
                self._library.pto_arrays_forget(self._handle)
                self._made = []
            inputs = self._inputs(arguments)
            if self._weights:
                weights = tuple(inputs[at].shape for at, _ in self._weights if isinstance(inputs[at], PackedWeight))
                if len(self._shapes) < _MOST_CALLS:
                    self._shapes.setdefault(weights, struct.pack("=q", len(self._shapes)))
                unpacked = self._unpacked(inputs)
                if unpacked is None:
                    return
                inputs, bits = unpacked[0], bits + unpacked[1]
            number = self._library.pto_arrays_learn(
                self._handle, inputs, bits, _numbers(dims), len(dims), _numbers(plans), _numbers(bounds)
            )
            if number >= 0:
                self._made.append(dims)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self._library.pto_arrays_destroy(self._handle)


def _in_order(names: Sequence[str | int]) -> Callable[[Any], tuple[Any, ...]]:
    """The values of these names or places, as a tuple."""
    if not names:
        return lambda given: ()
    getter = itemgetter(*names)
    return getter if len(names) > 1 else lambda given: (getter(given),)


_ROWS, _STRIDED, _COLUMNS = range(3)
"""``ArrayForm`` of ``array_view.hpp``."""


def _rule(tensor: TensorArg, updated: bool) -> _Rule:
    """A packed weight is read as its data, which has one axis."""
    rank = 1 if tensor.layout == "nz" else len(tensor.shape)
    dtype = tensor.dtype
    form = _STRIDED if tensor.strides else _COLUMNS if tensor.layout == "dn" else _ROWS
    return _Rule(id(dtype), dtype.itemsize, rank, form, updated, exchanged(dtype))


def _new_output(tensor: TensorArg, extents: tuple[int, ...]) -> tuple[tuple[int, ...], int, tuple[int, ...] | None]:
    """Of an output of these extents the shape, how many bytes to get for it, and its strides in bytes where its rows do
    not lie one after the other."""
    rank, size = len(tensor.shape), tensor.dtype.itemsize
    shape = extents[:rank]
    if tensor.strides:
        steps = tuple(step * size for step in extents[rank:])
        last = sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
        return shape, last + size + ALIGNMENT, steps
    room = size * math.prod(shape) + ALIGNMENT
    if tensor.layout != "dn":
        return shape, room, None
    *several, rows, _ = shape
    steps, step = (size, size * rows), size * math.prod(shape[-2:])
    for one in reversed(several):
        steps, step = (step, *steps), step * one
    return shape, room, steps


def _numbers(values: Any) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
