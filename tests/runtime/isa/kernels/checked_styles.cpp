// Kernels as people write them for A2/A3, and the same with one fault each, under the checker.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "common.hpp"

using namespace pto;

namespace {

char messages[1 << 14];

template <typename T, int Rows, int Cols>
using Vec = Tile<TileType::Vec, T, Rows, Cols>;
template <typename T, int Rows, int Cols>
using Dynamic = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor, -1, -1>;
template <typename T, int Rows>
using Column = Tile<TileType::Vec, T, Rows, 1, BLayout::ColMajor>;
template <typename T, int Rows, int Cols, int Pitch = Cols>
using Matrix = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Pitch, 1>>;
using Block = Vec<float, 16, 16>;
using Memory = Matrix<float, 16, 16>;

template <typename Object>
Object at(size_t address)
{
    Object tile;
    TASSIGN(tile, address);
    return tile;
}

void order(pipe_t before, pipe_t after, event_t id = EVENT_ID7)
{
    set_flag(before, after, id);
    wait_flag(before, after, id);
}

// Two buffers in turn: the load of one while the other is worked on. 1: wrong id, 2: a buffer is loaded again before it
// is stored, 3: the flag is set too early.
void double_buffer(float* to, float* from, int rounds, int fault)
{
    Block tiles[2] = {at<Block>(0), at<Block>(0x1000)};
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
    for (int i = 0; i < rounds; ++i) {
        const auto mine = static_cast<event_t>(i % 2);
        Memory in(from + i * 256), out(to + i * 256);
        if (fault != 2) {
            wait_flag(PIPE_MTE3, PIPE_MTE2, mine);
        }
        TLOAD(tiles[mine], in);
        set_flag(PIPE_MTE2, PIPE_V, mine);
        wait_flag(PIPE_MTE2, PIPE_V, fault == 1 ? 1 - mine : mine);
        if (fault == 3) {
            set_flag(PIPE_V, PIPE_MTE3, mine);
        }
        TMULS(tiles[mine], tiles[mine], 2.0f);
        if (fault != 3) {
            set_flag(PIPE_V, PIPE_MTE3, mine);
        }
        wait_flag(PIPE_V, PIPE_MTE3, mine);
        TSTORE(out, tiles[mine]);
        if (fault != 2) {
            set_flag(PIPE_MTE3, PIPE_MTE2, mine);
        }
    }
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID1);
}

// Events, given to the instructions that wait for them. 1: one is forgotten, 2: one is waited for twice.
void events(float* to, float* from, int fault)
{
    Block a = at<Block>(0), b = at<Block>(0x800);
    Vec<half, 16, 16> narrow = at<Vec<half, 16, 16>>(0x1000);
    Memory in(from);
    Matrix<half, 16, 16> out(reinterpret_cast<half*>(to));
    Event<Op::TLOAD, Op::TADD> loaded;
    Event<Op::TADD, Op::TCVT> added;
    Event<Op::TCVT, Op::TSTORE_VEC> narrowed;
    loaded = TLOAD(a, in);
    if (fault == 1) {
        added = TADD(b, a, a);
        TSYNC(loaded);
    } else {
        added = TADD(b, a, a, loaded);
    }
    narrowed = TCVT(narrow, b, RoundMode::CAST_RINT, added);
    TSTORE(out, narrow, narrowed);
    if (fault == 2) {
        TSYNC(narrowed);
    }
}

