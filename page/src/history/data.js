// SPDX-License-Identifier: Apache-2.0
// A history in columns: one entry an operation, in the order of invocation.
import { list, number, text } from '../result.js';
import { explanation } from '../sentence.js';
import { arrows, literal } from '../text.js';
import { from_lists } from './lists.js';
import { lower_bound } from './lanes.js';
import { order_axis, time_axis } from './ranks.js';

export const COMPLETED = 0;
export const PENDING = 1;
export const FAILED = 2;

const MANY = 5000;

const histories = new WeakMap();

/** The history of a result, or null where it has none. */
export function history_of(result) {
  if (!histories.has(result)) histories.set(result, make(result));
  return histories.get(result);
}

function make(result) {
  const columns = list(result.history.process).length
    ? result.history
    : from_lists(result.evidence, explanation(result));
  return columns && columns.process.length
    ? new History(columns, result)
    : null;
}

// Operations that return nothing are shown without a result.
const SILENT = new Set(['acquire', 'release', 'arrive', 'depart']);

const names = (value) => list(value).map((n) => literal(n));

class History {
  constructor(columns, result) {
    this.columns = columns;
    this.size = columns.process.length;
    this.total = number(columns.total, this.size);
    this.first = number(columns.first, 0);
    this.step_lines = columns.step_lines === true;
    this.read_names(columns);
    this.silent = this.functions.map((f, at) => this.is_silent(f, at));
    this.texts = new Map();
    this.read_times(columns);
    this.read_marks(columns, result);
  }

  read_names(columns) {
    const n = this.size;
    const index = (column, most) =>
      Int32Array.from({ length: n }, (_, i) => {
        const at = number(list(column)[i], 0);
        return at >= 0 && at < most ? at : 0;
      });
    this.processes = names(columns.processes);
    this.functions = names(columns.functions);
    this.keys = names(columns.keys);
    if (!this.processes.length) this.processes = ['?'];
    if (!this.functions.length) this.functions = ['?'];
    this.process = index(columns.process, this.processes.length);
    this.function = index(columns.function, this.functions.length);
    this.key = this.keys.length ? index(columns.key, this.keys.length) : null;
    this.status = Uint8Array.from({ length: n }, (_, i) =>
      number(list(columns.status)[i], COMPLETED),
    );
    this.argument = list(columns.argument);
    this.result = list(columns.result);
    this.line = list(columns.line);
    this.returned_line = list(columns.returned_line);
  }

  read_times(columns) {
    // Labels of large histories are not made before they are seen.
    const room =
      this.size > MANY
        ? () => 64
        : (op) => Math.min(200, Math.max(44, this.text(op).length * 7.2 + 30));
    this.by_order = order_axis(columns, this.size, room);
    this.by_time = time_axis(columns, this.size);
    for (let i = 0; i < this.size; ++i) {
      if (this.status[i] === COMPLETED && this.by_order.end[i] === Infinity) {
        this.status[i] = PENDING;
      }
    }
  }

  read_marks(columns, result) {
    const known = (op) => Number.isInteger(op) && op >= 0 && op < this.size;
    this.order = Int32Array.from(list(columns.order).filter(known));
    this.place = new Int32Array(this.size).fill(-1);
    this.order.forEach((op, at) => {
      this.place[op] = at;
    });
    this.culprits = list(columns.culprits).filter(known);
    this.is_culprit = new Set(this.culprits);
    this.obstacles = new Map(
      list(columns.obstacles)
        .filter((o) => Array.isArray(o) && known(o[0]))
        .map(([op, why]) => [op, arrows(String(why ?? ''))]),
    );
    this.last = known(columns.last) ? columns.last : null;
    this.state = text(columns.state);
    this.quiescent = list(columns.quiescent)
      .filter(Number.isFinite)
      .map((position) => this.before(position))
      .filter((x) => x !== null);
    this.remarks = list(columns.remarks)
      .filter((remark) => Array.isArray(remark) && Number.isFinite(remark[0]))
      .map(([position, what]) => ({ x: this.before(position), text: text(what) }))
      .filter((remark) => remark.x !== null);
    this.holds = result.verdict === 'holds';
    this.result_of_check = result;
  }

  /** The place on the order axis just before an event's position. */
  before(position) {
    const { events, at } = this.by_order;
    const rank = lower_bound(events, position);
    return rank < events.length && rank > 0
      ? (at[rank - 1] + at[rank]) / 2
      : null;
  }

  is_silent(name, at) {
    let takes = false;
    for (let i = 0; i < this.size; ++i) {
      if (this.function[i] !== at) continue;
      if (this.result[i] !== null && this.result[i] !== undefined) return false;
      if (this.argument[i] !== null && this.argument[i] !== undefined)
        takes = true;
    }
    return takes || SILENT.has(name);
  }

  /** `deq() → 2`, `enq(1)`, `cas(1, 2) → true`. */
  text(op) {
    if (!this.texts.has(op)) this.texts.set(op, this.make_text(op));
    return this.texts.get(op);
  }

  make_text(op) {
    const given = list(this.columns.text)[op];
    if (typeof given === 'string') return arrows(given);
    const name = this.functions[this.function[op]];
    const argument = this.argument[op];
    const inside =
      argument === null || argument === undefined
        ? ''
        : Array.isArray(argument)
          ? argument.map(literal).join(', ')
          : literal(argument);
    const call = `${name}(${inside})`;
    if (this.status[op] !== COMPLETED) return call;
    const value = this.result[op];
    if (
      (value === null || value === undefined) &&
      this.silent[this.function[op]]
    ) {
      return call;
    }
    return `${call} → ${literal(value ?? null)}`;
  }

  /** The operations that cannot be placed, with the reason of each. */
  reasons() {
    const all = new Map(this.obstacles);
    if (!this.holds && this.last !== null && !all.has(this.last)) {
      all.set(this.last, 'the first return that cannot be explained');
    }
    return all;
  }

  /** The operation to look at first. */
  culprit() {
    return (
      this.last ?? [...this.obstacles.keys()][0] ?? this.culprits[0] ?? null
    );
  }
}
