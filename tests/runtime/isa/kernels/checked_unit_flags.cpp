// Accumulators that are handed over by unit flags, under the checker for A2/A3: each function makes one mistake, and says
// with which words it is told. Where is known by the calls before alone: these have template arguments.
#define PTO_CHECKED
#define PTO_CHECKED_A2A3
#include "checked_kernels.hpp"

// A product of 16 x 16, its operands ready, and where its sum goes.
struct Handed {
    TileLeft<float, 16, 16> left = at<TileLeft<float, 16, 16>>(0);
    TileRight<float, 16, 16> right = at<TileRight<float, 16, 16>>(0);
    TileAcc<float, 16, 16> sum = at<TileAcc<float, 16, 16>>(0);
    Memory out{gm_to}, behind{gm_to + 256};

    Handed()
    {
        auto a = at<Boxes<float, 16, 16>>(0, 16, 16);
        Memory in(gm_from);
        TLOAD(a, in);
        order(PIPE_MTE2, PIPE_MTE1);
        TEXTRACT(left, a, 0, 0);
        TEXTRACT(right, a, 0, 0);
        order(PIPE_MTE1, PIPE_M);
    }
};

extern "C" void final_store_of_a_plain_product()
{
    Handed tiles;
    TMATMUL(tiles.sum, tiles.left, tiles.right);
    order(PIPE_M, PIPE_FIX);
    TSTORE<STPhase::Final>(
        tiles.out, tiles.sum);  // here: TSTORE waits for .* 0 to 0x400, which no final product has set
}

extern "C" void final_store_of_a_partial_product()
{
    Handed tiles;
    TMATMUL<AccPhase::Partial>(tiles.sum, tiles.left, tiles.right);
    TSTORE<STPhase::Final>(
        tiles.out, tiles.sum);  // here: TSTORE waits for .* 0 to 0x400, which no final product has set
}

extern "C" void product_before_the_last_one_is_stored()
{
    Handed tiles;
    TMATMUL<AccPhase::Final>(tiles.sum, tiles.left, tiles.right);
    TMATMUL_ACC<AccPhase::Final>(
        tiles.sum, tiles.left, tiles.right);  // here: TMATMUL_ACC waits for .* TMATMUL .* has set
    TSTORE<STPhase::Final>(tiles.out, tiles.sum);
}

extern "C" void product_that_nobody_stores()
{
    Handed tiles;
    TMATMUL<AccPhase::Final>(
        tiles.sum, tiles.left, tiles.right);  // here: TMATMUL leaves the unit flags of .* set: no final
}

extern "C" void plain_store_of_a_final_product()
{
    Handed tiles;
    TMATMUL<AccPhase::Final>(tiles.sum, tiles.left, tiles.right);
    TSTORE(tiles.out, tiles.sum);  // here: race: TSTORE \(pipe FIX\) reads L0C bytes 0 to 0x400 that TMATMUL
    TSTORE<STPhase::Final>(tiles.behind, tiles.sum);
}
