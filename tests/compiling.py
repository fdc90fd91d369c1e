"""How tests have kernels compiled, and which of them take their time only in the nightly run."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from pyptogen.runtime.toolchain import build

NIGHTLY = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"
"""Others and more random examples, and every kernel as users have it compiled."""
INCLUDE = re.compile(r"^#include (.+)$", re.MULTILINE)
PRECOMPILED = frozenset({"<cstddef>", "<cstdint>", "<pto/pto-inst.hpp>", "<pto/runtime.hpp>"})
NOT_INLINED = "-Dalways_inline="
"""The bundled headers ask for their small functions to be inlined everywhere, for the speed of kernels: here each is
compiled once, and -O1 inlines what is worth it. Headers of the compiler spell the attribute in another way."""
QUICK = (
    "-O1",
    NOT_INLINED,
    "-Wno-nonnull",  # of a branch that a function takes only where its caller has the memory
    *("-fno-tree-ccp", "-fno-tree-bit-ccp", "-fno-tree-pta", "-fno-tree-dominator-opts", "-fno-tree-dse"),
    *("-fno-tree-loop-optimize", "-fno-move-loop-invariants", "-fno-ivopts", "-fno-guess-branch-probability"),
    *("-fno-ipa-modref", "-fno-ipa-pure-const"),
)
"""The passes of g++ that instructions need to become short code, without those that look long for the rest: half the
time of -O3, two thirds of the time of -O1, and less than -O0, which writes every vector to memory."""
QUICK_OF = {"gcc": QUICK, "clang": QUICK[:1]}
"""By family of compilers."""
QUICK_CHECKED = ("-O1", "-DPTO_CHECKED") if NIGHTLY else ("-O0", NOT_INLINED, "-DPTO_CHECKED")
"""The checks are more code than the instructions, and not worth to be optimised for a call or two."""
QUICK_LINKER = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
"""A third of the time of ld.bfd."""


_AS_FOR_USERS = {name: getattr(build, name) for name in ("_BY_FAMILY", "_CHECKED", "_LINKER")}
_BUILD = build.Toolchain._build


def compile_quickly() -> None:
    """From now on kernels are compiled in half the time, with the linker that is quicker, and those of an operator in
    one call: their values are the same, which is what most tests are about. For a process that runs tests.

    Not nightly. What a compiler does to the library's kernels with the flags of users is seen by `tests/library`, which
    says for which of them (`optimised`).
    """
    build._KEPT_PREFIXES = 24  # of all sets of flags in a run of the tests: users have a few, and more than that go
    if NIGHTLY:
        return
    build._BY_FAMILY = {family: (*flags, *QUICK_OF[family]) for family, flags in _AS_FOR_USERS["_BY_FAMILY"].items()}
    build._CHECKED = QUICK_CHECKED
    build._LINKER = {"gcc": QUICK_LINKER}
    build.Toolchain._build = _build_at_once  # type: ignore[method-assign]


@contextmanager
def flags_of_users() -> Iterator[None]:
    """What tests compile here is optimised as for users."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("_BY_FAMILY", "_CHECKED"):
            patch.setattr(build, name, _AS_FOR_USERS[name])
        yield


@contextmanager
def compiled_as_for_users() -> Iterator[None]:
    """For tests of the toolchain itself: flags, units and linker are those of users."""
    with flags_of_users(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(build, "_LINKER", _AS_FOR_USERS["_LINKER"])
        patch.setattr(build.Toolchain, "_build", _BUILD)
        yield


def _build_at_once(
    self: build.Toolchain, name: str, sources: Mapping[str, str], exports: Sequence[str], output: Path
) -> None:
    _BUILD(self, name, as_one_unit(sources) if self.headers.isa is None else sources, exports, output)


def as_one_unit(sources: Mapping[str, str]) -> Mapping[str, str]:
    """The kernels and the orchestration of an operator as one source, each kernel in a namespace: one start of the
    compiler, and templates that several kernels use are instantiated once. Places in messages are those of each kernel.
    As they were where a kernel includes more than the headers that are precompiled."""
    kernels = sorted(path for path in sources if "/kernels/" in path and path.endswith(".cpp"))
    others = sorted(path for path in sources if path.endswith(".cpp") and path not in kernels)
    included = {name for path in kernels for name in INCLUDE.findall(sources[path])}
    if not kernels or not included <= PRECOMPILED:
        return sources
    lines = [f'namespace unit_{n} {{\n#include "{path}"\n}}' for n, path in enumerate(kernels)]
    lines += [f'#include "{path}"' for path in others]
    renamed = {
        **{path: text for path, text in sources.items() if not path.endswith(".cpp")},
        **{f"{path}.inc": f'#line 1 "{path}"\n{text}' for path, text in sources.items() if path.endswith(".cpp")},
    }
    return {**renamed, "operator.cpp": "\n".join(lines).replace('.cpp"', '.cpp.inc"') + "\n"}
