// SPDX-License-Identifier: Apache-2.0
// make_history OBJECT OPERATIONS PROCESSES holds|violated > FILE.jsonl
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/input_error.h"
#include "history/write.h"
#include "spec/catalogue.h"
#include "support/generate.h"

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fputs(
        "usage: make_history OBJECT OPERATIONS PROCESSES "
        "holds|violated\n",
        stderr);
    return 2;
  }
  try {
    plumb::testing::Load load;
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
