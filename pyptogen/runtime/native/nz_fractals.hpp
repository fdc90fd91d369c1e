// Matrices in fractals, the layout `nz` (`layout/packing.py`): panels of columns, each of fractals one below the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace pto_rt::native {

// A fractal has `deep` rows and `wide` columns. It holds `lanes` columns after `lanes` columns, each row after row,
// where `group` rows of a column lie next to each other. Rows and columns that fill no fractal are followed by zeros.
struct Fractals {
    int64_t matrices, rows, columns, deep, wide, lanes, group, itemsize;

    // As `layout/packing.py` writes one; moves on behind it.
    static Fractals read(const int64_t*& numbers)
    {
        Fractals fractals{};
        for (int64_t* one :
             {&fractals.matrices, &fractals.rows, &fractals.columns, &fractals.deep, &fractals.wide, &fractals.lanes,
              &fractals.group, &fractals.itemsize}) {
            *one = *numbers++;
        }
        return fractals;
    }

    int64_t bytes() const { return matrices * panels() * panel_bytes(); }

    // Zeros in all fractals that the matrices do not fill.
    void clear_unfilled(char* data) const
    {
        const int64_t fractal = deep * wide * itemsize, panel = panel_bytes();
        if (rows % deep != 0) {
            for (int64_t i = 1; i <= matrices * panels(); ++i)
                std::memset(data + i * panel - fractal, 0, bytes_of(fractal));
        }
        if (columns % wide != 0) {
            for (int64_t i = 1; i <= matrices; ++i) std::memset(data + (i * panels() - 1) * panel, 0, bytes_of(panel));
        }
    }

    // The plain matrices, rows one after the other.
    void unpack(const char* data, char* plain) const
    {
        switch (itemsize) {
            case 1: return unpack_as<uint8_t>(data, plain);
            case 2: return unpack_as<uint16_t>(data, plain);
            default: return unpack_as<uint32_t>(data, plain);
        }
    }

private:
    static constexpr int64_t kLanes = 16;

    static size_t bytes_of(int64_t count) { return static_cast<size_t>(count); }
    int64_t panels() const { return (columns + wide - 1) / wide; }
    int64_t panel_bytes() const { return (rows + deep - 1) / deep * deep * wide * itemsize; }

    template <class Element>
    void unpack_as(const char* data, char* plain) const
    {
        const auto* from = reinterpret_cast<const Element*>(data);
        auto* matrix = reinterpret_cast<Element*>(plain);
        for (int64_t i = 0; i < matrices; ++i, matrix += rows * columns) {
            for (int64_t left = 0; left < columns; left += wide) {
                for (int64_t top = 0; top < rows; top += deep, from += deep * wide)
                    unpack_fractal(from, matrix, top, left);
            }
        }
    }

    template <class Element>
    void unpack_fractal(const Element* fractal, Element* matrix, int64_t top, int64_t left) const
    {
        const int64_t height = std::min(deep, rows - top), right = std::min(left + wide, columns);
        for (int64_t first = left; first < right; first += lanes, fractal += deep * lanes) {
            const int64_t width = std::min(lanes, right - first);
            for (int64_t row = 0; row < height; ++row) {
                const Element* from = fractal + row / group * group * lanes + row % group;
                Element* to = matrix + (top + row) * columns + first;
                if (width == kLanes && group * itemsize == 4) {  // of a length that a compiler sees
                    for (int64_t lane = 0; lane < kLanes; ++lane) to[lane] = from[lane * (4 / int64_t{sizeof *to})];
                } else {
                    for (int64_t lane = 0; lane < width; ++lane) to[lane] = from[lane * group];
                }
            }
        }
    }
};

}  // namespace pto_rt::native
