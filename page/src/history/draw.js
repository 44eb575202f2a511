// SPDX-License-Identifier: Apache-2.0
// One frame of the history chart.
import { scaleLinear } from 'd3-scale';
import { brief, count } from '../text.js';
import { draw_bar, draw_frame, draw_label, each_bar } from './bars.js';
import { lower_bound } from './lanes.js';
import { draw_numbers, draw_order } from './order_line.js';

export const AXIS = 28;
export const REMARKS = 18; // below the axis, where there are any

export function draw(context, chart) {
  const { colours, width, height, ratio } = chart;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = chart.font;
  context.textBaseline = 'middle';
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, width, height);
  context.save();
  context.beginPath();
  context.rect(0, chart.top, width, height - chart.top);
  context.clip();
  each_lane(chart, (lane, y, row) => {
    if (row % 2) return;
    context.fillStyle = colours.stripe;
    context.fillRect(0, y, width, chart.lane_height);
  });
  draw_quiescent(context, chart);
  each_lane(chart, (lane, y) =>
    draw_lane(context, chart, lane, y + chart.bar_top),
  );
  draw_order(context, chart);
  each_lane(chart, (lane, y) =>
    draw_labels(context, chart, lane, y + chart.bar_top),
  );
  draw_marks(context, chart);
  draw_numbers(context, chart);
  draw_names(context, chart);
  context.restore();
  draw_remarks(context, chart);
  draw_axis(context, chart);
}

function each_lane(chart, visit) {
  const { lanes, lane_height, scroll, height } = chart;
  const first = Math.max(0, Math.floor(scroll / lane_height));
  for (let row = first; row < lanes.length; ++row) {
    const y = chart.top + row * lane_height - scroll;
    if (y > height) break;
    visit(lanes[row], y, row);
  }
}

function draw_lane(context, chart, lane, y) {
  const { colours, found } = chart;
  each_bar(
    lane,
    chart,
    (op, x0, x1) =>
      draw_bar(context, chart, op, [x0, x1, y], found && !found.has(op)),
    (x0, x1) => {
      context.globalAlpha = found ? 0.3 : 1;
      context.fillStyle = colours.dense;
      context.fillRect(x0, y + 2, x1 - x0, chart.bar_height - 4);
      context.globalAlpha = 1;
    },
  );
}

function draw_labels(context, chart, lane, y) {
  const { found } = chart;
  each_bar(
    lane,
    chart,
    (op, x0, x1, next) =>
      draw_label(
        context,
        chart,
        op,
        [x0, Math.max(x1, next - 4), y],
        found && !found.has(op),
      ),
    () => {},
  );
}

// Found operations that are too narrow to be seen get a pixel of their own.
function draw_found(context, chart) {
  const { found, axis, colours, window } = chart;
  if (!found) return;
  const drawn = new Set();
  context.fillStyle = colours.accent;
  for (const op of found) {
    const start = axis.start[op];
    const row = chart.row_of(op);
    if (row < 0 || start > window.to || axis.end[op] < window.from) continue;
    const x0 = chart.x(start);
    if (chart.x(axis.end[op]) - x0 >= 3) continue;
    const pixel = row * 65536 + Math.floor(x0);
    if (drawn.has(pixel)) continue;
    drawn.add(pixel);
    context.fillRect(Math.floor(x0) - 0.5, chart.y(row), 2, chart.bar_height);
  }
}

function draw_marks(context, chart) {
  const { history, colours } = chart;
  draw_found(context, chart);
  const frame = (op, colour, width, away = 0) => {
    const place = chart.place(op);
    if (place) draw_frame(context, chart, place, colour, width, away);
    return place;
  };
  for (const op of history.culprits) {
    const place = frame(op, colours.bad, history.obstacles.has(op) ? 2.5 : 1.5);
    if (place && place[1] - place[0] < 14) flag(context, chart, place);
  }
  for (const [op, why] of history.reasons()) {
    const place = frame(op, colours.bad, 2.5);
    if (place) caption(context, chart, op, place, why);
  }
  if (chart.hover !== null) frame(chart.hover, colours.accent, 2, 3);
  if (chart.selected !== null) frame(chart.selected, colours.ink, 2, 3.5);
}

function flag(context, chart, [x0, x1, y]) {
  const x = (Math.max(x0, chart.gutter) + x1) / 2;
  context.fillStyle = chart.colours.bad;
  context.beginPath();
  context.moveTo(x - 5, y - 9);
  context.lineTo(x + 5, y - 9);
  context.lineTo(x, y - 2);
  context.fill();
}

