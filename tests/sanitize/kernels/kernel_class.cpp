// A kernel as a class: tiles are its members, its steps its methods.
#include <pto/pto-inst.hpp>

using namespace pto;

template <typename T, int Rows, int Cols>
class Squares {
public:
    using Block = Tile<TileType::Vec, T, Rows, Cols, BLayout::RowMajor>;
    using Gm = GlobalTensor<T, Shape<1, 1, 1, Rows, Cols>, Stride<1, 1, 1, Cols, 1>>;

    AICORE Squares() {}

    AICORE inline void init(__gm__ T *to, __gm__ T *from, int n)
    {
        out_ = to;
        in_ = from;
        rounds_ = n;
        TASSIGN(x_, kBegin);
        TASSIGN(y_, kBegin + Rows * Cols * sizeof(T));
    }

    AICORE inline void process()
    {
        set_flag(PIPE_V, PIPE_MTE2, kFree);
        set_flag(PIPE_MTE3, PIPE_V, kFree);
        for (int i = 0; i < rounds_; i++) {
            load(i);
            square();
            store(i);
        }
        wait_flag(PIPE_V, PIPE_MTE2, kFree);
        wait_flag(PIPE_MTE3, PIPE_V, kFree);
    }

private:
    AICORE inline void load(int i)
    {
        Gm from(in_ + i * Rows * Cols);
        wait_flag(PIPE_V, PIPE_MTE2, kFree);
        TLOAD(x_, from);
        set_flag(PIPE_MTE2, PIPE_V, kReady);
    }

    AICORE inline void square()
    {
        wait_flag(PIPE_MTE2, PIPE_V, kReady);
        wait_flag(PIPE_MTE3, PIPE_V, kFree);
        TMUL(y_, x_, x_);
        set_flag(PIPE_V, PIPE_MTE2, kFree);
        set_flag(PIPE_V, PIPE_MTE3, kReady);
    }

    AICORE inline void store(int i)
    {
        Gm to(out_ + i * Rows * Cols);
        wait_flag(PIPE_V, PIPE_MTE3, kReady);
        TSTORE(to, y_);
        set_flag(PIPE_MTE3, PIPE_V, kFree);
    }

    static constexpr int kBegin = 0x400;
    static constexpr event_t kReady = EVENT_ID0;
    static constexpr event_t kFree = EVENT_ID1;
    Block x_;
    Block y_;
    __gm__ T *out_;
    __gm__ T *in_;
    int rounds_ = 0;
};

extern "C" __global__ AICORE void squares_fp32(__gm__ float *out, __gm__ float *in, int n)
{
    set_mask_norm();
    set_vector_mask(-1, -1);
    Squares<float, 16, 64> op;
    op.init(out, in, n);
    op.process();
}
