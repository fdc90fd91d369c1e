// Kernels for the CPU, which have no flags, under the checker: right ones, and the same with one fault each.
#define PTO_CHECKED
#define __CPU_SIM
#include "common.hpp"

using namespace pto;

namespace {

char messages[1 << 14];

using Block = Tile<TileType::Vec, float, 8, 16>;
using Column = Tile<TileType::Vec, float, 8, 1, BLayout::ColMajor>;
using Indexes = Tile<TileType::Vec, int32_t, 1, 8>;
using Memory = GlobalTensor<float, Shape<1, 1, 1, 8, 16>, Stride<1, 1, 1, 16, 1>>;
template <int Bytes>
using Ring = TPipe<3, Direction::DIR_C2V, Bytes, 2>;

enum Fault {
    kNone, kPassRows, kPassColumns, kPassUnwritten, kPassTensor, kPassResult, kGather, kScatter, kClamped, kLeftOver,
    kUnequalPushes, kBlocks, kFullRing, kUnequalEnds, kNarrowSlot,
};

void pass(float* data, int fault)
{
    Block x, y;
    Column most;
    TASSIGN(x, 0);
    TASSIGN(y, 0x1000);
    if (fault != kPassResult) {
        TASSIGN(most, 0x2000);
    }
    Memory in(data), out(data + 128);
    if (fault != kPassUnwritten) {
        TLOAD(x, in);
    }
    const int64_t rows = fault == kPassRows ? 9 : 8, cols = fault == kPassColumns ? 20 : 16;
    TPASS(rows, cols, [&](auto at, auto& largest) {
        const auto v = at.load(x);
        at.store(y, at.all(2.0f) * v);
        largest.take(at, v);
    }, RowMax(most));
    TPASS(8, 16, [&](auto at) {
        at.store(out, at.load(y) - at.column(most));
    });
    if (fault == kPassTensor) {
        TPASS(1, 17, [&](auto at) { at.store(out, at.all(1.0f)); });
    }
}

void rows_by_index(float* data, int fault)
{
    Block x;
    Indexes at;
    TASSIGN(x, 0);
    TASSIGN(at, 0x1000);
    Memory table(data);
    TEXPANDS(at, fault == kScatter ? -1 : 8);
    TEXPANDS(x, 3.0f);
    if (fault == kGather) {
        MGATHER(x, table, at);
    } else if (fault == kScatter) {
        MSCATTER<Coalesce::Row>(table, x, at);
    } else {
        MGATHER<Coalesce::Row, GatherOOB::Clamp>(x, table, at);
    }
}

template <int Bytes>
void push(float* ring)
{
    Ring<Bytes> pipe(ring, 0, 0);
    Tile<TileType::Acc, float, 16, 16, BLayout::ColMajor, 8, 16, SLayout::RowMajor, 1024> sums;
    TASSIGN(sums, 0);
    TileLeft<float, 16, 16, 8, 16> left;
    TileRight<float, 16, 16, 16, 16> right;
    Tile<TileType::Mat, float, 16, 16> ones;
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(ones, 0);
    GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<1, 1, 1, 16, 1>> memory(ring);
    TLOAD(ones, memory);
    TMOV(left, ones);
    TMOV(right, ones);
    TMATMUL(sums, left, right);
    TPUSH<Ring<Bytes>, decltype(sums), TileSplitAxis::TILE_NO_SPLIT>(pipe, sums);
}

template <int Bytes>
void pop(float* ring)
{
    Ring<Bytes> pipe(ring, 0, 0);
    Block tile;
    TASSIGN(tile, 0x1000);
    TPOP<Ring<Bytes>, Block, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile);
}

void kernel(float* data, int fault)
{
    float* const ring = data + 512;
    switch (fault) {
        case kGather: case kScatter: case kClamped: rows_by_index(data, fault); break;
        case kLeftOver: push<512>(ring); push<512>(ring); pop<512>(ring); break;
        case kUnequalPushes: push<512>(ring); push<1024>(ring); break;
        case kFullRing: push<512>(ring); push<512>(ring); push<512>(ring); break;
        case kUnequalEnds: push<512>(ring); pop<1024>(ring); break;
        case kNarrowSlot: {
            Ring<256> pipe(ring, 0, 0);
            Memory slot(nullptr);
            TALLOC<Ring<256>, Memory, TileSplitAxis::TILE_NO_SPLIT>(pipe, slot);
            break;
        }
        default: pass(data, fault);
    }
}

}  // namespace

extern "C" const char* run(float* data, int fault)
{
    messages[0] = '\0';
    if (fault < kFullRing) {
        pto::cpu_sim::set_check_handler([](const char* message) {
            strncat(messages, message, sizeof(messages) - strlen(messages) - 2);
            strcat(messages, "\n");
        });
    }
    pto::cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = fault == kBlocks ? 2 : 1;
    pto::cpu_sim::LaunchKernelMultiCore(options, nullptr, [=] { kernel(data, fault); });
    return messages;
}
