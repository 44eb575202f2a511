// SPDX-License-Identifier: Apache-2.0
// The house layout.  It depends on the tokens, on the comments, and on three
// things that the writer decides: where there is an empty line, whether a
// statement or member stands on one line, and whether a body without braces
// follows its `if` on the same line.  All three are the same in what comes
// out, so formatting twice is formatting once.
#include "lang/format.h"

#include <algorithm>
#include <utility>

#include "lang/format_line.h"
#include "lang/format_spacing.h"

namespace plumb::lang {
namespace {

class Formatter {
 public:
  Formatter(const Source& source, const Lexed& lexed)
      : source_(source),
        tokens_(lexed.tokens),
        comments_(lexed.comments),
        spacing_(source, lexed.tokens),
        line_(0) {}

  std::string run();

 private:
  using Kind = TokenKind;
  Kind kind(std::size_t i) const {
    return tokens_[std::min(i, tokens_.size() - 1)].kind;
  }
  Kind kind() const { return kind(at_); }
  std::string_view text(std::size_t i) const {
    return source_.text(tokens_[i].span);
  }
  bool is_or(std::size_t i) const {
    return kind(i) == Kind::kName && text(i) == "or" &&
           kind(i + 1) == Kind::kOpenBrace;
  }
  std::size_t line_of(std::size_t i) const {
    return source_.line(tokens_[i].span);
  }

  // Comments.
  std::string comment_text(const Comment& comment) const;
  std::size_t last_line(const Comment& comment) const;
  bool has_comment(std::size_t token) const;
  bool is_alone(const Comment& comment) const;
  bool is_trailing(const Comment& comment) const;
  void comment_inside(const Comment& comment);
  void comment_line(const Comment& comment, std::size_t indent);

  // Lines.
  void emit();
  void emit_through(std::size_t last);
  void flush();
  void end_line();
  void start_line(std::size_t indent, std::size_t comment_indent);
  void start_line(std::size_t indent) { start_line(indent, indent); }
  void close_brace(std::size_t indent);
  void keep_empty_line(std::size_t next_line);

  // How far things go.
  std::size_t end_of_simple(std::size_t i) const;
  std::size_t end_of_statement(std::size_t i) const;
  std::size_t end_of_member(std::size_t i) const;
  std::size_t brace_from(std::size_t i) const;
  std::size_t with_semicolon(std::size_t i) const;
  bool fits_on_line(std::size_t first, std::size_t last) const;

  // What a model is made of.
  void declaration();
  void member(std::size_t indent);
  void list(std::size_t indent);
  void fields(std::size_t indent);
  void block(std::size_t indent);
  void statement(std::size_t indent);
  void expanded(std::size_t indent);
  bool body(std::size_t indent);
  void if_statement(std::size_t indent);
  void do_statement(std::size_t indent);
  void choose_statement(std::size_t indent);

