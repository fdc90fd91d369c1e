"""A copy of an installation's own A2/A3 headers that compiles for this machine, over the mocked intrinsics of their
cost model: the instructions as devices have them, with every assertion, and without data."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from pyptogen.runtime.toolchain.build import Toolchain
from pyptogen.runtime.toolchain.cache import Cache
from pyptogen.runtime.toolchain.compiler import Compiler
from pyptogen.runtime.toolchain.headers import isa_headers

CORES = {"cube": ("-D__DAV_CUBE__",), "vector": ("-D__DAV_VEC__",)}
FLAGS = (
    *("-std=c++23", "-O0", "-fPIC", "-pthread", "-w", "-ferror-limit=20", "-fno-color-diagnostics"),
    "-fno-sanitize=undefined",  # the mock of a register of 64 bits shifts 32; clang as Zig packages it would stop there
    *("-D__COSTMODEL", "-D__NPU_ARCH__=2201", "-DMEMORY_BASE", "-DPTO_COMM_NOT_SUPPORTED", "-D_DEBUG"),
    *CORES["cube"],
    *CORES["vector"],
)
"""Both kinds of core at once: a kernel's text says which of them it is for."""

_BEFORE = """\
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
namespace cce { using std::printf; }
[[noreturn]] inline void trap() { throw std::runtime_error("PTO_ASSERT, which standard output has"); }
inline int get_ctrl(...);
inline void set_ctrl(auto ctrl);
inline int sbitset0(int, int);
inline int sbitset1(int, int);
inline void set_ffts_base_addr(uint64_t) {}
alignas(1 << 20) inline thread_local char pto_memory[8][1 << 20];
"""
"""What PTO_ASSERT calls, as an exception that a run ends with; what tiles use before the mocks define it; what they
lack; memory for instructions that are loops of scalar stores."""

_FAMILY = '#include "pto/npu/a2a3/'
REPAIRS: tuple[tuple[str, str, str, str], ...] = (
    ("pto-inst.hpp", "#define PTO_INST_HPP\n", f"#define PTO_INST_HPP\n{_BEFORE}", "see _BEFORE"),
    (
        "npu/a2a3/TAssign.hpp",
        "(static_cast<std::uintptr_t>(addr))",
        "(pto_memory[int(T::Loc) & 7] + (static_cast<std::uintptr_t>(addr) & 0xfffff))",
        "addresses on the chip begin at 0, where this machine has no memory",
    ),
    (
        "common/tassign_check.hpp",
        "#if defined(__CPU_SIM) || defined(__COSTMODEL)\n",
        "#if 0\n",
        "constant addresses are to be held against the capacities of the memories",
    ),
    (
        "costmodel/common/runtime_util.hpp",
        "[[noreturn]] inline void trap() { std::terminate(); }",
        "",
        "a failed assertion is to be told",
    ),
    ("costmodel/common/runtime_util.hpp", "inline int get_coreid() { return 0; }", "", "the CPU's stub has it"),
    ("costmodel/common/runtime_util.hpp", "inline uint32_t get_block_num() { return 1; }", "", "the CPU's stub has it"),
    (
        "costmodel/common/runtime_util.hpp",
        "static constexpr int SINGLE_CACHE_LINE = 0;",
        "static constexpr int SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE = 1;",
        "the mock has one of the device's names; the library's own tests of mscatter use the other",
    ),
    (
        "costmodel/arch_config.hpp",
        "inline constexpr long double kMainFrequencyHz",
        "inline constexpr long double kMicrosPerSecond = 1e6L;\ninline constexpr long double kMainFrequencyHz",
        "used, not defined",
    ),
    (
        "costmodel/trace.hpp",
        "std::array<CcePipeTraceState, kPipeKeyCount> cce_pipe_traces;\n};",
        "std::array<CcePipeTraceState, kPipeKeyCount> cce_pipe_traces;\nbool vector_count_mode = false;\n};",
        "used, not defined",
    ),
    (
        "costmodel/a2a3/cce_costmodel/cce_costmodel_core.hpp",
        "ev::kBytesPerGb",
        "::pto::mocker::evaluator::kBytesPerGb",
        "the short name is not defined",
    ),
    (
        "costmodel/pto_instr.hpp",
        '#include "pto/common/pto_instr_impl.hpp"',
        "namespace pto { struct MrgSortExecutedNumList { uint16_t mrgSortList0, mrgSortList1, mrgSortList2, "
        'mrgSortList3; }; }\n#include "pto/common/pto_instr_impl.hpp"',
        "only the header that this one stands in for defines it",
    ),
    (
        "common/pto_instr_impl.hpp",
        "#ifdef PTO_NPU_ARCH_A2A3\n#ifdef __COSTMODEL\n",
        "#ifdef PTO_NPU_ARCH_A2A3\n#if 0\n",
        "the cost model's list leaves out half of the instructions; the device's has all",
    ),
    (
        "npu/a2a3/TBitwiseSOp.hpp",
        "dstValidRow == srcValidCol",
        "dstValidRow == srcValidRow",
        "TSHLS and TSHRS hold the rows of the result against the columns of the operand, and say that rows differ",
    ),
    ("common/pto_instr_impl.hpp", f'{_FAMILY}SyncAll.hpp"', "", "its intrinsics are not mocked; no kernel uses it"),
    ("common/pto_instr_impl.hpp", f'{_FAMILY}TPow.hpp"', "", "clashes with a union of the stub; no kernel uses it"),
)
"""File, text, what stands there instead, and why. For revision 3186c381 (2026-08-21); what a revision does not have
stays as it is, and what does not compile is told by the compiler."""


def copied(root: Path, folder: Path) -> Path:
    """A copy of an installation in ``folder``, repaired, its tables of cycles made by its own script."""
    found = root / "include" if (root / "include" / "pto").is_dir() else root
    shutil.copytree(found / "pto", folder / "include" / "pto")
    pto = folder / "include" / "pto"
    for name, old, new, _ in REPAIRS:
        path = pto / name
        path.write_text(path.read_text().replace(old, new))
    for script in sorted(pto.glob("costmodel/*/formula_costmodel/gen_formula_params_header.py")):
        subprocess.run([sys.executable, str(script)], check=True, capture_output=True)
    return folder


def device_toolchain(compiler: Compiler, installation: Path, cache: Path) -> Toolchain:
    """Compiles kernels as a device has them, for runs on this machine that move no data."""
    return Toolchain(compiler, "mocked", FLAGS, isa_headers(installation), Cache(cache))
