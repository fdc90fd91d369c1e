"""From a spec, or from a generated folder, to a compiled operator."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pyptogen.diagnostics import DiagnosticError, fault, gathering
from pyptogen.processors import available_processors
from pyptogen.runtime.operator.call import CallRules
from pyptogen.runtime.operator.compiled import CompiledOperator
from pyptogen.runtime.operator.interpreted import interpreted, warn_of
from pyptogen.runtime.operator.prebuilt import is_prebuilt, load_prebuilt
from pyptogen.runtime.operator.sources import SourceOf
from pyptogen.runtime.operator.traced_sources import in_spec, traced_sources
from pyptogen.runtime.toolchain.compiler import has_compiler
from pyptogen.runtime.toolchain.headers import isa_root

if TYPE_CHECKING:
    from pyptogen.lower.origins import Traced
    from pyptogen.schema.spec import Spec


def compile(
    spec: str | Path | Spec,
    target: str = "cpu",
    *,
    isa: str | Path | None = None,
    threads: int | None = None,
    portable: bool = False,
    checked: bool = False,
    interpret: bool | None = None,
) -> CompiledOperator:
    """Lower a spec for a target, compile its kernels for this machine, and load them.

    ``isa`` is an installation of PTO-ISA to use instead of the bundled headers (PTO_ISA_ROOT may name one
    for targets other than ``cpu``); ``threads`` is the number of cores of the simulated chip (default: all
    processors of this process); ``portable`` uses no instruction beyond the baseline of the architecture;
    ``checked`` compiles in the checked mode of the bundled headers for the target, so that the first fault of a
    kernel is told on standard error and ends the process. ``interpret`` executes the kernels in numpy instead, slowly
    (an ``InterpretedOperator``); by default that happens, with a warning, where there is no compiler, and none of
    ``isa`` and ``checked`` is given, which want one.
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
    missing = interpret is None and isa is None and not checked and not has_compiler()
    if interpret or missing:
        found = interpreted(loaded, program, target)
        if found is not None and missing:
            warn_of(found)
        if found is not None:
            return found
    sources: dict[str, Traced] = {**traced_sources(generate(program, target))}
    sources["wrapper.hpp"] = wrapper_hpp.render(program, program.targets, Path(loaded.path).name)
    texts = {path: str(text) for path, text in sources.items()}
    source = SourceOf(loaded.path, texts, None if checked else isa_root(isa, target), portable, checked)
    library = _link(program.name, target, source, lambda: sources)
    return CompiledOperator(loaded, program, target, library, threads or available_processors(), source=source)


def load_generated(
    folder: str | Path,
    target: str = "cpu",
    *,
    isa: str | Path | None = None,
    threads: int | None = None,
    portable: bool = False,
) -> CompiledOperator:
    """The operator of a generated folder: its kernels as they are on disk, compiled for this machine;
    nothing is lowered. Of a folder that ``pyptogen build --binary`` wrote, the best of its shared objects for this
    machine; nothing is compiled.

    The arguments are those of ``compile``. Raises ``DiagnosticError``: PTG504 when the folder is not a
    generated one, or has nothing for this machine.
    """
    root = Path(folder)
    if is_prebuilt(root):
        if isa is not None:
            raise fault(
                "PTG504", f"{root} holds shared objects, which are compiled already", None, fix="leave `isa` out"
            )
        return load_prebuilt(root, target, threads, portable)
    specs = sorted(path for path in root.glob("*") if path.suffix in (".yaml", ".yml", ".toml"))
    if len(specs) != 1 or not (root / "wrapper.hpp").is_file():
        raise _not_generated(root)
    rules = _rules_of(root, str(specs[0]))
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
    source = SourceOf(str(specs[0]), sources, isa_root(isa, target), portable, False)
    library = _link(rules.contract.name, target, source, lambda: _as_built(source, target))
    return CompiledOperator(None, None, target, library, threads or available_processors(), rules=rules, source=source)


def _not_generated(root: Path) -> DiagnosticError:
    return fault(
        "PTG504",
        f"{root} is not the generated folder of an operator",
        None,
        expected="what `pyptogen build` wrote",
    )


def _rules_of(root: Path, spec: str) -> CallRules:
    """What the manifest of a generated folder says of calls. Raises PTG504."""
    try:
        data = json.loads((root / "manifest.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise _not_generated(root) from None
    try:
        return CallRules.of_data(data["call"], spec)
    except (KeyError, TypeError, ValueError, AttributeError, SyntaxError):
        raise fault(
            "PTG504",
            f"the manifest in {root} does not say how the operator is called",
            None,
            expected="what this version of `pyptogen build` writes",
            fix="build it again",
        ) from None


def _as_built(source: SourceOf, target: str) -> dict[str, Traced]:
    """Where the lines of the files of a generated folder come from, which somebody may have edited. Nothing where
    what the compiler imports is not installed: such a machine calls operators, and looks at no specs."""
    try:
        from pyptogen.codegen import generate
        from pyptogen.lower.origins import carried_over
        from pyptogen.lower.tensor import from_spec
        from pyptogen.schema import load_spec
    except ModuleNotFoundError:
        return {}

    sources, made = source.texts, traced_sources(generate(from_spec(load_spec(source.spec)), target))
    return {path: carried_over(made[path], text) for path, text in sources.items() if path in made}


def _link(name: str, target: str, source: SourceOf, traced: Callable[[], Mapping[str, Traced]]) -> Path:
    """The shared object. ``traced``: where the lines of the sources come from, asked for when they do not compile."""
    try:
        return source.compiled(name, target)
    except DiagnosticError as error:
        if all(diagnostic.span is None for diagnostic in error.diagnostics):  # no compiler, say
            raise
        known = traced()
        raise DiagnosticError(*(in_spec(diagnostic, known) for diagnostic in error.diagnostics)) from error
