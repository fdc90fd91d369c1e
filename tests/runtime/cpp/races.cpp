// Every graph on chips of several cores, from two threads in turn, with and without a trace, with runs that fail and runs
// that are cancelled: what ThreadSanitizer looks at. Results are the matter of other tests.
#include <cstdint>
#include <thread>
#include <vector>

#include "threaded_chip.hpp"

struct graph_args {
    int64_t* out;
    int64_t tasks;
};

using pto_rt::Runtime;
using pto_rt::native::ChipShape;
using pto_rt::native::Entry;
using pto_rt::native::Policy;
using pto_rt::native::ThreadedChip;

extern "C" {
void independent(Runtime&, const graph_args&);
void blocks(Runtime&, const graph_args&);
void chain(Runtime&, const graph_args&);
void fan(Runtime&, const graph_args&);
void joined(Runtime&, const graph_args&);
void empty(Runtime&, const graph_args&);
void scratch(Runtime&, const graph_args&);
void scoped(Runtime&, const graph_args&);
void failing(Runtime&, const graph_args&);
void failing_orchestration(Runtime&, const graph_args&);
}

namespace {

struct Graph {
    void (*entry)(Runtime&, const graph_args&);
    int64_t tasks;
};

const Graph kGraphs[] = {
    {independent, 3000}, {blocks, 3000}, {chain, 500},  {fan, 200},   {joined, 40},
    {empty, 40},         {scratch, 1},   {scoped, 40},  {failing, 1}, {failing_orchestration, 1},
};

void run_all(ThreadedChip& chip, Policy policy, bool trace)
{
    for (const Graph& graph : kGraphs) {
        std::vector<int64_t> out(4096);
        const graph_args args{out.data(), graph.tasks};
        const std::lock_guard guard(chip.lock());
        chip.run(reinterpret_cast<Entry>(graph.entry), &args, {policy, trace});
    }
}

}  // namespace

int main()
{
    for (const ChipShape& shape : {ChipShape{2, 0, 0, 0}, ChipShape{4, 0, 0, 64}, ChipShape{0, 2, 3, 0}}) {
        ThreadedChip chip(shape);
        std::thread other([&chip] { run_all(chip, Policy::Depth, true); });
        run_all(chip, Policy::CriticalPath, false);
        other.join();
        std::thread stopping([&chip] { chip.cancel(); });
        run_all(chip, Policy::Breadth, false);
        stopping.join();
        chip.uncancel();
    }
    return 0;
}
