// SPDX-License-Identifier: Apache-2.0
// The operations of each process, ordered by time, to be found by place fast.

// One lane: operations by start; `reach[i]` is the largest end up to i, so that
// it never falls and can be searched, even where operations overlap.
class Lane {
  constructor(process, operations, axis) {
    this.process = process;
    this.operations = operations;
    this.start = operations.map((op) => axis.start[op]);
    this.end = operations.map((op) => axis.end[op]);
    this.reach = Float64Array.from(this.end);
    for (let i = 1; i < this.reach.length; ++i) {
      if (this.reach[i - 1] > this.reach[i]) this.reach[i] = this.reach[i - 1];
    }
  }

  /** The first operation that ends at `x` or later. */
  first_after(x) {
    return lower_bound(this.reach, x);
  }

  /** The first operation that starts at `x` or later, from `from` on. */
  first_start(x, from = 0) {
    return lower_bound(this.start, x, from);
  }
}

export function lower_bound(sorted, x, low = 0) {
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Lanes of the operations that `shown(op)` accepts; empty ones are left out. */
export function make_lanes(history, axis, shown) {
  const found = history.processes.map(() => []);
  for (let op = 0; op < history.size; ++op) {
    if (shown(op)) found[history.process[op]].push(op);
  }
  const lanes = [];
  found.forEach((operations, process) => {
    if (!operations.length) return;
    operations.sort((a, b) => axis.start[a] - axis.start[b]);
    lanes.push(new Lane(process, Float64Array.from(operations), axis));
  });
  return lanes;
}
