// What the checker says, and what happens then.
#pragma once

#include <pto/common/cpu_stub.hpp>

#include <stdarg.h>
#include <stdio.h>

namespace pto::cpu_sim {

using CheckHandler = void (*)(const char* message);

/// Who is told of a fault of a kernel in this library. By default the message goes to standard error and the process ends.
PTO_CPU_OWN inline CheckHandler check_handler = nullptr;
inline void set_check_handler(CheckHandler handler) { check_handler = handler; }

}  // namespace pto::cpu_sim

namespace pto::cpu::checked {

constexpr int kPipes = 8;
constexpr const char* kPipeNames[kPipes] = {"S", "V", "MTE1", "MTE2", "MTE3", "M", "ALL", "FIX"};

/// A line of the kernel. The line of a call with explicit template arguments is not known: then it is the line of the call
/// before, and `exact` is false.
struct Place {
    const char* file = "?";
    int line = 0;
    bool exact = false;
};

/// Tells the handler, or standard error; the message begins with the place as compilers write it.
__attribute__((format(printf, 2, 3))) inline void report(const Place& place, const char* format, ...)
{
    char message[1024];
    const CoreState& core = core_state();
    int length = snprintf(
        message, sizeof(message), "%s:%d%s: pto check: block %u.%u: ", place.file, place.line,
        place.exact ? "" : " (or after it)", core.block_idx, core.subblock_id);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message + length, sizeof(message) - static_cast<size_t>(length), format, arguments);
    va_end(arguments);
    if (cpu_sim::check_handler != nullptr) {
        cpu_sim::check_handler(message);
        return;
    }
    fprintf(stderr, "%s\n", message);
    abort();
}

}  // namespace pto::cpu::checked
