"""The kernels of an operator as a device's compiler takes them: one entry for a mixed kernel, called by its launch, and
names that no other operator of a library has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pyptogen.codegen.generate import KernelWriter
from pyptogen.diagnostics import fault
from pyptogen.lower.artifacts import Lowered
from pyptogen.lower.execution.ir import LaunchPlan
from pyptogen.lower.instruction.ir import InstrKernel
from pyptogen.lower.origins import Traced
from pyptogen.lower.platforms import PLATFORMS, Platform
from pyptogen.lower.tensor.ir import CoreKind
from pyptogen.package.stamp import STAMP
from pyptogen.templates.environment import render
from pyptogen.templates.kernel_entry import FLAGS, entry_parameters, parameters_of
from pyptogen.templates.spelling import spelled


@dataclass(frozen=True, slots=True)
class Entry:
    """A function that a launch runs: its name, and type and name of each of its parameters. The ``arguments`` of a
    mixed kernel are what its launch calls them."""

    function: str
    core: CoreKind
    parameters: tuple[tuple[str, str], ...]

    @property
    def arguments(self) -> tuple[str, ...]:
        return tuple(name for _, name in self.parameters)

    @property
    def on_device(self) -> list[str]:
        """The parameters of the kernel."""
        return [_declared(kind, name) for kind, name in self.parameters]

    @property
    def on_host(self) -> list[str]:
        """Those of the function that puts it on a stream."""
        return [_declared("void *" if kind.endswith("*") else kind, name) for kind, name in self.parameters]


def _declared(kind: str, name: str) -> str:
    return f"{kind}{'' if kind.endswith('*') else ' '}{name}"


def _typed(parameter: str) -> tuple[str, str]:
    """Type and name of a parameter of C++: all its types end in a star or are one word."""
    at = parameter.rindex("*") + 1 if "*" in parameter else parameter.rindex(" ")
    return parameter[:at], parameter[at:].strip()


class DeviceKernels:
    """The kernels of one operator for one device. ``plans`` are the launches, in the names that C++ has for them.

    Raises PTG701 for a mixed kernel that has one vector core beside its cube core: a device has two.
    """

    def __init__(self, lowered: Lowered, plans: tuple[tuple[LaunchPlan, ...], ...]) -> None:
        self.lowered = lowered
        self.platform: Platform = PLATFORMS[lowered.target]
        self.writer = KernelWriter(lowered, prefix=f"{lowered.name}_")
        self.kernels: Mapping[str, InstrKernel] = {kernel.name: kernel for kernel in lowered.walked}
        self._mixed = {launch.kernel: launch for plan in plans for launch in plan if launch.programs}
        for launch in self._mixed.values():
            self._require_two_lanes(launch)

    def _require_two_lanes(self, launch: LaunchPlan) -> None:
        _, (vector, _) = launch.programs
        if self.kernels[vector].subblock is None:
            raise fault(
                "PTG701",
                f"the mixed kernel `{launch.kernel}` runs on one vector core beside its cube core",
                launch.span,
                expected="two vector cores beside each cube core, as the device has them",
                fix="leave out `vector_cores` of the mixed stage, or keep its stages apart",
            )

    @cached_property
    def mixed(self) -> dict[str, Entry]:
        """The entries of mixed kernels, by the name of their launch."""
        return {name: self._entry(launch) for name, launch in self._mixed.items()}

    def _entry(self, launch: LaunchPlan) -> Entry:
        types: dict[str, str] = {}
        for kernel, names in launch.programs:
            parameters = parameters_of(spelled(self.kernels[kernel])[0])
            types |= {name: _typed(text)[0] for name, text in zip(names, parameters, strict=True)}
        flags = ("__gm__ uint64_t *", FLAGS)
        function = f"{self.lowered.name}_{launch.kernel}"
        return Entry(function, "mixed", (flags, *((kind, name) for name, kind in types.items())))

    def entries(self) -> list[Entry]:
        """Every function that a launch runs."""
        found = [self._of_one_core(kernel) for kernel in self.writer.own if not kernel.fifos]
        return [*found, *self.mixed.values()]

    def _of_one_core(self, kernel: InstrKernel) -> Entry:
        parameters = entry_parameters(spelled(kernel)[0], self.platform)
        return Entry(self.writer.functions[kernel.name], kernel.core, tuple(map(_typed, parameters)))

    def starters(self) -> dict[str, Traced]:
        """By the name of each kernel's file, the file that is compiled: the kernel, and the function of the host that
        puts it on a stream. They stand together because a compiler for devices must see both."""
        files = {kernel.name: self._of_one_core(kernel) for kernel in self.writer.own if not kernel.fifos} | self.mixed
        return {
            name: render("package/entry.cpp.j2", name=name, entry=entry, stamp=STAMP) for name, entry in files.items()
        }

    def files(self) -> dict[str, Traced]:
        """The text of each kernel's file, by its name without an ending."""
        found = {k.name: self.writer.text(k) for k in self.writer.own if not k.fifos}
        return found | {name: self._mixed_text(launch) for name, launch in self._mixed.items()}

    def kinds(self) -> dict[str, CoreKind]:
        """The kind of core of each file of `files`."""
        found: dict[str, CoreKind] = {k.name: k.core for k in self.writer.own if not k.fifos}
        return found | dict.fromkeys(self._mixed, "mixed")

    def _mixed_text(self, launch: LaunchPlan) -> Traced:
        programs = [(self.kernels[kernel], names) for kernel, names in launch.programs]
        (cube, _), (vector, _) = programs
        calls = []
        for kernel, names in programs:
            given = [*names, "static_cast<int32_t>(get_block_idx())"]
            calls.append(
                (kernel.name, [*given, "static_cast<int32_t>(get_subblockid())"] if kernel.subblock else given)
            )
        entry = self.mixed[launch.kernel]
        return render(
            "package/mixed_kernel.cpp.j2",
            name=launch.kernel,
            operator=self.lowered.name,
            platform=self.lowered.target,
            stamp=STAMP,
            cube=self.writer.text(cube, "program"),
            vector=self.writer.text(vector, "program"),
            function=entry.function,
            parameters=entry.on_device,
            flags=FLAGS,
            calls=calls,
        )
