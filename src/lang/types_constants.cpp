// SPDX-License-Identifier: Apache-2.0
// The types of constants.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <deque>

#include "lang/types.h"
#include "lang/types_object.h"

namespace plumb::lang {
namespace {

// Checks constants in the order in which they depend on each other; those
// that are left when none can be checked any more depend on themselves.
class ConstantChecker {
 public:
  ConstantChecker(const std::vector<std::unique_ptr<Constant>>& constants,
                  Names& names, Diagnostics& diagnostics)
      : constants_(constants),
        names_(names),
        expressions_(names, diagnostics) {}

  void run() {
    for (const auto& constant : constants_) nodes_[constant.get()];
    for (const auto& constant : constants_) {
      if (constant->value) collect(*constant, *constant->value);
    }
    std::deque<Constant*> ready;
    for (const auto& constant : constants_) {
      if (nodes_[constant.get()].needs == 0) ready.push_back(constant.get());
    }
    for (; !ready.empty(); ready.pop_front()) {
      check(*ready.front());
      for (Constant* user : nodes_[ready.front()].users) {
        if (--nodes_[user].needs == 0) ready.push_back(user);
      }
    }
    report_cycle();
  }

 private:
  struct Node {
    std::size_t needs = 0;  // how many uses of constants are not yet checked
    std::vector<Constant*> users;
    std::vector<const Constant*> uses;
  };

  void collect(Constant& user, const Expression& e) {
    if (e.kind == ExpressionKind::kName) {
      const Symbol* symbol = names_.value(e.name);
      const auto used = symbol != nullptr && symbol->constant != nullptr
                            ? nodes_.find(symbol->constant)
                            : nodes_.end();
      if (used != nodes_.end()) {
        used->second.users.push_back(&user);
        ++nodes_[&user].needs;
        nodes_[&user].uses.push_back(symbol->constant);
      }
    }
    for (const ExpressionPtr& operand : e.operands) collect(user, *operand);
  }

  void check(Constant& constant) {
    expressions_.context.unknown.clear();
    expressions_.context.is_constant = true;
    Expression& value = *constant.value;
    expressions_.check(value);
    constant.type = simple_type(value.type->kind);
    if (!expressions_.is_constant(value)) {
      constant.type = simple_type(TypeKind::kError);
    }
  }

  // Each that is left uses another that is left: following these uses ends in
  // a cycle.  One is enough: the others are reported when it is gone.
  void report_cycle() {
    const Constant* at = nullptr;
    for (const auto& constant : constants_) {
      if (constant->type != nullptr) continue;
      if (at == nullptr) at = constant.get();
    }
    if (at == nullptr) return;
    absl::flat_hash_set<const Constant*> seen;
    while (seen.insert(at).second) {
      for (const Constant* used : nodes_[at].uses) {
        if (used->type == nullptr) at = used;
      }
    }
    expressions_.report(
        at->span, fmt::format("the constant '{}' depends on itself", at->name));
    for (const auto& constant : constants_) {
      if (constant->type == nullptr) {
        constant->type = simple_type(TypeKind::kError);
      }
    }
  }

  const std::vector<std::unique_ptr<Constant>>& constants_;
  Names& names_;
  ExpressionChecker expressions_;
  absl::flat_hash_map<const Constant*, Node> nodes_;
};

}  // namespace

void check_constants(const std::vector<std::unique_ptr<Constant>>& constants,
                     Names& names, Diagnostics& diagnostics) {
  ConstantChecker(constants, names, diagnostics).run();
}

}  // namespace plumb::lang
