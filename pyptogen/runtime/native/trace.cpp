#include "trace.hpp"

#include <cstdio>
#include <unordered_map>

namespace pto_rt::native {

namespace {

const char* name_of(Core core) { return core == Core::Cube ? "cube" : core == Core::Vector ? "vector" : "mixed"; }

const char* name_of(Reason reason)
{
    switch (reason) {
        case Reason::After: return "after";
        case Reason::ReadAfterWrite: return "read after write";
        case Reason::WriteAfterWrite: return "write after write";
        default: return "write after read";
    }
}

const char* name_of(const Use& use)
{
    return use.mode == Mode::Input ? "input" : use.mode == Mode::Output ? "output" : "inout";
}

std::string quoted(const char* text)
{
    std::string result = "\"";
    for (; *text != '\0'; ++text) {
        const auto c = static_cast<unsigned char>(*text);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += *text;
        } else if (c < 0x20) {
            char escape[8];
            std::snprintf(escape, sizeof(escape), "\\u%04x", c);
            result += escape;
        } else {
            result += *text;
        }
    }
    return result + '"';
}

// A file of JSON values, with the commas where they belong.
class JsonFile {
public:
    explicit JsonFile(const char* path) : file_(std::fopen(path, "w")) {}
    JsonFile(const JsonFile&) = delete;
    JsonFile& operator=(const JsonFile&) = delete;
    ~JsonFile()
    {
        if (file_ != nullptr) std::fclose(file_);
    }

    explicit operator bool() const { return file_ != nullptr; }

    void begin(const char* text)
    {
        std::fputs(text, file_);
        first_ = true;
    }

    template <class... Values>
    void item(const char* format, Values... values)
    {
        std::fputs(first_ ? "\n" : ",\n", file_);
        first_ = false;
        std::fprintf(file_, format, values...);
    }

    bool close()
    {
        const bool written = std::ferror(file_) == 0;
        const bool closed = std::fclose(file_) == 0;
        file_ = nullptr;
        return written && closed;
    }

private:
    std::FILE* file_;
    bool first_ = true;
};

void write_sizes(std::string& text, const char* key, const uint64_t* sizes, uint32_t rank)
{
    text += std::string(", \"") + key + "\": [";
    for (uint32_t axis = 0; axis < rank; ++axis) text += (axis > 0 ? ", " : "") + std::to_string(sizes[axis]);
    text += ']';
}

// The Chrome format of one run: a track per core, one for the orchestrator.
class ChromeWriter {
public:
    ChromeWriter(JsonFile& file, int64_t pid) : file_(file), pid_(static_cast<long long>(pid)) {}

    void track(int tid, const char* name)
    {
        file_.item(R"({"ph": "M", "name": "thread_name", "pid": %lld, "tid": %d, "args": {"name": %s}})", pid_, tid,
                   quoted(name).c_str());
    }

    void counter(const std::string& name, double at, uint32_t value)
    {
        file_.item(R"({"ph": "C", "name": %s, "pid": %lld, "ts": %.3f, "args": {"launches": %u}})", name.c_str(), pid_,
                   at, value);
    }

    void submitted(uint32_t id, const char* name, uint32_t blocks, int32_t priority, int tid, double at)
    {
        file_.item(R"({"ph": "i", "s": "t", "name": %s, "cat": "submit", "pid": %lld, "tid": %d, "ts": %.3f, )"
                   R"("args": {"task": %u, "blocks": %u, "priority": %d}})",
                   quoted(name).c_str(), pid_, tid, at, id, blocks, priority);
    }

    void span(const Span& span, const char* name, const char* kind, int tid, double begin, double end)
    {
        file_.item(R"({"ph": "X", "name": %s, "cat": "%s", "pid": %lld, "tid": %d, "ts": %.3f, "dur": %.3f, )"
                   R"("args": {"task": %u, "first block": %u, "blocks": %u}})",
                   quoted(name).c_str(), kind, pid_, tid, begin, end - begin, span.id, span.first_block, span.blocks);
    }

    void flow(char phase, const char* name, size_t id, int tid, double at)
    {
        file_.item(R"({"ph": "%c", %s"name": "%s", "cat": "dependency", "id": %zu, "pid": %lld, "tid": %d, "ts": %.3f})",
                   phase, phase == 'f' ? "\"bp\": \"e\", " : "", name, id, pid_, tid, at);
    }

private:
    JsonFile& file_;
    const long long pid_;
};

// When and where a task ran: its first and its last span.
struct Shown {
    double first_begin = 0;
    double last_end = 0;
    int first_tid = 0;
    int last_tid = 0;

    void add(int tid, double begin, double end)
    {
        if (last_end == 0 || begin < first_begin) first_begin = begin, first_tid = tid;
        if (end > last_end) last_end = end, last_tid = tid;
    }
};

}  // namespace

void Trace::begin(const std::vector<std::string>& cores)
{
    cores_.resize(cores.size());
    for (size_t i = 0; i < cores.size(); ++i) {
        if (!cores_[i]) cores_[i] = std::make_unique<CoreLog>();
        cores_[i]->name = cores[i];
        cores_[i]->spans.clear();
    }
    tasks_.clear();
    links_.clear();
    arguments_.clear();
    start_ = std::chrono::steady_clock::now();
    start_ticks_ = ticks();
}

