// What the test programs of a package share: arrays from files, on the device and back, and elements beside the golden.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <acl/acl.h>

namespace pyptogen {

inline void must(int status, const char *what)
{
    if (status == 0) return;
    std::fprintf(stderr, "%s: %d\n", what, status);
    std::exit(2);
}

inline std::vector<char> file(const std::string &path)
{
    std::ifstream from(path, std::ios::binary);
    if (!from) {
        std::fprintf(stderr, "no file %s: run the program in the package's folder\n", path.c_str());
        std::exit(2);
    }
    return {std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
}

// An array in the device's memory, as long as it lives.
class Array {
public:
    explicit Array(size_t bytes) : bytes_(bytes)
    {
        must(aclrtMalloc(&memory_, bytes > 0 ? bytes : 1, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    }
    explicit Array(const std::vector<char> &from) : Array(from.size())
    {
        must(aclrtMemcpy(memory_, bytes_, from.data(), bytes_, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    ~Array() { aclrtFree(memory_); }

    template <class T>
    T *as() const
    {
        return static_cast<T *>(memory_);
    }
    std::vector<char> read() const
    {
        std::vector<char> to(bytes_);
        must(aclrtMemcpy(to.data(), bytes_, memory_, bytes_, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
        return to;
    }

private:
    void *memory_ = nullptr;
    size_t bytes_;
};

template <class T>
T loaded(const char *at)
{
    T value;
    std::memcpy(&value, at, sizeof(value));
    return value;
}

inline double from_bf16(const char *at)
{
    const uint32_t bits = static_cast<uint32_t>(loaded<uint16_t>(at)) << 16;
    return loaded<float>(reinterpret_cast<const char *>(&bits));
}

inline double from_fp16(const char *at)
{
    const uint16_t bits = loaded<uint16_t>(at);
    const int exponent = bits >> 10 & 31, digits = bits & 1023;
    const double sign = bits >> 15 ? -1.0 : 1.0;
    if (exponent == 31) return digits ? NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024 + digits, exponent - 25) : std::ldexp(digits, -24));
}

// An element of a dtype. Floats of eight bits and fewer are looked up: `table` has the number of each code.
inline double number(const std::string &dtype, const char *at, const std::vector<char> &table)
{
    if (!table.empty()) return loaded<float>(&table[sizeof(float) * static_cast<unsigned char>(*at)]);
    if (dtype == "fp32") return loaded<float>(at);
    if (dtype == "bf16") return from_bf16(at);
    if (dtype == "fp16") return from_fp16(at);
    if (dtype == "int8") return loaded<int8_t>(at);
    if (dtype == "uint8" || dtype == "bool") return loaded<uint8_t>(at);
    if (dtype == "int16") return loaded<int16_t>(at);
    if (dtype == "uint16") return loaded<uint16_t>(at);
    if (dtype == "int32") return loaded<int32_t>(at);
    if (dtype == "uint32") return loaded<uint32_t>(at);
    return static_cast<double>(loaded<int64_t>(at));
}

// Compares an output with the golden, element by element. `allowed` has the greatest difference of each (float), `beyond`
// is how many elements may differ by more. NaN never passes.
inline bool agrees(const std::string &name, const std::string &dtype, size_t size, const std::vector<char> &got,
                   const std::vector<char> &golden, const std::vector<char> &allowed, const std::vector<char> &table,
                   size_t beyond)
{
    const size_t count = golden.size() / size;
    if (got.size() != golden.size() || allowed.size() != count * sizeof(float)) {
        std::printf("%s: %zu bytes, expected %zu\n", name.c_str(), got.size(), golden.size());
        return false;
    }
    size_t outside = 0;
    for (size_t i = 0; i < count; ++i) {
        const double a = number(dtype, &got[i * size], table), b = number(dtype, &golden[i * size], table);
        const double limit = loaded<float>(&allowed[i * sizeof(float)]);
        if (a == b || std::fabs(a - b) <= limit) continue;
        if (outside++ < 5) std::printf("%s[%zu]: %.9g for %.9g, allowed %.3g\n", name.c_str(), i, a, b, limit);
        if (std::isnan(a)) outside += count;
    }
    std::printf("%s: %s, %zu of %zu elements outside\n", name.c_str(), outside <= beyond ? "agrees" : "differs",
                outside < count ? outside : count, count);
    return outside <= beyond;
}

}  // namespace pyptogen
