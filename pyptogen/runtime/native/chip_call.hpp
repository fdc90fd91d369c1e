// What a run takes, and what it says.
#pragma once

#include <cstdint>

#include "chip.hpp"

// One run, as Python describes it. Paths and names may be null; then nothing is written.
struct pto_chip_call {
    pto_rt::native::Entry entry;
    const void* args;
    const char* trace_path;
    const char* graph_path;
    const char* process_name;
    int64_t pid;
    int32_t policy;
    uint32_t message_bytes;
    char* message;
    pto_rt::native::RunReport report;
    uint64_t log_task;  // number of the host's task that this run is
    int32_t log_file;   // where the run is appended for the host; -1: nowhere
    int32_t brief;      // not 0: it is over before anybody interrupts it, so SIGINT is not looked for
};
