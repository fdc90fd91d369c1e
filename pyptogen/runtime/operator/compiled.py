"""Compiled operators: from a spec, or from its generated folder, to something that can be called."""

from __future__ import annotations

import os
import struct
from collections import namedtuple
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyptogen.diagnostics import DiagnosticError, fault, gathering
from pyptogen.layout.buffers import aligned_empty
from pyptogen.layout.packing import PackedWeight, pack
from pyptogen.processors import available_processors
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
from pyptogen.runtime.native.binding import Chip, RunReport, WrongIndexError, load_entry, shared_chip
from pyptogen.runtime.operator.contract import Contract, TensorArg
from pyptogen.runtime.operator.indices import IndexUse, index_bounds, index_uses, wrong_index
from pyptogen.runtime.operator.repeated import LastCall, Repeated
from pyptogen.runtime.operator.traced_sources import in_spec, traced_sources
from pyptogen.runtime.toolchain.build import Toolchain, make_toolchain
from pyptogen.runtime.toolchain.headers import isa_root

if TYPE_CHECKING:
    from pyptogen.lower.origins import Traced
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
    result is a named tuple of the outputs in contract order. An in-place output is the array that was given
    for its input.
    """

    def __init__(self, spec: Spec, program: Program, target: str, library: Path, threads: int) -> None:
        self.spec = spec
        self.program = program
        self.target = target
        self.library = library
        self.threads = threads
        self.contract = Contract.from_program(program)
        self._indices = index_uses(program)
        self._index_bounds = index_bounds(program, self._indices)
        self._last = LastCall()
        inplace = self.contract.inplace
        self._sources = tuple((t.name not in inplace, inplace.get(t.name, t.name)) for t in self.contract.outputs)
        self.last_run = 0.0
        """Seconds that the last call spent in native code: that which ended last, where several threads call."""
        self._entry = load_entry(library, entry_name(program.name, target))
        self.results = namedtuple(  # type: ignore[misc]
            f"{''.join(part.capitalize() for part in program.name.split('_'))}Outputs",
            [tensor.name for tensor in self.contract.outputs],
        )
        self.policy: str = program.schedule.get("policy") or "critical_path"
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

    def __call__(self, *, out: Mapping[str, Any] | None = None, **arguments: Any) -> Any:
        """Run the operator.

        ``out`` gives arrays for outputs by name (of the right shape and dtype, C-contiguous unless the spec says
        otherwise, no overlap with an argument); outputs not in it are new arrays. Raises ``DiagnosticError`` (PTG401 to
        PTG408) before anything is written, PTG408 also afterwards for an index that a kernel computed, and ``RunError``
        when a kernel fails; what the call writes is then undefined.
        """
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
                report = shared_chip(self.threads).run(self._entry, repeated.packed, policy=self.policy)
            except WrongIndexError as error:
                raise wrong_index(error, self._indices, repeated.dims, self.contract.name) from None
            self.last_run = report.seconds
            return results
        last.repeated = None
        call = self.bind(arguments, out)
        if out and self._repeatable(arguments, out, call):
            last.repeated = Repeated(arguments, out, call.packed, call.dims)
        self.last_run = call.run(shared_chip(self.threads)).seconds
        return call.results

    def _repeatable(self, arguments: Mapping[str, Any], out: Mapping[str, Any], call: BoundCall) -> bool:
        """Whether native code read the given arrays themselves, and wrote only into given ones."""
        held = [arguments[tensor.name] for tensor in self.contract.inputs]
        own = all(
            given is used or (isinstance(given, PackedWeight) and given.data is used)
            for given, used in zip(held, call.held, strict=True)
        )
        return own and all(out.get(tensor.name) is getattr(call.results, tensor.name) for _, tensor in self._fresh)

    def bind(self, arguments: Mapping[str, Any], out: Mapping[str, Any] | None = None) -> BoundCall:
        """A call with everything checked and ready to run, once, on any chip.

        The parameters and the faults are those of a call.
        """
        contract = self.contract
        attrs = {name: arguments[name] for name in self._attr_names & arguments.keys()}
        arrays = self._arrays({name: value for name, value in arguments.items() if name not in attrs})
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
        return BoundCall(contract.name, self._entry, packed, self.policy, ordered, tuple(held), sizes, self._indices)

    def _arrays(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Every argument as a numpy array or a packed weight."""
        arrays = {
            name: value if isinstance(value, PackedWeight) else as_array(name, value)
            for name, value in arguments.items()
        }
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

        attrs = {name: arguments.pop(name) for name in self._attr_names & arguments.keys()}
        arrays = self._arrays(arguments)
        self.contract.bind(arrays)
        scalars = dict(zip((attr.name for attr in self.contract.attrs), self.contract.bind_attrs(attrs), strict=True))
        plain = {name: value.unpack() if isinstance(value, PackedWeight) else value for name, value in arrays.items()}
        plain |= {tensor.name: tensor.elements(plain[tensor.name]) for tensor in self.contract.inputs}
        outputs = interpret(self.program, plain, scalars)
        return self.results(*(tensor.in_bytes(outputs[tensor.name]) for tensor in self.contract.outputs))

    def example_inputs(self, seed: int = 7, **dims: int) -> dict[str, Any]:
        """Inputs from the generators of the spec's ``verify`` section, for these sizes of dynamic dims, as a call takes
        them."""
        from pyptogen.inputs.example import example_inputs

        arrays = example_inputs(self.spec, dims, seed, program=self.program)
        return {tensor.name: tensor.in_bytes(arrays[tensor.name]) for tensor in self.contract.inputs}

    def __repr__(self) -> str:
        return f"CompiledOperator({self.contract.name!r}, target={self.target!r}, threads={self.threads})"


