// Runs rms_norm of a folder of binaries as Python would, for a machine where there is no Python: reads x[rows, cols] and
// gamma[cols] from a file, and writes y behind them.
//
//   foreign SCHEDULER OPERATOR FILE ROWS COLS
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <dlfcn.h>

#include "chip_call.hpp"

namespace {

struct RmsNormArgs {
    const float *x, *gamma;
    float *y;
    int64_t rows;
    double eps;
};

template <class Function>
Function symbol(const char *path, const char *name)
{
    void *const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *const found = library == nullptr ? nullptr : dlsym(library, name);
    if (found == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    return reinterpret_cast<Function>(found);
}

}  // namespace

int main(int, char **argv)
{
    const auto create = symbol<pto_rt::native::Chip *(*)(int, int, int, uint32_t)>(argv[1], "pto_chip_create");
    const auto run = symbol<int (*)(pto_rt::native::Chip *, pto_chip_call *)>(argv[1], "pto_chip_run");
    const int64_t rows = std::atoll(argv[4]);
    const size_t cols = static_cast<size_t>(std::atoll(argv[5])), count = static_cast<size_t>(rows) * cols;
    std::vector<float> x(count), gamma(cols), y(count);
    std::FILE *const file = std::fopen(argv[3], "r+b");
    if (file == nullptr || std::fread(x.data(), 4, count, file) != count || std::fread(gamma.data(), 4, cols, file) != cols) return 2;

    const RmsNormArgs args{x.data(), gamma.data(), y.data(), rows, 1e-6};
    char message[256] = "";
    pto_chip_call call{};
    call.entry = symbol<pto_rt::native::Entry>(argv[2], "rms_norm_cpu");
    call.args = &args;
    call.message = message;
    call.message_bytes = sizeof message;
    call.log_file = -1;
    if (run(create(2, 0, 0, 0), &call) != 0) {
        std::fprintf(stderr, "%s\n", message);
        return 3;
    }
    if (std::fseek(file, 0, SEEK_END) != 0 || std::fwrite(y.data(), 4, count, file) != count) return 4;
    return std::fclose(file);
}
