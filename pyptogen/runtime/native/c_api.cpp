// The functions that Python calls.
#include <cstring>
#include <memory>

#include "inline_chip.hpp"
#include "threaded_chip.hpp"

using pto_rt::native::Chip;
using pto_rt::native::Entry;
using pto_rt::native::InlineChip;
using pto_rt::native::ThreadedChip;

#define PTO_API extern "C" __attribute__((visibility("default")))

// A chip with this many cores; null when the threads could not be started.
PTO_API Chip* pto_chip_create(int cores)
{
    try {
        if (cores <= 1) return new InlineChip();
        return new ThreadedChip(cores);
    } catch (...) {
        return nullptr;
    }
}

PTO_API void pto_chip_destroy(Chip* chip) { delete chip; }

// Runs an operator; calls from several threads take turns. Writes the seconds it took and, cut to `capacity` bytes,
// the message of a failure. Returns 0 when it went well.
PTO_API int pto_chip_run(Chip* chip, Entry entry, const void* args, double* seconds, char* message, size_t capacity)
{
    std::lock_guard guard(chip->lock());
    *seconds = chip->run(entry, args);
    if (chip->error().empty()) return 0;
    const size_t length = chip->error().size() < capacity ? chip->error().size() : capacity - 1;
    std::memcpy(message, chip->error().data(), length);
    message[length] = '\0';
    return 1;
}
