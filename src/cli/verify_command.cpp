// SPDX-License-Identifier: Apache-2.0
// plumb verify: decides the checks of models.
#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "ask/minimum_factor.h"
#include "base/input_error.h"
#include "base/memory_ceiling.h"
#include "base/quantities.h"
#include "base/samples.h"
#include "base/terminal_text.h"
#include "base/time_shares.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/csp_checks.h"
#include "cli/draw_states.h"
#include "cli/inputs.h"
#include "cli/model_checks.h"
#include "cli/model_result.h"
#include "cli/parallel.h"
#include "cli/progress.h"
#include "cli/replay.h"
#include "cli/seal_key.h"
#include "cli/write_lts.h"
#include "explore/spill.h"
#include "report/model_json.h"
#include "report/model_text.h"
#include "report/trace_json.h"
#include "verify/journal.h"

namespace plumb::cli {

namespace {

using report::ModelResult;

struct VerifyOptions {
  ModelOptions model;
  std::string method = "auto";
  std::string search = "bfs";
  std::uint64_t state_limit = 0;
  std::string trace;   // where to write the counterexample
  std::string replay;  // a counterexample to walk again
  std::string lts;     // where to write the states of the first check
  bool graph = false;  // tell all states of small models
  bool no_symmetry = false, no_data_symmetry = false;
  bool no_tight_calls = false, no_por = false;
  std::string por = "both";
  std::string store = "exact";
  std::string checkpoint, checkpoint_every = "60s", resume;
  std::string spill;
  std::string relaxation = "exact";
  std::string fairness = "none";
  bool pat_counts = false, keep_dead = false;
  ask::MinimumFactor factor;
  CommonOptions common;

