// SPDX-License-Identifier: Apache-2.0
// Constants, enums, objects, specifications and their members.
#include <fmt/format.h>

#include "lang/parser.h"

namespace plumb::lang {

void Parser::declaration() {
  parts_ = 0;
  const std::size_t first = at_;
  switch (peek().kind) {
    case TokenKind::kConst:
      parsed_.module->constants.push_back(constant());
      parsed_.module->constants_mention_processes |= mentions_processes(first);
      return;
    case TokenKind::kEnum:
      parsed_.module->enums.push_back(enumeration());
      return;
    case TokenKind::kObject:
    case TokenKind::kSpec:
      object();
      return;
    case TokenKind::kCheck:
      check();
      return;
    case TokenKind::kCloseBrace:
      fail(peek().span, "this '}' closes nothing");
    case TokenKind::kStruct:
      fail(peek().span, "unexpected 'struct', expected a declaration",
           "a struct stands inside of the object that uses it");
    default:
      fail(peek().span,
           fmt::format("unexpected {}, expected a declaration", found()),
           suggestion(std::string(text(peek())),
                      {"const", "enum", "spec", "object", "check"},
                      "a file is made of 'const', 'enum', 'spec', 'object' and "
                      "'check'"));
  }
}

std::unique_ptr<Constant> Parser::constant() {
  take();
  parts_ = 0;
  if (at_type()) {
    fail(peek().span, fmt::format("{} is not needed here", found()),
         "a constant has the type of its value: 'const N = 4;'");
  }
  auto made = std::make_unique<Constant>();
  const Token name = expect_name("a constant");
  made->name = text(name);
  made->span = name.span;
  expect(TokenKind::kAssign, "and the value of the constant");
  made->value = expression();
  expect_semicolon("after the constant");
  return made;
}

std::unique_ptr<Enum> Parser::enumeration() {
  take();
  auto made = std::make_unique<Enum>();
  const Token name = expect_name("an enum");
  made->name = text(name);
  made->span = name.span;
  const Token open = expect(TokenKind::kOpenBrace, "after the enum's name");
  do {
    if (at(TokenKind::kCloseBrace) && !made->members.empty()) break;
    const Token member = expect_name("a value");
    made->members.emplace_back(text(member));
    made->member_spans.push_back(member.span);
  } while (take_if(TokenKind::kComma));
  expect_close(open, TokenKind::kCloseBrace);
  take_if(TokenKind::kSemicolon);
  return made;
}

void Parser::object() {
  auto made = std::make_unique<Object>();
  const std::size_t first = at_;
  made->is_specification = take().kind == TokenKind::kSpec;
  const Token name =
      expect_name(made->is_specification ? "a specification" : "an object");
  made->name = text(name);
  made->span = name.span;
  types_.clear();
  if (made->is_specification && at(TokenKind::kOpenParen)) {
    specification_parameters(*made);
  }
  if (at(TokenKind::kImplements)) implements(*made);
  if (at(TokenKind::kName)) {
    fail(peek().span, fmt::format("unexpected {}, expected '{{'", found()),
         suggestion(std::string(text(peek())), {"implements"}));
  }
  const Token open = expect(TokenKind::kOpenBrace,
                            fmt::format("and the members of '{}'", made->name));
  while (!at(TokenKind::kCloseBrace) && !at(TokenKind::kObject) &&
         !at_specification() && !at(TokenKind::kCheck) &&
         !at(TokenKind::kEnd)) {
    const std::size_t before = at_;
    try {
      member(*made);
    } catch (const InputError& error) {
      caught(error);
      if (at_ == before && !at(TokenKind::kOpenBrace)) take();
      if (at_ == before || !at_member()) skip_statement(unclosed(before));
    }
  }
  made->mentions_processes = mentions_processes(first);
  parsed_.module->objects.push_back(std::move(made));
  parsed_.types.push_back(std::move(types_));
  types_.clear();
  expect_close(open, TokenKind::kCloseBrace);
  take_if(TokenKind::kSemicolon);
}

void Parser::specification_parameters(Object& object) {
  const Token open = take();
  if (!at(TokenKind::kCloseParen)) {
    do {
      auto made = std::make_unique<Constant>();
      const Span begin = peek().span;
      made->type = type();
      const bool fits =
          (made->type->kind == TypeKind::kInt && made->type->low == nullptr) ||
          made->type->kind == TypeKind::kBool;
      if (!fits) {
        fail(since(begin), "a parameter of a specification is 'int' or 'bool'",
             "it is a constant that 'implements' gives");
      }
      const Token name = expect_name("a parameter");
      made->name = text(name);
      made->span = name.span;
      object.parameters.push_back(std::move(made));
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseParen);
}

void Parser::implements(Object& object) {
  if (object.is_specification) {
    fail(peek().span, "a specification implements nothing",
         "an object implements it: 'object NAME implements SPEC { ... }'");
  }
  take();
  const Token name = expect_name("a specification");
  object.implements = text(name);
  object.implements_span = name.span;
  if (!at(TokenKind::kOpenParen)) return;
  Expression call;
  arguments(call);
  object.implements_arguments = std::move(call.operands);
}

void Parser::refuse_in_specification(const Object& object,
                                     std::string_view what) {
  if (!object.is_specification) return;
  fail(peek().span, fmt::format("a specification has no {}", what),
       "it is made of constants, enums, plain variables, 'init', functions "
       "and operations");
}

void Parser::member(Object& object) {
  parts_ = 0;
  const bool before_name = peek(1).kind == TokenKind::kName;
  if (at_name("memory") && before_name) return memory(object);
  if (at_name("role") && before_name) return role(object);
  if (at_name("partition") && before_name) return partition(object);
  if (at_name("init") && peek(1).kind == TokenKind::kOpenBrace) {
    return init(object);
  }
  if (at_name("relation") && peek(1).kind == TokenKind::kOpenBrace) {
    return relation(object);
  }
  switch (peek().kind) {
    case TokenKind::kConst:
      object.constants.push_back(constant());
      return;
    case TokenKind::kEnum:
      object.enums.push_back(enumeration());
      return;
    case TokenKind::kStruct:
      return structure(object);
    case TokenKind::kShared:
      return shared(object);
    case TokenKind::kFunction:
      take();
      return function(object, false);
    case TokenKind::kSemicolon:
      fail(peek().span, "there is nothing before this ';'");
    default:
      return function_or_variable(object);
  }
}

// What stands before the `(` or `;` behind a type and a name decides.
void Parser::function_or_variable(Object& object) {
  if (!at_type() && !at(TokenKind::kName)) {
    fail_expected("a member", fmt::format("of '{}'", object.name));
  }
  const Span begin = peek().span;
  const std::size_t start = at_;
  const std::size_t types = types_.size();
  const std::shared_ptr<Type> type = this->type();
  const bool is_function =
      at(TokenKind::kOpenBracket) || peek(1).kind == TokenKind::kOpenParen;
  if (is_function) {
    at_ = start;
    types_.resize(types);
    return function(object, true);
  }
  if (type->kind == TypeKind::kVoid) {
    expect_name("an operation");
    fail_expected("'('", "and the parameters");
  }
  if (!object.is_specification) must_be_shared(object, since(begin));
  auto made = declarators(type, Variable::Kind::kShared);
  for (auto& variable : made) object.variables.push_back(std::move(variable));
  expect_semicolon("after the variable");
}

void Parser::must_be_shared(const Object& object, Span type) {
  if (at(TokenKind::kName) && peek(1).kind != TokenKind::kName) {
    fail(peek().span,
         fmt::format("the variable '{}' of the object '{}' is not 'shared'",
                     text(peek()), object.name),
         fmt::format("write 'shared {} {}'", source_.text(type), text(peek())));
  }
  const std::string word(source_.text(type));
  fail(
      type,
      fmt::format("unexpected '{}' in the object '{}'", word, object.name),
      suggestion(word, {"shared", "struct", "function", "const", "enum", "role",
                        "memory", "init", "relation", "void", "int", "bool"}));
}

void Parser::structure(Object& object) {
  refuse_in_specification(object, "structs");
  take();
  auto made = std::make_unique<Struct>();
  const Token name = expect_name("a struct");
  made->name = text(name);
  made->span = name.span;
  const Token open = expect(TokenKind::kOpenBrace, "and the fields");
  while (!at(TokenKind::kCloseBrace) && !at(TokenKind::kEnd)) {
    try {
      auto fields = declarators(type(), Variable::Kind::kField);
      for (auto& field : fields) made->fields.push_back(std::move(field));
      expect_semicolon("after the field");
    } catch (const InputError& error) {
      caught(error);
      if (at_member()) break;
      skip_statement();
    }
  }
  expect_close(open, TokenKind::kCloseBrace);
  take_if(TokenKind::kSemicolon);
  object.structs.push_back(std::move(made));
}

void Parser::shared(Object& object) {
  if (object.is_specification) {
    fail(peek().span, "a specification has no 'shared' variables",
         "leave 'shared' out: each operation of it is one step anyway");
  }
  take();
  auto made = declarators(type(), Variable::Kind::kShared);
  for (auto& variable : made) object.variables.push_back(std::move(variable));
  expect_semicolon("after the variable");
}

void Parser::memory(Object& object) {
  refuse_in_specification(object, "memory");
  take();
  const std::string how(text(peek()));
  if (how != "manual" && how != "recycled") {
    fail(peek().span, fmt::format("memory cannot be '{}'", how),
         suggestion(how, {"manual", "recycled"},
                    "write 'memory manual;' or 'memory recycled;'; without "
                    "either, cells are collected"));
  }
  if (object.memory != Memory::kCollected) {
    fail(peek().span, "there is a second 'memory' line");
  }
  object.memory = how == "manual" ? Memory::kManual : Memory::kRecycled;
  take();
  expect_semicolon("after the kind of memory");
}

void Parser::role(Object& object) {
  refuse_in_specification(object, "roles");
  take();
  Role made;
  const Token name = expect_name("a role");
  made.name = text(name);
  made.span = name.span;
  expect(TokenKind::kColon, "and how many processes have the role");
  if (at_name("others")) {
    take();
  } else {
    made.count = sum();
    if (!take_if(TokenKind::kProcess) && !take_if(TokenKind::kProcesses)) {
      fail_expected("'process' or 'processes'", "");
    }
  }
  const Token open = expect(TokenKind::kOpenBrace, "and the operations");
  do {
    const Token operation = expect_name("an operation");
    made.operations.emplace_back(text(operation));
    made.operation_spans.push_back(operation.span);
  } while (take_if(TokenKind::kComma));
  expect_close(open, TokenKind::kCloseBrace);
  take_if(TokenKind::kSemicolon);
  object.roles.push_back(std::move(made));
}

void Parser::init(Object& object) {
  if (object.init != nullptr) fail(peek().span, "there is a second 'init'");
  take();
  object.init = block();
}

// `partition by key;`.  Else it is a type of that name.
void Parser::partition(Object& object) {
  if (text(peek(1)) != "by") return function_or_variable(object);
  if (!object.is_specification) {
    fail(peek().span, "only a specification can be partitioned",
         "it says which argument is the key: 'partition by key;'");
  }
  if (!object.partition.empty()) {
    fail(peek().span, "there is a second 'partition'");
  }
  take();
  take();
  const Token name = expect_name("a parameter");
  object.partition = text(name);
  object.partition_span = name.span;
  expect_semicolon("after the parameter");
}

void Parser::relation(Object& object) {
  refuse_in_specification(object, "'relation'");
  if (object.relation != nullptr) {
    fail(peek().span, "there is a second 'relation'");
  }
  object.relation = std::make_unique<Function>();
  const Token word = take();
  object.relation->name = text(word);
  object.relation->span = word.span;
  object.relation->body = block();
}

void Parser::function(Object& object, bool is_operation) {
  auto made = std::make_unique<Function>();
  made->is_operation = is_operation;
  const Span begin = peek().span;
  auto result = type();
  if (at(TokenKind::kOpenBracket)) result = array_of(std::move(result), begin);
  made->result = std::move(result);
  const Token name = expect_name(is_operation ? "an operation" : "a function");
  made->name = text(name);
  made->span = name.span;
  made->parameters = parameters();
  if (!at(TokenKind::kOpenBrace)) {
    fail_expected("'{'", fmt::format("and the body of '{}'", made->name));
  }
  made->body = block();
  object.functions.push_back(std::move(made));
}

std::vector<std::unique_ptr<Variable>> Parser::parameters() {
  const Token open = expect(TokenKind::kOpenParen, "and the parameters");
  std::vector<std::unique_ptr<Variable>> made;
  if (!at(TokenKind::kCloseParen)) {
    do {
      made.push_back(declarator(type(), Variable::Kind::kParameter));
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseParen);
  return made;
}

}  // namespace plumb::lang
