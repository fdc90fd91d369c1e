// Runs the tasks that a table describes: what each reads, overwrites and updates. All have one kernel, whose effect
// depends on the order of everything that conflicts.
#include <pto/orchestration.hpp>

using namespace pto_rt;

namespace {

struct Step {
    Tensor box[2];
    Mode mode[2];
    int64_t number;
    int64_t* sum;

    template <class Each>
    static void elements(const Tensor& box, Each&& each)
    {
        auto* data = static_cast<int64_t*>(box.data);
        for (uint64_t r = box.offset[0]; r < box.offset[0] + box.extent[0]; ++r) {
            for (uint64_t c = box.offset[1]; c < box.offset[1] + box.extent[1]; ++c) each(data[r * box.shape[1] + c]);
        }
    }

    void run() const
    {
        int64_t total = 0;
        for (int i = 0; i < 2; ++i) {
            if (mode[i] != Mode::Output) elements(box[i], [&](int64_t x) { total = (total + x) % 1000003; });
        }
        for (int i = 0; i < 2; ++i) {
            if (mode[i] == Mode::Output) elements(box[i], [&](int64_t& x) { x = total + number; });
            if (mode[i] == Mode::InOut) elements(box[i], [&](int64_t& x) { x = (3 * x + total + number) % 1000003; });
        }
        *sum = total;
    }
};

}  // namespace

// args: table[n, 2, 6] of (tensor, mode, row, column, rows, columns), sums[n], tensors[rows, columns] ...
extern "C" void orchestrate(Runtime& rt, const Arguments& args)
{
    const Tensor& table = args.tensor(0);
    const auto* row = table.at<const int64_t>();
    for (uint64_t n = 0; n < table.shape[0]; ++n, row += 12) {
        Step step;
        Use uses[2];
        for (int i = 0; i < 2; ++i) {
            const int64_t* use = row + 6 * i;
            const auto u = [use](int k) { return static_cast<uint64_t>(use[k]); };
            step.box[i] = args.tensor(2 + u(0)).view({u(2), u(3)}, {u(4), u(5)});
            step.mode[i] = static_cast<Mode>(use[1]);
            uses[i] = {step.box[i], step.mode[i], true};
        }
        step.number = static_cast<int64_t>(n);
        step.sum = args.tensor(1).at<int64_t>() + n;
        rt.task("step", n % 3 == 0 ? Core::Cube : Core::Vector, 1, [=] { step.run(); }, uses, 2, nullptr, 0);
    }
}
