"""Device packages compiled for this project's chip: the same `launch.cpp` and kernels, over a stand-in of the device's
runtime (`standin.hpp`)."""

from __future__ import annotations

from pathlib import Path

from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.package.device_kernels import MixedEntry
from pyptogen.package.launches import DeviceOperator, device_operator
from pyptogen.package.write import operator_header, shared_header
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.schema import load_spec
from pyptogen.schema.spec import Spec

HERE = Path(__file__).parent
THREADS = 3
"""More than one, so that blocks of a launch run at a time, and launches would if nothing ordered them."""


def packaged(spec: Spec, target: str) -> DeviceOperator:
    """An operator in the form of a package."""
    return device_operator(lower(from_spec(spec), target))


def on_chip(spec_file: Path, target: str = "a2a3") -> CompiledOperator:
    """An operator whose calls go through the `launch.cpp` of its package."""
    spec = load_spec(spec_file)
    operator = packaged(spec, target)
    library = make_toolchain().shared_object(operator.name, sources(operator), [entry_name(operator.name, target)])
    return CompiledOperator(spec, operator.lowered.program, target, library, THREADS)


def sources(operator: DeviceOperator) -> dict[str, str]:
    """What the stand-in is compiled from. A mixed kernel is compiled twice, as on a device: once a kind of core."""
    name, mixed = operator.name, operator.kernels.mixed
    found = {
        "standin.hpp": (HERE / "standin.hpp").read_text(),
        "pyptogen_launch.hpp": shared_header(),
        f"{name}/{name}.h": operator_header(operator, "spec.yaml"),
        f"{name}/launch.inc": operator.launch,
        "glue.cpp": glue(operator),
    }
    for kernel, text in operator.kernels.files().items():
        if kernel not in mixed:
            found[f"{name}/kernels/{kernel}.cpp"] = text
            continue
        found[f"{name}/kernels/{kernel}.inc"] = text
        for kind, other in (("cube", "VEC"), ("vector", "CUBE")):
            function = mixed[kernel].function
            found[f"{name}/kernels/{kernel}_{kind}.cpp"] = (
                f"#undef __DAV_{other}__\n#define {function} {function}_on_{kind}\n#include \"{kernel}.inc\"\n"
            )
    return found


def glue(operator: DeviceOperator) -> str:
    """How a block of each kernel runs, and the entry that the chip calls."""
    name, target = operator.name, operator.lowered.target
    mixed = {entry.function: entry for entry in operator.kernels.mixed.values()}
    lines = ['#include "standin.hpp"']
    for function, _ in operator.kernels.entries():
        if function in mixed:
            lines += _mixed(mixed[function])
        else:
            lines.append(f"#define RUN_{function}(...) {function}(__VA_ARGS__)")
    fields = [one.field for one in operator.arguments]
    sizes = ", ".join(f"args.{one.field}" for one in operator.arguments if one.kind == "size")
    members = "".join(f"    {one.declared};\n" for one in operator.arguments)
    return "\n".join(
        [
            *lines,
            f'#include "{name}/launch.inc"',
            f"struct call {{\n{members}}};",
            f'extern "C" void {entry_name(name, target)}(pto_rt::Runtime &rt, const call &args)',
            "{",
            "    standin::chip = &rt;",
            "    standin::last = {};",
            f"    const int64_t bytes = {name}_workspace_bytes({sizes});",
            "    if (bytes < 0) throw bytes;",
            "    void *const workspace = rt.workspace(bytes);",
            f"    if (bytes > 0 && {name}_launch(nullptr, workspace, bytes - 1, "
            f"{', '.join(f'args.{field}' for field in fields)}) != pyptogen::kSmallWorkspace) throw -1;",
            f"    const int status = {name}_launch(nullptr, workspace, bytes, "
            f"{', '.join(f'args.{field}' for field in fields)});",
            "    if (status != 0) throw status;",
            "}\n",
        ]
    )


def _mixed(entry: MixedEntry) -> list[str]:
    parameters = ", ".join(entry.parameters)
    calls = [f"[=] {{ {entry.function}_on_{kind}(__VA_ARGS__); }}" for kind in ("cube", "vector")]
    declared = [f'extern "C" void {entry.function}_on_{kind}({parameters});' for kind in ("cube", "vector")]
    return [*declared, f"#define RUN_{entry.function}(...) pto_rt::side_by_side<2>({', '.join(calls)})"]
