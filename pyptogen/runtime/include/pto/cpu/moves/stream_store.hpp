// Stores past the caches, for results that no cache would hold anyway.
//
// A plain store reads its line from memory first and throws out another one. A stored line that goes past the caches
// costs neither, but whoever reads it next pays. So only long results go that way: every thread watches its last few
// streams of stores, and what continues a stream that is kStreamAfter bytes long by then is streamed. Writing the
// same result again, or anything else behind the last store, begins a new stream: results that stay in the caches are
// never affected.
//
// Such stores wait in buffers of their own, from where they overlap with what the thread does next. They are visible to
// another core before anything that the thread publishes afterwards: locked instructions wait for them, and store_release()
// of wait.hpp and the end of a launch do so, too.
#pragma once

#include <pto/cpu/core/core.hpp>
#include <pto/cpu/layout/slabs.hpp>

namespace pto::cpu {

#if defined(PTO_CPU_STREAMS)

constexpr size_t kStreamAfter = size_t(4) << 20;  // twice the second-level cache
constexpr size_t kStreamGap = size_t(1) << 20;  // what other cores may store between two stores of one stream
constexpr int64_t kStreamLine = 512;  // bytes; shorter lines are stored as usual,
constexpr int64_t kStreamWhole = 256;  // but for those of whole cache lines
constexpr int64_t kStreamLeast = 1024;  // bytes of a store; noting a smaller one, such as a row that goes where an
// index says, takes as long as the store

/// Notes a store of `bytes` bytes in [start, end); true when its stream is long enough to go past the caches.
#if defined(PTO_CPU_BODIES_APART)
PTO_CPU_SHARED bool continues_long_stream(const char* start, const char* end, size_t bytes);
#else
PTO_CPU_SHARED bool continues_long_stream(const char* start, const char* end, size_t bytes)
{
    CoreState& core = core_state();
    for (StoreStream& stream : core.streams) {
        if (start >= stream.start && start <= stream.end + kStreamGap && stream.end != nullptr) {
            stream.start = start;
            stream.end = end;
            stream.bytes += bytes;
            return stream.bytes > kStreamAfter;
        }
    }
    core.streams[core.next_stream] = {start, end, bytes};
    core.next_stream = (core.next_stream + 1) % CoreState::kStreams;
    return false;
}
#endif

/// Copies one line past the caches; what does not fill whole cache lines at its ends is stored as usual.
PTO_INLINE void stream_bytes(char* to, const char* from, int64_t bytes)
{
    const int64_t head = -reinterpret_cast<intptr_t>(to) & 63;
    copy_bytes(to, from, head);
    int64_t at = head;
    for (; at + 64 <= bytes; at += 64) {
        stream_line(to + at, from + at);
    }
    copy_bytes(to + at, from + at, bytes - at);
}

/// Copies a slab whose rows are contiguous on both sides past the caches, if it continues a long stream of stores.
template <typename T>
PTO_INLINE bool stream_slab(
    T* to, int64_t to_rs, int64_t to_cs, const T* from, int64_t from_rs, int64_t from_cs, int64_t rows, int64_t cols)
{
    constexpr int64_t kSize = sizeof(T);
    char* start = reinterpret_cast<char*>(to);
    const int64_t line = cols * kSize;
    const bool whole = (reinterpret_cast<intptr_t>(start) | line | (to_rs * kSize)) % 64 == 0;
    if (to_cs != 1 || from_cs != 1 || line < (whole ? kStreamWhole : kStreamLine) || rows * line < kStreamLeast) {
        return false;
    }
    const char* end = start + (rows - 1) * to_rs * kSize + line;
    if (__builtin_expect(!continues_long_stream(start, end, static_cast<size_t>(rows * line)), 1)) {
        return false;
    }
    for (int64_t r = 0; r < rows; ++r) {
        stream_bytes(start + r * to_rs * kSize, reinterpret_cast<const char*>(from + r * from_rs), line);
    }
    return true;
}

#else

template <typename T>
PTO_INLINE bool stream_slab(T*, int64_t, int64_t, const T*, int64_t, int64_t, int64_t, int64_t)
{
    return false;
}

#endif

}  // namespace pto::cpu
