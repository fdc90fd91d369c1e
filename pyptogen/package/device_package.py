"""The files of a device package: `pyptogen build SPEC… --target a2a3 --package DIR`."""

from __future__ import annotations

import hashlib
import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyptogen.codegen import lowered
from pyptogen.diagnostics import DiagnosticError, fault
from pyptogen.lower.tensor import from_spec
from pyptogen.package.arguments import Argument, own_names
from pyptogen.package.golden import GoldenCase, NoGolden, golden_case
from pyptogen.package.launches import DeviceOperator, device_operator
from pyptogen.package.of_all import of_all
from pyptogen.package.stamp import STAMP
from pyptogen.package.torch_operator import TorchOperator, torch_operator
from pyptogen.schema.spec import Spec
from pyptogen.templates.environment import render

_TEMPLATES = Path(__file__).parents[1] / "templates" / "package"
_SHARED = ("pyptogen_launch.hpp", "pyptogen_sizes.hpp", "pyptogen_check.hpp")
_CTYPES = {"int64_t": "ctypes.c_int64", "double": "ctypes.c_double"}


@dataclass(frozen=True, slots=True)
class Device:
    """What a compiler is told of a device: the name of each kind of core, the macro by which PTO-ISA tells its
    families apart, the tag of a container of CANN that has it, and the revision of PTO-ISA whose headers were read."""

    cores: Mapping[str, str]
    base: str
    container: str


DEVICES = {
    "a2a3": Device(
        {"vector": "dav-c220-vec", "cube": "dav-c220-cube", "mixed": "dav-c220"},
        "MEMORY_BASE",
        "9.1.0-910b-ubuntu22.04-py3.11",
    ),
    "a5": Device(
        {"vector": "dav-c310-vec", "cube": "dav-c310-cube", "mixed": "dav-c310"},
        "REGISTER_BASE",
        "9.1.0-950-ubuntu22.04-py3.11",
    ),
}
"""Sources: the CMake files of PTO-ISA's device tests, and the tags of the public containers of CANN."""
PTO_ISA = "3186c381 (2026-08-21)"
"""The revision of PTO-ISA that kernels are checked with (docs/isa/conformance.md)."""


@dataclass(frozen=True, slots=True)
class _Packaged:
    """An operator with all that the templates say of it; a reason where it has no test program or is not in torch."""

    spec: Spec
    operator: DeviceOperator
    golden: GoldenCase | NoGolden
    torch: TorchOperator | DiagnosticError

    @property
    def name(self) -> str:
        return self.operator.name


def device_package(specs: Sequence[Spec], target: str, library: str) -> dict[str, bytes]:
    """All files of a package, by their paths in it.

    Args:
        specs: the operators of the library.
        target: ``a2a3`` or ``a5``.
        library: the name of the library, a word of C.

    Raises ``DiagnosticError``: what lowering finds, PTG218 for an operator that is not made for the target, PTG701 and
    PTG702 for what a device has no form for, PTG704 for two functions of one name.
    """
    found = of_all(specs, lambda spec: _packaged(spec, target))
    _functions_apart(found)
    files = {path: text.encode() for path, text in _texts(found, target, library)}
    for one in found:
        if isinstance(one.golden, GoldenCase):
            files |= {f"{one.name}/data/{name}": data for name, data in one.golden.files.items()}
    files["package.json"] = _manifest(found, target, library, files)
    return files


def _packaged(spec: Spec, target: str) -> _Packaged:
    from pyptogen.lower.tensor.reading.targets import chosen_targets

    program = from_spec(spec)
    chosen_targets(program, [target], False)
    operator = device_operator(lowered(program, target))
    golden: GoldenCase | NoGolden
    torch: TorchOperator | DiagnosticError
    try:
        golden = golden_case(spec, program, target)
    except NoGolden as none:
        golden = none
    try:
        torch = torch_operator(operator)
    except DiagnosticError as error:
        torch = error
    return _Packaged(spec, operator, golden, torch)


def _said(error: DiagnosticError) -> str:
    """The finding in a few words, with the code that `pyptogen explain` takes."""
    found = error.diagnostics[0]
    return f"{found.message} ({found.code})"


def _functions_apart(found: Sequence[_Packaged]) -> None:
    """Raises PTG704 for functions of one name: all are of one library."""
    owner: dict[str, str] = {}
    for one in found:
        own = (f"{one.name}_launch", f"{one.name}_workspace_bytes")
        kernels = (entry.function for entry in one.operator.kernels.entries())
        for function in (*own, *kernels):
            if function in owner:
                raise fault(
                    "PTG704",
                    f"`{one.name}` and `{owner[function]}` both have a function `{function}`",
                    one.spec.span,
                    expected="one function of a name in a library",
                    fix="rename an operator or a stage, or package them apart",
                )
            owner[function] = one.name


