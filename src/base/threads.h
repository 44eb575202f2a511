// SPDX-License-Identifier: Apache-2.0
// Threads, as many as the machine gives.
#pragma once

#include <system_error>
#include <thread>
#include <vector>

#include "base/samples.h"

namespace plumb {

// Adds a thread that does `work`; it works for whom this one works for.
// Returns false if there can be no more: then those that there are do it all.
template <typename Work>
bool start_thread(std::vector<std::jthread>& threads, const Work& work) {
  try {
    threads.emplace_back([work, samples = Samples::of_this_thread()] {
      Samples::set_for_this_thread(samples);
      work();
    });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace plumb
