"""Each header stands alone and is free of warnings; what cannot be had says so in one readable error."""

from __future__ import annotations

import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from .conftest import INCLUDE, compiler, is_of_a_machine
from .reading import STRICT, asked, read

FLAGS = ["-std=c++20", "-fsyntax-only", *STRICT, "-DPTO_PORTABLE", f"-I{INCLUDE}", "-xc++", "-"]
PARTS = ("checked/begin.hpp", "checked/end.hpp", "checked/wrappers.hpp", "checked/sites.hpp")
"""Parts of one header: what is between begin and end gets other names, wrappers and sites follow."""


def compiled(text: str, *flags: str) -> subprocess.CompletedProcess[str]:
    return asked([*flags, *FLAGS], text)


def first_included(header: Path) -> str | None:
    """What a header includes before it has a line of its own: it is read there as if nothing else was."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|#pragma once", "", (INCLUDE / header).read_text(), flags=re.DOTALL)
    found = re.match(r"\s*#include <(.+)>", text)
    return found[1] if found else None


def test_each_header_stands_alone() -> None:
    """One that another one includes first is compiled as the beginning of that."""
    headers = [
        path.relative_to(INCLUDE)
        for path in sorted(INCLUDE.rglob("*.h*"))
        if not str(path).endswith(PARTS) and not is_of_a_machine(path)
    ]
    assert len(headers) > 80
    within = {first_included(header) for header in headers}
    headers = [header for header in headers if str(header) not in within]
    assert len(headers) > 80
    with ThreadPoolExecutor(2) as pool:
        done = pool.map(lambda header: compiled(f"#include <{header}>\nint main() {{}}\n"), headers)
        failures = {str(h): d.stderr.splitlines()[:3] for h, d in zip(headers, done, strict=True) if d.returncode}
    assert not failures


KERNEL = """
#include <pto/pto-inst.hpp>
using namespace pto;
using Vec = Tile<TileType::Vec, float, 8, 64>;
using Pipe = TPipe<1, Direction::DIR_V2C, 8 * 64 * 4, 2>;
void kernel([[maybe_unused]] Pipe& pipe, [[maybe_unused]] Vec& tile, [[maybe_unused]] Vec& other) { STATEMENT; }
"""


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("TPUSH<GridDirection::EAST>(pipe, tile)", "TPUSH<GridDirection>: grids of cores are not simulated"),
        ("TPUSH<GridSpan::ROW>(pipe, tile)", "TPUSH<GridSpan>: grids of cores are not simulated"),
        ("(TPOP<GridDirection::NORTH, 2>(pipe, tile))", "TPOP<GridDirection>: grids of cores are not simulated"),
        ("ffts_cross_core_sync(PIPE_FIX, 0x21)", "ffts_cross_core_sync: flags between cores are not simulated"),
        ("wait_flag_dev(3)", "wait_flag_dev: flags between cores are not simulated"),
        ("set_intra_block(PIPE_S, 3)", "set_intra_block: flags between cores are not simulated"),
        ("wait_intra_block(PIPE_S, 3)", "wait_intra_block: flags between cores are not simulated"),
        (
            "Event<Op::TMOV_A2V, Op::TADD, false, EVENT_ID3> event; event.Record()",
            "an Event between a cube and a vector core: flags between cores are not simulated",
        ),
        (
            "Event<Op::TMOV_V2M, Op::TEXTRACT_M2LR, false> event; TSYNC(event)",
            "an Event between a cube and a vector core: flags between cores are not simulated",
        ),
        ("TXOR(tile, tile, other, other)", "TXOR: dst must have integer elements"),
    ],
)
def test_what_cannot_be_had_says_so(statement: str, said: str) -> None:
    done = read(KERNEL.replace("STATEMENT", statement), *STRICT, "-DPTO_PORTABLE")
    assert done.returncode != 0
    assert said in done.stderr
    assert done.stderr.count("error:") == 1, done.stderr


def test_a_kernel_that_names_the_base_of_flags_compiles() -> None:
    done = read(KERNEL.replace("STATEMENT", "set_ffts_base_addr(0), TPUSH(tile, pipe)"), *STRICT, "-DPTO_PORTABLE")
    assert done.returncode == 0, done.stderr


FOR_BOTH = """
#ifndef PIPE_FIX
#define PIPE_FIX static_cast<pipe_t>(10)
#endif
#include <pto/comm/async_common/async_types.hpp>
#include <pto/pto-inst.hpp>
#include "tensor.h"
#ifndef PTO_CPUSTUB_HPP
#error "taken for a device"
#endif
int kernel() { return of_another_runtime(PIPE_FIX); }
pto::comm::sdma::SdmaBaseConfig config;
"""


def test_kernels_of_another_runtime_bring_their_own_headers_and_macros(tmp_path: Path) -> None:
    """They look for their headers behind ours, and ask ours whether there is a device."""
    (tmp_path / "tensor.h").write_text("inline int of_another_runtime(int pipe) { return pipe; }\n")
    command = [compiler(), f"-idirafter{tmp_path}", *FLAGS]
    done = subprocess.run(command, input=FOR_BOTH, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


READS = """
#include <cstddef>
#include <cstdint>

#include <acl/acl.h>
#include <pto/common/memory.hpp>
#include <pto/pto-inst.hpp>
using namespace pto;
using Vec = Tile<TileType::Vec, float, 16, 64>;
using Narrow = Tile<TileType::Vec, half, 16, 64>;
using Column = Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor>;
using Memory = GlobalTensor<float, TileShape2D<float, 16, 64>, BaseShape2D<float, DYNAMIC, 64>>;
void vectors(Vec& to, const Vec& a, const Vec& b, Narrow& narrow, Column& sums, const Column& column, Vec& tmp)
{
    TADD(to, a, b);
    TADDS(to, a, 1.0f);
    TEXP(to, a);
    TMOV(to, a);
    TROWSUM(sums, a, tmp);
    TROWEXPANDSUB(to, a, column);
    TCVT(narrow, a, RoundMode::CAST_RINT);
}
void products(TileAcc<float, 32, 32>& sum, const TileLeft<float, 32, 64>& a, const TileRight<float, 64, 32>& b)
{
    TMATMUL(sum, a, b);
}
void stores(MemoryQualifier<TileType::Vec, float>::type memory, const Vec& tile, uint32_t rows)
{
    Memory to(memory, TileShape2D<float, 16, 64>(), BaseShape2D<float, DYNAMIC, 64>(rows, 64u));
    TSTORE(to, tile);
}
int main() { return aclInit(nullptr) == ACL_SUCCESS ? 0 : 1; }
"""


def test_sources_may_be_constant_and_host_paths_are_those_of_the_public_library() -> None:
    done = compiled(READS, "-D__CPU_SIM")
    assert done.returncode == 0, done.stderr