// The reason below the bar, if no other bar's reason is in the way.
function caption(context, chart, op, [x0, , y], why) {
  const lane = chart.lanes[chart.row_of(op)];
  const next = lane.first_start(chart.axis.start[op] + 1e-12);
  let room = Infinity;
  for (let i = next; i < lane.operations.length && i < next + 50; ++i) {
    if (!chart.captioned.has(lane.operations[i])) continue;
    room = Math.min(room, chart.x(lane.start[i]) - x0 - 8);
    break;
  }
  const whole = `✗ ${brief(why, 90)}`;
  const wide = context.measureText(whole).width;
  const left = Math.max(x0, chart.gutter + 4);
  // At the right edge it moves to the left rather than lose its end.
  const x = Math.max(chart.gutter + 4, Math.min(left, chart.width - wide - 8));
  if (x === left && wide > room && room < 8 * chart.char_width) return;
  const label =
    x === left && wide > room
      ? brief(whole, Math.floor(room / chart.char_width))
      : whole;
  const below = y + chart.bar_height + 14;
  context.fillStyle = chart.colours.bad;
  context.fillText(label, x, below);
}

function draw_quiescent(context, chart) {
  const { history, colours, window } = chart;
  if (chart.axis !== history.by_order || !history.quiescent.length) return;
  context.strokeStyle = colours.rest;
  context.lineWidth = 1.5;
  context.setLineDash([2, 4]);
  let last = -Infinity;
  context.beginPath();
  for (const moment of history.quiescent) {
    if (moment < window.from || moment > window.to) continue;
    const x = Math.round(chart.x(moment));
    if (x - last < 3) continue;
    last = x;
    context.moveTo(x, AXIS);
    context.lineTo(x, chart.height);
  }
  context.stroke();
  context.setLineDash([]);
}

// What somebody noted between events, as far as there is room for its words.
function draw_remarks(context, chart) {
  const { history, colours, window, small_font } = chart;
  if (chart.axis !== history.by_order) return;
  const shown = history.remarks.filter(
    ({ x }) => x >= window.from && x <= window.to,
  );
  context.font = small_font;
  let free = -Infinity;
  for (const remark of shown) {
    const x = Math.round(chart.x(remark.x));
    if (x < free - 4) continue;
    context.fillStyle = colours.accent;
    context.globalAlpha = 0.6;
    context.fillRect(x, AXIS, 1.5, chart.height);
    context.globalAlpha = 1;
    if (x < free) continue;
    const label = brief(remark.text, 40);
    const wide = context.measureText(label).width + 8;
    const left = Math.min(x, chart.width - wide);
    context.fillRect(left, AXIS + 1, wide, 15);
    context.fillStyle = colours['on-accent'];
    context.fillText(label, left + 4, AXIS + 9);
    free = left + wide;
  }
  context.font = chart.font;
}

function draw_names(context, chart) {
  const { history, colours, gutter } = chart;
  context.fillStyle = colours.surface;
  context.globalAlpha = 0.92;
  context.fillRect(0, AXIS, gutter - 8, chart.height);
  context.globalAlpha = 1;
  context.fillStyle = colours.muted;
  each_lane(chart, (lane, y) => {
    const most = Math.floor((gutter - 20) / chart.char_width);
    const name = history.processes[lane.process];
    const label = /^\d+$/.test(name) && most > 9 ? `process ${name}` : name;
    context.fillText(brief(label, most), 10, y + chart.bar_top + chart.label_y);
  });
  context.fillStyle = colours.line;
  context.fillRect(gutter - 8, AXIS, 1, chart.height);
}

function nanoseconds(value, step) {
  const [unit, size] =
    step >= 1e9
      ? ['s', 1e9]
      : step >= 1e6
        ? ['ms', 1e6]
        : step >= 1e3
          ? ['µs', 1e3]
          : ['ns', 1];
  return `${count(Number((value / size).toFixed(3)))} ${unit}`;
}

function draw_axis(context, chart) {
  const { colours, width } = chart;
  context.fillStyle = colours.surface;
  context.fillRect(0, 0, width, AXIS);
  context.fillStyle = colours.line;
  context.fillRect(0, AXIS - 1, width, 1);
  context.fillStyle = colours.muted;
  if (chart.axis.natural) draw_events(context, chart);
  else draw_times(context, chart);
}

function tick(context, chart, x, label) {
  if (
    x < chart.gutter ||
    x + context.measureText(label).width + 8 > chart.width
  )
    return;
  context.fillText(label, x + 4, AXIS / 2);
  context.fillRect(Math.round(x), AXIS - 7, 1, 6);
}

function draw_times(context, chart) {
  const { window, width, gutter, axis } = chart;
  context.fillText('time', 10, AXIS / 2);
  const scale = scaleLinear(
    [window.from - axis.least, window.to - axis.least],
    [gutter, width],
  );
  const ticks = scale.ticks(Math.max(2, Math.floor((width - gutter) / 110)));
  for (const t of ticks) {
    tick(context, chart, scale(t), nanoseconds(t, ticks[1] - ticks[0] || 1));
  }
}

function draw_events(context, chart) {
  const { history, window, axis } = chart;
  const { events, at } = axis;
  context.fillText(history.step_lines ? 'step' : 'event', 10, AXIS / 2);
  const apart = (history.total > 999 ? 84 : 44) / chart.scale;
  for (
    let k = lower_bound(at, window.from);
    k < at.length && at[k] <= window.to;
    k = lower_bound(at, at[k] + apart, k + 1)
  ) {
    tick(
      context,
      chart,
      chart.x(at[k]),
      count(history.step_lines ? events[k] : events[k] + 1),
    );
  }
}
