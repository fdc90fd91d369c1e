#include "chip.hpp"

#include <algorithm>
#include <stdexcept>

namespace pto_rt::native {

Launch Chip::submit_with_care(const LaunchRequest& request)
{
    if ((watched_.load(std::memory_order_relaxed) & kCancelled) != 0) throw std::runtime_error(kStopped);
    const uint32_t id = last_id_ + 1;
    // A trace shows every dependency, also on launches that finished long ago.
    const uint32_t settled = tracing() ? 0 : settled_launches();
    found_.clear();
    for (size_t i = 0; i < request.after_count; ++i) {
        const uint32_t before = request.after[i].id;
        if (before != 0 && before < id) found_.push_back({before, Reason::After});
    }
    for (size_t i = 0; i < request.use_count; ++i) tracker_.use(request.uses[i], id, settled, found_);
    if (found_.size() > 1) {
        std::sort(found_.begin(), found_.end(), [](const Dependency& a, const Dependency& b) {
            return a.id != b.id ? a.id < b.id : a.reason < b.reason;
        });
        const auto same = [](const Dependency& a, const Dependency& b) { return a.id == b.id; };
        found_.erase(std::unique(found_.begin(), found_.end(), same), found_.end());
    }
    after_.clear();
    for (const Dependency& dependency : found_) after_.push_back({dependency.id});
    if (tracing()) trace_.submitted(id, request, found_, id - finished_launches());
    LaunchRequest complete = request;
    complete.after = after_.data();
    complete.after_count = after_.size();
    return enqueue(complete);
}

}  // namespace pto_rt::native
