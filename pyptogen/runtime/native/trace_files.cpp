// The files of a trace: the Chrome format, and the graph.
#include <unordered_map>

#include "json_file.hpp"
#include "trace.hpp"

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

void write_sizes(std::string& text, const char* key, const uint64_t* sizes, uint32_t rank)
{
    text += std::string(", \"") + key + "\": [";
    for (uint32_t axis = 0; axis < rank; ++axis) text += (axis > 0 ? ", " : "") + std::to_string(sizes[axis]);
    text += ']';
}

// Microseconds in two whole numbers, which printf writes several times faster than a double. A time that cannot be,
// because a log is damaged, becomes 0.
struct Stamp {
    explicit Stamp(double microseconds)
        : thousandths(microseconds > 0 && microseconds < 1e15 ? static_cast<long long>(microseconds * 1e3 + 0.5) : 0)
    {
    }
    long long whole() const { return thousandths / 1000; }
    int rest() const { return static_cast<int>(thousandths % 1000); }

    long long thousandths;
};

// The Chrome format of one run: a track per core, one for the orchestrator.
class ChromeWriter {
public:
    ChromeWriter(JsonFile& file, const TracePlace& place) : file_(file), pid_(static_cast<long long>(place.pid))
    {
        if (place.host_task != 0) host_task_ = ", \"host task\": " + std::to_string(place.host_task);
    }

    void track(int tid, const char* name)
    {
        file_.item(
            R"({"ph": "M", "name": "thread_name", "pid": %lld, "tid": %d, "args": {"name": %s}})", pid_, tid,
            quoted(name).c_str());
    }

    void counter(const std::string& name, double at, uint32_t value)
    {
        file_.item(
            R"({"ph": "C", "name": %s, "pid": %lld, "ts": %lld.%03d, "args": {"launches": %u}})", name.c_str(), pid_,
            Stamp(at).whole(), Stamp(at).rest(), value);
    }

    void submitted(uint32_t id, const char* name, uint32_t blocks, int32_t priority, int tid, double at)
    {
        file_.item(
            R"({"ph": "i", "s": "t", "name": %s, "cat": "submit", "pid": %lld, "tid": %d, "ts": %lld.%03d, )"
            R"("args": {"task": %u, "blocks": %u, "priority": %d%s}})",
            quoted(name).c_str(), pid_, tid, Stamp(at).whole(), Stamp(at).rest(), id, blocks, priority,
            host_task_.c_str());
    }

    void span(const Span& span, const char* name, const char* kind, int tid, double begin, double end)
    {
        file_.item(
            R"({"ph": "X", "name": %s, "cat": "%s", "pid": %lld, "tid": %d, "ts": %lld.%03d, "dur": %lld.%03d, )"
            R"("args": {"task": %u, "first block": %u, "blocks": %u%s}})",
            quoted(name).c_str(), kind, pid_, tid, Stamp(begin).whole(), Stamp(begin).rest(),
            Stamp(end - begin).whole(), Stamp(end - begin).rest(), span.id, span.first_block, span.blocks,
            host_task_.c_str());
    }

    void flow(char phase, const char* name, uint64_t id, int tid, double at)
    {
        file_.item(
            R"({"ph": "%c", %s"name": "%s", "cat": "dependency", "id": %llu, "pid": %lld, "tid": %d, )"
            R"("ts": %lld.%03d})",
            phase, phase == 'f' ? "\"bp\": \"e\", " : "", name, static_cast<unsigned long long>(id), pid_, tid,
            Stamp(at).whole(), Stamp(at).rest());
    }

private:
    JsonFile& file_;
    const long long pid_;
    std::string host_task_;
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

bool Trace::write_trace(const char* path, const char* process, int64_t pid) const
{
    JsonFile file(path);
    if (!file) return false;
    file.begin("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    file.item(
        R"({"ph": "M", "name": "process_name", "pid": %lld, "args": {"name": %s}})", static_cast<long long>(pid),
        quoted(process).c_str());
    write_events(file, {pid});
    file.begin("\n]}\n");
    return file.close();
}

uint64_t Trace::write_events(JsonFile& file, const TracePlace& place) const
{
    ChromeWriter writer(file, place);
    const int orchestrator = place.first_track + static_cast<int>(cores_.size());
    for (size_t i = 0; place.names_tracks && i < cores_.size(); ++i) {
        writer.track(place.first_track + static_cast<int>(i), cores_[i]->name.c_str());
    }
    if (place.names_tracks) writer.track(orchestrator, "orchestrator");
    // Ids are given in order, from 1.
    std::vector<Shown> shown(tasks_.size() + 1);
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const Task& task = tasks_[i];
        const double at = microseconds(task.at);
        writer.submitted(task.id, task.name, task.blocks, task.priority, orchestrator, at);
        writer.counter("\"launches in flight\"", at, task.in_flight);
    }
    for (size_t c = 0; c < cores_.size(); ++c) {
        const CoreLog& core = *cores_[c];
        const int track = place.first_track + static_cast<int>(c);
        const std::string counter = quoted(("ready, " + core.name).c_str());
        uint32_t depth = UINT32_MAX;
        for (size_t i = 0; i < core.spans.size(); ++i) {
            const Span& span = core.spans[i];
            const double begin = microseconds(span.begin);
            const double end = microseconds(span.end);
            const Task& task = tasks_[span.id - 1];
            writer.span(span, task.name, name_of(task.core), track, begin, end);
            if (span.ready != depth) writer.counter(counter, begin, depth = span.ready);
            shown[span.id].add(track, begin, end);
        }
    }
    for (size_t i = 0; i < links_.size(); ++i) {
        const Shown& from = shown[links_[i].from];
        const Shown& to = shown[links_[i].to];
        if (from.last_end == 0 || to.last_end == 0) continue;
        writer.flow('s', name_of(links_[i].reason), place.first_arrow + i, from.last_tid, from.last_end);
        writer.flow('f', name_of(links_[i].reason), place.first_arrow + i, to.first_tid, to.first_begin);
    }
    return links_.size();
}

bool Trace::write_graph(const char* path) const
{
    JsonFile file(path);
    if (!file) return false;
    file.begin("{\"tasks\": [");
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const Task& task = tasks_[i];
        file.item(
            R"({"id": %u, "name": %s, "core": "%s", "blocks": %u, "priority": %d})", task.id, quoted(task.name).c_str(),
            name_of(task.core), task.blocks, task.priority);
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
        file.item(
            R"({"task": %u, "tensor": %zu, "mode": "%s", "tracked": %s%s})", arguments_[i].task,
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
