// SPDX-License-Identifier: Apache-2.0
// plumb history: judges recorded histories.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <new>
#include <utility>

#include "base/input_error.h"
#include "base/memory_ceiling.h"
#include "base/terminal_text.h"
#include "check/busy_periods.h"
#include "check/classes.h"
#include "check/decide.h"
#include "check/explain.h"
#include "check/judged_object.h"
#include "check/rank_errors.h"
#include "check/stream.h"
#include "check/witness_orders.h"
#include "cli/commands.h"
#include "cli/cpp_spec.h"
#include "cli/inputs.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "history/read.h"
#include "history/watcher.h"
#include "lang/spec_file.h"
#include "report/history_table.h"
#include "report/json.h"
#include "report/text.h"
#include "report/words.h"
#include "spec/initial.h"
#include "spec/product.h"

namespace plumb::cli {

namespace {

using history::History;
using report::HistoryResult;

// What CLI11 makes of --minimum-factor and --errors without a value.
constexpr const char* kNoValue = "true";

struct HistoryOptions {
  std::vector<std::string> inputs;
  std::string spec;
  std::string condition = "linearizable";
  bool closed = false;
  bool follow = false;
  bool literal = false;
  bool witness = false;
  std::string errors;          // "": not asked for
  std::string minimum_factor;  // "": not asked for
  std::uint32_t largest_sum = 8;
  std::string decider = "auto";
  std::string keys = "auto";
  std::size_t operations = 100'000;  // to be drawn
  CommonOptions common;

  void add_to(CLI::App& command);
};

void HistoryOptions::add_to(CLI::App& command) {
  command
      .add_option("HISTORY", inputs,
                  "files in JSON Lines or EDN, gzip'd or not; directories of "
                  "them; '-' for standard input")
      ->required();
  command
      .add_option("--spec", spec,
                  "what the object should be: queue, register, ... ('plumb "
                  "specs'), or FILE.plumb[:NAME] or FILE.cpp, one of your own")
      ->required()
      ->type_name("SPEC");
  command
      .add_option("--condition", condition,
                  "linearizable (default), sequential, quiescent, "
                  "quasi(deq=2, enq=0), out_of_order(deq=2), late(deq=2), "
                  "stuttering(inc=2); combined with '+'")
      ->type_name("TEXT");
  command.add_flag("--follow", follow,
                   "judge while reading, say a pipe: tells a violation at the "
                   "event that nothing can explain, and keeps only what "
                   "overlaps");
  command.add_flag("--closed", closed,
                   "quasi: judge the history alone, not "
                   "with what could still follow");
  command.add_flag("--literal", literal,
                   "quasi: leave the order between "
                   "classes free, as the papers print "
                   "it (implies --closed)");
  command.add_flag("--witness", witness,
                   "show an order that explains a "
                   "history that holds");
  command.add_flag("--errors", errors,
                   "rank error and delay of each take, in the best order that "
                   "is found; =invoked, =returned: in that order");
  command.add_flag("--minimum-factor", minimum_factor,
                   "the smallest factors with which a violated history "
                   "holds; =deq,enq: only of these operations");
  command
      .add_option("--largest-factor", largest_sum,
                  "where --minimum-factor stops (sum of factors; default 8)")
      ->type_name("N");
  command
      .add_option("--keys", keys,
                  "are values [key value] tuples? auto (default), tuples, none")
      ->check(CLI::IsMember({"auto", "tuples", "none"}))
      ->option_text("HOW");
  command
      .add_option("--decider", decider,
                  "auto (default), general, special: for comparing them")
      ->check(CLI::IsMember({"auto", "general", "special"}))
      ->option_text("WHICH");
  command
      .add_option("--operations", operations,
                  "--json and --html list so many round what is wrong "
                  "(default: 100000)")
      ->type_name("N");
  common.add_to(command);
}

history::ReadOptions::Keys keys_named(const std::string& name) {
  if (name == "tuples") return history::ReadOptions::Keys::kTuples;
  if (name == "none") return history::ReadOptions::Keys::kNone;
  return history::ReadOptions::Keys::kAuto;
}

check::Decider decider_named(const std::string& name) {
  if (name == "general") return check::Decider::kGeneral;
  if (name == "special") return check::Decider::kSpecial;
  return check::Decider::kAuto;
}

// What one input gave.
struct JudgedFile {
  std::vector<HistoryResult> results;
  std::vector<report::BadInput> errors;
};

class HistoryRun {
 public:
  explicit HistoryRun(const HistoryOptions& options);

