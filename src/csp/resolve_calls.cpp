// SPDX-License-Identifier: Apache-2.0
// Macros, functions of channels, and PAT's library.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "csp/library.h"
#include "csp/resolve.h"
#include "csp/resolve_depth.h"

namespace plumb::csp {
namespace {

using syntax::Term;
using syntax::TermKind;

constexpr std::array<std::string_view, 5> kChannelFunctions = {
    "cfull", "cempty", "ccount", "csize", "cpeek"};

bool is_channel_function(std::string_view name) {
  return std::find(kChannelFunctions.begin(), kChannelFunctions.end(), name) !=
         kChannelFunctions.end();
}

}  // namespace

void Resolver::check_count(const syntax::Name& of, std::string_view what,
                           std::size_t wanted, std::size_t given) {
  if (wanted == given) return;
  report(of.span, fmt::format("{} '{}' takes {} argument{}, but {} {} given",
                              what, of.text, wanted, wanted == 1 ? "" : "s",
                              given, given == 1 ? "is" : "are"));
}

ExprPtr Resolver::call(const Term& term) {
  const auto found = values_.find(term.name.text);
  if (found != values_.end() && found->second.kind == Kind::kMacro) {
    return unfold_macro(found->second.index, term);
  }
  if (is_channel_function(term.name.text)) return channel_function(term);
  auto made = make(ExprKind::kStatic, term.span);
  made->name = term.name.text;
  for (const syntax::TermPtr& argument : term.children) {
    made->children.push_back(this->term(*argument));
  }
  if (const StaticInfo* info = find_static(term.name.text)) {
    check_count(term.name, "the function", info->arguments,
                term.children.size());
    return made;
  }
  std::vector<std::string> near(kChannelFunctions.begin(),
                                kChannelFunctions.end());
  for (const syntax::Macro& macro : written_.macros) {
    near.push_back(macro.name.text);
  }
  report(
      term.name.span,
      fmt::format("there is no function or macro '{}'", term.name.text),
      text::suggestion(term.name.text, near, hint_for_static(term.name.text)));
  return made;
}

// Hygienic: the body sees its parameters and what is declared outside, never
// the names of the place where it is used.
ExprPtr Resolver::unfold_macro(std::size_t index, const Term& use) {
  const syntax::Macro& macro = written_.macros[index];
  const std::size_t given =
      use.kind == TermKind::kCall ? use.children.size() : 0;
  if (macro.has_parameters && use.kind != TermKind::kCall) {
    report(use.span,
           fmt::format("'{}' is a macro with parameters", macro.name.text),
           fmt::format("use it as 'call({}, ...)'", macro.name.text));
    return bad(use.span);
  }
  if (macro.parameters.size() != given) {
    check_count(use.name, "the macro", macro.parameters.size(), given);
    return bad(use.span);
  }
  if (std::find(unfolding_.begin(), unfolding_.end(), index) !=
      unfolding_.end()) {
    report(use.span, fmt::format("'{}' uses itself", macro.name.text),
           "macros are unfolded, so they cannot be recursive; processes can");
    return bad(use.span);
  }
  std::vector<Binding> inner;
  for (std::size_t i = 0; i < given; ++i) {
    inner.push_back(argument(macro.parameters[i], *use.children[i]));
  }
  if (unfolding_.empty()) use_ = use.span;
  std::swap(scope_, inner);
  unfolding_.push_back(index);
  ExprPtr made = term(*macro.body);
  unfolding_.pop_back();
  std::swap(scope_, inner);
  return made;
}

Resolver::Binding Resolver::argument(const syntax::Name& parameter,
                                     const Term& term) {
  Binding made;
  made.name = parameter.text;
  made.role = Role::kArgument;
  if (names_channel(term)) {
    made.is_channel = true;
    if (auto use = channel_use(term)) {
      made.slot = use->channel;
      made.value = std::move(use->index);
    }
    return made;
  }
  const std::size_t nodes = nodes_;
  const std::size_t deepest = std::exchange(deepest_, depth_);
  made.value = this->term(term);
  made.nodes = nodes_ - nodes;
  made.height = deepest_ - depth_;
  deepest_ = std::max(deepest, deepest_);
  return made;
}

bool Resolver::names_channel(const Term& term) const {
  if (term.kind != TermKind::kName && term.kind != TermKind::kElement) {
    return false;
  }
  const syntax::Name& name =
      term.kind == TermKind::kElement ? term.children[0]->name : term.name;
  if (const Binding* binding = find(name.text)) return binding->is_channel;
  const auto found = values_.find(name.text);
  return found != values_.end() && found->second.kind == Kind::kChannel;
}

std::optional<std::uint32_t> Resolver::find_channel(const syntax::Name& name) {
  const auto found = values_.find(name.text);
  if (found != values_.end() && found->second.kind == Kind::kChannel) {
    return static_cast<std::uint32_t>(found->second.index);
  }
  if (found != values_.end() || find(name.text) != nullptr) {
    report(name.span, fmt::format("'{}' is not a channel", name.text));
    return std::nullopt;
  }
  std::vector<std::string> near;
  for (const syntax::Channel& channel : written_.channels) {
    near.push_back(channel.name.text);
  }
  report(name.span, fmt::format("there is no channel '{}'", name.text),
         text::suggestion(
             name.text, near,
             fmt::format("declare it with 'channel {} 0;'", name.text)));
  return std::nullopt;
}

ExprPtr Resolver::channel_index(std::uint32_t channel, const Term* index,
                                Span span) {
  const bool is_array = written_.channels[channel].elements != nullptr;
  if (is_array == (index != nullptr)) {
    return index == nullptr ? nullptr : term(*index);
  }
  const std::string& name = written_.channels[channel].name.text;
  report(span,
         is_array ? fmt::format("'{}' is an array of channels", name)
                  : fmt::format("'{}' is one channel, not an array", name),
         is_array ? fmt::format("write '{}[i]'", name) : "");
  return is_array ? bad(span) : nullptr;
}

std::optional<Resolver::ChannelUse> Resolver::channel_use(const Term& written) {
  const bool is_element = written.kind == TermKind::kElement;
  const Term& base = is_element ? *written.children[0] : written;
  if (base.kind != TermKind::kName) {
    report(written.span, "this is not a channel");
    return std::nullopt;
  }
  const Binding* binding = find(base.name.text);
  if (binding != nullptr && binding->role == Role::kUnknown) {
    return std::nullopt;
  }
  if (binding != nullptr && binding->is_channel) {
    if (!is_element) return ChannelUse{binding->slot, binding->value};
    if (binding->value != nullptr) {
      report(written.span,
             fmt::format("'{}' is one channel, not an array", base.name.text));
      return std::nullopt;
    }
    const std::uint32_t channel = binding->slot;
    return ChannelUse{channel, channel_index(channel, written.children[1].get(),
                                             written.span)};
  }
  const auto channel = find_channel(base.name);
  if (!channel) return std::nullopt;
  const bool is_whole_array =
      !is_element && written_.channels[*channel].elements != nullptr;
  // An array may be passed to a macro as a whole.
  if (is_whole_array) return ChannelUse{*channel, nullptr};
  const Term* index = is_element ? written.children[1].get() : nullptr;
  return ChannelUse{*channel, channel_index(*channel, index, written.span)};
}

ExprPtr Resolver::channel_function(const Term& term) {
  auto made = make(ExprKind::kChannel, term.span);
  made->name = term.name.text;
  check_count(term.name, "the function", 1, term.children.size());
  if (term.children.empty()) return bad(term.span);
  auto use = channel_use(*term.children[0]);
  if (!use) return bad(term.span);
  const syntax::Channel& channel = written_.channels[use->channel];
  if (channel.elements != nullptr && use->index == nullptr) {
    report(term.children[0]->span,
           fmt::format("'{}' is an array of channels", channel.name.text),
           fmt::format("write '{}[i]'", channel.name.text));
  }
  made->number = use->channel;
  if (use->index != nullptr) made->children.push_back(std::move(use->index));
  return made;
}

// The class that a receiver has for certain, or "".
std::string_view Resolver::class_of(const Expression& receiver) const {
  if (receiver.kind == ExprKind::kNew) return receiver.name;
  if (receiver.kind != ExprKind::kGlobal) return "";
  const syntax::Variable& variable =
      written_.variables[static_cast<std::size_t>(receiver.number)];
  return variable.type.text;
}

ExprPtr Resolver::method(const Term& term) {
  auto made = make(ExprKind::kMethod, term.span);
  made->name = term.name.text;
  for (const syntax::TermPtr& child : term.children) {
    made->children.push_back(this->term(*child));
  }
  check_method(*made->children[0], term);
  return made;
}

void Resolver::check_method(const Expression& receiver, const Term& term) {
  const std::size_t given = term.children.size() - 1;
  const std::string_view known = class_of(receiver);
  const ClassInfo* type = find_class(known);
  if (!known.empty() && type == nullptr) return;  // told where it is declared
  const MethodInfo* found = nullptr;
  if (type != nullptr) {
    found = find_method(*type, term.name.text);
    if (found == nullptr) {
      report(term.name.span,
             fmt::format("the class {} has no method '{}'", type->name,
                         term.name.text),
             hint_for_method(*type, term.name.text));
      return;
    }
    check_count(term.name, "the method", found->arguments, given);
  } else {
    for (const ClassInfo& candidate : classes()) {
      const MethodInfo* method = find_method(candidate, term.name.text);
      if (method != nullptr && method->arguments == given) found = method;
    }
    if (found == nullptr) {
      report(term.name.span,
             fmt::format("no class of the library has a method '{}' with {} "
                         "argument{}",
                         term.name.text, given, given == 1 ? "" : "s"),
             "C# code cannot be run here");
      return;
    }
  }
  if (!found->changes || may_assign_) return;
  report(term.span,
         fmt::format("'{}' changes its object, which cannot be done here",
                     term.name.text),
         "put it into the block of an event: 'e{...} -> P'");
}

ExprPtr Resolver::field(const Term& term) {
  auto made = make(ExprKind::kField, term.span);
  made->name = term.name.text;
  made->children.push_back(this->term(*term.children[0]));
  const ClassInfo* type = find_class(class_of(*made->children[0]));
  if (type != nullptr && find_field(*type, term.name.text) == nullptr) {
    report(term.name.span,
           fmt::format("the class {} has no field '{}'", type->name,
                       term.name.text),
           hint_for_field(*type, term.name.text));
  }
  return made;
}

ExprPtr Resolver::new_object(const Term& term) {
  auto made = make(ExprKind::kNew, term.span);
  made->name = term.name.text;
  for (const syntax::TermPtr& child : term.children) {
    made->children.push_back(this->term(*child));
  }
  const ClassInfo* type = find_class(term.name.text);
  if (type == nullptr) {
    report(term.name.span,
           fmt::format("there is no class '{}'", term.name.text),
           hint_for_class(term.name.text));
    return made;
  }
  const std::size_t given = term.children.size();
  if (given != 0) {
    check_count(term.name, "the class", type->constructor_arguments, given);
  }
  return made;
}

ExprPtr Resolver::processes(const Term& term) {
  auto made = make(ExprKind::kProcesses, term.span);
  made->name = term.name.text;
  if (const auto process = find_process(term.name)) {
    made->number = *process;
    if (!term.children.empty()) {
      report(term.span, "processes are counted whatever their arguments are",
             fmt::format("write '#{}()'", term.name.text));
    }
  }
  return made;
}

}  // namespace plumb::csp
