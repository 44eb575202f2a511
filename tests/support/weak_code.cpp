// SPDX-License-Identifier: Apache-2.0
#include "support/weak_code.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <stdexcept>

namespace plumb::test_support {

namespace {

using Do = WeakInstruction::Do;

class Compiler {
 public:
  Compiler(std::string_view text, int size) : text_(text), size_(size) {
    next();
  }

  WeakText run(std::string_view initial) {
    do {
      const int copies = count();
      const std::size_t begin = at_;
      const std::string first = token_;
      for (int t = 0; t < copies; ++t) {
        at_ = begin;
        token_ = first;
        code_.clear();
        emit(Do::kConstant, t);
        emit(Do::kSetLocal, local("$t"));
        while (!token_.empty() && token_ != "|") statement();
        out_.threads.push_back(code_);
      }
    } while (take("|"));
    text_ = initial;
    at_ = 0;
    for (next(); !token_.empty(); take(";")) {
      const std::int64_t key = location(word());
      need("=");
      out_.initial.emplace_back(key, number());
    }
    return out_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(
        what + " before '" +
        std::string(text_.substr(std::min(at_, text_.size()))) + "' in '" +
        std::string(text_) + "'");
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           c == '$';
  }
  void next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_word(text_[at_])) {
      while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    } else if (at_ < text_.size()) {
      ++at_;
      const std::string_view two = text_.substr(begin, 2);
      for (const char* longer : {"==", "!=", "<=", ">=", "&&", "||"}) {
        if (two == longer) at_ = begin + 2;
      }
    }
    token_ = text_.substr(begin, at_ - begin);
  }
  bool take(const char* token) {
    if (token_ != token) return false;
    next();
    return true;
  }
  void need(const char* token) {
    if (!take(token)) fail(std::string("there is no ") + token);
  }
  std::string word() {
    const std::string out = token_;
    if (out.empty() || !is_word(out[0])) fail("there is no name");
    next();
    return out;
  }
  std::int64_t number() {
    if (take("N")) return size_;
    return std::stoll(word());
  }
  // How many threads do what follows: 'N:', '3:'.
  int count() {
    const std::size_t begin = at_;
    const std::string first = token_;
    const bool is_number =
        token_ == "N" || (!token_.empty() && std::isdigit(token_[0]) != 0);
    if (is_number) {
      std::int64_t copies = number();
      if (take("-")) copies -= number();
      if (take(":")) return static_cast<int>(copies);
    }
    at_ = begin;
    token_ = first;
    return 1;
  }

  std::size_t emit(Do what, std::int64_t value = 0, int order = 0,
                   int failure = 0) {
    code_.push_back({what, order, failure, value});
    return code_.size() - 1;
  }
  void land(std::size_t jump) {
    code_[jump].value = static_cast<std::int64_t>(code_.size());
  }
  std::int64_t local(const std::string& name) {
    return static_cast<std::int64_t>(
        locals_.try_emplace(name, locals_.size()).first->second);
  }
  std::int64_t location(const std::string& name) {
    const std::size_t number =
        locations_.try_emplace(name, locations_.size()).first->second;
    return static_cast<std::int64_t>(kArray * (number + 1));
  }

  int order(int otherwise) {
    if (!take(".")) return otherwise;
    const std::string name = word();
    static const std::map<std::string, int> kOrders = {
        {"rlx", 0}, {"acq", 2}, {"rel", 3}, {"ar", 4}, {"sc", 5}};
    const auto found = kOrders.find(name);
    if (found == kOrders.end()) fail("there is no order " + name);
    return found->second;
  }
  // Emits the key of a location.
  void address() {
    emit(Do::kConstant, location(word()));
    if (!take("[")) return;
    expression();
    need("]");
    emit(Do::kBinary, '+');
  }

