"""A new spec: a small one that works, or one of the library under another name."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import Span, did_you_mean, fault
from pyptogen.editor.document import Document
from pyptogen.editor.json_schema import FILE_NAME
from pyptogen.editor.navigate import renamed
from pyptogen.schema import Spec, load_source, load_spec
from pyptogen.schema.naming import check_name
from pyptogen.schema.source import Source
from pyptogen.schema.tree import Mapping

MODELINE = f"# yaml-language-server: $schema={FILE_NAME}\n"
_START = """\
pyptogen: 1
operator: {name}
doc: What {name} computes, in a sentence.

dims:
  rows: {{min: 1, max: 65536}}    # known only at run time
  cols: 1024

inputs:
  x: fp32[rows, cols]
outputs:
  y: fp32[rows, cols]

graph:
  y: x / (exp(-x) + 1)

tiling:
  - {{}}                          # the compiler chooses; `pyptogen check` says what

verify:
  generate:
    x: uniform(-4, 4)
  cases: [{{rows: 1}}, {{rows: 37}}]
"""


@dataclass(frozen=True, slots=True)
class NewSpec:
    """The text of a spec, and the files that it names, by path relative to it."""

    text: str
    beside: dict[str, bytes]


_BACKWARD = re.compile(r"^backward:[^\n]*\n(?:[ \t]*\n)?", re.MULTILINE)


def library() -> Path | None:
    """The folder with the specs of the library: of this checkout, or of the installation."""
    places = (Path(__file__).parents[2] / "specs", Path(sys.prefix) / "share" / "pyptogen" / "specs")
    return next((place for place in places if (place / "softmax.yaml").is_file()), None)


def new_spec(name: str, like: str | None = None, schema: bool = True) -> NewSpec:
    """A spec of the operator ``name``.

    Args:
        name: in lower case, as `operator` has it.
        like: an operator of the library, or the path of a spec, to begin with; else a small one with everything in it
            that a spec needs.
        schema: begin with the comment that tells editors where the JSON Schema is.

    Raises ``DiagnosticError``: PTG213 for the name, PTG110 for a spec that is not there, and what is wrong with it.
    """
    check_name(name, Span(name, 1, 1, 1, len(name) + 1), "an operator", snake=True)
    head = MODELINE if schema else ""
    if like is None:
        return NewSpec(head + _START.format(name=name), {})
    path = _found(like)
    spec = load_spec(path)
    source = Document(str(path), spec.source)
    text = renamed(source, list(_edits(source, spec, name)))
    load_source(Source(str(path), text))
    beside = {}
    for file in spec.includes:
        beside[Path(file).relative_to(path.parent).as_posix()] = Path(file).read_bytes()
    body = re.sub(r"\A(# yaml-language-server:[^\n]*\n)?", "", text)
    body = _BACKWARD.sub("", body)  # the gradient of another operator, in a file that is not here
    return NewSpec(head + body, beside)


def place_of(out: Path, name: str) -> tuple[Path, Path]:
    """The folder and the file, a name in it, of a new spec that goes to ``out``: a folder, or a file of YAML. Raises
    PTG110 for a file of another kind."""
    if out.is_dir() or not out.suffix:
        return out, Path(f"{name}.yaml")
    if out.suffix not in (".yaml", ".yml"):
        raise fault(
            "PTG110",
            f"a new spec is not written as `{out.name}`",
            None,
            expected="a folder, or a file that ends with .yaml or .yml",
            fix=f"-o {out.with_suffix('.yaml')}" if out.suffix == ".toml" else f"-o {out.parent}",
        )
    return out.parent, Path(out.name)


def _found(like: str) -> Path:
    folder = library()
    if like.endswith((".yaml", ".yml")):
        return Path(like)
    known = sorted(path.stem for path in folder.glob("*.yaml")) if folder is not None else []
    if folder is None or like not in known:
        expected = f"a path that ends with .yaml, or one of {', '.join(known)}" if known else "the path of a spec"
        raise fault("PTG110", f"there is no spec `{like}`", None, expected=expected, fix=did_you_mean(like, known))
    return folder / f"{like}.yaml"


def _edits(source: Document, spec: Spec, name: str) -> Iterator[tuple[int, int, str]]:
    """The new name in place of the old one, last first; a golden that was found by the old name is named."""
    symbol = next(one.symbol for one in source.names.occurrences if one.symbol.kind == "operator")
    found = [(one.start, one.stop, name) for one in source.names.of(symbol)]
    verify = source.tree.get("verify") if isinstance(source.tree, Mapping) else None
    golden = verify.get("golden") if isinstance(verify, Mapping) else None
    if isinstance(golden, Mapping) and golden.get("function") is None:
        key, value = golden.entries[-1]
        gap = ", " if golden.flow else "\n" + " " * (source.source.position(key.start)[1] - 1)
        found.append((value.stop, value.stop, f"{gap}function: {spec.name}"))
    yield from sorted(found, reverse=True)
