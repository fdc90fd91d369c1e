// What generated orchestration code sees of the runtime: submit launches of kernels, get workspace.
//
// Include it after <pto/pto-inst.hpp>. It works with the bundled headers and with a public PTO-ISA installation.
// Everything that the chip does is behind virtual functions, so an operator's shared object needs no link-time symbol.
#ifndef PTO_RUNTIME_HPP
#define PTO_RUNTIME_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

namespace pto::cpu_sim {}

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
};

namespace detail {

// Installations differ in whether they have core hooks: overload resolution prefers a real function to these templates.
namespace absent {
template <class... None>
void enter_core(None...) {}
template <class... None>
void leave_core(None...) {}
}  // namespace absent
namespace present {
using namespace absent;
using namespace pto::cpu_sim;
}  // namespace present

inline void enter_core() { present::enter_core(); }
inline void leave_core() { present::leave_core(); }
inline constexpr CoreHooks kHooks{&enter_core, &leave_core};

template <class Body>
void run_blocks(const void* body, uint32_t first_block, uint32_t last_block)
{
    const Body& call = *static_cast<const Body*>(body);
    for (uint32_t block = first_block; block < last_block; ++block) {
        pto::cpu_sim::set_execution_context(block, 0, 1);
        call();
    }
}

}  // namespace detail

// The chip, for the length of one run of an operator. Only the orchestrator thread may call it.
class Runtime {
public:
    // How many cores of this kind the chip has.
    virtual int cores(Core kind) const = 0;

    // `bytes` of uninitialised global memory, 64-byte aligned, valid until the run ends.
    virtual void* workspace(size_t bytes) = 0;

    // Runs `body()` once per block, with get_block_idx() == block, when all launches in `after` have finished.
    // `body` is a const-callable lambda that captures by value. Launches with a higher priority are started first.
    // Zero blocks are legal: such a launch finishes as soon as everything in `after` has.
    template <class Body>
    Launch launch(const char* name, Core core, int blocks, Body body, std::initializer_list<Launch> after = {},
                  int priority = 0)
    {
        return launch(name, core, blocks, body, after.begin(), after.size(), priority);
    }

    // The same with a dependency list of run-time length.
    template <class Body>
    Launch launch(const char* name, Core core, int blocks, Body body, const Launch* after, size_t after_count,
                  int priority = 0)
    {
        static_assert(std::is_trivially_copyable_v<Body>, "a launch body must capture plain values only");
        static_assert(sizeof(Body) <= kMaxBodyBytes, "a launch body captures too much");
        static_assert(alignof(Body) <= 16, "a launch body must not capture over-aligned values");
        return submit({name, &detail::run_blocks<Body>, &detail::kHooks, &body, after, after_count,
                       static_cast<uint32_t>(sizeof(Body)), blocks > 0 ? static_cast<uint32_t>(blocks) : 0u,
                       static_cast<int32_t>(priority), core});
    }

    // A launch that finishes when all the given ones have.
    Launch join(std::initializer_list<Launch> launches) { return join(launches.begin(), launches.size()); }
    Launch join(const Launch* launches, size_t count)
    {
        return submit({"join", nullptr, nullptr, nullptr, launches, count, 0, 0, 0, Core::Mixed});
    }

protected:
    ~Runtime() = default;

private:
    virtual Launch submit(const LaunchRequest& request) = 0;
};

}  // namespace pto_rt

#endif
