// SPDX-License-Identifier: Apache-2.0
// The line that passes through the bars in the order that explains them.
import { count } from '../text.js';

const MOST = 3000; // More on one screen would be a blot.

/** The places in the order that are on the screen, as pairs first, last + 1. */
function visible_part(chart) {
  const { moments, window } = chart;
  const n = moments.at.length;
  if (!moments.rises) return n <= MOST ? [0, n] : visible_scan(chart);
  let first = 0;
  let high = n;
  while (first < high) {
    const middle = (first + high) >> 1;
    if (moments.at[middle] < window.from) first = middle + 1;
    else high = middle;
  }
  let last = first;
  while (last < n && moments.at[last] <= window.to && last - first <= MOST)
    ++last;
  return [Math.max(0, first - 1), Math.min(n, last + 1)];
}

function visible_scan(chart) {
  const { moments, window } = chart;
  let first = -1;
  let last = -1;
  for (let i = 0; i < moments.at.length; ++i) {
    if (moments.at[i] < window.from || moments.at[i] > window.to) continue;
    if (first < 0) first = i;
    last = i;
  }
  return first < 0 ? [0, 0] : [first, last + 1];
}

function points_of(chart, [first, last]) {
  const points = [];
  for (let i = first; i < last; ++i) {
    const row = chart.row_of(chart.history.order[i]);
    if (row < 0) continue;
    points.push({
      x: chart.x(chart.moments.at[i]),
      y: chart.y(row) + chart.bar_height,
      place: i,
    });
  }
  return points;
}

function stroke(context, points, colour, width) {
  context.beginPath();
  points.forEach((p, i) =>
    i ? context.lineTo(p.x, p.y) : context.moveTo(p.x, p.y),
  );
  context.lineJoin = 'round';
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

const clip = (context, chart) => {
  context.save();
  context.beginPath();
  context.rect(chart.gutter - 8, 0, chart.width, chart.height);
  context.clip();
};

/** The line; `chart.order_hidden` tells whether it is too dense to be drawn. */
export function draw_order(context, chart) {
  chart.order_points = [];
  chart.order_hidden = false;
  if (!chart.show_order || !chart.moments.at.length) return;
  const part = visible_part(chart);
  if (part[1] - part[0] > MOST) {
    chart.order_hidden = true;
    return;
  }
  const points = points_of(chart, part);
  const { colours } = chart;
  clip(context, chart);
  const sparse = points.length * 16 < chart.width - chart.gutter;
  if (sparse) stroke(context, points, colours.surface, 5);
  stroke(context, points, colours.accent, sparse ? 2 : 1);
  context.restore();
  if (sparse) chart.order_points = points;
}

/** Its numbers, on top of what the bars say. */
export function draw_numbers(context, chart) {
  if (!chart.order_points.length) return;
  clip(context, chart);
  numbers(context, chart, chart.order_points);
  context.restore();
}

function numbers(context, chart, points) {
  const { colours } = chart;
  context.textAlign = 'center';
  context.font = chart.small_font;
  for (const { x, y, place } of points) {
    const label = count(place + 1);
    const half = Math.max(8, context.measureText(label).width / 2 + 5);
    context.beginPath();
    context.roundRect(x - half, y - 8, 2 * half, 16, 8);
    context.fillStyle = colours.accent;
    context.fill();
    context.lineWidth = 2;
    context.strokeStyle = colours.surface;
    context.stroke();
    context.fillStyle = colours['on-accent'];
    context.fillText(label, x, y + 0.5);
  }
  context.textAlign = 'start';
  context.font = chart.font;
}
