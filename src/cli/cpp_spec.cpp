// SPDX-License-Identifier: Apache-2.0
#include "cli/cpp_spec.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "base/input_error.h"
#include "base/limit_error.h"
#include "base/map_value.h"
#include "cli/process.h"
#include "cli/test_build.h"
#include "spec/notation.h"

namespace plumb::cli {
namespace {

// LIMIT: one call that takes longer ends the search.
constexpr std::chrono::seconds kPatience{10};

// What a message holds: see include/plumb/spec/wire.h.
class Writer {
 public:
  void number(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, rest >>= 8) {
      out_ += static_cast<char>(rest & 0xFF);
    }
  }
  void text(std::string_view text) {
    number(static_cast<std::int64_t>(text.size()));
    out_ += text;
  }
  void value(Value value) {
    if (value.is_null()) {
      out_ += 'n';
    } else if (value.is_boolean()) {
      out_ += value.is_true() ? 't' : 'f';
    } else if (const auto integer = to_integer(value)) {
      out_ += 'i';
      number(*integer);
    } else if (value.is_text()) {
      out_ += 's';
      text(value.as_text());
    } else if (is_map(value)) {
      const auto all = keys_and_values(value);
      out_ += 'm';
      number(static_cast<std::int64_t>(all.size() / 2));
      for (const Value each : all) this->value(each);
    } else if (value.is_list()) {
      out_ += 'l';
      number(static_cast<std::int64_t>(value.items().size()));
      for (const Value each : value.items()) this->value(each);
    } else {
      out_ += 'd';
      text(value.to_string());
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(std::string_view in) : in_(in) {}

  std::int64_t number() {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) {
      out |= std::uint64_t{static_cast<unsigned char>(byte())} << (8 * i);
    }
    return static_cast<std::int64_t>(out);
  }
  std::string_view text() {
    const auto size = static_cast<std::size_t>(number());
    if (size > in_.size() - at_) broken();
    at_ += size;
    return in_.substr(at_ - size, size);
  }
  Value value() {
    const char kind = byte();
    switch (kind) {
      case 'n':
        return {};
      case 't':
      case 'f':
        return Value::boolean(kind == 't');
      case 'i':
        return Value::integer(number());
      case 's':
        return Value::text(text());
      case 'd':
        return Value::big_number(text());
      case 'l':
        return Value::list(values(1));
      case 'm':
        return map_of(sorted(values(2)));
      default:
        broken();
    }
  }

 private:
  [[noreturn]] static void broken() {
    throw InputError("the specification gave an answer that means nothing");
  }
  char byte() {
    if (at_ >= in_.size()) broken();
    return in_[at_++];
  }
  std::vector<Value> values(std::int64_t each) {
    std::vector<Value> out;
    for (std::int64_t left = each * number(); left > 0; --left) {
      out.push_back(value());
    }
    return out;
  }
  // By key, as map_of() wants them.
  static std::vector<Value> sorted(const std::vector<Value>& entries) {
    std::vector<std::pair<Value, Value>> pairs;
    for (std::size_t i = 0; i + 1 < entries.size(); i += 2) {
      pairs.emplace_back(entries[i], entries[i + 1]);
    }
    std::sort(pairs.begin(), pairs.end(), [](const auto& a, const auto& b) {
      return compare(a.first, b.first) < 0;
    });
    std::vector<Value> out;
    for (const auto& [key, entry] : pairs) {
      out.push_back(key);
      out.push_back(entry);
    }
    return out;
  }

  std::string_view in_;
  std::size_t at_ = 0;
};

// The program of a specification while it runs.
class Server {
 public:
  Server(std::string file, const std::string& program);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string ask(const std::string& question);
  std::string receive();
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(Place{.source = file_, .text = ""}, what);
  }

 private:
  void read_all(char* to, std::size_t size);
  [[noreturn]] void has_ended();

