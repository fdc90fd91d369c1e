#pragma once
#include <cstdint>
constexpr uint32_t kRows = 4;
constexpr uint32_t kColumns = 8;
