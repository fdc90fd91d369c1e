// The vocabulary of the fifos between a cube core and its vector cores.
#pragma once

#include <pto/common/type.hpp>

namespace pto {

/// How a tile is shared by the two vector cores of a block. The odd forms give core 0 the larger part.
enum TileSplitAxis : uint8_t {
    TILE_NO_SPLIT = 0,
    TILE_UP_DOWN = 1,
    TILE_LEFT_RIGHT = 2,
    TILE_UP_DOWN_ODD = 3,
    TILE_LEFT_RIGHT_ODD = 4,
};

enum Direction : uint8_t {
    UNDEFINED = 0,
    DIR_C2V = 1,
    DIR_V2C = 2,
    DIR_BOTH = DIR_C2V | DIR_V2C,
    DIR_V2C_CTRL = 4,
    DIR_C2V_GM = 5,  // as A5 calls a fifo in global memory, where the plain words name one on chip
    DIR_V2C_GM = 6,
    DIR_BOTH_GM = DIR_C2V_GM | DIR_V2C_GM,
};

enum class FIFOType : uint8_t { GM_FIFO = 0, VEC_FIFO = 1, MAT_FIFO = 2, CTRL_FIFO = 3 };

enum class VecCubeRatio : uint8_t { V1C1_VEC0 = 0, V1C1_VEC1 = 1, V2C1_VECS = 2 };

/// Where a TPipe keeps its slots: a fifo in global memory (or null), and the consumers' memory from a byte offset on.
template <int SlotSize, int SlotNum, int LocalSlotNum>
struct RingFIFO {
    __gm__ void* GM_SLOT_BUFFER = nullptr;
    uint32_t C2V_CONSUMER_BUF = 0;
    uint32_t V2C_CONSUMER_BUF = 0;
    uint64_t CTRL_SLOT_BUFFER = 0;
    bool ctrlSignal = false;
    static constexpr uint32_t SLOT_SIZE = SlotSize;
    static constexpr uint32_t SLOT_NUM = SlotNum;
    static constexpr uint32_t LOCAL_SLOT_NUM = LocalSlotNum;

    PTO_INLINE RingFIFO(__gm__ void* gm, uint32_t c2v, uint32_t v2c)
        : GM_SLOT_BUFFER(gm), C2V_CONSUMER_BUF(c2v), V2C_CONSUMER_BUF(v2c)
    {
    }
};

/// A fifo of `Depth` tiles of DataType in global memory, with `LocalDepth` tiles in the consumer's own memory.
template <typename DataType, FIFOType FifoType, int Depth, int Period, int LocalDepth = 0>
struct DataFIFO {
    using DType = DataType;
    static constexpr int fifoDepth = Depth;
    static constexpr int fifoPeriod = Period;
    static constexpr FIFOType fifoType = FifoType;
    static constexpr int localFiFoDepth = LocalDepth;
    static constexpr bool useLocalFiFo = LocalDepth > 0;

    __gm__ DataType* fifoBase = nullptr;
    uint32_t localFiFoBase = 0;

    PTO_INLINE DataFIFO(__gm__ DataType* base, uint32_t local = 0) : fifoBase(base), localFiFoBase(local) {}
    PTO_INLINE __gm__ DataType* getBasePtr() { return fifoBase; }
};

/// A fifo in a core's own memory, by byte offset, or of control signals.
template <typename DataType, FIFOType FifoType, int Depth, int Period, int LocalDepth>
    requires(FifoType != FIFOType::GM_FIFO)
struct DataFIFO<DataType, FifoType, Depth, Period, LocalDepth> {
    using DType = DataType;
    static constexpr int fifoDepth = Depth;
    static constexpr int fifoPeriod = Period;
    static constexpr FIFOType fifoType = FifoType;

    bool ctrlSignal = false;
    uint32_t fifoBase = 0;

    PTO_INLINE DataFIFO(uint32_t base) : fifoBase(base) {}
};

}  // namespace pto
