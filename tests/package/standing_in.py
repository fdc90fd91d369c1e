"""Device packages compiled for this project's chip: the same `launch.cpp` and kernels, over a stand-in of a stream."""

from __future__ import annotations

from pathlib import Path

from pyptogen.lower.pipeline import lower
from pyptogen.lower.tensor import from_spec
from pyptogen.package.device_kernels import Entry
from pyptogen.package.device_package import operator_header, shared_text
from pyptogen.package.launches import DeviceOperator, device_operator
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.sources import entry_name
from pyptogen.runtime.toolchain.build import make_toolchain
from pyptogen.schema import load_spec
from pyptogen.schema.spec import Spec

SPECS = Path(__file__).resolve().parents[2] / "specs"
THREADS = 3
"""More than one, so that blocks of a launch run at a time, and launches would if nothing ordered them."""

CONDITIONS = """\
pyptogen: 1
operator: run_time_if
dims:
  t: {min: 1, max: 4096}
  d: 48
attrs:
  flag: {type: int32, default: 1}
inputs:
  x: fp32[t, d]
  count: int32[1]
outputs:
  y: fp32[t, d]
  z: fp32[t, d]
graph:
  small:
    if: t <= 32
    y: x * 2
  large:
    if: {t: "> 32"}
    s: sum(abs(x), axis=-1, keepdim=true)
    y: x / s
  first:
    z: y + 1 + cast(count, fp32)
  relu_it:
    if: flag != 0
    w: relu(z)
    z: w * y
tiling:
  - {}
"""


def packaged(spec: Spec, target: str) -> DeviceOperator:
    """An operator in the form of a package."""
    return device_operator(lower(from_spec(spec), target))


def on_chip(spec_file: Path, target: str = "a2a3") -> CompiledOperator:
    """An operator whose calls go through the `launch.cpp` of its package."""
    spec = load_spec(spec_file)
    operator = packaged(spec, target)
    library = make_toolchain().shared_object(operator.name, sources(operator), [entry_name(operator.name, target)])
    return CompiledOperator(spec, from_spec(spec), target, library, THREADS)


def sources(operator: DeviceOperator) -> dict[str, str]:
    """What the stand-in is compiled from: the package but for `entries/`, in whose place stands what puts a kernel on
    the chip. A mixed kernel is compiled twice, as on a device: once a kind of core. The launches and the entry that
    calls them are one unit: both read the host API, a second and more of standard headers."""
    name = operator.name
    found = {
        "pyptogen_launch.hpp": shared_text("pyptogen_launch.hpp"),
        f"{name}/{name}.h": operator_header(operator, "spec.yaml"),
        f"{name}/launch.inc": operator.launch,
        "stream.hpp": STREAM,
        "call.cpp": _call(operator),
    }
    entries = {entry.function: entry for entry in operator.kernels.entries()}
    for kernel, text in operator.kernels.files().items():
        entry = next(one for one in entries.values() if f"void {one.function}(" in text)
        found[f"{name}/kernels/{kernel}.inc"] = text
        found[f"{name}/entries/{kernel}.cpp"] = _entry(kernel, entry)
        if entry.core == "mixed":
            for kind, other in (("cube", "VEC"), ("vector", "CUBE")):
                found[f"{name}/entries/{kernel}_{kind}.cpp"] = (
                    f"#undef __DAV_{other}__\n#define {entry.function} {entry.function}_on_{kind}\n"
                    f'#include "../kernels/{kernel}.inc"\n'
                )
    return found


STREAM = """\
#pragma once
#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>
// A stream is an order of launches.
struct Stream {
    pto_rt::Runtime &chip;
    pto_rt::Launch last;
};
#define STREAM(stream) (*static_cast<Stream *>(stream))
"""