// A product over its depth with two buffers in L1 and in L0. 1: L0 is filled again before it is multiplied, 2: so is
// L1, 3: the first product adds to nothing.
void product(float* to, half* from, int rounds, int fault)
{
    using Mat = Tile<TileType::Mat, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor, 512>;
    using Left = TileLeft<half, 16, 16>;
    using Right = TileRight<half, 16, 16>;
    TileAcc<float, 16, 16> sum;
    TASSIGN(sum, 0);
    for (event_t id = 0; id < 2; ++id) {
        set_flag(PIPE_MTE1, PIPE_MTE2, id);
        set_flag(PIPE_M, PIPE_MTE1, id);
    }
    for (int i = 0; i < rounds; ++i) {
        const auto mine = static_cast<event_t>(i % 2);
        Mat a = at<Mat>(mine * 0x200), b = at<Mat>(0x1000 + mine * 0x200);
        Left left = at<Left>(mine * 0x200);
        Right right = at<Right>(mine * 0x200);
        Matrix<half, 16, 16> a_in(from + i * 512), b_in(from + i * 512 + 256);
        if (fault != 2) {
            wait_flag(PIPE_MTE1, PIPE_MTE2, mine);
        }
        TLOAD(a, a_in);
        TLOAD(b, b_in);
        order(PIPE_MTE2, PIPE_MTE1, mine);
        if (fault != 1) {
            wait_flag(PIPE_M, PIPE_MTE1, mine);
        }
        TMOV(left, a);
        TMOV(right, b);
        if (fault != 2) {
            set_flag(PIPE_MTE1, PIPE_MTE2, mine);
        }
        order(PIPE_MTE1, PIPE_M, mine);
        if (i == 0 && fault != 3) {
            TMATMUL(sum, left, right);
        } else {
            TMATMUL_ACC(sum, sum, left, right);
        }
        if (fault != 1) {
            set_flag(PIPE_M, PIPE_MTE1, mine);
        }
    }
    for (event_t id = 0; id < 2; ++id) {
        wait_flag(PIPE_MTE1, PIPE_MTE2, id);
        wait_flag(PIPE_M, PIPE_MTE1, id);
    }
    order(PIPE_M, PIPE_FIX);
    Memory out(to);
    TSTORE(out, sum);
    order(PIPE_FIX, PIPE_MTE2);
    Block again = at<Block>(0);
    TLOAD(again, out);
}

// Numbers by the scalar unit. 1: it reads before the vector unit has written, 2: that reads before it has written,
// 3: the tile is loaded again before it has read, 4: an element outside, 5: one that nobody has written.
void scalars(float* to, float* from, int fault)
{
    Block a = at<Block>(0), b = at<Block>(0x800);
    Memory in(from), out(to);
    float most = 0;
    for (int i = 0; i < 2; ++i) {
        if (i > 0 && fault != 3) {
            order(PIPE_S, PIPE_MTE2);
        }
        TLOAD(a, in);
        order(PIPE_MTE2, PIPE_V);
        TABS(a, a);
        if (fault != 1) {
            order(PIPE_V, PIPE_S);
        }
        for (unsigned e = 0; e < 256; ++e) {
            most = a.GetValue(e) > most ? a.GetValue(e) : most;
        }
    }
    if (fault == 1) {
        return;
    }
    for (unsigned e = 0; e < 256; e += 8) {
        a.SetValue(e + (fault == 4 ? 8 : 0), most);
    }
    if (fault == 5) {
        (void)b.GetValue(3);
    }
    if (fault != 2) {
        order(PIPE_S, PIPE_V);
    }
    TMULS(b, a, 1.0f);
    order(PIPE_V, PIPE_MTE3);
    TSTORE(out, b);
}

// The parts of a row: maxima, differences, sums, quotients. 1 and 2: a barrier is missing.
void rows(float* to, float* from, int fault)
{
    Block x = at<Block>(0), scratch = at<Block>(0x800);
    Column<float, 16> most = at<Column<float, 16>>(0x1000), total = at<Column<float, 16>>(0x1100);
    Memory in(from), out(to);
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TROWMAX(most, x, scratch);
    if (fault != 1) {
        pipe_barrier(PIPE_V);
    }
    TROWEXPANDSUB(x, x, most);
    pipe_barrier(PIPE_V);
    TEXP(x, x);
    pipe_barrier(PIPE_V);
    TROWSUM(total, x, scratch);
    if (fault != 2) {
        pipe_barrier(PIPE_V);
    }
    TROWEXPANDDIV(x, x, total);
    order(PIPE_V, PIPE_MTE3);
    TSTORE(out, x);
}

// Work in place. 1: wider elements over the narrow ones that they come from, 2: a result one row further on,
// 3: a scratch tile over an operand, 4: the same where two lists are merged into the place of both.
void in_place(float* from, int fault)
{
    Block x = at<Block>(0), next = at<Block>(64);
    Vec<half, 16, 16> narrow = at<Vec<half, 16, 16>>(0);
    Column<float, 16> most = at<Column<float, 16>>(0x1000);
    Memory in(from);
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TADD(x, x, x);
    pipe_barrier(PIPE_V);
    Block scratch = fault == 3 ? next : at<Block>(0x800);
    TROWMAX(most, x, scratch);
    pipe_barrier(PIPE_V);
    if (fault == 2) {
        TADDS(next, x, 1.0f);
        pipe_barrier(PIPE_V);
    }
    TCVT(narrow, x, RoundMode::CAST_RINT);
    pipe_barrier(PIPE_V);
    if (fault == 1) {
        TCVT(x, narrow, RoundMode::CAST_RINT);
    }
    using List = Vec<float, 1, 64>;
    using Lists = Vec<float, 1, 128>;
    List first = at<List>(0x2000), second = at<List>(0x2100);
    Lists both = at<Lists>(0x2000), merged = at<Lists>(fault == 4 ? 0x2100 : 0x2400);
    MrgSortExecutedNumList taken;
    TEXPANDS(both, 1.0f);
    pipe_barrier(PIPE_V);
    TMRGSORT<Lists, Lists, List, List, false>(both, taken, merged, first, second);
}

