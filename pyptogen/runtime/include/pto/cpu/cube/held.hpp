// What a thread has put off: packed Mat tiles, operands that are parts of them, and a product whose sum nobody has
// read.
//
// A kernel moves an operand twice, to a Mat tile and from there to Left or Right, and every move writes more than the
// first cache holds. Where the first move can foresee the second (the tile was the same operand's source before), TLOAD
// packs the elements for the matrix unit at once, TEXTRACT notes which part of them its tile means, and TMATMUL waits
// for the steps of K that follow. Nothing of this shows: all of it concerns memories of the core, and whatever else
// accesses such a tile gets its address from data(), which first puts the bytes where they belong. See
// held_operands.hpp.
#pragma once

#include <pto/common/type.hpp>
#include <pto/cpu/core/machine.hpp>

#if !defined(PTO_PORTABLE) && !defined(PTO_CHECKED) && !defined(__PTO_AUTO__) && defined(__AVX512F__) && \
    defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512VBMI__) && \
    defined(__AMX_TILE__) && defined(__AMX_INT8__) && defined(__AMX_BF16__)
#define PTO_CPU_HOLDS 1
#endif

namespace pto::cpu {

/// What a multiplication on the matrix unit works on, in bytes and in steps of 64 bytes of K.
struct TilePlan {
    char* c;
    int64_t c_panel;  // from one 32-row panel of C to the next
    const char* a;
    int64_t a_panel;  // from one 32-row panel of A to the next
    const char* b;
    int64_t b_panel;  // from one 32-column panel of B to the next
    int m;  // rows
    int n_panels;  // 32-column panels
    int k_steps;
    bool accumulate;
};

/// A Mat tile by its place: Nz fractals of `rows` x `cols` elements of `size` bytes.
struct MatShape {
    const char* tile;
    int rows, cols, size;
};

#if defined(PTO_CPU_HOLDS)

/// Whether anything is put off on this machine.
constexpr bool kHolds = true;

/// What is known of a Mat tile: which operand its parts became, and the slot that has its elements; -1: they are where
/// they belong.
struct HeldMat {
    MatShape shape{};
    bool right = false;
    int slot = -1;
    int loads_to_rest = 0;  // after a guess that was wrong
};

/// An operand that is a part of a slot. Left: `lines` rows; Right: `lines` columns.
struct HeldOperand {
    char* tile = nullptr;  // nullptr: none
    int64_t panel = 0;  // in the tile's own memory
    const char* from = nullptr;
    int64_t from_panel = 0;
    int lines = 0;
    int steps = 0;  // of 64 bytes of K
    int slot = -1;
    bool right = false;
};

/// A product that has not been computed; run is nullptr when there is none.
struct HeldProduct {
    TilePlan plan{};
    int a_slot = -1, b_slot = -1;
    void (*run)(const TilePlan&) = nullptr;
};

struct HeldState {
    // One for each memory: whether anything of it is elsewhere. What is, `settle` puts where it belongs.
    bool mat = false;
    bool operands = false;
    bool product = false;
    void (*settle)(TileType loc, const char* begin, const char* end) = nullptr;

    static constexpr int kMats = 8, kOperands = 4;
    HeldMat mats[kMats] = {};
    HeldOperand views[kOperands] = {};
    HeldProduct pending = {};
    int next_mat = 0;
};

PTO_CPU_OWN inline constinit thread_local HeldState thread_held{};

#else

constexpr bool kHolds = false;

/// Nothing is put off.
struct HeldState {
    static constexpr bool mat = false, operands = false, product = false;

    PTO_INLINE void settle(TileType, const char*, const char*) const {}
};
inline constexpr HeldState thread_held{};

#endif

/// Called before anybody accesses `bytes` bytes of a tile of a location, or what the matrix unit's order makes of them.
template <TileType Loc>
PTO_INLINE void settle([[maybe_unused]] const void* tile, [[maybe_unused]] size_t bytes)
{
    constexpr bool kOperand = Loc == TileType::Left || Loc == TileType::Right;
    if constexpr (Loc == TileType::Mat || kOperand || Loc == TileType::Acc) {
        const HeldState& held = thread_held;
        if (__builtin_expect(Loc == TileType::Mat ? held.mat : kOperand ? held.operands : held.product, 0)) {
            constexpr size_t kSpread = Loc == TileType::Mat ? 1 : 4;
            const char* begin = static_cast<const char*>(tile);
            held.settle(Loc, begin, begin + kSpread * bytes);
        }
    }
}

}  // namespace pto::cpu
