// SPDX-License-Identifier: Apache-2.0
// Models for tests of the front end.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "support/source_folder.h"

namespace plumb::lang {

// Uses every construct of the language.
inline constexpr const char* kEverything = R"(// Everything.
const N = 4;
const HALF = N / 2 + min(1, processes) % 3;
const DEBUG = HALF > 1 && !false || N == 4;
enum Color { red, green }  /* a trailing comment */

spec lossy(int capacity, bool strict) {
    const K = capacity * 2;
    seq<int> q;
    int 0..K n = 0;
    function bool full() { return strict ? len(q) >= capacity : n == K; }
    void enq(int v) { if (!full()) { push_back(q, v); n += 1; } }
    int deq() {
        choose { return empty; } or {
            await len(q) > 0;
            n--;
            return pop_front(q);
        }
    }
    Color color(bool b) { return b ? red : green; }
}

object everything implements lossy(N, true) {
    const LIMIT = max(N, 2) - 1;
    enum Phase { idle, busy }
    struct Node {
        int val = 3;
        Node next;
        bool marked = false;
        int data[2];
        Phase phase = idle;
        process owner = nobody;
        seq<int, 4> log;
    }

    // Shared memory.
    shared Node top = null, spare = new Node { val = 1, next = null };
    shared int 0..N count = 0, table[N][2];
    shared bit flags[process];
    shared seq<int, HALF> q[2];
    shared set<int 0..3> members;
    shared map<Color, Node, 3> names;
    shared process holder;
    shared Color tone = green;
    memory manual;
    role writer: 1 process { enq }
    role reader: others { deq, color }

    init {
        for (int i = 0; i < N; i++) table[i][0] = - -1;
        top = new Node;
        atomic { skip; }
    }

    function Node find(int k, Node from) {
        Node p = from;
        while (p != null && p.val != k) p = p.next;
        return p;
    }
    function void touch(Node n) { n.marked = !n.marked; }

    relation {
        Node p = top;
        while (p != null) { push_back(spec.q, p.val); p = p.next; }
        spec.n = min(len(spec.q), count);
        choose { await spec.n > 0; } or { return; }
    }

    void enq(int v) {
        Node n = new Node { val = v, next = top };
        int 0..3 tries = 0;
        do {
            n.next = top;
            tries = (tries + 1) % 4;
            if (tries == 3) break;
            else if (tries == 2) continue;
        } while (!cas(top, n.next, n));
        flags[self] = 1;
        linearize if (cas(count, 0, 1)) return;
        linearize count = fetch_add(table[0][1], 1);
        linearize;
        atomic {
            await holder == nobody || holder == self;
            push_back(q[0], v); push_front(q[1], v);
            insert_at(q[0], 0, v); q[0][0] = remove_at(q[1], 0);
            if (insert(members, 1)) remove(members, 1);
            names[red] = n;
            clear(q[1]);
        }
        touch(find(v, top));
        assert index(self) >= 0 && index(nobody) == -1;
        delete n;
    }

    int deq() {
        for (;;) {
            Node t = exchange(spare, null);
            choose { skip; } or { await count > 0; } or { return empty; }
            if (dcas(top, spare, t, t, t.next, null)) { return t.val; }
            atomic {
                if (contains(names, green)) return names[green].val;
                if (len(q[0]) > 0) return front(q[0]) + back(q[0]);
                if (count == 3) return any_of(q[0]) - any_of(members);
                if (len(members) != 0) return smallest(members);
                return pop_back(q[0]) * pop_front(q[0]) + any(0, LIMIT);
            }
        }
    }

    Color color(bool b) {
        Color c = tone;
        { c = b ? red : c; }
        return c;
    }
}

object pair {
    shared int a[2];
    int[2] both() { atomic { return a; } }
    void set(int i, int v) { a[i] = v; }
}

object register_of_one implements register {
    shared int v = empty;
    int read() { return v; }
    void write(int w) { v = w; }
    bool cas(int old, int next) { return cas(v, old, next); }
}

check everything linearizable with 2 processes, values 1..2, cells 6;
check everything linearizable at marks with 2 processes, values 1, N = 3, K = 5
    expect unknown;
check everything safe with N - 1 processes, values 1..2, 1 operation, 8 cells;
check everything quasi(deq=2)+quiescent with 2 processes, values 1, busy 4;
check everything quiescent by relation with 2 processes, values 1..2;
check everything
    quasi(urgent{enq(1), deq -> -1..2}=1, color{color(0)}=2)+quiescent
    with 2 processes, values 1..2, busy N + 1;
check everything sequential+out_of_order(deq=2)+late(deq=1)
    with 2 processes, values 1, 2 operations;
check everything stuttering(enq=1) with 2 processes, values 1;
check spec queue(N) refines quasi(deq=1, enq=0) queue(4) with values 1..2;
check spec lossy(2, true) refines lossy(N, false)
    with 2 processes, values 1, 3 operations, N = 3 expect violated;
check pair deadlock_free with 2 processes, values 0..1;
check pair lock_free with 1 process, values 0..1 expect holds;
check pair wait_free with 3 processes, values 0 expect violated;
check register_of_one obstruction_free with 2 processes, values 1, 1 operation;
check register_of_one sequential with 2 processes, values 1..2;
)";

// Small ones, in a careless layout.
inline constexpr const char* kCareless[] = {
    R"(object  diffracting implements queue{shared bit e=0,d=0;
  shared seq<int>q[2];
  void enq( int v ){ bit b; do b=e; while(!cas(e,b,1-b));
                     atomic{push_back(q[b],v);} }
  int  deq()      { bit b; do b = d; while (!cas(d, b, 1 - b));
                    atomic { await len(q[b])>0; return pop_front(q[b]); } } }
check diffracting quiescent with 3 processes,values 1..2,2 operations;)",
    R"(spec s{int n;void inc(){n++;}int get(){return n;}}
object o implements s{shared int n;void inc(){while(true){int t=n;
if(cas(n,t,t+1))
return;}}int get()
{
return n ;
}
}


check o linearizable with 2 processes;)",
    R"(object o { shared int x; void f() {
  if (x == 1) // one
    x = 2; // two
  else /* three */ if (x - -1 == 3) { // four
    x = 4;
    // five
  } // six
  else { } // seven
  while (x < 10 && x > 1 && x != 5 || x == 1 && (x < 7 || x > 3) || x == 12
    && x != 3) x++;
  do { x--; } /* eight */ while (x > 0); for(;;) break;
  int y = /* nine */ x + // ten
      // eleven
      1;
  // twelve
} })",
    R"(spec s(int k){seq<int>q;int n=k;void put(int v){n=v;}}
object o implements s(1){shared int x;void put(int v){x=v;}
 relation{for(int i=0;i<x;i++)push_back(spec . q,i);spec.n=x ;
 choose{return;}or{await x>0;}}}
check o quasi ( late { put ( 1 .. 2 ) , put->-1 } = 1,soon{put(-3)}=2 )+
quiescent with 2 processes,values 1..2,busy 3;
check o linearizable by relation with 1 process, values 1;
check spec quasi(put=1)s(1)refines
 late(put=1)+stuttering(put=2)s(1+1)with values 1,4 operations;)",
};

inline std::vector<std::string> sample_models() {
  std::vector<std::string> texts{kEverything};
  texts.insert(texts.end(), std::begin(kCareless), std::end(kCareless));
  const std::filesystem::path folder =
      testing::source_folder() / "examples" / "models";
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".plumb") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const auto& path : paths) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

}  // namespace plumb::lang