def _texts(found: Sequence[_Packaged], target: str, library: str) -> Iterator[tuple[str, str]]:
    device = DEVICES[target]
    for name in _SHARED:
        yield name, shared_text(name)
    for one in found:
        yield f"{one.name}/{one.name}.h", operator_header(one.operator, Path(one.spec.span.file).name)
        yield f"{one.name}/launch.cpp", one.operator.launch
        for kernel, text in one.operator.kernels.files().items():
            yield f"{one.name}/kernels/{kernel}.cpp", text
        for kernel, text in one.operator.kernels.starters().items():
            yield f"{one.name}/entries/{kernel}.cpp", text
        if isinstance(one.golden, GoldenCase):
            yield f"{one.name}/main.cpp", main_text(one.operator, one.golden)
    common: dict[str, Any] = {"library": library, "target": target, "stamp": STAMP}
    views = [_view(one, device) for one in found]
    kinds = [
        (
            kind,
            device.cores[kind],
            [
                f"{one.name}/entries/{kernel}.cpp"
                for one in found
                for kernel, its in one.operator.kernels.kinds().items()
                if its == kind
            ],
        )
        for kind in device.cores
    ]
    yield "build.sh", render("package/build.sh.j2", **common, operators=views, base=device.base)
    filled = [kind for kind in kinds if kind[2]]
    yield (
        "CMakeLists.txt",
        render("package/CMakeLists.txt.j2", **common, operators=views, base=device.base, kinds=filled),
    )
    yield f"{library}.py", render("package/loader.py.j2", **common, operators=views)
    yield "compile-in-cann.yml", render("package/workflow.yml.j2", **common, container=device.container)
    in_torch = [one.torch for one in found if isinstance(one.torch, TorchOperator)]
    if in_torch:
        yield "torch_extension.cpp", render("package/torch_extension.cpp.j2", **common, operators=in_torch)
        yield f"{library}_torch.py", render("package/torch_ops.py.j2", **common, operators=in_torch)
    specs = [Path(one.spec.span.file).name for one in found]
    yield "README.md", render("package/README.md.j2", **common, operators=views, specs=specs)


def shared_text(name: str) -> str:
    """A header that all operators of a package share."""
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def operator_header(operator: DeviceOperator, spec_file: str) -> str:
    """The C header of an operator."""
    doc = " ".join(operator.lowered.program.doc.split()).replace("*/", "* /")
    sizes = [one for one in operator.arguments if one.kind == "size"]
    return render(
        "package/operator.h.j2",
        name=operator.name,
        target=operator.lowered.target,
        stamp=STAMP,
        spec_file=spec_file,
        doc=textwrap.wrap(doc, 110),
        sizes_declared=", ".join(one.declared for one in sizes),
        own=own_names(operator.arguments),
        arguments=operator.arguments,
    )


def main_text(operator: DeviceOperator, case: GoldenCase) -> str:
    """The test program of an operator."""
    variable = {one.name: f"{one.field}_array" for one in operator.arguments}
    outputs = [
        {
            **{key: getattr(output, key) for key in ("name", "dtype", "size", "table", "beyond", "inplace")},
            "variable": variable[output.inplace or output.name],
        }
        for output in case.outputs
    ]

    def given(argument: Argument) -> str:
        if argument.kind == "size":
            return f"INT64_C({case.dims[argument.name]})"
        if argument.kind == "scalar":
            return repr(case.attrs[argument.name])
        return f"{variable[argument.name]}.as<{argument.ctype.removeprefix('const ').removesuffix(' *')}>()"

    return render(
        "package/main.cpp.j2",
        name=operator.name,
        stamp=STAMP,
        case=_case(case),
        inputs=[
            {"name": one.name, "variable": variable[one.name]}
            for one in operator.arguments
            if one.kind in ("input", "updated")
        ],
        outputs=outputs,
        sizes=", ".join(str(case.dims[one.name]) for one in operator.arguments if one.kind == "size"),
        given=[given(one) for one in operator.arguments],
    )


def _case(case: GoldenCase) -> str:
    return ", ".join(f"{name} = {size}" for name, size in case.dims.items()) or "all sizes are fixed"


def _view(one: _Packaged, device: Device) -> dict[str, Any]:
    """What the templates of the whole library say of an operator."""
    arguments = one.operator.arguments
    sizes = [argument for argument in arguments if argument.kind == "size"]
    golden = one.golden
    return {
        "name": one.name,
        "kernels": [(name, device.cores[kind]) for name, kind in one.operator.kernels.kinds().items()],
        "tested": isinstance(golden, GoldenCase),
        "untested": str(golden) if isinstance(golden, NoGolden) else "",
        "case": _case(golden) if isinstance(golden, GoldenCase) else "",
        "in_torch": isinstance(one.torch, TorchOperator),
        "no_torch": _said(one.torch) if isinstance(one.torch, DiagnosticError) else "",
        "size_count": len(sizes),
        "example_sizes": ", ".join(size.name for size in sizes),
        "ctypes": [_CTYPES.get(argument.ctype, "ctypes.c_void_p") for argument in arguments],
        "python_sizes": "".join(f", {size.field}: int" for size in sizes),
        "python_arguments": ", ".join(
            f"{argument.field}: {'float' if argument.ctype == 'double' else 'int'}" for argument in arguments
        ),
        "python_names": ", ".join(argument.field for argument in arguments),
        "meaning": "; ".join(f"{argument.field}: {argument.meaning}" for argument in arguments),
    }


def _manifest(found: Sequence[_Packaged], target: str, library: str, files: Mapping[str, bytes]) -> bytes:
    specs = {
        one.name: {
            "file": Path(one.spec.span.file).name,
            "sha256": hashlib.sha256(Path(one.spec.span.file).read_bytes()).hexdigest(),
        }
        for one in found
    }
    content = {
        "format": 1,
        "made_by": STAMP,
        "library": library,
        "target": target,
        "pto_isa": PTO_ISA,
        "cann": DEVICES[target].container,
        "operators": specs,
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }
    return (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()


def library_name(folder: Path, specs: Sequence[Spec]) -> str:
    """What a library is called: as its folder is, or as its only operator."""
    if len(specs) == 1:
        return specs[0].name
    name = re.sub(r"\W+", "_", folder.resolve().name).strip("_").lower()
    return name if re.match(r"[a-z]", name) and name not in {spec.name for spec in specs} else f"pyptogen_{name}"
