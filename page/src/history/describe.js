// SPDX-License-Identifier: Apache-2.0
// An operation in words: for the panel, for hovering, for screen readers.
import { el } from '../dom.js';
import { clipped, count, literal } from '../text.js';
import { FAILED, PENDING } from './data.js';

const STATUS = {
  [PENDING]: 'pending: it never returned',
  [FAILED]: 'failed: it did not happen',
};

function where(history, op) {
  const [from, to] = [history.line[op], history.returned_line[op]];
  const noun = history.step_lines ? 'step' : 'line';
  if (!Number.isFinite(from)) return '';
  return Number.isFinite(to)
    ? `${noun}s ${count(from)} and ${count(to)}`
    : `${noun} ${count(from)}`;
}

function when(history, op) {
  const axis = history.by_time;
  if (!axis) return '';
  const from = axis.start[op] - axis.least;
  const length = axis.end[op] - axis.start[op];
  return `${count(from / 1e3)} µs${Number.isFinite(length) ? `, for ${count(length / 1e3)} µs` : ''}`;
}

/** What the marks of an operation mean, one sentence each. */
export function marks(history, op) {
  const found = [];
  const why = history.reasons().get(op);
  if (why && op === history.last && history.obstacles.has(op)) {
    found.push(`✗ The first return that cannot be explained: ${why}.`);
  } else if (op === history.last) {
    found.push('✗ The first return that cannot be explained.');
  } else if (why) {
    found.push(`✗ It cannot be placed: ${why}.`);
  }
  if (history.is_culprit.has(op)) {
    found.push(
      `◆ One of ${count(history.culprits.length)} operations that contradict each other.`,
    );
  }
  if (history.place[op] >= 0) {
    found.push(
      `Number ${count(history.place[op] + 1)} in the order that explains ${history.holds ? 'them' : 'the most'}.`,
    );
  } else if (history.order.length && !why && history.status[op] !== FAILED) {
    found.push('Not in the order.');
  }
  return found;
}

export function facts(history, op) {
  const value = (v) =>
    v === null || v === undefined ? '' : clipped(literal(v));
  return [
    ['process', history.processes[history.process[op]]],
    history.key ? ['key', history.keys[history.key[op]]] : null,
    ['argument', value(history.argument[op])],
    ['result', value(history.result[op])],
    ['status', STATUS[history.status[op]] ?? ''],
    [history.step_lines ? 'in the run' : 'in the file', where(history, op)],
    ['time', when(history, op)],
  ].filter((f) => f && f[1] !== '');
}

/** One line for screen readers. */
export function spoken(history, op) {
  const status = STATUS[history.status[op]];
  return [
    clipped(history.text(op), 300),
    `process ${history.processes[history.process[op]]}`,
    where(history, op),
    status,
    ...marks(history, op),
  ]
    .filter(Boolean)
    .join(', ');
}

export function card(history, op) {
  return [
    el('h3', null, clipped(history.text(op), 300)),
    marks(history, op).map((m) =>
      el('p', { class: m.startsWith('✗') ? 'mark bad' : 'mark' }, m),
    ),
    el(
      'dl',
      { class: 'facts small' },
      facts(history, op).map(([name, value]) => [
        el('dt', null, name),
        el('dd', null, value),
      ]),
    ),
  ];
}
