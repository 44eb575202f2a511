// SPDX-License-Identifier: Apache-2.0
#include "history/shape_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>
#include <utility>

namespace plumb::history {

namespace {

constexpr bool kLittleEndian = std::endian::native == std::endian::little;

std::uint64_t load(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

// Like memcmp() == 0, but made for some ten bytes.
// Requires: seven bytes behind both can be read.
inline bool equal(const char* a, const char* b, std::size_t size) {
  for (; size >= 8; size -= 8, a += 8, b += 8) {
    if (load(a) != load(b)) return false;
  }
  if (size == 0) return true;
  return (load(a) ^ load(b)) << (64 - 8 * size) == 0;
}

// Reads a plain integer (see is_plain_integer) and passes over it, eight
// digits at a time [Lemire21].  Returns false if there is none.
inline bool read_integer(const char*& text, std::int64_t& number) {
  constexpr std::array<std::uint64_t, 9> kPowers = {
      1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000};
  const bool negative = *text == '-';
  const char* at = text + (negative ? 1 : 0);
  const char* const begin = at;
  std::uint64_t sum = 0;
  for (;;) {
    std::uint64_t digits = load(at) ^ 0x3030303030303030u;
    const std::uint64_t others =
        ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
    const int count = std::countr_zero(others) / 8;  // 8 if there are none
    if (count > 0) {
      digits <<= 8 * (8 - count);
      digits = (digits * 2561) >> 8;
      digits = ((digits & 0x00FF00FF00FF00FFu) * 6553601) >> 16;
      digits = ((digits & 0x0000FFFF0000FFFFu) * 42949672960001u) >> 32;
      sum = sum * kPowers[static_cast<std::size_t>(count)] + digits;
      at += count;
    }
    if (count < 8 || at - begin > 18) break;
  }
  const std::ptrdiff_t length = at - begin;
  if (length == 0 || length > 18 || (*begin == '0' && length > 1)) return false;
  const auto size = static_cast<std::int64_t>(sum);
  number = negative ? -size : size;
  text = at;
  return true;
}

bool begins_integer(char c) {
  return (c >= '0' && c <= '9') || c == '-';
}

}  // namespace

ShapeCache::Match ShapeCache::match(const char* text) {
  if (!kLittleEndian || nodes_.empty()) return {};
  std::array<std::int64_t, kMostHoles> numbers;
  std::size_t holes = 0;
  const char* at = text;
  const Node* node = nodes_.data();
  for (;;) {
    if (!equal(at, bytes_.data() + node->literal_at, node->literal_size)) {
      return {};
    }
    at += node->literal_size;
    if (node->shape != kNone) {
      Match match = complete(shapes_[static_cast<std::size_t>(node->shape)],
                             numbers.data());
      match.size = static_cast<std::size_t>(at - text);
      return match;
    }
    if (node->after_hole != kNone && begins_integer(*at)) {
      if (!read_integer(at, numbers[holes++])) return {};
      node = &nodes_[static_cast<std::size_t>(node->after_hole)];
      continue;
    }
    std::int32_t child = node->first_child;
    while (child != kNone) {
      node = &nodes_[static_cast<std::size_t>(child)];
      if (bytes_[node->literal_at] == *at) break;
      child = node->next_sibling;
    }
    if (child == kNone) return {};
  }
}

ShapeCache::Match ShapeCache::complete(Shape& shape,
                                       const std::int64_t* numbers) {
  shape.used = true;
  Event& event = shape.event;
  std::array<Value, kMostHoles> items;
  std::size_t item_count = 0;
  bool has_earliest = false;
  for (std::size_t i = 0; i < shape.holes.size(); ++i) {
    const Value number = Value::integer(numbers[i]);
    switch (shape.holes[i].target) {
      case JsonHole::Target::kProcess:
        event.process = number;
        break;
      case JsonHole::Target::kValue:
        event.value = number;
        break;
      case JsonHole::Target::kKey:
        event.key = number;
        break;
      case JsonHole::Target::kItem:
        items[item_count++] = number;
        break;
      case JsonHole::Target::kTime:
        event.earliest = event.latest = number;
        break;
      case JsonHole::Target::kBound:
        (has_earliest ? event.latest : event.earliest) = number;
        has_earliest = true;
        break;
      case JsonHole::Target::kIgnored:
        break;
    }
  }
  if (shape.is_list) {
    event.value = Value::list(std::span(items.data(), item_count));
  }
  return {.event = &event, .size = 0};
}

void ShapeCache::learn(std::string_view line, const JsonEventParser& parser,
                       const Event& event) {
  assert(!line.empty() && line.back() == '\n');
  const auto& holes = parser.holes();
  if (parser.has_two_keys() || holes.size() > kMostHoles) return;
  constexpr std::size_t kLongestInteger = 19, kLookAhead = 16;
  if (line.size() + holes.size() * kLongestInteger + kLookAhead > kWindow) {
    return;
  }
  if (shapes_.size() == kMostShapes) make_room();
  Shape shape{.line = std::string(line),
              .holes = holes,
              .is_list = parser.is_flat(),
              .event = event,
              .used = false};
  // Nothing asks for these where type and operation are known.
  shape.event.type_text = shape.event.function = {};
  shapes_.push_back(std::move(shape));
  insert(static_cast<std::int32_t>(shapes_.size()) - 1);
}

// Keeps the shapes that were of use, unless those are many.
void ShapeCache::make_room() {
  std::erase_if(shapes_, [](const Shape& shape) { return !shape.used; });
  if (shapes_.size() > kMostShapes / 2) shapes_.clear();
  nodes_.clear();
  bytes_.clear();
  for (std::size_t i = 0; i < shapes_.size(); ++i) {
    shapes_[i].used = false;
    insert(static_cast<std::int32_t>(i));
  }
}

void ShapeCache::insert(std::int32_t shape) {
  const Shape& added = shapes_[static_cast<std::size_t>(shape)];
  const std::string_view line = added.line;
  std::int32_t node = nodes_.empty() ? kNone : 0;
  std::size_t from = 0;
  for (std::size_t i = 0; i <= added.holes.size(); ++i) {
    const bool last = i == added.holes.size();
    const std::size_t to = last ? line.size() : added.holes[i].at;
    const std::string_view literal = line.substr(from, to - from);
    if (i > 0) {
      std::int32_t& next = nodes_[static_cast<std::size_t>(node)].after_hole;
      if (next == kNone) {
        const std::int32_t begun = add_node(literal);  // moves the nodes
        nodes_[static_cast<std::size_t>(node)].after_hole = begun;
        node = begun;
      } else {
        node = insert_literal(next, literal);
      }
    } else {
      node = node == kNone ? add_node(literal) : insert_literal(node, literal);
    }
    if (!last) from = to + added.holes[i].length;
  }
  nodes_[static_cast<std::size_t>(node)].shape = shape;
}

// Returns the node at whose end `literal`, begun at `node`, is complete.
std::int32_t ShapeCache::insert_literal(std::int32_t node,
                                        std::string_view literal) {
  for (;;) {
    const std::string_view there =
        literal_of(nodes_[static_cast<std::size_t>(node)]);
    const auto common =
        static_cast<std::size_t>(std::mismatch(there.begin(), there.end(),
                                               literal.begin(), literal.end())
                                     .first -
                                 there.begin());
    if (common < there.size()) split(node, common);
    literal.remove_prefix(common);
    if (literal.empty()) return node;
    std::int32_t child = nodes_[static_cast<std::size_t>(node)].first_child;
    while (child != kNone &&
           literal_of(nodes_[static_cast<std::size_t>(child)])[0] !=
               literal[0]) {
      child = nodes_[static_cast<std::size_t>(child)].next_sibling;
    }
    if (child == kNone) {
      child = add_node(literal);
      Node& parent = nodes_[static_cast<std::size_t>(node)];
      nodes_[static_cast<std::size_t>(child)].next_sibling = parent.first_child;
      parent.first_child = child;
      return child;
    }
    node = child;
  }
}

std::int32_t ShapeCache::add_node(std::string_view literal) {
  Node node;
  bytes_.resize(std::max<std::size_t>(bytes_.size(), 8) - 8);
  node.literal_at = static_cast<std::uint32_t>(bytes_.size());
  node.literal_size = static_cast<std::uint32_t>(literal.size());
  bytes_ += literal;
  bytes_.append(8, '\0');
  nodes_.push_back(node);
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

// Cuts the literal of `node` after `size` bytes; the rest becomes its child.
void ShapeCache::split(std::int32_t node, std::size_t size) {
  Node tail = nodes_[static_cast<std::size_t>(node)];
  tail.literal_at += static_cast<std::uint32_t>(size);
  tail.literal_size -= static_cast<std::uint32_t>(size);
  tail.next_sibling = kNone;
  const auto child = static_cast<std::int32_t>(nodes_.size());
  nodes_.push_back(tail);
  Node& head = nodes_[static_cast<std::size_t>(node)];
  head.literal_size = static_cast<std::uint32_t>(size);
  head.after_hole = head.shape = kNone;
  head.first_child = child;
}

}  // namespace plumb::history
