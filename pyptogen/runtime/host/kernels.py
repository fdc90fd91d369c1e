"""The kernels of level host: what a task's arguments become on their way to a worker."""

from __future__ import annotations

import inspect
import marshal
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from pyptogen.diagnostics import fault
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.arrays.arguments import Region, check_out_names, check_overlap, result_array, updated_array
from pyptogen.runtime.host.handles import TaskHandle, TensorHandle, result_type, single_output
from pyptogen.runtime.host.python_kernels import describe, wire_name
from pyptogen.runtime.host.task_graph import Effect
from pyptogen.runtime.host.wire import HEAD, LONGEST, NATIVE, PYTHON, TRACED
from pyptogen.runtime.operator.contract import Contract, TensorArg
from pyptogen.runtime.operator.package import CompiledPackage

if TYPE_CHECKING:
    import numpy.typing as npt

_PLANS = 256


class Memory(Protocol):
    """Where kernels get their tensors: the host runtime."""

    def empty(self, shape: Sequence[int], dtype: Any, *, chip: int | None = None) -> TensorHandle: ...

    def tensor(self, value: Any, *, chip: int | None = None) -> TensorHandle: ...

    def array(self, name: str, value: Any) -> npt.NDArray[Any] | PackedWeight: ...

    def adopt(self, array: npt.NDArray[Any]) -> TensorHandle | None: ...


@dataclass(slots=True)
class Call:
    """One task's arguments, checked and in shared memory. ``body`` follows the message's head."""

    kind: bytes
    body: bytes
    effects: list[Effect]
    outputs: dict[str, TensorHandle]
    make: Callable[..., Any]
    given: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    copies: list[tuple[npt.NDArray[Any], TensorHandle]] = field(default_factory=list)
    """Arrays of the caller outside the shared memory, and the tensors that they take when the task is done."""

    def finish(self) -> None:
        """Fill the caller's arrays."""
        for array, handle in self.copies:
            array[...] = handle.peek()

    def message(self, kernel: int, task: int, *, traced: bool = False) -> bytes:
        """What the worker is sent; ``traced``: its cores are recorded. Raises ``ValueError`` when it is too long."""
        kind = TRACED if traced and self.kind == NATIVE else self.kind
        message = HEAD.pack(kind, kernel, task) + self.body
        if len(message) > LONGEST:
            raise ValueError(f"the scalars of a task are {len(message)} bytes, more than {LONGEST}; pass an array")
        return message


@dataclass(slots=True)
class Bound:
    """A checked call of an operator: its inputs and new outputs in contract order, then dims and attrs.

    ``chosen``: the caller has named tensors for outputs.
    """

    inputs: list[TensorHandle]
    fresh: list[TensorHandle]
    scalars: tuple[float | int, ...]
    chosen: bool


