"""The project in which a command works: its root, its file, and whose code may run in it.

The root is the nearest folder, from the working directory upwards, that has a `pyptogen.toml` or is a git repository;
without one it is the working directory. The file is optional:

```toml
[trust]
code = ["../operators"]
```
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field

from pyptogen.diagnostics import Span, fault
from pyptogen.project_root import PROJECT_FILE, project_root
from pyptogen.schema import Spec
from pyptogen.schema.models import Section
from pyptogen.schema.source import read
from pyptogen.schema.toml_reader import read_toml
from pyptogen.schema.validate import need_mapping, validate


class _Trust(Section):
    code: list[str] = Field(default_factory=list)


class _Project(Section):
    trust: _Trust = Field(default_factory=_Trust)


def trusted_folders(root: Path) -> tuple[Path, ...]:
    """The root, and the folders that the project file names under `trust: code`, relative to it. Raises PTG101,
    PTG103, PTG104 and PTG110 for the file."""
    path = root / PROJECT_FILE
    if not path.is_file():
        return (root,)
    tree = need_mapping(read_toml(read(str(path))), "a project file")
    project = validate(_Project, tree, "a project file")
    return (root, *((root / folder).resolve() for folder in project.trust.code))


def require_trusted(spec: Spec, allowed: bool = False) -> None:
    """Raises PTG411 where a spec from outside of the project brings code: a golden or C++ kernels. ``allowed``: the
    user said that it may run."""
    code = list(_code(spec))
    if allowed or not code:
        return
    root = project_root()
    place = Path(spec.path).resolve()
    if any(place.is_relative_to(folder) for folder in trusted_folders(root)):
        return
    file, span = code[0]
    raise fault(
        "PTG411",
        f"`{Path(file).name}` is code from outside of the project {root}",
        span,
        expected="code that somebody here has read: it runs with all of your rights",
        fix=f"read it, then give `--allow-code`, or name its folder under `[trust] code` in {PROJECT_FILE}",
    )


def _code(spec: Spec) -> Iterator[tuple[str, Span]]:
    """The files of a spec that are code, and where it names them."""
    if spec.verify.golden is not None:
        yield spec.verify.golden.file, spec.verify.golden.span
    for kernel in spec.kernels:
        if kernel.source is not None:
            yield kernel.source.path, kernel.span
