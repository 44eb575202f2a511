// SPDX-License-Identifier: Apache-2.0
#include "cli/explore_session.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <numeric>
#include <utility>

#include "base/budget.h"
#include "base/terminal_text.h"
#include "check/decide.h"
#include "check/explain.h"
#include "report/steps.h"
#include "report/timeline.h"
#include "report/trace.h"
#include "report/words.h"
#include "verify/path_history.h"

namespace plumb::cli {

namespace {

constexpr std::size_t kWidth = 100;
constexpr std::uint64_t kMostAtOnce = 100'000;

constexpr const char* kHelp =
    "NUMBER takes that step, a any step (a 10: ten of them), b goes back, "
    "r restarts;\ns shows the state, h the history, t the trace, q quits\n";

std::optional<std::uint64_t> number_in(const std::string& text) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return {};
  return number;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

char sign_of(lts::LabelKind kind) {
  constexpr std::array<char, 4> kSigns = {' ', '>', '<', '!'};
  return kSigns[static_cast<std::size_t>(kind)];
}

std::string step_words(const report::TraceStep& step) {
  std::string remark =
      step.line > 0 ? fmt::format("line {}", step.line) : std::string();
  const auto add = [&](const std::string& words) {
    remark += (remark.empty() ? "" : ", ") + words;
  };
  if (step.fault.empty()) {
    if (!step.effects.empty()) add(report::words_of(step.effects));
  } else {
    add(step.fault);
  }
  const std::string words =
      fmt::format("process {}  {} {:<24}", step.process, sign_of(step.kind),
                  report::fitted(step.statement, 48));
  if (remark.empty()) return words.substr(0, words.find_last_not_of(' ') + 1);
  return words + "   " + report::fitted(remark, kWidth - words.size() - 9);
}

}  // namespace

ExploreSession::ExploreSession(ask::Whole model, std::FILE* input, bool echo,
                               std::uint64_t seed)
    : model_(std::move(model)),
      system_(*model_.system),
      input_(input),
      echo_(echo),
      random_(seed) {}

std::optional<std::string> ExploreSession::read_line() {
  fmt::print("plumb> ");
  std::fflush(stdout);
  std::array<char, 256> buffer;
  std::string line;
  // Of a line that is longer than any command, only the beginning counts.
  while (std::fgets(buffer.data(), buffer.size(), input_) != nullptr) {
    const std::string piece = buffer.data();
    if (line.size() < buffer.size()) line += piece;
    if (piece.ends_with('\n')) break;
  }
  if (line.empty()) {
    fmt::print("\n");
    return std::nullopt;
  }
  line = trimmed(line);
  if (echo_)
    print_text(stdout, fmt::format("{}\n", report::fitted(line, kWidth)));
  return line;
}

void ExploreSession::run() {
  fmt::print("{}", kHelp);
  restart();
  while (const auto command = read_line()) {
    if (!obey(*command)) return;
  }
}

void ExploreSession::refuse(const std::string& command) const {
  print_text(stdout, fmt::format("'{}' is no command here: ",
                                 report::fitted(command, 40)));
  if (successors_.size() == 0) {
    fmt::print("there is no step to take; b, r, s, h, t or q\n");
  } else {
    fmt::print("a number from 1 to {}, or a, b, r, s, h, t or q\n",
               successors_.size());
  }
}

bool ExploreSession::obey(const std::string& command) {
  if (command == "q") return false;
  if (const auto number = number_in(command)) {
    if (!take(*number)) refuse(command);
  } else if (command == "a" || command.starts_with("a ")) {
    const auto count =
        command == "a" ? 1 : number_in(trimmed(command.substr(1)));
    if (!count || *count > kMostAtOnce || successors_.size() == 0) {
      refuse(command);
    } else {
      take_any(*count);
    }
  } else if (command == "b") {
    back();
  } else if (command == "r") {
    restart();
  } else if (command == "s") {
    show_state();
    show_steps();
  } else if (command == "h") {
    show_history();
  } else if (command == "t") {
    show_trace();
  } else if (command.empty() || command == "?" || command == "help") {
    fmt::print("{}", kHelp);
  } else {
    refuse(command);
  }
  return true;
}

void ExploreSession::arrive() {
  system_.successors(path_.states.back(), successors_);
}

void ExploreSession::restart() {
  path_ = {};
  path_.states.push_back(system_.initial());
  names_.assign(1, {});
  arrive();
  show_state();
  show_steps();
}

void ExploreSession::append(std::size_t index) {
  const lts::StateView after = successors_.state(index);
  const lts::Label label = successors_.label(index);
  report::CellNames names = names_.back();
  names.step(system_.explain(path_.states.back(), label, after));
  names_.push_back(std::move(names));
  path_.labels.push_back(label);
  path_.states.emplace_back(after.begin(), after.end());
  arrive();
  show_last_step();
}

bool ExploreSession::take(std::size_t number) {
  if (number < 1 || number > successors_.size()) return false;
  append(number - 1);
  show_state();
  show_steps();
  return true;
}

void ExploreSession::take_any(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count && successors_.size() > 0; ++i) {
    // Not std::uniform_int_distribution, which differs between libraries.
    append(random_() % successors_.size());
  }
  show_state();
  show_steps();
}

