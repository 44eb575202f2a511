// SPDX-License-Identifier: Apache-2.0
// The lines of a source file around the one that a step is at.
import { el, replace } from '../dom.js';
import { base_name, source_of } from '../result.js';

const AROUND = 5;
const lines = new Map();

function lines_of(run, file) {
  const key = file;
  if (!lines.has(key))
    lines.set(key, source_of(run, file)?.split('\n') ?? null);
  return lines.get(key);
}

/** `others`: lines at which other threads are, as a map from line to name. */
export function show_source(node, run, step, others) {
  node.hidden = !step || step.line === null || !step.file;
  if (node.hidden) return;
  const known = lines_of(run, step.file);
  const head = el(
    'h3',
    null,
    `${base_name(step.file)}:${step.line}`,
    step.function && el('span', { class: 'of' }, ` in ${step.function}`),
  );
  if (!known || step.line > known.length) {
    replace(
      node,
      head,
      el('pre', { class: 'code' }, line_node(step.line, step.source, true, '')),
    );
    return;
  }
  const from = Math.max(1, step.line - AROUND);
  const to = Math.min(known.length, step.line + AROUND);
  const shown = [];
  for (let line = from; line <= to; ++line) {
    shown.push(
      line_node(
        line,
        known[line - 1],
        line === step.line,
        others.get(line) ?? '',
      ),
    );
  }
  replace(
    node,
    head,
    el(
      'pre',
      {
        class: 'code',
        tabindex: '0',
        role: 'region',
        'aria-label': 'Source',
      },
      shown,
    ),
  );
}

function line_node(line, words, here, other) {
  return el(
    'span',
    {
      class: here ? 'line here' : 'line',
      'aria-current': here ? 'step' : undefined,
    },
    el('span', { class: 'number' }, `${here ? '▸' : ''}${line}`),
    words || ' ',
    other && el('span', { class: 'other' }, `  ◂ ${other}`),
  );
}