  void block() {
    if (!take("{")) return statement();
    while (!take("}")) statement();
  }
  void statement() {
    if (take(";")) return;
    if (take("if")) {
      expression();
      const std::size_t skip = emit(Do::kJumpIfZero);
      block();
      if (!take("else")) return land(skip);
      const std::size_t end = emit(Do::kJump);
      land(skip);
      block();
      land(end);
    } else if (take("while")) {
      const std::size_t begin = code_.size();
      expression();
      const std::size_t skip = emit(Do::kJumpIfZero);
      block();
      emit(Do::kJump, static_cast<std::int64_t>(begin));
      land(skip);
    } else if (take("return")) {
      emit(Do::kJump, -1);
    } else if (take("assume")) {
      expression();
      emit(Do::kAssume);
    } else if (take("fence")) {
      emit(Do::kFence, 0, order(5));
    } else if (token_[0] == '$') {
      const std::int64_t number = local(word());
      need("=");
      expression();
      emit(Do::kSetLocal, number);
    } else {
      access();
    }
  }
  // A store, or an access whose result nobody wants.
  void access() {
    if (is_call()) {
      primary();
      emit(Do::kDrop);
      return;
    }
    address();
    const int with = order(0);
    if (take("=")) {
      expression();
      emit(Do::kStore, 0, with);
    } else {
      emit(Do::kLoad, 0, with);
      emit(Do::kDrop);
    }
  }
  bool is_call() const {
    static const std::set<std::string> kCalls = {"add", "sub",  "swap",
                                                 "cas", "lock", "unlock"};
    return kCalls.count(token_) != 0;
  }

  void expression() { binary(0); }
  void binary(std::size_t level) {
    static const std::vector<std::vector<std::string>> kLevels = {
        {"||"}, {"&&"},     {"==", "!=", "<", ">", "<=", ">="},
        {"&"},  {"+", "-"}, {"*", "%"}};
    if (level == kLevels.size()) return unary();
    binary(level + 1);
    for (;;) {
      std::string found;
      for (const std::string& name : kLevels[level]) {
        if (token_ == name) found = name;
      }
      if (found.empty()) return;
      next();
      // && and ||: the second may not be evaluated.
      if (level < 2) {
        emit(Do::kNot);
        if (level == 1) emit(Do::kNot);
        const std::size_t other = emit(Do::kJumpIfZero);
        binary(level + 1);
        emit(Do::kNot);
        emit(Do::kNot);
        const std::size_t end = emit(Do::kJump);
        land(other);
        emit(Do::kConstant, level == 0 ? 1 : 0);
        land(end);
        continue;
      }
      binary(level + 1);
      const std::int64_t two = found.size() == 2 ? 128 : 0;
      emit(Do::kBinary, found[0] + two);
    }
  }
  void unary() {
    if (take("!")) {
      unary();
      emit(Do::kNot);
    } else if (take("-")) {
      emit(Do::kConstant, 0);
      unary();
      emit(Do::kBinary, '-');
    } else {
      primary();
    }
  }
  void primary() {
    if (take("(")) {
      expression();
      need(")");
    } else if (token_ == "N" ||
               (!token_.empty() && std::isdigit(token_[0]) != 0)) {
      emit(Do::kConstant, number());
    } else if (token_[0] == '$') {
      emit(Do::kLocal, local(word()));
    } else if (is_call()) {
      call(word());
    } else {
      address();
      emit(Do::kLoad, 0, order(0));
    }
  }
  void call(const std::string& name) {
    const int with = order(0);
    const int failure = order(with == 3 ? 0 : with == 4 ? 2 : with);
    need("(");
    if (name == "lock" || name == "unlock") {
      out_.locks.push_back(static_cast<std::uint64_t>(location(token_)));
    }
    address();
    for (int i = 0; take(","); ++i) expression();
    need(")");
    if (name == "lock" || name == "unlock") {
      emit(name == "lock" ? Do::kLock : Do::kUnlock);
    } else if (name == "sub") {
      emit(Do::kUpdate, '-', with, failure);
    } else {
      emit(Do::kUpdate,
           name == "add"    ? '+'
           : name == "swap" ? '='
                            : '?',
           with, failure);
    }
  }

  std::string_view text_;
  const int size_;
  std::size_t at_ = 0;
  std::string token_;
  WeakText out_;
  WeakCode code_;
  std::map<std::string, std::size_t> locals_, locations_;
};

// 'let A = b;; c A d' is 'c b d'.
std::string expanded(std::string_view from) {
  std::string text(from);
  for (;;) {
    const std::size_t let = text.find("let ");
    if (let == std::string::npos) return text;
    const std::size_t equals = text.find(" = ", let);
    const std::size_t end = text.find(";;", equals);
    if (end == std::string::npos) return text;
    const std::string name = text.substr(let + 4, equals - let - 4);
    const std::string body = text.substr(equals + 3, end - equals - 3) + ';';
    text.erase(let, end + 2 - let);
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;
         at += body.size()) {
      text.replace(at, name.size(), body);
    }
  }
}

}  // namespace

WeakText compile_weak_text(std::string_view threads, std::string_view initial,
                           int size) {
  const std::string text = expanded(threads);
  return Compiler(text, size).run(initial);
}

}  // namespace plumb::test_support
