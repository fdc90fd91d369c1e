#include "call.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "native/inline_chip.hpp"
#include "native/threaded_chip.hpp"

namespace pyptogen {
namespace {

using pto_rt::native::ChipShape;
using pto_rt::native::Entry;
using pto_rt::native::InlineChip;
using pto_rt::native::ThreadedChip;

constexpr int32_t kMostCores = 256;

thread_local char said[1024];

// What every processor of this machine can do and the system lets programs use.
std::set<std::string> features()
{
    std::ifstream file("/proc/cpuinfo");
    std::set<std::string> common;
    bool first = true;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("flags", 0) != 0) continue;
        std::istringstream words(line.substr(line.find(':') + 1));
        std::set<std::string> found, both;
        for (std::string word; words >> word;) {
            if (first || common.count(word) != 0) found.insert(word);
        }
        common.swap(found);
        first = false;
    }
    return common;
}

bool has(const std::set<std::string>& features, const char* needs)
{
    std::istringstream words(needs);
    for (std::string word; words >> word;) {
        if (features.count(word) == 0) return false;
    }
    return true;
}

// The folder of this library.
std::string own_folder()
{
    Dl_info info;
    if (dladdr(reinterpret_cast<void*>(&own_folder), &info) == 0 || info.dli_fname == nullptr) return ".";
    const std::string path = info.dli_fname;
    const size_t slash = path.rfind('/');
    return slash == std::string::npos ? "." : path.substr(0, slash);
}

struct Loaded {
    const Entry* entries = nullptr;
    const char* level = "";
    std::string why;
};

Loaded load(const char* library, std::initializer_list<Level> best_first)
{
    const std::set<std::string> here = features();
    const char* const wanted = std::getenv("PYPTOGEN_LEVEL");
    Loaded loaded;
    std::string tried;
    for (const Level& level : best_first) {
        if (wanted != nullptr && std::strcmp(wanted, level.name) != 0) continue;
        tried += tried.empty() ? level.name : std::string(", ") + level.name;
        if (!has(here, level.needs)) continue;
        const std::string path = own_folder() + "/lib" + library + "-" + level.name + ".so";
        if (access(path.c_str(), F_OK) != 0) continue;
        void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        void* const table = module == nullptr ? nullptr : dlsym(module, "pyptogen_entries");
        if (table == nullptr) {
            const char* const error = dlerror();
            loaded.why = error == nullptr ? path : error;
            continue;
        }
        loaded.entries = static_cast<const Entry*>(table);
        loaded.level = level.name;
        return loaded;
    }
    if (loaded.why.empty()) {
        loaded.why = tried.empty() ? "PYPTOGEN_LEVEL names no level of it"
                                   : "none of " + tried + " is both built and for this machine";
    }
    return loaded;
}

const Loaded* loaded_kernels = nullptr;

}  // namespace

const Entry* kernels(const char* library, std::initializer_list<Level> best_first)
{
    static const Loaded loaded = load(library, best_first);
    loaded_kernels = &loaded;
    if (loaded.entries == nullptr) failed(PYPTOGEN_UNAVAILABLE, "%s: no kernels: %s", library, loaded.why.c_str());
    return loaded.entries;
}

const char* level_name() { return loaded_kernels == nullptr ? "" : loaded_kernels->level; }

const char* message() { return said; }

int failed(int status, const char* format, ...)
{
    va_list rest;
    va_start(rest, format);
    std::vsnprintf(said, sizeof said, format, rest);
    va_end(rest);
    return status;
}

std::unique_ptr<Chip> make_chip(int32_t cores)
{
    if (cores == 0) {
        cpu_set_t set;
        cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                            : static_cast<int32_t>(sysconf(_SC_NPROCESSORS_ONLN));
        cores = cores < 1 ? 1 : cores > kMostCores ? kMostCores : cores;
    }
    if (cores < 0 || cores > kMostCores) {
        failed(PYPTOGEN_ARGUMENT, "%d threads: from 1 to %d, or 0 for all processors", cores, kMostCores);
        return nullptr;
    }
    try {
        if (cores == 1) return std::make_unique<InlineChip>();
        return std::make_unique<ThreadedChip>(ChipShape{cores, 0, 0, 0});
    } catch (const std::exception& error) {
        failed(PYPTOGEN_FAILED, "the system does not allow %d threads: %s", cores, error.what());
        return nullptr;
    }
}

Chip* shared_chip()
{
    // Never destroyed: at the end of the process other threads may be in a call.
    static std::mutex lock;
    static Chip* chip = nullptr;
    const std::lock_guard<std::mutex> guard(lock);
    if (chip == nullptr) chip = make_chip(0).release();
    return chip;
}

int64_t count_of(std::initializer_list<int64_t> sizes)
{
    int64_t count = 1;
    bool beyond = false;
    for (const int64_t size : sizes) {
        if (size <= 0) return 0;
        beyond = __builtin_mul_overflow(count, size, &count) || beyond;
    }
    return beyond ? INT64_MAX : count;
}

