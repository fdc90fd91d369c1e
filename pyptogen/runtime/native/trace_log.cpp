// A run as bytes: what a worker writes after a task and its host reads when it makes a trace of all its chips. Both have
// the same library, so the bytes are those of the structures in memory.
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <unordered_map>

#include "trace.hpp"

namespace pto_rt::native {

namespace {

// Starts every run of a log. It is followed by the names of the cores, for each core the number of its spans and the
// spans, the names of the tasks, the tasks and the links.
struct Head {
    uint64_t bytes;  // of the run, this head included
    uint64_t task;
    uint64_t launches;
    uint64_t links;
    uint64_t start_ticks;
    uint64_t end_ticks;
    int64_t start;
    int64_t end;
    uint32_t cores;
    uint32_t names;
};

class Writer {
public:
    explicit Writer(size_t expected) { bytes_.reserve(expected); }

    template <class Item>
    void put(const Item& item)
    {
        const char* data = reinterpret_cast<const char*>(&item);
        bytes_.insert(bytes_.end(), data, data + sizeof(Item));
    }

    template <class Item>
    void put(const ChunkList<Item>& items)
    {
        for (size_t i = 0; i < items.size(); ++i) put(items[i]);
    }

    void put_text(const char* text) { bytes_.insert(bytes_.end(), text, text + std::strlen(text) + 1); }

    std::vector<char>& bytes() { return bytes_; }

private:
    std::vector<char> bytes_;
};

class Reader {
public:
    Reader(const char* data, size_t bytes) : data_(data), left_(bytes) {}

    template <class Item>
    bool get(Item& item)
    {
        if (left_ < sizeof(Item)) return false;
        std::memcpy(&item, data_, sizeof(Item));
        skip(sizeof(Item));
        return true;
    }

    template <class Item>
    bool get(ChunkList<Item>& items, uint64_t count)
    {
        if (count > left_ / sizeof(Item)) return false;
        Item item;
        for (uint64_t i = 0; i < count && get(item); ++i) items.push(item);
        return true;
    }

    bool get_text(std::string& text)
    {
        const void* end = std::memchr(data_, 0, left_);
        if (end == nullptr) return false;
        text.assign(data_);
        skip(text.size() + 1);
        return true;
    }

private:
    void skip(size_t bytes) { data_ += bytes, left_ -= bytes; }

    const char* data_;
    size_t left_;
};

bool write_all(int file, const std::vector<char>& bytes)
{
    for (size_t done = 0; done < bytes.size();) {
        const ssize_t more = ::write(file, bytes.data() + done, bytes.size() - done);
        if (more < 0 && errno == EINTR) continue;
        if (more <= 0) return false;
        done += static_cast<size_t>(more);
    }
    return true;
}

int64_t nanoseconds(std::chrono::steady_clock::time_point at)
{
    return std::chrono::duration_cast<std::chrono::nanoseconds>(at.time_since_epoch()).count();
}

}  // namespace

bool Trace::append_to_log(int file, uint64_t task) const
{
    Writer out(1024 + tasks_.size() * (sizeof(Task) + sizeof(Span) + sizeof(Link) + sizeof(uint32_t)));
    // Tasks share few names, which are constants of the operator.
    std::vector<const char*> names;
    std::unordered_map<const char*, uint32_t> numbers;
    std::vector<uint32_t> name_of_task(tasks_.size());
    for (size_t i = 0; i < tasks_.size(); ++i) {
        const char* name = tasks_[i].name;
        const auto [known, is_new] = numbers.emplace(name, static_cast<uint32_t>(names.size()));
        if (is_new) names.push_back(name);
        name_of_task[i] = known->second;
    }
    Head head{
        0,
        task,
        tasks_.size(),
        links_.size(),
        start_ticks_,
        end_ticks_,
        nanoseconds(start_),
        nanoseconds(end_),
        static_cast<uint32_t>(cores_.size()),
        static_cast<uint32_t>(names.size())};
    out.put(head);
    for (const auto& core : cores_) {
        out.put_text(core->name.c_str());
        out.put<uint64_t>(core->spans.size());
        out.put(core->spans);
    }
    for (const char* name : names) out.put_text(name);
    for (const uint32_t name : name_of_task) out.put(name);
    out.put(tasks_);
    out.put(links_);
    head.bytes = out.bytes().size();
    std::memcpy(out.bytes().data(), &head, sizeof(head));
    return write_all(file, out.bytes());
}

uint64_t TraceLog::next()
{
    Head head;
    Reader in(data_, left_);
    if (!in.get(head) || head.task == 0 || head.bytes < sizeof(head) || head.bytes > left_) return 0;
    run_ = data_;
    run_bytes_ = head.bytes;
    data_ += head.bytes;
    left_ -= head.bytes;
    whole_ += head.bytes;
    return head.task;
}

bool TraceLog::read(Trace& into) const
{
    Head head;
    Reader in(run_, run_bytes_);
    if (!in.get(head) || head.cores > run_bytes_ || head.names > run_bytes_ || head.launches > run_bytes_) return false;
    into.begin(std::vector<std::string>(head.cores));
    into.start_ticks_ = head.start_ticks;
    into.end_ticks_ = head.end_ticks;
    into.start_ = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(head.start));
    into.end_ = std::chrono::steady_clock::time_point(std::chrono::nanoseconds(head.end));
    for (auto& core : into.cores_) {
        uint64_t spans = 0;
        if (!in.get_text(core->name) || !in.get(spans) || !in.get(core->spans, spans)) return false;
    }
    into.names_.assign(head.names, {});
    for (std::string& name : into.names_) {
        if (!in.get_text(name)) return false;
    }
    std::vector<uint32_t> names(head.launches);
    for (uint32_t& name : names) {
        if (!in.get(name) || name >= head.names) return false;
    }
    for (uint64_t i = 0; i < head.launches; ++i) {
        Trace::Task task;
        if (!in.get(task)) return false;
        task.name = into.names_[names[i]].c_str();
        into.tasks_.push(task);
    }
    if (!in.get(into.links_, head.links)) return false;
    return into.is_consistent();
}

bool Trace::is_consistent() const
{
    const auto known = [this](uint32_t id) { return id >= 1 && id <= tasks_.size(); };
    for (const auto& core : cores_) {
        for (size_t i = 0; i < core->spans.size(); ++i) {
            if (!known(core->spans[i].id)) return false;
        }
    }
    for (size_t i = 0; i < links_.size(); ++i) {
        if (!known(links_[i].from) || !known(links_[i].to)) return false;
    }
    return true;
}

}  // namespace pto_rt::native
