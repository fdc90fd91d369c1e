// The communication instructions, namespace pto::comm.
#pragma once

#include <pto/comm/collective.hpp>
#include <pto/comm/signal.hpp>
#include <pto/comm/transfer.hpp>