  void add_to(CLI::App& command);
  void add_reductions_to(CLI::App& command);
  void add_relaxations_to(CLI::App& command);
  void add_assertions_to(CLI::App& command);
  void add_checkpoints_to(CLI::App& command);
  verify::Options options() const;
  lts::Reductions reductions() const;
  assertions::Fairness fair() const;
  // What the check asks, to be answered as the options say, but for options().
  // Throws InputError.
  ask::Question question(const LoadedCheck& check) const;
  Budget budget() const;
  void require_saved_kind(const LoadedCheck& check) const;
  // Null if nothing is to be saved or resumed.  Throws InputError.
  std::unique_ptr<verify::Journal> journal(
      const std::vector<LoadedCheck>& checks) const;
};

void VerifyOptions::add_to(CLI::App& command) {
  model.add_to(command, false);
  command
      .add_option("--method", method,
                  "of linearizability: auto (default), exact, points")
      ->check(CLI::IsMember({"auto", "exact", "points"}))
      ->option_text("HOW");
  command
      .add_option("--search", search,
                  "bfs (default: shortest counterexamples), dfs")
      ->check(CLI::IsMember({"bfs", "dfs"}))
      ->option_text("ORDER");
  command
      .add_option("--state-limit", state_limit,
                  "answer 'unknown' beyond this many states")
      ->type_name("N");
  command
      .add_option("--trace", trace,
                  "write the first counterexample to a file, as JSON")
      ->type_name("FILE");
  command.add_option("--replay", replay, "walk such a counterexample again")
      ->type_name("FILE");
  command
      .add_option("--lts", lts,
                  "write states and steps of the first check: .aut, .dot")
      ->type_name("FILE");
  command.add_flag("--graph", graph,
                   "--json tells the states of small models (--html does)");
  add_relaxations_to(command);
  add_assertions_to(command);
  add_reductions_to(command);
  add_checkpoints_to(command);
  common.add_to(command);
}

void VerifyOptions::add_relaxations_to(CLI::App& command) {
  command
      .add_option("--minimum-factor", factor.of,
                  "the smallest quasi factor of this operation that holds")
      ->type_name("NAME");
  command
      .add_option("--largest-factor", factor.largest,
                  "where that search stops (default: 8)")
      ->type_name("N");
  command
      .add_option("--relaxation", relaxation,
                  "of quasi: exact (default), window (inexact, to compare)")
      ->check(CLI::IsMember({"exact", "window"}))
      ->option_text("HOW");
}

void VerifyOptions::add_assertions_to(CLI::App& command) {
  command
      .add_option("--fairness", fairness,
                  "of formulas: none (default), weak, strong, global, "
                  "weak-event, strong-event")
      ->check(CLI::IsMember(
          {"none", "weak", "strong", "global", "weak-event", "strong-event"}))
      ->option_text("KIND");
  command.add_flag("--pat-counts", pat_counts,
                   "of CSP#: search as PAT does, and count the same");
  command.add_flag("--keep-dead", keep_dead,
                   "of CSP#: tell variables apart that are never read again");
}

void VerifyOptions::add_checkpoints_to(CLI::App& command) {
  command
      .add_option("--checkpoint", checkpoint,
                  "save the progress of a check again and again")
      ->type_name("FILE");
  command
      .add_option("--checkpoint-every", checkpoint_every,
                  "how often (default: 60s)")
      ->type_name("TIME");
  command.add_option("--resume", resume, "go on where that file ends")
      ->type_name("FILE");
  command
      .add_option("--spill", spill,
                  "folder for states beyond the memory limit (default: TMPDIR "
                  "or /var/tmp; 'none')")
      ->type_name("DIR");
}

// Where memory ends, a file takes the states; the rest of a search is small,
// as a rule.
Budget VerifyOptions::budget() const {
  const Budget budget = common.budget();
  MemoryCeiling::set(common.memory_bytes());
  if (spill == "none") return budget;
  const char* temporary = std::getenv("TMPDIR");
  const std::string folder = !spill.empty()         ? spill
                             : temporary != nullptr ? temporary
                                                    : "/var/tmp";
  // Tables that grow touch many pages at once, so that pages go to the file
  // long before a limit that somebody has set; what cannot lie there ends the
  // run at the limit.
  const std::size_t limit = common.memory_bytes();
  const std::string why_not = explore::Spill::enable(
      folder, common.memory_limit.empty() ? limit / 8 * 7 : limit / 2);
  if (why_not.empty()) return budget;
  if (!spill.empty()) {
    throw InputError(fmt::format("--spill '{}': {}", spill, why_not),
                     "name a folder that can be written to, or 'none'");
  }
  return budget;
}

// A proof by a relation and a comparison of specifications are no searches of a
// system.
void VerifyOptions::require_saved_kind(const LoadedCheck& check) const {
  if (search != "bfs" || store != "exact") {
    throw InputError(
        "--checkpoint and --resume need --search bfs and --store exact");
  }
  if (!factor.of.empty()) {
    throw InputError(
        "--checkpoint and --resume do not go with --minimum-factor");
  }
  if (pat_counts) {
    throw InputError("--checkpoint and --resume do not go with --pat-counts");
  }
  const ask::Question asked = check.subject->question();
  if (asked.property == ask::Property::kComparison ||
      asked.proof == ask::Proof::kRelation) {
    throw InputError(fmt::format(
        "--checkpoint and --resume are for searches, and '{}' is none",
        check.subject->property_text(asked)));
  }
}

// Everything that decides what the search does, in its order.
std::unique_ptr<verify::Journal> VerifyOptions::journal(
    const std::vector<LoadedCheck>& checks) const {
  if (checkpoint.empty() && resume.empty()) return nullptr;
  if (checks.empty()) return nullptr;  // why has been said
  if (checks.size() != 1) {
    throw InputError(
        fmt::format("--checkpoint and --resume are for one check, not {}",
                    checks.size()),
        "choose one with --check");
  }
  const LoadedCheck& check = checks.front();
  require_saved_kind(check);
  verify::Journal::Settings settings;
  settings.save_to = checkpoint;
  settings.resume_from = resume;
  settings.seconds = parse_seconds(checkpoint_every);
  const std::string switches =
      fmt::format("{} {} {} {} {} {} {} {} {} {} {}", no_symmetry,
                  no_data_symmetry, no_tight_calls, no_por, por, method,
                  relaxation, search, fairness, pat_counts, keep_dead);
  const text::Source& source = check.subject->source();
  settings.identity =
      fmt::format("plumb {}\n{}\n{}\n{}\n{}", kVersion, check.text, switches,
                  fmt::join(model.sets, " "), source.text());
  settings.key = users_seal_key();
  auto journal = std::make_unique<verify::Journal>(settings);
  journal->prepare();
  return journal;
}

void VerifyOptions::add_reductions_to(CLI::App& command) {
  command.add_flag("--no-symmetry", no_symmetry,
                   "tell states apart that differ in names of processes");
  command.add_flag("--no-data-symmetry", no_data_symmetry,
                   "... in names of values");
  command.add_flag("--no-tight-calls", no_tight_calls,
                   "calls may begin early and end late");
  command.add_flag("--no-por", no_por, "no partial order reduction");
  command
      .add_option("--por", por,
                  "by persistent sets, cartesian vectors or both (default)")
      ->check(CLI::IsMember({"persistent", "cartesian", "both"}))
      ->option_text("HOW");
  command
      .add_option("--store", store,
                  "of states: exact (default), compact or bitstate, which "
                  "may overlook some")
      ->check(CLI::IsMember({"exact", "compact", "bitstate"}))
      ->option_text("KIND");
}

lts::Reductions VerifyOptions::reductions() const {
  using PartialOrder = lts::Reductions::PartialOrder;
  lts::Reductions out;
  out.process_symmetry = !no_symmetry;
  out.data_symmetry = !no_data_symmetry;
  out.tight_calls = !no_tight_calls;
  out.partial_order = no_por                ? PartialOrder::kNone
                      : por == "cartesian"  ? PartialOrder::kCartesian
                      : por == "persistent" ? PartialOrder::kPersistent
                                            : PartialOrder::kBoth;
  return out;
}

verify::Options VerifyOptions::options() const {
  using Options = verify::Options;
  Options out;
  out.order = search == "dfs" ? Options::Order::kDepthFirst
                              : Options::Order::kBreadthFirst;
  out.method = method == "exact"    ? Options::Method::kExact
               : method == "points" ? Options::Method::kPoints
                                    : Options::Method::kAuto;
  out.state_limit = state_limit;
  // The queue of states and all the rest need memory too.
  out.table_bytes = std::min(out.table_bytes, common.memory_bytes() / 2);
  if (search == "dfs" && store != "exact") {
    throw InputError("--search dfs needs --store exact");
  }
  out.store = store == "compact"    ? Options::Store::kCompact
              : store == "bitstate" ? Options::Store::kBitstate
                                    : Options::Store::kExact;
  return out;
}

assertions::Fairness VerifyOptions::fair() const {
  using assertions::Fairness;
  return fairness == "weak"           ? Fairness::kWeakProcess
         : fairness == "strong"       ? Fairness::kStrongProcess
         : fairness == "global"       ? Fairness::kStrongGlobal
         : fairness == "weak-event"   ? Fairness::kWeakEvent
         : fairness == "strong-event" ? Fairness::kStrongEvent
                                      : Fairness::kNone;
}

ask::Question VerifyOptions::question(const LoadedCheck& check) const {
  ask::Question out = check.subject->question();
  out.reductions = reductions();
  out.construction = relaxation == "window" ? check::Construction::kWindow
                                            : check::Construction::kExact;
  if (!out.fairness) out.fairness = fair();
  out.pat_counts = pat_counts;
  out.keep_dead = keep_dead;
  return out;
}

ExitStatus status_of(const ModelResult& result) {
  if (result.is_as_expected()) return kExitHolds;
  return result.outcome.answer == check::Answer::kUnknown ? kExitUnknown
                                                          : kExitViolated;
}

// What one check gave: a result, or an error of its line.
struct Ended {
  std::optional<ModelResult> result;
  std::optional<report::BadInput> error;
};

void add_hint(Ended& outcome) {
  std::string& hint = outcome.result->outcome.hint;
  if (!hint.empty()) hint += "; ";
  hint += "that was its share of --time-limit: --check gives it all to one";
}

bool is_unknown(const Ended& outcome) {
  return outcome.result &&
         outcome.result->outcome.answer == check::Answer::kUnknown;
}

// Leaves the checks that have quasi factors.  Throws InputError if none is left
// of some.
void leave_checks_with_factors(std::vector<LoadedCheck>& checks) {
  if (checks.empty()) return;
  std::erase_if(checks, [](const LoadedCheck& check) {
    return !ask::has_factors(*check.subject);
  });
  if (!checks.empty()) return;
  throw InputError(
      "--minimum-factor: none of the checks has quasi factors",
      "'linearizable', 'quasi(...)' and these with other orders have");
}

class VerifyRun {
 public:
  explicit VerifyRun(const VerifyOptions& options)
      : options_(options),
        search_(options.options()),
        settings_(options.model.settings()),
        budget_(options.budget()) {}

