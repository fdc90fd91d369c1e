// Kernels that are right, and the same with one fault each, under the checker for A2/A3.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "common.hpp"

using namespace pto;

namespace {

char messages[1 << 14];

using Block = Tile<TileType::Vec, float, 16, 16>;
using Memory = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;

enum Fault {
    kNone, kNoFlagAfterLoad, kNoBarrier, kNoFlagBeforeStore, kNobodyWaits, kUnwritten, kBeyondMemory, kUnaligned,
    kWaitForNothing, kSetTwice, kTooManyRows, kIllegalType, kNoAddress, kUnwrittenTail, kOtherBytes,
    kIllegalCast, kIllegalSource, kMissing, kOutsideSource, kOutsideTarget, kOutsideTensor,
    kCube, kMatRace, kLeftRace, kAccRace, kLeftOverwritten, kRightUnwritten, kSumUnwritten,
};

// exp(x + x), in place, block after block through one buffer.
void twice_exp(float* to, float* from, int rounds, int fault)
{
    Block x, y;
    TASSIGN(x, 0);
    TASSIGN(y, 0x800);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    for (int round = 0; round < rounds; ++round) {
        Memory in(from + round * 256), out(to + round * 256);
        wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
        TLOAD(x, in);
        if (fault != kNoFlagAfterLoad) {
            set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
            wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
        }
        TADD(y, x, x);
        if (fault != kNoBarrier) {
            pipe_barrier(PIPE_V);
        }
        TEXP(y, y);
        if (fault != kNoFlagBeforeStore) {
            set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
            wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
        }
        TSTORE(out, y);
        set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
}

template <typename Tile>
void expand_at(size_t address)
{
    Tile tile;
    TASSIGN(tile, address);
    TEXPANDS(tile, static_cast<typename Tile::DType>(1));
}

void single(int fault)
{
    Block a, b;
    TASSIGN(b, 0x4000);
    switch (fault) {
        case kNobodyWaits: set_flag(PIPE_V, PIPE_S, EVENT_ID3); break;
        case kUnwritten:
            TASSIGN(a, 0x2000);
            TADD(b, a, a);
            break;
        case kBeyondMemory: TASSIGN(a, 192 * 1024 - 32); break;
        case kUnaligned: TASSIGN(a, 36); break;
        case kWaitForNothing: wait_flag(PIPE_V, PIPE_S, EVENT_ID3); break;
        case kSetTwice:
            set_flag(PIPE_V, PIPE_S, EVENT_ID3);
            set_flag(PIPE_V, PIPE_S, EVENT_ID3);
            wait_flag(PIPE_V, PIPE_S, EVENT_ID3);
            break;
        case kTooManyRows: {
            Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, -1, -1> wide(17, 3);
            TASSIGN(wide, 0);
            TEXPANDS(wide, 1.0f);
            break;
        }
        case kIllegalType: {
            Tile<TileType::Vec, int8_t, 16, 32> bytes;
            TASSIGN(bytes, 0);
            TEXPANDS(bytes, 1);
            pipe_barrier(PIPE_V);
            TADD(bytes, bytes, bytes);
            break;
        }
        case kNoAddress: TADD(b, a, a); break;
        case kUnwrittenTail: {
            Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, -1> part(15);
            TASSIGN(part, 0);
            TASSIGN(a, 0);
            TEXPANDS(part, 1.0f);
            pipe_barrier(PIPE_V);
            TADD(b, a, a);
            break;
        }
        case kOtherBytes: {  // two columns of one tile: nothing to order
            Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 8> left, right;
            TASSIGN(left, 0);
            TASSIGN(right, 32);
            TEXPANDS(left, 1.0f);
            TEXPANDS(right, 2.0f);
            break;
        }
        case kIllegalCast: {
            Tile<TileType::Vec, int8_t, 16, 32> bytes;
            Tile<TileType::Vec, float, 16, 32> words;
            TASSIGN(words, 0);
            TASSIGN(bytes, 0x2000);
            TEXPANDS(words, 1.0f);
            pipe_barrier(PIPE_V);
            TCVT(bytes, words, RoundMode::CAST_RINT);
            break;
        }
        case kIllegalSource: {  // the bits are bytes on every platform, what is compared is not
            Tile<TileType::Vec, uint8_t, 16, 32> bits;
            Tile<TileType::Vec, int8_t, 16, 32> bytes;
            TASSIGN(bytes, 0);
            TASSIGN(bits, 0x2000);
            TEXPANDS(bytes, 1);
            pipe_barrier(PIPE_V);
            TCMP(bits, bytes, bytes, CmpMode::EQ);
            break;
        }
        case kMissing: {
            TASSIGN(a, 0);
            TASSIGN(b, 0x1000);
            TEXPANDS(a, 1.0f);
            pipe_barrier(PIPE_V);
            TADDC(b, a, a, a);
            break;
        }
        case kOutsideSource: {
            Tile<TileType::Vec, float, 8, 16> part;
            TASSIGN(a, 0);
            TASSIGN(part, 0x2000);
            TEXPANDS(a, 1.0f);
            pipe_barrier(PIPE_V);
            TEXTRACT(part, a, 12, 0);
            break;
        }
        case kOutsideTarget: {
            Tile<TileType::Vec, float, 8, 16> part;
            TASSIGN(a, 0);
            TASSIGN(part, 0x2000);
            TEXPANDS(a, 1.0f);
            TEXPANDS(part, 1.0f);
            pipe_barrier(PIPE_V);
            TINSERT(a, part, 4, 8);
            break;
        }
        case kOutsideTensor: {
            float few[8 * 16] = {};
            GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>> memory(few);
            TLOAD(b, memory);
            break;
        }
        default: break;
    }
}

// One product of matrices, from memory to memory.
void product(float* to, float* from, int fault)
{
    using Memory16 = GlobalTensor<half, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>>;
    using Mat = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512>;
    Memory16 a_memory(reinterpret_cast<half*>(from)), b_memory(reinterpret_cast<half*>(from) + 256);
    Memory c_memory(to);
    Mat a, b;
    TileLeft<half, 16, 16> left;
    TileRight<half, 16, 16> right;
    TileAcc<float, 16, 16> sum;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(sum, 0x800);
    TLOAD(a, a_memory);
    TLOAD(b, b_memory);
    if (fault != kMatRace) {
        set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
        wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);
    }
    TMOV(left, a);
    if (fault != kRightUnwritten) {
        TMOV(right, b);
    }
    if (fault != kLeftRace) {
        set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
        wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
    }
    if (fault == kSumUnwritten) {
        TMATMUL_ACC(sum, sum, left, right);
    } else {
        TMATMUL(sum, left, right);
    }
    if (fault == kLeftOverwritten) {
        TMOV(left, b);
    }
    if (fault != kAccRace) {
        set_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
        wait_flag(PIPE_M, PIPE_FIX, EVENT_ID0);
    }
    TSTORE(c_memory, sum);
}

void gather_messages(const char* message)
{
    const size_t used = __builtin_strlen(messages), more = __builtin_strlen(message);
    if (used + more + 2 < sizeof(messages)) {
        __builtin_memcpy(messages + used, message, more);
        __builtin_memcpy(messages + used + more, "\n", 2);
    }
}

}  // namespace

extern "C" const char* run(float* to, float* from, int rounds, int fault)
{
    messages[0] = 0;
    cpu_sim::set_check_handler(gather_messages);
    cpu_sim::set_execution_context(0, 0, 1);
    if (fault <= kNoFlagBeforeStore) {
        twice_exp(to, from, rounds, fault);
    } else if (fault >= kCube) {
        product(to, from, fault);
    } else {
        single(fault);
    }
    cpu_sim::set_execution_context(0, 0, 1);
    cpu_sim::set_check_handler(nullptr);
    return messages;
}

