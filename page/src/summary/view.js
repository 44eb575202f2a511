// SPDX-License-Identifier: Apache-2.0
// The summary: every check of a run with its verdict, bounds and cost.
import { el } from '../dom.js';
import { format } from '../route.js';
import { base_name } from '../result.js';
import { because } from '../sentence.js';
import { sparkline } from '../sparkline.js';
import { sortable } from '../table.js';
import { arrows, count, counted, listed, seconds } from '../text.js';
import { is_good, verdict_mark } from '../verdict.js';

const NOUNS = { history: 'history', program: 'test', object: 'check' };

/** What was done, no more than that. */
function deed(run) {
  if (run.results.length === 0) return '';
  if (run.level === 'history') return 'Recorded histories were judged.';
  const some = (verdict) => run.results.some((r) => r.verdict === verdict);
  if (run.level === 'program') {
    const left_out = (r) =>
      r.verdict !== 'violated' && r.stats.exhaustive !== true;
    if (run.results.some(left_out))
      return 'Code was run in interleavings, of some tests not in all.';
    return (
      'Code was run in every interleaving that can make a difference' +
      `${some('violated') ? ', up to the first violation' : ''}.`
    );
  }
  const what = run.results.some((r) => r.file.endsWith('.csp'))
    ? 'All runs of these models were searched'
    : 'Every client of these models was tried';
  return some('unknown')
    ? `${what}, unless a limit was reached first.`
    : `${what}, within the bounds that are named.`;
}

/** Which count says most of the work, per level. */
function work(result) {
  const { stats, level } = result;
  const name =
    level === 'history'
      ? 'operations'
      : level === 'program'
        ? 'executions'
        : 'states';
  return { name, value: Number.isFinite(stats[name]) ? stats[name] : NaN };
}

export const work_of = work;

function outcome(run) {
  const bad = run.results.filter((r) => !is_good(r));
  const parts = [];
  const surprising = bad.filter((r) => r.verdict !== 'unknown').length;
  const open = bad.length - surprising;
  const total = counted(run.results.length, NOUNS[run.level] ?? 'check');
  if (run.results.length === 0)
    return { words: 'Nothing was judged.', kind: 'unknown' };
  const expected = run.results.some((r) => r.as_expected);
  if (bad.length === 0) {
    const rest = run.errors.length > 0;
    const all = rest ? 'What could be judged' : expected ? 'All' : 'Everything';
    return {
      words: `${all} ${expected ? 'is as expected' : 'holds'}: ${total}.`,
      kind: rest ? 'unknown' : 'holds',
    };
  }
  if (surprising) {
    const none_expected = bad.every((r) => !r.expect);
    parts.push(
      `${surprising} ${
        none_expected
          ? surprising === 1
            ? 'is violated'
            : 'are violated'
          : surprising === 1
            ? 'is not as expected'
            : 'are not as expected'
      }`,
    );
  }
  if (open) parts.push(`${open} undecided`);
  return {
    words: `Of ${total}, ${listed(parts)}.`,
    kind: surprising ? 'violated' : 'unknown',
  };
}

function tallies(run) {
  const number = (verdict) =>
    run.results.filter((r) => r.verdict === verdict).length;
  return el(
    'dl',
    { class: 'tallies' },
    ['holds', 'violated', 'unknown'].filter(number).map((verdict) => {
      const expected = run.results.filter(
        (r) => r.verdict === verdict && r.as_expected && verdict !== 'holds',
      ).length;
      return el(
        'div',
        { class: verdict },
        el('dt', null, verdict),
        el(
          'dd',
          null,
          count(number(verdict)),
          expected
            ? el(
                'span',
                null,
                expected === number(verdict)
                  ? ' as expected'
                  : ` (${expected} as expected)`,
              )
            : null,
        ),
      );
    }),
    Number.isFinite(run.seconds)
      ? el(
          'div',
          null,
          el('dt', null, 'time'),
          el('dd', null, seconds(run.seconds)),
        )
      : null,
  );
}

