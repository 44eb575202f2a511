// SPDX-License-Identifier: Apache-2.0
#include "history/json_lines.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

#include "history/json_event.h"
#include "history/shape_cache.h"

namespace plumb::history {

namespace {

JsonEventParser::CodeOf code_of(const Assembler& assembler) {
  return
      [&assembler](std::string_view name) { return assembler.code_of(name); };
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

class JsonLines : private Origin {
 public:
  JsonLines(LineReader& lines, Assembler& assembler, bool follow)
      : lines_(lines),
        assembler_(assembler),
        parser_(code_of(assembler), lines.source()),
        follow_(follow) {}

  void read(Poll& poll, bool remember_shapes) {
    while (!poll.spent()) {
      if (lines_.number() == kSample) expect_the_rest();
      if (remember_shapes && read_by_shape()) continue;
      if (follow_ && lines_.ahead().find('\n') == std::string_view::npos) {
        assembler_.waiting();
      }
      if (!lines_.next()) return;
      if (poll.limit() != Limit::kNone) return;  // the line may be cut off
      if (!is_blank(lines_.line())) parse(remember_shapes);
    }
  }

 private:
  static constexpr std::uint64_t kSample = 4096;  // lines

  // Guesses how many operations there will be from those so far.
  void expect_the_rest() {
    const double share = static_cast<double>(lines_.bytes()) /
                         static_cast<double>(lines_.total_bytes());
    if (share < 1e-6 || share > 0.9) return;
    constexpr double kSpare = 1.05;
    assembler_.expect(static_cast<std::uint64_t>(
        static_cast<double>(assembler_.events()) / 2 / share * kSpare));
  }

  bool read_by_shape() {
    // One that follows does not wait for what comes after the next line.
    const std::string_view ahead =
        follow_ ? lines_.ahead() : lines_.ahead(ShapeCache::kWindow);
    if (ahead.size() < ShapeCache::kWindow) return false;
    const ShapeCache::Match match = shapes_.match(ahead.data());
    if (match.event == nullptr) return false;
    lines_.take(match.size);
    match.event->line = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        lines_.number(), std::numeric_limits<std::uint32_t>::max()));
    assembler_.add(*match.event, *this);
    return true;
  }

  void parse(bool remember_shape) {
    const std::string_view line = lines_.line();
    const Event& event = parser_.parse_line(line, lines_.number());
    assembler_.add(event, parser_);
    if (!remember_shape || event.type >= EventType::kUnknown ||
        event.code == kUnknownCode) {
      return;
    }
    // All but the last line have a line end, which lies in the buffer too.
    if (line.data() + line.size() != lines_.ahead().data()) {
      shapes_.learn({line.data(), line.size() + 1}, parser_, event);
    }
  }

  // Only errors ask: so the line that was not parsed is parsed now.
  Place place_of(Field field) const override {
    parser_.parse_line(lines_.line(), lines_.number());
    return parser_.place_of(field);
  }

  LineReader& lines_;
  Assembler& assembler_;
  mutable JsonEventParser parser_;
  ShapeCache shapes_;
  bool follow_;
};

}  // namespace

void read_json_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool remember_shapes, bool follow) {
  JsonLines(lines, assembler, follow).read(poll, remember_shapes);
}

void read_json_array(LineReader& lines, Assembler& assembler, Poll& poll) {
  const std::string_view text = lines.ahead(LineReader::kLongestLine);
  if (poll.limit() != Limit::kNone) return;
  if (text.size() >= LineReader::kLongestLine) {
    Place where;
    where.source = lines.source();
    throw InputError(std::move(where), "this JSON array is longer than 64 MiB",
                     "write one object on a line, without the array");
  }
  JsonEventParser parser(code_of(assembler), lines.source());
  parser.parse_array(text, lines.number() + 1, [&](const Event& event) {
    assembler.add(event, parser);
    return !poll.spent();
  });
  while (lines.next()) continue;  // counts them
}

}  // namespace plumb::history
