"""Operators as scenes of the simpler runtime: orchestration, kernels with `kernel_entry`, a test with golden data."""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyptogen.codegen import lowered
from pyptogen.diagnostics import DiagnosticError, Span, fault
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import ExecutionGraph, LaunchPlan, Workspace
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.platforms import PLATFORMS
from pyptogen.lower.tensor import from_spec
from pyptogen.package.arguments import Argument, arguments_of
from pyptogen.package.golden import GoldenCase, NoGolden, golden_case
from pyptogen.package.launches import SIZE_OF, condition_of
from pyptogen.package.of_all import of_all
from pyptogen.package.stamp import STAMP
from pyptogen.package.torch_operator import TORCH_NAMES
from pyptogen.runtime.operator.contract import Contract
from pyptogen.schema.spec import Spec
from pyptogen.templates.cpp_names import C_TYPES, count_type
from pyptogen.templates.environment import Marks, render
from pyptogen.templates.orchestration import orchestration_values, wanted_blocks
from pyptogen.templates.spelling import spelled

TASK_TENSORS, TASK_SCALARS = 32, 16
CALL_TENSORS, CALL_SCALARS = 256, 128
KERNELS = 1024
RANK = 5
RING_BYTES = 256 << 20
"""Limits of the simpler runtime at 6ebaf771: `arg_direction.h`, and its documentation of rings."""

_CORE = {"vector": "aiv", "cube": "aic"}
_CORES_OF = {
    "vector": "rt_available_aiv_count()",
    "cube": "rt_available_cluster_count()",
    "mixed": "rt_available_cluster_count()",
}
__all__ = ["simpler_package"]


def simpler_package(specs: Sequence[Spec], target: str) -> dict[str, bytes]:
    """All files of a package, a folder an operator, by their paths in it.

    Raises ``DiagnosticError``: what lowering finds, PTG218, PTG702, PTG711 for kernels that this runtime does not run,
    and PTG712 for what is beyond its limits.
    """
    files: dict[str, bytes] = {}
    for scene in of_all(specs, lambda spec: _Scene(spec, target).files()):
        files |= scene
    manifest = {
        "format": 1,
        "form": "simpler",
        "made_by": STAMP,
        "target": target,
        "simpler": "6ebaf771 (2026-08-22)",
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }
    files["package.json"] = (json.dumps(manifest, indent=2, sort_keys=True) + "\n").encode()
    return files


def _beyond(what: str, limit: str, span: Span) -> DiagnosticError:
    return fault("PTG712", what, span, expected=f"{limit}, as the simpler runtime takes", fix="use the form `device`")


@dataclass(frozen=True, slots=True)
class _Call:
    """What a task is called with, by the names of its launch: ``tensors`` and whether they are written, ``fifos`` of a
    mixed kernel, whose programs share all arguments, ``numbers`` with their types; and for each kernel what each of
    its own arguments is."""

    tensors: Mapping[str, bool]
    fifos: tuple[Workspace, ...]
    numbers: Mapping[str, str]
    given: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, launch: LaunchPlan, kernels: Mapping[str, InstrKernel]) -> _Call:
        programs = launch.programs or ((launch.kernel, launch.arguments),)
        fifos = {fifo.name for fifo in launch.fifos}
        tensors: dict[str, bool] = {}
        numbers: dict[str, str] = {}
        for name, given in programs:
            kernel = kernels[name]
            scalars, writes = _scalars(kernel), {tensor.name for tensor in kernel.writes}
            for formal, actual in zip(kernel.arguments, given, strict=True):
                if formal in scalars:
                    numbers[actual] = _scalar_type(kernel, formal) or count_type(kernel.wide)
                elif actual not in fifos:
                    tensors[actual] = tensors.get(actual, False) or formal in writes
        return cls(tensors, launch.fifos, numbers, dict(programs))

    @property
    def memory(self) -> list[str]:
        """Tensors and fifos, in order."""
        return [*self.tensors, *(fifo.name for fifo in self.fifos)]

    def between(self, blocks: int) -> int:
        """Bytes of the fifos of so many blocks."""
        return sum(blocks * int(fifo.elements.c()) * SIZE_OF[C_TYPES[fifo.dtype]] for fifo in self.fifos)

    @property
    def ways(self) -> list[str]:
        """What a task does with each of them."""
        return [*("D.INOUT" if written else "D.IN" for written in self.tensors.values()), *["D.OUT"] * len(self.fifos)]


