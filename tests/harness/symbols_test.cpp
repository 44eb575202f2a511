// SPDX-License-Identifier: Apache-2.0
#include "harness/symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

namespace plumb::harness {
namespace {

// What is looked at: a library that is compiled here, so that it does not
// matter how this test is.
constexpr const char* kFixture = R"(
#include <array>
#include <atomic>
struct Node { int value; Node* next; };
enum class Colour : unsigned char { kRed, kGreen };
std::atomic<Node*> head;
Node pool[3];
struct Ends { std::atomic<Node*> first, last; };
struct Base { long padding; };
struct Queue : Base {
  Ends ends;
  std::array<std::atomic<int>, 4> counts;
  Colour colour;
  bool open;
  short balance;
  static int made;
};
int Queue::made;
Queue the_queue;
struct Tagged { Node* pointer; unsigned long tag; };
std::atomic<Tagged> tagged;
namespace deep { namespace { int hidden; } int* find() { return &hidden; } }
__attribute__((noinline)) void* here() { return __builtin_return_address(0); }
__attribute__((always_inline)) inline void* inlined() {
  void* result = here();  // INNER
  asm volatile("" ::: "memory");
  return result;
}
template <typename T>
struct List {
  __attribute__((noinline)) void* push(T, Node*) {
    void* result = inlined();  // OUTER
    asm volatile("" ::: "memory");
    return result;
  }
};
struct Maker {
  virtual ~Maker() = default;
  virtual void* make() const = 0;
};
template <typename T>
struct MakerOf : Maker {
  void* make() const override { return new T(); }
};
extern "C" {
void* address_of(int which) {
  static int in_a_function;
  switch (which) {
    case 0: return &head;
    case 1: return &pool[1].next;
    case 2: return &the_queue.ends.last;
    case 3: return &the_queue.counts[2];
    case 4: return &Queue::made;
    case 5: return deep::find();
    case 6: return &in_a_function;
    case 7: return &the_queue.colour;
    case 8: return &the_queue.open;
    case 9: return &the_queue.balance;
    case 10: return &tagged;
    default: return nullptr;
  }
}
void* return_address() { return List<int>().push(1, nullptr); }
void* in_a_lambda() {
  const auto lambda = []() __attribute__((noinline)) {
    void* result = inlined();  // LAMBDA
    asm volatile("" ::: "memory");
    return result;
  };
  return lambda();
}
Maker* make_maker() { return new MakerOf<Queue>(); }
}
)";

class Fixture {
 public:
  // Not unloaded: symbols that were read keep pointing to it.
  explicit Fixture(const std::string& options) {
    const char* compiler = std::getenv("CXX");
    folder_ = std::filesystem::temp_directory_path() /
              ("plumb_symbols_" + std::to_string(getpid()) + "_" +
               std::to_string(++count_));
    std::filesystem::create_directories(folder_);
    std::ofstream(source()) << kFixture;
    const std::string library = folder_ / "libfixture.so";
    const std::string command = std::string(compiler ? compiler : "c++") +
                                " -std=c++17 -fPIC -shared " + options + " " +
                                source() + " -o " + library;
    if (std::system(command.c_str()) == 0) {
      handle_ = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    symbols_ = symbols_of_this_process();
  }
  ~Fixture() { std::filesystem::remove_all(folder_); }

  bool is_loaded() const { return handle_ != nullptr; }
  Symbols& symbols() { return *symbols_; }
  std::string source() const { return folder_ / "fixture.cpp"; }

  std::uintptr_t address_of(int which) const {
    return reinterpret_cast<std::uintptr_t>(
        call<void* (*)(int)>("address_of")(which));
  }
  std::uintptr_t return_address() const {
    return reinterpret_cast<std::uintptr_t>(
        call<void* (*)()>("return_address")());
  }
  std::uintptr_t in_a_lambda() const {
    return reinterpret_cast<std::uintptr_t>(call<void* (*)()>("in_a_lambda")());
  }
  const void* maker() const { return call<void* (*)()>("make_maker")(); }

  // As a person would say it.
  std::string name_of(int which, std::size_t size) {
    const std::uintptr_t address = address_of(which);
    const auto variable = symbols_->variable_at(address);
    if (!variable) return "";
    return variable->name +
           symbols_
               ->member_at(variable->type, address - variable->address, size)
               .path;
  }
  TypeId type_of(int which, std::size_t size) {
    const std::uintptr_t address = address_of(which);
    const auto variable = symbols_->variable_at(address);
    return symbols_
        ->member_at(variable->type, address - variable->address, size)
        .type;
  }
  static int line_with(const std::string& mark) {
    int line = 1;
    const std::string text = kFixture;
    for (std::size_t i = 0; i < text.find(mark); ++i) line += text[i] == '\n';
    return line;
  }

 private:
  template <typename Function>
  Function call(const char* name) const {
    return reinterpret_cast<Function>(dlsym(handle_, name));
  }

  static inline int count_ = 0;
  std::filesystem::path folder_;
  void* handle_ = nullptr;
  std::unique_ptr<Symbols> symbols_;
};

class SymbolsOf : public ::testing::TestWithParam<const char*> {};

TEST_P(SymbolsOf, ALibraryWithDebugInformationSayAll) {
  Fixture fixture(GetParam());
  ASSERT_TRUE(fixture.is_loaded());
  Symbols& symbols = fixture.symbols();

  EXPECT_EQ(fixture.name_of(0, 8), "head");
  EXPECT_EQ(fixture.name_of(1, 8), "pool[1].next");
  EXPECT_EQ(fixture.name_of(2, 8), "the_queue.ends.last");
  EXPECT_EQ(fixture.name_of(3, 4), "the_queue.counts[2]");
  EXPECT_EQ(fixture.name_of(4, 4), "Queue::made");
  EXPECT_EQ(fixture.name_of(5, 4), "hidden");
  EXPECT_EQ(fixture.name_of(6, 4), "in_a_function");
  EXPECT_EQ(fixture.name_of(10, 16), "tagged") << "both words at once";
  EXPECT_EQ(fixture.name_of(10, 8), "tagged.pointer");

  const TypeId node = symbols.target_of(fixture.type_of(0, 8));
  EXPECT_EQ(symbols.size_of(node), 16u);
  EXPECT_EQ(symbols.member_at(node, 8, 8).path, ".next");
  EXPECT_EQ(symbols.target_of(symbols.member_at(node, 8, 8).type), node);
  EXPECT_EQ(symbols.target_of(symbols.member_at(node, 0, 4).type), kNoType);
  EXPECT_EQ(symbols.value_of(fixture.type_of(0, 8), 0), "null");
  EXPECT_EQ(symbols.value_of(fixture.type_of(0, 8), 8), std::nullopt);
  EXPECT_EQ(symbols.value_of(fixture.type_of(7, 1), 1), "kGreen");
  EXPECT_EQ(symbols.value_of(fixture.type_of(8, 1), 1), "true");
  EXPECT_EQ(symbols.value_of(fixture.type_of(9, 2), 0xFFFE), "-2");

  const TypeId made = symbols.argument_of(fixture.maker());
  EXPECT_EQ(symbols.member_at(made, 8, 8).path, ".ends.first");
}

TEST_P(SymbolsOf, ALibraryWithDebugInformationShowInlinedFunctions) {
  Fixture fixture(GetParam());
  ASSERT_TRUE(fixture.is_loaded());
  const std::uintptr_t address = fixture.return_address();
  const auto frames = fixture.symbols().frames_at(address);
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].function, "inlined");
  EXPECT_EQ(frames[0].file, fixture.source());
  EXPECT_EQ(frames[0].line, Fixture::line_with("// INNER"));
  EXPECT_EQ(frames[1].function, "List<int>::push");
  EXPECT_EQ(frames[1].line, Fixture::line_with("// OUTER"));
  EXPECT_EQ(frames[1].binary, "libfixture.so");
  EXPECT_EQ(fixture.symbols().source_line(frames[0].file, frames[0].line),
            "void* result = here();  // INNER");
  EXPECT_EQ(to_string(place_to_show(fixture.symbols(), {&address, 1})),
            "fixture.cpp:" + std::to_string(frames[0].line));
}

