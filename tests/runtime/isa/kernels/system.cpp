// Cores that run at the same time: barriers, pipes between cube and vector cores, transfers between chips. __CPU_SIM is
// defined as in sources for the public CPU simulator, for the launcher.
#define __CPU_SIM
#include "common.hpp"

using namespace pto;

namespace {

cpu_sim::KernelLaunchOptions blocks(uint32_t count, uint32_t subblocks = 1)
{
    cpu_sim::KernelLaunchOptions options;
    options.explicit_block_count = count;
    options.subblocks_per_block = subblocks;
    return options;
}

}  // namespace

// seen[core] = its identity, mixed.
extern "C" void identities(uint32_t* seen, uint32_t count, uint32_t subblocks)
{
    cpu_sim::LaunchKernelMultiCore(blocks(count, subblocks), nullptr, [=] {
        seen[get_block_idx() * subblocks + get_subblockid()] =
            1 + get_block_idx() + 100 * get_subblockid() + 10000 * get_block_num() + 1000000 * get_subblockdim();
    });
}

// In every round each core adds one; after the barrier all must see the sum of the round. Returns how many did not.
extern "C" int barrier_rounds(uint32_t cores, int rounds, int soft)
{
    int32_t sum = 0, wrong = 0;
    alignas(64) int32_t workspace[SYNCALL_SOFT_WORKSPACE_INT32] = {};
    cpu_sim::LaunchKernelMultiCore(blocks(cores), nullptr, [&] {
        GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>> counter(workspace);
        for (int round = 1; round <= rounds; ++round) {
            __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
            for (int half = 0; half < 2; ++half) {
                if (soft != 0) {
                    SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(counter);
                } else {
                    SYNCALL();
                }
                // After the second barrier of a round others may be in the next one.
                if (half == 0 && __atomic_load_n(&sum, __ATOMIC_RELAXED) != round * static_cast<int32_t>(cores)) {
                    __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
                }
            }
        }
    });
    return wrong;
}

// One core per block waits for the others, although there are more cores than processors.
extern "C" int chain(uint32_t cores)
{
    int32_t turn = 0;
    cpu_sim::LaunchKernelMultiCore(blocks(cores), nullptr, [&] {
        comm::Signal signal(&turn);
        comm::TWAIT(signal, static_cast<int32_t>(cores - 1 - get_block_idx()), comm::WaitCmp::EQ);  // the last core first
        comm::TNOTIFY(signal, 1, comm::NotifyOp::AtomicAdd);
    });
    return turn;
}

extern "C" int throws_from_a_core()
{
    try {
        cpu_sim::LaunchKernelMultiCore(blocks(5), nullptr, [] {
            if (get_block_idx() == 3) {
                throw 42;
            }
        });
    } catch (int value) {
        return value;
    }
    return 0;
}

namespace {

constexpr int kTiles = 12;

// The cube core (sub-block 2) pushes accumulators; the vector cores (0, 1) add one and store their halves.
template <TileSplitAxis Split, int Rows, int Cols, bool Ring>
void cube_to_vector(float* out, const float* in, float* ring)
{
    using Acc = TileAcc<float, 32, 32>;
    using Vec = Tile<TileType::Vec, float, Rows, Cols>;
    using Pipe = TPipe<1, Direction::DIR_C2V, 32 * 32 * sizeof(float), 3>;
    cpu_sim::LaunchKernelMultiCore(blocks(2, 3), nullptr, [=] {
        const int64_t block = get_block_idx();
        Pipe pipe(Ring ? ring + block * 3 * 1024 : nullptr, 0x8000, 0);
        for (int tile = 0; tile < kTiles; ++tile) {
            const int64_t at = (block * kTiles + tile) * 1024;
            if (get_subblockid() == 2) {
                Acc acc;
                TASSIGN(acc, 0);
                for (int r = 0; r < 32; ++r) {
                    for (int c = 0; c < 32; ++c) {
                        acc.SetElement(r, c, in[at + r * 32 + c]);
                    }
                }
                TPUSH<Pipe, Acc, Split>(pipe, acc);
            } else {
                Vec vec;
                TPOP<Pipe, Vec, Split>(pipe, vec);
                TADDS(vec, vec, 1.0f);
                const int64_t lane = get_subblockid();
                const int64_t first = Rows < 32 ? lane * Rows * 32 : lane * Cols;
                GlobalTensor<float, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, 32, 1>> to(out + at + first);
                TSTORE(to, vec);
                TFREE<Pipe, Split>(pipe);
            }
        }
    });
}

}  // namespace

