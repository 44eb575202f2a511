// SPDX-License-Identifier: Apache-2.0
#include "support/mutated_models.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "lang/parse.h"
#include "support/source_folder.h"

namespace plumb::testing {
namespace {

using std::filesystem::path;
using Lines = std::vector<std::string>;

std::size_t pick(std::mt19937& random, std::size_t count) {
  return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
}

std::vector<std::string> shipped_texts() {
  std::vector<path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           source_folder() / "examples" / "models")) {
    if (entry.path().extension() == ".plumb") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const path& file : files) {
    std::ifstream in(file);
    std::ostringstream text;
    text << in.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

Lines lines_of(const std::string& text) {
  Lines lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// A statement that may go, come twice or stand elsewhere.
bool is_movable(const std::string& line) {
  if (line.empty() || line.find("//") != std::string::npos) return false;
  return line.back() == ';' &&
         std::count(line.begin(), line.end(), '{') ==
             std::count(line.begin(), line.end(), '}') &&
         std::count(line.begin(), line.end(), '(') ==
             std::count(line.begin(), line.end(), ')');
}

bool replace_one(std::string& line, const std::string& old,
                 const std::string& other) {
  const std::size_t at = line.find(old);
  if (at == std::string::npos) return false;
  line.replace(at, old.size(), other);
  return true;
}

// Each pair both ways.
const std::pair<const char*, const char*> kOthers[] = {
    {" == ", " != "},
    {"true", "false"},
    {" = 0", " = 1"},
    {" && ", " || "},
    {" + 1", " - 1"},
    {"atomic {", "{"},
    {"await ", "if ("},
    {"linearize ", ""},
    {"!cas(", "cas("},
    {"null", "n"},
    {"return v", "return empty"},
    {"head", "tail"},
    {" < ", " <= "},
    {"self", "nobody"},
    {"top", "null"},
};

void change_words(Lines& lines, std::size_t at, std::mt19937& random) {
  const auto& [old, other] = kOthers[pick(random, std::size(kOthers))];
  if (replace_one(lines[at], old, other)) return;
  if (*other != '\0') replace_one(lines[at], other, old);
}

void change(Lines& lines, std::mt19937& random) {
  const std::size_t at = pick(random, lines.size());
  const auto where = lines.begin() + static_cast<std::ptrdiff_t>(at);
  switch (pick(random, 6)) {
    case 0:
      if (is_movable(*where)) lines.erase(where);
      return;
    case 1:
      if (is_movable(*where)) lines.insert(where, std::string(*where));
      return;
    case 2:
      if (at + 1 < lines.size() && is_movable(*where) &&
          is_movable(*(where + 1))) {
        std::iter_swap(where, where + 1);
      }
      return;
    case 3: {
      const std::string other = lines[pick(random, lines.size())];
      if (is_movable(other) && is_movable(*where)) lines.insert(where, other);
      return;
    }
    case 4:
      if (is_movable(*where)) *where = "linearize " + *where;
      return;
    default:
      change_words(lines, at, random);
  }
}

std::string scope(std::mt19937& random) {
  static const char* const kScopes[] = {
      "2 processes, values 1..2, 1 operation",
      "2 processes, values 1..2, 2 operations",
      "2 processes, values 1..3, 1 operation",
      "3 processes, values 1..2, 1 operation",
      "3 processes, values 1, 1 operation",
      "2 processes, values 1..2, 2 operations, cells 4",
      "3 processes, 1 operation",
      "2 processes, 2 operations",
      "2 processes, values 0..1",
  };
  return kScopes[pick(random, std::size(kScopes))];
}

}  // namespace

ModelMutator::ModelMutator() {
  for (const std::string& whole : shipped_texts()) {
    const lang::Reading reading = lang::read_model("shipped.plumb", whole);
    for (const auto& object : reading.module->objects) {
      if (object->is_specification) continue;
      const std::size_t begin = whole.find("object " + object->name + " ");
      const std::size_t head = whole.find("{\n", begin);
      const std::size_t end = whole.find("\n}\n", head);
      if (whole.substr(begin, head - begin).find("implements") ==
              std::string::npos ||
          end == std::string::npos) {
        continue;
      }
      sources_.push_back({whole.substr(0, head + 2),
                          whole.substr(head + 2, end - head - 1),
                          whole.substr(end + 1), object->name});
    }
  }
}

MutatedModel ModelMutator::next(std::mt19937& random,
                                std::size_t changes) const {
  const Source& source = sources_[pick(random, sources_.size())];
  Lines lines = lines_of(source.body);
  for (std::size_t left = pick(random, changes + 1); left > 0; --left) {
    change(lines, random);
  }
  std::string body;
  for (const std::string& line : lines) body += line + "\n";
  const std::string check =
      "check " + source.name + " linearizable with " + scope(random) + ";\n";
  MutatedModel made;
  made.text = source.name + ":\n" + body + check;
  lang::Reading reading = lang::read_model(
      "mutant.plumb", source.before + body + source.after + check);
  if (!reading.errors.empty()) return made;
  made.module = std::move(reading.module);
  made.check = &made.module->checks.back();
  return made;
}

}  // namespace plumb::testing
