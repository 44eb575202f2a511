// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/terminal_text.h"
#include "cli/build_facts.h"
#include "cli/commands.h"
#include "cli/file_trace.h"
#include "cli/interrupts.h"

namespace plumb::cli {

namespace {

// Where to look: at the help of the command, if there is one.
std::string help_hint(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  std::string command;
  for (const CLI::App* known : app.get_subcommands({})) {
    if (known->get_name() == word) command = word + ' ';
  }
  return fmt::format("'plumb {}--help' shows what there is", command);
}

// Which word a slip of the pen or a beginning may stand for; "" if none.
std::string meant(const std::string& word,
                  const std::vector<std::string>& known) {
  std::string found;
  if (word.size() > 2) {
    for (const std::string& one : known) {
      if (!one.starts_with(word)) continue;
      if (!found.empty()) return nearest(word, known);
      found = one;
    }
  }
  return found.empty() ? nearest(word, known) : found;
}

// `plumb help verify` is `plumb verify --help`, and `plumb help` is `plumb
// --help`.
std::vector<std::string> words_of(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty() || words[0] != "help" || words.size() > 2) return words;
  if (words.size() == 1) return {"--help"};
  return {words[1], "--help"};
}

// The first word of the command line that plumb does not know, and what the
// user may have meant by it.  CLI11 complains of what is missing first, which
// hides a slip of the pen.
std::optional<InputError> unknown_word(const CLI::App& app, int argc,
                                       char** argv) {
  std::vector<std::string> commands;
  for (const CLI::App* command : app.get_subcommands({})) {
    commands.push_back(command->get_name());
  }
  const auto error = [&](const char* kind, const std::string& word,
                         const std::vector<std::string>& known) {
    const std::string guess = meant(word, known);
    return InputError(fmt::format("unknown {} '{}'", kind, word),
                      guess.empty() ? help_hint(app, argc, argv)
                                    : fmt::format("did you mean '{}'?", guess));
  };
  if (argc < 2) return std::nullopt;
  if (argv[1][0] == '-') {
    const std::vector<std::string> own = {"--help", "--version"};
    const std::string word = argv[1];
    if (std::find(own.begin(), own.end(), word) != own.end()) return {};
    return error("option", word, own);
  }
  const std::string named = words_of(argc, argv)[0];
  const auto found = std::find(commands.begin(), commands.end(), named);
  if (found == commands.end()) return error("command", named, commands);

  std::vector<std::string> options;
  for (const CLI::Option* option : app.get_subcommand(*found)->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      options.push_back("--" + name);
    }
  }
  for (int i = 2; i < argc; ++i) {
    const std::string word =
        std::string(argv[i]).substr(0, std::string_view(argv[i]).find('='));
    if (word == "--") return std::nullopt;
    if (word.starts_with("--") &&
        std::find(options.begin(), options.end(), word) == options.end()) {
      return error("option", word, options);
    }
  }
  return std::nullopt;
}

// What CLI11 complains of, as the rest of plumb would say it.
std::string in_our_words(const std::string& what) {
  if (what == "A subcommand is required") return "a command is required";
  const auto after = [&](std::string_view begin) {
    return what.starts_with(begin) ? what.substr(begin.size()) : "";
  };
  if (const std::string rest = after("Could not convert: "); !rest.empty()) {
    const std::size_t is = rest.find(" = ");
    if (is != rest.npos) {
      return fmt::format("{}: '{}' is no number that it takes",
                         rest.substr(0, is), rest.substr(is + 3));
    }
  }
  for (const char* begin : {"The following argument was not expected: ",
                            "The following arguments were not expected: "}) {
    const std::string rest = after(begin);
    if (!rest.empty()) return fmt::format("'{}' is too much", rest);
  }
  const std::size_t name = what.find(": ");
  const std::size_t among = what.find(" not in {");
  if (name < among && among != what.npos && what.back() == '}') {
    std::string known = what.substr(among + 9);
    known.pop_back();
    for (std::size_t at = 0; (at = known.find(',', at)) != known.npos;) {
      known.replace(at, 1, ", ");
      at += 2;
    }
    return fmt::format("{}: '{}' is none of {}", what.substr(0, name),
                       what.substr(name + 2, among - name - 2), known);
  }
  return what;
}

// CLI11 takes whatever follows for the value: `--json --check 46` would write
// to a file called '--check'.
void require_no_option_as_value(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) continue;
    for (const std::string& word : option->results()) {
      const std::string name = word.substr(0, word.find('='));
      if (!name.starts_with('-') || name == "-" ||
          command.get_option_no_throw(name) == nullptr) {
        continue;
      }
      throw InputError(fmt::format("{} needs a value, and '{}' is an option",
                                   option->get_name(), name),
                       option->get_type_name() == "FILE"
                           ? fmt::format("./{} is a file of that name", word)
                           : "");
    }
  }
}