extern "C" void push_rows(float* out, const float* in, float* ring)
{
    cube_to_vector<TILE_UP_DOWN, 16, 32, true>(out, in, ring);
}
extern "C" void push_columns(float* out, const float* in, float* ring)
{
    cube_to_vector<TILE_LEFT_RIGHT, 32, 16, true>(out, in, ring);
}
extern "C" void push_rows_own_memory(float* out, const float* in, float* ring)
{
    cube_to_vector<TILE_UP_DOWN, 16, 32, false>(out, in, ring);
}

// Two vector cores push halves; the cube core pops whole tiles. No TFREE: popping on must give slots back.
extern "C" void vector_to_cube(float* out, const float* in)
{
    using Half = Tile<TileType::Vec, float, 16, 32>;
    using Mat = Tile<TileType::Mat, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor>;
    using Pipe = TPipe<2, Direction::DIR_V2C, 32 * 32 * sizeof(float), 2>;
    cpu_sim::LaunchKernelMultiCore(blocks(1, 3), nullptr, [=] {
        Pipe pipe(nullptr, 0, 0x4000);
        for (int tile = 0; tile < kTiles; ++tile) {
            if (get_subblockid() < 2) {
                Half half;
                TASSIGN(half, 0);
                __builtin_memcpy(half.data(), in + tile * 1024 + get_subblockid() * 512, 512 * sizeof(float));
                TPUSH<Pipe, Half, TILE_UP_DOWN>(pipe, half);
            } else {
                Mat mat;
                TPOP<Pipe, Mat, TILE_UP_DOWN>(pipe, mat);
                for (int i = 0; i < 1024; ++i) {
                    out[tile * 1024 + i] = mat.GetElement(i / 32, i % 32);
                }
            }
        }
    });
}

// The producer fills slots in place, the consumer reads them in place.
extern "C" void in_place(float* out, const float* in, float* ring)
{
    using View = GlobalTensor<float, Shape<1, 1, 1, 4, 8>, Stride<1, 1, 1, 8, 1>>;
    using Pipe = TPipe<3, Direction::DIR_C2V, 32 * sizeof(float), 2>;
    cpu_sim::LaunchKernelMultiCore(blocks(1, 2), nullptr, [=] {
        Pipe pipe(ring, 0, 0);
        for (int tile = 0; tile < kTiles; ++tile) {
            View view;
            if (get_subblockid() == 1) {
                TALLOC<Pipe, View, TILE_NO_SPLIT>(pipe, view);
                __builtin_memcpy(view.data(), in + tile * 32, 32 * sizeof(float));
                TPUSH<Pipe, View, TILE_NO_SPLIT>(pipe, view);
            } else {
                TPOP<Pipe, View, TILE_NO_SPLIT>(pipe, view);
                __builtin_memcpy(out + tile * 32, view.data(), 32 * sizeof(float));
                TFREE<Pipe, View, TILE_NO_SPLIT>(pipe, view);
            }
        }
    });
}

// An int32 accumulator leaves as int8 under a factor.
extern "C" void push_quantised(int8_t* out, const int32_t* in, float factor)
{
    using Acc = TileAcc<int32_t, 16, 32>;
    using Vec = Tile<TileType::Vec, int8_t, 16, 32>;
    using Config = FixpipeParams<LayoutMode_t::NZ2ND, REQ8, ReluPreMode::NormalRelu>;
    using Pipe = TPipe<4, Direction::DIR_C2V, 16 * 32, 1>;
    Pipe::reset_for_cpu_sim();
    Pipe pipe(nullptr, 0, 0);
    Acc acc;
    Vec vec;
    TASSIGN(acc, 0);
    for (int i = 0; i < 512; ++i) {
        acc.SetElement(i / 32, i % 32, in[i]);
    }
    SET_QUANT_SCALAR<int8_t>(factor);
    TPUSH<Pipe, Acc, Config>(pipe, acc);
    TPOP<Pipe, Vec, TILE_NO_SPLIT>(pipe, vec);
    TFREE(pipe);
    read_tile(out, vec);
}

