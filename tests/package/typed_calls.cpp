// Typed calls of the library `model` that `test_cmake_package.py` builds: what each says is printed.
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include <model/wrapper.hpp>

int main()
{
    using pyptogen::bf16;
    using pyptogen::fp16;
    using Plane = model::Tensor<float, 2>;
    std::vector<float> x(2 * 1000), y(2 * 1000);
    const Plane rows_of_x(x.data(), {2, 1000}), rows_of_y(y.data(), {2, 1000});
    model::Status status = model::softmax(rows_of_x, Plane(y.data(), {1, 1000}));
    std::printf("%d %s\n", status.code(), status.message().c_str());
    status = model::softmax(Plane(x.data(), {2, 1000}, {1, 2}), rows_of_y);
    std::printf("%d %s\n", status.code(), status.message().c_str());
    status = model::softmax(rows_of_x, rows_of_x);
    std::printf("%d %s\n", status.code(), status.message().c_str());
    status = model::softmax(model::Context(1000), rows_of_x, rows_of_y);
    std::printf("%d %s\n", status.code(), status.message().c_str());
    try {
        status.or_throw();
    } catch (const std::runtime_error &error) {
        std::printf("%s\n", error.what());
    }
    model::Context one(1);
    model::Context other = std::move(one);
    std::array<bf16, 64> cache{};
    const std::array<int32_t, 1> slot{1};
    std::vector<float> rows(32, 1.00390625f);  // halfway between two numbers of bf16
    status = model::put(other, model::Tensor<bf16, 2>(cache.data(), {2, 32}), slot, Plane(rows.data(), {1, 32}), 3.0);
    std::printf("%d %g %g\n", status.code(), static_cast<float>(cache[31]), static_cast<float>(cache[32]));
    static_assert(!std::is_convertible_v<model::Tensor<const float, 2>, model::Tensor<float, 2>>);
    static_assert(!std::is_convertible_v<model::Tensor<float, 2>, model::Tensor<const bf16, 2>>);
    for (uint32_t bits = 0; bits < 65536; ++bits) {  // each number of 16 bits comes back, but for what NaN carries
        fp16 half;
        bf16 brain;
        half.bits = brain.bits = static_cast<uint16_t>(bits);
        const float a = static_cast<float>(half), b = static_cast<float>(brain);
        assert(std::isnan(a) ? (fp16(a).bits & 0x7c00) == 0x7c00 : fp16(a).bits == bits);
        assert(std::isnan(b) ? (bf16(b).bits & 0x7f80) == 0x7f80 : bf16(b).bits == bits);
    }
    std::FILE *const file = std::fopen("halves.bin", "rb");
    float value;
    uint16_t wanted[2];
    size_t count = 0;
    while (std::fread(&value, 4, 1, file) == 1 && std::fread(wanted, 4, 1, file) == 1) {
        assert(fp16(value).bits == wanted[0]);
        assert(bf16(value).bits == wanted[1]);
        ++count;
    }
    std::fclose(file);
    std::printf("%zu\n", count);
}
