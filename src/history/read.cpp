// SPDX-License-Identifier: Apache-2.0
#include "history/read.h"

#include <memory>
#include <utility>

#include "base/byte_source.h"
#include "history/assembler.h"
#include "history/call_lines.h"
#include "history/edn_events.h"
#include "history/interval_lines.h"
#include "history/jepsen_log.h"
#include "history/json_lines.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

namespace {

enum class Notation : std::uint8_t {
  kJsonLines,
  kJsonArray,
  kEdn,
  kCallLines,
  kIntervalLines,
  kUnknown
};

std::string_view skip_blanks(std::string_view text) {
  const std::size_t at = text.find_first_not_of(" \t\r\n");
  return text.substr(at == std::string_view::npos ? text.size() : at);
}

// JSON and EDN maps may both begin with {"name", but only JSON has a ':'
// behind that.
bool begins_json_object(std::string_view text) {
  text = skip_blanks(text.substr(1));
  if (text.empty() || text[0] != '"') return text.starts_with('}');
  std::size_t end = 1;
  while (end < text.size() && text[end] != '"') {
    end += text[end] == '\\' ? std::size_t{2} : std::size_t{1};
  }
  if (end >= text.size()) return true;
  return skip_blanks(text.substr(end + 1)).starts_with(':');
}

Notation notation_of(std::string_view text) {
  text = skip_blanks(text);
  switch (text.empty() ? ';' : text[0]) {
    case '{':
      return begins_json_object(text) ? Notation::kJsonLines : Notation::kEdn;
    case '[': {
      const std::string_view inner = skip_blanks(text.substr(1));
      if (inner.starts_with('{') && begins_json_object(inner)) {
        return Notation::kJsonArray;
      }
      return Notation::kEdn;
    }
    case '#':
      if (text.starts_with("# @object")) return Notation::kCallLines;
      if (text.starts_with("# ")) return Notation::kIntervalLines;
      return Notation::kEdn;
    case '(':
    case ';':
      return Notation::kEdn;
    default:
      return Notation::kUnknown;
  }
}

// Passes over blank lines and a byte order mark.  Returns what follows.
//
// Looks at no more than a line if somebody waits for its events.
std::string_view skip_to_content(LineReader& lines, Poll& poll, bool follow) {
  constexpr std::size_t kEnough = 4096;
  const auto look = [&] {
    std::size_t least = follow ? 1 : kEnough;
    while (least < kEnough && lines.ahead(least).size() >= least &&
           lines.ahead().find('\n') == std::string_view::npos) {
      least = lines.ahead().size() + 1;
    }
    return lines.ahead(least);
  };
  if (look().starts_with("\xEF\xBB\xBF")) lines.drop(3);
  for (;;) {
    const std::string_view ahead = look();
    const std::size_t end = ahead.find('\n');
    if (end == std::string_view::npos || poll.spent() ||
        !skip_blanks(ahead.substr(0, end)).empty()) {
      return ahead;
    }
    lines.take(end + 1);
  }
}

[[noreturn]] void reject(LineReader& lines) {
  if (lines.ahead().starts_with("JEPSEN")) {
    Place where;
    where.source = lines.source();
    throw InputError(std::move(where), "this is Jepsen's store of a whole test",
                     "the history is in history.edn beside it");
  }
  lines.next();
  throw InputError(lines.place(0, 1),
                   "this is no history: neither JSON Lines nor EDN",
                   "a history begins with '{', or with '[' in EDN; "
                   "docs/histories.md has other formats");
}

void read_all(LineReader& lines, Assembler& assembler, Poll& poll,
              const ReadOptions& options, bool follow) {
  switch (notation_of(skip_to_content(lines, poll, follow))) {
    case Notation::kJsonLines:
      return read_json_lines(lines, assembler, poll, options.remember_shapes,
                             follow);
    case Notation::kJsonArray:
      return read_json_array(lines, assembler, poll);
    case Notation::kEdn:
      return read_edn(lines, assembler, poll);
    case Notation::kCallLines:
      return read_call_lines(lines, assembler, poll, follow);
    case Notation::kIntervalLines:
      return read_interval_lines(lines, assembler, poll, follow);
    case Notation::kUnknown:
      break;
  }
  // LIMIT: before its first operation a log has at most so much else; nothing
  // where somebody waits for events.
  constexpr std::size_t kOfLog = std::size_t{16} << 20;
  if (!is_jepsen_log(lines.ahead(follow ? 1 : kOfLog))) reject(lines);
  read_jepsen_log(lines, assembler, poll, follow);
}

ReadResult read(ByteSource& bytes, const std::string& source,
                const spec::Specification& object, const ReadOptions& options,
                Budget* budget) {
  LineReader lines(bytes, source);
  LineTimes times;
  if (options.times) lines.note_times(times);
  Assembler assembler(object, options, source);
  Poll poll(budget);
  read_all(lines, assembler, poll, options, false);
  ReadResult result = assembler.finish();
  result.stats.lines = lines.number();
  result.stats.bytes = lines.bytes();
  result.limit = poll.limit();
  result.times = std::move(times);
  return result;
}

}  // namespace

ReadResult read_histories(const std::string& path,
                          const spec::Specification& object,
                          const ReadOptions& options, Budget* budget) {
  const auto bytes = open_source(path, budget);
  return read(*bytes, path == "-" ? "<stdin>" : path, object, options, budget);
}

ReadStats follow(const std::string& path, const spec::Specification& object,
                 const ReadOptions& options, Watcher& watcher, Budget* budget) {
  const auto bytes = open_source(path, budget);
  const std::string source = path == "-" ? "<stdin>" : path;
  LineReader lines(*bytes, source);
  Assembler assembler(object, options, source);
  assembler.watch(watcher);
  Poll poll(budget);
  read_all(lines, assembler, poll, options, true);
  assembler.waiting();
  ReadStats stats;
  stats.lines = lines.number();
  stats.bytes = lines.bytes();
  stats.events = assembler.events();
  return stats;
}

ReadResult read_histories_from(std::string_view bytes,
                               const std::string& source,
                               const spec::Specification& object,
                               const ReadOptions& options, Budget* budget) {
  const auto from = memory_source(bytes, source);
  return read(*from, source, object, options, budget);
}

}  // namespace plumb::history
