// The part of the host API (acl*) that kernel tests and launchers of the public library use, for one process in which
// host and device memory are the same. Included by pto-inst.hpp where __CPU_SIM is defined, as it is in builds that are
// written for the public CPU simulator; so are the standard headers that such sources expect with it.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cassert>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include <pto/common/cpu_stub.hpp>
#include <pto/common/debug.h>
#include <pto/cpu/core/host_limits.hpp>
#include <pto/cpu/core/launch.hpp>
#include <pto/cpu/core/memory_model.hpp>
#include <pto/cpu/core/trace.hpp>
#include <pto/cpu/tile_offsets.hpp>

typedef void* aclrtStream;
typedef int aclError;

enum {
    ACL_SUCCESS = 0,
    ACL_ERROR_INVALID_PARAM = 145000,
    ACL_MEM_MALLOC_HUGE_FIRST = 0,
    ACL_MEMCPY_HOST_TO_DEVICE = 0,
    ACL_MEMCPY_DEVICE_TO_HOST = 1,
    ACL_MEMCPY_DEVICE_TO_DEVICE = 2,
    ACL_RT_CMO_TYPE_PREFETCH = 0,
    ACL_RT_CMO_TYPE_WRITEBACK = 1,
    ACL_RT_CMO_TYPE_INVALID = 2,
};

inline int aclInit(const char*) { return ACL_SUCCESS; }
inline int aclFinalize() { return ACL_SUCCESS; }
inline int aclrtSetDevice(int) { return ACL_SUCCESS; }
inline int aclrtResetDevice(int) { return ACL_SUCCESS; }
inline int aclrtGetDevice(int32_t* device)
{
    *device = 0;
    return ACL_SUCCESS;
}

enum aclrtDevAttr { ACL_DEV_ATTR_CUBE_CORE_NUM = 102, ACL_DEV_ATTR_VECTOR_CORE_NUM = 201 };

namespace pto::cpu_sim {
/// The cores that the simulated device says to have: as many cube cores as an Ascend 910B4, two vector cores beside each.
inline std::atomic<int64_t> device_cube_cores{20};
}  // namespace pto::cpu_sim

inline int aclrtGetDeviceInfo(uint32_t, aclrtDevAttr attribute, int64_t* value)
{
    *value = pto::cpu_sim::device_cube_cores * (attribute == ACL_DEV_ATTR_CUBE_CORE_NUM ? 1 : 2);
    return ACL_SUCCESS;
}
/// Cores meet in memory here: their flags have no place.
inline int aclrtGetHardwareSyncAddr(void** address)
{
    *address = nullptr;
    return ACL_SUCCESS;
}

/// Launches are complete when they return, so a stream is no more than a name.
inline int aclrtCreateStream(aclrtStream* stream)
{
    *stream = nullptr;
    return ACL_SUCCESS;
}
inline int aclrtDestroyStream(aclrtStream) { return ACL_SUCCESS; }
inline int aclrtSynchronizeStream(aclrtStream) { return ACL_SUCCESS; }

/// `bytes` of zeroed memory, aligned as device memory is.
inline int aclrtMallocHost(void** memory, size_t bytes)
{
    constexpr size_t kAlignment = 512;
    if (memory == nullptr || bytes == 0) {
        return ACL_ERROR_INVALID_PARAM;
    }
    const size_t whole = (bytes + kAlignment - 1) / kAlignment * kAlignment;
    *memory = aligned_alloc(kAlignment, whole);
    if (*memory == nullptr) {
        return ACL_ERROR_INVALID_PARAM;
    }
    memset(*memory, 0, whole);
    return ACL_SUCCESS;
}
inline int aclrtMalloc(void** memory, size_t bytes, int) { return aclrtMallocHost(memory, bytes); }
inline int aclrtFree(void* memory)
{
    free(memory);
    return ACL_SUCCESS;
}
inline int aclrtFreeHost(void* memory) { return aclrtFree(memory); }

inline int aclrtMemcpy(void* to, size_t room, const void* from, size_t bytes, int)
{
    memcpy(to, from, room < bytes ? room : bytes);
    return ACL_SUCCESS;
}
inline int aclrtMemset(void* memory, size_t room, int value, size_t bytes)
{
    if (bytes == 0) {
        return ACL_SUCCESS;
    }
    if (memory == nullptr || bytes > room) {
        return ACL_ERROR_INVALID_PARAM;
    }
    memset(memory, value, bytes);
    return ACL_SUCCESS;
}
/// Caches keep themselves coherent here.
inline int aclrtCmoAsync(void*, size_t, int, aclrtStream) { return ACL_SUCCESS; }
inline float aclFloat16ToFloat(aclFloat16 value) { return static_cast<float>(value); }

// Ranks of a communication test: without a launcher there is one process, and starting and stopping it always succeeds.
static constexpr uint32_t HCCL_MAX_RANK_NUM = 64;
struct HcclRootInfo {};
struct CommDeviceContext {
    uint64_t workSpace;
    uint64_t workSpaceSize;
    uint32_t rankId;
    uint32_t rankNum;
    uint64_t winSize;
    uint64_t windowsIn[HCCL_MAX_RANK_NUM];
    uint64_t windowsOut[HCCL_MAX_RANK_NUM];
};
#define HcclHostBarrier(x, y)
#define CommMpiInit(x, y) (true)
#define CommMpiFinalize()
#define SKIP_IF_RANKS_LT(n)
#define F16_MAX 65504.0f

namespace cce {
template <typename... Args>
inline int printf(const char* format, Args... args)
{
    return std::printf(format, args...);
}
}  // namespace cce
