// SPDX-License-Identifier: Apache-2.0
// A file that a search writes down its progress in, again and again.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>

#include "base/budget.h"
#include "base/staged_file.h"
#include "verify/seal.h"

namespace plumb::verify {

// One entry after the other, each with its length and a seal, which covers all
// entries before it too; some of them are final.  What comes behind the last
// final one, because the process or the machine died, does not count.  The
// first entry says what the file is about.
//
// A run makes several searches, one after the other; the journal is that of
// one of them.  What a search has saved depends on how sets of configurations
// move, so that it belongs to searches with the same course alone: see
// SetMoves::course().
class Journal {
 public:
  struct Settings {
    std::string save_to;      // "": nothing is saved
    std::string resume_from;  // "": begin anew
    double seconds = 60;      // between two entries
    std::string identity;     // of the check, its model and the options
    SealKey key = {};         // of who writes such files; others are refused
  };

  // While there is one, an interrupt waits for what is being saved.
  struct Saving {
    Saving() { ++Budget::saving; }
    ~Saving() { --Budget::saving; }
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;
  };

  // Throws InputError if there is nothing to resume from, or something else.
  explicit Journal(const Settings& settings);
  ~Journal();
  Journal(const Journal&) = delete;

  // Puts a file there that has nothing in it yet, so that a later run can
  // resume however early this one ends; a checkpoint of the same check stays.
  // Throws InputError if something else is there, which must not be lost.
  void prepare();

  bool saves() const { return !settings_.save_to.empty(); }
  // Is it saved to the file that it resumes from?
  bool saves_to_resumed() const {
    return saves() && settings_.save_to == settings_.resume_from;
  }

  // The course of the search that the file to resume from belongs to; nothing
  // if there is none, or if it was resumed already.
  const std::optional<std::string>& resumed_course() const {
    return resumed_course_;
  }
  // A search with this course begins.
  void begin(const std::string& course);
  // Does the file to resume from belong to this search?
  bool resumes() const { return resumes_; }
  // The next entry of that file; nothing after the last final one.  Throws
  // InputError if it is not the file any more that it was.
  std::optional<std::string> read();

  // Is it time to save?
  bool is_due() const {
    return saves() && std::chrono::steady_clock::now() >= next_;
  }
  std::chrono::steady_clock::time_point next() const { return next_; }
  // Does the next entry go behind those that were read?  Else it must hold
  // everything.
  bool continues() const { return file_ != nullptr; }
  // Adds an entry; with a final one, all survive the end of this process.
  // Returns false if that was not possible; then all up to the last final one
  // still counts, and why_not() says why.
  bool write(std::string_view entry, bool is_final);
  const std::string& why_not() const { return why_not_; }
  // Is there something at save_to that a later run can resume from?
  bool has_saved() const { return has_saved_; }

 private:
  bool start_file(bool is_all);
  bool append(std::string_view entry, bool is_final);
  void close_file();
  bool finish_file();
  bool fail(const char* doing);
  void give_up();
  void open_to_resume();
  // Of input_; sets `is_final`.
  std::optional<std::string> read_entry(bool& is_final);
  Seal seal_after(const Seal& before, std::string_view entry,
                  std::uint64_t is_final) const;

  Settings settings_;
  std::string course_;  // of the present search
  std::optional<std::string> resumed_course_;
  bool resumes_ = false;
  std::FILE* input_ = nullptr;
  Seal input_seal_ = {};  // of the entry that was read last
  long input_end_ = 0;    // of the last final entry
  StagedFile staged_;     // the file that has not taken its place yet
  std::FILE* file_ = nullptr;
  Seal seal_ = {};            // of the entry that was written last
  Seal final_seal_ = {};      // of the last final one
  bool is_new_ = false;       // file_ has not taken its place yet
  bool is_replaced_ = false;  // a new file has taken the place of the old one
  bool has_saved_ = false;
  long end_ = 0;  // of the last final entry of file_
  std::chrono::steady_clock::time_point next_;
  std::string why_not_;
};

}  // namespace plumb::verify
