// (a + b + 1)(a + b + 2) over blocks of rows, in the usual form of such files.
#include "orchestration_api.h"
#include "sizes.h"

extern "C" void aicpu_orchestration_entry(const ChipTaskArgs& args)
{
    const Tensor a = args.tensor(0).ref();
    const Tensor b = args.tensor(1).ref();
    const Tensor y = args.tensor(2).ref();
    const uint32_t rows = static_cast<uint32_t>(a.shapes[0]);
    const uint32_t extents[2] = {kRows, kColumns};
    const TensorCreateInfo block(extents, 2, DataType::FLOAT32);
    for (uint32_t row = 0; row < rows; row += kRows) {
        const uint32_t offsets[2] = {row, 0};
        CoreTaskArgs add;
        add.add_input(a.view(extents, offsets));
        add.add_input(b.view(extents, offsets));
        add.add_output(block);
        const Tensor sum = rt_submit_aiv_task(0, add).get_ref(0);
        CoreTaskArgs multiply;
        multiply.add_input(sum);
        multiply.add_output(y.view(extents, offsets));
        multiply.add_scalar(args.scalar<float>(0));
        multiply.add_scalar(int64_t{2});
        rt_submit_aic_task(1, multiply);
    }
}