namespace {

using Ranked = GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, -1, 1>>;
using Staging = Tile<TileType::Vec, float, 8, 32>;

comm::ParallelGroup<Ranked> group_of(Ranked (&views)[4], float* ranks, int rows, int cols, int pitch, int root)
{
    for (int r = 0; r < 4; ++r) {
        views[r] = Ranked(ranks + r * rows * pitch, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    }
    return {views, 4, root};
}

}  // namespace

extern "C" void reduce_ranks(float* out, float* ranks, int rows, int cols, int pitch, int root, int op)
{
    Ranked views[4];
    auto group = group_of(views, ranks, rows, cols, pitch, root);
    Ranked to(out, Shape<1, 1, 1, -1, -1>(rows, cols), Stride<1, 1, 1, -1, 1>(pitch));
    Staging a, b;
    comm::TREDUCE(group, to, a, b, static_cast<comm::ReduceOp>(op));
}

extern "C" void move_ranks(float* whole, float* ranks, int rows, int cols, int pitch, int what)
{
    Ranked views[4];
    auto group = group_of(views, ranks, rows, cols, pitch, 1);
    const int all = what == 2 ? rows : 4 * rows;
    Ranked one(whole, Shape<1, 1, 1, -1, -1>(all, cols), Stride<1, 1, 1, -1, 1>(pitch));
    Staging a, b;
    if (what == 0) {
        comm::TGATHER(group, one, a);
    } else if (what == 1) {
        comm::TSCATTER(group, one, a, b);
    } else {
        comm::TBROADCAST(group, one, a);
    }
}

// Threads add to one destination at the same time.
extern "C" void put_adding(float* to, float* from, uint32_t cores, int n)
{
    cpu_sim::LaunchKernelMultiCore(blocks(cores), nullptr, [=] {
        Ranked dst(to, Shape<1, 1, 1, -1, -1>(1, n), Stride<1, 1, 1, -1, 1>(n));
        Ranked src(from, Shape<1, 1, 1, -1, -1>(1, n), Stride<1, 1, 1, -1, 1>(n));
        Staging staging;
        comm::TPUT<AtomicType::AtomicAdd>(dst, src, staging);
    });
}

extern "C" int signal_test(int32_t* values, int limit, int cmp)
{
    comm::Signal2D<2, 3> grid(values, 5);
    return comm::TTEST(grid, limit, static_cast<comm::WaitCmp>(cmp)) ? 1 : 0;
}

extern "C" int async_round_trip(float* to, float* from, int n)
{
    Ranked dst(to, Shape<1, 1, 1, -1, -1>(1, n), Stride<1, 1, 1, -1, 1>(n));
    Ranked src(from, Shape<1, 1, 1, -1, -1>(1, n), Stride<1, 1, 1, -1, 1>(n));
    comm::AsyncSession session;
    const comm::AsyncEvent put = comm::TPUT_ASYNC(dst, src, session);
    const comm::AsyncEvent got = comm::TGET_ASYNC<comm::DmaEngine::URMA>(dst, src, session, 1u);
    return (put.valid() && put.Wait(session) && got.Test(session)) ? 1 : 0;
}

// A tile can be put at another tile's address.
extern "C" int aliased()
{
    Tile<TileType::Vec, float, 8, 32> whole;
    Tile<TileType::Vec, float, 4, 32> half;
    TASSIGN(whole, 64);
    TASSIGN(half, reinterpret_cast<uint64_t>(whole.data() + 4 * 32));
    half.SetValue(5, 2.5f);
    return whole.GetElement(4, 5) == 2.5f ? 1 : 0;
}

extern "C" int events()
{
    using Block = Tile<TileType::Vec, float, 8, 32>;
    Block a, b;
    TASSIGN(a, 0);
    TASSIGN(b, 0x1000);
    Event<Op::VECTOR, Op::TADD> filled;
    Event<Op::TADD, Op::TSTORE_VEC> added;
    filled = TEXPANDS(a, 1.0f);
    added = TADD(b, a, a, filled);
    TSYNC(added);
    TSYNC<Op::TADD>();
    return b.GetElement(7, 31) == 2.0f ? 1 : 0;
}

extern "C" void print_tile(int rows, int cols)
{
    Tile<TileType::Vec, float, 4, 8, BLayout::RowMajor, -1, -1> tile(rows, cols);
    TASSIGN(tile, 0);
    for (int i = 0; i < 32; ++i) {
        tile.SetValue(i, static_cast<float>(i) / 4 - 1);
    }
    TPRINT<PrintFormat::Width8_Precision2>(tile);
    std::cout.flush();
}
