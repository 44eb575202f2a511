# SPDX-License-Identifier: Apache-2.0
# Objects written as a `spec`: `plumb history` against the definitions.
"""Each object of `objects.py` once more in the language of models, in one of
several ways: with texts for keys, with helpers, with `choose`, with `partition
by` or without.  Histories and conditions are those of `histories.py`, but for
those that only built-in objects know."""
import os

import histories
import objects

QUEUE = """spec o {
    seq<value> q;
    void enq(value v) { push_back(q, v); }
    value deq() { if (len(q) == 0) return empty; return pop_front(q); }
}"""
BOUNDED = """spec o {
    const ROOM = %d;
    seq<value, 1> q;
    bool enq(value v) {
        if (len(q) == ROOM) return false;
        push_back(q, v);
        return true;
    }
    value deq() { return len(q) == 0 ? empty : pop_front(q); }
}"""
BLOCKING = """spec o {
    seq<value> q;
    void enq(value v) { push_front(q, v); }
    value deq() { await len(q) > 0; return pop_back(q); }
}"""
STACK = """spec o {
    seq<value> s;
    function bool none() { return len(s) == 0; }
    void push(value v) { insert_at(s, len(s), v); }
    value pop() {
        if (none()) { return empty; }
        value top = back(s);
        remove_at(s, len(s) - 1);
        return top;
    }
}"""
STACK_AS_VALUE = """spec o {
    value s = [];
    void push(value v) { s = [v, s]; }
    value pop() {
        if (len(s) == 0) return empty;
        value top = s[0];
        s = s[1];
        return top;
    }
}"""
DEQUE = """spec o {
    seq<value> q;
    void push_front(value v) { push_front(q, v); }
    void push_back(value v) { push_back(q, v); }
    value pop_front() { if (len(q) == 0) return empty; return pop_front(q); }
    value pop_back() { if (len(q) == 0) return empty; return pop_back(q); }
}"""
BAG = """spec o {
    seq<value> b;
    void add(value v) { push_back(b, v); }
    value take() {
        if (len(b) == 0) return null;
        return remove_at(b, any(0, len(b) - 1));
    }
}"""
BAG_BY_COUNTS = """spec o {
    set<value> there;
    map<value, int> count;
    void add(value v) {
        insert(there, v);
        count[v] = contains(count, v) ? count[v] + 1 : 1;
    }
    value take() {
        if (len(there) == 0) return empty;
        value v = any_of(there);
        count[v] -= 1;
        if (count[v] == 0) {
            remove(there, v);
            remove(count, v);
        }
        return v;
    }
}"""
SET = """spec o {%s
    set<value> s;
    bool add(value v) { return insert(s, v); }
    bool remove(value v) { return remove(s, v); }
    bool contains(value v) { return contains(s, v); }
}"""
MAP = """spec o {%s
    map<value, value> m;
    function value old(value key) {
        if (contains(m, key)) return m[key];
        return null;
    }
    value put(value key, value v) {
        value before = old(key);
        if (v == null) remove(m, key);
        else m[key] = v;
        return before;
    }
    value get(value key) { return old(key); }
    value remove(value key) {
        value before = old(key);
        remove(m, key);
        return before;
    }
}"""
REGISTER = """spec o {
    value x = null;
    value read() { return x; }
    void write(value v) { x = v; }
    bool cas(value old, value new_) {
        if (x != old) return false;
        x = new_;
        return true;
    }
}"""
REGISTER_BY_CHOICE = """spec o {
    value x[2];
    init { x[1] = null; }
    value read() { return x[1]; }
    void write(value v) { x[1] = v; }
    bool cas(value old, value new_) {
        choose {
            await x[1] == old;
            x[1] = new_;
            return true;
        } or {
            await x[1] != old;
            return false;
        }
    }
}"""
COUNTER = """spec o {
    int n;
    int inc() { return fetch_add(n, 1); }
    int dec() { int old = n; n = max(n - 1, 0); return old; }
    int get() { return n; }
}"""
MUTEX = """spec o {
    bool held;
    void acquire() { await !held; held = true; }
    void release() { await held; held = false; }
}"""
SNZI = """spec o {
    int n;
    void arrive() { n++; }
    void depart() { await n > 0; n -= 1; }
    bool query() { return n > 0; }
}"""
SPECS = {
    "queue": [QUEUE], "queue(1)": [BOUNDED % 1], "queue(2)": [BOUNDED % 2],
    "blocking_queue": [BLOCKING], "stack": [STACK, STACK_AS_VALUE],
    "deque": [DEQUE], "bag": [BAG, BAG_BY_COUNTS],
    "set": [SET % "", SET % "\n    partition by v;"],
    "map": [MAP % "", MAP % "\n    partition by key;"],
    "register": [REGISTER, REGISTER_BY_CHOICE], "counter": [COUNTER],
    "mutex": [MUTEX], "snzi": [SNZI],
}


def is_relaxed(condition):
    return bool(condition.classes or condition.stuttering)


def batch(rng, plumb, folder, tally):
    name = rng.choice(list(SPECS))
    condition = histories.random_condition(rng, objects.make(name))
    condition.out_of_order, condition.late = {}, {}
    if condition.classes:
        condition.closed, condition.stuttering = True, {}
    texts = SPECS[name]
    if is_relaxed(condition):
        # Factors count within a key of a map, and within a whole set: so they
        # do where a specification is partitioned, and where it is not.
        texts = {"set": texts[:1], "map": texts[1:]}.get(name, texts)
    path = os.path.join(folder, "o.plumb")
    with open(path, "w") as file:
        file.write(rng.choice(texts))
    yield from histories.compare(rng, plumb, folder, tally, name, path,
                                 condition)
