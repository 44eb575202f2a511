// SPDX-License-Identifier: Apache-2.0
// Everything else that is known of a result: bounds, cost, how to see it again.
import { button, el, replace } from '../dom.js';
import { histogram_view } from '../histogram.js';
import { list, object, stronger_orders, text } from '../result.js';
import { sparkline } from '../sparkline.js';
import { arrows, bytes, count, literal, seconds } from '../text.js';
import { work_of } from './view.js';

function fact(name, ...value) {
  const shown = value
    .flat(Infinity)
    .filter((v) => v !== '' && v !== null && v !== undefined);
  return shown.length ? [el('dt', null, name), el('dd', null, shown)] : [];
}

/** A command with a button that copies it. */
export function command_line(command) {
  const copy = button(
    'Copy',
    async () => {
      try {
        await navigator.clipboard.writeText(command);
        replace(copy, 'Copied');
      } catch {
        const range = document.createRange();
        range.selectNodeContents(code);
        window.getSelection().removeAllRanges();
        window.getSelection().addRange(range);
        replace(copy, 'Press Ctrl+C');
      }
    },
    { class: 'quiet' },
  );
  const code = el('code', null, command);
  return el('div', { class: 'command-line' }, code, copy);
}

const NAMES = {
  states_per_second: 'states a second',
  executions_per_second: 'executions a second',
  peak_memory_bytes: 'most memory',
  store_bytes: 'memory for states',
  state_bytes: 'size of a state',
  all_programs: 'programs in all',
  not_judged: 'not judged',
  blocked: 'cut short',
  specification_states: 'states of the specification',
};

function statistic(name, value) {
  if (value === '' || value === null || (value === 0 && name !== 'states'))
    return [];
  const label = NAMES[name] ?? name.replaceAll('_', ' ');
  if (name === 'seconds') return fact('time', seconds(value));
  if (name.endsWith('bytes')) return fact(label, bytes(value));
  if (typeof value === 'number') {
    return fact(label, count(value >= 1000 ? Math.round(value) : value));
  }
  if (typeof value === 'boolean') return fact(label, value ? 'yes' : 'no');
  if (Array.isArray(value)) return fact(label, value.map(literal).join(', '));
  if (typeof value === 'object') {
    return Object.entries(value).map(([k, v]) => statistic(k, v));
  }
  return fact(label, String(value));
}

function points(result) {
  const lines = result.points.map((point) => {
    if (typeof point === 'string') return point;
    const { operation, line, statement, when } = object(point);
    return (
      `${text(operation)} takes effect at line ${line}` +
      `${statement ? `, “${statement}”` : ''}${when ? `, when ${when}` : ''}`
    );
  });
  return lines.length
    ? fact(
        'takes effect',
        el(
          'ul',
          null,
          lines.map((l) => el('li', null, l)),
        ),
      )
    : [];
}

// A sequence of operations that one specification allows and another does not.
function sequence(evidence) {
  const calls = list(evidence.sequence).map(object);
  if (!calls.length) return [];
  const words = calls.map(
    (c) =>
      `${text(c.f)}(${c.argument === null ? '' : literal(c.argument)})` +
      (c.result === null || c.result === undefined
        ? ''
        : ` → ${literal(c.result)}`),
  );
  return [
    ...fact(
      'sequence',
      el(
        'ol',
        null,
        words.map((w) => el('li', null, w)),
      ),
    ),
    ...fact('allowed by', text(evidence.left)),
    ...fact('but not by', text(evidence.right)),
    ...fact('which allows', list(evidence.possible).map(literal).join(', ')),
  ];
}

const ORDERS = {
  best: 'the smallest maximum, then the smallest sum, that was found',
  invoked: 'the order of their invocations',
  returned: 'the order of their returns',
};

// How far from their turn the takes of a container were.
function rank_errors(errors) {
  const [rank, delay] = [object(errors.rank), object(errors.delay)];
  if (!list(rank.histogram).length) return [];
  const figures = (of) => [
    `maximum ${count(of.maximum)}, mean ${Number(of.mean).toFixed(3)}`,
    list(of.quantiles)
      .filter(Array.isArray)
      .map(([share, number]) => `, ${100 * share} % ≤ ${count(number)}`),
  ];
  const worst = list(errors.takes)
    .map(object)
    .filter((take) => take.rank_error > 0)
    .slice(0, 10)
    .map((take) =>
      el(
        'li',
        null,
        `${text(take.text)}${take.line ? `, lines ${take.line}–${take.returned_line}` : ''}: ` +
          `rank error ${count(take.rank_error)}, delay ${count(take.delay)}`,
      ),
    );
  return [
    fact('order', ORDERS[errors.order] ?? text(errors.order)),
    fact('rank errors', figures(rank)),
    fact('', histogram_view(list(rank.histogram), 'rank errors')),
    errors.order === 'best'
      ? fact('no order has a maximum below', count(errors.least_maximum))
      : [],
    fact('delays', figures(delay)),
    fact('', histogram_view(list(delay.histogram), 'delays')),
    worst.length ? fact('the worst', el('ol', null, worst)) : [],
  ];
}

function section(title, facts) {
  const filled = facts.flat(Infinity);
  return filled.length
    ? el(
        'section',
        null,
        el('h2', null, title),
        el('dl', { class: 'facts' }, filled),
      )
    : null;
}

const program_lines = (value) =>
  list(value).length ? el('pre', null, list(value).map(String).join('\n')) : '';

export function details_view(run, result, route, place) {
  const { evidence } = result;
  const { samples, ...stats } = result.stats;
  const curve = sparkline(result.samples, work_of(result).name, [320, 64]);
  const replay = text(evidence.replay);
  place.append(
    ...[
      section('The question', [
        fact('condition', result.condition),
        fact('specification', result.specification),
        fact('bounds', result.bounds),
        fact('bounds met', result.bounds_met.join(', ')),
        fact('expected', result.expect),
        fact('file', result.file, result.line ? `:${result.line}` : ''),
        fact('program', program_lines(evidence.program)),
      ]),
      section('The answer', [
        fact('verdict', result.verdict),
        fact('reason', arrows(result.reason)),
        fact('machines', text(evidence.machines)),
        fact(
          'holds with stronger orders',
          stronger_orders(result).map((orders) => el('p', null, arrows(orders))),
        ),
        fact('hint', result.hint),
        fact(
          'details',
          result.details.map((d) => el('p', null, d)),
        ),
        points(result),
        sequence(evidence),
        fact('a smaller program', program_lines(evidence.smaller_program)),
        fact('holds with', text(object(evidence.excess).holds_with)),
        fact('never holds', text(object(evidence.excess).never)),
        fact('schedule', text(evidence.schedule)),
        fact('to see it again', replay && command_line(replay)),
      ]),
      section('Rank errors', rank_errors(result.rank_errors)),
      section('The cost', [
        curve ? fact(`${work_of(result).name} over time`, curve) : [],
        Object.entries(stats).map(([name, value]) => statistic(name, value)),
        fact(
          'state graph',
          result.graph_left_out && `left out: ${result.graph_left_out}`,
        ),
      ]),
    ].filter(Boolean),
  );
  return {};
}
