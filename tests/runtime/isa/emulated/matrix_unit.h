// The matrix unit of x86 (AMX-TILE, AMX-INT8, AMX-BF16) in software, behind the names of the compiler's intrinsics.
//
// Meaning and faults are those of LDTILECFG, TILERELEASE, TILELOADD, TILESTORED, TILEZERO, TDPBSSD and TDPBF16PS in Intel's
// manual (volume 2); what raises an exception there ends the program here, with a message. The system call that asks for
// the unit is answered here too: without it every instruction faults.
#pragma once

#include <immintrin.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace matrix_unit {

constexpr int kTiles = 8;
constexpr int kRows = 16;
constexpr int kRowBytes = 64;

struct Tile {
    int rows, row_bytes;  // 0: not configured
    alignas(64) uint8_t row[kRows][kRowBytes];
};

struct Unit {
    bool configured;
    Tile tile[kTiles];
};

/// What a thread's unit holds. The name is among those that the shared objects of a process share.
__attribute__((visibility("default"))) inline thread_local Unit thread_core_unit{};
__attribute__((visibility("default"))) inline bool thread_core_unit_granted = false;

/// Stands for the exception of an instruction.
inline void fault_if(bool wrong, const char* instruction, const char* reason)
{
    if (wrong) {
        std::fprintf(stderr, "AMX: %s: %s\n", instruction, reason);
        std::abort();
    }
}

/// syscall(): AMX is granted, unless the environment has MATRIX_UNIT_REFUSED. Other calls are the system's.
template <typename... Arguments>
inline long system_call(long number, Arguments... arguments)
{
    if (number != SYS_arch_prctl) {
        return ::syscall(number, arguments...);
    }
    constexpr long kRequestPermission = 0x1023, kTileData = 18;
    const long request[] = {(long)(arguments)...};
    const bool refused = std::getenv("MATRIX_UNIT_REFUSED") != nullptr;
    if (refused || request[0] != kRequestPermission || request[1] != kTileData) {
        return -1;
    }
    thread_core_unit_granted = true;
    return 0;
}

/// ldtilecfg: palette 1, eight tiles, which become zero.
inline void load_configuration(const void* memory)
{
    constexpr const char* kName = "LDTILECFG";
    uint8_t bytes[64];
    std::memcpy(bytes, memory, sizeof(bytes));
    fault_if(!thread_core_unit_granted, kName, "the system has not been asked for the unit");
    fault_if(bytes[0] != 1, kName, "the palette is not 1");
    fault_if(bytes[1] != 0, kName, "the first row is not 0");
    for (int i = 2; i < 16; ++i) {
        fault_if(bytes[i] != 0, kName, "a reserved byte is not 0");
    }
    Unit& unit = thread_core_unit;
    unit = {};
    for (int t = 0; t < 16; ++t) {
        const int row_bytes = bytes[16 + 2 * t] | bytes[17 + 2 * t] << 8;
        const int rows = bytes[48 + t];
        if (t >= kTiles) {
            fault_if(rows != 0 || row_bytes != 0, kName, "a tile that does not exist has a size");
            continue;
        }
        fault_if(rows > kRows, kName, "a tile has more than 16 rows");
        fault_if(row_bytes > kRowBytes, kName, "a row has more than 64 bytes");
        fault_if((rows == 0) != (row_bytes == 0), kName, "a tile has rows without bytes or bytes without rows");
        unit.tile[t].rows = rows;
        unit.tile[t].row_bytes = row_bytes;
    }
    unit.configured = true;
}

inline void release()
{
    fault_if(!thread_core_unit_granted, "TILERELEASE", "the system has not been asked for the unit");
    thread_core_unit = {};
}

inline Tile& usable(int number, const char* instruction)
{
    Unit& unit = thread_core_unit;
    fault_if(!unit.configured, instruction, "the unit is not configured");
    fault_if(number < 0 || number >= kTiles, instruction, "there is no such tile");
    fault_if(unit.tile[number].rows == 0, instruction, "the tile is not configured");
    return unit.tile[number];
}

inline void zero(int number)
{
    Tile& tile = usable(number, "TILEZERO");
    std::memset(tile.row, 0, sizeof(tile.row));
}

inline void load(int number, const void* base, int64_t stride)
{
    Tile& tile = usable(number, "TILELOADD");
    std::memset(tile.row, 0, sizeof(tile.row));
    for (int r = 0; r < tile.rows; ++r) {
        std::memcpy(tile.row[r], static_cast<const char*>(base) + r * stride, static_cast<size_t>(tile.row_bytes));
    }
}

inline void store(int number, void* base, int64_t stride)
{
    const Tile& tile = usable(number, "TILESTORED");
    for (int r = 0; r < tile.rows; ++r) {
        std::memcpy(static_cast<char*>(base) + r * stride, tile.row[r], static_cast<size_t>(tile.row_bytes));
    }
}

