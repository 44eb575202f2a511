// SPDX-License-Identifier: Apache-2.0
// One call of an operation, run on the tree up to the next access.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "support/tree_walker.h"

namespace plumb::lang {

inline constexpr std::int64_t kEmptyDatum = INT64_MIN;

// Thrown where a run ends before its time.
struct WalkAtRest {};
struct WalkBlocked {};
struct WalkCut {};
struct WalkFault {
  std::string what;
};
[[noreturn]] inline void walk_fault(const std::string& what) {
  throw WalkFault{what};
}

// How a run ends.
struct WalkEnd {
  enum class Kind : std::uint8_t { kRest, kReturn, kBlocked, kCut, kFault };
  Kind kind = Kind::kRest;
  std::string fault;
  Datum result;
};

struct WalkChoices {
  struct Choice {
    std::size_t taken, count;
  };
  std::vector<Choice> made;
  std::size_t position = 0;

  std::size_t choose(std::size_t count);
  bool next();
};

class WalkedCall {
 public:
  // Changes `state`.  `budget`: how many accesses it may make.
  WalkedCall(const TreeWalker& walker, WalkedState& state, int process,
             std::int64_t budget, WalkChoices& choices)
      : walker_(walker),
        state_(state),
        process_(process),
        budget_(budget),
        choices_(choices) {}

  WalkEnd run(const Function& function);
  // Initial values and `init`, as one step.
  void run_init();
  bool marked() const { return marked_; }

 private:
  struct WalkedPlace {
    enum class Base : std::uint8_t { kLocal, kShared, kCell };
    Base base = Base::kLocal;
    const Variable* variable = nullptr;
    std::size_t index = 0;  // of the shared variable or the field
    std::int64_t cell = 0;
    std::vector<std::pair<TypePtr, Datum>> path;  // indices into what
    TypePtr type;
  };
  enum class Flow : std::uint8_t { kNext, kBreak, kContinue, kReturn };
  using Locals = std::map<const Variable*, Datum>;

  // Accesses.
  Datum event(const std::function<Datum()>& effect);
  void boundary();
  void begin_access(const WalkedPlace& place);
  void mark();
  Datum& locate(const WalkedPlace& place);
  Datum read(const WalkedPlace& place);
  void write(const WalkedPlace& place, const Datum& datum);
  void escape(const Type& type, const Datum& datum);
  bool is_private(std::int64_t cell) const;
  WalkedCell& cell_at(std::int64_t cell);

  // Expressions.
  WalkedPlace place(const Expression& expression);
  Datum value(const Expression& expression);
  Datum binary(const Expression& expression);
  bool condition(const Expression& expression);
  Datum builtin(const Expression& expression);
  bool cas(const Expression& expression, bool direct);
  Datum container(const Expression& expression);
  Datum change_container(const Expression& expression, Datum& at,
                         const Type& type, const std::vector<Datum>& given);
  Datum take_from(Builtin builtin, std::vector<Datum>& items);
  Datum make_cell(const Expression& expression);
  Datum call(const Expression& expression);
  Datum fit(const Type& type, const Datum& datum) const;
  std::int64_t number(const Datum& datum) const;

  // Statements.
  Flow statement(const Statement& statement);
  Flow statements(const std::vector<StatementPtr>& all);
  Flow loop(const Statement& statement);
  Flow choose(const Statement& statement);
  Flow linearize(const Statement& statement);
  void delete_cell(const Statement& statement);

  const TreeWalker& walker_;
  WalkedState& state_;
  int process_;
  std::int64_t budget_;
  WalkChoices& choices_;
  std::size_t position_ = 0;  // in the log
  int atomic_ = 0;
  bool marked_ = false;
  int fuel_ = 100'000;
  std::vector<Locals> locals_;
  std::vector<const Type*> result_types_;
  Datum result_;
};

}  // namespace plumb::lang