void ExploreSession::back() {
  if (path_.labels.empty()) {
    fmt::print("this is the first state\n");
    return;
  }
  path_.labels.pop_back();
  path_.states.pop_back();
  names_.pop_back();
  arrive();
  show_state();
  show_steps();
}

void ExploreSession::show_last_step() const {
  const std::size_t last = path_.size() - 1;
  report::CellNames names = names_[last];
  fmt::print("step {}: {}\n", path_.size(),
             step_words(report::describe_step(system_, path_.states[last],
                                              path_.labels[last],
                                              path_.states[last + 1], names)));
}

void ExploreSession::show_state() const {
  fmt::print("\nafter {}:\n", report::counted(path_.size(), "step"));
  std::string line = " ";
  report::CellNames names = names_.back();
  for (const lts::Variable& variable :
       names.translated(system_.describe(path_.states.back()))) {
    // Each process begins a line of its own; its locals follow it there.
    const bool of_process = variable.name.starts_with("process ");
    const std::size_t local =
        of_process ? variable.name.find(": ") : std::string::npos;
    const bool is_process = of_process && local == std::string::npos;
    const std::string name = local == std::string::npos
                                 ? variable.name
                                 : variable.name.substr(local + 2);
    const std::string item = report::fitted(
        fmt::format("{} = {}", name, variable.value), kWidth - 4);
    if (line.size() > 1 &&
        (is_process || line.size() + item.size() + 2 > kWidth)) {
      print_text(stdout, fmt::format("{}\n", line));
      line = " ";
    }
    line += (line.size() > 1 ? "  " : " ") + item;
  }
  if (line.size() > 1) print_text(stdout, fmt::format("{}\n", line));
}

void ExploreSession::show_steps() const {
  fmt::print("possible steps:\n");
  for (std::size_t i = 0; i < successors_.size(); ++i) {
    report::CellNames names = names_.back();
    fmt::print("{:>4}  {}\n", i + 1,
               step_words(report::describe_step(system_, path_.states.back(),
                                                successors_.label(i),
                                                successors_.state(i), names)));
  }
  if (successors_.size() == 0) fmt::print("      none\n");
  for (std::size_t p = 0; p < system_.processes(); ++p) {
    if ((successors_.waiting >> p & 1) != 0) {
      fmt::print("      process {} waits\n", p);
    }
  }
  const std::vector<lts::Bound> bounds = system_.bounds();
  for (std::size_t b = 0; b < bounds.size(); ++b) {
    if ((successors_.cut >> b & 1) != 0) {
      fmt::print("      a step is not possible with {}\n", bounds[b].text);
    }
  }
}

void ExploreSession::show_trace() const {
  report::Trace trace;
  report::describe_path(system_, path_, trace);
  print_text(stdout, report::draw_steps(trace, "  ", kWidth));
}

void ExploreSession::show_history() const {
  if (!model_.specification && path_.size() > 0) {
    show_trace();
    return;
  }
  const history::History history =
      verify::history_of(path_.labels, model_.codes, system_.processes());
  if (history.size() == 0) {
    fmt::print("nothing was called yet\n");
    return;
  }
  const spec::Specification& object = *model_.specification;
  std::vector<std::uint32_t> all(history.size());
  std::iota(all.begin(), all.end(), 0u);
  fmt::print("{}", report::draw_timeline(history, object, all,
                                         {"  ", kWidth, "steps"}));
  Budget budget;
  const check::Verdict verdict =
      check::decide(history, object, {}, {.want_order = true}, budget);
  if (verdict.answer != check::Answer::kHolds) {
    fmt::print("no order of the calls explains them\n");
    return;
  }
  std::string order;
  for (const std::uint32_t i : verdict.order) {
    order += (order.empty() ? "" : ", ") +
             check::describe(history.operations[i], object);
  }
  fmt::print("an order that explains it: {}\n",
             order.empty() ? "none took effect" : order);
}

}  // namespace plumb::cli
