"""The data of a package's test programs: one case of a spec as a device's memory has it, its golden, and how far each
element may be off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.inputs.example import example_inputs
from pyptogen.inputs.sizes import case_dims
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.numpy_dtypes import dtype_name, numbers
from pyptogen.runtime.operator.contract import Contract, TensorArg
from pyptogen.simulate.tensor import interpret
from pyptogen.verify.neighbourhoods import Neighbourhoods
from pyptogen.verify.spread import spreads
from pyptogen.verify.tolerance import Derived, tolerances

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program
    from pyptogen.schema.spec import Spec

SEED = 7
MOST_BYTES = 32 << 20
"""A case with more data than this is left out: a package stays small."""
_LIKED_BYTES = 1 << 20
"""The largest case below this is taken, which has tails and several blocks; where there is none, the smallest."""
_WIDE = ("fp32", "fp16", "bf16", "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64")
"""Dtypes that a test program reads itself; it looks the others up."""


@dataclass(frozen=True, slots=True)
class GoldenOutput:
    """An output as a test program compares it: bytes of an element, whether codes are looked up, how many elements may
    differ by more than is allowed of each, and the input whose memory it takes."""

    name: str
    dtype: str
    size: int
    table: bool
    beyond: int
    inplace: str


@dataclass(frozen=True, slots=True)
class GoldenCase:
    """One case: sizes of dims, values of attrs, outputs, and files by name."""

    dims: Mapping[str, int]
    attrs: Mapping[str, float | int]
    outputs: tuple[GoldenOutput, ...]
    files: Mapping[str, bytes]


class NoGolden(Exception):
    """Why an operator has no test program."""


def golden_case(spec: Spec, program: Program, target: str) -> GoldenCase:
    """A case of a spec. Raises `NoGolden` where it is too large for a package, or has what a test program
    does not read."""
    contract = Contract.from_program(program)
    _refuse(spec, program, contract)
    dims = _chosen(spec, program, contract)
    given = example_inputs(spec, dims, SEED, program=program)
    arrays = {tensor.name: tensor.in_bytes(given[tensor.name]) for tensor in contract.inputs}
    contract.bind(arrays)
    attrs = dict(zip((attr.name for attr in contract.attrs), contract.bind_attrs({}), strict=True))
    elements = {tensor.name: tensor.elements(arrays[tensor.name]) for tensor in contract.inputs}
    expected = interpret(program, {name: np.array(array) for name, array in elements.items()}, attrs)
    files = {f"{t.name}.bin": _bytes(t, arrays[t.name], target) for t in contract.inputs}
    allowed = tolerances(spec, program)
    doubtful = {name: one for name, one in allowed.items() if isinstance(one, Derived) and one.way.errs}
    if doubtful:
        found = spreads(program, elements, attrs, expected)
        allowed |= {name: replace(one, spread=found[name]) for name, one in doubtful.items()}
    outputs = []
    for tensor in contract.outputs:
        array = expected[tensor.name]
        dtype = dtype_name(array.dtype)
        files[f"{tensor.name}.golden.bin"] = _bytes(tensor, tensor.in_bytes(array), target)
        files[f"{tensor.name}.allowed.bin"] = _limits(array, allowed[tensor.name], tensor)
        if dtype not in _WIDE:
            files[f"{tensor.name}.numbers.bin"] = _table(array.dtype)
        beyond, source = allowed[tensor.name].beyond(array.size), contract.inplace.get(tensor.name, "")
        outputs.append(GoldenOutput(tensor.name, dtype, array.dtype.itemsize, dtype not in _WIDE, beyond, source))
    if sum(map(len, files.values())) > MOST_BYTES:
        raise NoGolden(f"more than {MOST_BYTES >> 20} MB of data")
    return GoldenCase(dims, attrs, tuple(outputs), files)


def _refuse(spec: Spec, program: Program, contract: Contract) -> None:
    if spec.verify.golden is not None:
        raise NoGolden("the spec has a golden of its own")
    if any(attr.default is None for attr in contract.attrs):
        raise NoGolden("an attr has no default")
    for tensor in contract.outputs:
        packed = tensor.packed is not None and tensor.packed.itemsize == 1 and dtype_name(tensor.packed) != "hif8"
        if tensor.layout == "nz" or tensor.strides or packed:
            raise NoGolden(f"`{tensor.name}` does not lie in memory element after element")
    if any(tensor.strides for tensor in contract.inputs):
        raise NoGolden("an input has strides of its own")


def _chosen(spec: Spec, program: Program, contract: Contract) -> dict[str, int]:
    cases = [case_dims(spec, program, case) for case in spec.verify.cases or [{}]]

    def size(dims: Mapping[str, int]) -> int:
        ordered = [dims[dim.name] for dim in contract.dims]
        shapes = [*contract.input_extents(*ordered), *contract.output_extents(*ordered)]
        tensors = [*contract.inputs, *contract.outputs]
        return sum(int(np.prod(shape)) * t.dtype.itemsize for shape, t in zip(shapes, tensors, strict=True))

    found = max((case for case in cases if size(case) <= _LIKED_BYTES), key=size, default=min(cases, key=size))
    if size(found) > MOST_BYTES:
        raise NoGolden(f"{size(found) >> 20} MB of data")
    return found


def _bytes(tensor: TensorArg, array: Any, target: str) -> bytes:
    """A tensor as the device's memory has it."""
    if tensor.layout == "nz":
        packed = array if isinstance(array, PackedWeight) else pack(array, target=target)
        return bytes(np.ascontiguousarray(packed.data).view(np.uint8).tobytes())
    return np.ascontiguousarray(tensor.in_memory(array)).tobytes()


def _limits(wanted: Any, allowed: Any, tensor: TensorArg) -> bytes:
    """How far each element may be off, as fp32 and never less; nothing where the golden is not finite."""
    places = Neighbourhoods(wanted)
    parts = [allowed.limit(part, places, at).reshape(-1) for at, (part,) in places.parts(wanted)]
    flat = np.nan_to_num(np.concatenate(parts)[: wanted.size] if parts else np.zeros(0), nan=0.0, posinf=0.0)
    limits = flat.astype(np.float32)
    limits = np.where(limits < flat, np.nextafter(limits, np.float32(np.inf)), limits)
    return np.ascontiguousarray(tensor.in_memory(limits.reshape(wanted.shape))).tobytes()


def _table(dtype: np.dtype[Any]) -> bytes:
    """The numbers of the 256 codes of a float of eight bits."""
    codes = np.arange(256, dtype=np.uint8).view(dtype)
    return np.asarray(numbers(codes), np.float32).tobytes()
