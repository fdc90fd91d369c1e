"""Files that lenses show: the kernel that the text in the editor makes, the page of its operator."""

from __future__ import annotations

from pathlib import Path

from pyptogen.diagnostics import fault
from pyptogen.editor.document import Document


def kernel_file(document: Document, target: str, name: str, scratch: Path) -> Path:
    """The file of a kernel: the one of the last build where that is what the text makes, else one in ``scratch``.
    Raises ``DiagnosticError`` where the spec cannot be lowered, and PTG110 where it makes no such kernel."""
    from pyptogen.builder.render import lower_targets
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_source

    program = from_spec(load_source(document.source))
    made = next((one for one in lower_targets(program, [target])[target].kernels if one.name == name), None)
    if made is None:
        message = f"`{document.file}` makes no kernel `{name}` for {target}"
        raise fault("PTG110", message, None, fix="save the spec, and take the lens that is shown then")
    folder = Path(document.file).absolute().parent
    for root in (folder, folder.parent):
        built = root / "generated" / program.name / target / "kernels" / f"{name}.cpp"
        if built.is_file() and built.read_text(encoding="utf-8", errors="replace") == made.text:
            return built
    return _written(scratch / program.name / target / f"{name}.cpp", made.text)


def report_file(document: Document, scratch: Path) -> Path:
    """The page of the gallery that the text makes: contract, graph, kernels. Raises ``DiagnosticError`` where the spec
    cannot be lowered."""
    from pyptogen.inspect.gallery import gallery
    from pyptogen.inspect.report import report_of
    from pyptogen.lower.tensor import from_spec
    from pyptogen.schema import load_source

    entry = report_of(from_spec(load_source(document.source)), Path(document.file))
    return _written(scratch / f"{entry.name}.md", gallery([entry]).pages[f"{entry.name}.md"])


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(str(text), encoding="utf-8")
    return path
