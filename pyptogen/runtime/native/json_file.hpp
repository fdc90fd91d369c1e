// A file of JSON values, and text in it.
#pragma once

#include <cstdio>
#include <string>

namespace pto_rt::native {

// A file of JSON values, with the commas where they belong.
class JsonFile {
public:
    explicit JsonFile(const char* path) : file_(std::fopen(path, "w")) {}

    // Goes on with a file that ends with a value.
    static JsonFile append(const char* path) { return JsonFile(path, "a", false); }

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
    JsonFile(const char* path, const char* mode, bool first) : file_(std::fopen(path, mode)), first_(first) {}

    std::FILE* file_;
    bool first_ = true;
};

}  // namespace pto_rt::native
