"""Orchestration and kernels written by hand in C++, as a program that a chip runs."""

from __future__ import annotations

import json
import os
import re
import struct
from collections import namedtuple
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pyptogen.diagnostics import fault
from pyptogen.layout.arrays import as_array
from pyptogen.layout.buffers import aligned_empty
from pyptogen.regular_files import read_regular
from pyptogen.runtime.arg import Arg
from pyptogen.runtime.arrays.arguments import address
from pyptogen.runtime.native.binding import load_entry
from pyptogen.runtime.operator.compiled import BoundCall
from pyptogen.runtime.toolchain.build import Toolchain

_LARGEST_RANK = 5
_ARGUMENT = struct.Struct(f"=QII{3 * _LARGEST_RANK}QqB7x")
"""``pto_rt::Argument`` of ``include/pto/orchestration.hpp``: a tensor, the bits of a number, which it is."""
_TENSOR, _INTEGER, _FLOAT = range(3)
_LOCAL_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.M)
_ENTRIES = ("orchestrate", "aicpu_orchestration_entry")
_SYMBOL = "pto_program_entry"


@dataclass(frozen=True, slots=True)
class HandWritten:
    """A compiled program without a contract: its arguments are what the orchestration expects, by position."""

    name: str
    entry: int
    policy: str = "critical_path"
    library: Path = field(default_factory=Path)

    def bind(self, args: Mapping[str, Any] | Sequence[Any] | None) -> BoundCall:
        """A run with its arguments checked and laid out; in a mapping, the order counts.

        The results are the arrays of ``Arg.output`` and ``Arg.inout``, as a named tuple where the arguments
        have names. Raises PTG402 to PTG404, PTG407.
        """
        named = isinstance(args, Mapping)
        pairs = list(args.items()) if isinstance(args, Mapping) else list(enumerate(args or ()))
        packed, held, results = bytearray(), [], {}
        for name, given in pairs:
            arg = given if isinstance(given, Arg) else _undirected(given)
            if arg.direction == "scalar":
                packed += _pack_scalar(str(name), arg.value)
                continue
            array = _array(str(name), arg)
            packed += _pack_tensor(str(name), array)
            held.append(array)
            if arg.writes:
                results[name] = arg.value if arg.value is not None else array
        block = aligned_empty((max(len(packed), 1),), np.dtype(np.uint8))
        block[: len(packed)] = np.frombuffer(bytes(packed), np.uint8)
        held.append(block)
        slots = struct.pack("=QQ", address(block), len(pairs))
        made: Any = tuple(results.values())
        if named:
            made = namedtuple("Outputs", [str(name) for name in results])(*made)
        return BoundCall(self.name, self.entry, slots, self.policy, made, tuple(held))


def compile_program(
    name: str, orch: str | Path, kernels: Sequence[str | Path], toolchain: Toolchain, entry: str | None, policy: str
) -> HandWritten:
    """Compile and load an orchestration file with its kernels.

    Kernels that define ``kernel_entry`` are known by their number in the list; others are linked as they
    are. ``entry`` names the orchestration function (default: ``orchestrate`` or
    ``aicpu_orchestration_entry``, whichever is there). Raises PTG404, PTG502.
    """
    paths = [_existing(orch), *map(_existing, kernels)]
    files = _with_local_includes(paths)
    root = Path(os.path.commonpath([path.parent for path in files]))
    sources = {path.relative_to(root).as_posix(): text for path, text in files.items()}
    function = entry or _find_entry(paths[0], files[paths[0]])
    names: list[str] = []
    for path in paths[1:]:
        key = path.relative_to(root).as_posix()
        if re.search(r"\bkernel_entry\b", sources[key]):
            sources[key] = f"#define kernel_entry kernel_entry_{len(names)}\n#line 1\n{sources[key]}"
            names.append(path.stem)
    sources["pto_program_glue.cpp"] = _glue(function, names)
    library = toolchain.shared_object(name, sources, [_SYMBOL])
    return HandWritten(name, load_entry(library, _SYMBOL), policy, library)