void Trace::end()
{
    end_ticks_ = ticks();
    end_ = std::chrono::steady_clock::now();
}

void Trace::submitted(uint32_t id, const LaunchRequest& request, const std::vector<Dependency>& dependencies,
                      uint32_t in_flight)
{
    tasks_.push({ticks(), request.name, id, request.blocks, request.priority, in_flight, request.core});
    for (const Dependency& dependency : dependencies) links_.push({dependency.id, id, dependency.reason});
    for (size_t i = 0; i < request.use_count; ++i) arguments_.push({id, request.uses[i]});
}

// Since the steady clock's own start, so that the traces of one machine's processes fit together.
double Trace::microseconds(uint64_t at) const
{
    using Micro = std::chrono::duration<double, std::micro>;
    const double begin = Micro(start_.time_since_epoch()).count();
    const uint64_t length = end_ticks_ - start_ticks_;
    if (length == 0) return begin;
    const double scale = Micro(end_ - start_).count() / static_cast<double>(length);
    return begin + static_cast<double>(static_cast<int64_t>(at - start_ticks_)) * scale;
}

bool Trace::write_trace(const char* path, const char* process, int64_t pid) const
{
    JsonFile file(path);
    if (!file) return false;
    ChromeWriter writer(file, pid);
    const int orchestrator = static_cast<int>(cores_.size());
    file.begin("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    file.item(R"({"ph": "M", "name": "process_name", "pid": %lld, "args": {"name": %s}})", static_cast<long long>(pid),
              quoted(process).c_str());
    for (int tid = 0; tid < orchestrator; ++tid) writer.track(tid, cores_[static_cast<size_t>(tid)]->name.c_str());
    writer.track(orchestrator, "orchestrator");
    // Ids are given in order, from 1.
    std::vector<Shown> shown(tasks_.size() + 1);
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const Task& task = tasks_[i];
        const double at = microseconds(task.at);
        writer.submitted(task.id, task.name, task.blocks, task.priority, orchestrator, at);
        writer.counter("\"launches in flight\"", at, task.in_flight);
    }
    for (int tid = 0; tid < orchestrator; ++tid) {
        const CoreLog& core = *cores_[static_cast<size_t>(tid)];
        const std::string counter = quoted(("ready, " + core.name).c_str());
        uint32_t depth = UINT32_MAX;
        for (size_t i = 0; i < core.spans.size(); ++i) {
            const Span& span = core.spans[i];
            const double begin = microseconds(span.begin);
            const double end = microseconds(span.end);
            const Task& task = tasks_[span.id - 1];
            writer.span(span, task.name, name_of(task.core), tid, begin, end);
            if (span.ready != depth) writer.counter(counter, begin, depth = span.ready);
            shown[span.id].add(tid, begin, end);
        }
    }
    for (size_t i = 0; i < links_.size(); ++i) {
        const Shown& from = shown[links_[i].from];
        const Shown& to = shown[links_[i].to];
        if (from.last_end == 0 || to.last_end == 0) continue;
        writer.flow('s', name_of(links_[i].reason), i, from.last_tid, from.last_end);
        writer.flow('f', name_of(links_[i].reason), i, to.first_tid, to.first_begin);
    }
    file.begin("\n]}\n");
    return file.close();
}

bool Trace::write_graph(const char* path) const
{
    JsonFile file(path);
    if (!file) return false;
    file.begin("{\"tasks\": [");
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const Task& task = tasks_[i];
        file.item(R"({"id": %u, "name": %s, "core": "%s", "blocks": %u, "priority": %d})", task.id,
                  quoted(task.name).c_str(), name_of(task.core), task.blocks, task.priority);
    }
    // Tensors are numbered in the order of their first use.
    std::unordered_map<uintptr_t, size_t> numbers;
    file.begin("\n], \"tensors\": [");
    for (size_t i = 0; i < arguments_.size(); ++i) {
        const Tensor& tensor = arguments_[i].use.tensor;
        if (!numbers.emplace(reinterpret_cast<uintptr_t>(tensor.data), numbers.size()).second) continue;
        std::string sizes;
        write_sizes(sizes, "shape", tensor.shape, tensor.rank);
        file.item(R"({"id": %zu, "element bytes": %u%s})", numbers.size() - 1, tensor.element_bytes, sizes.c_str());
    }
    file.begin("\n], \"uses\": [");
    for (size_t i = 0; i < arguments_.size(); ++i) {
        const Use& use = arguments_[i].use;
        std::string sizes;
        write_sizes(sizes, "offset", use.tensor.offset, use.tensor.rank);
        write_sizes(sizes, "extent", use.tensor.extent, use.tensor.rank);
        file.item(R"({"task": %u, "tensor": %zu, "mode": "%s", "tracked": %s%s})", arguments_[i].task,
                  numbers[reinterpret_cast<uintptr_t>(use.tensor.data)], name_of(use), use.tracked ? "true" : "false",
                  sizes.c_str());
    }
    file.begin("\n], \"edges\": [");
    for (size_t i = 0; i < links_.size(); ++i) {
        file.item(R"({"from": %u, "to": %u, "reason": "%s"})", links_[i].from, links_[i].to, name_of(links_[i].reason));
    }
    file.begin("\n]}\n");
    return file.close();
}

}  // namespace pto_rt::native
