// SPDX-License-Identifier: Apache-2.0
// The part of the time axis that is on the screen.

export class Window {
  constructor(axis) {
    this.limits(axis);
    this.from = this.least;
    this.to = this.most;
  }

  limits(axis) {
    const margin = axis.natural ? 20 : (axis.most - axis.least) * 0.03;
    this.least = axis.least - margin;
    this.most = axis.most + margin;
    this.smallest = (axis.most - axis.least) / 1e9 || 1e-9;
  }

  get span() {
    return this.to - this.from;
  }

  /** Shows [from, to], moved and widened as far as the limits ask for. */
  show(from, to) {
    const whole = this.most - this.least;
    const span = Math.min(Math.max(to - from, this.smallest), whole);
    const middle = (from + to) / 2;
    this.from = Math.min(
      Math.max(middle - span / 2, this.least),
      this.most - span,
    );
    this.to = this.from + span;
  }

  /** Widens by `factor`, leaving the moment `at` where it is. */
  zoom(factor, at = (this.from + this.to) / 2) {
    const whole = this.most - this.least;
    const span = Math.min(Math.max(this.span * factor, this.smallest), whole);
    const share = (at - this.from) / this.span;
    const from = Math.min(
      Math.max(at - share * span, this.least),
      this.most - span,
    );
    this.from = from;
    this.to = from + span;
  }

  move(by) {
    const span = this.span;
    this.from = Math.min(
      Math.max(this.from + by, this.least),
      this.most - span,
    );
    this.to = this.from + span;
  }

  all() {
    this.from = this.least;
    this.to = this.most;
  }
}
