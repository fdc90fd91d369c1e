// A chip of one core: launches run where they are submitted, on the calling thread, without any synchronisation.
#pragma once

#include "chip.hpp"

namespace pto_rt::native {

// Launches arrive in an order in which everything in `after` is earlier, so submission order is a legal schedule.
class InlineChip final : public Chip {
public:
    int cores(Core) const override { return 1; }

private:
    void begin_run() override
    {
        last_id_ = 0;
        failed_ = false;
    }

    void end_run() override
    {
        if (hooks_ != nullptr) hooks_->leave();
        hooks_ = nullptr;
    }

    Launch submit(const LaunchRequest& request) override
    {
        if (request.blocks > 0 && !failed_) {
            try {
                if (hooks_ == nullptr) {
                    hooks_ = request.hooks;
                    hooks_->enter();
                }
                request.run(request.body, 0, request.blocks);
            } catch (...) {
                failed_ = true;
                fail(std::current_exception());
            }
        }
        return {++last_id_};
    }

    const CoreHooks* hooks_ = nullptr;
    uint32_t last_id_ = 0;
    bool failed_ = false;
};

}  // namespace pto_rt::native
