"""Kernels of PyTorch's dispatcher in C++: calls whose shapes are known reach the chip without Python."""

from __future__ import annotations

import ctypes
import functools
import sys
import sysconfig
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch

from pyptogen.diagnostics import fault
from pyptogen.layout.packed_array import record_head
from pyptogen.layout.packing import fractal_numbers
from pyptogen.runtime.native.binding import NATIVE_SOURCES, POLICIES, native_library
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import TensorArg
from pyptogen.runtime.operator.index_plans import native_bounds
from pyptogen.runtime.operator.known_calls import AttrRule
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.cxx_errors import first_error
from pyptogen.torch.tensors import torch_dtype

_HOME = Path(__file__).parent
_SOURCE = _HOME / "operators.cpp"
_FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w")
_CODES = {
    torch.float32: "Float", torch.float16: "Half", torch.bfloat16: "BFloat16", torch.int8: "Char", torch.uint8: "Byte",
    torch.int16: "Short", torch.uint16: "UInt16", torch.int32: "Int", torch.uint32: "UInt32", torch.int64: "Long",
    torch.bool: "Bool", torch.float8_e4m3fn: "Float8_e4m3fn", torch.float8_e5m2: "Float8_e5m2",
    torch.float8_e8m0fnu: "Float8_e8m0fnu",
}  # fmt: skip
"""As C++ calls the dtypes."""


_FORMS = {"nd": 0, "strided": 1, "dn": 2, "nz": 3}
"""``Form`` of ``operators.cpp``: how a tensor has to lie."""


class _Rule(ctypes.Structure):
    """The ``pto_tensor_rule`` of ``operators.cpp``."""

    _fields_ = tuple((name, ctypes.c_int32) for name in ("dtype", "rank", "form", "updated"))


@functools.cache
def _library() -> ctypes.CDLL:
    """The kernels, compiled once for a version of PyTorch. Raises PTG501, PTG502."""
    compiler, home = find_compiler(), Path(torch.__file__).parent
    sources = (
        _SOURCE,
        _HOME / "small_blocks.hpp",
        NATIVE_SOURCES / "nz_fractals.hpp",
        NATIVE_SOURCES / "index_bound.hpp",
        NATIVE_SOURCES / "python_api.hpp",
    )
    parts = (part for file in sources for part in (file.name, file.read_bytes()))
    key = digest("torch", compiler.identity, *_FLAGS, torch.__version__, str(home), *parts)

    def make(output: Path) -> None:
        libraries = (f"-L{home / 'lib'}", "-lc10", "-ltorch_cpu", "-ltorch_python", f"-Wl,-rpath,{home / 'lib'}")
        include = (f"-I{home / 'include'}", f"-I{NATIVE_SOURCES}", f"-I{_HOME}")
        said = compiler.run([*_FLAGS, *include, str(_SOURCE), *libraries, "-o", str(output)])
        if said.returncode != 0:
            raise fault("PTG502", f"the kernels for PyTorch do not compile: {first_error(said.stderr)}", None)

    library = ctypes.CDLL(str(Cache().file("torch", key, ".so", make)))
    pointer, whole, int_ = ctypes.c_void_p, ctypes.c_int64, ctypes.c_int
    library.pto_torch_dtype.argtypes = [ctypes.c_char_p]
    library.pto_torch_define.argtypes = [
        ctypes.c_char_p, pointer, pointer, whole, int_, int_, ctypes.POINTER(_Rule), int_, int_, ctypes.c_char_p,
        ctypes.POINTER(AttrRule), int_, int_,
    ]  # fmt: skip
    library.pto_torch_define.restype = pointer
    numbers = ctypes.POINTER(whole)
    library.pto_torch_learn.argtypes = [pointer, numbers, int_, numbers, int_, numbers, numbers, int_]
    library.pto_torch_note.argtypes = [pointer, ctypes.c_double]
    library.pto_torch_seconds.argtypes = [pointer]
    library.pto_torch_seconds.restype = ctypes.c_double
    for name in ("learn", "note"):
        getattr(library, f"pto_torch_{name}").restype = None
    return library


@functools.cache
def _reads_tensors() -> ctypes.PyDLL | None:
    """The same library, whose functions run with the interpreter lock; None where it does not read the tensors of this
    Python."""
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return None
    library = ctypes.PyDLL(_library()._name)
    thing = ctypes.py_object
    library.pto_torch_load_python.argtypes = [ctypes.c_int64]
    library.pto_torch_reads.argtypes = [thing, ctypes.c_int64]
    library.pto_torch_direct.argtypes = [ctypes.c_void_p, thing, thing, thing, ctypes.c_void_p, ctypes.c_int]
    library.pto_torch_direct.restype = thing
    probes = (torch.zeros(3), torch.nn.Parameter(torch.zeros(3)))
    found = library.pto_torch_load_python(object.__basicsize__)
    return library if found and all(library.pto_torch_reads(probe, probe._cdata) for probe in probes) else None


