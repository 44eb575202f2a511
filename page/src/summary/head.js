// SPDX-License-Identifier: Apache-2.0
// The head of a result: what was asked, what came out, and why.
import { el } from '../dom.js';
import {
  answer,
  because,
  capital,
  condition_words,
  question,
} from '../sentence.js';
import { base_name, stronger_orders, text } from '../result.js';
import { arrows } from '../text.js';
import { verdict_mark } from '../verdict.js';

export function result_head(run, result) {
  const { meaning } = condition_words(result.condition);
  const where =
    result.file && result.line
      ? `${base_name(result.file)}:${result.line}`
      : base_name(result.file);
  const machines = text(result.evidence.machines);
  return el(
    'header',
    { class: `head ${result.verdict}` },
    el(
      'div',
      { class: 'head-line' },
      verdict_mark(result),
      where &&
        where !== result.title &&
        el('span', { class: 'where', title: result.file }, where),
    ),
    el('h1', null, result.title),
    el(
      'p',
      { class: 'story' },
      el('span', { class: 'asked' }, question(result)),
      ' ',
      el('strong', null, answer(result)),
      ' ',
      el('span', { class: 'why' }, because(result)),
    ),
    meaning &&
      el(
        'p',
        { class: 'meaning' },
        el('em', null, condition_words(result.condition).name),
        `: ${meaning}.`,
      ),
    machines && el('p', { class: 'meaning' }, `${capital(machines)}.`),
    stronger_orders(result).map((orders) =>
      el(
        'p',
        { class: 'meaning' },
        'With stronger orders this program holds: ',
        el('code', null, arrows(orders)),
      ),
    ),
  );
}
