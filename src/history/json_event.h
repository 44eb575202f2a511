// SPDX-License-Identifier: Apache-2.0
// One event from one JSON object, by means of simdjson.
#pragma once

#include <simdjson.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "history/event.h"

namespace plumb::history {

// An integer in the text of an event, and what it is there for.
struct JsonHole {
  enum class Target : std::uint8_t {
    kProcess,
    kValue,
    kItem,  // of a value that is a flat list of integers
    kKey,
    kTime,
    kBound,  // of a time that is a list of two integers
    kIgnored,
  };
  std::size_t at = 0;
  std::size_t length = 0;
  Target target = Target::kIgnored;
};

class JsonEventParser : public Origin {
 public:
  using CodeOf = std::function<std::uint16_t(std::string_view)>;

  JsonEventParser(CodeOf code_of, std::string source);

  // Parses a line that is one object.  The event is valid until the next
  // call.  Requires: LineReader::kPadding bytes behind `line` can be read.
  // Throws InputError.
  const Event& parse_line(std::string_view line, std::uint64_t number);

  // Parses an array of objects that begins on line `number`, and hands each
  // to `take` until that returns false.  Requires and throws the same.
  void parse_array(std::string_view text, std::uint64_t number,
                   const std::function<bool(const Event&)>& take);

  Place place_of(Field field) const override;

  // Where the integers of the last event stand, in order; only if they are
  // plain: no leading zero, at most 18 digits.
  const std::vector<JsonHole>& holes() const { return holes_; }
  // If the value is a list: are all of its items holes?
  bool is_flat() const { return flat_; }
  // Are key and object both given?
  bool has_two_keys() const { return has_key_ && has_object_; }

 private:
  struct Span {
    std::size_t at = 0;
    std::size_t length = 0;
    bool given = false;
  };

  void begin(std::string_view text, std::uint64_t number);
  void parse_object(simdjson::ondemand::object object);
  void parse_field(simdjson::ondemand::field field);
  void parse_type(simdjson::ondemand::value value);
  void parse_function(simdjson::ondemand::value value);
  void parse_key(simdjson::ondemand::value value, bool is_object);
  Value parse_main_value(simdjson::ondemand::value value);
  void parse_time(simdjson::ondemand::value value);
  Value to_value(simdjson::ondemand::value value, bool keep, int depth);
  Value list_of(simdjson::ondemand::array array, bool keep, int depth);
  Value map_of(simdjson::ondemand::object object, bool keep, int depth);
  Value number_of(simdjson::ondemand::value value);
  void note_hole(std::string_view token, JsonHole::Target target);

  void open_span(Field field, std::string_view token, const char* name);
  void close_span(Field field);
  std::size_t offset();
  std::uint64_t line_of(std::size_t at);
  Place place(std::size_t at, std::size_t length) const;
  void require_end();
  void require(simdjson::error_code error);
  [[noreturn]] void fail(simdjson::error_code error);

  CodeOf code_of_;
  std::string source_;
  simdjson::ondemand::parser parser_;
  simdjson::ondemand::document document_;
  bool parsing_ = false;  // does document_ stand within text_?

  std::string_view text_;
  std::uint64_t first_line_ = 1;
  std::size_t counted_ = 0;  // up to there, so many line ends were seen:
  std::uint64_t line_ends_ = 0;

  Event event_;
  std::array<Span, 7> spans_;
  std::vector<JsonHole> holes_;
  std::size_t object_at_ = 0;
  Value key_, object_key_;
  bool has_key_ = false, has_object_ = false;
  bool flat_ = false;
};

// Is `token` an integer as the shape cache wants it?
bool is_plain_integer(std::string_view token);

}  // namespace plumb::history
