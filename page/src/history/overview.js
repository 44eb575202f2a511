// SPDX-License-Identifier: Apache-2.0
// The whole history as a strip: how busy it is, where the marks are, and which
// part is on the screen.
import { el } from '../dom.js';
import { gestures } from '../gestures.js';
import { on_theme } from '../theme.js';

const HEIGHT = 44;

/** How many operations start in each of `width` parts of the axis. */
function densities(axis, width) {
  const bins = new Float64Array(width);
  const scale = (width - 1) / (axis.most - axis.least);
  for (let i = 0; i < axis.start.length; ++i) {
    ++bins[Math.floor((axis.start[i] - axis.least) * scale)];
  }
  return bins;
}

export class Overview {
  constructor(place, chart) {
    this.chart = chart;
    this.canvas = el('canvas', { class: 'overview', 'aria-hidden': 'true' });
    this.context = this.canvas.getContext('2d');
    place.prepend(this.canvas);
    const centre = (x) => {
      const { window } = chart;
      const at = this.time(x);
      window.show(at - window.span / 2, at + window.span / 2);
      chart.moved();
    };
    const off_gestures = gestures(this.canvas, {
      move: (dx) => {
        chart.window.move(dx / this.scale);
        chart.moved();
      },
      zoom: (factor, x) => chart.zoom(factor, this.time(x)),
      press: centre,
    });
    const off_theme = on_theme(() => this.paint());
    this.close = () => {
      off_gestures();
      off_theme();
    };
  }

  get scale() {
    return this.chart.width / (this.chart.axis.most - this.chart.axis.least);
  }

  time(x) {
    return this.chart.axis.least + x / this.scale;
  }

  paint() {
    const { chart, canvas, context } = this;
    const { width, ratio, colours, axis, window } = chart;
    if (canvas.width !== Math.round(width * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = HEIGHT * ratio;
      canvas.style.height = `${HEIGHT}px`;
      this.bins = null;
    }
    if (!this.bins || this.binned !== axis) {
      this.bins = densities(axis, Math.max(1, Math.floor(width / 2)));
      this.binned = axis;
      this.most = this.bins.reduce((a, b) => Math.max(a, b), 1);
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.fillStyle = colours.stripe;
    context.fillRect(0, 0, width, HEIGHT);
    this.paint_bins();
    const x0 = (window.from - axis.least) * this.scale;
    const x1 = Math.max(x0 + 4, (window.to - axis.least) * this.scale);
    context.globalAlpha = 0.16;
    context.fillStyle = colours.accent;
    context.fillRect(x0, 0, x1 - x0, HEIGHT);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.lineWidth = 2;
    context.strokeRect(x0 + 1, 1, x1 - x0 - 2, HEIGHT - 2);
  }

  paint_bins() {
    const { chart, context } = this;
    const { colours, axis, history } = chart;
    context.fillStyle = colours.dense;
    this.bins.forEach((bin, i) => {
      const h = (bin / this.most) * (HEIGHT - 14);
      if (h) context.fillRect(i * 2, HEIGHT - h, 2, h);
    });
    const tick = (op, colour) => {
      const x = (axis.start[op] - axis.least) * this.scale;
      context.fillStyle = colour;
      context.fillRect(x - 1, 10, 2, HEIGHT - 10);
      context.beginPath();
      context.moveTo(x - 5, 2);
      context.lineTo(x + 5, 2);
      context.lineTo(x, 10);
      context.fill();
    };
    if (chart.found && chart.found.size < 2000) {
      for (const op of chart.found) tick(op, colours.accent);
    }
    for (const op of history.culprits) tick(op, colours.bad);
    for (const op of history.obstacles.keys()) tick(op, colours.bad);
  }
}