  ExitStatus check_all();

 private:
  void check_in_shares(const std::vector<LoadedCheck>& checks);
  Ended check_one(const LoadedCheck& check, const Budget& budget) const;
  ModelResult decide(const LoadedCheck& check, const Budget& budget) const;
  ModelResult find_factor(const LoadedCheck& check, ask::Question question,
                          Budget budget) const;
  void add_sources(const LoadedCheck& check, const Ended& outcome);
  void suggest_resuming(verify::Outcome& outcome) const;
  void take(Ended outcome);
  void take(report::BadInput error);
  void require_apart() const;
  void print_summary() const;
  void write_trace() const;

  const VerifyOptions& options_;
  verify::Options search_;
  std::unique_ptr<verify::Journal> journal_;  // null: nothing is saved
  lang::Settings settings_;
  Budget budget_;
  ExitStatus status_ = kExitHolds;
  report::Json results_ = report::Json::array();  // if anybody wants them
  report::Sources sources_;
  std::vector<report::BadInput> errors_;
  std::optional<report::Trace> first_trace_;
  bool evidence_above_ = false;  // the next line needs some distance
  std::size_t checks_ = 0, as_expected_ = 0, unknown_ = 0;
};

ExitStatus VerifyRun::check_all() {
  require_apart();
  if (!options_.lts.empty()) require_lts_name(options_.lts);
  ModelOptions model = options_.model;
  model.quiet = options_.common.quiet;
  Loaded loaded = load_checks(model);
  for (report::BadInput& error : loaded.errors) take(std::move(error));
  if (!options_.factor.of.empty()) leave_checks_with_factors(loaded.checks);
  if (options_.relaxation == "window") {
    for (LoadedCheck& check : loaded.checks) {
      check.arguments += " --relaxation window";
    }
  }
  journal_ = options_.journal(loaded.checks);
  search_.journal = journal_.get();
  // One check gets all threads; several share them.
  const std::size_t workers = options_.common.worker_count();
  search_.threads = workers / std::max<std::size_t>(loaded.checks.size(), 1);
  check_in_shares(loaded.checks);
  print_summary();
  write_trace();
  if (!options_.lts.empty() && !loaded.checks.empty()) {
    write_lts(options_.lts, loaded.checks.front(), options_.state_limit,
              budget_);
  }
  if (options_.common.outputs.any()) {
    options_.common.outputs.write(
        report::result_file("object", std::move(results_), errors_,
                            run_facts(sources_)),
        options_.common.quiet);
  }
  return Budget::interrupted ? kExitInterrupted : status_;
}

// Results come out in the order of the checks.
void VerifyRun::check_in_shares(const std::vector<LoadedCheck>& checks) {
  const unsigned workers = options_.common.worker_count();
  // What is saved is saved once: there, the checks come one after the other.
  const bool in_shares = journal_ == nullptr;
  const auto deadline = options_.common.deadline();
  TimeShares time(deadline, checks.size(), in_shares ? workers : 0);
  std::vector<Ended> outcomes(checks.size());
  std::vector<char> ran_out(checks.size());
  std::size_t taken = 0;
  Progress progress(checks.size(), "checks", "states");
  const auto take_next = [&] {
    progress.clear();
    if (ran_out[taken] != 0) add_hint(outcomes[taken]);
    add_sources(checks[taken], outcomes[taken]);
    take(std::move(outcomes[taken]));
    progress.finished_one();
    ++taken;
  };
  do {
    const std::vector<std::size_t>& round = time.jobs();
    in_order(
        round.size(), workers,
        [&](std::size_t k) {
          const std::size_t i = round[k];
          const auto end = time.begin();
          const Budget share(end, options_.common.memory_bytes());
          outcomes[i] = check_one(checks[i], end < deadline ? share : budget_);
          ran_out[i] = is_unknown(outcomes[i]) && end < deadline &&
                       Budget::Clock::now() >= end;
          if (ran_out[i] != 0) time.ran_out(i);
          malloc_trim(0);  // the memory limit counts what the process holds
        },
        [&](std::size_t k) {
          while (taken <= round[k] && ran_out[taken] == 0) take_next();
        });
  } while (time.next_round());
  while (taken < checks.size()) take_next();
  progress.stop();
}

// What is resumed may be saved to the same file; all else stays apart.
void VerifyRun::require_apart() const {
  const NamedFiles written = {{"--trace", options_.trace},
                              {"--lts", options_.lts},
                              {"--checkpoint", options_.checkpoint}};
  const OutputOptions& outputs = options_.common.outputs;
  outputs.require_apart(written, expand_models(options_.model.inputs));
  if (options_.resume.empty()) return;
  outputs.require_apart({written[0], written[1]}, {options_.resume});
}

// What is asked of cycles, of all states together or of specifications needs
// whole states.
bool needs_whole_states(const ask::Question& question) {
  switch (question.property) {
    case ask::Property::kProgress:
      return question.progress != verify::Progress::kDeadlockFree;
    case ask::Property::kDivergenceFree:
    case ask::Property::kSatisfies:
    case ask::Property::kComparison:
      return true;
    case ask::Property::kRefines:
      return question.pat_counts;
    default:
      return false;
  }
}

// A store that may take one state for another changes what `holds` means, so
// that nobody must think it was used where it is not.
void require_store_fits(const LoadedCheck& check, const ask::Question& question,
                        const std::string& store) {
  if (store == "exact" || !needs_whole_states(question)) return;
  throw InputError(
      check.subject->place(),
      fmt::format("--store {} keeps too little of a state for this", store),
      "leave it out, or name the checks with --check");
}

ModelResult VerifyRun::decide(const LoadedCheck& check,
                              const Budget& budget) const {
  ask::Question question = options_.question(check);
  question.search = search_;
  require_store_fits(check, question, options_.store);
  if (!options_.factor.of.empty()) return find_factor(check, question, budget);
  const auto answer = [&] {
    Budget own = budget;
    return result_of(check, question, check.subject->answer(question, own),
                     settings_);
  };
  if (!options_.common.outputs.any()) return answer();
  Samples samples;
  const Samples::Counting counting(samples);
  ModelResult result = answer();
  const verify::Statistics& statistics = result.outcome.statistics;
  result.samples = samples.until({statistics.seconds, statistics.states});
  if (options_.graph || !options_.common.outputs.html.empty()) {
    draw_states(check, question, budget, result);
  }
  return result;
}

// What the check expects does not matter.
ModelResult VerifyRun::find_factor(const LoadedCheck& check,
                                   ask::Question question,
                                   Budget budget) const {
  ask::MinimumFactor minimum = options_.factor;
  ask::Outcome outcome =
      ask::find_minimum_factor(*check.subject, question, minimum, budget);
  LoadedCheck tried = check;
  tried.text = check.subject->text(question);
  tried.arguments += fmt::format(" --minimum-factor {} --largest-factor {}",
                                 minimum.of, minimum.largest);
  ModelResult result =
      result_of(tried, question, std::move(outcome), settings_);
  result.expect.reset();
  result.minimum_factor = {minimum.of, minimum.found, minimum.tried,
                           minimum.refuted};
  return result;
}

void VerifyRun::add_sources(const LoadedCheck& check, const Ended& outcome) {
  if (!outcome.result || !outcome.result->trace) return;
  const text::Source& source = check.subject->source();
  const std::string_view text = source.text();
  // A newline stands behind each text but the last.
  for (std::size_t begin = 0; begin < text.size();) {
    const auto at = static_cast<std::uint32_t>(begin);
    const std::size_t end = source.end_of_part(at);
    sources_.add(source.place({at, 1}).source,
                 std::string(text.substr(begin, end - begin)));
    begin = end + 1;
  }
}

Ended VerifyRun::check_one(const LoadedCheck& check,
                           const Budget& budget) const {
  Ended outcome;
  try {
    outcome.result = decide(check, budget);
    // Everybody knows what an expected violation looks like; those who want
    // to see it again name the check.
    ModelResult& result = *outcome.result;
    result.show_evidence =
        !result.is_as_expected() || !options_.model.checks.empty();
    suggest_resuming(result.outcome);
  } catch (const InputError& error) {
    outcome.error = {check.file, error.describe()};
  }
  return outcome;
}

void VerifyRun::suggest_resuming(verify::Outcome& outcome) const {
  const verify::Journal* journal = journal_.get();
  // A path leads to an error of the model: there is nothing to go on with.
  if (outcome.answer != check::Answer::kUnknown || !outcome.hint.empty() ||
      outcome.path || journal == nullptr || !journal->has_saved()) {
    return;
  }
  outcome.hint = fmt::format("go on with --resume '{}'", options_.checkpoint);
}

void VerifyRun::take(report::BadInput error) {
  // What concerns a whole file, such as --set, every check of it would say.
  for (const report::BadInput& other : errors_) {
    if (other.message == error.message) return;
  }
  print_text(stderr, error.message);
  status_ = worse(status_, kExitBadInput);
  errors_.push_back(std::move(error));
}

void VerifyRun::take(Ended outcome) {
  if (outcome.error) return take(std::move(*outcome.error));
  ModelResult& result = *outcome.result;
  status_ = worse(status_, status_of(result));
  ++checks_;
  if (result.is_as_expected()) {
    ++as_expected_;
  } else if (result.outcome.answer == check::Answer::kUnknown) {
    ++unknown_;
  }
  if (result.trace && !first_trace_) first_trace_ = result.trace;
  if (options_.common.says_text()) {
    const report::TextOptions text{.color = options_.common.color()};
    if (evidence_above_) std::fputc('\n', stdout);
    evidence_above_ = result.trace && result.show_evidence;
    print_text(stdout, report::to_text(result, text), text.color);
    std::fflush(stdout);
  }
  if (!options_.common.outputs.any()) return;
  result.show_evidence = true;
  results_.push_back(to_json(result));
}

void VerifyRun::print_summary() const {
  // A search for factors expects nothing.
  if (checks_ < 2 || !options_.common.says_text() ||
      !options_.factor.of.empty()) {
    return;
  }
  std::string out =
      fmt::format("{} checks: {} as expected", checks_, as_expected_);
  const std::size_t others = checks_ - as_expected_ - unknown_;
  if (others > 0) out += fmt::format(", {} not", others);
  if (unknown_ > 0) out += fmt::format(", {} unknown", unknown_);
  fmt::print("\n{}\n", out);
}

void VerifyRun::write_trace() const {
  if (options_.trace.empty()) return;
  if (first_trace_) {
    write_output(options_.trace, report::trace_file(*first_trace_));
  } else {
    print_text(stderr,
               fmt::format("plumb: nothing is violated: '{}' was not written\n",
                           one_line(options_.trace)));
  }
}

ExitStatus run(const VerifyOptions& options) {
  if (!options.replay.empty()) {
    std::vector<std::string> inputs = options.model.inputs;
    inputs.push_back(options.replay);
    options.common.outputs.require_apart({}, inputs);
    return replay(options.replay, options.model.inputs, options.common);
  }
  if (options.model.inputs.empty()) {
    throw InputError("MODEL is required", "'plumb verify --help' tells more");
  }
  return VerifyRun(options).check_all();
}

}  // namespace

Command add_verify_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "verify", "verify a model of an object for every client");
  command->footer(kExitStatuses);
  auto options = std::make_shared<VerifyOptions>();
  options->add_to(*command);
  return [options] { return run(*options); };
}

}  // namespace plumb::cli
