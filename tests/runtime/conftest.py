"""Toolchains for runtime tests: real compiler, private cache, and least headers (they compile in a tenth of
a second).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from pyptogen.runtime.toolchain.build import Toolchain
from pyptogen.runtime.toolchain.cache import Cache, digest
from pyptogen.runtime.toolchain.compiler import find_compiler
from pyptogen.runtime.toolchain.headers import BUNDLED, Headers

CPP = Path(__file__).parent / "cpp"


def stub_headers() -> Headers:
    own = (
        ("pto/pto-inst.hpp", (CPP / "stub_pto_inst.hpp").read_bytes()),
        ("pto/runtime.hpp", (BUNDLED / "pto" / "runtime.hpp").read_bytes()),
    )
    return Headers(digest("stub", own[0][1], own[1][1]), None, own)


def stub_toolchain(root: Path) -> Toolchain:
    """A toolchain without an ISA, whose cache is below ``root``."""
    flags = ("-std=c++20", "-O1", "-fPIC", "-pthread", "-w", "-fdiagnostics-color=never")
    return Toolchain(find_compiler(), "stub", flags, stub_headers(), Cache(root))


@pytest.fixture(scope="session")
def toolchain(tmp_path_factory: pytest.TempPathFactory) -> Toolchain:
    return stub_toolchain(tmp_path_factory.mktemp("cache"))