class _Scene:
    """One operator in this form."""

    def __init__(self, spec: Spec, target: str) -> None:
        from pyptogen.codegen.generate import KernelWriter
        from pyptogen.lower.tensor.reading.targets import chosen_targets

        self.spec, self.target = spec, target
        self.program = from_spec(spec)
        chosen_targets(self.program, [target], False)
        self.lowered: Lowered = lowered(self.program, target)
        self.name = self.lowered.name
        self.arguments = arguments_of(self.program)
        self.tensors = [one for one in self.arguments if one.ctype.endswith("*")]
        self.numbers = [one for one in self.arguments if not one.ctype.endswith("*")]
        self.writer = KernelWriter(self.lowered, told=True)
        self.kernels = {kernel.name: kernel for kernel in self.lowered.walked}
        self.first = {self.writer.functions[k.name]: k.name for k in reversed(self.writer.own)}
        self.numbered = {kernel.name: number for number, kernel in enumerate(self.writer.own)}
        launches = [launch for plan in self.lowered.execution.plans for launch in plan]
        self.calls = {name: _Call.of(launch, self.kernels) for launch in launches for name in launch.kernels}
        self._check()

    def _check(self) -> None:
        span = self.spec.span
        for kernel in self.lowered.walked:
            if kernel.fifos and kernel.core == "vector" and kernel.subblock is None:
                raise fault(
                    "PTG711",
                    f"the mixed kernel of `{kernel.name}` runs on one vector core beside its cube core",
                    kernel.span,
                    expected="two vector cores beside each cube core, as the device has them",
                    fix="leave out `vector_cores` of the mixed stage, or keep its stages apart",
                )
            if self.lowered.by_hand.source(kernel.name):
                what = f"`{kernel.name}` is C++ of its author, with an entry of its own"
                raise fault("PTG711", what, kernel.span, expected="generated kernels", fix="use the form `device`")
            call = self.calls[kernel.name]
            if len(call.memory) > TASK_TENSORS or len(call.numbers) > TASK_SCALARS:
                what = f"`{kernel.name}` has {len(call.memory)} tensors and {len(call.numbers)} numbers"
                raise _beyond(what, f"at most {TASK_TENSORS} tensors and {TASK_SCALARS} numbers a task", kernel.span)
        if len(self.tensors) > CALL_TENSORS or len(self.numbers) > CALL_SCALARS:
            what = f"`{self.name}` has {len(self.tensors)} tensors and {len(self.numbers)} numbers"
            raise _beyond(what, f"at most {CALL_TENSORS} tensors and {CALL_SCALARS} numbers a call", span)
        if len(self.writer.own) > KERNELS:
            raise _beyond(f"`{self.name}` has {len(self.writer.own)} kernels", f"fewer than {KERNELS}", span)
        for value in (*self.program.inputs, *(value for _, value in self.program.outputs)):
            if len(value.shape) > RANK:
                raise _beyond(f"`{value.name}` has {len(value.shape)} axes", f"at most {RANK}", value.span)
        self._check_memory()

    def _check_memory(self) -> None:
        """The values between kernels of every case of the spec fit a ring."""
        from pyptogen.inputs.sizes import case_dims, resolve_dims

        for case in self.spec.verify.cases or [{}]:
            sizes = resolve_dims(self.program, case_dims(self.spec, self.program, case))
            used = sum(
                space.elements.evaluate(sizes) * SIZE_OF[C_TYPES[space.dtype]]
                for space in self.lowered.execution.workspaces
            )
            used += max((call.between(PLATFORMS[self.target].cube_cores) for call in self.calls.values()), default=0)
            if used > RING_BYTES:
                what = f"a call with {dict(sizes)} keeps {used >> 20} MB between its kernels"
                raise _beyond(what, f"at most {RING_BYTES >> 20} MB, a ring", self.spec.span)

    def files(self) -> dict[str, bytes]:
        """Its files by their paths in the package."""
        texts = {f"kernels/orchestration/{self.name}.cpp": self._orchestration()}
        for kernel in self.writer.own:
            texts[f"kernels/{_CORE[kernel.core]}/{kernel.name}.cpp"] = self._kernel(kernel)
        files = {}
        try:
            case = golden_case(self.spec, self.program, self.target)
            texts[f"test_{self.name}.py"] = self._scene(case)
            files = {f"data/{name}": data for name, data in case.files.items()}
        except NoGolden as none:
            texts["NO_GOLDEN.txt"] = f"There is no scene test: {none}.\n"
        files |= {path: text.encode() for path, text in texts.items()}
        return {f"{self.name}/{path}": data for path, data in files.items()}

    def _kernel(self, kernel: InstrKernel) -> str:
        shown, program = spelled(kernel)[0], self.writer.text(kernel, "program")
        types = {tensor.name: C_TYPES[tensor.dtype] for tensor in shown.tensors}
        types |= {fifo.name: C_TYPES[fifo.dtype] for fifo in shown.fifos}
        call = self.calls[kernel.name]
        memory, numbers, given = call.memory, [*call.numbers], []
        for name, actual in zip(shown.arguments, call.given[kernel.name], strict=True):
            if actual in call.numbers:
                kind, place = _scalar_type(shown, name), len(memory) + numbers.index(actual)
                given.append(f"from_u64<{kind}>(static_cast<uint64_t>(args[{place}]))")
            else:
                given.append(f"first_element<{types[name]}>(args[{memory.index(actual)}])")
        given.append("get_block_idx(args)")
        if shown.subblock is not None:
            given.append("get_sub_block_id(args)")
        return render(
            "package/simpler_kernel.cpp.j2",
            name=kernel.name,
            core=kernel.core,
            operator=self.name,
            platform=self.target,
            stamp=STAMP,
            program=program,
            tensors=memory,
            scalars=numbers,
            given=given,
        )

    def _orchestration(self) -> str:
        names = {kernel.name: f"{self.name}_{kernel.name}" for kernel in self.lowered.walked}
        values = orchestration_values(self.lowered.execution, self.program, self.lowered.walked, names, Marks())
        graph: ExecutionGraph = values["graph"]
        places = {one.field: place for place, one in enumerate(self.tensors)}
        numbers = {one.field: place for place, one in enumerate(self.numbers)}
        return render(
            "package/simpler_orchestration.cpp.j2",
            **{key: values[key] for key in ("graph", "count", "launch_dim", "computed", "core_kinds", "cuts")},
            compares=values["compares"],
            most_blocks=values["most_blocks"],
            stamp=STAMP,
            arguments=self.arguments,
            tensor_names=[one.name for one in self.tensors],
            number_names=[one.name for one in self.numbers],
            dims=[(dim, numbers[field]) for dim, field in values["dims"]],
            attrs=[(name, ctype, self._number(value, numbers)) for name, ctype, value in values["attrs"]],
            tensors=[(name, places[field]) for name, _, field in values["tensors"]],
            workspaces=[
                (space.name, f"({space.elements.c(wide=True)}) * {SIZE_OF[C_TYPES[space.dtype]]}")
                for space in graph.workspaces
            ],
            cores_of={**_CORES_OF, "Core::Vector": _CORES_OF["vector"], "Core::Cube": _CORES_OF["cube"]},
            ranges=[
                (name, [self._launch(one, values["spelling"]) for one in plan], distributed)
                for (name, _, _, distributed), plan in zip(values["launch_ranges"], graph.plans, strict=True)
            ],
        )

    def _number(self, value: str, places: dict[str, int]) -> str:
        """The value of an attr, whose parts are numbers of the call."""
        floats = {one.field for one in self.numbers if one.ctype == "double"}

        def read(match: re.Match[str]) -> str:
            place = f"args.scalar({places[match[1]]})"
            return f"from_u64<double>({place})" if match[1] in floats else f"int64_t({place})"

        return re.sub(r"\bargs\.(\w+)", read, value)

    def _launch(self, launch: LaunchPlan, spelling: dict[str, str]) -> dict[str, Any]:
        call, blocks = self.calls[launch.kernels[0]], f"{launch.kernel}_blocks"
        numbers = {name: blocks if name == "nblk" else name for name in call.numbers}
        cores = [_CORE[self.kernels[name].core] for name in launch.kernels]
        return {
            "name": launch.kernel,
            "text": launch.text,
            "condition": condition_of(launch, self.lowered, spelling),
            "blocks": wanted_blocks(launch),
            "tensors": [*call.tensors.items()],
            "fifos": [
                (fifo.name, f"int64_t({blocks}) * ({fifo.elements.c()}) * {SIZE_OF[C_TYPES[fifo.dtype]]}")
                for fifo in call.fifos
            ],
            "scalars": [f"static_cast<{kind}>({numbers[name]})" for name, kind in call.numbers.items()],
            "after": [f"{name}_done" for name in launch.after],
            "numbers": dict(zip(cores, map(self._number_of, launch.kernels), strict=True)),
        }

    def _number_of(self, kernel: str) -> int:
        """By which tasks know a kernel."""
        return self.numbered[self.first[self.writer.functions[kernel]]]

    def _scene(self, case: GoldenCase) -> str:
        contract = Contract.from_program(self.program)
        by_name = {tensor.name: tensor for tensor in (*contract.inputs, *contract.outputs)}
        dtype_of = {name: TORCH_NAMES[str(tensor.dtype)] for name, tensor in by_name.items()}
        sizes = [case.dims[dim.name] for dim in contract.dims]
        tensors = (*contract.inputs, *contract.outputs)
        extents = [*contract.input_extents(*sizes), *contract.output_extents(*sizes)]
        shapes = {t.name: extent[: len(t.shape)] for t, extent in zip(tensors, extents, strict=True)}

        def value(one: Argument) -> str:
            dtype = f"torch.{dtype_of[one.name]}"
            if one.kind == "output":
                return f"torch.zeros({shapes[one.name]!r}, dtype={dtype})"
            return f'array("{one.name}", {dtype}, {(-1,) if by_name[one.name].layout == "nz" else shapes[one.name]!r})'

        # The simulator's headers have no fifos whose slots lie in GM.
        mixed = any(call.fifos for call in self.calls.values())
        platforms = [self.target] if mixed else [f"{self.target}sim", self.target]
        ways = {"input": "D.IN", "updated": "D.INOUT", "output": "D.OUT"}
        return render(
            "package/simpler_scene.py.j2",
            name=self.name,
            class_name="".join(part.capitalize() for part in self.name.split("_")),
            case=", ".join(f"{name} = {size}" for name, size in case.dims.items()),
            stamp=STAMP,
            doc=textwrap.shorten(" ".join(self.program.doc.split()).replace('"', "'"), 100),
            signature=[ways[one.kind] for one in self.tensors],
            kernels=[
                {
                    "number": self.numbered[kernel.name],
                    "name": kernel.name,
                    "core": _CORE[kernel.core],
                    "signature": self.calls[kernel.name].ways,
                }
                for kernel in self.writer.own
            ],
            platforms=platforms,
            tensors=[{"name": one.name, "value": value(one)} for one in self.tensors],
            numbers=[
                {
                    "name": one.name,
                    "ctype": "c_double" if one.ctype == "double" else "c_int64",
                    "value": repr(case.dims[one.name] if one.kind == "size" else case.attrs[one.name]),
                }
                for one in self.numbers
            ],
            outputs=[
                {
                    "name": output.name,
                    "argument": output.inplace or output.name,
                    "dtype": dtype_of[output.name],
                    "beyond": output.beyond,
                }
                for output in case.outputs
            ],
        )


def _scalars(kernel: InstrKernel) -> list[str]:
    """The arguments of a kernel that are numbers, in order."""
    tensors = {*(tensor.name for tensor in kernel.tensors), *(fifo.name for fifo in kernel.fifos)}
    return [name for name in kernel.arguments if name not in tensors]


def _scalar_type(kernel: InstrKernel, name: str) -> str:
    """The type of a number in C++."""
    known = dict(kernel.scalars)
    if name in known:
        return C_TYPES[known[name]]
    return "int32_t" if name == "nblk" else count_type(kernel.wide)