class NativeKernel:
    """A compiled operator. Its contract is checked here, so the worker needs its shared object only."""

    def __init__(self, number: int, name: str, package: CompiledPackage) -> None:
        contract = package.contract
        _require_rows(contract)
        self.number = number
        self.name = name
        self.contract = contract
        self.package = package
        self.target = package.target
        self.fresh = [
            (index, tensor) for index, tensor in enumerate(contract.outputs) if tensor.name not in contract.inplace
        ]
        pointers = len(contract.inputs) + len(self.fresh)
        self.definition = {
            "form": "native", "library": str(package.library), "symbol": package.symbol, "pointers": pointers,
            "policy": package.policy,
        }  # fmt: skip
        self._slots = struct.Struct(
            f"={pointers}Q{len(contract.dims)}q" + "".join("d" if attr.is_float else "q" for attr in contract.attrs)
        )
        self._attrs = frozenset(attr.name for attr in contract.attrs)
        self._fresh_names = frozenset(tensor.name for _, tensor in self.fresh)
        self.updated = frozenset(contract.inplace.values())
        self._plans: dict[tuple[Any, ...], tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]] = {}
        self.make = result_type(contract.name, [tensor.name for tensor in contract.outputs])

    def names(self) -> list[str]:
        """The arguments in the order of a list: inputs, new outputs, attrs."""
        contract = self.contract
        fresh = [tensor.name for _, tensor in self.fresh]
        return [*(tensor.name for tensor in contract.inputs), *fresh, *(attr.name for attr in contract.attrs)]

    def call(self, memory: Memory, args: Mapping[str, Any], chip: int) -> Call:
        """Check a call and bring its tensors into shared memory.

        Raises ``DiagnosticError`` (PTG401 to PTG407) before anything is submitted.
        """
        call = Call(NATIVE, b"", [], {}, self.make)
        bound = self.bind(memory, args, chip, call)
        updated = [tensor.name in self.updated for tensor in self.contract.inputs]
        for handle, writes in zip(bound.inputs, updated, strict=True):
            start = handle.offset
            call.effects.append(Effect(handle.block, start, start + handle.nbytes, True, writes))
        for handle in bound.fresh:
            call.effects.append(Effect(handle.block, handle.offset, handle.offset + handle.nbytes, False, True))
        if self.updated or bound.chosen:
            self._check_overlap(call)
        places = [effect.block.offset + effect.start for effect in call.effects]
        call.body = self._slots.pack(*places, *bound.scalars)
        return call

    def bind(self, memory: Memory, args: Mapping[str, Any], chip: int, call: Call) -> Bound:
        """The tensors and scalars of a call, checked; ``call`` gets the outputs and the caller's arrays."""
        contract = self.contract
        attrs: dict[str, Any] = {}
        out: dict[str, Any] = {}
        inputs: dict[str, Any] = {}
        for name, value in args.items():
            plain = value.value if isinstance(value, Arg) else value
            if name in self._attrs:
                attrs[name] = plain
            elif name in self._fresh_names or (isinstance(value, Arg) and value.direction == "output"):
                if plain is not None:
                    out[name] = plain
            else:
                inputs[name] = self._input(memory, name, plain)
        dims, shapes = self._plan(inputs)
        scalars = contract.bind_attrs(attrs)
        contract.check_requires(dict(zip((dim.name for dim in contract.dims), dims, strict=True)), scalars)
        check_out_names(contract, out)
        handles = [self._place(memory, tensor, inputs[tensor.name], chip, call) for tensor in contract.inputs]
        made = {
            tensor.name: self._output(memory, tensor, shapes[index], out.get(tensor.name), chip, call)
            for index, tensor in self.fresh
        }
        by_name = {tensor.name: handle for tensor, handle in zip(contract.inputs, handles, strict=True)}
        for tensor in contract.outputs:
            source = contract.inplace.get(tensor.name)
            call.outputs[tensor.name] = made[tensor.name] if source is None else by_name[source]
            if source is not None and isinstance(inputs[source], np.ndarray):
                call.given[tensor.name] = inputs[source]
        return Bound(handles, list(made.values()), (*dims, *scalars), bool(out))

    def _input(self, memory: Memory, name: str, value: Any) -> Any:
        if isinstance(value, TaskHandle):
            value = single_output(value)
        return value if isinstance(value, TensorHandle) else memory.array(name, value)

    def _plan(self, inputs: Mapping[str, Any]) -> tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]:
        """The dims and the output shapes of these inputs, remembered for the next call with such inputs."""
        key = tuple((name, value.shape, value.dtype) for name, value in inputs.items())
        plan = self._plans.get(key)
        if plan is None:
            dims = tuple(self.contract.bind(inputs).values())
            plan = dims, self.contract.output_extents(*dims)
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan

    def _place(self, memory: Memory, tensor: TensorArg, value: Any, chip: int, call: Call) -> TensorHandle:
        """An input in shared memory, in the layout of the contract."""
        layout = value.layout if isinstance(value, (TensorHandle, PackedWeight)) else "nd"
        if isinstance(value, TensorHandle):
            packed = f"nz:{self.target}" if tensor.layout == "nz" else "nd"
            if layout == packed:
                return value
            if layout != "nd":
                raise fault(
                    "PTG402",
                    f"argument `{tensor.name}` is a packed weight ({layout})",
                    tensor.span,
                    expected=f"{tensor.type} for target {self.target}",
                )
            value = value.numpy()
        if tensor.layout == "nz":
            return memory.tensor(pack(value, target=self.target), chip=chip)
        if isinstance(value, PackedWeight):
            value = value.unpack()
        if tensor.name in self.updated:
            updated_array(tensor, value)
        handle = memory.adopt(value)
        if handle is None:
            handle = memory.tensor(value, chip=chip)
            if tensor.name in self.updated:
                call.copies.append((value, handle))
        return handle

    def _output(
        self, memory: Memory, tensor: TensorArg, shape: tuple[int, ...], given: Any, chip: int, call: Call
    ) -> TensorHandle:
        if given is None:
            return memory.empty(shape, tensor.dtype, chip=chip)
        if isinstance(given, TensorHandle):
            if given.shape != shape or given.dtype != tensor.dtype or given.layout != "nd":
                raise fault(
                    "PTG402",
                    f"`out` for `{tensor.name}` is {given!r}",
                    tensor.span,
                    expected=f"{tensor.type} = {shape}",
                )
            return given
        array = result_array(tensor, shape, given)
        call.given[tensor.name] = array
        handle = memory.adopt(array)
        if handle is None:
            handle = memory.empty(shape, tensor.dtype, chip=chip)
            call.copies.append((array, handle))
        return handle

    def _check_overlap(self, call: Call) -> None:
        names = [*(tensor.name for tensor in self.contract.inputs), *(tensor.name for _, tensor in self.fresh)]
        regions = [
            Region(name, effect.block.offset + effect.start, effect.end - effect.start, effect.writes)
            for name, effect in zip(names, call.effects, strict=True)
        ]
        check_overlap(self.contract, regions)
        memory = [
            Region(tensor, array.__array_interface__["data"][0], array.nbytes, True)
            for tensor, array in call.given.items()
        ]
        check_overlap(self.contract, memory)


