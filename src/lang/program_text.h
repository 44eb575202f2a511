// SPDX-License-Identifier: Apache-2.0
// Programs and their states in words.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lang/program.h"
#include "lts/system.h"

namespace plumb::lang {

// What can go wrong in an instruction.
std::span<const FaultKind> faults_of(Op op);
// "line 12: null reference in `t.next`".
std::string fault_text(const Program& program, std::uint32_t at,
                       FaultKind kind);

// "3", "true", "#1", "null", "process 1", "[1, 2]", "{1: 2}".
std::string number_text(const Shape& shape, std::int32_t number);
std::string content_text(const Shape& shape, const std::uint8_t* at);

// A number or a container somewhere in a state.
struct Leaf {
  std::string name;  // "top", "a[1]", "#2.next"
  std::uint32_t offset = 0;
  const Shape* shape = nullptr;
};
// The struct of each cell that can be reached; 0xFFFF for the others.  Index
// 0 is unused.
std::vector<std::uint16_t> structures_of(const Program& program,
                                         const std::uint8_t* state,
                                         std::uint32_t cells);
void add_leaves(const Shape& shape, const std::string& name,
                std::uint32_t offset, std::vector<Leaf>& leaves);
// Of the variables, then of the cells from 1 to `cells`.
std::vector<Leaf> leaves_of(const Program& program,
                            const std::vector<std::uint16_t>& structures);
std::string cell_text(const Program& program, const std::uint8_t* state,
                      std::uint16_t structure, std::size_t cell);

// For System::edge: what tells the ways from `from` to `to` apart.
lts::Edge describe_edge(const Program& program, std::uint32_t from,
                        std::uint32_t to, bool succeeded);

}  // namespace plumb::lang
