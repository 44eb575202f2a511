// SPDX-License-Identifier: Apache-2.0
// kv.plumb in C++: a key-value store whose values are texts, with append.
#include <plumb/spec.h>

#include <map>
#include <string>
#include <tuple>

struct Kv {
  std::map<std::string, std::string> stored;

  bool operator==(const Kv&) const = default;
  auto members() const { return std::tie(stored); }

  std::string get(const std::string& key) const {
    const auto found = stored.find(key);
    return found == stored.end() ? "" : found->second;
  }
  void put(const std::string& key, const std::string& value) {
    stored[key] = value;
  }
  void append(const std::string& key, const std::string& text) {
    stored[key] += text;
  }

  std::string describe() const {
    std::string out;
    for (const auto& [key, value] : stored) out += key + " = '" + value + "' ";
    return out.empty() ? "empty" : out;
  }
};

PLUMB_SPEC(Kv) {
  spec.operation("get", &Kv::get);
  spec.operation("put", &Kv::put, {"key", "v"});
  spec.operation("append", &Kv::append, {"key", "v"});
  spec.partition_by(0);
}
