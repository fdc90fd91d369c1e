"""Calls whose shapes have been seen, started by ``native/array_calls.cpp``.

Checking a call in Python takes tens of microseconds, and says for the same shapes what it said before. Here a function
in C++ looks at the arrays as they lie in memory; whatever is not exactly what was seen goes the long way.
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
from typing import Any

import numpy as np

from pyptogen.layout.buffers import ALIGNMENT
from pyptogen.layout.exchange import exchanged, tensor_reader
from pyptogen.layout.packing import PackedWeight, fractal_numbers, packed_size
from pyptogen.runtime.native.binding import POLICIES, RunError, WrongIndexError, run_error, scheduler
from pyptogen.runtime.operator.attrs import AttrArg
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import TensorArg
from pyptogen.runtime.operator.index_plans import native_bounds
from pyptogen.runtime.operator.indices import wrong_index

_MOST_CALLS = 4096
_BYTE = np.dtype(np.uint8)

Take = Callable[[dict[str, Any], "dict[str, Any] | None"], Any]
"""A call by its arguments and ``out``: its results, None where it has to go the long way. Raises ``RunError`` when a
kernel fails."""


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


class AttrRule(ctypes.Structure):
    """The ``pto_attr_rule`` of ``array_calls.cpp``, and the ``Attr`` of ``torch/native/operators.cpp``."""

    _fields_ = (("floating", ctypes.c_int32), ("has_default", ctypes.c_int32), ("usual", ctypes.c_int64))

    @classmethod
    def of(cls, attr: AttrArg) -> AttrRule:
        """What native code knows of an attr."""
        bits = struct.pack("=d" if attr.is_float else "=q", attr.default or 0)
        return cls(attr.is_float, attr.default is not None, *struct.unpack("=q", bits))


class _Names(ctypes.Structure):
    """The ``pto_array_names`` of ``array_calls.cpp``."""

    _fields_ = tuple(
        (name, ctypes.py_object)
        for name in (
            "inputs", "attrs", "outputs", "results", "failure", "weight", "target",
            "layout", "data", "shape", "dtype", "weight_target",
        )
    )  # fmt: skip


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
        ("load", int_, [whole, pointer, pointer, pointer]),
        (
            "define",
            thing,
            [
                *(
                    whole,
                    int_,
                    int_,
                    pointer,
                    rules,
                    int_,
                    int_,
                    ctypes.POINTER(AttrRule),
                    int_,
                    pointer,
                ),
                *(int_, ctypes.POINTER(_Names), pointer, ctypes.POINTER(pointer)),
            ],
        ),
        ("find", whole, [pointer, thing]),
        ("learn", whole, [pointer, thing, bits, pointer, int_, pointer, pointer, int_]),
        ("forget", None, [pointer]),
        ("new", thing, [rules, whole, pointer, pointer]),
        ("read", int_, [pointer, thing, rules, pointer]),
        ("exchange", int_, [pointer, pointer]),
    ):
        function = getattr(library, f"pto_arrays_{name}")
        function.restype, function.argtypes = result, arguments
    return library if _loaded(library) and _reads_arrays(library) and _makes_arrays(library) else None


def _loaded(library: ctypes.PyDLL) -> bool:
    """Tells the native part what it needs of Python and numpy."""
    home = "numpy._core" if np.__version__ >= "2" else "numpy.core"
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = get(importlib.import_module(f"{home}._multiarray_umath")._ARRAY_API, None)
    return bool(library.pto_arrays_load(object.__basicsize__, id(np.ndarray), table, id(_BYTE)))


def _reads_arrays(library: ctypes.PyDLL) -> bool:
    """Whether the native part finds in an array what numpy says."""
    probe = np.zeros((5, 6, 7), np.int16)[:, 1::2]
    address = probe.__array_interface__["data"][0]
    return _read(library, probe, probe.dtype) == [address, 3, 0, 1, *probe.shape, *probe.strides]


def _makes_arrays(library: ctypes.PyDLL) -> bool:
    """Whether arrays that the native part makes are as they should be."""
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
    read = library.pto_arrays_read(id(np.ndarray), thing, rule, found)
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
        self.seconds = ctypes.c_double()
        self.take: Take = lambda arguments, out: None
        self._lock = threading.Lock()
        self._handle: int | None = None
        inplace = contract.inplace
        self._fresh = [(i, tensor) for i, tensor in enumerate(contract.outputs) if tensor.name not in inplace]
        written = [tensor for _, tensor in self._fresh]
        bounds = native_bounds(rules)
        if not entry or bounds is None or not contract.inputs:
            return
        library = _library()
        if library is None:
            return
        self._rules, self._bounds, self._library, self._target = rules, bounds, library, target
        self._packing = struct.Struct("=" + "".join("d" if attr.is_float else "q" for attr in contract.attrs))
        self._made: list[tuple[int, ...]] = []
        """The dims of each known call."""
        self._extents = contract.output_extents
        updated = frozenset(inplace.values())
        tensors = [*contract.inputs, *written]
        self._dtypes = [tensor.dtype for tensor in tensors]  # native code knows them by their addresses
        given = (_Rule * len(tensors))(*(_rule(tensor, tensor.name in updated) for tensor in tensors))
        names, fresh = [tensor.name for tensor in contract.inputs], [tensor.name for tensor in written]
        places = (ctypes.c_int32 * max(len(contract.outputs), 1))(
            *(
                len(fresh) + names.index(inplace[tensor.name]) if tensor.name in inplace else fresh.index(tensor.name)
                for tensor in contract.outputs
            )
        )
        attrs = (AttrRule * max(len(contract.attrs), 1))(*map(AttrRule.of, contract.attrs))
        own = _Names(
            (*names,), tuple(attr.name for attr in contract.attrs), (*fresh,), results, RunError, PackedWeight, target,
            "nz", "data", "shape", "dtype", "target",
        )  # fmt: skip
        handle = ctypes.c_void_p()
        self.take = library.pto_arrays_define(
            entry, POLICIES[rules.policy], threads, id(np.ndarray), given, len(names), len(fresh), attrs,
            len(contract.attrs), places, len(contract.outputs), own,
            ctypes.addressof(self.seconds), handle,
        )  # fmt: skip
        self._handle = handle.value

    @property
    def learns(self) -> bool:
        """Whether any call of this operator can be known."""
        return self._handle is not None

    def explained(self, error: RunError, arguments: Mapping[str, Any]) -> Exception:
        """What a run that failed in ``take`` is told as: PTG408 for an index that a kernel computed."""
        error = run_error(str(error))
        number = self._library.pto_arrays_find(self._handle, arguments)
        if isinstance(error, WrongIndexError) and 0 <= number < len(self._made):
            rules = self._rules
            return wrong_index(error, rules.indices, self._made[number], rules.contract.name)
        return error

    def learn(self, arguments: Mapping[str, Any], dims: tuple[int, ...], scalars: Sequence[float | int]) -> None:
        """A call that went well the long way: what its shapes mean, if native code may read them."""
        extents = self._extents(*dims)
        if any(0 in extents[i][: len(tensor.shape)] for i, tensor in self._fresh):
            return
        plans = [number for i, tensor in self._fresh for number in _new_output(tensor, extents[i], self._target)]
        shapes = self._rules.contract.input_extents(*dims)
        bounds = [number for bound in self._bounds for number in bound.numbers(dims, shapes)]
        with self._lock:
            if len(self._made) >= _MOST_CALLS:
                self._library.pto_arrays_forget(self._handle)
                self._made = []
            number = self._library.pto_arrays_learn(
                self._handle, dict(arguments), self._packing.pack(*scalars), _numbers(dims), len(dims), _numbers(plans),
                _numbers(bounds), len(self._bounds),
            )  # fmt: skip
            if number >= 0:
                self._made.append(dims)


_ROWS, _STRIDED, _COLUMNS, _PACKED = range(4)
"""``ArrayForm`` of ``array_view.hpp``."""


def _rule(tensor: TensorArg, updated: bool) -> _Rule:
    """A packed weight is read as its data, which has one axis."""
    rank = 1 if tensor.layout == "nz" else len(tensor.shape)
    dtype = tensor.dtype
    form = _STRIDED if tensor.strides else {"nd": _ROWS, "dn": _COLUMNS, "nz": _PACKED}[tensor.layout]
    return _Rule(id(dtype), dtype.itemsize, rank, form, updated, exchanged(dtype))


def _new_output(tensor: TensorArg, extents: tuple[int, ...], target: str) -> tuple[int, ...]:
    """Of an output of these extents how many bytes to get for it, its shape, and its strides in bytes where its rows do
    not lie one after the other. Of a packed weight the shape is that of its data; the rank and the shape of its
    matrices and its fractals follow."""
    rank, size = len(tensor.shape), tensor.dtype.itemsize
    shape = extents[:rank]
    if tensor.layout == "nz":
        elements = packed_size(shape, size, target)
        return size * elements + ALIGNMENT, elements, rank, *shape, *fractal_numbers(shape, size, target)
    if tensor.strides:
        steps = tuple(step * size for step in extents[rank:])
        last = sum((n - 1) * step for n, step in zip(shape, steps, strict=True))
        return last + size + ALIGNMENT, *shape, *steps
    room = size * math.prod(shape) + ALIGNMENT
    if tensor.layout != "dn":
        return room, *shape
    *several, rows, _ = shape
    steps, step = (size, size * rows), size * math.prod(shape[-2:])
    for one in reversed(several):
        steps, step = (step, *steps), step * one
    return room, *shape, *steps


def _numbers(values: Any) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
