// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>

#include "cli/commands.h"
#include "spec/catalogue.h"

namespace plumb::cli {

namespace {

std::string argument_of(const spec::Signature& signature, bool by_key) {
  switch (signature.argument) {
    case spec::Argument::kNone:
      return "";
    case spec::Argument::kValue:
      return by_key ? " k" : " v";
    case spec::Argument::kPriority:
      return " v";
    case spec::Argument::kPair:
      return signature.name == "cas" ? " [old, new]" : " [k, v]";
  }
  return "";
}

void print(const spec::Entry& entry) {
  const auto object = entry.make({});
  fmt::print("{}: {}", entry.name, entry.summary);
  if (entry.can_be_bounded) fmt::print("; also {}(CAPACITY)", entry.name);
  if (entry.can_block) fmt::print("; also blocking_{}", entry.name);
  fmt::print("\n");
  for (const spec::Signature& operation : object->operations()) {
    const std::string call =
        std::string(operation.name) +
        argument_of(operation, object->parts_are_objects());
    if (operation.result == spec::Result::kNone) {
      fmt::print("  {}\n", call);
    } else {
      fmt::print("  {:<18} -> {}\n", call, operation.meaning);
    }
  }
}

}  // namespace

Command add_specs_command(CLI::App& app) {
  app.add_subcommand("specs",
                     "list the built-in specifications with their operations");
  return [] {
    for (const spec::Entry& entry : spec::catalogue()) print(entry);
    fmt::print(
        "\nA capacity in parentheses bounds a container: a put into a full "
        "one changes\nnothing and returns false, else true. A take of a "
        "blocking one waits while it\nis empty. Operations without '->' "
        "return nothing that is compared.\n");
    return kExitHolds;
  };
}

}  // namespace plumb::cli
