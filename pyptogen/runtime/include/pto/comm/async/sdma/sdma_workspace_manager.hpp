// The public path of the workspace that a host prepares for asynchronous transfers; it brings the host API with it.
#pragma once

#include <pto/comm/comm_types.hpp>
#include <pto/cpu/core/host_api.hpp>

#include <cstdint>
#include <memory>

namespace pto::comm::sdma {

/// Memory that a device's transfer engine keeps its queues in. Here nothing writes to it: transfers are copies by the
/// processor, done when their instruction returns.
class SdmaWorkspaceManager {
public:
    bool Init()
    {
        space_ = std::make_unique<uint8_t[]>(kBytes);
        return true;
    }
    void Finalize() { space_.reset(); }
    /// Null before Init and after Finalize.
    void* GetWorkspaceAddr() const { return space_.get(); }

private:
    static constexpr size_t kBytes = 4096;
    std::unique_ptr<uint8_t[]> space_;
};

}  // namespace pto::comm::sdma
