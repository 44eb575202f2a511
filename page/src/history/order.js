// SPDX-License-Identifier: Apache-2.0
// Where on the time axis the order of the operations passes through their bars.

/**
 * A moment of each operation of the order.  Where the order keeps real time, the
 * moments rise: each is within its bar, between the earliest and the latest one
 * that the others leave it.  Otherwise each is the middle of its bar, and the
 * line goes back where the order does.
 */
export function moments(order, axis) {
  const n = order.length;
  const earliest = new Float64Array(n);
  const latest = new Float64Array(n);
  const end = (op) => (axis.end[op] === Infinity ? axis.most : axis.end[op]);
  for (let i = 0; i < n; ++i) {
    earliest[i] = Math.max(
      axis.start[order[i]],
      i ? earliest[i - 1] : -Infinity,
    );
  }
  let rises = true;
  for (let i = n - 1; i >= 0; --i) {
    latest[i] = Math.min(end(order[i]), i + 1 < n ? latest[i + 1] : Infinity);
    if (latest[i] < earliest[i]) rises = false;
  }
  const at = new Float64Array(n);
  if (!rises) {
    for (let i = 0; i < n; ++i)
      at[i] = (axis.start[order[i]] + end(order[i])) / 2;
    return { at, rises };
  }
  for (let i = 0; i < n; ) {
    let j = i + 1;
    while (j < n && earliest[j] === earliest[i] && latest[j] === latest[i]) ++j;
    const room = latest[i] - earliest[i];
    for (let k = i; k < j; ++k) {
      const moment = earliest[i] + (room * (k - i + 1)) / (j - i + 1);
      at[k] = k ? Math.max(moment, at[k - 1]) : moment;
    }
    i = j;
  }
  return { at, rises };
}
