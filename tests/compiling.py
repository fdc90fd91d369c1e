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
QUICK_CHECKED = ("-O0", NOT_INLINED, "-DPTO_CHECKED")
"""The checks are more code than the instructions, and not worth to be optimised for a call or two."""
QUICK_LINKER = ("-fuse-ld=gold",) if shutil.which("ld.gold") else ()
"""A third of the time of ld.bfd."""


def keep_precompiled_headers() -> None:
    """Of all sets of flags in a run of the tests: users have a few, and more than that go."""
    build._KEPT_PREFIXES = 24


@contextmanager
def quick_kernels() -> Iterator[None]:
    """Kernels are compiled in half the time, those of an operator in one call: for tests of values, which are the same.

    Not nightly. What a compiler does to the library's kernels with the flags of users is seen by `tests/library`.
    """
    with pytest.MonkeyPatch.context() as patch:
        _quicken(patch)
        yield


def only_quick_kernels() -> None:
    """`quick_kernels` from now on, in a process that runs commands for tests."""
    keep_precompiled_headers()
    _quicken(pytest.MonkeyPatch())


def _quicken(patch: pytest.MonkeyPatch) -> None:
    each = build.Toolchain._build

    def at_once(
        self: build.Toolchain, name: str, sources: Mapping[str, str], exports: Sequence[str], output: Path
    ) -> None:
        each(self, name, as_one_unit(sources) if self.headers.isa is None else sources, exports, output)

    if not NIGHTLY:
        patch.setattr(build.Toolchain, "_build", at_once)
        patch.setattr(build, "OPTIMISATION", QUICK[0])
        patch.setattr(build, "_LINKER", {"gcc": QUICK_LINKER})
        patch.setattr(build, "_CHECKED", QUICK_CHECKED)
        patch.setattr(build, "_BY_FAMILY", {**build._BY_FAMILY, "gcc": (*build._BY_FAMILY["gcc"], *QUICK[1:])})


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