int64_t span_of(std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides)
{
    int64_t last = 0;
    const int64_t* stride = strides.begin();
    for (const int64_t size : sizes) {
        int64_t steps;
        if (size <= 0) return 0;
        if (__builtin_mul_overflow(size - 1, *stride++, &steps) || __builtin_add_overflow(last, steps, &last))
            return INT64_MAX;
    }
    return last == INT64_MAX ? last : last + 1;
}

int64_t packed_count(std::initializer_list<int64_t> sizes, int64_t element_bytes)
{
    const int64_t* const matrix = sizes.end() - 2;
    int64_t count = packed_bytes(matrix[0], matrix[1], element_bytes) / element_bytes;
    for (const int64_t* size = sizes.begin(); size != matrix; ++size) count = count_of({count, *size});
    return count;
}

void Call::size(const char* name, int64_t value, int64_t least, int64_t most, int64_t multiple)
{
    if (wrong() || (value >= least && value <= most && value % multiple == 0)) return;
    char also[48] = "";
    if (multiple > 1) std::snprintf(also, sizeof also, ", a multiple of %lld", static_cast<long long>(multiple));
    status_ = failed(
        PYPTOGEN_SIZE, "%s: %s is %lld, expected %lld to %lld%s", operator_, name, static_cast<long long>(value),
        static_cast<long long>(least), static_cast<long long>(most), also);
}

void Call::whole(const char* name, int64_t value, int64_t least, int64_t most)
{
    if (wrong() || (value >= least && value <= most)) return;
    status_ = failed(
        PYPTOGEN_ARGUMENT, "%s: %s is %lld, expected %lld to %lld", operator_, name, static_cast<long long>(value),
        static_cast<long long>(least), static_cast<long long>(most));
}

void Call::number(const char* name, double value, double beyond)
{
    if (wrong() || !std::isfinite(value) || std::fabs(value) < beyond) return;
    status_ = failed(PYPTOGEN_ARGUMENT, "%s: %s is %g, which its type rounds to infinity", operator_, name, value);
}

void Call::array(
    const char* name, const void* data, int64_t elements, int64_t element_bytes, int64_t alignment, bool written)
{
    if (wrong()) return;
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data);
    int64_t bytes;
    if (__builtin_mul_overflow(elements, element_bytes, &bytes) || begin + static_cast<uintptr_t>(bytes) < begin) {
        status_ = failed(PYPTOGEN_SIZE, "%s: %s would be larger than memory", operator_, name);
    } else if (bytes > 0 && data == nullptr) {
        status_ = failed(PYPTOGEN_ARGUMENT, "%s: %s is null", operator_, name);
    } else if (bytes > 0 && begin % static_cast<uintptr_t>(alignment) != 0) {
        status_ = failed(
            PYPTOGEN_ARGUMENT, "%s: %s is not aligned to %lld bytes", operator_, name,
            static_cast<long long>(alignment));
    } else if (bytes > 0) {
        try {
            ranges_.push_back({name, begin, begin + static_cast<uintptr_t>(bytes), written});
        } catch (const std::exception&) {
            status_ = failed(PYPTOGEN_FAILED, "%s: out of memory", operator_);
        }
    }
}

void Call::holds(bool condition, const char* text)
{
    if (wrong() || condition) return;
    status_ = failed(PYPTOGEN_PRECONDITION, "%s: `%s` does not hold", operator_, text);
}

bool Call::overlapping()
{
    for (const Range& one : ranges_) {
        if (!one.written) continue;
        for (const Range& other : ranges_) {
            if (&one == &other || one.begin >= other.end || other.begin >= one.end) continue;
            status_ = failed(
                PYPTOGEN_OVERLAP, "%s: %s is written and shares memory with %s", operator_, one.name, other.name);
            return true;
        }
    }
    return false;
}

int Call::run(Chip* chip, Entry entry, pto_rt::native::Policy policy, const void* args)
{
    if (wrong() || overlapping()) return status_;
    if (chip == nullptr) chip = shared_chip();
    if (chip == nullptr) return PYPTOGEN_FAILED;
    try {
        const std::lock_guard<std::mutex> guard(chip->lock());
        (void)chip->run(entry, args, {policy, false});
        if (chip->error().empty()) return PYPTOGEN_OK;
        long long index, size;
        int site;
        const char* const error = chip->error().c_str();
        if (std::sscanf(error, "wrong index: %lld of %lld, site %d", &index, &size, &site) == 3) {
            return failed(
                PYPTOGEN_INDEX, "%s: an index is %lld, and the axis has %lld elements", operator_, index, size);
        }
        return failed(PYPTOGEN_FAILED, "%s: %s", operator_, error);
    } catch (const std::exception& error) {
        return failed(PYPTOGEN_FAILED, "%s: %s", operator_, error.what());
    }
}

}  // namespace pyptogen
