// SPDX-License-Identifier: Apache-2.0
// The keys of the history chart.
import { lower_bound } from './lanes.js';

/** The neighbour of an operation: along its lane, or in a lane next to it. */
function neighbour(chart, op, key) {
  const row = chart.row_of(op);
  const lane = chart.lanes[row];
  if (!lane) return chart.lanes[0]?.operations[0] ?? null;
  const at = lane.operations.indexOf(op);
  const n = lane.operations.length;
  switch (key) {
    case 'ArrowLeft':
      return lane.operations[Math.max(0, at - 1)];
    case 'ArrowRight':
      return lane.operations[Math.min(n - 1, at + 1)];
    case 'Home':
      return lane.operations[0];
    case 'End':
      return lane.operations[n - 1];
    default: {
      const other = chart.lanes[row + (key === 'ArrowDown' ? 1 : -1)];
      if (!other) return op;
      const i = lower_bound(other.reach, chart.axis.start[op]);
      return other.operations[Math.min(i, other.operations.length - 1)];
    }
  }
}

const ALONG = [
  'ArrowLeft',
  'ArrowRight',
  'ArrowUp',
  'ArrowDown',
  'Home',
  'End',
];

/** Returns a handler that says whether it knew the key. */
export function chart_keys(chart, actions, { select, search, holder }) {
  const simple = {
    '+': actions.in,
    '=': actions.in,
    '-': actions.out,
    0: actions.all,
    a: actions.left,
    d: actions.right,
    w: actions.in,
    s: actions.out,
    c: actions.culprit,
    '/': search,
  };
  return (event) => {
    const focused = holder.contains(document.activeElement);
    if (ALONG.includes(event.key)) {
      // Elsewhere these keys scroll the page.
      if (!focused) return false;
      const from =
        chart.selected ??
        chart.history.culprit() ??
        chart.lanes[0]?.operations[0];
      if (from === undefined || from === null) return false;
      select(
        chart.selected === null ? from : neighbour(chart, from, event.key),
      );
      return true;
    }
    const action = simple[event.key.toLowerCase()];
    if (
      !action ||
      (event.key.toLowerCase() === 'c' && chart.history.culprit() === null)
    )
      return false;
    action();
    return true;
  };
}
