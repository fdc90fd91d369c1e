// Classifies rows: normalises them, scores each for every class, and turns scores into probabilities.
//
//   classify [FILE]     prints the best class of each row; writes all probabilities, fp32[rows, classes], to FILE
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

#include <model/wrapper.hpp>

namespace {

constexpr int64_t kRows = 37, kWidth = 512, kClasses = 1000;

// Numbers from -1 to 1 that anybody can make again: multiples of 1/512.
std::vector<float> numbers(int64_t count, uint32_t seed)
{
    std::vector<float> made(static_cast<size_t>(count));
    for (float &one : made) {
        seed = seed * 1664525u + 1013904223u;
        one = static_cast<float>(seed >> 22) / 512.0f - 1.0f;
    }
    return made;
}

bool went_well(const model::Status &status)
{
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.message().c_str());
    return status.ok();
}

}  // namespace

int main(int argc, char **argv)
{
    const model::Context context(2);  // two threads, the caller's among them
    if (!went_well(context.status())) return 1;

    std::vector<float> rows = numbers(kRows * kWidth, 1), gain = numbers(kWidth, 2), bias = numbers(kClasses, 4);
    const std::vector<float> plain = numbers(kWidth * kClasses, 3);
    const model::PackedWeights<float, 2> weights{model::Tensor<const float, 2>(plain.data(), {kWidth, kClasses})};

    std::vector<float> normal(rows.size()), scores(kRows * kClasses), probabilities(scores.size());
    const model::Tensor<float, 2> x(rows.data(), {kRows, kWidth}), y(normal.data(), {kRows, kWidth});
    const model::Tensor<float, 2> s(scores.data(), {kRows, kClasses}), p(probabilities.data(), {kRows, kClasses});
    const bool right = went_well(model::norm(context, x, gain, y)) &&
                       went_well(model::linear(context, y, weights, bias, s)) &&
                       went_well(model::softmax(context, s, p));
    if (!right) return 1;

    for (int64_t row = 0; row < kRows; ++row) {
        const float *const first = &probabilities[static_cast<size_t>(row * kClasses)];
        const float *const best = std::max_element(first, first + kClasses);
        std::printf("row %lld: class %lld, %.3f\n", static_cast<long long>(row), static_cast<long long>(best - first), *best);
    }
    if (argc > 1) {
        std::FILE *const file = std::fopen(argv[1], "wb");
        const bool written = file != nullptr && std::fwrite(probabilities.data(), sizeof(float), probabilities.size(), file) ==
                                                    probabilities.size();
        if (file == nullptr || std::fclose(file) != 0 || !written) {
            std::fprintf(stderr, "cannot write %s\n", argv[1]);
            return 1;
        }
    }
    return 0;
}
