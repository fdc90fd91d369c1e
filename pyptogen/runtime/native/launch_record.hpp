// The record of one launch in the ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>

#include "interface.hpp"

namespace pto_rt::native {

struct LaunchRecord;

// "`target` waits for me": an entry in the list of a predecessor, stored in the record of the waiting launch.
struct Edge {
    Edge* next;
    LaunchRecord* target;
};

// A launch lives in its record from `submit` until `retired()`; then the orchestrator may reuse the record. A launch
// with few captures and no dependencies accesses the first two cache lines only.
struct alignas(64) LaunchRecord {
    static constexpr uint32_t kInlineEdges = 6;

    // Unfinished predecessors, plus one while the launch is being submitted.
    std::atomic<uint32_t> pending{0};
    // Blocks that have not finished.
    std::atomic<uint32_t> unfinished{0};
    // The launch's id in the high half, blocks nobody has claimed in the low half. The id keeps a thread that comes
    // late, with an id of a launch that has retired, from claiming a block of the launch that took the record over.
    std::atomic<uint64_t> unclaimed{0};
    // Launches that wait for this one; `closed()` once it has finished.
    std::atomic<Edge*> waiting{closed()};
    // Link of the ready queue that holds the record. At most one does, and `queued` is true meanwhile.
    LaunchRecord* next_ready = nullptr;
    // Link of the list of launches without blocks that one completion finishes too.
    LaunchRecord* next_finished = nullptr;
    std::atomic<uint32_t> id{0};
    uint32_t blocks = 0;
    int32_t priority = 0;
    Core core = Core::Mixed;
    std::atomic<bool> queued{false};

    void (*run)(const void* body, uint32_t first_block, uint32_t last_block) = nullptr;
    const CoreHooks* hooks = nullptr;
    const char* name = "";
    alignas(16) unsigned char body[kMaxBodyBytes];
    Edge inline_edges[kInlineEdges];
    std::unique_ptr<Edge[]> more_edges;
    size_t more_capacity = 0;

    static Edge* closed() { return reinterpret_cast<Edge*>(uintptr_t{1}); }

    bool finished() const { return waiting.load(std::memory_order_seq_cst) == closed(); }
    bool retired() const { return finished() && !queued.load(std::memory_order_acquire); }

    // Takes over a retired record. Only the orchestrator calls this.
    void begin(uint32_t new_id, const LaunchRequest& request)
    {
        id.store(new_id, std::memory_order_relaxed);
        blocks = request.blocks;
        priority = request.priority;
        core = request.core;
        name = request.name;
        run = request.run;
        hooks = request.hooks;
        if (request.body_bytes > 0) std::memcpy(body, request.body, request.body_bytes);
        if (request.after_count > kInlineEdges && request.after_count > more_capacity) {
            more_edges.reset(new Edge[request.after_count]);
            more_capacity = request.after_count;
        }
        unfinished.store(blocks, std::memory_order_relaxed);
        pending.store(1, std::memory_order_relaxed);
        waiting.store(nullptr, std::memory_order_release);
    }

    // Memory of the edges of `count` predecessors.
    Edge* edges(size_t count) { return count > kInlineEdges ? more_edges.get() : inline_edges; }

    // Puts `edge` on this launch's list. False when this launch has finished already.
    bool add_waiting(Edge* edge)
    {
        Edge* head = waiting.load(std::memory_order_acquire);
        do {
            if (head == closed()) return false;
            edge->next = head;
        } while (!waiting.compare_exchange_weak(head, edge, std::memory_order_release, std::memory_order_acquire));
        return true;
    }

    // A run of blocks for one thread; none left: count is 0.
    struct Claim {
        uint32_t first;
        uint32_t count;
        uint32_t left;
    };

    // Claims blocks of the launch `of`: a share that shrinks with what is left, so that the cores end together.
    Claim claim(uint32_t of, uint32_t sharers)
    {
        uint64_t seen = unclaimed.load(std::memory_order_acquire);
        for (;;) {
            const uint32_t left = static_cast<uint32_t>(seen);
            if (static_cast<uint32_t>(seen >> 32) != of || left == 0) return {0, 0, 0};
            const uint32_t share = left / (4 * sharers);
            const uint32_t count = share > 0 ? share : 1;
            if (unclaimed.compare_exchange_weak(
                    seen, seen - count, std::memory_order_acq_rel, std::memory_order_acquire)) {
                return {blocks - left, count, left - count};
            }
        }
    }
};

}  // namespace pto_rt::native