def _require_rows(contract: Contract) -> None:
    """Raises PTG109 for tensors that do not lie row after row: those of a host do."""
    boxed = {tensor.name for tensor in contract.outputs if tensor.layout == "nz"} - contract.inplace.keys()
    for tensor in (*contract.inputs, *contract.outputs):
        if tensor.strides or tensor.layout == "dn" or tensor.name in boxed:
            raise fault(
                "PTG109",
                f"`{tensor.name}` of `{contract.name}` is {tensor.type}, and a host keeps tensors row after row",
                tensor.span,
                expected="`nd` without strides, or level chip",
            )


class PythonKernel:
    """A Python function. An array or a tensor is an input, a number or word a scalar, unless an ``Arg`` says
    more.
    """

    def __init__(self, number: int, name: str, function: Callable[..., Any]) -> None:
        self.number = number
        self.name = name
        self.definition = describe(function)
        parameters = inspect.signature(function).parameters.values()
        self._parameters = [p.name for p in parameters if p.kind is not inspect.Parameter.VAR_KEYWORD]
        self._types: dict[tuple[str, ...], Callable[..., Any]] = {}

    def names(self) -> list[str]:
        """The arguments in the order of a list: as the function is written."""
        return self._parameters

    def call(self, memory: Memory, args: Mapping[str, Any], chip: int) -> Call:
        """Bring a call's tensors into shared memory. Raises ``TypeError`` for what cannot be passed."""
        call = Call(PYTHON, b"", [], {}, tuple)
        sent: dict[str, Any] = {}
        for name, value in self.bind(memory, args, chip, call).items():
            if not isinstance(value, tuple):
                sent[name] = value
                continue
            arg, handle = value
            end = handle.offset + handle.nbytes
            call.effects.append(Effect(handle.block, handle.offset, end, arg.reads, arg.writes))
            sent[name] = {
                "at": handle.block.offset + handle.offset, "shape": handle.shape, "dtype": wire_name(handle.dtype),
                "writes": arg.writes,
            }  # fmt: skip
        call.body = marshal.dumps(sent)
        return call

    def bind(self, memory: Memory, args: Mapping[str, Any], chip: int, call: Call) -> dict[str, Any]:
        """The scalars of a call, and for each tensor a pair of ``Arg`` and handle."""
        bound: dict[str, Any] = {}
        for name, value in args.items():
            arg = value if isinstance(value, Arg) else _direction(value)
            if arg.direction == "scalar":
                bound[name] = _scalar(name, arg.value)
                continue
            handle = self._handle(memory, name, arg, chip, call)
            if arg.writes:
                call.outputs[name] = handle
            bound[name] = (arg, handle)
        names = tuple(call.outputs)
        if names not in self._types:
            self._types[names] = result_type(self.name, names)
        call.make = self._types[names]
        return bound

    def _handle(self, memory: Memory, name: str, arg: Arg, chip: int, call: Call) -> TensorHandle:
        value = arg.value
        if value is None:
            if arg.shape is None or arg.dtype is None:
                raise TypeError(f"output `{name}` of `{self.name}` needs a shape and a dtype")
            return memory.empty(arg.shape, arg.dtype, chip=chip)
        if isinstance(value, TaskHandle):
            value = single_output(value)
        if isinstance(value, TensorHandle):
            if value.layout != "nd":
                raise TypeError(f"`{name}` of `{self.name}` is a packed weight; only compiled operators take those")
            return value
        array = memory.array(name, value)
        if isinstance(array, PackedWeight):
            array = array.unpack()
        handle = memory.adopt(array)
        if arg.writes:
            call.given[name] = array
        if handle is None:
            handle = memory.tensor(array, chip=chip)
            if arg.writes:
                call.copies.append((array, handle))
        return handle


def _direction(value: Any) -> Arg:
    if isinstance(value, (bool, int, float, str, type(None), np.generic)):
        return Arg.scalar(value)  # type: ignore[arg-type]
    return Arg.input(value)


def _scalar(name: str, value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (bool, int, float, str, type(None))):
        raise TypeError(f"scalar `{name}` is a {type(value).__name__}")
    return value


def by_name(kernel_names: Sequence[str], what: str, args: Any) -> dict[str, Any]:
    """A call's arguments by name. A list is matched by position. Raises PTG404 when it is too long."""
    if args is None:
        return {}
    if isinstance(args, Mapping):
        return dict(args)
    given = list(args)
    if len(given) > len(kernel_names):
        raise fault(
            "PTG404",
            f"`{what}` is given {len(given)} arguments",
            None,
            expected=f"at most {len(kernel_names)}: {', '.join(kernel_names)}",
        )
    return dict(zip(kernel_names, given, strict=False))
