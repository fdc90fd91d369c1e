"""Finding a C++20 compiler and calling it."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyptogen.diagnostics import fault

OLDEST = {"gcc": 12, "clang": 15}
_FULL = ("No space left on device", "Disk quota exceeded", "File too large", "File size limit exceeded")
"""Of what compilers say, the system's words for a disk that takes no more."""
_GCC_NAMES = ("g++", *(f"g++-{v}" for v in range(16, 11, -1)))
_FEATURE = re.compile(r"-m[a-z0-9]+")
"""A flag that adds instructions to those of a processor."""
_CLANG_NAMES = ("clang++", *(f"clang++-{v}" for v in range(22, 14, -1)))


@dataclass(frozen=True, slots=True)
class Compiler:
    """A C++ compiler that exists and is new enough. ``identity`` changes whenever its output may."""

    command: tuple[str, ...]
    family: str
    version: tuple[int, ...]
    identity: str

    @property
    def packaged(self) -> bool:
        """Whether it is the one of the Python package `ziglang`, which spells processors in its own way."""
        return self.command[1:] == ("-m", "ziglang", "c++")

    def level_flags(self, flags: Sequence[str]) -> tuple[str, ...]:
        """Flags for a processor, such as ``-march=icelake-server -mavx512bf16``, as this compiler has them."""
        if not self.packaged or not any(flag.startswith("-march=") for flag in flags):
            return (*flags,)
        chosen = [flag for flag in flags if flag.startswith("-march=")][-1].removeprefix("-march=").replace("-", "_")
        added = [flag.removeprefix("-m") for flag in flags if _FEATURE.fullmatch(flag)]
        rest = [flag for flag in flags if not flag.startswith("-march=") and not _FEATURE.fullmatch(flag)]
        return ("-mcpu=" + "+".join([chosen, *added]), *rest)

    def run(
        self, arguments: Sequence[str], *, cwd: Path | None = None, stdin: str = ""
    ) -> subprocess.CompletedProcess[str]:
        """Call the compiler in the C locale (messages are parsed) and return what it said, whatever the
        exit code. Raises PTG504 where the disk is full: its sources are not to blame.
        """
        environment = {**os.environ, "LC_ALL": "C"}
        said = subprocess.run(
            [*self.command, *arguments],
            cwd=cwd,
            env=environment,
            input=stdin,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if said.returncode != 0 and any(words in said.stderr for words in _FULL):
            raise fault(
                "PTG504",
                f"{self.command[0]} has no room for what it writes",
                None,
                expected="room in the folder for temporary files (TMPDIR), and in the cache for compiled kernels",
                fix="make room, or set TMPDIR and PYPTOGEN_CACHE_DIR to other folders",
            )
        return said


def _identify(command: tuple[str, ...]) -> Compiler | str:
    """The compiler behind a command, or in words why it cannot be used."""
    path = shutil.which(command[0])
    if path is None:
        return "not found"
    words = (path, *command[1:])
    try:
        said = subprocess.run(
            [*words, "-dM", "-E", "-x", "c++", "-std=c++20", os.devnull],
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except OSError as error:
        return f"does not start: {error.strerror}"
    if said.returncode != 0:
        reason = said.stderr.strip().splitlines()
        return f"does not compile C++20: {reason[0] if reason else 'no message'}"
    macros = dict(
        re.findall(
            r"^#define (__clang_major__|__clang_minor__|__GNUC__|__GNUC_MINOR__|__VERSION__) (.*)$",
            said.stdout,
            re.M,
        )
    )
    if "__clang_major__" in macros:
        family, version = "clang", (int(macros["__clang_major__"]), int(macros["__clang_minor__"]))
    elif "__GNUC__" in macros:
        family, version = "gcc", (int(macros["__GNUC__"]), int(macros["__GNUC_MINOR__"]))
    else:
        return "neither GCC nor Clang"
    if version[0] < OLDEST[family]:
        return f"{family} {version[0]} is older than {OLDEST[family]}"
    stat = os.stat(path)
    identity = f"{family} {macros.get('__VERSION__', '')} {stat.st_size} {' '.join(words)}"
    return Compiler(words, family, version, identity)


def _candidates(prefer: str) -> Iterator[tuple[str, ...]]:
    first, second = (_CLANG_NAMES, _GCC_NAMES) if prefer == "clang" else (_GCC_NAMES, _CLANG_NAMES)
    for name in (*first, *second):
        yield (name,)
    if importlib.util.find_spec("ziglang") is not None:  # the extra `compiler`
        yield (sys.executable, "-m", "ziglang", "c++")


@functools.cache
def _search(cxx: str, path: str, prefer: str, only_first: bool) -> tuple[Compiler, ...]:
    usable, rejected = _looked_for(cxx, path, prefer, only_first)
    if not usable:
        raise fault(
            "PTG501",
            "no usable C++ compiler was found",
            None,
            expected="g++ 12 or newer, or clang++ 15 or newer, in PATH or named by CXX",
            fix="install one: `apt-get install g++` (Debian, Ubuntu), `dnf install gcc-c++` (Fedora, RHEL), or "
            "`pip install 'pyptogen[compiler]'`",
            notes=tuple((text, None) for text in rejected),
        )
    return usable


@functools.cache
def _looked_for(cxx: str, path: str, prefer: str, only_first: bool) -> tuple[tuple[Compiler, ...], tuple[str, ...]]:
    """What is usable, and why others are not. Raises PTG501 for a wrong CXX."""
    if cxx:
        found = _identify(tuple(shlex.split(cxx)))
        if isinstance(found, str):
            raise fault(
                "PTG501",
                f"the C++ compiler that CXX names cannot be used: {cxx}: {found}",
                None,
                expected="a C++20 compiler: g++ 12 or newer, or clang++ 15 or newer",
                fix="set CXX to such a compiler, or unset it to let one be found",
            )
        return (found,), ()
    usable: list[Compiler] = []
    rejected: list[str] = []
    for command in _candidates(prefer):
        found = _identify(command)
        if isinstance(found, Compiler):
            if all(os.path.realpath(found.command[0]) != os.path.realpath(c.command[0]) for c in usable):
                usable.append(found)
            if only_first:
                break
        elif found != "not found":
            rejected.append(f"{command[0]}: {found}")
    return tuple(usable), tuple(rejected)


def find_compilers(prefer: str = "gcc") -> tuple[Compiler, ...]:
    """All usable compilers, best first, ``prefer`` ("gcc" or "clang") before the other family.

    The environment variable CXX, where set, is the only candidate. Raises PTG501 when there is none.
    """
    return _search(os.environ.get("CXX", ""), os.environ.get("PATH", ""), prefer, False)


def find_compiler(prefer: str = "gcc") -> Compiler:
    """The first of ``find_compilers``, without looking for the others; raises PTG501 when there is none."""
    return _search(os.environ.get("CXX", ""), os.environ.get("PATH", ""), prefer, True)[0]


def has_compiler() -> bool:
    """Whether there is one that ``find_compiler`` would give; True where CXX names one, be it usable or not."""
    cxx = os.environ.get("CXX", "")
    return bool(cxx) or bool(_looked_for(cxx, os.environ.get("PATH", ""), "gcc", True)[0])


_CROSS = {"aarch64": ("aarch64-linux-gnu-g++", "aarch64-linux-gnu.2.28")}
"""A machine -> the compiler that Debian has for it, and what Zig calls it, with the oldest glibc for its results."""


def compiler_for(machine: str) -> Compiler:
    """A compiler for a machine: for another one than this Debian's cross compiler, or the one in the package ziglang.
    Raises PTG501."""
    if machine == platform.machine():
        return find_compiler()
    named, target = _CROSS.get(machine, (f"{machine}-linux-gnu-g++", f"{machine}-linux-gnu"))
    for command in ((named,), (sys.executable, "-m", "ziglang", "c++", "-target", target)):
        found = _identify(command)
        if isinstance(found, Compiler):
            return found
    raise fault(
        "PTG501",
        f"no C++ compiler for {machine} was found",
        None,
        expected=f"{named}, or the package ziglang",
        fix=f"`pip install ziglang`, or `apt-get install g++-{machine}-linux-gnu`; or leave the machine out",
    )
