// What generated orchestration code sees of the runtime: submit launches of kernels, get workspace.
//
// It works with the bundled headers and with a public PTO-ISA installation.
// Everything that the chip does is behind virtual functions, so an operator's shared object needs no link-time symbol.
#ifndef PTO_RUNTIME_HPP
#define PTO_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <pto/pto-inst.hpp>

namespace pto::cpu_sim {
}

namespace pto_rt {

// The kind of core that a launch asks for. On the cpu platform every core runs every kind.
enum class Core : uint8_t { Cube, Vector, Mixed };

// Handle of a launch, for `after` lists of the same run. Id 0 stands for nothing and is always finished.
struct Launch {
    uint32_t id = 0;
};

// What a core thread calls before its first and after its last block of an operator.
struct CoreHooks {
    void (*enter)();
    void (*leave)();
};

// Largest launch body (the captures of the lambda), in bytes.
inline constexpr size_t kMaxBodyBytes = 384;

// Most axes of a tensor.
inline constexpr uint32_t kMaxRank = 5;

// A box of a tensor in global memory, row-major: what a task reads or writes. `data` is where the tensor starts and tells
// tensors apart; take boxes by `view`, so that the chip sees that they belong together.
struct Tensor {
    void* data = nullptr;
    uint32_t element_bytes = 0;
    uint32_t rank = 0;
    uint64_t shape[kMaxRank] = {};
    uint64_t offset[kMaxRank] = {};
    uint64_t extent[kMaxRank] = {};

    Tensor() = default;
    Tensor(const void* at, uint32_t bytes, std::initializer_list<uint64_t> sizes)
        : data(const_cast<void*>(at)), element_bytes(bytes), rank(static_cast<uint32_t>(sizes.size()))
    {
        uint32_t axis = 0;
        for (uint64_t size : sizes) shape[axis] = extent[axis] = size, ++axis;
    }

    // The box of `extents` elements at `offsets` of this one.
    Tensor view(std::initializer_list<uint64_t> offsets, std::initializer_list<uint64_t> extents) const
    {
        Tensor box = *this;
        for (uint32_t axis = 0; axis < rank; ++axis) {
            box.offset[axis] += offsets.begin()[axis];
            box.extent[axis] = extents.begin()[axis];
        }
        return box;
    }

    // The first element of the box.
    template <class T>
    T* at() const
    {
        uint64_t index = 0;
        for (uint32_t axis = 0; axis < rank; ++axis) index = index * shape[axis] + offset[axis];
        return reinterpret_cast<T*>(static_cast<char*>(data) + index * element_bytes);
    }
};

// How a task uses a tensor.
enum class Mode : uint8_t { Input, Output, InOut };

struct Use {
    Tensor tensor;
    Mode mode = Mode::Input;
    bool tracked = true;
};

// What a task reads, overwrites, or updates.
inline Use in(const Tensor& tensor) { return {tensor, Mode::Input, true}; }
inline Use out(const Tensor& tensor) { return {tensor, Mode::Output, true}; }
inline Use inout(const Tensor& tensor) { return {tensor, Mode::InOut, true}; }

// The same use, without dependencies from it: the caller answers for the order, by `after`.
inline Use untracked(Use use)
{
    use.tracked = false;
    return use;
}

// One launch as the chip sees it. `body` is copied before `submit` returns; `name` must be a string literal.
struct LaunchRequest {
    const char* name;
    void (*run)(const void* body, uint32_t first_block, uint32_t last_block);
    const CoreHooks* hooks;
    const void* body;
    const Launch* after;
    size_t after_count;
    uint32_t body_bytes;
    uint32_t blocks;
    int32_t priority;
    Core core;
    const Use* uses = nullptr;
    size_t use_count = 0;
};

namespace detail {

// Installations differ in which hooks they have: overload resolution prefers a real function to these templates.
namespace absent {
template <class... None>
void enter_core(None...)
{
}
template <class... None>
void leave_core(None...)
{
}
template <class... None>
void begin_kernel(None...)
{
}
template <class... None>
void tell_wrong_index(None...)
{
}
template <class... None>
void note_workspace(None...)
{
}
}  // namespace absent
namespace present {
using namespace absent;
using namespace pto::cpu_sim;
}  // namespace present

inline void enter_core() { present::enter_core(); }
inline void leave_core() { present::leave_core(); }
inline void begin_kernel() { present::begin_kernel(); }
// After a block: throws where an index that it read was wrong.
inline void tell_wrong_index() { present::tell_wrong_index(); }
inline void note_workspace(const void* memory, size_t bytes) { present::note_workspace(memory, bytes); }
inline constexpr CoreHooks kHooks{&enter_core, &leave_core};

template <class Body>
void run_blocks(const void* body, uint32_t first_block, uint32_t last_block)
{
    const Body& call = *static_cast<const Body*>(body);
    for (uint32_t block = first_block; block < last_block; ++block) {
        pto::cpu_sim::set_execution_context(block, 0, 1);
        begin_kernel();
        call();
        tell_wrong_index();
    }
}

}  // namespace detail

// The chip, for the length of one run of an operator. Only the orchestrator thread may call it.
class Runtime {
public:
    // How many cores of this kind the chip has.
    virtual int cores(Core kind) const = 0;

