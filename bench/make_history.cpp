// SPDX-License-Identifier: Apache-2.0
// make_history OBJECT OPERATIONS PROCESSES holds|violated [WORD=NUMBER]...
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/input_error.h"
#include "history/write.h"
#include "spec/catalogue.h"
#include "support/generate.h"

namespace {

constexpr const char* kUsage =
    "usage: make_history OBJECT OPERATIONS PROCESSES holds|violated "
    "[WORD=NUMBER]... > FILE.jsonl\n"
    "  values=N  containers: draw from N different values\n"
    "  relaxed=K  queue: takes are K places off at most\n"
    "  lost=N  so many of 1000 operations never return\n"
    "  depth=N  so many values are inside at a time\n"
    "  seed=N\n";

bool set(plumb::testing::Load& load, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos) return false;
  const std::string word = text.substr(0, sign);
  const std::size_t number =
      std::strtoull(text.c_str() + sign + 1, nullptr, 10);
  if (word == "values")
    load.values = number;
  else if (word == "relaxed")
    load.relaxed = number;
  else if (word == "lost")
    load.lost_of_thousand = number;
  else if (word == "depth")
    load.depth = number;
  else if (word == "seed")
    load.seed = number;
  else
    return false;
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  plumb::testing::Load load;
  bool understood = argc >= 5;
  for (int i = 5; i < argc; ++i) understood = understood && set(load, argv[i]);
  if (!understood) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    load.object = argv[1];
    load.operations = std::strtoull(argv[2], nullptr, 10);
    load.processes =
        static_cast<std::uint32_t>(std::strtoul(argv[3], nullptr, 10));
    load.violate = std::string(argv[4]) == "violated";
    const auto history = plumb::testing::generate(load);
    const auto object = plumb::spec::make(load.object);
    const std::string text = plumb::history::write_jsonl(history, *object);
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0
                                                                           : 2;
  } catch (const plumb::InputError& error) {
    std::fputs(error.describe().c_str(), stderr);
    return 2;
  }
}