def _glue(function: str, kernels: Sequence[str]) -> str:
    """The C++ between the runtime and what was written by hand; ``kernels`` are the names of those with a number."""
    names = [f"kernel_entry_{number}" for number in range(len(kernels))]
    declared = "".join(f'extern "C" void {name}(int64_t* args);\n' for name in names)
    shown = ", ".join(json.dumps(name) for name in kernels)
    bind = function == "aicpu_orchestration_entry"
    parameters = (
        "const pto_rt::field::ChipTaskArgs& args" if bind else "pto_rt::Runtime& rt, const pto_rt::Arguments& args"
    )
    call = f"{function}(pto_rt::field::ChipTaskArgs(args));" if bind else f"{function}(rt, args);"
    return (
        "#include <pto/pto-inst.hpp>\n#include <pto/field.hpp>\n\n"
        f'{declared}extern "C" void {function}({parameters});\n\n'
        "namespace pto_rt::field {\n"
        f"const KernelFunction kernel_table[] = {{{', '.join(names) or 'nullptr'}}};\n"
        f"const char* const kernel_names[] = {{{shown or 'nullptr'}}};\n"
        f"const uint32_t kernel_count = {len(kernels)};\n"
        "}\n\n"
        f'extern "C" void {_SYMBOL}(pto_rt::Runtime& rt, const pto_rt::Arguments& args)\n'
        "{\n"
        "    pto_rt::field::current = &rt;\n"
        "    pto_rt::field::manual = false;\n"
        f"    {call}\n"
        "}\n"
    )


def _existing(path: str | Path) -> Path:
    found = Path(path).absolute()
    if not found.is_file():
        raise fault("PTG404", f"no such source: {path}", None, expected="a C++ file")
    return Path(os.path.normpath(found))


def _with_local_includes(paths: Sequence[Path]) -> dict[Path, str]:
    """The sources and the files beside them that they include by quotes, directly or not."""
    files: dict[Path, str] = {}
    left = list(paths)
    while left:
        path = left.pop()
        if path in files:
            continue
        files[path] = _text(path)
        for name in _LOCAL_INCLUDE.findall(files[path]):
            found = Path(os.path.normpath(path.parent / name))
            if found.is_file():
                left.append(found)
    return files


def _text(path: Path) -> str:
    try:
        return read_regular(path).decode()
    except UnicodeDecodeError as error:
        raise fault("PTG110", f"`{path}` is not UTF-8 text (byte {error.start})", None, expected="UTF-8") from None
    except OSError as error:
        raise fault("PTG110", f"cannot read `{path}`: {error.strerror}", None) from None


def _find_entry(path: Path, text: str) -> str:
    for name in _ENTRIES:
        if re.search(rf"\b{name}\s*\(", text):
            return name
    raise fault(
        "PTG404",
        f"{path.name} has no entry point",
        None,
        expected='`extern "C" void orchestrate(pto_rt::Runtime& rt, const pto_rt::Arguments& args)`',
        fix="define it, or give another function's name as `entry=`",
    )


def _undirected(value: Any) -> Arg:
    if isinstance(value, np.number):
        value = value.item()
    return Arg.scalar(value) if isinstance(value, (bool, int, float)) else Arg.input(value)


def _array(name: str, arg: Arg) -> Any:
    if arg.value is None:
        if arg.shape is None or arg.dtype is None:
            raise fault(
                "PTG404",
                f"argument `{name}` is an output without an array",
                None,
                expected="Arg.output(array), or Arg.output(shape=…, dtype=…)",
            )
        return aligned_empty(arg.shape, np.dtype(arg.dtype))
    array = as_array(name, arg.value)
    if not array.flags.c_contiguous:
        if arg.writes:
            raise fault(
                "PTG407", f"argument `{name}` is written and not contiguous", None, expected="a C-contiguous array"
            )
        array = np.ascontiguousarray(array)
    if arg.writes and not array.flags.writeable:
        raise fault("PTG407", f"argument `{name}` is written and read-only", None, expected="a writable array")
    return array


def _pack_tensor(name: str, array: Any) -> bytes:
    if array.ndim > _LARGEST_RANK:
        raise fault("PTG402", f"argument `{name}` has {array.ndim} axes", None, expected=f"at most {_LARGEST_RANK}")
    rest = (0,) * (_LARGEST_RANK - array.ndim)
    shape = (*array.shape, *rest)
    offsets = (0,) * _LARGEST_RANK
    return _ARGUMENT.pack(address(array), array.itemsize, array.ndim, *shape, *offsets, *shape, 0, _TENSOR)


def _pack_scalar(name: str, value: Any) -> bytes:
    empty = (0,) * (3 + 3 * _LARGEST_RANK)
    try:
        if isinstance(value, (float, np.floating)):
            bits = struct.unpack("=q", struct.pack("=d", float(value)))[0]
            return _ARGUMENT.pack(*empty, bits, _FLOAT)
        return _ARGUMENT.pack(*empty, int(value), _INTEGER)
    except (ValueError, TypeError, struct.error) as error:
        raise fault("PTG403", f"argument `{name}` is no number of 64 bits: {value!r}", None) from error
