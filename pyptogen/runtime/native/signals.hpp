// Signals belong to the threads of the application (Python handles them on its main thread).
#pragma once

#include <pthread.h>
#include <signal.h>

namespace pto_rt::native {

// Threads that are started while one lives block all signals.
class SignalsBlocked {
public:
    SignalsBlocked()
    {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before_);
    }
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;
    ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_;
};

}  // namespace pto_rt::native
