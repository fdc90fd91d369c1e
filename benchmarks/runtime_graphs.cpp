// Task graphs for benchmarks/runtime.py, chosen by the first argument: empty tasks unless said otherwise.
#include <pto/orchestration.hpp>

using namespace pto_rt;

namespace {

void independent(Runtime& rt, int64_t tasks)
{
    for (int64_t i = 0; i < tasks; ++i) rt.launch("empty", Core::Vector, 1, [] {});
}

void chain(Runtime& rt, int64_t tasks)
{
    Launch last{};
    for (int64_t i = 0; i < tasks; ++i) last = rt.launch("link", Core::Vector, 1, [] {}, {last});
}

// Alternating cores: what a chain costs when it may not stay where it is.
void ping_pong(Runtime& rt, int64_t tasks)
{
    Launch last{};
    for (int64_t i = 0; i < tasks; ++i) {
        last = rt.launch("link", i % 2 == 0 ? Core::Cube : Core::Vector, 1, [] {}, {last});
    }
}

// Rounds of eight tasks that one gathers.
void fan(Runtime& rt, int64_t tasks)
{
    Launch gathered{};
    for (int64_t i = 0; i < tasks; i += 9) {
        Launch parts[8];
        for (Launch& part : parts) part = rt.launch("part", Core::Vector, 1, [] {}, {gathered});
        gathered = rt.launch("gather", Core::Vector, 1, [] {}, parts, 8);
    }
}

// One tile read, one written: two tensor arguments a task, over a tensor of 64 x 64 tiles.
void regions(Runtime& rt, int64_t tasks)
{
    static float memory[2][64 * 64];
    const Tensor from(memory[0], 4, {64, 64});
    const Tensor to(memory[1], 4, {64, 64});
    for (int64_t i = 0; i < tasks; ++i) {
        const auto row = static_cast<uint64_t>(i / 16 % 16 * 4);
        const auto column = static_cast<uint64_t>(i % 16 * 4);
        rt.task("tile", Core::Vector, 1, [] {}, {in(from.view({row, column}, {4, 4})), out(to.view({row, column}, {4, 4}))});
    }
}

// Tasks that compute for `steps` dependent additions each.
void compute(Runtime& rt, int64_t tasks, int64_t steps)
{
    for (int64_t i = 0; i < tasks; ++i) {
        rt.launch("compute", Core::Vector, 1, [=] {
            for (int64_t k = 0; k < steps; ++k) asm volatile("" ::"r"(k));
        });
    }
}

}  // namespace

// args: which, tasks, steps
extern "C" void orchestrate(Runtime& rt, const Arguments& args)
{
    const auto tasks = args.scalar<int64_t>(1);
    switch (args.scalar<int>(0)) {
        case 1: return independent(rt, tasks);
        case 2: return chain(rt, tasks);
        case 3: return ping_pong(rt, tasks);
        case 4: return fan(rt, tasks);
        case 5: return regions(rt, tasks);
        case 6: return compute(rt, tasks, args.scalar<int64_t>(2));
        default: return;
    }
}
