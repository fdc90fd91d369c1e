// Where the headers keep what outlives a call, and what this object was told when it asked for the matrix unit.
#include "common.hpp"

#include <pto/cpu/core/amx.hpp>
#include <pto/cpu/core/launch.hpp>
#include <pto/cpu/core/memory_model.hpp>

// 1 or 0; -1 where the object is compiled for no matrix unit.
extern "C" int unit_permitted()
{
#if defined(PTO_CPU_AMX)
    return pto::cpu::amx_permitted() ? 1 : 0;
#else
    return -1;
#endif
}

// One thread's state and its on-chip memories, which objects that are compiled alike share.
extern "C" const void* thread_state() { return &pto::cpu::core_state(); }
extern "C" const void* thread_memory() { return pto::cpu::pool_address(pto::TileType::Vec, 0); }

// What every object has to itself: `places` gets the addresses, nullptr where there is none; the count is returned.
extern "C" int own_states(const void** places)
{
    int count = 0;
    places[count++] = &pto::cpu::process_states;
    places[count++] = &pto::cpu_sim::detail::ThreadPool::instance();
    places[count++] = &pto::cpu_sim::injected_subblock_id_hook;
    places[count++] = &pto::cpu_sim::injected_pipe_shared_state_hook;
    places[count++] = &pto::NPUMemoryModel::Instance();
#if defined(PTO_CPU_HOLDS)
    places[count++] = &pto::cpu::thread_held;
#else
    places[count++] = nullptr;
#endif
#if defined(PTO_CHECKED)
    places[count++] = &pto::cpu::checked::engine();
    places[count++] = &pto::cpu_sim::check_handler;
#else
    places[count++] = nullptr;
    places[count++] = nullptr;
#endif
    return count;
}

// Blocks that a launch of two has run.
extern "C" int launched()
{
    std::atomic<int> blocks{0};
    pto::cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 2;
    pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, [&blocks] { ++blocks; });
    return blocks;
}
