// Small orchestrations by hand, chosen by the first argument.
#include <atomic>
#include <pto/orchestration.hpp>

using namespace pto_rt;

namespace {

std::atomic<bool> gate;
std::atomic<int64_t> turn;

// Tasks held back until all are submitted; each notes its turn. Priorities: 0, 5, 1, 6, 2, …
void in_order(Runtime& rt, int64_t* out, int64_t tasks)
{
    gate = false;
    turn = 0;
    rt.launch("gate", Core::Vector, 1, [] {
        while (!gate) {
        }
    }, {}, 31);
    for (int64_t i = 0; i < tasks; ++i) {
        rt.launch("turn", Core::Vector, 1, [=] { out[i] = turn++; }, {}, static_cast<int>(i / 2 + 5 * (i % 2)));
    }
    gate = true;
}

// Writers and readers of the same memory seen as [4, 8] and as [32]: what overlaps must be kept in order.
void two_shapes(Runtime& rt, int64_t* out, int64_t rounds)
{
    const Tensor square(out, 8, {4, 8});
    const Tensor line(out, 8, {32});
    for (int64_t n = 0; n < rounds; ++n) {
        const Tensor row = square.view({static_cast<uint64_t>(n % 4), 0}, {1, 8});
        rt.task("row", Core::Vector, 1, [=] {
            for (int i = 0; i < 8; ++i) row.at<int64_t>()[i] += 1;
        }, {inout(row)});
        const Tensor part = line.view({static_cast<uint64_t>(n % 4 * 8 + 4)}, {static_cast<uint64_t>(n % 4 == 3 ? 4 : 8)});
        rt.task("part", Core::Vector, 1, [=] {
            for (uint64_t i = 0; i < part.extent[0]; ++i) part.at<int64_t>()[i] *= 3;
        }, {inout(part)});
    }
}

// The second task would wait for the first, were its use tracked; the first waits for the second.
void opted_out(Runtime& rt, int64_t* out)
{
    gate = false;
    const Tensor cell(out, 8, {1});
    rt.task("first", Core::Vector, 1, [=] {
        while (!gate) {
        }
        *out += 1;
    }, {inout(cell)});
    const Launch second = rt.task("second", Core::Cube, 1, [] { gate = true; }, {untracked(pto_rt::out(cell))});
    rt.task("third", Core::Vector, 1, [=] { *out *= 10; }, {inout(cell)}, {second});
}

}  // namespace

extern "C" void orchestrate(Runtime& rt, const Arguments& args)
{
    int64_t* out = args.tensor(1).at<int64_t>();
    switch (args.scalar<int>(0)) {
        case 0: return in_order(rt, out, static_cast<int64_t>(args.tensor(1).shape[0]));
        case 1: return two_shapes(rt, out, args.scalar<int64_t>(2));
        case 2: return opted_out(rt, out);
        case 3: out[0] = rt.cores(Core::Cube), out[1] = rt.cores(Core::Vector), out[2] = rt.cores(Core::Mixed); return;
        case 4: throw std::runtime_error("no plan for these sizes");
        case 5: args.tensor(7); return;
        default: return;
    }
}
