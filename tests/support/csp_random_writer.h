// SPDX-License-Identifier: Apache-2.0
// Writes random CSP# models, piece by piece: see support/csp_random.h.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

namespace plumb::csp {

// Names that a part of a process may use, and where it stands.
struct Scope {
  std::vector<std::string> known;   // parameters and indices
  std::vector<std::string> inputs;  // known to nobody before they arrive
  std::size_t definition = 0;       // D<n>
  bool is_last = true;      // nothing is left of the definition around it
  bool is_guarded = false;  // behind a step
};

class CspWriter {
 public:
  explicit CspWriter(std::mt19937& random) : random_(random) {}

  std::string write();

 private:
  struct Way {
    std::size_t weight;
    std::string (CspWriter::*make)(const Scope&, int);
  };

  std::size_t pick(std::size_t count) {
    return std::uniform_int_distribution<std::size_t>(0, count - 1)(random_);
  }
  bool once_in(std::size_t times) { return pick(times) == 0; }
  std::string one_of(const std::vector<std::string>& all) {
    return all[pick(all.size())];
  }
  static std::string text(std::size_t number) { return std::to_string(number); }

  std::string declarations();
  std::string definition(std::size_t number);
  std::string system();

  // Data.
  std::string known_number(const Scope& scope, int depth);
  std::string number(const Scope& scope, int depth);
  std::string small(const Scope& scope);
  std::string condition(const Scope& scope, int depth);
  std::string statement(const Scope& scope, int depth);
  std::string object_statement(const Scope& scope);
  std::string block(const Scope& scope);

  // Processes.
  std::string process(const Scope& scope, int depth);
  std::string inner(const Scope& scope, int depth);
  std::string rest(Scope scope, int depth);
  std::string event(const Scope& scope, bool has_block);
  std::string event_list(const Scope& scope);
  std::string ending(const Scope& scope, int depth);
  std::string prefix(const Scope& scope, int depth);
  std::string event_set(const Scope& scope, int depth);
  std::string send(const Scope& scope, int depth);
  std::string receive(const Scope& scope, int depth);
  std::string guard(const Scope& scope, int depth);
  std::string conditional(const Scope& scope, int depth);
  std::string cases(const Scope& scope, int depth);
  std::string choice(const Scope& scope, int depth);
  std::string external(const Scope& scope, int depth);
  std::string sequence(const Scope& scope, int depth);
  std::string interleave(const Scope& scope, int depth);
  std::string copies(const Scope& scope, int depth);
  std::string parallel(const Scope& scope, int depth);
  std::string interrupt(const Scope& scope, int depth);
  std::string hiding(const Scope& scope, int depth);
  std::string atomic(const Scope& scope, int depth);
  std::string assertion(const Scope& scope, int depth);
  std::string reference(const Scope& scope, int depth);

  static constexpr std::size_t kDefinitions = 4;

  std::mt19937& random_;
  std::vector<std::size_t> parameters_;  // of each definition
  bool has_parallel_ = false;            // so fields of events must be known
  bool has_objects_ = false;
  bool counts_ = false;
  std::size_t names_ = 0;
};

}  // namespace plumb::csp