TEST_P(SymbolsOf, ALibraryWithDebugInformationShowLambdas) {
  Fixture fixture(GetParam());
  ASSERT_TRUE(fixture.is_loaded());
  const auto frames = fixture.symbols().frames_at(fixture.in_a_lambda());
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].line, Fixture::line_with("// INNER"));
  EXPECT_EQ(frames[1].line, Fixture::line_with("// LAMBDA"));
  EXPECT_EQ(frames[1].file, fixture.source());
  EXPECT_TRUE(frames[1].function.ends_with("lambda") ||
              frames[1].function.ends_with("operator()"))
      << frames[1].function;
}

INSTANTIATE_TEST_SUITE_P(Options, SymbolsOf,
                         ::testing::Values("-g -O0", "-gdwarf-4 -O2"));

TEST(Symbols, WithoutDebugInformationGiveNamesAndOffsets) {
  Fixture fixture("-O1");
  ASSERT_TRUE(fixture.is_loaded());
  const auto frames = fixture.symbols().frames_at(fixture.return_address());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(to_string(frames[0]).starts_with("List<int>::push+0x"));
  EXPECT_TRUE(to_string(frames[0]).ends_with(" in libfixture.so"));
  EXPECT_EQ(fixture.name_of(0, 8), "head");
  const auto variable = fixture.symbols().variable_at(fixture.address_of(1));
  ASSERT_TRUE(variable);
  EXPECT_EQ(variable->name, "pool");
  EXPECT_EQ(fixture.address_of(1) - variable->address, 24u);
  EXPECT_EQ(fixture.symbols().argument_of(fixture.maker()), kNoType);
}

TEST(Symbols, OfAStrippedLibraryDoNoHarm) {
  Fixture stripped("-O1 -s");
  ASSERT_TRUE(stripped.is_loaded());
  const std::uintptr_t address = stripped.return_address();
  const auto frames = stripped.symbols().frames_at(address);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_NE(to_string(frames[0]).find("in libfixture.so"), std::string::npos)
      << to_string(frames[0]);
  EXPECT_FALSE(stripped.symbols().variable_at(stripped.address_of(5)));
}