// The last rows and columns of a tensor. 1: an operand has a column less, 2: a column of sums has a row more.
void tails(float* from, int valid, int fault)
{
    const auto rows = static_cast<unsigned>(valid), cols = static_cast<unsigned>(valid);
    Dynamic<float, 16, 16> x(rows, cols), y(rows, fault == 1 ? cols - 1 : cols), scratch(rows, cols);
    Tile<TileType::Vec, float, 16, 1, BLayout::ColMajor, -1, 1> sums(fault == 2 ? rows + 1 : rows);
    GlobalTensor<float, Shape<1, 1, 1, -1, -1>, Stride<1, 1, 1, 16, 1>> in(from, {valid, valid});
    TASSIGN(x, 0);
    TASSIGN(y, 0x800);
    TASSIGN(scratch, 0x1000);
    TASSIGN(sums, 0x1800);
    TLOAD(x, in);
    order(PIPE_MTE2, PIPE_V);
    TEXPANDS(y, 1.0f);
    pipe_barrier(PIPE_V);
    TADD(x, x, y);
    pipe_barrier(PIPE_V);
    TROWSUM(sums, x, scratch);
}

// Global memory. 1: rows of one store share bytes, 2: what is loaded may not be stored yet, 3: all rows are one.
void windows(float* to, int fault)
{
    Block x = at<Block>(0), y = at<Block>(0x800);
    TEXPANDS(x, 1.0f);
    order(PIPE_V, PIPE_MTE3);
    Matrix<float, 16, 16, 32> left(to), right(to + 16);
    Matrix<float, 16, 16, 12> narrow(to);
    Matrix<float, 16, 16, 0> repeated(to);
    TSTORE(left, x);
    if (fault != 2) {
        order(PIPE_MTE3, PIPE_MTE2);
    }
    TLOAD(y, left);
    TSTORE(right, x);
    pipe_barrier(PIPE_ALL);
    TLOAD(y, repeated);
    if (fault == 1) {
        TSTORE(narrow, x);
    } else if (fault == 3) {
        TSTORE(repeated, x);
    }
}

// What reads or writes parts of its operands, and barriers of all pipes between.
void parts(float* from)
{
    Block x = at<Block>(0), y = at<Block>(0x800);
    Vec<float, 8, 16> half_of_it = at<Vec<float, 8, 16>>(0x1000);
    Vec<float, 1, 16> row = at<Vec<float, 1, 16>>(0x1800);
    Memory in(from);
    TLOAD(x, in);
    pipe_barrier(PIPE_ALL);
    TEXTRACT(half_of_it, x, 8, 0);
    TCOLMAX(row, x);
    pipe_barrier(PIPE_ALL);
    TINSERT(x, half_of_it, 0, 0);
    TCOLEXPAND(y, row);
    pipe_barrier(PIPE_ALL);
    TCOLEXPANDADD(y, y, row);
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

extern "C" const char* run(float* to, float* from, int which, int rounds, int fault)
{
    messages[0] = 0;
    cpu_sim::set_check_handler(gather_messages);
    cpu_sim::set_execution_context(0, 0, 1);
    switch (which) {
        case 0: double_buffer(to, from, rounds, fault); break;
        case 1: events(to, from, fault); break;
        case 2: product(to, reinterpret_cast<half*>(from), rounds, fault); break;
        case 3: scalars(to, from, fault); break;
        case 4: rows(to, from, fault); break;
        case 5: in_place(from, fault); break;
        case 6: tails(from, rounds, fault); break;
        case 7: windows(to, fault); break;
        default: parts(from);
    }
    cpu_sim::set_execution_context(0, 0, 1);
    cpu_sim::set_check_handler(nullptr);
    return messages;
}
