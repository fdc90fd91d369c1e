"""Compiled operators: what can be called."""

from __future__ import annotations

import struct
from collections import namedtuple
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.layout.arrays import tensors_as_arrays
from pyptogen.layout.buffers import aligned_empty
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.runtime.arrays.arguments import (
    Region,
    address,
    as_array,
    check_out_names,
    check_overlap,
    named_outputs,
    result_array,
    result_packed,
    updated_array,
)
from pyptogen.runtime.native.binding import Chip, RunError, RunReport, WrongIndexError, load_entry, shared_chip
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.contract import TensorArg
from pyptogen.runtime.operator.indices import IndexUse, wrong_index
from pyptogen.runtime.operator.known_calls import KnownCalls, read_tensors
from pyptogen.runtime.operator.operands import as_given, packed_operand, packed_operands
from pyptogen.runtime.operator.repeated import LastCall, Repeated
from pyptogen.runtime.operator.sources import SourceOf, entry_name

if TYPE_CHECKING:
    from pyptogen.lower.tensor.ir import Program
    from pyptogen.schema.spec import Spec


@dataclass(frozen=True, slots=True)
class BoundCall:
    """A program with its arguments, ready to run: the entry's address, the packed argument struct, the policy
    for ready launches, the results, and the arrays that must live until the run is over.
    """

    name: str
    entry: int
    packed: bytes
    policy: str
    results: Any
    held: tuple[Any, ...]
    dims: tuple[int, ...] = ()
    """The dynamic dims, in the order of the contract."""
    scalars: tuple[float | int, ...] = ()
    """The attrs, in the order of the contract."""
    indices: tuple[IndexUse, ...] = ()
    """What may be wrong with the indices that its kernels compute."""

    def run(self, chip: Chip) -> RunReport:
        """Run it on a chip; the results are then in ``results``. Faults: ``Chip.run``, and PTG408 for an index that a
        kernel computed."""
        try:
            return chip.run(self.entry, self.packed, policy=self.policy)
        except WrongIndexError as error:
            raise self.explained(error) from None

    def explained(self, error: WrongIndexError) -> DiagnosticError:
        """PTG408 for a wrong index that one of its kernels read."""
        return wrong_index(error, self.indices, self.dims, self.name)


