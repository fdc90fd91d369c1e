// What the launches of all operators of this package share: the memory between kernels, and the cores of the device.
#pragma once

#include <cstdint>

#include <acl/acl.h>

namespace pyptogen {

enum class Core { Cube, Vector, Mixed };

// What an entry gives back where nothing was launched; what the device's runtime says is positive.
constexpr int kSmallWorkspace = -1;  // fewer bytes than `<operator>_workspace_bytes` says
constexpr int kWrongSize = -2;       // a size that the operator does not take

// One call of an operator: either its launches on a stream, or only the bytes of workspace that they would use.
class Launcher {
public:
    // Measures.
    Launcher() { ask_device(); }
    // Launches, in `workspace`.
    Launcher(void *stream, void *workspace) : stream_(stream), memory_(static_cast<char *>(workspace)), launching_(true)
    {
        ask_device();
    }

    int status() const { return status_; }
    int64_t bytes() const { return most_; }
    bool launching() const { return launching_ && status_ == 0; }
    void *stream() const { return stream_; }

    // Blocks of a launch: a core each. A mixed block is a cube core with its two vector cores.
    int32_t cores(Core core) const { return static_cast<int32_t>(core == Core::Vector ? vector_cores_ : cube_cores_); }

    // Where A2/A3 has the flags between cores, which mixed kernels are told.
    void *flags()
    {
        void *address = nullptr;
        check(aclrtGetHardwareSyncAddr(&address));
        return address;
    }

    // Memory of so many bytes, 512-byte aligned, until the scope ends. Launches of one stream run one after the other, so
    // later scopes use the same memory.
    void *workspace(int64_t bytes)
    {
        constexpr int64_t kAlignment = 512;
        char *const memory = memory_ == nullptr ? nullptr : memory_ + used_;
        used_ += (bytes + kAlignment - 1) / kAlignment * kAlignment;
        most_ = used_ > most_ ? used_ : most_;
        return memory;
    }

    // The same for indices [begin, end) of a value with `bytes` an index, addressed as if all of it were there.
    void *range(int64_t begin, int64_t end, int64_t bytes)
    {
        char *const memory = static_cast<char *>(workspace((end - begin) * bytes));
        return memory == nullptr ? nullptr : memory - begin * bytes;
    }

private:
    friend class Scope;

    void check(int status) { status_ = status_ == 0 ? status : status_; }
    void ask_device()
    {
        int32_t device = 0;
        check(aclrtGetDevice(&device));
        check(aclrtGetDeviceInfo(static_cast<uint32_t>(device), ACL_DEV_ATTR_CUBE_CORE_NUM, &cube_cores_));
        check(aclrtGetDeviceInfo(static_cast<uint32_t>(device), ACL_DEV_ATTR_VECTOR_CORE_NUM, &vector_cores_));
    }

    void *stream_ = nullptr;
    char *memory_ = nullptr;
    int64_t used_ = 0;
    int64_t most_ = 0;
    int64_t cube_cores_ = 1;
    int64_t vector_cores_ = 1;
    int status_ = 0;
    bool launching_ = false;
};

// Gives back at its end what was taken of the workspace while it lived.
class Scope {
public:
    explicit Scope(Launcher &at) : at_(at), used_(at.used_) {}
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope() { at_.used_ = used_; }

private:
    Launcher &at_;
    int64_t used_;
};

inline int32_t fewer(int64_t tiles, int32_t blocks) { return tiles < blocks ? static_cast<int32_t>(tiles) : blocks; }

}  // namespace pyptogen
