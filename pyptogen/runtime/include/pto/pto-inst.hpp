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

#include <pto/cpu/arg_reduce.hpp>
#include <pto/cpu/assign.hpp>
#include <pto/cpu/binary.hpp>
#include <pto/cpu/bitwise.hpp>
#include <pto/cpu/compare.hpp>
#include <pto/cpu/concat.hpp>
#include <pto/cpu/cross_core.hpp>
#include <pto/cpu/cvt.hpp>
#include <pto/cpu/expand.hpp>
#include <pto/cpu/expand_exp.hpp>
#include <pto/cpu/fixpipe.hpp>
#include <pto/cpu/fillpad.hpp>
#include <pto/cpu/fused.hpp>
#include <pto/cpu/gather.hpp>
#include <pto/cpu/gather_memory.hpp>
#include <pto/cpu/generate.hpp>
#include <pto/cpu/histogram.hpp>
#include <pto/cpu/img2col.hpp>
#include <pto/cpu/insert.hpp>
#include <pto/cpu/load.hpp>
#include <pto/cpu/matmul.hpp>
#include <pto/cpu/matmul_forms.hpp>
#include <pto/cpu/matmul_mx.hpp>
#include <pto/cpu/move.hpp>
#include <pto/cpu/reshape.hpp>
#include <pto/cpu/sort.hpp>
#include <pto/cpu/topk.hpp>
#include <pto/cpu/queue.hpp>
#include <pto/cpu/quant.hpp>
#include <pto/cpu/quant_mx.hpp>
#include <pto/cpu/partial.hpp>
#include <pto/cpu/power.hpp>
#include <pto/cpu/prefetch.hpp>
#include <pto/cpu/print.hpp>
#include <pto/cpu/product.hpp>
#include <pto/cpu/reduce.hpp>
#include <pto/cpu/running.hpp>
#include <pto/cpu/remainder.hpp>
#include <pto/cpu/store.hpp>
#include <pto/cpu/transpose.hpp>
#include <pto/cpu/sync.hpp>
#include <pto/cpu/unary.hpp>
#include <pto/cpu/vector_pass.hpp>
#include <pto/cpu/carry.hpp>

#if defined(PTO_CHECKED)
#include <pto/cpu/checked/end.hpp>
#include <pto/cpu/checked/wrappers.hpp>
#include <pto/cpu/checked/sites.hpp>
#endif

#include <pto/comm/pto_comm_inst.hpp>

#if defined(__CPU_SIM)
#include <pto/cpu/host_api.hpp>
#endif
