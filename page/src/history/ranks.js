// SPDX-License-Identifier: Apache-2.0
// The two time axes of a history: the order of its events, and their times.
import { list } from '../result.js';

const GAP = 14; // between two events, in pixels at the natural scale

function bounds(start, end, room) {
  let least = Infinity;
  let most = -Infinity;
  for (let i = 0; i < start.length; ++i) {
    if (start[i] < least) least = start[i];
    const last = end[i] === Infinity ? start[i] + room : end[i];
    if (last > most) most = last;
  }
  return { start, end, least, most: most > least ? most : least + 1 };
}

function column(values, size, otherwise) {
  const given = list(values);
  return Float64Array.from({ length: size }, (_, i) =>
    Number.isFinite(given[i]) ? given[i] : otherwise(i),
  );
}

/**
 * The order of events: one after the other, and so far apart that each bar has
 * room for its label, as `room(op)` tells.  Its unit is a pixel.  Positions
 * count all events of a file, so those of other keys leave no gaps here.
 * Returns an axis with `events`, the positions, and `at`, their places.
 */
export function order_axis(columns, size, room) {
  const invoked = column(columns.invoked, size, (i) => i);
  const returned = column(columns.returned, size, () => Infinity);
  const returns = [...returned.keys()].filter(
    (op) => returned[op] !== Infinity,
  );
  const sorted = Uint32Array.from(returns).sort(
    (a, b) => returned[a] - returned[b],
  );
  const calls = Uint32Array.from(invoked.keys()).sort(
    (a, b) => invoked[a] - invoked[b],
  );
  const [start, end] = [
    new Float64Array(size),
    new Float64Array(size).fill(Infinity),
  ];
  const number = calls.length + sorted.length;
  const [events, at] = [new Float64Array(number), new Float64Array(number)];
  let place = -GAP;
  for (let k = 0, c = 0, r = 0; k < number; ++k) {
    const calls_next =
      r === sorted.length ||
      (c < calls.length && invoked[calls[c]] <= returned[sorted[r]]);
    const op = calls_next ? calls[c++] : sorted[r++];
    place += GAP;
    if (calls_next) {
      start[op] = place;
    } else {
      place = Math.max(place, start[op] + room(op));
      end[op] = place;
    }
    events[k] = calls_next ? invoked[op] : returned[op];
    at[k] = place;
  }
  return { ...bounds(start, end, 80), events, at, natural: true };
}

/** The times of the file, in nanoseconds, or null where it has none. */
export function time_axis(columns, size) {
  if (list(columns.invoked_at).length !== size) return null;
  const start = column(columns.invoked_at, size, () => NaN);
  if (start.some(Number.isNaN)) return null;
  const end = column(columns.returned_at, size, () => Infinity);
  for (let i = 0; i < size; ++i) end[i] = Math.max(end[i], start[i]);
  return bounds(start, end, 0);
}