[[noreturn]] void report_usage_error(const CLI::App& app,
                                     const CLI::ParseError& error, int argc,
                                     char** argv) {
  if (const auto unknown = unknown_word(app, argc, argv)) throw *unknown;
  for (const CLI::App* command : app.get_subcommands()) {
    require_no_option_as_value(*command);
  }
  throw InputError(in_our_words(error.what()), help_hint(app, argc, argv));
}

// CLI11 reads -4 as a very large number.
void require_no_negative(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_type_name() != "N") continue;
    for (const std::string& word : option->results()) {
      if (!word.starts_with('-')) continue;
      throw InputError(
          fmt::format("{}: '{}' is negative", option->get_name(), word));
    }
  }
}

// Of `plumb test`: what follows `--`, which is for the compiler and taken off.
std::vector<std::string> arguments_behind(int& argc, char** argv) {
  const std::vector<std::string_view> all(argv, argv + argc);
  if (argc < 2 || all[1] != "test") return {};
  const auto dashes = std::find(all.begin(), all.end(), "--");
  if (dashes == all.end()) return {};
  argc = static_cast<int>(dashes - all.begin());
  return {dashes + 1, all.end()};
}

// The status, if all that was said has been written.  What has failed already
// has left its reason in errno.
ExitStatus unless_unwritten(ExitStatus status) {
  if (std::cout) errno = 0;
  std::cout.flush();  // of CLI11: --help
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout) {
    return status;
  }
  const std::string why =
      errno != 0 ? fmt::format(": {}", std::strerror(errno)) : "";
  std::fputs(
      ("plumb: error: cannot write to standard output" + why + "\n").c_str(),
      stderr);
  return kExitBadInput;
}

int run(int argc, char** argv) {
  CLI::App app{
      "Plumbline: checks that concurrent objects stay in line: linearizable, "
      "or off by no more than they promise."};
  app.name("plumb");
  app.set_version_flag("-v,--version", version_text,
                       "print the version and how this program was built");
  app.require_subcommand(1);
  const std::vector<std::string> for_compiler = arguments_behind(argc, argv);
  // In the order in which --help shows them.
  const std::vector<Command> commands = {
      add_history_command(app), add_test_command(app, for_compiler),
      add_verify_command(app),  add_explore_command(app),
      add_format_command(app),  add_specs_command(app),
      add_report_command(app),  add_doctor_command(app)};
  // Commands take the footer that is there when they are added.
  app.footer(std::string("'plumb COMMAND --help' tells more of each.\n") +
             kExitStatuses);
  try {
    std::vector<std::string> words = words_of(argc, argv);
    // For CLI11 the help of a command that there is not is that of plumb.
    if (argc == 3 && words.size() == 2 && words[1] == "--help") {
      if (const auto unknown = unknown_word(app, argc, argv)) throw *unknown;
    }
    std::reverse(words.begin(), words.end());  // as CLI11 takes them
    app.parse(std::move(words));
  } catch (const CLI::Success& help) {
    errno = 0;
    return unless_unwritten(static_cast<ExitStatus>(app.exit(help)));
  } catch (const CLI::ParseError& error) {
    report_usage_error(app, error, argc, argv);
  }
  const std::vector<CLI::App*> known = app.get_subcommands({});
  const auto chosen =
      std::find_if(known.begin(), known.end(),
                   [](const CLI::App* command) { return command->parsed(); });
  require_no_negative(**chosen);
  require_no_option_as_value(**chosen);
  return unless_unwritten(
      commands[static_cast<std::size_t>(chosen - known.begin())]());
}

// Who closes our output wants none.  But the next file that is opened would get
// its number, and our text; so there is something that cannot be written.
void take_closed_numbers() {
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(number, F_GETFD) != -1) continue;
    ::open("/dev/null", O_RDONLY);
  }
}

}  // namespace

}  // namespace plumb::cli

int main(int argc, char** argv) {
  plumb::cli::take_closed_numbers();
  if (argc > 2 && std::string_view(argv[1]) == plumb::cli::kNoteFiles) {
    return plumb::cli::note_files(argv + 2);
  }
  plumb::cli::handle_interrupts();
  try {
    plumb::cli::set_command_line(argc, argv);
    return plumb::cli::run(argc, argv);
  } catch (const plumb::InputError& error) {
    plumb::print_text(stderr, error.describe());
  } catch (const std::bad_alloc&) {
    std::fputs(
        "plumb: unknown: the machine has no more memory\n"
        "hint: --memory-limit ends a run before that\n",
        stderr);
    return plumb::cli::kExitUnknown;
  } catch (const std::system_error& error) {
    // No thread, or no output to write to.
    std::fputs((std::string("plumb: error: ") + error.what() + "\n").c_str(),
               stderr);
  }
  return plumb::cli::kExitBadInput;
}
