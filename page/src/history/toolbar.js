// SPDX-License-Identifier: Apache-2.0
// The buttons above the chart.
import { button, el } from '../dom.js';

const tick = (label, is_on, onchange) =>
  el(
    'label',
    { class: 'check' },
    el('input', { type: 'checkbox', checked: is_on, onchange }),
    label,
  );

export function toolbar(history, actions) {
  const accused = history.culprit() !== null && !history.holds;
  const many = history.culprits.length > 0 && history.size > 12;
  const named = (sign, label, action, key) =>
    button(sign, action, { 'aria-label': label, title: `${label} (${key})` });
  return el(
    'div',
    { class: 'tools', role: 'toolbar', 'aria-label': 'Zoom and pan' },
    accused &&
      button('Show the culprit', actions.culprit, { class: 'primary' }),
    named('−', 'Zoom out', actions.out, '−'),
    named('+', 'Zoom in', actions.in, '+'),
    named('‹', 'Move left', actions.left, 'A'),
    named('›', 'Move right', actions.right, 'D'),
    button('All', actions.all, { title: 'The whole history (0)' }),
    history.order.length > 0 && tick('order', true, actions.order),
    many && tick('only the culprits', false, actions.only),
    history.by_time && tick('real time', true, actions.axis),
  );
}
