// SPDX-License-Identifier: Apache-2.0
// Explores the object of a model, nothing more, and prints what it cost.
#include <fmt/format.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <sstream>
#include <string>

#include "base/budget.h"
#include "base/input_error.h"
#include "explore/tagging.h"
#include "lang/model.h"
#include "lang/parse.h"
#include "verify/pair_search.h"

namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) +
           static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::string text_of(const std::string& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw plumb::InputError("cannot read '" + file + "'");
  return text.str();
}

int explore(const std::string& file, std::size_t number, bool depth_first) {
  plumb::lang::Reading reading = plumb::lang::read_model(file, text_of(file));
  if (!reading.errors.empty()) throw reading.errors.front();
  const auto& checks = reading.module->checks;
  if (number >= checks.size()) {
    throw plumb::InputError(
        fmt::format("'{}' has {} checks only", file, checks.size()));
  }
  const plumb::lang::Model model =
      plumb::lang::compile(*reading.module, checks[number], {});
  plumb::Budget budget;
  plumb::explore::NoTags nothing;
  using Order = plumb::verify::Options::Order;
  plumb::verify::PairSearch search(
      *model.system, nothing,
      {.order = depth_first ? Order::kDepthFirst : Order::kBreadthFirst},
      budget);
  const double before = cpu_seconds();
  const auto end = search.run();
  const double taken = cpu_seconds() - before;
  plumb::verify::Statistics figures;
  search.add_to(figures);
  const bool is_fault = end == plumb::verify::Search::End::kFault;
  fmt::print("states {}\ntransitions {}\nfaults {}\ncut {}\ndepth {}\n",
             figures.states, figures.transitions, is_fault ? 1 : 0,
             search.cut(), figures.depth);
  fmt::print("seconds {:.6f}\nstore_bytes {}\nstate_bytes {}\npeak_bytes {}\n",
             taken, figures.store_bytes, figures.state_bytes,
             plumb::peak_resident_bytes());
  return end == plumb::verify::Search::End::kComplete ? 0 : 3;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 2) {
    std::fputs("usage: explore_model FILE [CHECK, from 0 on] [depth-first]\n",
               stderr);
    return 2;
  }
  return explore(arguments[1],
                 count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 0,
                 count > 3);
} catch (const plumb::InputError& error) {
  std::fputs(error.describe().c_str(), stderr);
  return 2;
} catch (const std::exception& error) {
  std::fprintf(stderr, "explore_model: %s\n", error.what());
  return 2;
}
