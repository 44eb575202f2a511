// SPDX-License-Identifier: Apache-2.0
// The history on a canvas: what is shown, where, and what is under the pointer.
import { el } from '../dom.js';
import { gestures } from '../gestures.js';
import { colours, on_theme } from '../theme.js';
import { AXIS, REMARKS, draw } from './draw.js';
import { lower_bound, make_lanes } from './lanes.js';
import { moments } from './order.js';
import { Window } from './window.js';

const COLOURS = [
  'surface',
  'stripe',
  'ink',
  'muted',
  'line',
  'accent',
  'on-accent',
  'bad',
  'rest',
  'dense',
  'tint0',
  'tint1',
  'tint2',
  'tint3',
  'tint4',
  'tint5',
  'edge0',
  'edge1',
  'edge2',
  'edge3',
  'edge4',
  'edge5',
];
const TALLEST = 560;

export class Chart {
  /** events: changed() after moves and zooms, hovered(op), selected(op). */
  constructor(place, history, events) {
    this.history = history;
    this.top = AXIS + (history.remarks.length ? REMARKS : 0);
    this.events = events;
    this.axis = history.by_time ?? history.by_order;
    this.window = new Window(this.axis);
    this.scroll = 0;
    this.hover = null;
    this.selected = null;
    this.found = null;
    this.show_order = true;
    this.captioned = new Set(history.reasons().keys());
    this.font = `12.5px ${getComputedStyle(document.body).fontFamily}`;
    this.small_font = `600 11px ${getComputedStyle(document.body).fontFamily}`;
    this.canvas = el('canvas', { class: 'chart', 'aria-hidden': 'true' });
    this.context = this.canvas.getContext('2d', { alpha: false });
    this.context.font = this.font;
    this.char_width = this.context.measureText('enq(0)').width / 6;
    place.append(this.canvas);
    this.moments = moments(history.order, this.axis);
    this.read_colours();
    this.set_shown(() => true);
    this.listen(place);
  }

  listen(place) {
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(place);
    const off_theme = on_theme(() => {
      this.read_colours();
      this.redraw();
    });
    const off_gestures = gestures(this.canvas, {
      move: (dx, dy) => this.pan(dx, dy),
      zoom: (factor, x) => this.zoom(factor, this.time(x)),
      hover: (x, y) => this.hover_at(x, y),
      press: (x, y) => this.events.selected(this.at(x, y)),
    });
    this.close = () => {
      this.observer.disconnect();
      off_theme();
      off_gestures();
    };
  }

  read_colours() {
    this.colours = colours(COLOURS);
  }

  /** Leaves out the operations that `shown` refuses, and empty lanes. */
  set_shown(shown) {
    this.lanes = make_lanes(this.history, this.axis, shown);
    this.shown = shown;
    this.rows = new Map(this.lanes.map((lane, row) => [lane.process, row]));
    const many = this.lanes.length > 9;
    this.bar_height = many ? 26 : 32;
    this.label_y = many ? 10 : 12;
    this.lane_height = many ? 46 : 66;
    this.bar_top = many ? 6 : 9;
    if (this.canvas.isConnected) this.resize();
  }

  /** Changes between the order of events and their times. */
  set_axis(axis) {
    const middle = this.selected;
    this.axis = axis;
    this.window = new Window(axis);
    this.moments = moments(this.history.order, axis);
    this.set_shown(this.shown);
    if (middle !== null) this.reveal(middle);
  }

  resize() {
    const width = this.canvas.parentElement.clientWidth;
    const content = this.top + this.lanes.length * this.lane_height + 6;
    const height = Math.max(this.top + 60, Math.min(content, TALLEST));
    this.ratio = window.devicePixelRatio || 1;
    this.width = width;
    this.height = height;
    this.gutter = Math.min(120, Math.max(64, width * 0.11));
    this.canvas.width = Math.round(width * this.ratio);
    this.canvas.height = Math.round(height * this.ratio);
    this.canvas.style.height = `${height}px`;
    this.content = content;
    this.scroll = Math.min(this.scroll, Math.max(0, content - height));
    this.paint();
    this.events.changed();
  }

  get scale() {
    return (this.width - this.gutter) / this.window.span;
  }

  x(time) {
    return time === Infinity
      ? this.width + 20
      : this.gutter + (time - this.window.from) * this.scale;
  }

  time(x) {
    return this.window.from + (x - this.gutter) / this.scale;
  }

  y(row) {
    return this.top + row * this.lane_height - this.scroll + this.bar_top;
  }

  row_of(op) {
    if (!this.shown(op)) return -1;
    return this.rows.get(this.history.process[op]) ?? -1;
  }

  /** [x0, x1, y] of an operation, or null where it is off the screen. */
  place(op) {
    const row = this.row_of(op);
    const { start, end } = this.axis;
    if (row < 0 || end[op] < this.window.from || start[op] > this.window.to)
      return null;
    return [this.x(start[op]), this.x(end[op]), this.y(row)];
  }

  /** The operation at a point of the canvas, or null. */
  at(x, y) {
    const row = Math.floor((y - this.top + this.scroll) / this.lane_height);
    const lane = this.lanes[row];
    if (!lane || y < this.top || x < this.gutter - 10) return null;
    const time = this.time(x);
    const slack = 3 / this.scale;
    const i = lower_bound(lane.reach, time - slack);
    if (i >= lane.operations.length || lane.start[i] > time + slack)
      return null;
    return lane.operations[i];
  }

  hover_at(x, y) {
    const op = x === null ? null : this.at(x, y);
    if (op === this.hover) return;
    this.hover = op;
    this.canvas.style.cursor = op === null ? '' : 'pointer';
    this.redraw();
    this.events.hovered(op, x, y);
  }

  pan(dx, dy) {
    this.window.move(-dx / this.scale);
    const most = Math.max(0, this.content - this.height);
    this.scroll = Math.min(Math.max(0, this.scroll - dy), most);
    this.moved();
  }

  zoom(factor, at) {
    const before = this.window.span;
    this.window.zoom(factor, at);
    this.moved();
    return this.window.span !== before;
  }

  /** The span of the axis that shows bars with their labels. */
  get natural_span() {
    const all = this.axis.most - this.axis.least;
    return this.axis.natural
      ? this.width - this.gutter
      : (all * 40) / Math.max(40, this.history.size);
  }

  /** Brings an operation on the screen; `closely`: as large as is natural. */
  reveal(op, closely = false) {
    const { start, end } = this.axis;
    const last = end[op] === Infinity ? this.axis.most : end[op];
    if (closely) {
      const span = Math.max((last - start[op]) * 1.6, this.natural_span);
      const middle = (start[op] + last) / 2;
      this.window.show(middle - span / 2, middle + span / 2);
    } else if (start[op] < this.window.from || last > this.window.to) {
      const middle = (start[op] + last) / 2;
      const span = Math.max(this.window.span, (last - start[op]) * 1.2);
      this.window.show(middle - span / 2, middle + span / 2);
    }
    this.reveal_row(this.row_of(op));
    this.moved();
  }

  reveal_row(row) {
    if (row < 0) return;
    const top = row * this.lane_height;
    const room = this.height - this.top - this.lane_height;
    if (top < this.scroll) this.scroll = top;
    else if (top > this.scroll + room) this.scroll = top - room;
    this.scroll = Math.max(
      0,
      Math.min(this.scroll, this.content - this.height),
    );
  }

  moved() {
    this.redraw();
    this.events.changed();
  }

  redraw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  paint() {
    draw(this.context, this);
    this.events.painted(this);
  }
}
