"""The files of a library for C and C++: `pyptogen build SPEC… --target cpu --package DIR`."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pyptogen._version import __version__
from pyptogen.diagnostics import fault
from pyptogen.lower.tensor import from_spec
from pyptogen.lower.tensor.reading.targets import chosen_targets
from pyptogen.package.library_operator import TARGET, LibraryOperator, levels
from pyptogen.package.of_all import of_all
from pyptogen.package.stamp import STAMP
from pyptogen.runtime import native
from pyptogen.runtime.toolchain.build import APART, BODIES, COMMON, OPTIMISATION, PREFIX
from pyptogen.runtime.toolchain.compiler import OLDEST
from pyptogen.runtime.toolchain.headers import bundled_headers
from pyptogen.schema.c_names import is_keyword
from pyptogen.schema.spec import Spec
from pyptogen.templates.environment import render

_TEMPLATES = Path(__file__).parents[1] / "templates" / "package"
_PUBLIC = {
    "status.h": "cpp/status.h",
    "elements.hpp": "cpp/elements.hpp",
    "tensor.hpp": "cpp/tensor.hpp",
    "shapes.hpp": "cpp/shapes.hpp",
    "sizes.hpp": "pyptogen_sizes.hpp",
}
"""Headers that all libraries share, and the texts that they are."""
_NATIVE = (
    "chip.cpp",
    "kernel_thread.cpp",
    "regions.cpp",
    "threaded_chip.cpp",
    "trace.cpp",
    "trace_files.cpp",
    "trace_log.cpp",
)
"""Of the scheduler, what a library compiles: the rest is for Python."""
_EXPORTS = "{ global: pyptogen_entries; local: *; };\n"
_FUNCTIONS = ("context", "create", "destroy", "message", "level", "packed_bytes", "pack")
"""What a library has beside its operators, behind its name."""
_TAKEN = ("std", "pyptogen", "pto", "pto_rt")


def cmake_package(specs: Sequence[Spec], library: str) -> dict[str, bytes]:
    """All files of a library, by their paths in its folder.

    Args:
        specs: its operators.
        library: its name, a word of C++: of the CMake target, of the namespace, and before each function of C.

    Raises ``DiagnosticError``: what lowering finds, PTG218 for an operator that is not made for the target `cpu`,
    PTG704 for two functions of one name, PTG706 for a check that C++ has no form for.
    """

    def one(spec: Spec) -> tuple[Spec, LibraryOperator]:
        program = from_spec(spec)
        chosen_targets(program, [TARGET], False)
        return spec, LibraryOperator(program, library)

    found = of_all(specs, one)
    _functions_apart(found)
    files = {path: text if isinstance(text, bytes) else text.encode() for path, text in _texts(found, library)}
    files["package.json"] = _manifest([spec for spec, _ in found], library, files)
    return files


def _functions_apart(found: Sequence[tuple[Spec, LibraryOperator]]) -> None:
    """Raises PTG704 for functions of one name: all are of one library."""
    owner: dict[str, str] = {}
    for spec, operator in found:
        if operator.name in _FUNCTIONS:
            raise _one_name(spec, operator.function, "the library")
        for function in operator.functions:
            if function in owner:
                raise _one_name(spec, function, f"`{owner[function]}`")
            owner[function] = operator.name


def _one_name(spec: Spec, function: str, other: str) -> Exception:
    return fault(
        "PTG704",
        f"`{spec.name}` and {other} both have a function `{function}`",
        spec.span,
        expected="one function of a name in a library",
        fix="rename an operator or a stage, or package them apart",
    )


def _texts(found: Sequence[tuple[Spec, LibraryOperator]], library: str) -> Iterator[tuple[str, str | bytes]]:
    specs = [Path(spec.span.file).name for spec, _ in found]
    known = levels()
    common: dict[str, Any] = {
        "library": library,
        "stamp": STAMP,
        "specs": specs,
        "operators": [operator.view() for _, operator in found],
    }
    yield f"include/{library}/{library}.h", render("package/cpp/api.h.j2", **common, levels=[one[0] for one in known])
    yield f"include/{library}/wrapper.hpp", render("package/cpp/wrapper.hpp.j2", **common)
    for name, path in _PUBLIC.items():
        yield f"include/pyptogen/{name}", (_TEMPLATES / path).read_text(encoding="utf-8")
    x86 = [(name, needs) for name, needs, _ in known]
    yield "src/entries.cpp", render("package/cpp/entries.cpp.j2", **common, x86=x86)
    yield "src/level.cpp", render("package/cpp/level.cpp.j2", **common)
    for name in ("call.hpp", "call.cpp"):
        yield f"src/{name}", (_TEMPLATES / "cpp" / name).read_text(encoding="utf-8")
    yield "src/prefix.hpp", f"// What every kernel begins with, precompiled.\n{APART}{PREFIX}"
    yield "src/bodies.cpp", f"// Bodies of PTO-ISA that all kernels share.\n{BODIES}"
    yield "src/exports.map", _EXPORTS
    for spec, operator in found:
        for path, text in operator.files(Path(spec.span.file).name).items():
            yield f"src/{operator.name}/{path}", text
    yield from _runtime()
    yield (
        "CMakeLists.txt",
        render(
            "package/cpp/CMakeLists.txt.j2",
            **common,
            version=_cmake_version(),
            oldest=OLDEST,
            native=_NATIVE,
            options=["-w", OPTIMISATION, "-fno-fast-math", *(flag for flag in COMMON if flag not in ("-w", "-fPIC"))],
            x86=[(name, _own_flags(flags, "-march=x86-64")) for name, _, flags in known],
            portable=known[-1][2],
        ),
    )
    yield "cmake/pyptogenConfig.cmake", (_TEMPLATES / "cpp" / "pyptogenConfig.cmake").read_text(encoding="utf-8")
    yield "README.md", render("package/cpp/README.md.j2", **common)


def _own_flags(flags: Sequence[str], baseline: str) -> list[str]:
    """The flags of a level, which decide over the processor whatever the project around a library says."""
    chosen = any(flag.startswith("-march=") for flag in flags)
    return [*flags] if chosen else [baseline, "-mtune=generic", *flags]


def _runtime() -> Iterator[tuple[str, bytes]]:
    """PTO-ISA for CPUs, and the scheduler."""
    for name, data in bundled_headers().own:
        yield f"src/isa/{name}", data
    folder = Path(native.__file__).parent
    for path in sorted(folder.glob("*.hpp")):
        yield f"src/native/{path.name}", path.read_bytes()
    for name in _NATIVE:
        yield f"src/native/{name}", (folder / name).read_bytes()


def _cmake_version() -> str:
    """The version in numbers: CMake takes nothing else."""
    return ".".join(re.findall(r"\d+", __version__)[:3])


def _manifest(specs: Sequence[Spec], library: str, files: Mapping[str, bytes]) -> bytes:
    content = {
        "format": 1,
        "made_by": STAMP,
        "library": library,
        "target": TARGET,
        "operators": {
            spec.name: {
                "file": Path(spec.span.file).name,
                "sha256": hashlib.sha256(Path(spec.span.file).read_bytes()).hexdigest(),
            }
            for spec in specs
        },
        "files": {path: hashlib.sha256(data).hexdigest() for path, data in sorted(files.items())},
    }
    return (json.dumps(content, indent=2, sort_keys=True) + "\n").encode()


def library_name(folder: Path) -> str:
    """What a library is called: as its folder is."""
    name = re.sub(r"\W+", "_", folder.resolve().name, flags=re.ASCII).strip("_").lower()
    plain = re.match(r"[a-z]", name) and not is_keyword(name) and name not in _TAKEN
    return name if plain else f"pyptogen_{name}".rstrip("_")
