// PTO-ISA for CPUs: the one header that a kernel includes.
//
// Kernels written against the public PTO-ISA C++ API compile with this header on any CPU. With AVX-512 and AMX enabled
// on the compiler's command line the fast paths are used; without them, or with PTO_PORTABLE defined, the same kernels
// run on GNU vector extensions alone. Build with -ffp-contract=off and never with -ffast-math.
#pragma once

#include <type_traits>  // not for these headers: kernels expect std::is_same_v and the like

#include <pto/common/constants.hpp>
#include <pto/common/cpu_stub.hpp>
#include <pto/common/debug.h>
#include <pto/common/event.hpp>
#include <pto/common/global_tensor.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/common/shape_2d.hpp>
#include <pto/common/small_floats.hpp>
#include <pto/common/type.hpp>

#if defined(PTO_CHECKED)
#include <pto/cpu/checked/begin.hpp>
#endif

#include <pto/cpu/core/cross_core.hpp>
#include <pto/cpu/core/print.hpp>
#include <pto/cpu/core/sync.hpp>
#include <pto/cpu/cube/matmul.hpp>
#include <pto/cpu/cube/matmul_forms.hpp>
#include <pto/cpu/cube/matmul_mx.hpp>
#include <pto/cpu/moves/assign.hpp>
#include <pto/cpu/moves/carry.hpp>
#include <pto/cpu/moves/concat.hpp>
#include <pto/cpu/moves/fillpad.hpp>
#include <pto/cpu/moves/fixpipe.hpp>
#include <pto/cpu/moves/gather.hpp>
#include <pto/cpu/moves/gather_memory.hpp>
#include <pto/cpu/moves/img2col.hpp>
#include <pto/cpu/moves/insert.hpp>
#include <pto/cpu/moves/load.hpp>
#include <pto/cpu/moves/move.hpp>
#include <pto/cpu/moves/prefetch.hpp>
#include <pto/cpu/moves/reshape.hpp>
#include <pto/cpu/moves/scatter_memory.hpp>
#include <pto/cpu/moves/store.hpp>
#include <pto/cpu/moves/transpose.hpp>
#include <pto/cpu/fifo/fifo_instructions.hpp>
#include <pto/cpu/vector/arg_reduce.hpp>
#include <pto/cpu/vector/binary.hpp>
#include <pto/cpu/vector/bitwise.hpp>
#include <pto/cpu/vector/compare.hpp>
#include <pto/cpu/vector/cvt.hpp>
#include <pto/cpu/vector/expand.hpp>
#include <pto/cpu/vector/expand_exp.hpp>
#include <pto/cpu/vector/fused.hpp>
#include <pto/cpu/vector/generate.hpp>
#include <pto/cpu/vector/histogram.hpp>
#include <pto/cpu/vector/partial.hpp>
#include <pto/cpu/vector/pass_columns.hpp>
#include <pto/cpu/vector/pass_rows.hpp>
#include <pto/cpu/vector/power.hpp>
#include <pto/cpu/vector/product.hpp>
#include <pto/cpu/vector/quant.hpp>
#include <pto/cpu/vector/quant_mx.hpp>
#include <pto/cpu/vector/reduce.hpp>
#include <pto/cpu/vector/remainder.hpp>
#include <pto/cpu/vector/running.hpp>
#include <pto/cpu/vector/sort.hpp>
#include <pto/cpu/vector/topk.hpp>
#include <pto/cpu/vector/unary.hpp>
#include <pto/cpu/vector/vector_pass.hpp>

#if defined(PTO_CHECKED)
#include <pto/cpu/checked/end.hpp>  // these three in this order: the last one makes macros of the instructions' names
#include <pto/cpu/checked/wrappers.hpp>
#include <pto/cpu/checked/sites.hpp>
#endif

#include <pto/comm/pto_comm_inst.hpp>

#if defined(__CPU_SIM)
#include <pto/cpu/core/host_api.hpp>
#endif
