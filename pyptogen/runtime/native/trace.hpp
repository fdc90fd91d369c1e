// What happened in a run: kept in memory while it lasts, written to a file afterwards.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "regions.hpp"

namespace pto_rt::native {

// A clock that costs a few nanoseconds. Its unit is known when the run is over.
inline uint64_t ticks()
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}

// A list that grows by chunks, so that growing never moves what is there.
template <class Item>
class ChunkList {
public:
    void push(const Item& item)
    {
        if (size_ == chunks_.size() * kChunk) chunks_.emplace_back(new Item[kChunk]);
        chunks_[size_ / kChunk][size_ % kChunk] = item;
        ++size_;
    }
    size_t size() const { return size_; }
    const Item& operator[](size_t i) const { return chunks_[i / kChunk][i % kChunk]; }
    void clear() { size_ = 0; }

private:
    static constexpr size_t kChunk = 4096;
    std::vector<std::unique_ptr<Item[]>> chunks_;
    size_t size_ = 0;
};

// Blocks of one launch that a core ran in one go.
struct Span {
    uint64_t begin;
    uint64_t end;
    uint32_t id;
    uint32_t first_block;
    uint32_t blocks;
    uint32_t ready;  // launches in the core's ready queue
};

// What one core ran. Only that core's thread writes it.
struct alignas(64) CoreLog {
    std::string name;
    ChunkList<Span> spans;
};

// Where a run's events go in a trace of several chips: the tracks of the chip, and what tells its runs apart.
struct TracePlace {
    int64_t pid = 0;
    int first_track = 0;       // that of the first core
    uint64_t host_task = 0;    // the task of level host that this run was; 0: none
    uint64_t first_arrow = 0;  // arrows are numbered from here
    bool names_tracks = true;
};

class JsonFile;

class Trace {
public:
    // One track per name. Forgets an earlier run.
    void begin(const std::vector<std::string>& cores);
    void end();

    CoreLog& core(size_t index) { return *cores_[index]; }

    // A launch, everything it waits for, and the number of launches that had been submitted but not retired.
    void submitted(
        uint32_t id, const LaunchRequest& request, const std::vector<Dependency>& dependencies, uint32_t in_flight);

    // Writes the Chrome trace format (also read by Perfetto). False when the file cannot be written.
    bool write_trace(const char* path, const char* process, int64_t pid) const;

    // Writes tasks, tensors and edges with their reasons.
    bool write_graph(const char* path) const;

    // The events alone. Returns how many arrows there were.
    uint64_t write_events(JsonFile& file, const TracePlace& place) const;

    // Appends the run to the log of a chip, under the number of the host's task: what `TraceLog` reads in another
    // process. Tensors and their uses are left out. False when it cannot be written.
    bool append_to_log(int file, uint64_t task) const;

private:
    friend class TraceLog;

    struct Task {
        uint64_t at;
        const char* name;
        uint32_t id;
        uint32_t blocks;
        int32_t priority;
        uint32_t in_flight;
        Core core;
    };
    struct Link {
        uint32_t from;
        uint32_t to;
        Reason reason;
    };
    struct Argument {
        uint32_t task;
        Use use;
    };

    double microseconds(uint64_t at) const;
    // Whether spans and links are those of its tasks.
    bool is_consistent() const;

    std::vector<std::unique_ptr<CoreLog>> cores_;
    ChunkList<Task> tasks_;
    ChunkList<Link> links_;
    ChunkList<Argument> arguments_;
    uint64_t start_ticks_ = 0;
    uint64_t end_ticks_ = 0;
    std::chrono::steady_clock::time_point start_;
    std::chrono::steady_clock::time_point end_;
    std::vector<std::string> names_;  // of the tasks of a run that was read from a log
};

// Reads the runs of a log one after the other. Ends at the first that is not whole: its chip was killed while it wrote.
class TraceLog {
public:
    TraceLog(const char* data, size_t bytes) : data_(data), left_(bytes) {}

    // The number of the host's task whose run is next; 0 at the end.
    uint64_t next();

    // The run that `next` found. False when it makes no sense.
    bool read(Trace& into) const;

    // Bytes of whole runs so far, this one included.
    size_t whole() const { return whole_; }

private:
    const char* data_;
    size_t left_;
    size_t whole_ = 0;
    const char* run_ = nullptr;
    size_t run_bytes_ = 0;
};

}  // namespace pto_rt::native
