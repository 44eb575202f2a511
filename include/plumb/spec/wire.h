// SPDX-License-Identifier: Apache-2.0
// How a specification in a process of its own is asked, and answers.
//
// A message is its size (4 bytes, the lowest first) and so many bytes: numbers
// as 8 bytes, texts as their size and bytes, values as a letter and what it
// says.  The tool's side is src/cli/cpp_spec.cpp.
#pragma once

#if __cplusplus >= 202002L  // the tool compiles specifications so

#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "plumb/spec/value.h"

namespace plumb::spec::detail {

// No std::exception: what users catch it is not.
struct NotNow {};

// Which way choose() goes: all of them, one after the other.
class Choices {
 public:
  void begin() { ways_.clear(), at_ = 0; }
  std::size_t next(std::size_t bound) {
    if (bound == 0) throw NotNow();
    if (at_ == ways_.size()) ways_.push_back({0, bound});
    return ways_[at_++].taken;
  }
  // To the next way; false if there is none.
  bool advance() {
    at_ = 0;
    while (!ways_.empty() && ways_.back().taken + 1 == ways_.back().bound) {
      ways_.pop_back();
    }
    if (ways_.empty()) return false;
    ++ways_.back().taken;
    return true;
  }

 private:
  struct Way {
    std::size_t taken, bound;
  };
  std::vector<Way> ways_;
  std::size_t at_ = 0;
};

inline Choices& choices() {
  static Choices all;
  return all;
}

class Writer {
 public:
  void number(std::int64_t value) {
    auto rest = static_cast<std::uint64_t>(value);
    for (int i = 0; i < 8; ++i, rest >>= 8) {
      out_ += static_cast<char>(rest & 0xFF);
    }
  }
  void text(const std::string& text) {
    number(static_cast<std::int64_t>(text.size()));
    out_ += text;
  }
  void value(const Value& value) {
    if (value.is_null()) {
      out_ += 'n';
    } else if (const auto* const truth = value.boolean()) {
      out_ += *truth ? 't' : 'f';
    } else if (const auto* const integer = value.integer()) {
      out_ += 'i';
      number(*integer);
    } else if (const auto* const characters = value.text()) {
      out_ += 's';
      text(*characters);
    } else if (const auto* const digits = value.digits()) {
      out_ += 'd';
      text(digits->text);
    } else if (const auto* const items = value.list()) {
      out_ += 'l';
      number(static_cast<std::int64_t>(items->size()));
      for (const Value& each : *items) this->value(each);
    } else {
      out_ += 'm';
      const auto& entries = value.map()->entries;
      number(static_cast<std::int64_t>(entries.size()));
      for (const auto& [key, entry] : entries) {
        this->value(key);
        this->value(entry);
      }
    }
  }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

class Reader {
 public:
  explicit Reader(const std::string& in) : in_(in) {}

  std::int64_t number() {
    std::uint64_t out = 0;
    for (int i = 0; i < 8; ++i) {
      out |= static_cast<std::uint64_t>(static_cast<unsigned char>(byte()))
             << (8 * i);
    }
    return static_cast<std::int64_t>(out);
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(number());
    if (size > in_.size() - at_) throw std::runtime_error("a broken message");
    at_ += size;
    return in_.substr(at_ - size, size);
  }
  Value value() {
    switch (byte()) {
      case 'n':
        return {};
      case 't':
        return true;
      case 'f':
        return false;
      case 'i':
        return number();
      case 's':
        return text();
      case 'd':
        return Value::Digits{text()};
      case 'l': {
        Value::List items;
        for (std::int64_t left = number(); left > 0; --left) {
          items.push_back(value());
        }
        return items;
      }
      case 'm': {
        Value::Map map;
        for (std::int64_t left = number(); left > 0; --left) {
          Value key = value();
          map.entries.emplace_back(std::move(key), value());
        }
        return map;
      }
      default:
        throw std::runtime_error("a broken message");
    }
  }

 private:
  char byte() {
    if (at_ >= in_.size()) throw std::runtime_error("a broken message");
    return in_[at_++];
  }
  const std::string& in_;
  std::size_t at_ = 0;
};

// The socket that this program was started with as its input.  What it prints
// goes to where errors go.
class Wire {
 public:
  Wire() {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(2, 1);
  }
  bool receive(std::string& message) {
    unsigned char size[4];
    if (!read_all(size, sizeof(size))) return false;
    message.resize(size[0] | size[1] << 8 | size[2] << 16 |
                   static_cast<std::size_t>(size[3]) << 24);
    return read_all(message.data(), message.size());
  }
  void send(const std::string& message) {
    std::string out;
    for (int i = 0; i < 4; ++i) {
      out += static_cast<char>(message.size() >> (8 * i) & 0xFF);
    }
    out += message;
    for (std::size_t at = 0; at < out.size();) {
      const ssize_t done = write(0, out.data() + at, out.size() - at);
      if (done < 0 && errno != EINTR) _exit(1);
      if (done > 0) at += static_cast<std::size_t>(done);
    }
  }

 private:
  static bool read_all(void* to, std::size_t size) {
    for (std::size_t at = 0; at < size;) {
      const ssize_t got = read(0, static_cast<char*>(to) + at, size - at);
      if (got == 0 || (got < 0 && errno != EINTR)) return false;
      if (got > 0) at += static_cast<std::size_t>(got);
    }
    return true;
  }
};

}  // namespace plumb::spec::detail

#endif
