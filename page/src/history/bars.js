// SPDX-License-Identifier: Apache-2.0
// The bars of a lane.  Bars too narrow to be told apart are drawn as one, and
// the rest of their pixel is skipped by a search, so that the cost of a frame
// depends on the width of the screen and not on the size of the history.
import { brief } from '../text.js';
import { FAILED, PENDING } from './data.js';

const NARROW = 3;

/**
 * Calls bar(op, x0, x1, x of the next bar) for wide bars and run(x0, x1) for
 * narrow ones that were joined.
 */
export function each_bar(lane, chart, bar, run) {
  const { window, scale } = chart;
  const x_of = (t) => chart.x(t);
  const n = lane.operations.length;
  let run_from = -1;
  let run_to = -1;
  const flush = () => {
    if (run_from >= 0) run(run_from, run_to);
    run_from = -1;
  };
  for (let i = lane.first_after(window.from); i < n; ) {
    if (lane.start[i] > window.to) break;
    const x0 = x_of(lane.start[i]);
    const x1 = Math.min(x_of(lane.end[i]), chart.width + 20);
    if (x1 - x0 >= NARROW) {
      flush();
      bar(
        lane.operations[i],
        x0,
        x1,
        i + 1 < n ? x_of(lane.start[i + 1]) : chart.width,
      );
      ++i;
      continue;
    }
    const pixel = Math.floor(x0);
    if (run_from >= 0 && pixel > run_to + 1) flush();
    if (run_from < 0) run_from = pixel;
    run_to = Math.max(pixel + 1, Math.ceil(x1));
    // The last one that starts in this pixel may be a long one.
    const next = lane.first_start(
      window.from + (pixel + 1 - chart.gutter) / scale,
      i + 1,
    );
    i = next > i + 1 ? next - 1 : next;
  }
  flush();
}

function outline(context, x0, x1, y, height, open) {
  const r = Math.min(4, (x1 - x0) / 2, height / 2);
  context.beginPath();
  if (!open) {
    context.roundRect(x0, y, x1 - x0, height, r);
    return;
  }
  context.moveTo(x1, y);
  context.lineTo(x0 + r, y);
  context.arcTo(x0, y, x0, y + r, r);
  context.lineTo(x0, y + height - r);
  context.arcTo(x0, y + height, x0 + r, y + height, r);
  context.lineTo(x1, y + height);
}

function fade(context, tint, ground, x0, x1) {
  const gradient = context.createLinearGradient(
    Math.max(x0, x1 - 60),
    0,
    x1,
    0,
  );
  gradient.addColorStop(0, tint);
  gradient.addColorStop(1, ground);
  return gradient;
}

/** One wide bar; `dim`: it is not what was searched for. */
export function draw_bar(context, chart, op, [x0, x1, y], dim) {
  const { history, colours, bar_height } = chart;
  const status = history.status[op];
  const hue = history.function[op] % 6;
  const open = status === PENDING;
  const left = Math.max(x0, chart.gutter - 10);
  context.globalAlpha = dim ? 0.3 : 1;
  outline(context, left + 0.5, x1 - 0.5, y + 0.5, bar_height - 1, open);
  context.fillStyle =
    status === FAILED
      ? colours.surface
      : open
        ? fade(context, colours[`tint${hue}`], colours.surface, left, x1)
        : colours[`tint${hue}`];
  context.fill();
  context.setLineDash(status === FAILED ? [3, 3] : open ? [6, 3] : []);
  context.lineWidth = 1;
  context.strokeStyle = colours[`edge${hue}`];
  context.stroke();
  context.setLineDash([]);
  context.globalAlpha = 1;
}

/**
 * What a bar says, in its upper part: the order's numbers hang below.  It may
 * go beyond its bar, up to `to`, where the next one begins.
 */
export function draw_label(context, chart, op, [from, to, y], dim) {
  const x0 = Math.max(from, chart.gutter) + 6;
  const room = to - 4 - x0;
  if (room < 14) return;
  const { history, colours } = chart;
  const sign = history.obstacles.has(op)
    ? '✗ '
    : history.is_culprit.has(op)
      ? '◆ '
      : '';
  const most = Math.max(1, Math.floor(room / (chart.char_width * 0.7)));
  let label = brief(sign + history.text(op), Math.min(most, 90));
  if (context.measureText(label).width > room) {
    label = brief(label, Math.max(1, Math.floor(room / chart.char_width)));
    if (label.length < 3) return;
  }
  context.globalAlpha = dim ? 0.45 : 1;
  context.fillStyle = colours.ink;
  context.fillText(label, x0, y + chart.label_y);
  context.globalAlpha = 1;
}

/** The frame of a marked bar: thick, so that it is seen without its colour. */
export function draw_frame(
  context,
  chart,
  [x0, x1, y],
  colour,
  width,
  away = 0,
) {
  const left = Math.max(Math.min(x0, x1 - 6), chart.gutter - 10);
  const out = width / 2 + away;
  outline(
    context,
    left - out,
    Math.max(x1, left + 6) + out,
    y - out,
    chart.bar_height + 2 * out,
    false,
  );
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}