function errors(run) {
  if (run.errors.length === 0) return null;
  return el(
    'section',
    { class: 'errors', 'aria-label': 'Errors' },
    el(
      'h2',
      null,
      `${counted(run.errors.length, 'error')}: what could not be judged`,
    ),
    el(
      'ul',
      null,
      run.errors.map((e) =>
        el(
          'li',
          null,
          e.file && !e.message.includes(e.file)
            ? `${e.file}${e.line ? `:${e.line}` : ''}: `
            : '',
          e.message,
        ),
      ),
    ),
  );
}

/** Where the checks stand: in files, or at lines of the one file. */
function place_column(run) {
  const files = new Set(run.results.map((r) => r.file));
  if (files.size > 1) {
    return {
      title: 'File',
      cell: (r) => ({
        value: `${r.file}:${String(r.line ?? '').padStart(6)}`,
        node: el(
          'span',
          { class: 'file', title: r.file },
          base_name(r.file),
          r.line ? `:${r.line}` : '',
        ),
      }),
    };
  }
  if (run.results.every((r) => r.line === null)) return null;
  return {
    title: 'Line',
    number: true,
    cell: (r) => ({ value: r.line ?? NaN, node: r.line }),
  };
}

/** Bounds of what holds, the reason of what does not. */
function why(result) {
  if (result.verdict === 'holds') return result.bounds || result.reason;
  return arrows(result.reason) || because(result) || result.bounds;
}

function rows(run, { place, with_condition, with_why }) {
  return run.results.map((result) => {
    const done = work(result);
    const link = el(
      'a',
      { href: format({ result: result.index + 1 }) },
      result.title,
    );
    const cells = [
      { value: result.index + 1 },
      {
        value: `${is_good(result) ? 1 : 0} ${result.verdict}`,
        node: verdict_mark(result),
      },
      { value: result.title, node: link },
      place && place.cell(result),
      with_condition && {
        value: result.condition,
        node: [
          result.condition,
          result.specification &&
            el('span', { class: 'of' }, ` · ${result.specification}`),
        ],
      },
      with_why && { value: why(result), node: why(result) },
      { value: done.value, node: count(done.value).replace('NaN', '') },
      {
        value: result.stats.seconds,
        node: [
          seconds(result.stats.seconds),
          sparkline(result.samples, done.name, [72, 20]),
        ],
      },
    ].filter(Boolean);
    return { cells, attributes: { class: result.verdict } };
  });
}

export function summary_view(run) {
  const { words, kind } = outcome(run);
  const place = run.level === 'history' ? null : place_column(run);
  // A check of a model names its condition itself.
  const with_condition =
    run.level !== 'object' && run.results.some((r) => r.condition);
  const with_why = run.results.some((r) => why(r));
  const columns = [
    { title: '#', number: true },
    { title: 'Verdict' },
    {
      title:
        run.level === 'history'
          ? 'History'
          : run.level === 'program'
            ? 'Test'
            : 'Check',
    },
    place && { title: place.title, number: place.number },
    with_condition && { title: 'Condition' },
    with_why && {
      title: run.level === 'object' ? 'Bounds or reason' : 'Reason',
    },
    {
      title: run.results[0] ? work(run.results[0]).name : 'Work',
      number: true,
    },
    { title: 'Time', number: true },
  ].filter(Boolean);
  return {
    node: el(
      'div',
      { class: 'summary' },
      el(
        'header',
        { class: `head ${kind}` },
        el('h1', null, words),
        el(
          'p',
          { class: 'story' },
          deed(run),
          run.results.length ? ' Choose a row to see why.' : '',
        ),
      ),
      errors(run),
      tallies(run),
      run.results.length
        ? sortable(
            'Checks of this run',
            columns,
            rows(run, { place, with_condition, with_why }),
          )
        : null,
      run.version &&
        el('p', { class: 'made' }, `Made by plumb ${run.version}.`),
    ),
  };
}