  ExitStatus judge_all();

 private:
  void refuse_classes_by_argument() const;
  void judge_input(const std::string& path, JudgedFile& outcome) const;
  void refuse_with_follow() const;
  void require_errors_fit();
  void follow_input(const std::string& path, JudgedFile& outcome) const;
  HistoryResult judge(std::shared_ptr<const History> history, bool keyed,
                      const spec::SpecificationPtr& object,
                      const history::ReadResult& read) const;
  void explain(HistoryResult& result, Budget& budget) const;
  void measure_errors(HistoryResult& result, Budget& budget) const;
  std::pair<std::uint32_t, std::uint32_t> shown_lines(
      const HistoryResult& result) const;
  void add_remarks(HistoryResult& result,
                   std::span<const history::Remark> all) const;
  void prepare_drawing(HistoryResult& result, const history::LineTimes& times,
                       Budget& budget) const;
  HistoryResult without_memory(const std::string& path) const;
  void take(HistoryResult result);
  std::string replay_command(const HistoryResult& result) const;
  void print(const JudgedFile& outcome) const;
  bool draws() const {
    const OutputOptions& outputs = options_.common.outputs;
    return options_.operations > 0 &&
           (!outputs.json.empty() || !outputs.html.empty());
  }
  bool wants_order() const {
    return options_.witness || !options_.common.outputs.html.empty();
  }

  const HistoryOptions& options_;
  spec::SpecificationPtr object_;
  check::Condition condition_;
  std::vector<std::string> relaxable_;
  check::ErrorOrder error_order_ = check::ErrorOrder::kBest;
  Budget budget_;
  // Workers for the keys of one input, when there is only one.
  unsigned workers_inside_ = 1;

