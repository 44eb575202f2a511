// SPDX-License-Identifier: Apache-2.0
#include "csp/read.h"

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include <utility>

#include "csp/encoding.h"
#include "csp/lexer.h"
#include "csp/lints.h"
#include "csp/parser.h"
#include "csp/resolve.h"
#include "csp/syntax.h"

namespace plumb::csp {
namespace {

constexpr std::size_t kMostFiles = 100;

class Reader {
 public:
  Reader(const std::string& name, std::string text, const Loader& loader)
      : loader_(loader),
        source_(std::make_shared<text::Source>(name, checked(name, text))),
        diagnostics_(*source_, kMostErrors) {}

  ReadResult run() {
    parse(0);
    // The list grows while files are read.
    for (std::size_t i = 0; i < written_.imports.size(); ++i) include(i);
    auto module = std::make_shared<Module>();
    module->source = source_;
    // What could not be parsed declares nothing: looking for names now would
    // only add errors that are none.
    if (diagnostics_.empty()) {
      Resolver(written_, diagnostics_, *module).run();
    }
    if (!diagnostics_.empty()) return {nullptr, diagnostics_.errors()};
    find_traps(*module);
    return {std::move(module), {}};
  }

 private:
  // Throws InputError.
  static std::string checked(const std::string& name, std::string text) {
    if (text.size() <= text::kLargestModel) {
      text = normalised(name, std::move(text));
      if (text.size() <= text::kLargestModel) return text;
    }
    Place place;
    place.source = name;
    throw InputError(std::move(place),
                     fmt::format("the model has {} bytes, but at most {} can "
                                 "be read",
                                 text.size(), text::kLargestModel));
  }

  void parse(std::uint32_t begin) {
    const std::vector<Token> tokens = lex(*source_, begin, diagnostics_);
    Parser(*source_, tokens, diagnostics_, written_).parse();
  }

  // A file that is included twice is read once.
  void include(std::size_t i) {
    const syntax::Import import = written_.imports[i];
    if (import.is_library || !included_.insert(import.path).second) return;
    if (included_.size() > kMostFiles) {
      diagnostics_.report(
          import.span,
          fmt::format("more than {} files are included", kMostFiles));
      return;
    }
    const auto text = loader_ ? loader_(import.path) : std::nullopt;
    if (!text) {
      diagnostics_.report(import.span,
                          fmt::format("'{}' cannot be read", import.path),
                          "its path is relative to the folder of the model");
      return;
    }
    if (text->size() + source_->text().size() > text::kLargestModel) {
      diagnostics_.report(
          import.span, "the model becomes too large",
          fmt::format("at most {} bytes can be read", text::kLargestModel));
      return;
    }
    parse(source_->append(import.path, checked(import.path, *text)));
  }

  const Loader& loader_;
  std::shared_ptr<text::Source> source_;
  text::Diagnostics diagnostics_;
  syntax::Module written_;
  absl::flat_hash_set<std::string> included_;
};

}  // namespace

ReadResult read_module(std::string name, std::string text,
                       const Loader& loader) {
  try {
    return Reader(name, std::move(text), loader).run();
  } catch (const InputError& error) {
    return {nullptr, {error}};
  }
}

}  // namespace plumb::csp
