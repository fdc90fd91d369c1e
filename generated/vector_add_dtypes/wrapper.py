"""vector_add_dtypes: the Python entry. Made by pyptogen from vector_add_dtypes.yaml: changes belong there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy.typing as npt

from pyptogen.runtime import CompiledOperator, load_generated

FOLDER = Path(__file__).resolve().parent
TARGETS = ("cpu", "a2a3")


class VectorAddDtypesOutputs(NamedTuple):
    """What ``vector_add_dtypes`` returns, in contract order."""

    c_fp16: npt.NDArray[Any]
    """fp16[n]"""
    c_bf16: npt.NDArray[Any]
    """bf16[n]"""
    c_int32: npt.NDArray[Any]
    """int32[n]"""
    c_int16: npt.NDArray[Any]
    """int16[n]"""
    c_int8: npt.NDArray[Any]
    """int8[n]"""
    c_uint8: npt.NDArray[Any]
    """uint8[n]"""


@cache
def _compiled(target: str = "cpu") -> CompiledOperator:
    """The operator compiled for one of ``TARGETS``, at first use and then kept."""
    return load_generated(FOLDER, target)


def vector_add_dtypes(
    a_fp16: npt.NDArray[Any],
    b_fp16: npt.NDArray[Any],
    a_bf16: npt.NDArray[Any],
    b_bf16: npt.NDArray[Any],
    a_int32: npt.NDArray[Any],
    b_int32: npt.NDArray[Any],
    a_int16: npt.NDArray[Any],
    b_int16: npt.NDArray[Any],
    a_int8: npt.NDArray[Any],
    b_int8: npt.NDArray[Any],
    a_uint8: npt.NDArray[Any],
    b_uint8: npt.NDArray[Any],
    *,
    out: Mapping[str, npt.NDArray[Any]] | None = None,
    target: str = "cpu",
) -> VectorAddDtypesOutputs:
    """Sum of two vectors in each of the other types of numbers that all platforms add; whole numbers wrap
    around.

    Sizes: n 1 to 1073741824.

    Args:
        a_fp16: fp16[n]
        b_fp16: fp16[n]
        a_bf16: bf16[n]
        b_bf16: bf16[n]
        a_int32: int32[n]
        b_int32: int32[n]
        a_int16: int16[n]
        b_int16: int16[n]
        a_int8: int8[n]
        b_int8: int8[n]
        a_uint8: uint8[n]
        b_uint8: uint8[n]
        out: arrays to write results into, by output name; those not given are allocated
        target: one of ``TARGETS``

    Raises:
        pyptogen.diagnostics.DiagnosticError: an array or a size does not fit the contract
    """
    results = _compiled(target)(
        a_fp16=a_fp16,
        b_fp16=b_fp16,
        a_bf16=a_bf16,
        b_bf16=b_bf16,
        a_int32=a_int32,
        b_int32=b_int32,
        a_int16=a_int16,
        b_int16=b_int16,
        a_int8=a_int8,
        b_int8=b_int8,
        a_uint8=a_uint8,
        b_uint8=b_uint8,
        out=out,
    )
    return VectorAddDtypesOutputs(*results)
