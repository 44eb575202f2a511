// SPDX-License-Identifier: Apache-2.0
// The operations on the screen as a table: the chart without seeing it.
import { button, el, replace } from '../dom.js';
import { brief, count, literal } from '../text.js';
import { FAILED, PENDING } from './data.js';
import { marks } from './describe.js';

const MOST = 100;

/** Operations on the screen, by start, at most `MOST` round the chosen one. */
function on_screen(chart) {
  const { axis, history, window } = chart;
  const found = [];
  for (let op = 0; op < history.size; ++op) {
    if (
      axis.start[op] <= window.to &&
      axis.end[op] >= window.from &&
      chart.shown(op)
    )
      found.push(op);
  }
  found.sort((a, b) => axis.start[a] - axis.start[b]);
  if (found.length <= MOST) return { part: found, all: found.length };
  const chosen = chart.selected ?? history.culprit();
  const at = Math.max(0, found.indexOf(chosen));
  const from = Math.max(0, Math.min(at - MOST / 2, found.length - MOST));
  return { part: found.slice(from, from + MOST), all: found.length };
}

const show = (value) =>
  value === null || value === undefined ? '' : brief(literal(value), 60);

export function rows(chart, visit) {
  const { history } = chart;
  const body = el('tbody');
  const note = el('p', { class: 'legend' });
  const heads = [
    'Operation',
    'Process',
    'Argument',
    'Result',
    history.step_lines ? 'Steps' : 'Lines',
    'Remarks',
  ];
  const table = el(
    'table',
    { class: 'data' },
    el('caption', { class: 'unseen' }, 'Operations on the screen'),
    el(
      'thead',
      null,
      el(
        'tr',
        null,
        heads.map((h) => el('th', { scope: 'col' }, h)),
      ),
    ),
    body,
  );
  const details = el(
    'details',
    { class: 'rows', ontoggle: () => fill() },
    el('summary', null, 'Operations on the screen, as a table'),
    note,
    el(
      'div',
      {
        class: 'table-box',
        role: 'region',
        tabindex: '0',
        'aria-label': 'Operations on the screen',
      },
      table,
    ),
  );
  let timer = 0;

  function fill() {
    if (!details.open) return;
    const { part, all } = on_screen(chart);
    replace(
      note,
      all > part.length
        ? `${count(part.length)} of the ${count(all)} operations on the screen.`
        : '',
    );
    replace(
      body,
      part.map((op) => {
        const status =
          history.status[op] === PENDING
            ? 'pending. '
            : history.status[op] === FAILED
              ? 'did not happen. '
              : '';
        const lines = [history.line[op], history.returned_line[op]].filter(
          Number.isFinite,
        );
        return el(
          'tr',
          { class: history.obstacles.has(op) ? 'violated' : undefined },
          el(
            'th',
            { scope: 'row' },
            button(brief(history.text(op), 60), () => visit(op), {
              class: 'link',
            }),
          ),
          el('td', null, brief(history.processes[history.process[op]], 40)),
          el('td', null, show(history.argument[op])),
          el('td', null, show(history.result[op])),
          el('td', null, lines.map(count).join('–')),
          el('td', null, status, marks(history, op).join(' ')),
        );
      }),
    );
  }

  return {
    node: details,
    update() {
      clearTimeout(timer);
      timer = setTimeout(fill, 150);
    },
  };
}
