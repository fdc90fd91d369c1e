// SET_QUANT_SCALAR and SET_QUANT_VECTOR: the quantisation words that the fixpipe uses where an instruction names none.
#pragma once

#include <pto/common/event.hpp>
#include <pto/common/pto_tile.hpp>
#include <pto/cpu/isa/operands.hpp>

namespace pto {

namespace cpu {

/// The word of SET_QUANT_SCALAR; 1.0 when none was set.
PTO_INLINE uint64_t quantisation_word()
{
    constexpr uint64_t kOne = 0x3f800000U;  // 1.0f
    const uint64_t word = core_state().quant_word;
    return word != 0 ? word : kOne;
}

/// The words of SET_QUANT_VECTOR, one per column. Ends the process when none were set.
inline const uint64_t* quantisation_words()
{
    const uint64_t* words = core_state().quant_words;
    if (words == nullptr) {
        abort();
    }
    return words;
}

}  // namespace cpu

/// One factor for all columns; OutType int8_t makes 8-bit results signed.
template <typename OutType = float, typename... Events>
inline RecordEvent SET_QUANT_SCALAR(float preQuantScalar, const Events&... events)
{
    TSYNC(events...);
    constexpr bool kSigned = sizeof(OutType) == 1 && OutType(-1) < OutType(0);
    cpu::core_state().quant_word = __builtin_bit_cast(uint32_t, preQuantScalar) | uint64_t(kSigned) << 46;
    return {};
}

/// One quantisation word (uint64) per column, in a Scaling tile; the tile must stay as it is while it is used.
template <typename FpTileData, typename... Events>
inline RecordEvent SET_QUANT_VECTOR(FpTileData& fpTile, const Events&... events)
{
    TSYNC(events...);
    PTO_OPERANDS(SET_QUANT_VECTOR, fpTile);
    cpu::core_state().quant_words = reinterpret_cast<const uint64_t*>(fpTile.data());
    return {};
}

}  // namespace pto
