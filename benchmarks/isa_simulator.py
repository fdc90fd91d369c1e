"""The bundled headers against the public CPU simulator: the same kernel text, each side in a process of its own."""

from __future__ import annotations

import ctypes
import multiprocessing
import resource
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ml_dtypes
import numpy as np

from pyptogen.runtime.toolchain.build import Toolchain, make_toolchain

SOURCES = Path(__file__).with_name("isa")
FILES = ("softmax", "gemm_fp32", "gemm_fp16", "gemm_bf16", "gemm_int8", "launch")
_ROWS, _COLS, _SIZE, _LAUNCHES = 64, 2048, 512, 200
_TURN = 0.02

AIMS = {"softmax": 8, "gemm_fp32": 50, "gemm_fp16": 60, "gemm_bf16": 400, "gemm_int8": 200, "launch": 40}
"""How many times as long the simulator should take."""
_NARROW = {"gemm_fp32": np.float32, "gemm_fp16": np.float16, "gemm_bf16": ml_dtypes.bfloat16, "gemm_int8": np.int8}


@dataclass(frozen=True)
class Side:
    """Who compiles: its name, toolchain and the flags for one source."""

    name: str
    toolchain: Toolchain
    flags: tuple[str, ...]

    def compile(self, source: Path, output: Path, *extra: str) -> float:
        """Makes an object; the seconds of CPU time that took."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        include = self.toolchain.headers.include_flags(self.toolchain.cache)
        said = self.toolchain.compiler.run([*self.flags, *include, *extra, "-c", str(source), "-o", str(output)])
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if said.returncode != 0:
            raise SystemExit(f"{self.name} does not compile {source.name}:\n{said.stderr[:2000]}")
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    def link(self, objects: Sequence[Path], output: Path) -> None:
        """Makes a shared object."""
        said = self.toolchain.compiler.run(["-shared", "-pthread", *map(str, objects), "-o", str(output)])
        if said.returncode != 0:
            raise SystemExit(f"{self.name} does not link:\n{said.stderr[:2000]}")


def our_side() -> Side:
    """The bundled headers with the flags that operators get."""
    toolchain = make_toolchain()
    return Side("pyptogen", toolchain, toolchain.flags)


def their_side(root: Path) -> Side:
    """The public headers: the first compiler that takes them, its contraction allowed, assertions off."""
    toolchain = make_toolchain(isa=root)
    flags = tuple(flag for flag in toolchain.flags if flag != "-ffp-contract=off")
    return Side("simulator", toolchain, (*flags, "-DNDEBUG"))


def _in_device_memory(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A copy that starts at a multiple of 512 bytes, as memory from aclrtMalloc does."""
    room = np.empty(values.nbytes + 512, np.uint8)
    start = -room.ctypes.data % 512
    array: np.ndarray[Any, Any] = room[start : start + values.nbytes].view(values.dtype).reshape(values.shape)
    array[...] = values
    return array


def _inputs(kernel: str) -> tuple[np.ndarray[Any, Any], ...]:
    rng = np.random.default_rng(0)
    if kernel == "softmax":
        x = rng.standard_normal((_ROWS, _COLS)).astype(np.float32)
        return _in_device_memory(np.zeros_like(x)), _in_device_memory(x)
    a, b = (rng.integers(-3, 4, (_SIZE, _SIZE)).astype(_NARROW[kernel]) for _ in range(2))
    c = np.zeros((_SIZE, _SIZE), np.int32 if kernel == "gemm_int8" else np.float32)
    return _in_device_memory(c), _in_device_memory(a), _in_device_memory(b)


def _is_right(kernel: str, arrays: tuple[np.ndarray[Any, Any], ...]) -> bool:
    if kernel == "softmax":
        e = np.exp(arrays[1].astype(np.float64) - arrays[1].max(axis=1, keepdims=True))
        return bool(np.allclose(arrays[0], e / e.sum(axis=1, keepdims=True), rtol=1e-5, atol=1e-7))
    return bool(np.array_equal(arrays[0], arrays[1].astype(np.float32) @ arrays[2].astype(np.float32)))


def _worker(library: str, pipe: Connection) -> None:
    """Answers each name of a kernel with (seconds of one call, whether its result is right), until None comes."""
    native = ctypes.CDLL(library)
    arrays: dict[str, tuple[np.ndarray[Any, Any], ...]] = {}
    repeats: dict[str, int] = {}
    while (kernel := pipe.recv()) is not None:
        if kernel == "launch":
            arguments: list[Any] = [_LAUNCHES]
            call, per_call = native.launches, _LAUNCHES
        else:
            if kernel not in arrays:
                arrays[kernel] = _inputs(kernel)
            arguments = [ctypes.c_void_p(array.ctypes.data) for array in arrays[kernel]]
            arguments += [_ROWS] if kernel == "softmax" else []
            call, per_call = getattr(native, kernel), 1
        if kernel not in repeats:
            call(*arguments)
            start = time.perf_counter()
            call(*arguments)
            repeats[kernel] = max(1, int(_TURN / (time.perf_counter() - start)))
        start = time.perf_counter()
        for _ in range(repeats[kernel]):
            call(*arguments)
        seconds = (time.perf_counter() - start) / repeats[kernel] / per_call
        pipe.send((seconds, kernel == "launch" or _is_right(kernel, arrays[kernel])))


