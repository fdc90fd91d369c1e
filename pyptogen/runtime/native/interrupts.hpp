// Ctrl-C during a run that Python's main thread makes itself: Python handles the signal after the call has returned, so
// the run has to end for that.
#pragma once

#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "chip.hpp"

namespace pto_rt::native {

// While one lives on the process's main thread, SIGINT also cancels the chip's run: no block starts any more. Processes
// in which Ctrl-C ends or does nothing stay as they are.
class Interruptible {
public:
    explicit Interruptible(Chip& chip)
    {
        static thread_local const bool is_main = gettid() == getpid();
        if (!is_main || sigaction(SIGINT, nullptr, &before()) != 0) return;
        const bool sees_context = (before().sa_flags & SA_SIGINFO) != 0;
        if (!sees_context && (before().sa_handler == SIG_DFL || before().sa_handler == SIG_IGN)) return;
        struct sigaction ours = before();
        ours.sa_flags |= SA_SIGINFO;
        ours.sa_sigaction = &Interruptible::on_signal;
        running().store(&chip, std::memory_order_seq_cst);
        installed_ = sigaction(SIGINT, &ours, nullptr) == 0;
    }
    Interruptible(const Interruptible&) = delete;
    Interruptible& operator=(const Interruptible&) = delete;
    ~Interruptible()
    {
        if (!installed_) return;
        sigaction(SIGINT, &before(), nullptr);
        running().exchange(nullptr, std::memory_order_seq_cst)->uncancel();
    }

private:
    // There is one main thread, and its runs do not nest.
    static std::atomic<Chip*>& running()
    {
        static std::atomic<Chip*> chip{nullptr};
        return chip;
    }
    static struct sigaction& before()
    {
        static struct sigaction action;
        return action;
    }

    static void on_signal(int number, siginfo_t* info, void* context)
    {
        // Only atomic stores: this can interrupt anything.
        if (Chip* chip = running().load(std::memory_order_seq_cst)) chip->cancel();
        if ((before().sa_flags & SA_SIGINFO) != 0) {
            before().sa_sigaction(number, info, context);
        } else {
            before().sa_handler(number);
        }
    }

    bool installed_ = false;
};

}  // namespace pto_rt::native