class CompiledOperator:
    """An operator for one target, ready to run on a simulated chip of ``threads`` cores.

    Call it with the inputs by their names in the spec; attrs are optional where they have a default. The
    result is a named tuple of the outputs in contract order. An in-place output is the array, or the tensor of torch,
    that was given for its input, and one of ``out`` what stands there.
    """

    def __init__(
        self,
        spec: Spec | None,
        program: Program | None,
        target: str,
        library: Path,
        threads: int,
        *,
        rules: CallRules | None = None,
        source: SourceOf | None = None,
    ) -> None:
        """``rules`` takes the place of a missing ``program``; ``source`` is what ``library`` was compiled from."""
        self._spec = spec
        self._program = program
        self.target = target
        self.library = library
        self.threads = threads
        self._source = source
        self.rules = rules or CallRules.from_program(self.program)
        self.contract = self.rules.contract
        self._indices = self.rules.indices
        self._index_bounds = self.rules.bounds
        self._last = LastCall()
        inplace = self.contract.inplace
        self._sources = tuple((t.name not in inplace, inplace.get(t.name, t.name)) for t in self.contract.outputs)
        self.entry = self._loaded()
        self.results = namedtuple(  # type: ignore[misc]
            f"{''.join(part.capitalize() for part in self.contract.name.split('_'))}Outputs",
            [tensor.name for tensor in self.contract.outputs],
        )
        self._known = KnownCalls(self.rules, self.entry, threads, target, self.results)
        self._take = self._known.take
        self.policy = self.rules.policy
        """By which a chip orders its ready launches: as the spec's ``schedule`` says."""
        self._attr_names = frozenset(attr.name for attr in self.contract.attrs)
        self._updated = frozenset(self.contract.inplace.values())
        self._fresh = tuple(
            (index, tensor)
            for index, tensor in enumerate(self.contract.outputs)
            if tensor.name not in self.contract.inplace
        )
        self._slots = struct.Struct(
            f"={len(self.contract.inputs) + len(self._fresh)}Q{len(self.contract.dims)}q"
            + "".join("d" if attr.is_float else "q" for attr in self.contract.attrs)
        )

    def _loaded(self) -> int:
        """The address of its entry."""
        return load_entry(self.library, entry_name(self.contract.name, self.target))

    def require_native(self, who: str) -> None:
        """Raises PTG501 where there is nothing that ``who`` could start."""

    @property
    def last_run(self) -> float:
        """Seconds that the last call spent in native code: that which ended last, where several threads call."""
        return self._known.seconds.value

    @last_run.setter
    def last_run(self, seconds: float) -> None:
        self._known.seconds.value = seconds

    @property
    def spec(self) -> Spec:
        """What was compiled. That of a generated folder is read at first use."""
        if self._spec is None:
            from pyptogen.schema import load_spec

            if self._source is None:
                message = f"`{self.contract.name}` was loaded from shared objects, which have no spec with them"
                raise fault("PTG504", message, None, fix="load the generated folder, or compile the spec")
            self._spec = load_spec(self._source.spec)
        return self._spec

    @property
    def program(self) -> Program:
        """Its Tensor level; that of a generated folder is made at first use, with the compiler."""
        if self._program is None:
            from pyptogen.lower.tensor import from_spec

            self._program = from_spec(self.spec)
        return self._program

    def __call__(self, *, out: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """Run the operator.

        ``out`` gives arrays for outputs by name (of the right shape and dtype, C-contiguous unless the spec says
        otherwise, no overlap with an argument); outputs not in it are new arrays. Raises ``DiagnosticError`` (PTG401 to
        PTG408) before anything is written, PTG408 also afterwards for an index that a kernel computed, and ``RunError``
        when a kernel fails; what the call writes is then undefined.
        """
        try:
            known = self._take(arguments, out)  # type: ignore[arg-type]
        except RunError as error:
            raise self._known.explained(error, arguments) from None
        if known is not None:
            return known
        return self._unseen(arguments, out)

    def _unseen(self, arguments: dict[str, Any], out: Mapping[str, Any] | None) -> Any:
        """A call that native code does not take as it is: with tensors as arrays it may."""
        arrays = tensors_as_arrays(arguments)
        room = tensors_as_arrays(out) if type(out) is dict else out
        if arrays is arguments and room is out:
            return self._checked(arguments, out)
        read_tensors()
        try:
            known = self._take(dict(arrays), room)  # type: ignore[arg-type]
        except RunError as error:
            raise self._known.explained(error, arrays) from None
        results = self._checked(dict(arrays), room) if known is None else known
        given = out if type(out) is dict else {}
        return self.results(
            *[
                given.get(name, result) if is_fresh else arguments[name]
                for (is_fresh, name), result in zip(self._sources, results, strict=True)
            ]
        )

    def _checked(self, arguments: dict[str, Any], out: Mapping[str, Any] | None) -> Any:
        """A call that nobody has seen yet, looked at in Python."""
        out = (
            dict(named_outputs(self.contract, out)) or None
        )  # the arrays of this call, also where another thread changes the mapping
        last = self._last
        repeated = last.repeated
        if out and repeated is not None and repeated.matches(arguments, out):
            for bound in self._index_bounds:
                bound.check(arguments, repeated.dims)
            results = self.results(*[out[name] if where else arguments[name] for where, name in self._sources])
            try:
                report = shared_chip(self.threads).run(self.entry, repeated.packed, policy=self.policy)
            except WrongIndexError as error:
                raise wrong_index(error, self._indices, repeated.dims, self.contract.name) from None
            self._known.seconds.value = report.seconds
            return results
        last.repeated = None
        call = self.bind(arguments, out)
        if out and self._repeatable(arguments, out, call):
            last.repeated = Repeated(arguments, out, call.packed, call.dims)
        self._known.seconds.value = call.run(shared_chip(self.threads)).seconds
        if self._known.learns and self._as_they_are(arguments, call):
            self._known.learn(arguments, call.dims, call.scalars)
        return call.results

    def _repeatable(self, arguments: Mapping[str, Any], out: Mapping[str, Any], call: BoundCall) -> bool:
        """Whether native code read the given arrays themselves, and wrote only into given ones."""
        return self._as_they_are(arguments, call) and all(
            out.get(tensor.name) is getattr(call.results, tensor.name) for _, tensor in self._fresh
        )

    def _as_they_are(self, arguments: Mapping[str, Any], call: BoundCall) -> bool:
        """Whether native code read the given arrays themselves."""
        return all(
            _is_memory_of(arguments[tensor.name], used)
            for tensor, used in zip(self.contract.inputs, call.held, strict=True)
        )

    def bind(self, arguments: Mapping[str, Any], out: Mapping[str, Any] | None = None) -> BoundCall:
        """A call with everything checked and ready to run, once, on any chip.

        The parameters and the faults are those of a call.
        """
        contract = self.contract
        attrs = {name: arguments[name] for name in self._attr_names & arguments.keys()}
        arrays = self.arrays({name: value for name, value in arguments.items() if name not in attrs})
        dims = contract.bind(arrays)
        for bound in self._index_bounds:
            bound.check(arrays, (*dims.values(),))
        scalars = contract.bind_attrs(attrs)
        contract.check_requires(dims, scalars)
        out = named_outputs(contract, out)
        check_out_names(contract, out)
        extents = contract.output_extents(*dims.values())
        results: dict[str, Any] = {
            tensor.name: self._result(tensor, extents[index], out.get(tensor.name)) for index, tensor in self._fresh
        }
        # `held` keeps copies alive until native code has returned.
        held = [self._physical(tensor, arrays[tensor.name]) for tensor in contract.inputs]
        pointers = [address(array) for array in held]
        written = {name: value.data if isinstance(value, PackedWeight) else value for name, value in results.items()}
        pointers += [address(written[tensor.name]) for _, tensor in self._fresh]
        self._check_overlap(held, written, pointers)
        packed = self._slots.pack(*pointers, *dims.values(), *scalars)
        for name, source in contract.inplace.items():
            results[name] = arrays[source]
        ordered = self.results(*(results[tensor.name] for tensor in contract.outputs))
        sizes = (*dims.values(),)
        return BoundCall(
            contract.name, self.entry, packed, self.policy, ordered, tuple(held), sizes, (*scalars,), self._indices
        )

    def pack(self, **operands: Any) -> Any:
        """Operands as kernels read them, made once for many calls: `@ nz` a :class:`PackedWeight`, `@ dn` an array
        whose columns lie one after the other, `int4`, `fp4_e2m1` and `hif8` (given as numbers that they have, too) as
        bytes.

        A lone one is returned bare, several as a tuple in the order given. Raises PTG402, PTG403, PTG404, PTG407.
        """
        return packed_operands(
            self.contract, operands, lambda operand, value: packed_operand(operand, value, self.target)
        )

    def arrays(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Every argument that is no attr as a numpy array or a packed weight, as the contract sees it."""
        arrays = {
            name: value if isinstance(value, PackedWeight) else as_array(name, value)
            for name, value in arguments.items()
        }
        for tensor in (tensor for tensor in self.contract.inputs if tensor.layout == "nz" and tensor.name in arrays):
            arrays[tensor.name] = as_given(tensor, arrays[tensor.name], self.target)
        for tensor in (tensor for tensor in self.contract.inputs if tensor.packed and tensor.name in arrays):
            if tensor.name not in self._updated:  # what is updated there is the caller's memory
                arrays[tensor.name] = tensor.in_bytes(arrays[tensor.name])
        read = (tensor for tensor in self.contract.inputs if tensor.name not in self._updated)
        apart = (tensor for tensor in read if tensor.strides and tensor.name in arrays)
        return arrays | {tensor.name: tensor.in_rows(arrays[tensor.name]) for tensor in apart}

    def _result(self, tensor: TensorArg, extents: tuple[int, ...], given: Any | None) -> Any:
        """What takes an output: ``given``, checked, or something new."""
        if tensor.layout == "nz":
            return result_packed(tensor, extents, given, self.target)
        return result_array(tensor, extents, given)

    def _physical(self, tensor: TensorArg, value: Any) -> Any:
        """The bytes that native code reads: C-contiguous, and in the target's layout."""
        if tensor.layout == "nz":
            if isinstance(value, PackedWeight) and value.target == self.target:
                return value.data
            return pack(value, target=self.target).data
        if isinstance(value, PackedWeight):
            value = value.unpack()
        if tensor.name in self._updated:
            return updated_array(tensor, value)
        value = tensor.in_memory(value)
        if value.flags.c_contiguous or tensor.strides:
            return value
        copy = aligned_empty(value.shape, value.dtype)
        copy[...] = value
        return copy

    def _check_overlap(self, held: list[Any], results: Mapping[str, Any], pointers: list[int]) -> None:
        regions = [
            Region(tensor.name, start, _span(array), tensor.name in self._updated, array)
            for tensor, array, start in zip(self.contract.inputs, held, pointers, strict=False)
        ]
        regions += [
            Region(tensor.name, start, _span(results[tensor.name]), True, results[tensor.name])
            for (_, tensor), start in zip(self._fresh, pointers[len(held) :], strict=True)
        ]
        check_overlap(self.contract, regions)

    def golden(self, **arguments: Any) -> Any:
        """The same outputs computed by the Tensor level in numpy: the reference. The given arrays are left
        unchanged.
        """
        from pyptogen.simulate.tensor import interpret

        outputs = interpret(self.program, *self._elements(arguments))
        return self.results(*(tensor.in_bytes(outputs[tensor.name]) for tensor in self.contract.outputs))

    def _elements(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, float | int]]:
        """The inputs of a call element by element, and its attrs, as interpreters take them."""
        attrs = {name: arguments[name] for name in self._attr_names & arguments.keys()}
        arrays = self.arrays({name: value for name, value in arguments.items() if name not in attrs})
        self.contract.bind(arrays)
        scalars = dict(zip((attr.name for attr in self.contract.attrs), self.contract.bind_attrs(attrs), strict=True))
        plain = {name: value.unpack() if isinstance(value, PackedWeight) else value for name, value in arrays.items()}
        plain |= {tensor.name: tensor.elements(plain[tensor.name]) for tensor in self.contract.inputs}
        return plain, scalars

    def example_inputs(self, seed: int = 7, **dims: int) -> dict[str, Any]:
        """Inputs from the generators of the spec's ``verify`` section, for these sizes of dynamic dims, as a call takes
        them."""
        from pyptogen.inputs.example import example_inputs

        arrays = example_inputs(self.spec, dims, seed, program=self.program)
        return {tensor.name: tensor.in_bytes(arrays[tensor.name]) for tensor in self.contract.inputs}

    def __copy__(self) -> CompiledOperator:
        return self

    def __deepcopy__(self, memo: Any) -> CompiledOperator:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """What it was compiled from: another process finds the shared object in its cache, or compiles it anew."""
        spec = self.contract.span.file
        return _again, (self.rules.data(), spec, self._spec, self.target, self.threads, self._source, self.library)

    def __repr__(self) -> str:
        return f"CompiledOperator({self.contract.name!r}, target={self.target!r}, threads={self.threads})"


def _again(
    data: Mapping[str, Any],
    file: str,
    spec: Spec | None,
    target: str,
    threads: int,
    source: SourceOf | None,
    library: Path,
) -> CompiledOperator:
    """An operator that was pickled."""
    rules = CallRules.of_data(data, file)
    found = library if source is None else source.compiled(rules.contract.name, target)
    return CompiledOperator(spec, None, target, found, threads, rules=rules, source=source)


def _is_memory_of(given: Any, used: Any) -> bool:
    """Whether ``used`` is an argument itself, or a view of all of it."""
    if isinstance(given, PackedWeight):
        return given.data is used
    return given is used or (isinstance(given, np.ndarray) and address(given) == address(used))


def _span(array: Any) -> int:
    """Bytes from the first element of an array to its last."""
    if isinstance(array, PackedWeight) or array.flags.c_contiguous:
        return int(array.nbytes)
    return int(array.itemsize + sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)))
