// SPDX-License-Identifier: Apache-2.0
// A small curve of a count over time.
import { count, seconds } from './text.js';
import { svg } from './dom.js';

/** Two samples are no curve. */
export function sparkline(samples, noun, [width, height] = [120, 26]) {
  if (samples.length < 3) return null;
  const last = samples[samples.length - 1];
  const most = Math.max(...samples.map((s) => s[1]), 1);
  const end = last[0] || 1;
  const x = (s) => 2 + (s[0] / end) * (width - 6);
  const y = (s) => height - 3 - (s[1] / most) * (height - 6);
  const points = samples.map((s) => `${x(s).toFixed(1)},${y(s).toFixed(1)}`);
  const words = `${count(last[1])} ${noun} in ${seconds(last[0])}`;
  return svg(
    'svg',
    {
      class: 'sparkline',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': words,
    },
    svg('title', null, words),
    svg('path', {
      class: 'area',
      d: `M2,${height - 3}L${points.join('L')}L${x(last).toFixed(1)},${height - 3}Z`,
    }),
    svg('path', { class: 'curve', d: `M${points.join('L')}` }),
    svg('circle', { cx: x(last), cy: y(last), r: 2 }),
  );
}