class Kernels:
    """The kernels in C++ of the operator ``name``, whose forms ``name_checked`` and ``name_recorded`` are defined.

    Operators with indices that only Python can look at keep their kernel in Python (``fast`` is false); that of
    autograd is here for all. Raises PTG501, PTG502.
    """

    def __init__(self, name: str, rules: CallRules, entry: int, threads: int, target: str) -> None:
        contract = rules.contract
        self._contract, self._library, self._target = contract, _library(), target
        self._fresh = [(i, t) for i, t in enumerate(contract.outputs) if t.name not in contract.inplace]
        tensors = [*contract.inputs, *(tensor for _, tensor in self._fresh)]
        bounds = native_bounds(rules)
        self.fast = bounds is not None
        self._bounds = bounds or []
        updated = set(contract.inplace.values())
        given = (_Rule * len(tensors))(*(self._rule(tensor, tensor.name in updated) for tensor in tensors))
        attrs = (AttrRule * max(len(contract.attrs), 1))(*map(AttrRule.of, contract.attrs))
        native = native_library()
        run, chip = (ctypes.cast(one, ctypes.c_void_p) for one in (native.pto_chip_run, native.pto_chip_shared))
        policy, count = POLICIES[rules.policy], len(contract.inputs)
        self._handle = self._library.pto_torch_define(
            name.encode(),
            run,
            chip,
            entry,
            policy,
            threads,
            given,
            count,
            len(self._fresh),
            record_head(target),
            attrs,
            len(contract.attrs),
            self.fast,
        )
        if not self._handle:
            raise fault("PTG502", f"PyTorch does not take the kernels of `{name}`", contract.span)

    def direct(self, results: type[Any] | None) -> Callable[..., Any]:
        """A function of the operator's arguments, by position or by name: its results as ``results``, bare where that
        is None; or None where torch's dispatcher has to take the call. Raises ``RuntimeError`` where a kernel fails."""
        library, contract = _reads_tensors(), self._contract
        if library is None or not self.fast:
            return lambda *args, **kwargs: None
        fresh, inputs = [tensor.name for _, tensor in self._fresh], [tensor.name for tensor in contract.inputs]
        places = [
            len(fresh) + inputs.index(contract.inplace[t.name]) if t.name in contract.inplace else fresh.index(t.name)
            for t in contract.outputs
        ]
        parameters = (*map(sys.intern, inputs), *(sys.intern(attr.name) for attr in contract.attrs))
        function: Callable[..., Any] = library.pto_torch_direct(
            self._handle,
            parameters,
            results,
            RuntimeError,
            (ctypes.c_int32 * max(len(places), 1))(*places),
            len(places),
        )
        return function

    def _rule(self, tensor: TensorArg, updated: bool) -> _Rule:
        code = self._library.pto_torch_dtype(_CODES[torch_dtype(tensor.dtype)].encode())
        form = _FORMS["strided" if tensor.strides else tensor.layout]
        return _Rule(code, len(tensor.shape), form, updated)

    @property
    def seconds(self) -> float:
        """Those that the last call spent in native code."""
        return float(self._library.pto_torch_seconds(self._handle))

    def after(self, dims: Sequence[int], seconds: float) -> None:
        """After a call by way of Python: what its shapes mean, for later calls of the same."""
        self._library.pto_torch_note(self._handle, seconds)
        if not self.fast or not self._library.pto_torch_missed():
            return
        extents = self._contract.output_extents(*dims)
        outputs = [number for i, tensor in self._fresh for number in _laid_out(tensor, extents[i])]
        fractals = [
            number
            for i, tensor in self._fresh
            if tensor.layout == "nz"
            for number in fractal_numbers(extents[i], tensor.dtype.itemsize, self._target)
        ]
        shapes = self._contract.input_extents(*dims)
        bounds = [number for bound in self._bounds for number in bound.numbers(dims, shapes)]
        self._library.pto_torch_learn(
            self._handle,
            _numbers(dims),
            len(dims),
            _numbers(outputs),
            len(outputs),
            _numbers(fractals),
            _numbers(bounds),
            len(self._bounds),
        )


def _laid_out(tensor: TensorArg, extents: tuple[int, ...]) -> tuple[int, ...]:
    """Sizes and strides."""
    if tensor.strides:
        return extents
    axes = [*range(len(extents))]
    if tensor.layout == "dn":
        axes[-2:] = axes[:-3:-1]
    steps, step = [0] * len(extents), 1
    for axis in reversed(axes):
        steps[axis] = step
        step *= max(extents[axis], 1)
    return (*extents, *steps)


def _numbers(values: Sequence[int]) -> Any:
    return (ctypes.c_int64 * max(len(values), 1))(*values)
