// SPDX-License-Identifier: Apache-2.0
// The papers' tables, ours beside theirs, and how checks grow.
import { el } from '../dom.js';
import { list, text } from '../result.js';
import { sortable } from '../table.js';
import { count, literal } from '../text.js';
import { plot } from './plot.js';

function cell(value) {
  if (typeof value === 'number') return { value, node: count(value) };
  const words = value === null || value === undefined ? '' : literal(value);
  const plain = Number(words.replace(/[,\s]/g, ''));
  return {
    value: words !== '' && Number.isFinite(plain) ? plain : words,
    node: words,
  };
}

function table(raw) {
  const rows = list(raw.rows).map((row) => ({ cells: list(row).map(cell) }));
  const columns = list(raw.columns).map((title, i) => ({
    title: literal(title),
    number:
      rows.length > 0 &&
      rows.every(
        ({ cells }) =>
          !cells[i] ||
          ['', '-', '–'].includes(cells[i].value) ||
          typeof cells[i].value === 'number',
      ),
  }));
  return el(
    'section',
    null,
    el('h2', null, text(raw.title)),
    text(raw.note) && el('p', null, raw.note),
    sortable(text(raw.title) || 'Table', columns, rows),
  );
}

export function papers_view(run) {
  return {
    node: el(
      'div',
      { class: 'papers' },
      el(
        'header',
        { class: 'head' },
        el('h1', null, 'The papers’ experiments'),
        el(
          'p',
          { class: 'story' },
          'The tables of the papers with our figures, and how the cost of checks grows.',
          run.machine && ` Measured on ${run.machine}.`,
        ),
      ),
      run.plots.length
        ? el('div', { class: 'plots' }, run.plots.map(plot))
        : null,
      run.tables.map(table),
    ),
  };
}
