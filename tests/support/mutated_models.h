// SPDX-License-Identifier: Apache-2.0
// Shipped objects with a few statements changed: right, wrong, or nearly so.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lang/ast.h"

namespace plumb::testing {

struct MutatedModel {
  std::string text;  // for messages
  std::shared_ptr<const lang::Module> module;
  const lang::Check* check = nullptr;  // linearizable
};

class ModelMutator {
 public:
  // Reads all shipped models.
  ModelMutator();

  // Some object with at most `changes` lines changed, for few processes and
  // operations.  Null if that is no model.
  MutatedModel next(std::mt19937& random, std::size_t changes) const;

 private:
  struct Source {
    std::string before, body, after, name;
  };

  std::vector<Source> sources_;
};

}  // namespace plumb::testing
