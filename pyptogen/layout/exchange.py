"""What DLPack calls things (https://dmlc.github.io/dlpack/latest/, version 1.3): types of elements, and the table of C
functions by which a library's tensors are read without Python."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

_CODES = {"i": 0, "u": 1, "f": 2, "b": 6}
"""`kDLInt`, `kDLUInt`, `kDLFloat`, `kDLBool` by numpy's kinds."""
_OWN_CODES = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12, "float8_e8m0fnu": 14}
"""`kDLBfloat`, `kDLFloat8_e4m3fn`, `kDLFloat8_e5m2`, `kDLFloat8_e8m0fnu` by the names of ml_dtypes."""
_MAJOR = 1


class _Table(ctypes.Structure):
    """``DLPackExchangeAPI``, as it begins."""

    _fields_ = (
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("read", ctypes.c_void_p),
    )


def exchanged(dtype: np.dtype[Any]) -> int:
    """The code of a type of elements, and its bits from bit 8 on; -1 for one that DLPack has not."""
    code = _OWN_CODES.get(dtype.name, _CODES.get(dtype.kind, -1) if dtype.isbuiltin == 1 else -1)
    return -1 if code < 0 else code | 8 * dtype.itemsize << 8


def tensor_reader(kind: type) -> int | None:
    """The address of the C function ``dltensor_from_py_object_no_sync`` of a type of tensors; None where it has
    none, or one of another major version."""
    table = getattr(kind, "__dlpack_c_exchange_api__", None)
    if table is None:
        return None
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    found = _Table.from_address(pointer(table, b"dlpack_exchange_api"))
    return found.read if found.major == _MAJOR else None