  std::string file_;
  int socket_ = -1;
  pid_t process_ = -1;
};

Server::Server(std::string file, const std::string& program)
    : file_(std::move(file)) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    fail(fmt::format("cannot be started: {}", std::strerror(errno)));
  }
  process_ = fork();
  if (process_ == 0) {
    dup2(ends[1], 0);
    execl(program.c_str(), program.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  socket_ = ends[0];
  if (process_ < 0) {
    fail(fmt::format("cannot be started: {}", std::strerror(errno)));
  }
}

Server::~Server() {
  close(socket_);
  if (process_ <= 0) return;
  kill(process_, SIGKILL);
  waitpid(process_, nullptr, 0);
}

void Server::has_ended() {
  int status = 0;
  const bool known = waitpid(process_, &status, 0) == process_;
  process_ = -1;
  if (known && WIFSIGNALED(status)) {
    fail(fmt::format("this specification was ended by signal {} ({})",
                     WTERMSIG(status), strsignal(WTERMSIG(status))));
  }
  fail("this specification has ended by itself");
}

void Server::read_all(char* to, std::size_t size) {
  const auto latest = std::chrono::steady_clock::now() + kPatience;
  while (size > 0) {
    pollfd waited{socket_, POLLIN, 0};
    if (poll(&waited, 1, 100) <= 0) {
      if (Budget::interrupted) throw LimitError("interrupted");
      if (std::chrono::steady_clock::now() < latest) continue;
      throw LimitError(
          fmt::format("the specification {} did not answer for {} s", file_,
                      kPatience.count()));
    }
    const ssize_t got = read(socket_, to, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) has_ended();
    to += got;
    size -= static_cast<std::size_t>(got);
  }
}

std::string Server::receive() {
  std::array<char, 4> head{};
  read_all(head.data(), head.size());
  std::size_t size = 0;
  for (std::size_t i = head.size(); i-- > 0;) {
    size = size << 8 | static_cast<unsigned char>(head[i]);
  }
  std::string out(size, '\0');
  read_all(out.data(), size);
  return out;
}

std::string Server::ask(const std::string& question) {
  if (process_ <= 0) fail("this specification has ended");
  std::string message;
  for (int i = 0; i < 4; ++i) {
    message += static_cast<char>(question.size() >> (8 * i) & 0xFF);
  }
  message += question;
  for (std::size_t at = 0; at < message.size();) {
    const ssize_t sent =
        send(socket_, message.data() + at, message.size() - at, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) has_ended();
    at += static_cast<std::size_t>(sent);
  }
  return receive();
}

// States are numbers that the program gave; what it answered is remembered.
class CppSpec final : public spec::Specification, public spec::Notation {
 public:
  CppSpec(const std::string& file, const std::string& program);

  std::string name() const override { return name_; }
  std::span<const spec::Signature> operations() const override {
    return operations_;
  }
  spec::State initial() const override { return {Value::integer(0)}; }
  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override;
  std::optional<Value> part(const spec::Call& call) const override {
    if (partition_ < 0) return std::nullopt;
    return argument(call, static_cast<std::size_t>(partition_));
  }
  bool parts_are_objects() const override { return partition_ >= 0; }
  std::string describe(const spec::State& state) const override;

  Value taken(std::uint16_t code, Value argument) const override;
  Value given(std::uint16_t, Value result) const override { return result; }

 private:
  struct Question {
    std::int64_t state;
    spec::Call call;

    friend bool operator==(const Question&, const Question&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Question& one) {
      return H::combine(std::move(h), one.state, one.call.code,
                        one.call.argument);
    }
  };
  using Answers = std::vector<std::pair<Value, std::int64_t>>;

  Value argument(const spec::Call& call, std::size_t which) const {
    return parameters_[call.code] == 1 ? call.argument
                                       : call.argument.items()[which];
  }
  const Answers& answers(const Question& question) const;

  std::string name_;
  std::int64_t partition_ = -1;
  std::vector<std::string> names_;
  std::vector<std::size_t> parameters_;
  std::vector<std::vector<Value>> keys_;  // of maps of them; or empty
  std::vector<spec::Signature> operations_;

  mutable std::mutex mutex_;
  mutable Server server_;
  mutable FlatMap<Question, Answers> known_;
};

CppSpec::CppSpec(const std::string& file, const std::string& program)
    : server_(file, program) {
  const std::string message = server_.receive();
  Reader in(message);
  name_ = in.text();
  partition_ = in.number();
  const auto count = static_cast<std::size_t>(in.number());
  names_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    names_.emplace_back(in.text());
    parameters_.push_back(static_cast<std::size_t>(in.number()));
    auto& keys = keys_.emplace_back();
    for (std::int64_t left = in.number(); left > 0; --left) {
      keys.push_back(Value::text(in.text()));
    }
    if (!keys.empty() && keys.size() != parameters_.back()) {
      server_.fail(fmt::format("'{}' has {} parameters, but {} names",
                               names_.back(), parameters_.back(), keys.size()));
    }
    spec::Signature& one = operations_.emplace_back();
    one.name = names_.back();
    one.argument = parameters_.back() == 0 ? spec::Argument::kNone
                                           : spec::Argument::kValue;
    one.result = in.number() != 0 ? spec::Result::kValue : spec::Result::kNone;
    one.reads_only = in.number() != 0;
    const bool has_part =
        partition_ < static_cast<std::int64_t>(parameters_.back());
    if (partition_ >= 0 && !has_part) {
      server_.fail(fmt::format("'{}' has no argument {} to partition by",
                               names_.back(), partition_));
    }
  }
  if (count == 0) server_.fail("this specification has no operations");
}