def _entry(kernel: str, entry: Entry) -> str:
    """What puts a kernel on the chip."""
    given = ", ".join(f"({kind}){name}" if kind.endswith("*") else name for kind, name in entry.parameters)
    parameters = ", ".join(entry.on_device)
    lines = ['#include "../../stream.hpp"']
    if entry.core == "mixed":
        lines += [f'extern "C" void {entry.function}_on_{kind}({parameters});' for kind in ("cube", "vector")]
        halves = (f"[=] {{ {entry.function}_on_{kind}({given}); }}" for kind in ("cube", "vector"))
        body = f"pto_rt::side_by_side<2>({', '.join(halves)});"
    else:
        lines += [f'#include "../kernels/{kernel}.inc"']
        body = f"{entry.function}({given});"
    return "\n".join(
        [
            *lines,
            f'extern "C" void {entry.function}_on_stream(void *stream, uint32_t blocks, {", ".join(entry.on_host)})',
            "{",
            "    auto &on = STREAM(stream);",
            f'    on.last = on.chip.launch("{kernel}", pto_rt::Core::{entry.core.capitalize()}, blocks, '
            f"[=] {{ {body} }}, {{on.last}});",
            "}\n",
        ]
    )


def _call(operator: DeviceOperator) -> str:
    """The entry that the chip calls: it asks for the workspace, sees that less is refused, and calls."""
    name, target = operator.name, operator.lowered.target
    sizes = ", ".join(f"args.{one.field}" for one in operator.arguments if one.kind == "size")
    members = "".join(f"    {one.declared};\n" for one in operator.arguments)
    given = ", ".join(f"args.{one.field}" for one in operator.arguments)
    return f"""\
#include "{name}/launch.inc"
#include <atomic>
#include <stdexcept>
#include <acl/acl.h>
#include "stream.hpp"
#include "{name}/{name}.h"
struct Call {{
{members}}};
extern "C" void {entry_name(name, target)}(pto_rt::Runtime &rt, const Call &args)
{{
    pto::cpu_sim::device_cube_cores = rt.cores(pto_rt::Core::Cube);
    Stream stream{{rt, {{}}}};
    const int64_t bytes = {name}_workspace_bytes({sizes});
    if (bytes < 0) throw std::runtime_error("no size of the workspace");
    if (bytes > 0 && {name}_launch(&stream, nullptr, bytes - 1, {given}) != -1) throw std::runtime_error("not refused");
    if (stream.last.id != 0) throw std::runtime_error("launched without a workspace");
    if ({name}_launch(&stream, rt.workspace(bytes), bytes, {given}) != 0) throw std::runtime_error("not launched");
}}
"""


def local_entry(operator: DeviceOperator) -> dict[str, str]:
    """Files that stand in place of `entries/` in a program of its own: a launch runs block after block when it is made,
    as on a device that is never behind. By paths in a package."""
    found = {}
    entries = {entry.function: entry for entry in operator.kernels.entries()}
    for kernel, text in operator.kernels.files().items():
        entry = next(one for one in entries.values() if f"void {one.function}(" in text)
        folder = f"{operator.name}/entries"
        if entry.core == "mixed":
            for kind, other in (("cube", "VEC"), ("vector", "CUBE")):
                found[f"{folder}/{kernel}_{kind}.cpp"] = (
                    f"#include <pto/pto-inst.hpp>\n#undef __DAV_{other}__\n"
                    f"#define {entry.function} {entry.function}_on_{kind}\n"
                    f'#include "../kernels/{kernel}.cpp"\n'
                )
        text = _entry(kernel, entry).replace('#include "../../stream.hpp"', _LOCAL).replace(".inc", ".cpp")
        found[f"{folder}/{kernel}_local.cpp"] = text
    return found


_LOCAL = """\
#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>
struct Chip {
    template <class Body>
    int launch(const char *, pto_rt::Core, uint32_t blocks, Body body, std::initializer_list<int>)
    {
        pto_rt::detail::run_blocks<Body>(&body, 0, blocks);
        return 0;
    }
};
struct Stream {
    Chip chip;
    int last = 0;
};
static Stream stream_of_all;
#define STREAM(stream) stream_of_all
"""
