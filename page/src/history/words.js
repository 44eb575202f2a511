// SPDX-License-Identifier: Apache-2.0
// What stands below the chart: what its marks mean, and why nothing explains it.
import { button, el } from '../dom.js';
import { arrows, brief, clipped, count, counted } from '../text.js';

function order_words(history) {
  if (!history.order.length) return '';
  return history.holds
    ? 'The line passes through the operations in an order that explains all of them.'
    : 'Numbers and line: the order that explains the most.';
}

export function legend(history) {
  const lines = [order_words(history)];
  if (history.culprits.length)
    lines.push('◆ These operations contradict each other.');
  if (history.obstacles.size) lines.push('✗ Nothing explains these next.');
  if (history.quiescent.length)
    lines.push('Dotted lines: quiescent moments, at which no call is running.');
  if (history.status.includes(1))
    lines.push('Bars open to the right never returned.');
  if (history.status.includes(2))
    lines.push('Dashed bars failed: they did not happen.');
  if (history.total > history.size) {
    lines.push(
      `${count(history.size)} of ${count(history.total)} operations are shown, ` +
        `from number ${count(history.first + 1)} on.`,
    );
  }
  lines.push('Keys: arrows, + and −, A and D, C for the culprit, / to search.');
  return el(
    'ul',
    { class: 'legend' },
    lines.filter(Boolean).map((l) => el('li', null, l)),
  );
}

/** The operations that contradict each other, as words with links. */
function contradiction(history, visit) {
  const few = history.culprits.slice(0, 12);
  if (few.length < 2) return null;
  const alone = history.result_of_check.evidence.others_left_out !== true;
  return el(
    'p',
    null,
    alone ? 'Whatever the others did, ' : '',
    `${alone ? 'these' : 'These'} ${counted(history.culprits.length, 'operation')} contradict each other: `,
    few.map((op, i) => [
      i ? ', ' : '',
      button(brief(history.text(op), 60), () => visit(op), { class: 'link' }),
    ]),
    history.culprits.length > few.length ? ', …' : '',
    '.',
  );
}

/** Why it cannot be explained: each operation that cannot come next. */
export function reasons(history, visit) {
  const all = [...history.obstacles];
  if (!all.length || history.holds) return null;
  const spec = history.result_of_check.specification || 'object';
  const before =
    history.order.length === 1
      ? 'After the one operation on the line, '
      : history.order.length
        ? `After the ${counted(history.order.length, 'operation')} on the line, `
        : 'At the start, ';
  const state = history.state
    ? `, with the ${spec} at ${arrows(clipped(history.state, 300))}`
    : '';
  return el(
    'section',
    { class: 'reasons' },
    el('h2', null, 'Why it cannot be explained'),
    contradiction(history, visit),
    el('p', null, `${before}nothing of them can come next${state}:`),
    el(
      'ul',
      null,
      all.slice(0, 50).map(([op, why]) =>
        el(
          'li',
          null,
          button(brief(history.text(op), 80), () => visit(op), {
            class: 'link op',
          }),
          el('span', null, ` ${why || 'it cannot be placed'}`),
        ),
      ),
    ),
  );
}
