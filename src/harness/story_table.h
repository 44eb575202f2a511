// SPDX-License-Identifier: Apache-2.0
// Draws the table of a story.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "harness/story.h"

namespace plumb::harness {

class StoryTable {
 public:
  StoryTable(Story& story, const StoryOptions& options);

  std::string draw() const;

 private:
  struct Line {
    std::size_t number = 0;  // of the step, from 1; 0: a remark
    sched::ThreadId thread = 0;
    std::string place;      // "stack.h:21"; "": as before, or none
    std::string statement;  // of the source, or of the call
    std::string effect;
    std::string note;  // on a line of its own
    char sign = ' ';
    std::string colour;  // "": none
  };
  struct Column {
    std::size_t begin = 0;
    std::size_t width = 0;
  };

  void add_lines();
  Line line_of(const Story::Row& row);
  void show_place(const StoryStep& step, Line& line);
  void lay_out();
  void share_room();
  std::string header() const;
  std::string drawn(const Line& line) const;
  std::string drawn_note(const std::string& note, std::size_t begin) const;
  std::string painted(const std::string& text, const std::string& colour) const;

  Story& story_;
  const StoryOptions& options_;
  std::vector<Line> lines_;
  std::map<sched::ThreadId, Column> columns_;
  std::map<int, std::string> calls_;  // open ones, by thread
  CodePlace last_place_;
  sched::ThreadId last_thread_ = sched::kNoThread;
  std::size_t place_width_ = 5;
  std::size_t room_ = 0;  // of all columns together
  bool by_columns_ = true;
};

}  // namespace plumb::harness
