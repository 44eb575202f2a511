// SPDX-License-Identifier: Apache-2.0
#include "lang/reduce.h"

#include <memory>
#include <utility>

#include "lang/program_system.h"
#include "lang/reduced_system.h"
#include "lang/symmetry.h"

namespace plumb::lang {

lts::Reduced reduce(const Model& model,
                    const spec::Specification* specification,
                    lts::Reductions wanted) {
  lts::Reduced made;
  made.system = model.system;
  auto whole = std::dynamic_pointer_cast<const ProgramSystem>(model.system);
  if (whole == nullptr) {
    made.notes.push_back("reductions are off: the system is no program");
    return made;
  }
  std::unique_ptr<lts::Symmetry> symmetry;
  if (wanted.process_symmetry || wanted.data_symmetry) {
    symmetry = find_symmetry(whole->program(), whole->client(), specification,
                             wanted, made.notes);
  }
  using PartialOrder = lts::Reductions::PartialOrder;
  if (symmetry == nullptr && !wanted.tight_calls &&
      wanted.partial_order == PartialOrder::kNone) {
    return made;
  }
  made.system = std::make_shared<ReducedSystem>(std::move(whole), wanted,
                                                std::move(symmetry));
  return made;
}

}  // namespace plumb::lang
