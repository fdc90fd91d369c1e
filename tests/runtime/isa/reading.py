"""What compilers say of sources that they only read, and of this project's headers.

`read` begins with the kernels' header, precompiled once a run. What was said is kept with compiled kernels, by all that
it hangs on: the compiler, the headers, the flags and the source (`kept`).
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path

from compiling import NIGHTLY

from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import Compiler, find_compiler
from pyptogen.runtime.toolchain.headers import bundled_headers

from .conftest import INCLUDE

PREFIX = "#include <pto/pto-inst.hpp>\n"
FLAGS = ("-std=c++20", f"-I{INCLUDE}", "-xc++")
STRICT = ("-Wall", "-Wextra", "-Werror")
_HEADERS = "<headers>"
"""In what is kept, the folder of the headers: another checkout has them elsewhere."""
_NO_ANSWER = ("fatal error: ", "internal compiler error")
"""Words of compilers that could not go on."""
Said = subprocess.CompletedProcess[str]


def kept(ask: Callable[[], Said], *parts: str) -> Said:
    """What ``ask`` says, or said of the same ``parts`` and bundled headers in an earlier run. All else that it reads
    has to be among the parts: the compiler's identity, flags, the source. Nightly it is asked.

    Kept are acceptance and errors in a source, but not what a compiler says that was killed or found no file.
    """
    if NIGHTLY:
        return ask()
    folder = str(INCLUDE)
    key = digest("said", bundled_headers().key, *(part.replace(folder, _HEADERS) for part in parts))
    before = Cache().get("tests", key, ".json")
    if before is not None:
        code, stderr = json.loads(before)
        return subprocess.CompletedProcess((), code, "", stderr.replace(_HEADERS, folder))
    said = ask()
    errors = "error: " in said.stderr and not any(words in said.stderr for words in _NO_ANSWER)
    if said.returncode == 0 or (said.returncode == 1 and errors):
        told = json.dumps([said.returncode, said.stderr.replace(folder, _HEADERS)])
        Cache().put("tests", key, ".json", told.encode())
    return said


def asked(arguments: list[str], text: str) -> Said:
    """What this machine's compiler says when it is called with these arguments, a source among its input (``-``)."""
    found = find_compiler()
    return kept(lambda: found.run(arguments, stdin=text), found.identity, *arguments, text)


def read(text: str, *flags: str) -> Said:
    """What the compiler says of a source, which it calls <stdin>. The header is read before it with the macros that
    ``flags`` define: a source that defines some of its own ahead of the header is none for this.

    Raises:
        AssertionError: the header itself is rejected, or has a warning.
    """
    found = find_compiler()

    def ask() -> Said:
        prefix = _precompiled(found, tuple(flag for flag in flags if flag.startswith("-D")))
        return found.run(["-fsyntax-only", *flags, "-include", str(prefix), *FLAGS, "-"], stdin=text)

    return kept(ask, found.identity, PREFIX, *STRICT, *FLAGS, *flags, text)


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
