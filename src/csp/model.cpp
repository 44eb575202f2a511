// SPDX-License-Identifier: Apache-2.0
// A CSP# module that runs: its processes as transition systems.
#include "csp/model.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "csp/compile.h"
#include "csp/term.h"
#include "csp/tree.h"

namespace plumb::csp {

namespace {

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

const Expression& root_of_place(const Expression& place) {
  return place.kind == ExprKind::kElement ? root_of_place(*place.children[0])
                                          : place;
}

// Reads that matter: what only goes into a hidden variable again does not.
class HiddenReads {
 public:
  explicit HiddenReads(const Module& module) : module_(module) {}

  void look(const Expression& e) {
    if (e.kind == ExprKind::kAssign || e.kind == ExprKind::kStep) {
      const Expression& place = root_of_place(*e.children[0]);
      if (is_hidden(place)) return;
    }
    if (is_hidden(e) && first_ == nullptr) first_ = &e;
    for (const ExprPtr& child : e.children) {
      if (child != nullptr) look(*child);
    }
    for (const Index& index : e.indices) {
      for (const ExprPtr& value : index.values) look(*value);
      if (index.low != nullptr) look(*index.low);
      if (index.high != nullptr) look(*index.high);
    }
    if (e.block != nullptr) look(*e.block);
  }
  void look(const Statement& s) {
    if (s.expression != nullptr) look(*s.expression);
    for (const StatementPtr& child : s.children) look(*child);
  }
  void look(const Process& p) {
    if (p.block != nullptr) look(*p.block);
    Process own = p;
    own.block = nullptr;
    own.children.clear();
    visit(own, [this](const Expression& e) {
      if (is_hidden(e) && first_ == nullptr) first_ = &e;
    });
    for (const ProcessPtr& child : p.children) look(*child);
  }
  const Expression* first() const { return first_; }

 private:
  bool is_hidden(const Expression& e) const {
    return e.kind == ExprKind::kGlobal &&
           module_.variables[static_cast<std::size_t>(e.number)].hidden;
  }

  const Module& module_;
  const Expression* first_ = nullptr;
};

void refuse_hidden_reads(const Module& module) {
  HiddenReads reads(module);
  for (const Definition& definition : module.processes) {
    reads.look(*definition.body);
  }
  for (const Proposition& proposition : module.propositions) {
    reads.look(*proposition.expression);
  }
  if (reads.first() == nullptr) return;
  const Span span = reads.first()->span;
  throw InputError(
      module.source->place(span),
      "'" +
          module.variables[static_cast<std::size_t>(reads.first()->number)]
              .name +
          "' is an hvar that is read: what PAT does then depends on the order "
          "of its search",
      "write 'var', or do not ask for PAT's counts");
}

}  // namespace

Model::Model(std::shared_ptr<const Module> module, const ModelOptions& options)
    : options_(options) {
  if (options.pat_identity) refuse_hidden_reads(*module);
  auto shared = std::make_shared<Shared>();
  shared->id = next_id();
  try {
    auto layout = std::make_shared<Layout>(*module, options.pat_identity);
    for (const Valuation& one : csp::initial_valuations(*module, *layout)) {
      one.encode(shared->valuations.emplace_back());
    }
    NodeCompiler compiler(module, layout, options.pat_identity);
    for (const Assertion& assertion : module->assertions) {
      if (assertion.measure != nullptr) {
        programs_.emplace(assertion.measure.get(),
                          compile(*assertion.measure, *layout));
      }
    }
    for (const Proposition& proposition : module->propositions) {
      propositions_.push_back(compile(*proposition.expression, *layout));
    }
    shared->nodes = compiler.take();
  } catch (const RuntimeFault& fault) {
    throw InputError(module->source->place(fault.span), fault.message());
  }
  shared->faults = std::make_unique<const Faults>(*shared->nodes);
  if (options.reset_dead_variables) {
    liveness_ = std::make_shared<const Liveness>(*shared->nodes);
  }
  // Whoever counts processes sees every step.
  if (options.partial_order && !shared->nodes->counts_processes) {
    touches_ = std::make_shared<const NodeTouches>(*shared->nodes);
  }
  shared_ = std::move(shared);
}

namespace {

// PAT begins with the components of a system, where it has some, but with the
// name of any other process: three philosophers are 35 states, and P = a -> P
// is one.
bool begins_unfolded(const Node& body) {
  switch (body.kind) {
    case NodeKind::kInterleave:
    case NodeKind::kParallel:
    case NodeKind::kHide:
    case NodeKind::kCopies:
    case NodeKind::kReplicated:
    case NodeKind::kInterrupt:
      return true;
    default:
      return false;
  }
}

bool has_ranges(const DefinitionShape& definition) {
  return std::any_of(definition.ranges.begin(), definition.ranges.end(),
                     [](const auto& range) { return range.has_value(); });
}

// Writes the first term of a process.
class Root {
 public:
  Root(const Nodes& nodes, Terms& terms)
      : nodes_(nodes), terms_(terms), left_(nodes.definitions.size()) {}

