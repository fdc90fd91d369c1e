#include "kernel_thread.hpp"

#include <link.h>
#include <signal.h>
#include <ucontext.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <thread>

namespace pto_rt::native {

namespace {

constexpr int kLooks = 1000;  // looks, a millisecond apart

// Where the operator's instructions are, for the signal handler.
std::atomic<uintptr_t> code_begin{0};
std::atomic<uintptr_t> code_end{0};

int park_signal() { return SIGRTMIN + 5; }

uintptr_t program_counter(void* context)
{
    const auto* machine = &static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
    return static_cast<uintptr_t>(machine->gregs[REG_RIP]);
#elif defined(__aarch64__)
    return static_cast<uintptr_t>(machine->pc);
#else
    return 0;
#endif
}

void on_park_signal(int, siginfo_t*, void* context)
{
    KernelThread* self = this_kernel_thread;
    const uintptr_t at = program_counter(context);
    if (self == nullptr || !self->inside.load(std::memory_order_relaxed)) return;
    if (at < code_begin.load() || at >= code_end.load()) return;
    self->parked.store(true);
    sigset_t all;
    sigfillset(&all);
    for (;;) sigsuspend(&all);
}

// The executable part of the shared object that `address` lies in.
int find_code(dl_phdr_info* object, size_t, void* address)
{
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    for (int i = 0; i < object->dlpi_phnum; ++i) {
        const auto& part = object->dlpi_phdr[i];
        const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
        if (part.p_type != PT_LOAD || wanted < begin || wanted >= begin + part.p_memsz) continue;
        code_begin.store(begin);
        code_end.store(begin + part.p_memsz);
        return 1;
    }
    return 0;
}

}  // namespace

void KernelThread::adopt()
{
    id = pthread_self();
    this_kernel_thread = this;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, park_signal());
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

int park(const std::vector<KernelThread*>& threads, const void* entry)
{
    static std::mutex one_at_a_time;
    std::lock_guard guard(one_at_a_time);
    if (dl_iterate_phdr(&find_code, const_cast<void*>(entry)) == 0) code_end.store(0);
    struct sigaction action{};
    action.sa_sigaction = &on_park_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(park_signal(), &action, nullptr);
    int left = 0;
    for (int look = 0; look < kLooks; ++look) {
        left = 0;
        for (KernelThread* thread : threads) {
            if (!thread->inside.load(std::memory_order_relaxed) || thread->parked.load()) continue;
            ++left;
            pthread_kill(thread->id, park_signal());
        }
        if (left == 0) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return left;
}

}  // namespace pto_rt::native
