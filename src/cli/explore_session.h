// SPDX-License-Identifier: Apache-2.0
// A walk through a model by hand: reads commands, shows states and steps.
#pragma once

#include <cstdint>
#include <cstdio>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ask/subject.h"
#include "lts/path.h"
#include "report/cell_names.h"

namespace plumb::cli {

class ExploreSession {
 public:
  // `echo`: print the commands too, since nobody sees them typed.
  ExploreSession(ask::Whole model, std::FILE* input, bool echo,
                 std::uint64_t seed);

  // Until `q` or the end of the input.
  void run();

 private:
  // The next command; nothing at the end of the input.
  std::optional<std::string> read_line();
  // Returns false to end the session.
  bool obey(const std::string& command);
  void refuse(const std::string& command) const;

  void arrive();  // computes what is possible in the last state
  void append(std::size_t index);  // of successors_
  bool take(std::size_t number);
  void take_any(std::uint64_t count);
  void back();
  void restart();

  void show_state() const;
  void show_steps() const;
  void show_last_step() const;
  void show_history() const;
  void show_trace() const;

  ask::Whole model_;
  const lts::System& system_;
  std::FILE* input_;
  bool echo_;
  std::mt19937_64 random_;
  lts::Path path_;
  std::vector<report::CellNames> names_;  // in each state of path_
  lts::Successors successors_;            // of the last state of path_
};

}  // namespace plumb::cli