/// What the sizes of C += A B have to be, in rows and in groups of four bytes.
inline void check_product(int c, int a, int b, const char* instruction)
{
    const Tile& sums = usable(c, instruction);
    const Tile& left = usable(a, instruction);
    const Tile& right = usable(b, instruction);
    fault_if(c == a || c == b || a == b, instruction, "two operands are one tile");
    fault_if(
        sums.row_bytes % 4 != 0 || left.row_bytes % 4 != 0 || right.row_bytes % 4 != 0, instruction,
        "a row is no multiple of four bytes");
    fault_if(sums.rows != left.rows, instruction, "C and A differ in rows");
    fault_if(sums.row_bytes != right.row_bytes, instruction, "C and B differ in columns");
    fault_if(left.row_bytes / 4 != right.rows, instruction, "the columns of A are not the rows of B");
}

/// tdpbssd: four products of int8 a step, added to int32 without saturation.
inline void multiply_int8(int c, int a, int b)
{
    check_product(c, a, b, "TDPBSSD");
    Tile& sums = thread_core_unit.tile[c];
    const Tile &left = thread_core_unit.tile[a], &right = thread_core_unit.tile[b];
    for (int m = 0; m < sums.rows; ++m) {
        __m512i sum = _mm512_load_si512(sums.row[m]);
        for (int k = 0; k < right.rows; ++k) {
            const __m512i groups = _mm512_load_si512(right.row[k]);
            for (int i = 0; i < 4; ++i) {
                const unsigned to_the_top = static_cast<unsigned>(24 - 8 * i);
                const __m512i factor = _mm512_set1_epi32(static_cast<int8_t>(left.row[m][4 * k + i]));
                const __m512i bytes = _mm512_srai_epi32(_mm512_slli_epi32(groups, to_the_top), 24);
                sum = _mm512_add_epi32(sum, _mm512_mullo_epi32(factor, bytes));
            }
        }
        _mm512_store_si512(sums.row[m], sum);
    }
}

/// Denormals become zeros of their sign.
inline __m512 flushed(__m512 v)
{
    constexpr int kDenormal = 0x20;
    const __m512i sign = _mm512_set1_epi32(INT32_MIN);
    return _mm512_castsi512_ps(_mm512_mask_and_epi32(
        _mm512_castps_si512(v), _mm512_fpclass_ps_mask(v, kDenormal), _mm512_castps_si512(v), sign));
}

/// The lower and the upper bf16 number of each four bytes, as fp32.
inline __m512 lower(__m512i pairs) { return flushed(_mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16))); }
inline __m512 upper(__m512i pairs)
{
    return flushed(_mm512_castsi512_ps(_mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000U)))));
}

/// tdpbf16ps: the products of lower numbers are added up by fused multiply-adds along K, those of upper numbers too; the
/// sum of both is added to C. To nearest even, denormals zero on the way in and out.
inline void multiply_bf16(int c, int a, int b)
{
    check_product(c, a, b, "TDPBF16PS");
    Tile& sums = thread_core_unit.tile[c];
    const Tile &left = thread_core_unit.tile[a], &right = thread_core_unit.tile[b];
    for (int m = 0; m < sums.rows; ++m) {
        __m512 low = _mm512_setzero_ps(), high = _mm512_setzero_ps();
        for (int k = 0; k < right.rows; ++k) {
            int pair;
            std::memcpy(&pair, left.row[m] + 4 * k, 4);
            const __m512i factors = _mm512_set1_epi32(pair), pairs = _mm512_load_si512(right.row[k]);
            low = flushed(_mm512_fmadd_ps(lower(factors), lower(pairs), low));
            high = flushed(_mm512_fmadd_ps(upper(factors), upper(pairs), high));
        }
        const __m512 before = flushed(_mm512_load_ps(sums.row[m]));
        _mm512_store_ps(sums.row[m], flushed(_mm512_add_ps(before, flushed(_mm512_add_ps(low, high)))));
    }
}

}  // namespace matrix_unit

#define MATRIX_UNIT_IN_SOFTWARE 1

#undef _tile_loadd
#undef _tile_stream_loadd
#undef _tile_stored
#undef _tile_zero
#undef _tile_dpbssd
#undef _tile_dpbf16ps
#define _tile_loadconfig(memory) matrix_unit::load_configuration(memory)
#define _tile_release() matrix_unit::release()
#define _tile_loadd(tile, base, stride) matrix_unit::load(tile, base, stride)
#define _tile_stream_loadd(tile, base, stride) matrix_unit::load(tile, base, stride)
#define _tile_stored(tile, base, stride) matrix_unit::store(tile, base, stride)
#define _tile_zero(tile) matrix_unit::zero(tile)
#define _tile_dpbssd(c, a, b) matrix_unit::multiply_int8(c, a, b)
#define _tile_dpbf16ps(c, a, b) matrix_unit::multiply_bf16(c, a, b)
#define syscall(...) matrix_unit::system_call(__VA_ARGS__)