  void write(std::uint32_t process, const std::vector<Datum>& arguments) {
    const DefinitionShape& definition = nodes_.definitions[process];
    const Node& body = nodes_[definition.body.node];
    // A circle of names has no end.
    const bool follows = left_ > 0 && !has_ranges(definition);
    if (left_ > 0) --left_;
    if (follows && is_known(body)) {
      refer(body, terms_.holes_of(definition.body, arguments));
    } else if (follows && body.kind == NodeKind::kHide && !body.is_lazy) {
      hide(body, terms_.holes_of(definition.body, arguments));
    } else if (follows && begins_unfolded(body)) {
      terms_.write(definition.body, arguments, bytes_);
    } else {
      terms_.write(definition.reference, arguments, bytes_);
    }
  }
  lts::StateBytes take() { return std::move(bytes_); }

 private:
  // A reference whose arguments need no variables.
  static bool is_known(const Node& node) {
    return node.kind == NodeKind::kReference &&
           std::none_of(node.arguments.begin(), node.arguments.end(),
                        [](const Compiled& argument) { return argument.open; });
  }
  void refer(const Node& node, Terms::Holes holes) {
    std::vector<Datum> arguments;
    for (const Compiled& argument : node.arguments) {
      arguments.push_back(terms_.value(argument, holes));
    }
    write(node.process, arguments);
  }
  void hide(const Node& node, Terms::Holes holes) {
    write_number(node.frame, bytes_);
    for (const Datum& hole : terms_.holes_of(node.children[1], holes)) {
      write_datum(hole, bytes_);
    }
    const Child& inside = node.children[0];
    if (is_known(nodes_[inside.node])) {
      refer(nodes_[inside.node], terms_.holes_of(inside, holes));
    } else {
      terms_.write(inside, holes, bytes_);
    }
  }

  const Nodes& nodes_;
  Terms& terms_;
  std::size_t left_;  // names that may still be followed
  lts::StateBytes bytes_;
};

}  // namespace

RootTerm Model::root_of(const Process& reference) const {
  const Nodes& nodes = *shared_->nodes;
  Valuation none(*nodes.layout);
  Context context{none};
  Values values;
  Terms terms(nodes, context, values);
  Root root(nodes, terms);
  try {
    std::vector<Datum> arguments;
    for (const ExprPtr& argument : reference.arguments) {
      arguments.push_back(evaluate(*argument, context));
    }
    root.write(reference.number, arguments);
  } catch (const RuntimeFault& fault) {
    throw InputError(module().source->place(fault.span), fault.message());
  } catch (const StepFault& fault) {
    throw InputError(module().source->place(fault.span),
                     "an index has too many values");
  }
  return {root.take(), reference.number};
}

std::shared_ptr<const lts::System> Model::system(
    const Process& reference) const {
  Watched all;
  for (std::uint32_t i = 0; i < propositions_.size(); ++i) {
    all.propositions.push_back(i);
  }
  for (const Assertion& assertion : module().assertions) {
    if (assertion.measure != nullptr) {
      all.expressions.push_back(assertion.measure);
    }
  }
  return system(reference, all);
}

std::shared_ptr<const lts::System> Model::system(
    const Process& reference, const Watched& watched,
    std::optional<std::size_t> valuation) const {
  return std::make_shared<CspSystem>(shared_, root_of(reference),
                                     forget(watched), valuation);
}

std::shared_ptr<const lts::System> Model::system(
    const Process& reference, const Watched& watched,
    std::optional<std::size_t> valuation, const Observed& observed) const {
  std::shared_ptr<const AmpleSets> ample;
  if (touches_ != nullptr) {
    ample = std::make_shared<AmpleSets>(shared_->nodes, *touches_, watched,
                                        observed);
  }
  return std::make_shared<CspSystem>(shared_, root_of(reference),
                                     forget(watched), valuation,
                                     std::move(ample));
}

std::shared_ptr<const CspSystem::Forget> Model::forget(
    const Watched& watched) const {
  if (liveness_ == nullptr) return nullptr;
  return std::make_shared<DeadValues>(shared_->nodes, *liveness_, watched,
                                      shared_->valuations[0]);
}

std::shared_ptr<const lts::System> Model::whole(
    const Process& reference, std::optional<std::size_t> valuation) const {
  return std::make_shared<CspSystem>(shared_, root_of(reference), nullptr,
                                     valuation);
}

namespace {

// To call it false would make the opposite true, with as little reason.
std::int64_t number_or_limit(const std::optional<Datum>& found,
                             const std::string& what) {
  if (found && found->is_plain()) return found->number();
  throw LimitError(what + " has no value in a state that is reached",
                   "an index may be out of bounds there, or a divisor 0");
}

}  // namespace

bool Model::holds(std::uint32_t proposition, lts::StateView state) const {
  return number_or_limit(value(propositions_[proposition], state),
                         "'" + module().propositions[proposition].name + "'") !=
         0;
}

std::optional<Datum> Model::value(const Expression& expression,
                                  lts::StateView state) const {
  const auto known = programs_.find(&expression);
  if (known != programs_.end()) return value(known->second, state);
  return value(compile(expression, *shared_->nodes->layout), state);
}

std::optional<Datum> Model::value(const Program& program,
                                  lts::StateView state) const {
  Steps& steps = steps_of_thread(*shared_);
  steps.read(state);
  steps.context().bound = {};
  try {
    return evaluate(program, steps.context());
  } catch (const RuntimeFault&) {
    return std::nullopt;
  }
}

std::int64_t Model::measure(const Expression& expression,
                            lts::StateView state) const {
  return number_or_limit(value(expression, state), "what is measured");
}

}  // namespace plumb::csp