    // `bytes` of uninitialised global memory, 64-byte aligned, valid until the run ends; inside a `Scope`, until the
    // scope has ended and the launches submitted before its end have finished.
    void* workspace(size_t bytes)
    {
        void* memory = allocate(bytes);
        detail::note_workspace(memory, bytes);
        return memory;
    }

    // Runs `body()` once per block, with get_block_idx() == block, when all launches in `after` have finished.
    // `body` is a const-callable lambda that captures by value. Launches with a higher priority are started first.
    // Zero blocks are legal: such a launch finishes as soon as everything in `after` has.
    template <class Body>
    Launch launch(
        const char* name, Core core, int blocks, Body body, std::initializer_list<Launch> after = {}, int priority = 0)
    {
        return launch(name, core, blocks, body, after.begin(), after.size(), priority);
    }

    // The same with a dependency list of run-time length.
    template <class Body>
    Launch launch(
        const char* name, Core core, int blocks, Body body, const Launch* after, size_t after_count, int priority = 0)
    {
        return submit(launch_request(name, core, blocks, body, after, after_count, priority));
    }

    // A launch that waits for what it needs by itself: for the earlier tasks that wrote what it reads (read after
    // write), wrote what it writes (write after write) and read what it writes (write after read), as far as their boxes
    // overlap; and for `after`. Tasks and plain launches mix, but a plain launch declares nothing.
    template <class Body>
    Launch task(
        const char* name, Core core, int blocks, Body body, std::initializer_list<Use> uses,
        std::initializer_list<Launch> after = {}, int priority = 0)
    {
        return task(name, core, blocks, body, uses.begin(), uses.size(), after.begin(), after.size(), priority);
    }

    // The same with lists of run-time length.
    template <class Body>
    Launch task(
        const char* name, Core core, int blocks, Body body, const Use* uses, size_t use_count, const Launch* after,
        size_t after_count, int priority = 0)
    {
        LaunchRequest request = launch_request(name, core, blocks, body, after, after_count, priority);
        request.uses = uses;
        request.use_count = use_count;
        return submit(request);
    }

    // Waits until a launch has finished, for an orchestration that depends on data.
    virtual void wait(Launch launch) = 0;

    // A launch that finishes when all the given ones have.
    Launch join(std::initializer_list<Launch> launches) { return join(launches.begin(), launches.size()); }
    Launch join(const Launch* launches, size_t count)
    {
        return submit({"join", nullptr, nullptr, nullptr, launches, count, 0, 0, 0, Core::Mixed});
    }

protected:
    ~Runtime() = default;

private:
    friend class Scope;
    virtual void* allocate(size_t bytes) = 0;
    virtual void begin_scope() = 0;
    virtual void end_scope() = 0;
    template <class Body>
    static LaunchRequest launch_request(
        const char* name, Core core, int blocks, const Body& body, const Launch* after, size_t after_count,
        int priority)
    {
        static_assert(std::is_trivially_copyable_v<Body>, "a launch body must capture plain values only");
        static_assert(sizeof(Body) <= kMaxBodyBytes, "a launch body captures too much");
        static_assert(alignof(Body) <= 16, "a launch body must not capture over-aligned values");
        return {
            name,
            &detail::run_blocks<Body>,
            &detail::kHooks,
            &body,
            after,
            after_count,
            static_cast<uint32_t>(sizeof(Body)),
            blocks > 0 ? static_cast<uint32_t>(blocks) : 0u,
            static_cast<int32_t>(priority),
            core};
    }

    virtual Launch submit(const LaunchRequest& request) = 0;
};

// While one lives, workspace is handed out for its length only. Then the chip gives the memory to later scopes, as soon as
// the launches that may use it have finished, and lets an orchestration that is too far ahead wait: memory is bounded,
// however many scopes a run has. Scopes nest.
class Scope {
public:
    explicit Scope(Runtime& rt) : rt_(rt) { rt_.begin_scope(); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    ~Scope() { rt_.end_scope(); }

private:
    Runtime& rt_;
};

}  // namespace pto_rt

#endif