def _span(array: Any) -> int:
    """Bytes from the first element of an array to its last."""
    if isinstance(array, PackedWeight) or array.flags.c_contiguous:
        return int(array.nbytes)
    return int(array.itemsize + sum((n - 1) * step for n, step in zip(array.shape, array.strides, strict=True)))


def entry_name(operator: str, target: str) -> str:
    """The symbol of an operator's entry function."""
    return f"{operator}_{target}"


def compile(
    spec: str | Path | Spec,
    target: str = "cpu",
    *,
    isa: str | Path | None = None,
    threads: int | None = None,
    portable: bool = False,
    checked: bool = False,
) -> CompiledOperator:
    """Lower a spec for a target, compile its kernels for this machine, and load them.

    ``isa`` is an installation of PTO-ISA to use instead of the bundled headers (PTO_ISA_ROOT may name one
    for targets other than ``cpu``); ``threads`` is the number of cores of the simulated chip (default: all
    processors of this process); ``portable`` uses no instruction beyond the baseline of the architecture;
    ``checked`` compiles in the checked mode of the bundled headers for the target, so that the first fault of a
    kernel is told on standard error and ends the process.
    Raises ``DiagnosticError`` for faults of the spec (PTG1xx to PTG3xx) and of the toolchain (PTG5xx).
    """
    from pyptogen.codegen import generate
    from pyptogen.lower.tensor import from_spec
    from pyptogen.lower.tensor.reading.targets import require_target
    from pyptogen.schema import Spec, load_spec
    from pyptogen.templates import wrapper_hpp

    if not isinstance(spec, (str, os.PathLike, Spec)):
        raise fault("PTG110", f"a spec cannot be a {type(spec).__name__}", None, expected="a path, or what was loaded")
    with gathering():
        loaded = spec if isinstance(spec, Spec) else load_spec(spec)
        program = from_spec(loaded)
    require_target(program, target)
    sources: dict[str, Traced] = {**traced_sources(generate(program, target))}
    sources["wrapper.hpp"] = wrapper_hpp.render(program, program.targets, Path(loaded.path).name)
    toolchain = make_toolchain(
        isa=None if checked else isa_root(isa, target),
        portable=portable,
        checked=target if checked else None,
        mixed=_is_mixed(target, sources),
    )
    return _link(loaded, program, target, sources, toolchain, threads, lambda: sources)


def load_generated(
    folder: str | Path,
    target: str = "cpu",
    *,
    isa: str | Path | None = None,
    threads: int | None = None,
    portable: bool = False,
) -> CompiledOperator:
    """The operator of a generated folder: its kernels as they are on disk, compiled for this machine;
    nothing is lowered.

    The arguments are those of ``compile``. Raises ``DiagnosticError``: PTG504 when the folder is not a
    generated one.
    """
    from pyptogen.lower.tensor import from_spec
    from pyptogen.lower.tensor.reading.targets import require_target
    from pyptogen.schema import load_spec

    root = Path(folder)
    specs = sorted(path for path in root.glob("*") if path.suffix in (".yaml", ".yml", ".toml"))
    if len(specs) != 1 or not (root / "wrapper.hpp").is_file():
        raise fault(
            "PTG504",
            f"{root} is not the generated folder of an operator",
            None,
            expected="what `pyptogen build` wrote",
        )
    with gathering():
        loaded = load_spec(specs[0])
        program = from_spec(loaded)
    require_target(program, target)
    paths = [
        root / "wrapper.hpp",
        root / target / "orchestration.cpp",
        *sorted((root / target / "kernels").glob("*.cpp")),
    ]
    if not paths[1].is_file():
        raise fault(
            "PTG504",
            f"{root} was not built for target `{target}`",
            None,
            fix=f"run `pyptogen build --target {target}`",
        )
    sources = {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in paths}
    toolchain = make_toolchain(isa=isa_root(isa, target), portable=portable, mixed=_is_mixed(target, sources))
    return _link(loaded, program, target, sources, toolchain, threads, lambda: _as_built(program, target, sources))


def _as_built(program: Program, target: str, sources: Mapping[str, str]) -> dict[str, Traced]:
    """Where the lines of the files of a generated folder come from, which somebody may have edited."""
    from pyptogen.codegen import generate
    from pyptogen.lower.origins import carried_over

    made = traced_sources(generate(program, target))
    return {path: carried_over(made[path], text) for path, text in sources.items() if path in made}


def _is_mixed(target: str, sources: Mapping[str, str]) -> bool:
    """Whether cube and vector cores run side by side."""
    return "pto/side_by_side.hpp" in sources[f"{target}/orchestration.cpp"]


def _link(
    spec: Spec,
    program: Program,
    target: str,
    sources: Mapping[str, str],
    toolchain: Toolchain,
    threads: int | None,
    traced: Callable[[], Mapping[str, Traced]],
) -> CompiledOperator:
    """``traced``: where the lines of the sources come from, asked for when they do not compile."""
    try:
        library = toolchain.shared_object(program.name, sources, [entry_name(program.name, target)])
    except DiagnosticError as error:
        known = traced()
        raise DiagnosticError(*(in_spec(diagnostic, known) for diagnostic in error.diagnostics)) from error
    return CompiledOperator(spec, program, target, library, threads or available_processors())