  ExitStatus status_ = kExitHolds;
  report::Json results_ = report::Json::array();  // if anybody wants them
  std::vector<report::BadInput> errors_;
  std::size_t not_drawn_;  // operations that may still be
};

HistoryRun::HistoryRun(const HistoryOptions& options)
    : options_(options),
      object_(names_cpp_spec(options.spec)
                  ? open_cpp_spec(options.spec)
                  : lang::open_specification(options.spec)),
      condition_(check::parse_condition(options.condition)),
      budget_(options.common.budget()),
      not_drawn_(options.operations) {
  note_input(names_cpp_spec(options.spec)
                 ? options.spec
                 : lang::specification_file(options.spec));
  MemoryCeiling::set(options.common.memory_bytes());
  check::require_factors_fit(condition_, *object_);
  if (options.follow) refuse_with_follow();
  condition_.closed = options.closed || options.literal;
  if (options.literal) condition_.reading = check::Reading::kLiteral;
  if (condition_.closed && !condition_.says_quasi() &&
      options.minimum_factor.empty()) {
    throw InputError("--closed and --literal speak of quasi conditions only",
                     "add --condition 'quasi(...)'");
  }
  if (condition_.closed && condition_.says_quasi() &&
      condition_.transformed()) {
    throw InputError(
        "--closed and --literal know no other relaxations than quasi(...)",
        "leave them or stuttering(...) out");
  }
  if (options.literal && !condition_.classes.empty()) {
    throw InputError("--literal knows no named classes",
                     "give each operation a factor, as in quasi(deq=2), or "
                     "leave --literal out");
  }
  check::require_closed_if_own(condition_, *object_);
  if (!options.errors.empty()) require_errors_fit();
  if (options.minimum_factor.empty()) return;
  const check::Relaxed kind = check::relaxed_by(condition_);
  check::Condition some = condition_;
  (some.*kind)[std::string(object_->operations()[0].name)] = 1;
  check::require_closed_if_own(some, *object_);
  if (options.minimum_factor == kNoValue) return;
  for (const std::string& name :
       CLI::detail::split(options.minimum_factor, ',')) {
    check::Condition asked;
    (asked.*kind)[name] = 0;
    check::require_factors_fit(asked, *object_);
    relaxable_.push_back(name);
  }
}

ExitStatus HistoryRun::judge_all() {
  const std::vector<std::string> paths = expand_inputs(options_.inputs);
  options_.common.outputs.require_apart({}, paths);
  if (paths.size() == 1) workers_inside_ = options_.common.worker_count();
  std::vector<JudgedFile> outcomes(paths.size());
  Progress progress(paths.size(), "inputs", "steps");
  in_order(
      paths.size(), options_.common.worker_count(),
      [&](std::size_t i) {
        judge_input(paths[i], outcomes[i]);
        progress.finished_one();
      },
      [&](std::size_t i) {
        progress.clear();
        print(outcomes[i]);
        for (HistoryResult& result : outcomes[i].results) {
          take(std::move(result));
        }
        for (report::BadInput& error : outcomes[i].errors) {
          status_ = worse(status_, kExitBadInput);
          errors_.push_back(std::move(error));
        }
        outcomes[i] = {};
      });
  progress.stop();
  if (options_.common.outputs.any()) {
    report::Sources none;
    options_.common.outputs.write(
        report::result_file("history", std::move(results_), errors_,
                            run_facts(none)),
        options_.common.quiet);
  }
  return Budget::interrupted ? kExitInterrupted : status_;
}

// However many results there are, pages stay small; but of what is wrong,
// something is always drawn.
void HistoryRun::take(HistoryResult result) {
  constexpr std::size_t kAlways = 1000;
  status_ = worse(status_, status_of(result.verdict.answer));
  if (!options_.common.outputs.any()) return;
  if (result.history && draws()) {
    const bool violated = result.verdict.answer == check::Answer::kViolated;
    const std::size_t least =
        violated ? std::min(kAlways, options_.operations) : 0;
    result.drawn = std::max(not_drawn_, least);
    not_drawn_ -= std::min(not_drawn_, result.history->size());
  }
  results_.push_back(report::to_json(result));
}

// Where keys are judged together, arguments begin with their key.
void HistoryRun::refuse_classes_by_argument() const {
  for (const check::ClassPattern& one : condition_.classes) {
    for (const check::MemberPattern& member : one.members) {
      if (!member.argument) continue;
      throw InputError(
          "classes by arguments cannot be told apart where keys are judged "
          "together",
          "give each operation a factor, or judge one key at a time");
    }
  }
}

void HistoryRun::refuse_with_follow() const {
  const char* other = options_.witness                   ? "--witness"
                      : !options_.errors.empty()         ? "--errors"
                      : !options_.minimum_factor.empty() ? "--minimum-factor"
                      : options_.literal                 ? "--literal"
                      : options_.closed                  ? "--closed"
                                                         : nullptr;
  if (other == nullptr) return;
  throw InputError(fmt::format("--follow does not go with {}", other),
                   "nothing is kept that it could be told from; judge the "
                   "whole history without --follow");
}

void HistoryRun::require_errors_fit() {
  if (options_.errors == "invoked") {
    error_order_ = check::ErrorOrder::kInvoked;
  } else if (options_.errors == "returned") {
    error_order_ = check::ErrorOrder::kReturned;
  } else if (options_.errors != "best" && options_.errors != kNoValue) {
    throw InputError(
        fmt::format("--errors knows no order '{}'", options_.errors),
        "write --errors=best, --errors=invoked or --errors=returned");
  }
  if (!check::has_rank_errors(*object_)) {
    throw InputError(fmt::format("--errors: the takes of a {} have no turns",
                                 object_->name()),
                     "it measures queues, stacks, deques and priority queues");
  }
  if (!condition_.local()) {
    throw InputError("--errors does not go with sequential consistency",
                     "it asks for orders that keep real time, or quiescence");
  }
}

// Tells violations at once, and what came of each key in the end.
void HistoryRun::follow_input(const std::string& path,
                              JudgedFile& outcome) const {
  const std::string file = path == "-" ? "<stdin>" : path;
  const auto name_of = [&](Value key) {
    return key.is_null() ? file : fmt::format("{}[{}]", file, key.to_string());
  };
  Budget budget = budget_;
  const auto start = Budget::Clock::now();
  const auto tell = [&](const check::Stream::Part& part) {
    if (options_.common.quiet || part.answer != check::Answer::kViolated) {
      return;
    }
    fmt::print(
        "{}:{}: no order explains {}, after {}{}\n", terminal_text(file),
        part.line, terminal_text(check::describe(part.last, *object_)),
        report::counted(part.operations, "operation"),
        part.key.is_null() ? "" : terminal_text(" of " + part.key.to_string()));
    std::fflush(stdout);
  };
  check::Stream stream(*object_, condition_, budget, tell);
  history::follow(path, *object_, {.keys = keys_named(options_.keys)}, stream,
                  &budget);
  for (const check::Stream::Part& part : stream.parts()) {
    HistoryResult& result = outcome.results.emplace_back();
    result.file = file;
    result.name = name_of(part.key);
    result.object = object_;
    result.condition = condition_.to_string();
    result.operations = part.operations;
    result.pending = part.open;
    result.verdict.answer = part.answer;
    result.verdict.reason = part.reason;
    if (part.answer == check::Answer::kHolds &&
        budget.limit() != Limit::kNone) {
      result.verdict.answer = check::Answer::kUnknown;
      result.verdict.reason =
          "so far nothing contradicts it, but " + budget.describe_limit();
    }
    result.seconds =
        std::chrono::duration<double>(Budget::Clock::now() - start).count();
  }
  if (!outcome.results.empty()) return;
  outcome.results.push_back(without_memory(path));
  outcome.results.back().verdict.reason = "there is nothing to judge";
}

void HistoryRun::judge_input(const std::string& path,
                             JudgedFile& outcome) const {
  try {
    const MemoryCeiling::Guarded guarded;
    if (options_.follow) return follow_input(path, outcome);
    const bool together = !condition_.local();
    Budget reading = budget_;
    history::ReadResult read =
        history::read_histories(path, *object_,
                                {.keys = keys_named(options_.keys),
                                 .together = together,
                                 .times = draws()},
                                &reading);
    if (together && read.keyed) refuse_classes_by_argument();
    const spec::SpecificationPtr object =
        together && read.keyed ? spec::product_of(object_) : object_;
    outcome.results.resize(read.histories.size());
    in_order(
        read.histories.size(), workers_inside_,
        [&](std::size_t i) {
          const MemoryCeiling::Guarded inside;
          HistoryResult& result = outcome.results[i];
          auto history =
              std::make_shared<History>(std::move(read.histories[i]));
          if (read.limit == Limit::kNone) {
            const auto judged =
                check::judged_object(*history, object, condition_);
            result = judge(std::move(history), read.keyed && !together, judged,
                           read);
            result.keyed_arguments = together && read.keyed;
            return;
          }
          // A part of a history is no history: nothing is said of it.
          result.file = result.name = history->source;
          result.object = object;
          result.condition = condition_.to_string();
          result.operations = history->size();
          result.verdict.reason = "while reading, " + reading.describe_limit();
        },
        [](std::size_t) {});
  } catch (const InputError& error) {
    outcome.results.clear();
    outcome.errors.push_back({path, error.describe()});
  } catch (const std::bad_alloc&) {
    outcome.results.clear();
    outcome.results.push_back(without_memory(path));
  }
}

// Of what there was no memory for.
HistoryResult HistoryRun::without_memory(const std::string& path) const {
  HistoryResult result;
  result.file = result.name = path == "-" ? "<stdin>" : path;
  result.object = object_;
  result.condition = condition_.to_string();
  result.verdict.reason = MemoryCeiling::why();
  return result;
}

HistoryResult HistoryRun::judge(std::shared_ptr<const History> history,
                                bool keyed,
                                const spec::SpecificationPtr& object,
                                const history::ReadResult& read) const {
  HistoryResult result;
  result.file = history->source;
  result.name = keyed ? fmt::format("{}[{}]", history->source,
                                    history->object.to_string())
                      : history->source;
  result.object = object;
  result.condition = condition_.to_string();
  result.operations = history->size();
  for (const history::Operation& o : history->operations) {
    if (o.pending()) ++result.pending;
  }
  result.processes = history->processes.size();
  if (condition_.order == check::Order::kQuiescent ||
      condition_.order == check::Order::kQuiescentAndProgram) {
    result.not_judged = check::count_not_judged(*history);
  }
  Budget budget = budget_;
  const auto start = Budget::Clock::now();
  result.verdict = check::decide(
      *history, *object, condition_,
      {.want_order = wants_order(), .decider = decider_named(options_.decider)},
      budget);
  // A key may well have no operations; a file that has none was not recorded.
  if (result.operations == 0 && !keyed &&
      result.verdict.answer == check::Answer::kHolds) {
    result.verdict = {};
    result.verdict.reason = "there is nothing to judge";
  }
  result.show_order = options_.witness;
  const bool violated = result.verdict.answer == check::Answer::kViolated;
  try {
    if (violated || wants_order() || !options_.errors.empty()) {
      result.history = std::move(history);
    }
    if (violated) explain(result, budget);
    if (!options_.errors.empty()) measure_errors(result, budget);
    if (result.history && draws()) prepare_drawing(result, read.times, budget);
    if (result.history) add_remarks(result, read.remarks);
  } catch (const std::bad_alloc&) {
    // The verdict stands; there is no room for more words.
    result.explanation.reset();
    result.rank_errors.reset();
    result.excess = {};
    result.history.reset();
  }
  // With the reasons: who waits for the one waits for the other.
  result.seconds =
      std::chrono::duration<double>(Budget::Clock::now() - start).count();
  return result;
}

void HistoryRun::prepare_drawing(HistoryResult& result,
                                 const history::LineTimes& times,
                                 Budget& budget) const {
  result.quiescent = condition_.order == check::Order::kQuiescent ||
                     condition_.order == check::Order::kQuiescentAndProgram;
  const check::Classes classes(condition_, *result.object);
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(classes.size()); ++i) {
    result.factors.emplace_back(classes.name(i), classes.factor(i));
  }
  if (result.verdict.answer == check::Answer::kHolds) {
    result.orders = check::witness_orders(*result.history, *result.object,
                                          condition_, result.verdict, budget);
  }
  const auto [first, last] = shown_lines(result);
  result.times = times.between(first, last);
}

// The first and the last line of what is drawn, or else of the operations that
// cannot be explained.
std::pair<std::uint32_t, std::uint32_t> HistoryRun::shown_lines(
    const HistoryResult& result) const {
  const auto& all = result.history->operations;
  std::uint32_t first = UINT32_MAX, last = 0;
  const auto show = [&](const history::Operation& operation) {
    first = std::min(first, operation.line);
    last = std::max({last, operation.line, operation.returned_line});
  };
  if (draws()) {
    const auto window = report::window_of(result, options_.operations);
    for (std::size_t i = 0; i < window.count; ++i) show(all[window.first + i]);
  } else if (result.explanation) {
    for (const std::uint32_t i : result.explanation->culprits) show(all[i]);
  }
  return {first, last};
}

// No order of lines says what came between events of which nobody knows when
// they happened.
void HistoryRun::add_remarks(HistoryResult& result,
                             std::span<const history::Remark> all) const {
  constexpr std::size_t kMost = 100;
  if (result.history->clocked) return;
  const auto [first, last] = shown_lines(result);
  for (const history::Remark& remark : all) {
    if (remark.line > last) break;
    if (remark.line > first || !draws()) result.remarks.push_back(remark);
  }
  auto& kept = result.remarks;
  if (!draws() && kept.size() > kMost)
    kept.erase(kept.begin(), kept.end() - kMost);
}

void HistoryRun::explain(HistoryResult& result, Budget& budget) const {
  if (!options_.common.quiet || options_.common.outputs.any()) {
    // The verdict is known, and nobody wants to wait for it for ever because
    // the fewest operations that show it are hard to find.
    constexpr std::chrono::seconds kLongest{30};
    Budget words = options_.common.time_limit.empty()
                       ? Budget(Budget::Clock::now() + kLongest,
                                options_.common.memory_bytes())
                       : budget;
    result.explanation = check::explain(*result.history, *result.object,
                                        condition_, result.verdict, words);
    result.excess =
        check::measure_excess(*result.history, *result.object, condition_,
                              *result.explanation, words);
    result.replay = replay_command(result);
  }
  if (!options_.minimum_factor.empty()) {
    result.minimum_factors =
        check::minimum_factors(*result.history, *result.object, condition_,
                               relaxable_, options_.largest_sum, budget);
  }
}

// Beside them stand the smallest factors of the takes, if they are found soon.
void HistoryRun::measure_errors(HistoryResult& result, Budget& budget) const {
  if (result.history->clocked) {
    throw InputError("--errors wants to know in which order events happened",
                     "give times that are numbers, or none");
  }
  const check::Part part = check::ordered_by(condition_, *result.history);
  result.rank_errors =
      check::measure_errors(part.history, *object_, error_order_, budget);
  if (!result.rank_errors) return;
  for (check::TakeError& one : result.rank_errors->takes) {
    one.operation = part.origin[one.operation];
  }
  for (std::uint32_t& one : result.rank_errors->never_put) {
    one = part.origin[one];
  }
  result.listed_takes = options_.operations;
  check::Condition condition;
  condition.order = condition_.order;
  if (result.minimum_factors || !result.rank_errors->never_put.empty() ||
      result.rank_errors->not_known > 0 || spec::is_begun(*object_)) {
    return;
  }
  constexpr std::uint64_t kSteps = 3'000'000;
  Budget some = budget.with_steps(kSteps);
  result.minimum_factors = check::minimum_factors(
      *result.history, *object_, condition, check::names_of_takes(*object_),
      options_.largest_sum, some);
}

std::string HistoryRun::replay_command(const HistoryResult& result) const {
  if (result.file == "<stdin>") return "";  // it is gone
  std::string options =
      fmt::format("--spec {} --condition {}", in_quotes(options_.spec),
                  in_quotes(result.condition));
  if (options_.literal) {
    options += " --literal";
  } else if (options_.closed) {
    options += " --closed";
  }
  std::uint32_t line = 0;
  for (const history::Operation& o : result.history->operations) {
    if (o.returned == result.explanation->until) line = o.returned_line;
  }
  const bool by_line =
      result.file.ends_with(".jsonl") && line > 0 && !result.history->clocked;
  if (!by_line || condition_.closed) {
    return fmt::format("plumb history {} {}", options,
                       file_in_quotes(result.file));
  }
  return fmt::format("head -n {} {} | plumb history {} -", line,
                     file_in_quotes(result.file), options);
}

void HistoryRun::print(const JudgedFile& outcome) const {
  for (const report::BadInput& error : outcome.errors) {
    print_text(stderr, error.message);
  }
  if (!options_.common.says_text()) return;
  const report::TextOptions text{.color = options_.common.color()};
  for (const HistoryResult& result : outcome.results) {
    print_text(stdout, report::to_text(result, text), text.color);
  }
}

}  // namespace

Command add_history_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "history", "judge recorded histories: is this one consistent?");
  command->footer(kExitStatuses);
  auto options = std::make_shared<HistoryOptions>();
  options->add_to(*command);
  return [options] { return HistoryRun(*options).judge_all(); };
}

}  // namespace plumb::cli