def _compile_times(ours: Side, theirs: Side | None, folder: Path, runs: int) -> list[dict[str, object]]:
    """CPU seconds of the compilers, in turns; leaves the objects of both sides in the folder."""
    prefix = str(ours.toolchain.prefix_header())
    nothing = folder / "nothing.cpp"
    nothing.write_text("#include <cstddef>\n#include <cstdint>\n\n#include <pto/pto-inst.hpp>\n")
    rows: list[dict[str, object]] = []
    for source in (nothing, *(SOURCES / f"{name}.cpp" for name in FILES)):
        # LaunchKernelMultiCore belongs to the simulation, not to the kernels.
        extra = ("-D__CPU_SIM",) if source.stem == "launch" else ()
        plain, with_pch, simulator = [], [], []
        for _ in range(runs):
            plain.append(ours.compile(source, folder / f"{ours.name}-{source.stem}.o", *extra))
            if not extra:
                with_pch.append(ours.compile(source, folder / "pch.o", "-include", prefix))
            if theirs is not None:
                simulator.append(theirs.compile(source, folder / f"{theirs.name}-{source.stem}.o"))
        rows.append(_compile_row(source.stem, plain, with_pch, simulator))
    return rows


def _compile_row(name: str, plain: list[float], with_pch: list[float], simulator: list[float]) -> dict[str, object]:
    quick = statistics.median(with_pch) if with_pch else None
    theirs = statistics.median(simulator) if simulator else None
    ratio = theirs / quick if theirs is not None and quick is not None else None
    is_kernel = name not in ("nothing", "launch")
    return {
        "compile": name,
        "plain": statistics.median(plain),
        "with PCH": quick,
        "simulator": theirs,
        "ratio": ratio,
        "kept": not is_kernel or ((ratio is None or ratio >= 4) and (quick is None or quick <= 0.3)),
    }


def _run_in_turns(libraries: dict[str, Path], runs: int) -> list[dict[str, object]]:
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    workers = []
    for name, library in libraries.items():
        pipes[name], end = context.Pipe()
        workers.append(context.Process(target=_worker, args=(str(library), end), daemon=True))
        workers[-1].start()
    rows: list[dict[str, object]] = []
    for kernel, aim in AIMS.items():
        seconds: dict[str, list[float]] = {name: [] for name in libraries}
        right: dict[str, bool] = {}
        for _ in range(runs):
            for name, pipe in pipes.items():
                pipe.send(kernel)
                spent, right[name] = pipe.recv()
                seconds[name].append(spent)
        ours = seconds["pyptogen"]
        theirs = seconds.get("simulator")
        ratio = statistics.median(t / o for t, o in zip(theirs, ours, strict=True)) if theirs else None
        rows.append(
            {
                "kernel": kernel,
                "pyptogen": statistics.median(ours),
                "simulator": statistics.median(theirs) if theirs else None,
                "ratio": ratio,
                "aim": aim,
                "right": right,
                "kept": right["pyptogen"] and (ratio is None or ratio >= aim),
            }
        )
    for pipe, worker in zip(pipes.values(), workers, strict=True):
        pipe.send(None)
        worker.join()
    return rows


def measure_against(
    root: Path | None, compilations: int, runs: int
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """(compile times, run times) of both sides; of the bundled headers alone where ``root`` is None."""
    ours = our_side()
    theirs = their_side(root) if root is not None else None
    with TemporaryDirectory(prefix="pyptogen-isa-") as name:
        folder = Path(name)
        compiled = _compile_times(ours, theirs, folder, compilations)
        libraries = {}
        for side in (ours, theirs) if theirs is not None else (ours,):
            libraries[side.name] = folder / f"{side.name}.so"
            side.link([folder / f"{side.name}-{file}.o" for file in FILES], libraries[side.name])
        return compiled, _run_in_turns(libraries, runs)


def table_of_times(compiled: list[dict[str, object]], run: list[dict[str, object]]) -> list[str]:
    """The records as lines of text."""

    def cell(value: object, scale: float = 1.0, text: str = "") -> str:
        return f"{float(str(value)) * scale:10.2f}{text}" if value is not None else f"{'-':>{10 + len(text)}}"

    lines = [f"{'run':12} {'pyptogen us':>12} {'simulator us':>13} {'ratio':>11}   aim"]
    for row in run:
        wrong = [name for name, right in row["right"].items() if not right]  # type: ignore[attr-defined]
        note = f"  wrong result: {', '.join(wrong)}" if wrong else ""
        lines.append(
            f"{row['kernel']:12} {cell(row['pyptogen'], 1e6):>12} {cell(row['simulator'], 1e6):>13}"
            f" {cell(row['ratio'], 1, 'x')}  {row['aim']}x{'' if row['kept'] else '  MISSED'}{note}"
        )
    lines += ["", f"{'compile':12} {'pyptogen s':>12} {'with PCH s':>12} {'simulator s':>13} {'ratio':>11}"]
    for row in compiled:
        lines.append(
            f"{row['compile']:12} {cell(row['plain']):>12} {cell(row['with PCH']):>12} {cell(row['simulator']):>13}"
            f" {cell(row['ratio'], 1, 'x')}{'' if row['kept'] else '  MISSED'}"
        )
    return lines
