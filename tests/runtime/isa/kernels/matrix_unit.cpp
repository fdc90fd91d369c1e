// Tile instructions by themselves, with sizes of the caller's choice.
#include "common.hpp"

#include <pto/cpu/core/amx.hpp>

namespace {

enum Step { kProduct, kWithoutConfiguration, kWithoutTile, kSameTile };

// One accumulator (0), one left operand (1), one right operand (2); `sizes` are the rows and bytes a row of each.
void configure(const uint8_t* sizes)
{
    alignas(64) uint8_t configuration[64] = {1};
    for (int tile = 0; tile < 3; ++tile) {
        configuration[16 + 2 * tile] = sizes[2 * tile + 1];
        configuration[48 + tile] = sizes[2 * tile];
    }
    pto::cpu::finish_stores(configuration);
    _tile_loadconfig(configuration);
}

}  // namespace

// c += a b; lines are 64 bytes apart. What is not kProduct is a mistake that the unit does not take. 0: the system
// refuses the unit, and nothing has been done.
extern "C" int unit_product(int step, int of_bytes, const uint8_t* sizes, char* c, const char* a, const char* b)
{
    if (!pto::cpu::amx_permitted()) {
        return 0;
    }
    if (step != kWithoutConfiguration) {
        configure(sizes);
    }
    _tile_loadd(0, c, 64);
    _tile_stream_loadd(1, a, 64);
    _tile_loadd(2, b, 64);
    if (step == kWithoutTile) {
        _tile_zero(3);
#if defined(MATRIX_UNIT_IN_SOFTWARE)  // no assembler takes this
    } else if (step == kSameTile) {
        _tile_dpbssd(0, 1, 1);
#endif
    } else if (of_bytes != 0) {
        _tile_dpbssd(0, 1, 2);
    } else {
        _tile_dpbf16ps(0, 1, 2);
    }
    _tile_stored(0, c, 64);
    _tile_release();
    return 1;
}
