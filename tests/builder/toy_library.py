"""A library whose operators are rendered without lowering: a kernel for each word of a spec's last line."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path

import pytest

from pyptogen.builder import render
from pyptogen.builder.fingerprint import sha256
from pyptogen.builder.rendered import Rendered


class Library:
    """Specs under ``specs/``, generated folders under ``out/``; ``version`` is what the generator writes on top of
    each file, so that changing it is another generator."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.specs, self.out, self.version = root / "specs", root / "out", "1"
        self.specs.mkdir()
        monkeypatch.setattr(render, "render_operator", self._render)
        monkeypatch.setattr("pyptogen.builder.run.generator_hash", lambda: f"generator {self.version}")

    def write(self, name: str, kernels: str = "first second", note: str = "", file: str = "") -> Path:
        path = self.specs / f"{file or name}.yaml"
        path.write_text(f"# {note}\noperator: {name}\nkernels: {kernels}\n")
        return path

    def tree(self) -> dict[str, str]:
        """The text of all files below ``out/`` but the lock, by relative path."""
        paths = (path for path in sorted(self.out.rglob("*")) if path.is_file() and path.name != "pyptogen.lock")
        return {path.relative_to(self.out).as_posix(): path.read_text() for path in paths}

    def _render(
        self,
        path: Path,
        targets: Collection[str] | None = None,
        dump_ir: Path | None = None,
        verify_each: bool = False,
        lenient: bool = False,
    ) -> Rendered:
        lines = path.read_text().splitlines()
        name, kernels = lines[1].split()[1], lines[2].split()[1:]
        files = {f"cpu/kernels/{kernel}.cpp": f"// {self.version} {kernel}\n".encode() for kernel in kernels}
        files[f"{name}.yaml"] = path.read_bytes()
        files["cpu/orchestration.cpp"] = "".join(f"{kernel}();\n" for kernel in kernels).encode()
        listed = {file: sha256(data) for file, data in files.items()}
        manifest = {"files": listed, "targets": {"built": ["cpu"], "declared": ["cpu"]}}
        return Rendered(name, {**files, "manifest.json": json.dumps(manifest).encode()})
