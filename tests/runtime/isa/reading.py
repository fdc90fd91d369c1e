"""What the compiler says of sources that it only reads. They begin with the kernels' header, precompiled once a run."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import Compiler, find_compiler
from pyptogen.runtime.toolchain.headers import bundled_headers

from .conftest import INCLUDE

PREFIX = "#include <pto/pto-inst.hpp>\n"
FLAGS = ("-std=c++20", f"-I{INCLUDE}", "-xc++")
STRICT = ("-Wall", "-Wextra", "-Werror")


def read(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    """What the compiler says of a source, which it calls <stdin>. The header is read before it with the macros that
    ``flags`` define: a source that defines some of its own ahead of the header is none for this.

    Raises:
        AssertionError: the header itself is rejected, or has a warning.
    """
    found = find_compiler()
    prefix = _precompiled(found, tuple(flag for flag in flags if flag.startswith("-D")))
    return found.run(["-fsyntax-only", *flags, "-include", str(prefix), *FLAGS, "-"], stdin=text)


@cache
def _precompiled(found: Compiler, macros: tuple[str, ...]) -> Path:
    store = Cache()
    key = digest("read", found.identity, *macros, bundled_headers().key)
    header = store.file("pch", key, ".hpp", lambda path: path.write_text(PREFIX) and None)

    def precompile(output: Path) -> None:
        said = found.run([*macros, *STRICT, *FLAGS[:-1], "-xc++-header", str(header), "-o", str(output)])
        assert said.returncode == 0, said.stderr

    store.file("pch", key, ".hpp.gch" if found.family == "gcc" else ".hpp.pch", precompile)
    return header
