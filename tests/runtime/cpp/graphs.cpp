// Operators written by hand: each entry submits a task graph of a known result.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>

using pto_rt::Core;
using pto_rt::Launch;
using pto_rt::Runtime;

struct graph_args {
    int64_t* out;
    int64_t tasks;
};

// out[i] += 1 for every task, all independent.
extern "C" void independent(Runtime& rt, const graph_args& args)
{
    for (int64_t i = 0; i < args.tasks; ++i) {
        int64_t* cell = args.out + i;
        rt.launch("one", Core::Vector, 1, [=] { *cell += 1; });
    }
}

// out[i] += 1 by one launch of many blocks.
extern "C" void blocks(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    rt.launch("block", Core::Vector, static_cast<int>(args.tasks), [=] { out[get_block_idx()] += 1; });
}

// A recurrence whose result depends on the order of its steps: x -> 3 x + i (mod 2^61 - 1).
extern "C" void chain(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    Launch before{};
    for (int64_t i = 0; i < args.tasks; ++i) {
        before = rt.launch("step", Core::Cube, 1, [=] { *out = (3 * *out + i) % ((int64_t{1} << 61) - 1); }, {before});
    }
}

// Rounds of 7 blocks each that add out[0] to their own cell, then one task that sums the cells into out[0].
extern "C" void fan(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    Launch sum{};
    for (int64_t i = 0; i < args.tasks; ++i) {
        const Launch parts = rt.launch("part", Core::Vector, 7, [=] { out[1 + get_block_idx()] += out[0] % 1000 + 1; }, {sum});
        sum = rt.launch("sum", Core::Cube, 1, [=] {
            int64_t total = 0;
            for (int j = 1; j <= 7; ++j) total += out[j];
            out[0] = total;
        }, {parts});
    }
}

// 40 writers, joined (more edges than a record holds inline), then one reader that must see them all.
extern "C" void joined(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    Launch round{};
    for (int64_t i = 0; i < args.tasks; ++i) {
        Launch writers[40];
        for (int j = 0; j < 40; ++j) writers[j] = rt.launch("write", Core::Vector, 1, [=] { out[1 + j] = i + 1; }, {round});
        const Launch all = rt.join(writers, 40);
        round = rt.launch("read", Core::Vector, 1, [=] {
            int64_t seen = 0;
            for (int j = 0; j < 40; ++j) seen += out[1 + j] == i + 1;
            out[0] += seen;
        }, {all});
    }
}

// No task at all; joins of nothing; launches without blocks in a chain between two tasks.
extern "C" void empty(Runtime& rt, const graph_args& args)
{
    if (args.tasks == 0) return;
    int64_t* out = args.out;
    Launch last = rt.join({});
    last = rt.launch("first", Core::Vector, 1, [=] { out[0] = 1; }, {last, Launch{}});
    for (int64_t i = 0; i < args.tasks; ++i) last = rt.launch("nothing", Core::Vector, 0, [] {}, {last});
    rt.launch("last", Core::Vector, 1, [=] { out[0] += 1; }, {last});
}

// Two pieces of workspace per round; they must be aligned, apart from each other, and large enough.
extern "C" void scratch(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    for (int64_t i = 0; i < args.tasks; ++i) {
        auto* a = static_cast<char*>(rt.workspace(1000));
        auto* b = static_cast<int64_t*>(rt.workspace(5 << 20));
        const bool apart = reinterpret_cast<char*>(b) >= a + 1000 || reinterpret_cast<char*>(b) + (5 << 20) <= a;
        const bool aligned = reinterpret_cast<uintptr_t>(a) % 64 == 0 && reinterpret_cast<uintptr_t>(b) % 64 == 0;
        const Launch fill = rt.launch("fill", Core::Vector, 5, [=] {
            for (int64_t k = 0; k < (1 << 17); ++k) b[get_block_idx() * (1 << 17) + k] = i;
        });
        rt.launch("check", Core::Vector, 1, [=] {
            int64_t wrong = 0;
            for (int64_t k = 0; k < 5 * (1 << 17); ++k) wrong += b[k] != i;
            out[i] = apart && aligned && wrong == 0;
        }, {fill});
    }
}

// Scopes with memory of their own, of several sizes, now and then another inside: each is filled by four blocks, and
// checked after them. A memory that is given away too early is filled by somebody else.
extern "C" void scoped(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    auto* whole = static_cast<int64_t*>(rt.workspace(64 * 8));
    for (int64_t k = 0; k < 64; ++k) whole[k] = k;
    const auto use = [&rt, out](int64_t round, int64_t cells) {
        auto* memory = static_cast<int64_t*>(rt.workspace(static_cast<size_t>(4 * cells) * 8));
        const Launch fill = rt.launch("fill", Core::Vector, 4, [=] {
            for (int64_t k = 0; k < cells; ++k) memory[get_block_idx() * cells + k] = round;
        });
        rt.launch("check", Core::Vector, 1, [=] {
            int64_t wrong = 0;
            for (int64_t k = 0; k < 4 * cells; ++k) wrong += memory[k] != round;
            std::atomic_ref(out[round]).fetch_add(wrong == 0);  // checks of one round are not ordered
        }, {fill});
    };
    for (int64_t round = 0; round < args.tasks; ++round) {
        const pto_rt::Scope outer(rt);
        use(round, round % 7 == 0 ? 1 << 16 : 1 << (8 + round % 5));
        if (round % 3 != 0) continue;
        {
            const pto_rt::Scope inner(rt);
            use(round, 1 << 15);
        }
        use(round, 100);
    }
    rt.launch("whole", Core::Vector, 1, [=] {
        int64_t wrong = 0;
        for (int64_t k = 0; k < 64; ++k) wrong += whole[k] != k;
        std::atomic_ref(out[0]).fetch_add(100 * (wrong == 0));
    });
}

// The launch in the middle fails; those that wait for it must not run.
extern "C" void failing(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    const Launch first = rt.launch("first", Core::Vector, 1, [=] { out[0] = 1; });
    const Launch bad = rt.launch("bad", Core::Vector, 3, [] {
        if (get_block_idx() == 1) throw std::runtime_error("block 1 does not like its input");
    }, {first});
    rt.launch("after", Core::Vector, 1, [=] { out[1] = 1; }, {bad});
}

extern "C" void failing_orchestration(Runtime& rt, const graph_args& args)
{
    int64_t* out = args.out;
    rt.launch("first", Core::Vector, 1, [=] { out[0] = 1; });
    throw std::runtime_error("no plan for these sizes");
}

// Which cores exist, and how many blocks ran outside of enter_core / leave_core (the stub headers count).
extern "C" void cores(Runtime& rt, const graph_args& args)
{
    args.out[0] = rt.cores(Core::Cube);
    args.out[1] = rt.cores(Core::Vector);
    args.out[2] = rt.cores(Core::Mixed);
    int64_t* out = args.out;
    rt.launch("inside", Core::Vector, 8, [=] { out[3 + get_block_idx()] = pto::cpu_sim::inside_core(); });
}
