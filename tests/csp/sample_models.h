// SPDX-License-Identifier: Apache-2.0
// CSP# models for tests of the front end.
#pragma once

#include <string>
#include <vector>

namespace plumb::csp {

// One of each construct.
inline const char* const kEverything = R"csp(//@@Everything@@
#import "PAT.Lib.Set";
#define N 2;
#define SIZE 3;
#define NEG -1;
#define top_is(k) H == k;
#define full(k) call(top_is, k) || H == SIZE;
#define bump(by) {
  var t = H; while (by > 0 && t < 1) { t = t + 1; } H = t + by; };
enum {red, green, blue};
var H = 0;
var HL[N];
hvar hidden = false;
var<Set> s;
var m[2][3] = [1..6];
var arr = [0(3), 5, 3..1];
var r:{0..5} = *;
channel c 0;
channel d[N] 5;
Push(i) = push_inv.i -> PushLoop(i, H);
PushLoop(i:{0..3}, v) = tau{HL[i] = v;} -> ifa (HL[i] == H) {
    t.i{H = H + 1} -> tau{HL[i] = 0} -> push_res.i.(H+1) -> Skip
  } else { tau -> PushLoop(i, H) };
Pop(i) = pop_inv.i -> if (H == 0) { pop_res.i.0 -> Skip }
  else { {H = H - 1; HL[i] = 0} -> pop_res.i.(H - 1) -> Skip };
Process(i) = (Push(i) [] Pop(i)); Process(i);
Stack() = (|||x:{0..N-1}@Process(x)) \ {x:{0..N};y:{0..1}@get.x.y, t.0, t.1};
Chan() = c!1.H -> Skip ||| c?x.y{H = y} -> d[x % N]!x -> Skip
  ||| d[1]?[z > 0]z -> (a.z, b) -> Skip;
Many() = |||{3}@Pop(1) ||| (|||{..}@Pop(0));
Old() = (a -> Skip) <<H > 0>> (b -> Skip);
K() = case { H == 0 : a -> Skip  H == 1 : Many  (H == 2) : b -> Skip
             default : Stop };
J() = P1 [] P2 <> Skip [*] Stop() interrupt e -> Stop;
P1 = [H > 0 && (&& i:{0..1}@(HL[i] == 0))] a -> b -> Skip; P2 \ {a};
P2() = atomic{a -> {s.Add(3); m[1][2] = 5; var q[2][2]; q[1][0]++;
    if (H == 1) H--; else { H = call(ccount, d[0]); } call(bump, 2)} ->
  ifb(call(cfull, d[0])) {Skip}}; assert(H < 3);
P3() = P1 || P2 || (|| i:{0,2}@Push(i));
#alphabet P1 {a, x:{0..3}@b.x};
#define goal H == 2 && r > 1;
#define n #P2();
#define bits (H & 3 | 4 ^ 1) == 1 xor true;
#assert Stack() deadlockfree;
#assert Stack reaches goal with max(H + 1);
#assert Stack() |= [] (goal -> <> "c!1.2") && !X push_inv.0;
#assert Stack() refines <FD> Push(0);
#assert Stack() refines<F> P1;
#assert Stack() refines P1();
#assert P1 divergencefree;
#assert P1 deterministic;
#assert P1 nonterminating;
)csp";

// As people write them when they begin.
inline const char* const kSimple[] = {
    "P = a -> P;\n#assert P deadlockfree;\n",
    "#define N 3;\nPhil(i) = get.i.(i+1)%N -> get.i.i -> eat.i -> "
    "put.i.(i+1)%N -> put.i.i -> Phil(i);\n"
    "Fork(x) = get.x.x -> put.x.x -> Fork(x) [] get.(x-1)%N.x -> "
    "put.(x-1)%N.x -> Fork(x);\n"
    "College() = ||x:{0..N-1}@(Phil(x)||Fork(x));\n"
    "#assert College() deadlockfree;\n#assert College() |= []<> eat.0;\n",
    "var turn; var want[2] = [false(2)];\n"
    "P(i) = {want[i] = true} -> {turn = 1 - i} -> "
    "[want[1 - i] == false || turn == i] cs.i{want[i] = false} -> P(i);\n"
    "S() = P(0) ||| P(1);\n",
};

inline std::vector<std::string> sample_models() {
  std::vector<std::string> all = {kEverything};
  for (const char* model : kSimple) all.emplace_back(model);
  return all;
}

}  // namespace plumb::csp