const CppSpec::Answers& CppSpec::answers(const Question& question) const {
  const auto [entry, is_new] = known_.try_emplace(question);
  if (!is_new) return entry->second;
  Answers found;
  try {
    Writer out;
    out.number(question.state);
    out.number(question.call.code);
    out.value(question.call.argument);
    const std::string message = server_.ask(out.take());
    Reader in(message);
    const std::int64_t count = in.number();
    if (count < 0) {
      server_.fail(fmt::format("{}({}): {}", names_[question.call.code],
                               question.call.argument.to_string(), in.text()));
    }
    for (std::int64_t i = 0; i < count; ++i) {
      const Value result = in.value();
      found.emplace_back(result, in.number());
    }
  } catch (...) {
    known_.erase(question);
    throw;
  }
  return known_.find(question)->second = std::move(found);
}

void CppSpec::apply(const spec::State& state, const spec::Call& call,
                    std::vector<spec::Outcome>& outcomes) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [result, next] : answers({state[0].as_integer(), call})) {
    spec::Outcome& one = outcomes.emplace_back();
    one.result = result;
    one.next.push_back(Value::integer(next));
  }
}

std::string CppSpec::describe(const spec::State& state) const {
  const std::lock_guard lock(mutex_);
  Writer out;
  out.number(state[0].as_integer());
  out.number(-1);
  const std::string message = server_.ask(out.take());
  Reader in(message);
  in.number();
  const std::string_view text = in.text();
  return text.empty() ? fmt::format("state {}", state[0].as_integer())
                      : std::string(text);
}

Value CppSpec::taken(std::uint16_t code, Value argument) const {
  const std::size_t wanted = parameters_[code];
  if (wanted < 2) return argument;
  if (!is_map(argument) && argument.is_list() &&
      argument.items().size() == wanted) {
    return argument;
  }
  std::vector<Value> found;
  if (is_map(argument) && keys_and_values(argument).size() == 2 * wanted) {
    const auto all = keys_and_values(argument);
    for (const Value key : keys_[code]) {
      for (std::size_t i = 0; i < all.size(); i += 2) {
        if (all[i] == key) found.push_back(all[i + 1]);
      }
    }
  }
  if (found.size() == wanted) return Value::list(found);
  std::string words =
      fmt::format("'{}' takes a list of {} arguments", names_[code], wanted);
  if (!keys_[code].empty()) words += ", or a map with their names";
  throw InputError(words);
}

}  // namespace

bool names_cpp_spec(std::string_view text) {
  static constexpr std::array<std::string_view, 3> kEndings = {".cpp", ".cc",
                                                               ".cxx"};
  return std::any_of(kEndings.begin(), kEndings.end(),
                     [&](auto ending) { return text.ends_with(ending); });
}

spec::SpecificationPtr open_cpp_spec(const std::string& file) {
  BuildOptions options;
  options.native = true;
  options.specification = true;
  TestBuilder builder(std::move(options));
  const BuiltTest built = builder.build(file);
  if (built.program.empty()) {
    throw InputError(
        Place{.source = file, .text = ""},
        fmt::format("this specification cannot be built\n{}",
                    built.diagnostics),
        "it includes plumb/spec.h, and says PLUMB_SPEC(State) { ... } once");
  }
  return std::make_shared<CppSpec>(file, built.program.string());
}

}  // namespace plumb::cli
