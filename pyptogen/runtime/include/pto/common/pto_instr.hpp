// The whole instruction set, under another of its public paths.
#pragma once

#include <pto/pto-inst.hpp>
