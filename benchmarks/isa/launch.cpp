// Launches of one block that does nothing; the public simulator and these headers both compile this very text.
#include <cstddef>
#include <cstdint>

#include <pto/pto-inst.hpp>

using namespace pto;

extern "C" void launches(int32_t count)
{
    pto::cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 1;
    for (int32_t i = 0; i < count; ++i) {
        pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, [] {});
    }
}
