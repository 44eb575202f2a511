// SPDX-License-Identifier: Apache-2.0
// PAT's library: every method, and the edges that are known of it.
#include "csp/library.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "csp/fault.h"

namespace plumb::csp {
namespace {

std::vector<Datum> values(const std::vector<int>& numbers) {
  std::vector<Datum> result;
  for (const int n : numbers) result.push_back(Datum::integer(n));
  return result;
}

Datum array(const std::vector<int>& numbers) {
  return Datum::array(values(numbers));
}

// An object, and calls of it as text.
struct Object {
  explicit Object(const char* name, const std::vector<int>& arguments = {})
      : type(find_class(name)), datum(type->make(values(arguments))) {}

  std::string with(const char* name, const std::vector<Datum>& arguments) {
    const MethodInfo* method = find_method(*type, name);
    EXPECT_NE(method, nullptr) << name;
    EXPECT_EQ(method->arguments, arguments.size()) << name;
    const Datum before = datum;
    try {
      const Datum result = method->invoke(datum, arguments);
      EXPECT_TRUE(method->changes || before == datum) << name;
      return method->returns ? result.text() : "";
    } catch (const RuntimeFault& fault) {
      return std::string(words(fault.kind));
    }
  }
  std::string operator()(const char* name,
                         const std::vector<int>& arguments = {}) {
    return with(name, values(arguments));
  }
  std::string text() const { return datum.text(); }

