"""A call in the checked mode that is told which arrays it has: what of them kernels load and store is looked at.

Every element of an output is stored, unless it is an input updated in place; of the inputs in `wholly_read` every
element is loaded; no load and no store leaves an array, no store goes to an input.
"""

from __future__ import annotations

import ctypes
import struct
from typing import TYPE_CHECKING, Any

from pyptogen.layout.packing import PackedWeight
from pyptogen.runtime.native.binding import shared_chip
from pyptogen.verify.coverage import wholly_read

if TYPE_CHECKING:
    from pyptogen.runtime import CompiledOperator

_INPUT, _OUTPUT, _UPDATED, _WHOLLY, _APART = 0, 1, 2, 4, 8
"""`ArrayRole` of `checked/arrays.hpp`."""


def run_watched(operator: CompiledOperator, *, out: Any = None, **arguments: Any) -> Any:
    """Run an operator that was compiled with ``checked``; the parameters and the faults are those of a call."""
    call = operator.bind(arguments, out)
    contract = operator.contract
    updated = frozenset(contract.inplace.values())
    fresh = [tensor.name for tensor in contract.outputs if tensor.name not in contract.inplace]
    whole = wholly_read(operator.program)
    arrays: list[tuple[str, Any, int]] = []
    for tensor, array in zip(contract.inputs, call.held, strict=False):
        role = _UPDATED if tensor.name in updated else _INPUT
        arrays.append((tensor.name, array, role | (_WHOLLY if tensor.name in whole else 0)))
    arrays += [(name, getattr(call.results, name), _OUTPUT | _WHOLLY) for name in fresh]
    pointers = struct.unpack_from(f"={len(arrays)}Q", call.packed)
    library = ctypes.CDLL(str(operator.library))
    for (name, array, role), pointer in zip(arrays, pointers, strict=True):
        array = array.data if isinstance(array, PackedWeight) else array
        nbytes = array.nbytes
        if not array.flags.c_contiguous and nbytes:
            role |= _APART
            nbytes = array.itemsize + sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True))
        library.pto_checked_array(ctypes.c_void_p(pointer), ctypes.c_uint64(nbytes), ctypes.c_int(role), name.encode())
    call.run(shared_chip(operator.threads))
    library.pto_checked_over()
    return call.results
