// SPDX-License-Identifier: Apache-2.0
// How often each number came, as bars.
import { svg } from './dom.js';
import { count } from './text.js';

const ROW = 18;
const SINGLE = 16;

/** Rows [first, last, count]; of large numbers each twice as wide as the last. */
export function rows_of(histogram) {
  const most = histogram.length ? histogram[histogram.length - 1][0] : 0;
  const rows = [];
  for (const [number, often] of histogram) {
    let [first, last] = [number, number];
    if (most > SINGLE && number >= 2) {
      first = 2 ** Math.floor(Math.log2(number));
      last = Math.min(2 * first - 1, most);
    }
    const previous = rows[rows.length - 1];
    if (previous?.[0] === first) previous[2] += often;
    else rows.push([first, last, often]);
  }
  return rows;
}

/** Of pairs [number, how often], the smallest first. */
export function histogram_view(histogram, title) {
  const rows = rows_of(
    histogram.filter((p) => Number.isFinite(p?.[0]) && Number.isFinite(p?.[1])),
  );
  if (!rows.length) return null;
  const most = Math.max(...rows.map((row) => row[2]), 1);
  const [names, width] = [90, 460];
  const height = rows.length * ROW + 4;
  const bars = rows.map(([first, last, often], i) => {
    const y = 2 + i * ROW;
    const long = Math.max(1, ((width - names - 90) * often) / most);
    const name =
      first === last ? count(first) : `${count(first)}–${count(last)}`;
    return [
      svg('text', { x: names - 8, y: y + 12, 'text-anchor': 'end' }, name),
      svg('rect', { x: names, y: y + 2, width: long, height: ROW - 5 }),
      svg('text', { x: names + long + 6, y: y + 12 }, count(often)),
    ];
  });
  return svg(
    'svg',
    {
      class: 'histogram',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': title,
    },
    svg('title', null, title),
    bars.flat(),
  );
}
