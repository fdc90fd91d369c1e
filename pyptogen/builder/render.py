"""From a spec to the bytes of its generated folder, in memory; nothing is written here."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from pyptogen import plugins
from pyptogen.builder.dump import dump_to
from pyptogen.builder.fingerprint import MANIFEST, sha256
from pyptogen.builder.rendered import Rendered
from pyptogen.builder.source_map import SOURCE_MAP, render_map
from pyptogen.diagnostics import Diagnostic, DiagnosticError, fault, gathering
from pyptogen.regular_files import read_regular

if TYPE_CHECKING:
    from pyptogen.codegen import Generated
    from pyptogen.lower.origins import Traced
    from pyptogen.lower.tensor.ir import Program
    from pyptogen.schema.spec import Spec


def render_operator(
    spec_path: Path,
    targets: Collection[str] | None = None,
    dump_ir: Path | None = None,
    verify_each: bool = False,
    lenient: bool = False,
) -> Rendered:
    """Load a spec, lower it for every target, and render all of its files.

    ``targets`` None means those that the spec declares. ``dump_ir`` is a folder that takes the text of every level
    after every pass, in ``<operator>/tensor/`` and ``<operator>/<target>/``; ``verify_each`` checks the legality of the
    Tensor level after each pass (the levels below always check); ``lenient`` leaves out targets that the spec does not
    have. Raises ``DiagnosticError`` for any fault of the spec.
    """
    from pyptogen.runtime.operator.call import CallRules
    from pyptogen.schema import load_spec
    from pyptogen.schema.source import check_file_name
    from pyptogen.templates import harness, manifest, wrapper_hpp, wrapper_py

    with gathering():
        spec = load_spec(spec_path)
        program = _tensor_level(spec, dump_ir, verify_each)
    lowered = lower_targets(program, targets, dump_ir, lenient)
    if not lowered:
        return Rendered(program.name, {})
    built, name = tuple(lowered), spec_path.name
    texts = _sources(lowered)
    texts["wrapper.hpp"] = wrapper_hpp.render(program, built, name)
    texts["wrapper.py"] = wrapper_py.render(program, built, name)
    texts[f"test_{program.name}.py"] = harness.render(program, spec.verify.cases, built, name)
    files = {path: text.encode() for path, text in texts.items()}
    files[SOURCE_MAP] = render_map(program.name, spec_path, texts).encode()
    # The spec and what it includes travel with the kernels: the folder can be run and verified wherever it is put.
    includes = [Path(file) for file in spec.includes]
    root = spec_path.resolve().parent
    for path, beside in [
        (spec_path, name),
        *((path, path.resolve().relative_to(root).as_posix()) for path in includes),
    ]:
        check_file_name(beside)
        if beside in files or beside == MANIFEST:
            raise fault(
                "PTG113",
                f"`{beside}` has the name of a file that the build writes",
                spec.span,
                expected="a spec, and files beside it, that are called otherwise",
                fix="rename it",
            )
        files[beside] = read_regular(path)
    files |= _of_plug_ins(program, built, files)
    rules = CallRules.from_program(program).data()
    hashes = {path: sha256(data) for path, data in files.items()}
    files[MANIFEST] = manifest.render(program, lowered, hashes, rules, spec.verify.cases).encode()
    notes = tuple(note for result in lowered.values() for note in result.notes)
    return Rendered(program.name, files, notes, tuple(includes))


def _of_plug_ins(program: Program, targets: tuple[str, ...], taken: Collection[str]) -> dict[str, bytes]:
    """Further files that plug-ins give. Raises PTG518 for a name that is taken, and PTG519 for one that leads out of
    the folder."""
    found: dict[str, bytes] = {}
    for name, files in plugins.load("files").items():
        for path, text in files(program, targets).items():
            if path in taken or path in found or path == MANIFEST:
                points = [point for point in plugins.installed("files") if point.name == name]
                raise plugins.clash("generated files", path, points)
            parts = PurePosixPath(path).parts
            if not parts or PurePosixPath(path).is_absolute() or ".." in parts:
                raise fault("PTG519", f"the plug-in `{name}` gives the file `{path}`", None, expected="a relative path")
            found[path] = text.encode()
    return found


def _tensor_level(spec: Spec, dump_ir: Path | None, verify_each: bool) -> Program:
    from pyptogen.lower.tensor import from_spec, print_program

    if dump_ir is None:
        return from_spec(spec, verify_each=verify_each)
    dump = dump_to(dump_ir / spec.name / "tensor")
    order = count()

    def write(name: str, program: Program) -> None:
        dump(f"{next(order):02d}-tensor-{name}", print_program(program))

    return from_spec(spec, write, verify_each)


def lower_targets(
    program: Program, targets: Collection[str] | None = None, dump_ir: Path | None = None, lenient: bool = False
) -> dict[str, Generated]:
    """The program lowered for each target, in the order of the spec; ``targets`` and ``lenient`` as in
    `chosen_targets`.

    Raises ``DiagnosticError``: PTG218 for a target that the spec does not declare, and what lowering finds for all
    targets.
    """
    from pyptogen.lower.tensor.reading.targets import chosen_targets

    lowered: dict[str, Generated] = {}
    found: list[Diagnostic] = []
    for target in chosen_targets(program, targets, lenient):
        try:
            lowered[target] = _lower(program, target, dump_ir)
        except DiagnosticError as error:
            found += error.diagnostics
    if found:
        raise DiagnosticError(*dict.fromkeys(found))
    return lowered


def _lower(program: Program, target: str, dump_ir: Path | None) -> Generated:
    from pyptogen.codegen import generate

    dump = None if dump_ir is None else dump_to(dump_ir / program.name / target)
    return generate(program, target, dump=dump)


def _sources(lowered: Mapping[str, Generated]) -> dict[str, Traced]:
    """C++ by relative path, and PTO assembly of the same kernels where the assembler has what they use: a file for each
    kernel, with both programs of a mixed one."""
    from pyptogen.lower.instruction.side_by_side import pairs
    from pyptogen.lower.spec_lines import spec_lines
    from pyptogen.templates.pto_text import lacks, pto_text

    texts: dict[str, Traced] = {}
    for target, result in lowered.items():
        source = spec_lines()
        given = {hand.name: hand for hand in result.program.kernels}
        written = {kernel.name for kernel in result.kernels}
        for instructions in result.instructions:
            if instructions.name in written and not instructions.fifos and not lacks(instructions):
                texts[f"pto/{target}-{instructions.name}.pto"] = pto_text(
                    instructions, result.name, source, by_hand=given.get(instructions.stages[0])
                )
        for cube, vector in pairs(result.instructions):
            if not lacks(cube, vector):
                name = cube.name.removesuffix("_cube")
                texts[f"pto/{target}-{name}.pto"] = pto_text(cube, result.name, source, vector)
        for kernel in result.kernels:
            texts[f"{target}/kernels/{kernel.name}.cpp"] = kernel.text
        texts[f"{target}/orchestration.cpp"] = result.orchestration
    return texts
