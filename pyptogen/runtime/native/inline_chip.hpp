// A chip of one core: launches run where they are submitted, on the calling thread, without any synchronisation.
#pragma once

#include "chip.hpp"

namespace pto_rt::native {

// Launches arrive in an order in which everything in `after` is earlier, so submission order is a legal schedule.
class InlineChip final : public Chip {
public:
    int cores(Core) const override { return 1; }
    void wait(Launch) override {}

private:
    void begin_run() override {}

    void end_run() override
    {
        if (hooks_ != nullptr) hooks_->leave();
        hooks_ = nullptr;
    }

    std::vector<std::string> core_names() const override { return {"core 0"}; }
    uint32_t ring() const override { return 0; }
    uint32_t finished_launches() const override { return last_id_; }
    uint32_t settled_launches() override { return last_id_; }
    bool settle(uint32_t, bool) override { return true; }

    Launch enqueue(const LaunchRequest& request) override
    {
        const uint32_t id = ++last_id_;
        if (request.blocks > 0 && !failed()) {
            const uint64_t begin = tracing() ? ticks() : 0;
            try {
                if (hooks_ != request.hooks) {
                    if (hooks_ != nullptr) hooks_->leave();
                    hooks_ = request.hooks;
                    hooks_->enter();
                }
                // One at a time, so that a run which is to stop stops between them.
                for (uint32_t block = 0; block < request.blocks && !failed(); ++block) {
                    request.run(request.body, block, block + 1);
                }
            } catch (...) {
                fail_kernel(std::current_exception());
            }
            if (tracing()) trace_.core(0).spans.push({begin, ticks(), id, 0, request.blocks, 0});
        }
        return {id};
    }

    const CoreHooks* hooks_ = nullptr;
};

}  // namespace pto_rt::native