  const ClassInfo* type;
  Datum datum;
};

std::string call(const char* name, const std::vector<Datum>& arguments) {
  const StaticInfo* function = find_static(name);
  EXPECT_NE(function, nullptr) << name;
  EXPECT_EQ(function->arguments, arguments.size()) << name;
  try {
    return function->invoke(arguments).text();
  } catch (const RuntimeFault& fault) {
    return std::string(words(fault.kind));
  }
}

const std::string kIndex(words(FaultKind::kIndex));
const std::string kEmpty(words(FaultKind::kEmpty));
const std::string kArgument(words(FaultKind::kArgument));
const std::string kType(words(FaultKind::kType));

TEST(LibrarySet, IsSortedAndTellsWhetherItChanged) {
  Object set("Set");
  EXPECT_EQ(set("Add", {3}), "true");
  EXPECT_EQ(set("Add", {1}), "true");
  EXPECT_EQ(set("Add", {3}), "false");
  EXPECT_EQ(set("Add", {2}), "true");
  EXPECT_EQ(set.text(), "[1,2,3]");
  EXPECT_EQ(set("Remove", {2}), "true");
  EXPECT_EQ(set("Remove", {2}), "false");
  EXPECT_EQ(set("Contains", {3}), "true");
  EXPECT_EQ(set("Contains", {2}), "false");
  EXPECT_EQ(set("Count"), "2");
  EXPECT_EQ(set("Get", {1}), "3");
  EXPECT_EQ(set("Get", {2}), kIndex);
  EXPECT_EQ(set("Get", {-1}), kIndex);
}

TEST(LibrarySet, UnionIntersectAndSubstractLookAtTheirArgumentsOnly) {
  Object receiver("Set"), a("Set"), b("Set");
  receiver("Add", {9});
  for (const int n : {1, 2, 3}) a("Add", {n});
  for (const int n : {3, 4}) b("Add", {n});
  const std::vector<Datum> both = {a.datum, b.datum};
  EXPECT_EQ(receiver.with("Union", both), "[1,2,3,4]");
  EXPECT_EQ(receiver.with("Intersect", both), "[3]");
  EXPECT_EQ(receiver.with("Substract", both), "[1,2]");
  EXPECT_EQ(receiver.text(), "[9]");
  EXPECT_EQ(receiver.with("Union", std::vector<Datum>{a.datum, Datum()}),
            kType);
}

TEST(LibrarySet, KnowsOverlaps) {
  Object a("Set"), b("Set");
  a("Add", {1});
  b("Add", {2});
  EXPECT_EQ(a.with("IsOverlapping", std::vector<Datum>{b.datum}), "false");
  EXPECT_EQ(a.with("IsDisjoint", std::vector<Datum>{b.datum}), "true");
  b("Add", {1});
  EXPECT_EQ(a.with("IsOverlapping", std::vector<Datum>{b.datum}), "true");
  EXPECT_EQ(a.with("IsDisjoint", std::vector<Datum>{b.datum}), "false");
}

TEST(LibrarySet, GetSubsetByIndexReplacesTheReceiver) {
  Object set("Set");
  for (const int n : {10, 20, 30}) set("Add", {n});
  EXPECT_EQ(set("GetSubsetByIndex", {5}), "[10,30]");
  EXPECT_EQ(set.text(), "[10,30]");
  EXPECT_EQ(set("GetSubsetByIndex", {6}), "[30]") << "bits beyond mean nothing";
  EXPECT_EQ(set("GetSubsetByIndex", {0}), "[]");
  EXPECT_EQ(set.text(), "[]");
}

TEST(LibrarySet, GetDataPacksTwoBitsForEachElement) {
  Object set("Set");
  EXPECT_EQ(set("GetData"), "0");
  set("Add", {3});
  set("Add", {1});
  EXPECT_EQ(set("GetData"), "13");
  set("Add", {4});
  EXPECT_EQ(set("GetData"), kArgument);
}

TEST(LibraryList, KeepsTheOrderOfAdding) {
  Object list("List");
  for (const int n : {5, 4, 5}) EXPECT_EQ(list("Add", {n}), "");
  EXPECT_EQ(list("Get", {1}), "4");
  EXPECT_EQ(list("Get", {3}), kIndex);
  EXPECT_EQ(list("Count"), "3");
  EXPECT_EQ(list("Contains", {4}), "true");
  EXPECT_EQ(list("Contains", {0}), "false") << "0 is its Field, no item";
  list("Remove", {5});
  EXPECT_EQ(list.text(), "[4,5]") << "the first one";
  EXPECT_EQ(list("Remove", {8}), "false");
  EXPECT_EQ(list.with("Concat", std::vector<Datum>{list.datum, list.datum}),
            "[4,5,4,5]");
}

TEST(LibraryList, RemoveAtTheCountIsAFaultThoughPatsCheckLetsItPass) {
  Object list("List");
  list("Add", {1});
  list("Add", {2});
  EXPECT_EQ(list("RemoveAt", {2}), kIndex);
  EXPECT_EQ(list("RemoveAt", {3}), kIndex);
  EXPECT_EQ(list("RemoveAt", {-1}), kIndex);
  EXPECT_EQ(list("RemoveAt", {0}), "");
  EXPECT_EQ(list.text(), "[2]");
}

TEST(LibraryList, LosesItsFieldWhenCopied) {
  Object list("List");
  list("Add", {1});
  find_field(*list.type, "Field")->write(list.datum, Datum::integer(6));
  EXPECT_EQ(find_field(*list.type, "Property")->read(list.datum).text(), "6");
  EXPECT_EQ(list.text(), "[1]$6") << "part of the state";
  EXPECT_EQ(copied(list.datum).text(), "[1]");
  EXPECT_EQ(list.text(), "[1]$6");
}

TEST(LibraryQueue, IsFirstInFirstOut) {
  Object queue("Queue");
  EXPECT_EQ(queue("Dequeue"), kEmpty);
  EXPECT_EQ(queue("First"), kEmpty);
  EXPECT_EQ(queue("Last"), kEmpty);
  queue("Enqueue", {1});
  queue("Enqueue", {2});
  EXPECT_EQ(queue("First"), "1");
  EXPECT_EQ(queue("Last"), "2");
  EXPECT_FALSE(find_method(*queue.type, "Dequeue")->returns);
  EXPECT_EQ(queue("Dequeue"), "");
  EXPECT_EQ(queue.text(), "[2]");
  EXPECT_EQ(queue("Contains", {2}), "true");
  EXPECT_EQ(queue("Contains", {1}), "false");
  EXPECT_EQ(queue.with("Concat", std::vector<Datum>{queue.datum, queue.datum}),
            "[2,2]");
  queue("Clear");
  EXPECT_EQ(queue("Count"), "0");
}

TEST(LibraryStack, IsLastInFirstOut) {
  Object stack("Stack");
  EXPECT_EQ(stack("Pop"), kEmpty);
  EXPECT_EQ(stack("Peek"), kEmpty);
  stack("Push", {1});
  stack("Push", {2});
  EXPECT_EQ(stack("Peek"), "2");
  EXPECT_EQ(stack("Pop"), "2");
  EXPECT_EQ(stack("Count"), "1");
  EXPECT_EQ(stack("Contains", {1}), "true");
  stack("Clear");
  EXPECT_EQ(stack.text(), "[]");
}

TEST(LibraryHashTable, KeepsTheFirstValueOfAKey) {
  Object table("HashTable");
  table("Add", {4, 40});
  table("Add", {4, 41});
  EXPECT_EQ(table("GetValue", {4}), "40");
  EXPECT_EQ(table("ContainsKey", {4}), "true");
  EXPECT_EQ(table("ContainsKey", {40}), "false") << "a value is no key";
  EXPECT_EQ(table("GetValue", {5}), std::string(words(FaultKind::kKey)));
}

TEST(LibraryHashTable, IsTheSameStateWhateverTheOrderOfAdding) {
  Object one("HashTable"), other("HashTable");
  for (const int k : {3, 1, 2}) one("Add", {k, 10 * k});
  for (const int k : {2, 3, 1}) other("Add", {k, 10 * k});
  EXPECT_EQ(one.datum, other.datum);
  EXPECT_EQ(one.text(), "{1:10,2:20,3:30}");
}

TEST(LibrarySetAndHashTable, DoAsTheirModelsWouldOnRandomUse) {
  std::mt19937 random(4);
  Object set("Set"), table("HashTable");
  std::set<int> set_model;
  std::map<int, int> table_model;
  for (int round = 0; round < 5'000; ++round) {
    const int x = static_cast<int>(random() % 20) - 10;
    const int y = static_cast<int>(random() % 5);
    if (random() % 2 == 0) {
      EXPECT_EQ(set("Add", {x}), set_model.insert(x).second ? "true" : "false");
    } else {
      EXPECT_EQ(set("Remove", {x}), set_model.erase(x) > 0 ? "true" : "false");
    }
    ASSERT_EQ(set.datum.contents(),
              Datum::Contents(set_model.begin(), set_model.end()));
    if (round % 500 == 0) {
      table = Object("HashTable");
      table_model.clear();
    }
    table("Add", {x, y});
    table_model.emplace(x, y);
    Datum::Contents expected;
    for (const auto& [key, value] : table_model) {
      expected.insert(expected.end(), {key, value});
    }
    ASSERT_EQ(table.datum.contents(), expected);
    ASSERT_EQ(table("GetValue", {x}), std::to_string(table_model.at(x)));
  }
}

TEST(LibraryEntryList, BeginsWithItsTwoEnds) {
  Object list("EntryList", {4, -1, 9});
  EXPECT_EQ(list("Key", {0}), "-1");
  EXPECT_EQ(list("Next", {0}), "1");
  EXPECT_EQ(list("Key", {1}), "9");
  EXPECT_EQ(list("Next", {1}), "-1");
  EXPECT_EQ(list("Marked", {1}), "false");
  EXPECT_EQ(list("Key", {2}), kArgument) << "a free node";
  EXPECT_EQ(list("Key", {4}), kIndex);
  EXPECT_EQ(list("GetData"), "[]");
}

TEST(LibraryEntryList, AddsMarksAndRemoves) {
  Object list("EntryList", {4, -1, 9});
  EXPECT_EQ(list("Create", {5}), "2");
  list("SetNext", {2, 1});
  list("SetNext", {0, 2});
  list("Reset", {2});
  EXPECT_EQ(list("GetData"), "[5]") << "the list holds it";
  list("SetMarked", {2, 1});
  EXPECT_EQ(list("Marked", {2}), "true");
  EXPECT_EQ(list("GetData"), "[]");
  list("SetNext", {0, 1});
  EXPECT_EQ(list("Key", {2}), kArgument) << "nobody held it any more";
  EXPECT_EQ(list.datum, Object("EntryList", {4, -1, 9}).datum);
}

TEST(LibraryEntryList, ANodeStaysWhileSomebodyHoldsIt) {
  Object list("EntryList", {4, -1, 9});
  list("Create", {5});
  list("SetNext", {2, 1});
  list("SetNext", {0, 2});
  list("Reset", {2});
  EXPECT_EQ(list("GetNext", {0}), "2");
  list("SetNext", {0, 1});
  EXPECT_EQ(list("Key", {2}), "5");
  EXPECT_EQ(list("Assign", {2, 0}), "0") << "a variable moves to the head";
  EXPECT_EQ(list("Key", {2}), kArgument);
  list("Reset", {0});
  EXPECT_EQ(list.datum, Object("EntryList", {4, -1, 9}).datum);
}

TEST(LibraryEntryList, RunsOutOfMemoryAndGetsItBack) {
  Object list("EntryList", {5, 0, 9});
  EXPECT_EQ(list("Create", {1}), "2");
  EXPECT_EQ(list("Create", {2}), "3");
  EXPECT_EQ(list("Create", {3}), "4");
  EXPECT_EQ(list("Create", {4}), std::string(words(FaultKind::kMemory)));
  list("SetNext", {2, 3});
  list("Reset", {3});
  list("Reset2", {2, -1});  // and 3 with it: 2 was its only holder
  EXPECT_EQ(list("Key", {3}), kArgument);
  list("Reset3", {4, -1, -1});
  EXPECT_EQ(list.datum, Object("EntryList", {5, 0, 9}).datum);
  EXPECT_EQ(list("Reset", {4}), kArgument) << "given up twice";
}

TEST(LibraryEntryList, NeedsAtLeastItsTwoEnds) {
  EXPECT_THROW(Object("EntryList", {1, 0, 9}), RuntimeFault);
  EXPECT_EQ(Object("EntryList")("Create", {1}),
            std::string(words(FaultKind::kMemory)));
}

// LIMIT of library_entries.cpp.
TEST(LibraryEntryList, NodesInARingKeepEachOther) {
  Object list("EntryList", {3, 0, 9});
  list("Create", {1});
  list("SetNext", {2, 2});
  list("Reset", {2});
  EXPECT_EQ(list("Create", {5}), std::string(words(FaultKind::kMemory)));
}

TEST(StaticFunctions, KnowArrays) {
  EXPECT_EQ(call("ArrayLength", {array({4, 5})}), "2");
  EXPECT_EQ(call("IsArrayEmpty", {array({})}), "true");
  EXPECT_EQ(call("IsArrayEmpty", {array({0})}), "false");
  EXPECT_EQ(call("ArrayMax", {array({4, 7, 5})}), "7");
  EXPECT_EQ(call("ArrayMin", {array({4, -7, 5})}), "-7");
  EXPECT_EQ(call("amax", {array({4, 7, 5})}), "7");
  EXPECT_EQ(call("ArrayMax", {array({})}), kEmpty);
  EXPECT_EQ(call("ArrayLength", {Datum()}), kType);
}

TEST(StaticFunctions, KnowArithmetic) {
  const std::string overflow(words(FaultKind::kOverflow));
  EXPECT_EQ(call("Pow", values({2, 10})), "1024");
  EXPECT_EQ(call("Pow", values({-2, 31})), "-2147483648");
  EXPECT_EQ(call("Pow", values({2, 31})), overflow);
  EXPECT_EQ(call("Pow", values({0, 0})), "1");
  EXPECT_EQ(call("Pow", values({-1, 2'000'000'001})), "-1");
  EXPECT_EQ(call("Pow", values({3, -1})), "0");
  EXPECT_EQ(call("Pow", values({-1, -3})), "-1");
  EXPECT_EQ(call("Pow", values({0, -1})),
            std::string(words(FaultKind::kDivision)));
  EXPECT_EQ(call("Sqrt", values({17})), "4");
  EXPECT_EQ(call("Sqrt", values({16})), "4");
  EXPECT_EQ(call("Sqrt", values({2'147'483'647})), "46340");
  EXPECT_EQ(call("Sqrt", values({-1})), kArgument);
  EXPECT_EQ(call("Abs", values({-5})), "5");
  EXPECT_EQ(call("Abs", values({std::numeric_limits<int>::min()})), overflow);
  EXPECT_EQ(call("Max", values({-5, 2})), "2");
  EXPECT_EQ(call("Min", values({-5, 2})), "-5");
}

TEST(Library, FindsClassesByNameAndNumber) {
  for (const ClassInfo& type : classes()) {
    EXPECT_EQ(find_class(type.name), &type);
    EXPECT_EQ(&class_info(type.id), &type);
    const Datum made = type.make({});
    EXPECT_EQ(made.class_id(), type.id);
  }
  EXPECT_EQ(find_class("Sett"), nullptr);
  EXPECT_EQ(find_static("pow"), nullptr);
}

TEST(Library, KnowsImports) {
  EXPECT_TRUE(is_known_import("PAT.Lib.Set"));
  EXPECT_TRUE(is_known_import("PAT.Math"));
  EXPECT_TRUE(is_known_import("Lib/PAT.Lib.Queue.dll"));
  EXPECT_TRUE(is_known_import("PAT.Lib.Example"));
  EXPECT_FALSE(is_known_import("PAT.Lib.Scheduler"));
}

TEST(Library, SuggestsWhatIsNearAndNamesWhatIsNotHere) {
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(hint_for_class("Stak"), "Stack"));
  EXPECT_TRUE(has(hint_for_class("Scheduler"), "C# code"));
  EXPECT_TRUE(
      has(hint_for_method(class_info(ClassId::kQueue), "Dequeu"), "Dequeue"));
  EXPECT_TRUE(has(hint_for_method(class_info(ClassId::kSet), "Frobnicate"),
                  "GetSubsetByIndex"));
  EXPECT_TRUE(has(hint_for_field(class_info(ClassId::kList), "Feld"), "Field"));
  EXPECT_TRUE(
      has(hint_for_field(class_info(ClassId::kSet), "Field"), "no fields"));
  EXPECT_TRUE(has(hint_for_static("ArrayMx"), "ArrayMax"));
  EXPECT_TRUE(has(hint_for_static("mailorder"), "'mailorder'"));
  EXPECT_EQ(find_static("dominate"), nullptr);
  EXPECT_TRUE(has(hint_for_import("PAT.Lib.Quue"), "Queue"));
}

}  // namespace
}  // namespace plumb::csp