TEST(Symbols, OfNonsenseAreNumbers) {
  const auto symbols = symbols_of_this_process();
  EXPECT_EQ(to_string(symbols->frames_at(0x11)[0]), "0x10");
  EXPECT_EQ(to_string(symbols->frames_at(0)[0]), "0x0");
  EXPECT_EQ(symbols->variable_at(8), std::nullopt);
  EXPECT_EQ(symbols->source_line("no/such/file", 3), "");
  EXPECT_EQ(symbols->member_at(kNoType, 8, 8).offset, 8u);
}

TEST(ShortFunctionName, LeavesOutParametersAndResults) {
  const std::map<std::string, std::string> names = {
      {"push", "push"},
      {"Stack<int>::push(int)", "Stack<int>::push"},
      {"std::atomic<Node*>::load(std::memory_order) const",
       "std::atomic<Node*>::load"},
      {"unsigned long Map::find<int>(int const&) const", "Map::find<int>"},
      {"(anonymous namespace)::run(void (*)(int))", "run"},
      {"Set<std::basic_string<char, std::char_traits<char> > >::add()",
       "Set<...>::add"},
      {"main::{lambda()#1}::operator()() const", "main::lambda"},
      {"Pool::work(int) const::{lambda(auto:1)#2}::operator()<int>(int) const",
       "Pool::work::lambda::operator()<int>"},
      {"Vector::operator[](unsigned long)", "Vector::operator[]"},
      {"bool operator< <int>(Box<int> const&, Box<int> const&)",
       "operator< <int>"},
      {"Flag::operator bool() const", "Flag::operator bool"},
      {"Flag::operator->() const", "Flag::operator->"},
      {"decltype(auto) call<int>(int)", "call<int>"},
      {"make[abi:cxx11](int)", "make"},
      {"", ""},
      {"broken<(", "broken<("}};
  for (const auto& [demangled, wanted] : names) {
    EXPECT_EQ(short_function_name(demangled), wanted) << demangled;
  }
}

TEST(OwnerOf, TellsTheUsersFilesFromTheSystems) {
  EXPECT_EQ(owner_of("/usr/include/c++/12/atomic"), Owner::kLanguage);
  EXPECT_EQ(owner_of("/usr/lib/gcc/x86_64-linux-gnu/12/include/x.h"),
            Owner::kLanguage);
  EXPECT_EQ(owner_of("/usr/include/boost/atomic/atomic.hpp"), Owner::kLanguage);
  EXPECT_EQ(owner_of("/usr/include/boost/lockfree/queue.hpp"), Owner::kLibrary);
  EXPECT_EQ(owner_of("/somewhere/include/plumb/test.h"), Owner::kPlumb);
  EXPECT_EQ(owner_of("queue.h"), Owner::kUser);
  EXPECT_EQ(owner_of(""), Owner::kNobody);
}

// A stack of places: address 1 is the first of them.
class PlacesOnly final : public Symbols {
 public:
  explicit PlacesOnly(std::vector<std::string> files)
      : files_(std::move(files)) {}

  std::string shown() {
    std::vector<std::uintptr_t> stack;
    for (std::size_t i = 1; i <= files_.size(); ++i) stack.push_back(i);
    return to_string(place_to_show(*this, stack));
  }

  std::vector<CodePlace> frames_at(std::uintptr_t address) override {
    return {{"f", files_[address - 1], static_cast<int>(address), "", 0}};
  }
  std::optional<Variable> variable_at(std::uintptr_t) override { return {}; }
  Member member_at(TypeId, std::size_t, std::size_t) override { return {}; }
  std::size_t size_of(TypeId) override { return 0; }
  TypeId target_of(TypeId) override { return kNoType; }
  std::optional<std::string> value_of(TypeId, std::uint64_t) override {
    return {};
  }
  TypeId argument_of(const void*) override { return kNoType; }
  std::string source_line(const std::string&, int) override { return ""; }

 private:
  std::vector<std::string> files_;
};

TEST(PlaceToShow, IsTheInnermostOneOfTheUser) {
  const std::string atomic = "/usr/include/c++/12/atomic";
  const std::string boost = "/usr/include/boost/lockfree/queue.hpp";
  const std::string plumb = "/x/plumb/test.h";
  EXPECT_EQ(PlacesOnly({atomic, "stack.h", "test.cpp", plumb}).shown(),
            "stack.h:2");
  EXPECT_EQ(PlacesOnly({atomic, boost, boost, "test.cpp", plumb}).shown(),
            "queue.hpp:2")
      << "the user only calls it";
  EXPECT_EQ(PlacesOnly({boost, "wrapper.h", "test.cpp", atomic, plumb}).shown(),
            "wrapper.h:2");
  EXPECT_EQ(PlacesOnly({atomic, boost}).shown(), "queue.hpp:2");
  EXPECT_EQ(PlacesOnly({atomic, atomic}).shown(), "atomic:1");
  EXPECT_EQ(PlacesOnly({}).shown(), "0x0");
}

}  // namespace
}  // namespace plumb::harness
