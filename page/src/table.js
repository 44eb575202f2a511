// SPDX-License-Identifier: Apache-2.0
// Tables that sort themselves when a heading is pressed.
import { button, el } from './dom.js';

const order = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

function compare(a, b) {
  const numbers = typeof a === 'number' && typeof b === 'number';
  if (numbers)
    return (
      (Number.isNaN(a) ? -Infinity : a) - (Number.isNaN(b) ? -Infinity : b)
    );
  return order.compare(String(a ?? ''), String(b ?? ''));
}

/**
 * columns: [{title, number: is it right aligned?}]; rows: [{cells: [{value: what
 * is sorted by, node: what is shown}], attributes}].
 */
export function sortable(caption, columns, rows) {
  const body = el('tbody');
  const nodes = rows.map((row) =>
    el(
      'tr',
      row.attributes,
      row.cells.map((cell, i) =>
        el(
          'td',
          {
            class: columns[i]?.number ? 'number' : undefined,
            'data-title': columns[i]?.title,
          },
          cell.node ?? cell.value,
        ),
      ),
    ),
  );
  body.append(...nodes);
  const heads = columns.map((column, at) =>
    el(
      'th',
      { scope: 'col', class: column.number ? 'number' : undefined },
      button(
        [column.title, el('span', { class: 'arrow', 'aria-hidden': 'true' })],
        () => sort(at),
      ),
    ),
  );
  let sorted = { at: -1, down: false };

  function sort(at) {
    sorted = {
      at,
      down: sorted.at === at ? !sorted.down : !!columns[at].number,
    };
    const places = rows
      .map((_, i) => i)
      .sort((i, j) => {
        const by = compare(rows[i].cells[at]?.value, rows[j].cells[at]?.value);
        return (sorted.down ? -by : by) || i - j;
      });
    body.append(...places.map((i) => nodes[i]));
    heads.forEach((head, i) => {
      if (i === at)
        head.setAttribute(
          'aria-sort',
          sorted.down ? 'descending' : 'ascending',
        );
      else head.removeAttribute('aria-sort');
    });
  }

  return el(
    'div',
    {
      class: 'table-box',
      role: 'region',
      tabindex: '0',
      'aria-label': caption,
    },
    el(
      'table',
      { class: 'data' },
      el('caption', { class: 'unseen' }, caption),
      el('thead', null, el('tr', null, heads)),
      body,
    ),
  );
}
