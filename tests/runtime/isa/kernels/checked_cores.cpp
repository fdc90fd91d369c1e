// Launches of several blocks under the checker: what they do to the same bytes of global memory.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#define __CPU_SIM
#include "common.hpp"
#include <pto/comm/pto_comm_inst.hpp>

#include <mutex>

using namespace pto;

namespace {

char messages[1 << 14];
std::mutex saying;

using Block = Tile<TileType::Vec, float, 8, 16>;
using Memory = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>>;
using Wide = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 64, 1>>;
using Signal = GlobalTensor<int32_t, Shape<1, 1, 1, 1, 1>, Stride<1, 1, 1, 1, 1>>;

template <typename Global>
void store(float* to)
{
    Block a;
    Global out(to);
    TASSIGN(a, 0);
    TEXPANDS(a, 2.0f);
    set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
    TSTORE(out, a);
    pipe_barrier(PIPE_ALL);
}

void load(float* from)
{
    Block a;
    Memory in(from);
    TASSIGN(a, 0x1000);
    TLOAD(a, in);
    pipe_barrier(PIPE_ALL);
}

void add(float* to)
{
    Block a;
    Memory out(to);
    TASSIGN(a, 0);
    TEXPANDS(a, 2.0f);
    pipe_barrier(PIPE_ALL);
    TSTORE<Block, Memory, AtomicType::AtomicAdd>(out, a);
    pipe_barrier(PIPE_ALL);
}

void store_typed(float* to)
{
    Block a;
    Memory out(to);
    TASSIGN(a, 0);
    TEXPANDS(a, 2.0f);
    pipe_barrier(PIPE_ALL);
    TSTORE<Block, Memory, AtomicType::AtomicNone>(out, a);
    pipe_barrier(PIPE_ALL);
}

void pop()
{
    using Ring = TPipe<0, Direction::DIR_C2V, 512, 2>;
    static thread_local float ring[256];
    Ring pipe(ring, 0x0, 0x0);
    Block a;
    TASSIGN(a, 0x1000);
    TPOP<Ring, Block, TileSplitAxis::TILE_NO_SPLIT>(pipe, a);
}

void kernel(float* data, int32_t* word, int which)
{
    const auto block = static_cast<int64_t>(get_block_idx());
    float* const mine = data + block * 128;
    float* const other = data + (block + 1) % get_block_num() * 128;
    switch (which) {
        case 0: store<Memory>(mine); break;                                       // blocks of their own
        case 1: store<Memory>(data); break;                                       // all the same
        case 2: store<Memory>(mine); load(other); break;                          // a neighbour's, too early
        case 3: store<Memory>(mine); SYNCALL(); load(other); break;               // after the barrier
        case 4: store<Memory>(mine); SYNCALL(); load(other); store<Memory>(mine); break;  // and too early again
        case 5: store<Wide>(data + block * 16); break;                            // columns beside each other
        case 6: store<Wide>(data + block * 12); break;                            // four columns in common
        case 7: load(data); break;                                                // all read
        case 8: add(data); break;                                                 // atomic
        case 13: store_typed(data); break;                                        // typed, all the same
        case 14: store_typed(mine); break;                                        // typed, blocks of their own
        case 15: block == 0 ? store_typed(data) : add(data); break;               // one of them is not atomic
        case 10: pop(); break;                                                    // nobody pushes
        case 11:                                                                  // not all come
            if (block != 0) {
                SYNCALL();
            }
            break;
        default: {                                                                // ordered by a signal
            Signal signal(word);
            if (block == 0) {
                store<Memory>(data);
                comm::TNOTIFY(signal, 1, comm::NotifyOp::Set);
            } else {
                comm::TWAIT(signal, 1, comm::WaitCmp::EQ);
                load(data);
            }
        }
    }
}

}  // namespace

extern "C" const char* run(float* data, int32_t* word, int which)
{
    messages[0] = '\0';
    if (which >= 100) {  // without a handler
        pto::cpu_sim::KernelLaunchOptions options;
        options.explicit_block_count = 2;
        pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, [=] { kernel(data, word, which - 100); });
        return messages;
    }
    pto::cpu_sim::set_check_handler([](const char* message) {
        const std::lock_guard<std::mutex> guard(saying);
        strncat(messages, message, sizeof(messages) - strlen(messages) - 2);
        strcat(messages, "\n");
    });
    pto::cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = 4;
    pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, [=] { kernel(data, word, which); });
    return messages;
}
