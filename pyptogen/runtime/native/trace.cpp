#include "trace.hpp"

namespace pto_rt::native {

void Trace::begin(const std::vector<std::string>& cores)
{
    cores_.resize(cores.size());
    for (size_t i = 0; i < cores.size(); ++i) {
        if (!cores_[i]) cores_[i] = std::make_unique<CoreLog>();
        cores_[i]->name = cores[i];
        cores_[i]->spans.clear();
    }
    tasks_.clear();
    links_.clear();
    arguments_.clear();
    start_ = std::chrono::steady_clock::now();
    start_ticks_ = ticks();
}

void Trace::end()
{
    end_ticks_ = ticks();
    end_ = std::chrono::steady_clock::now();
}

void Trace::submitted(
    uint32_t id, const LaunchRequest& request, const std::vector<Dependency>& dependencies, uint32_t in_flight)
{
    tasks_.push({ticks(), request.name, id, request.blocks, request.priority, in_flight, request.core});
    for (const Dependency& dependency : dependencies) links_.push({dependency.id, id, dependency.reason});
    for (size_t i = 0; i < request.use_count; ++i) arguments_.push({id, request.uses[i]});
}

// Since the steady clock's own start, so that the traces of one machine's processes fit together.
double Trace::microseconds(uint64_t at) const
{
    using Micro = std::chrono::duration<double, std::micro>;
    const double begin = Micro(start_.time_since_epoch()).count();
    const uint64_t length = end_ticks_ - start_ticks_;
    if (length == 0) return begin;
    const double scale = Micro(end_ - start_).count() / static_cast<double>(length);
    return begin + static_cast<double>(static_cast<int64_t>(at - start_ticks_)) * scale;
}

}  // namespace pto_rt::native
