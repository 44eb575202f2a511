// SPDX-License-Identifier: Apache-2.0
// A verdict as people see it: a symbol, a word and a colour.
import { el } from './dom.js';

const SYMBOLS = { holds: '✓', violated: '✗', unknown: '?' };

/** Is it what was asked for?  A violation that was expected is. */
export const is_good = (result) =>
  result.as_expected || (result.verdict === 'holds' && result.expected);

export function verdict_mark(result) {
  const unexpected = result.expect !== '' && !result.as_expected;
  const note =
    result.as_expected && result.verdict !== 'holds'
      ? ', as expected'
      : unexpected
        ? `, but ${result.expect} was expected`
        : '';
  return el(
    'span',
    { class: `verdict ${result.verdict}` },
    el(
      'span',
      { class: 'symbol', 'aria-hidden': 'true' },
      SYMBOLS[result.verdict],
    ),
    el(
      'span',
      null,
      result.verdict,
      note && el('span', { class: 'note' }, note),
    ),
  );
}
