// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "lang/program_system.h"
#include "lang/symmetry_canonical.h"
#include "lang/symmetry_data.h"
#include "lang/symmetry_flow.h"
#include "lang/symmetry_regions.h"

namespace plumb::lang {
namespace {

constexpr std::size_t kMostNames = lts::Permutation::kMost;

class SymmetryFinder {
 public:
  SymmetryFinder(const Program& program, const Client& client,
                 const spec::Specification* specification,
                 std::vector<std::string>& notes)
      : program_(program),
        client_(client),
        specification_(specification),
        notes_(notes),
        flow_(program),
        namings_(flow_.facts().size(), Naming::kNothing),
        first_(first_state(program)) {
    for (std::size_t p = 0; p < program.processes; ++p) {
      groups_.push_back(static_cast<std::uint8_t>(p));
    }
  }

  void find_processes();
  void find_values();
  std::unique_ptr<lts::Symmetry> make();

 private:
  void process_note(const std::string& why) {
    notes_.push_back("process symmetry is off: " + why);
  }
  void data_note(const std::string& why) {
    notes_.push_back("data symmetry is off: " + why);
  }
  Groups groups_by_role() const;
  std::vector<std::int32_t> passed() const;
  std::vector<std::int32_t> alike_to_specification(
      const std::vector<std::int32_t>& numbers) const;
  std::vector<std::int32_t> not_at_first(std::vector<std::int32_t> numbers,
                                         const Namings& namings) const;
  SymmetryPlan plan(const Namings& namings,
                    const std::vector<std::int32_t>& values) const {
    return {program_, client_, find_regions(program_, flow_, namings),
            ValueNumbers(values)};
  }

  const Program& program_;
  const Client& client_;
  const spec::Specification* specification_;
  std::vector<std::string>& notes_;
  Flow flow_;
  Namings namings_;
  lts::StateBytes first_;
  Groups groups_;  // of processes; at first all differ
  std::vector<std::int32_t> values_;
};

// Processes that may call the same operations are in one group.
Groups SymmetryFinder::groups_by_role() const {
  Groups groups;
  for (std::size_t p = 0; p < program_.processes; ++p) {
    std::size_t q = 0;
    while (client_.allowed[q] != client_.allowed[p]) ++q;
    groups.push_back(static_cast<std::uint8_t>(q));
  }
  return groups;
}

void SymmetryFinder::find_processes() {
  Groups groups = groups_by_role();
  if (!any_alike(groups)) return;
  // LIMIT: a permutation is one word, half a byte for each process.
  if (program_.processes > kMostNames) {
    process_note(fmt::format("there are more than {} processes", kMostNames));
    return;
  }
  if (const auto obstacle = process_obstacle(program_, flow_, groups)) {
    process_note(text_of(*obstacle, *program_.source));
    return;
  }
  Namings namings = namings_;
  for (std::size_t node = 0; node < namings.size(); ++node) {
    if (flow_.facts()[node].process) namings[node] = Naming::kProcess;
  }
  if (!ProgramSymmetry(plan(namings, {}), groups).keeps(first_)) {
    process_note("the first state tells processes apart");
    return;
  }
  namings_ = std::move(namings);
  groups_ = std::move(groups);
}

// What clients pass to every parameter that is an integer.
std::vector<std::int32_t> SymmetryFinder::passed() const {
  std::optional<Range> range;
  for (const OperationCode& operation : program_.operations) {
    for (const Parameter& parameter : operation.parameters) {
      if (parameter.shape->kind != ShapeKind::kInt) continue;
      if (!range) range = Range{parameter.low, parameter.high, false};
      range->low = std::max(range->low, parameter.low);
      range->high = std::min(range->high, parameter.high);
    }
  }
  std::vector<std::int32_t> numbers;
  if (!range) return numbers;
  for (std::int64_t n = range->low; n <= range->high; ++n) {
    numbers.push_back(static_cast<std::int32_t>(n));
  }
  return numbers;
}

std::vector<std::int32_t> SymmetryFinder::alike_to_specification(
    const std::vector<std::int32_t>& numbers) const {
  std::vector<Value> values;
  for (const std::int32_t number : numbers) {
    values.push_back(Value::integer(number));
  }
  std::vector<std::int32_t> left;
  for (const Value value : specification_->interchangeable(values)) {
    left.push_back(static_cast<std::int32_t>(value.as_integer()));
  }
  return left;
}

// A renaming leaves the first state as it is: values that are in it already
// keep their names.
std::vector<std::int32_t> SymmetryFinder::not_at_first(
    std::vector<std::int32_t> numbers, const Namings& namings) const {
  const ProgramSymmetry all(plan(namings, numbers), groups_);
  const std::uint16_t there = all.values_in(first_);
  std::vector<std::int32_t> left;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if ((there >> i & 1) == 0) left.push_back(numbers[i]);
  }
  return left;
}

void SymmetryFinder::find_values() {
  std::vector<std::int32_t> numbers = passed();
  if (numbers.size() < 2) return;
  if (program_.processes > kMostNames) {
    data_note(fmt::format("there are more than {} processes", kMostNames));
    return;
  }
  const DataClasses data = find_data(program_, flow_);
  std::optional<Obstacle> obstacle = data.obstacle;
  if (!obstacle) numbers = alike(data, std::move(numbers), obstacle);
  if (obstacle) {
    data_note(text_of(*obstacle, *program_.source));
    return;
  }
  Namings namings = namings_;
  for (std::size_t node = 0; node < namings.size(); ++node) {
    if (data.is_data[node]) namings[node] = Naming::kValue;
  }
  // LIMIT: as with processes, so that any further values keep their names.
  if (numbers.size() > kMostNames) numbers.resize(kMostNames);
  numbers = not_at_first(std::move(numbers), namings);
  if (specification_ != nullptr && numbers.size() >= 2) {
    numbers = alike_to_specification(numbers);
    if (numbers.size() < 2) {
      data_note(fmt::format("the specification '{}' tells values apart",
                            specification_->name()));
      return;
    }
  }
  if (numbers.size() < 2) {
    data_note("the code or the first state names nearly all values");
    return;
  }
  namings_ = std::move(namings);
  values_ = std::move(numbers);
}

std::unique_ptr<lts::Symmetry> SymmetryFinder::make() {
  if (values_.empty() && !any_alike(groups_)) return nullptr;
  auto made =
      std::make_unique<ProgramSymmetry>(plan(namings_, values_), groups_);
  // It was looked at before, for processes and for values.
  if (!made->keeps(first_)) return nullptr;
  return made;
}

}  // namespace

std::unique_ptr<lts::Symmetry> find_symmetry(
    const Program& program, const Client& client,
    const spec::Specification* specification, const lts::Reductions& wanted,
    std::vector<std::string>& notes) {
  if (!wanted.process_symmetry && !wanted.data_symmetry) return nullptr;
  SymmetryFinder finder(program, client, specification, notes);
  if (wanted.process_symmetry) finder.find_processes();
  if (wanted.data_symmetry) finder.find_values();
  return finder.make();
}

}  // namespace plumb::lang
