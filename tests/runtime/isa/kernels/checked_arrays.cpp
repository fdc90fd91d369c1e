// Loads and stores of a call whose arrays and workspaces the checker has been told of.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "common.hpp"

#include <stdio.h>

using namespace pto;

namespace {

char messages[1 << 14];

void gather_messages(const char* message)
{
    const size_t used = __builtin_strlen(messages);
    snprintf(messages + used, sizeof(messages) - used, "%s\n", message);
}

}  // namespace

/// Copies 8 elements from one place to another, in a call that has got a workspace of so many bytes.
extern "C" const char* copy(float* to, float* from, void* workspace, uint64_t bytes)
{
    using Row = Tile<TileType::Vec, float, 1, 8>;
    using Memory = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;
    messages[0] = 0;
    cpu_sim::set_check_handler(gather_messages);
    cpu_sim::set_execution_context(0, 0, 1);
    cpu::checked::note_workspace(workspace, bytes);
    Row row;
    TASSIGN(row, 0);
    TEXPANDS(row, 0.0f);
    set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
    Memory in(from), out(to);
    TLOAD(row, in);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, row);
    cpu_sim::set_execution_context(0, 0, 1);
    cpu_sim::set_check_handler(nullptr);
    return messages;
}

using Eight = GlobalTensor<float, Shape<1, 1, 1, 1, 8>, Stride<1, 1, 1, 8, 1>>;

template <typename Move>
const char* told_of(float* to, float* from, void* workspace, uint64_t bytes, Move move)
{
    messages[0] = 0;
    cpu_sim::set_check_handler(gather_messages);
    cpu_sim::set_execution_context(0, 0, 1);
    cpu::checked::note_workspace(workspace, bytes);
    Eight in(from), out(to);
    move(out, in);
    cpu_sim::set_execution_context(0, 0, 1);
    cpu_sim::set_check_handler(nullptr);
    return messages;
}

/// The same copy by a pass, and by TCARRY.
extern "C" const char* copy_in_a_pass(float* to, float* from, void* workspace, uint64_t bytes)
{
    return told_of(to, from, workspace, bytes, [](Eight& out, Eight& in) {
        TPASS(1, 8, [&](auto at) { at.store(out, at.load(in)); });
    });
}
extern "C" const char* carry(float* to, float* from, void* workspace, uint64_t bytes)
{
    return told_of(to, from, workspace, bytes, [](Eight& out, Eight& in) { TCARRY(out, in); });
}

/// What is told at the end of a call.
extern "C" const char* told_at_the_end()
{
    messages[0] = 0;
    cpu_sim::set_check_handler(gather_messages);
    pto_checked_over();
    cpu_sim::set_check_handler(nullptr);
    return messages;
}