  const Source& source_;
  const std::vector<Token>& tokens_;
  const std::vector<Comment>& comments_;
  Spacing spacing_;
  std::size_t at_ = 0;            // the token to be written next
  std::size_t next_comment_ = 0;  // the comment to be written next
  bool needs_break_ = false;      // a `//` comment ends the line inside
  bool after_open_ = true;        // no empty line here
  std::size_t written_line_ = 0;  // of the source, written last
  Line line_;
  std::string out_;
};

std::string Formatter::comment_text(const Comment& comment) const {
  std::string shown(source_.text(comment.span));
  std::erase(shown, '\r');
  while (!shown.empty() && (shown.back() == ' ' || shown.back() == '\t')) {
    shown.pop_back();
  }
  return shown;
}

std::size_t Formatter::last_line(const Comment& comment) const {
  const Span span = comment.span;
  return source_.line({span.begin + span.length - 1, 1});
}

bool Formatter::has_comment(std::size_t token) const {
  const auto found = std::lower_bound(
      comments_.begin(), comments_.end(), token,
      [](const Comment& c, std::size_t before) { return c.before < before; });
  return found != comments_.end() && found->before == token;
}

// Must the text behind it stand on another line?
bool Formatter::is_alone(const Comment& comment) const {
  return source_.text(comment.span).starts_with("//");
}

// Does it stand behind something on its line, with nothing behind it?
bool Formatter::is_trailing(const Comment& comment) const {
  if (comment.before == 0 ||
      source_.line(comment.span) != line_of(comment.before - 1)) {
    return false;
  }
  return is_alone(comment) || last_line(comment) != line_of(comment.before);
}

// A comment between two tokens of one line.
void Formatter::comment_inside(const Comment& comment) {
  const std::string shown = comment_text(comment);
  if (!is_alone(comment)) {
    line_.add(shown, true,
              needs_break_ ? Line::Break::kAlways : Line::Break::kNever);
    needs_break_ = false;
    return;
  }
  const bool on_own_line =
      comment.before == 0 ||
      source_.line(comment.span) != line_of(comment.before - 1);
  if (on_own_line || needs_break_) {
    line_.add(shown, false, Line::Break::kAlways);
  } else {
    line_.add_trailing(shown);
  }
  needs_break_ = true;
}

// Writes the next token, with the comments before it, to the current line.
void Formatter::emit() {
  bool after_comment = false;
  while (next_comment_ < comments_.size() &&
         comments_[next_comment_].before == at_) {
    comment_inside(comments_[next_comment_]);
    written_line_ = last_line(comments_[next_comment_++]);
    after_comment = true;
  }
  const Line::Break before = needs_break_ ? Line::Break::kAlways
                             : !line_.empty() && spacing_.may_break_before(at_)
                                 ? Line::Break::kAllowed
                                 : Line::Break::kNever;
  line_.add(text(at_), after_comment || spacing_.before(at_), before);
  needs_break_ = false;
  written_line_ = line_of(at_);
  after_open_ = kind() == Kind::kOpenBrace;
  ++at_;
}

void Formatter::emit_through(std::size_t last) {
  while (at_ <= last) emit();
}

void Formatter::flush() {
  line_.append_to(out_);
  line_ = Line(0);
}

// Ends the line, with the comments that stand behind its last token.
void Formatter::end_line() {
  while (next_comment_ < comments_.size() &&
         comments_[next_comment_].before == at_ &&
         is_trailing(comments_[next_comment_]) && !line_.empty()) {
    const Comment& comment = comments_[next_comment_++];
    line_.add_trailing(comment_text(comment));
    written_line_ = last_line(comment);
    if (is_alone(comment)) break;
  }
  flush();
}

void Formatter::keep_empty_line(std::size_t next_line) {
  if (!after_open_ && next_line > written_line_ + 1) out_ += '\n';
  after_open_ = false;
}

void Formatter::comment_line(const Comment& comment, std::size_t indent) {
  keep_empty_line(source_.line(comment.span));
  Line own(indent);
  own.add(comment_text(comment), false, Line::Break::kNever);
  own.append_to(out_);
  written_line_ = last_line(comment);
}

// Begins a line for the next token, below the comments before it.
void Formatter::start_line(std::size_t indent, std::size_t comment_indent) {
  end_line();
  for (; next_comment_ < comments_.size() &&
         comments_[next_comment_].before == at_;
       ++next_comment_) {
    const Comment& comment = comments_[next_comment_];
    const bool is_last = next_comment_ + 1 == comments_.size() ||
                         comments_[next_comment_ + 1].before != at_;
    const bool goes_with_token =
        is_last && !is_alone(comment) && last_line(comment) == line_of(at_) &&
        kind() != Kind::kEnd && kind() != Kind::kCloseBrace;
    if (goes_with_token) {
      keep_empty_line(source_.line(comment.span));
      written_line_ = line_of(at_);
      break;
    }
    comment_line(comment, comment_indent);
  }
  const bool closes = kind() == Kind::kCloseBrace || kind() == Kind::kEnd;
  if (!closes) keep_empty_line(line_of(at_));
  line_ = Line(indent);
}

void Formatter::close_brace(std::size_t indent) {
  if (kind(at_ - 1) == Kind::kOpenBrace && !has_comment(at_)) return emit();
  start_line(indent, indent + kIndent);
  emit();
}

// The `;` that ends what begins at `i`; braces of `new` may stand before it.
std::size_t Formatter::end_of_simple(std::size_t i) const {
  while (kind(i) != Kind::kSemicolon && kind(i) != Kind::kEnd) {
    i = kind(i) == Kind::kOpenBrace || kind(i) == Kind::kOpenParen
            ? spacing_.match(i) + 1
            : i + 1;
  }
  return std::min(i, tokens_.size() - 2);
}

std::size_t Formatter::end_of_statement(std::size_t i) const {
  switch (kind(i)) {
    case Kind::kOpenBrace:
      return spacing_.match(i);
    case Kind::kIf:
    case Kind::kWhile:
    case Kind::kFor: {
      const std::size_t end = end_of_statement(spacing_.match(i + 1) + 1);
      if (kind(i) != Kind::kIf || kind(end + 1) != Kind::kElse) return end;
      return end_of_statement(end + 2);
    }
    case Kind::kDo:
      return end_of_simple(end_of_statement(i + 1) + 1);
    case Kind::kAtomic:
      return spacing_.match(i + 1);
    case Kind::kChoose: {
      std::size_t end = spacing_.match(i + 1);
      while (is_or(end + 1)) end = spacing_.match(end + 2);
      return end;
    }
    case Kind::kLinearize:
      return kind(i + 1) == Kind::kSemicolon ? i + 1 : end_of_statement(i + 1);
    default:
      return end_of_simple(i);
  }
}

std::size_t Formatter::with_semicolon(std::size_t i) const {
  return kind(i + 1) == Kind::kSemicolon ? i + 1 : i;
}

// The `{` of a body, or the `;` before which there is none.
std::size_t Formatter::brace_from(std::size_t i) const {
  while (kind(i) != Kind::kOpenBrace && kind(i) != Kind::kSemicolon &&
         kind(i) != Kind::kEnd) {
    i = kind(i) == Kind::kOpenParen ? spacing_.match(i) + 1 : i + 1;
  }
  return i;
}

std::size_t Formatter::end_of_member(std::size_t i) const {
  if (kind(i) == Kind::kConst || kind(i) == Kind::kShared ||
      kind(i) == Kind::kCheck) {
    return end_of_simple(i);
  }
  const std::size_t brace = brace_from(i);
  if (kind(brace) != Kind::kOpenBrace) {
    return std::min(brace, tokens_.size() - 2);
  }
  return with_semicolon(spacing_.match(brace));
}

// Did the writer put it on one line, and does it fit there now?
bool Formatter::fits_on_line(std::size_t first, std::size_t last) const {
  if (line_of(first) != line_of(last)) return false;
  // A comment before the first token counts if it goes on the same line.
  const bool has_pending = next_comment_ < comments_.size() &&
                           comments_[next_comment_].before == first;
  const auto comment = std::lower_bound(
      comments_.begin(), comments_.end(), first + (has_pending ? 0u : 1u),
      [](const Comment& c, std::size_t before) { return c.before < before; });
  if (comment != comments_.end() && comment->before <= last) return false;
  std::size_t width = line_.width();
  for (std::size_t i = first; i <= last; ++i) {
    const bool space = i == first ? !line_.empty() : spacing_.before(i);
    width += (space ? 1u : 0u) + text(i).size();
    if (width > kColumns) return false;
  }
  return true;
}

void Formatter::block(std::size_t indent) {
  emit();
  while (kind() != Kind::kCloseBrace) {
    start_line(indent + kIndent);
    statement(indent + kIndent);
  }
  close_brace(indent);
}

void Formatter::statement(std::size_t indent) {
  const std::size_t last = end_of_statement(at_);
  if (fits_on_line(at_, last)) {
    emit_through(last);
  } else {
    expanded(indent);
  }
}

void Formatter::expanded(std::size_t indent) {
  switch (kind()) {
    case Kind::kOpenBrace:
      return block(indent);
    case Kind::kIf:
      return if_statement(indent);
    case Kind::kWhile:
    case Kind::kFor:
      emit_through(spacing_.match(at_ + 1));
      body(indent);
      return;
    case Kind::kDo:
      return do_statement(indent);
    case Kind::kAtomic:
      emit();
      return block(indent);
    case Kind::kChoose:
      return choose_statement(indent);
    case Kind::kLinearize:
      emit();
      if (kind() == Kind::kSemicolon) return emit();
      return statement(indent);
    default:
      return emit_through(end_of_simple(at_));
  }
}

// What an `if` or a loop does: a block goes on with the line; anything else
// does so if the writer wanted it and there is room.  Returns whether it was
// such a block.
bool Formatter::body(std::size_t indent) {
  if (kind() == Kind::kOpenBrace && !has_comment(at_)) {
    block(indent);
    return true;
  }
  const bool goes_on = line_of(at_) == line_of(at_ - 1) && !has_comment(at_) &&
                       fits_on_line(at_, end_of_statement(at_));
  if (goes_on) {
    emit_through(end_of_statement(at_));
  } else {
    start_line(indent + kIndent);
    statement(indent + kIndent);
  }
  return false;
}

void Formatter::if_statement(std::size_t indent) {
  emit_through(spacing_.match(at_ + 1));
  const bool is_block = body(indent);
  if (kind() != Kind::kElse) return;
  if (!is_block || has_comment(at_)) start_line(indent);
  emit();
  if (kind() == Kind::kIf && !has_comment(at_)) return statement(indent);
  body(indent);
}

void Formatter::do_statement(std::size_t indent) {
  const std::size_t last = end_of_statement(at_);
  emit();
  const bool has_block = kind() == Kind::kOpenBrace && !has_comment(at_);
  if (has_block) {
    block(indent);
  } else {
    start_line(indent + kIndent);
    statement(indent + kIndent);
  }
  if (!has_block || has_comment(at_)) start_line(indent);
  emit_through(last);
}

void Formatter::choose_statement(std::size_t indent) {
  emit();
  block(indent);
  while (is_or(at_)) {
    if (has_comment(at_)) start_line(indent);
    emit();
    block(indent);
  }
}

// Names between braces: those of an enum or a role.
void Formatter::list(std::size_t indent) {
  const std::size_t close = spacing_.match(at_);
  emit();
  start_line(indent + kIndent);
  emit_through(close - 1);
  close_brace(indent);
}

void Formatter::fields(std::size_t indent) {
  emit();
  while (kind() != Kind::kCloseBrace) {
    start_line(indent + kIndent);
    emit_through(end_of_simple(at_));
  }
  close_brace(indent);
}

void Formatter::member(std::size_t indent) {
  const std::size_t last = end_of_member(at_);
  const bool is_one_line = fits_on_line(at_, last);
  const std::size_t brace = brace_from(at_);
  const bool is_list =
      kind() == Kind::kEnum || (kind() == Kind::kName && text(at_) == "role" &&
                                kind(at_ + 2) == Kind::kColon);
  const bool is_struct = kind() == Kind::kStruct;
  const bool has_body = kind() != Kind::kConst && kind() != Kind::kShared &&
                        kind() != Kind::kCheck &&
                        kind(brace) == Kind::kOpenBrace;
  if (is_one_line || !has_body) return emit_through(last);
  emit_through(brace - 1);
  if (is_list) {
    list(indent);
  } else if (is_struct) {
    fields(indent);
  } else {
    block(indent);
  }
  emit_through(last);
}

void Formatter::declaration() {
  if (kind() != Kind::kObject && kind() != Kind::kSpec) return member(0);
  const std::size_t last = end_of_member(at_);
  emit_through(brace_from(at_));
  while (kind() != Kind::kCloseBrace) {
    start_line(kIndent);
    member(kIndent);
  }
  close_brace(0);
  emit_through(last);
}

std::string Formatter::run() {
  while (kind() != Kind::kEnd) {
    start_line(0);
    declaration();
  }
  start_line(0);
  return std::move(out_);
}

}  // namespace

std::string format_tokens(const Source& source, const Lexed& lexed) {
  return Formatter(source, lexed).run();
}

}  // namespace plumb::lang
