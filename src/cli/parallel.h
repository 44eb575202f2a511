// SPDX-License-Identifier: Apache-2.0
// Work on several cores whose results come out in order.
#pragma once

#include <cstddef>
#include <functional>

namespace plumb::cli {

// Runs work(0), work(1), ... work(count - 1) on `workers` threads, and, on the
// calling thread and in this order, done(i) as soon as work(0..i) have ended.
// An exception of either ends the run and is thrown to the caller.
void in_order(std::size_t count, unsigned workers,
              const std::function<void(std::size_t)>& work,
              const std::function<void(std::size_t)>& done);

}  // namespace plumb::cli
