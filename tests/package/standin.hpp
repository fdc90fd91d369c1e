// Launches of a device package on this project's chip: the few calls of the device's runtime that `launch.cpp` makes, and
// a stream, which is an order of launches.
#pragma once

#define PYPTOGEN_STANDIN 1

#include <cstdint>

#include <pto/pto-inst.hpp>
#include <pto/runtime.hpp>
#include <pto/side_by_side.hpp>

namespace standin {

inline thread_local pto_rt::Runtime *chip = nullptr;
inline thread_local pto_rt::Launch last;

inline pto_rt::Core kind(int core)
{
    return core == 0 ? pto_rt::Core::Cube : core == 1 ? pto_rt::Core::Vector : pto_rt::Core::Mixed;
}

}  // namespace standin

enum { ACL_DEV_ATTR_CUBE_CORE_NUM = 102, ACL_DEV_ATTR_VECTOR_CORE_NUM = 201 };
inline int aclrtGetDevice(int32_t *device)
{
    *device = 0;
    return 0;
}
inline int aclrtGetDeviceInfo(uint32_t, int attribute, int64_t *value)
{
    const bool cube = attribute == ACL_DEV_ATTR_CUBE_CORE_NUM;
    *value = standin::chip->cores(cube ? pto_rt::Core::Cube : pto_rt::Core::Vector);
    return 0;
}
inline int aclrtGetHardwareSyncAddr(void **address)
{
    *address = nullptr;
    return 0;
}

// A launch behind the last one of the stream. `RUN_<kernel>` says how a block of it runs: it is made by the test.
#define PYPTOGEN_LAUNCH(kernel, core, blocks, stream, ...)                                                        \
    standin::last = standin::chip->launch(                                                                       \
        #kernel, standin::kind(static_cast<int>(core)), blocks, [=] { RUN_##kernel(__VA_ARGS__); }, {standin::last})
