"""Programs of one source that tests run: compiled with the bundled headers once, and kept as kernels are."""

from __future__ import annotations

from pathlib import Path

from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.headers import bundled_headers


def program(name: str, text: str, *flags: str) -> Path:
    """The program of a source, which messages call ``name``. Fails with what the compiler says."""
    found, headers, store = find_compiler(), bundled_headers(), Cache()

    def compile_(output: Path) -> None:
        with store.scratch() as folder:
            (folder / name).write_text(text)
            said = found.run([*flags, *headers.include_flags(store), name, "-o", str(output)], cwd=folder)
        assert said.returncode == 0, said.stderr

    return store.file("tests", digest("program", found.identity, headers.key, name, *flags, text), ".program", compile_)
