// SPDX-License-Identifier: Apache-2.0
// Recognises JSON lines that differ from an earlier one in integers only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "history/event.h"
#include "history/json_event.h"

namespace plumb::history {

// Most lines of a history look like the ones before, but for a process and a
// value.  So each line that simdjson has parsed is remembered as a *shape*:
// its bytes, in which some integers are holes.  A line that equals a shape
// outside the holes, and has an integer in each, is not parsed again.
//
//   shape  {"process": _, "type": "ok", "f": "deq", "value": _}
//   fits   {"process": 3, "type": "ok", "f": "deq", "value": -17}
//   not    {"process": 3, "type": "ok", "f": "deq", "value": 1.5}
//   nor    {"process": 03, "type": "ok", "f": "deq", "value": 17}
//
// This is exact.  JSON's grammar is context-free, and its tokens are found
// without context: outside strings an integer ends at the first byte that can
// not continue a number.  Let L be the parsed line and L' one that fits.
// (1) A hole of L is a whole token, so the bytes behind it begin with a
// blank, ',', ']' or '}'; L' has the same byte there, so what stands in the
// hole of L' is a whole token as well.  (2) It is an integer by JSON's
// grammar: an optional '-', no leading zero, digits only.  So L' has the
// tokens of L, with other integers in the places of integers: the same tree.
// (3) What an event means depends on that tree, on its names and on its other
// values, all of which are the same bytes, and on the integers of the holes,
// which are put in anew; at most 18 digits cannot overflow.  Holes within
// fields that are ignored are ignored.
//
// The shapes are kept in one radix tree, whose edges are bytes or a hole, so
// that a line is compared once, however many shapes there are.  Where a byte
// and a hole both fit, the hole is taken: that may miss a shape, which costs
// time only.
class ShapeCache {
 public:
  // match() may read so many bytes.
  static constexpr std::size_t kWindow = 512;

  struct Match {
    Event* event = nullptr;  // nothing: no shape fits
    std::size_t size = 0;    // of the line, '\n' included
  };
  // Does a line with a remembered shape begin at `text`?
  // Requires: kWindow bytes can be read there.
  Match match(const char* text);

  // Remembers a line, given with its '\n', that was parsed as `event`.
  // Requires: `event` names a known type and operation.
  void learn(std::string_view line, const JsonEventParser& parser,
             const Event& event);

  std::size_t size() const { return shapes_.size(); }

 private:
  static constexpr std::size_t kMostShapes = 64;
  static constexpr std::size_t kMostHoles = 16;
  static constexpr std::int32_t kNone = -1;

  struct Shape {
    std::string line;
    std::vector<JsonHole> holes;
    bool is_list = false;  // the value is the list of all kItem holes
    Event event;           // as parsed; match() puts the integers in
    bool used = false;     // since the last time that room was made
  };
  struct Node {
    std::uint32_t literal_at = 0;  // in bytes_
    std::uint32_t literal_size = 0;
    // What may follow the literal: an integer; one of the children, each of
    // which begins with another byte; or nothing, then `shape` is complete.
    std::int32_t after_hole = kNone;
    std::int32_t first_child = kNone;
    std::int32_t next_sibling = kNone;
    std::int32_t shape = kNone;
  };

  Match complete(Shape& shape, const std::int64_t* numbers);
  void make_room();
  void insert(std::int32_t shape);
  std::int32_t insert_literal(std::int32_t node, std::string_view literal);
  std::int32_t add_node(std::string_view literal);
  void split(std::int32_t node, std::size_t size);
  std::string_view literal_of(const Node& node) const {
    return std::string_view(bytes_).substr(node.literal_at, node.literal_size);
  }

  std::vector<Shape> shapes_;
  std::vector<Node> nodes_;  // the first one is the root
  std::string bytes_;        // eight more than the nodes use
};

}  // namespace plumb::history
