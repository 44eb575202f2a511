// SPDX-License-Identifier: Apache-2.0
// Quasi conditions: pi keeps the history's order, pi' is the nearest order that
// the object accepts; an arrow shows how far each operation moved between them.
import { el, svg } from '../dom.js';
import { list, number, object, text } from '../result.js';
import { arrows, brief, counted, literal } from '../text.js';

const MOST = 400; // operations in a row
const ROW = 30;
const GAP = 96;

const key_of = (op) =>
  JSON.stringify([op.text, op.process, op.line, !!op.further]);

/** From the evidence: {text, further, too_far} in both orders. */
function from_excess(excess) {
  const read = (entries) =>
    list(entries)
      .map(object)
      .map((op) => ({
        key: key_of(op),
        text: arrows(text(op.text)),
        further: op.further === true,
        too_far: op.too_far === true,
      }));
  const [pi, accepted] = [read(excess.pi), read(excess.legal_pi)];
  return pi.length && accepted.length ? { pi, accepted } : null;
}

/** From the columns of a history that holds. */
function from_columns(history) {
  const { columns } = history;
  const read = (entries) =>
    list(entries)
      .filter((op) => Number.isInteger(op) && op >= 0 && op < history.size)
      .map((op) => ({ key: op, op, text: history.text(op) }));
  const [pi, accepted] = [read(columns.pi), read(columns.pi_prime)];
  return pi.length && accepted.length ? { pi, accepted } : null;
}

function factors_of(history, excess) {
  const found = new Map();
  for (const entry of list(history.columns.factors)) {
    if (Array.isArray(entry)) found.set(literal(entry[0]), number(entry[1], 0));
  }
  for (const far of list(excess.too_far).map(object)) {
    if (!found.has(far.class))
      found.set(text(far.class), number(far.factor, 0));
  }
  const inside =
    /quasi\((.*?)\)/.exec(history.result_of_check.condition)?.[1] ?? '';
  for (const [, name, value] of inside.matchAll(/(\w+)\s*=\s*(\d+)/g)) {
    if (!found.has(name)) found.set(name, Number(value));
  }
  return found;
}

const class_of = (op) => /^[^(]*/.exec(op.text)[0];

/**
 * Where each stands in both orders, and by how many places it moved: among the
 * operations of its class, as that is what a factor limits.
 */
function distances(orders, factors) {
  const place = new Map(orders.accepted.map((op, i) => [op.key, i]));
  const in_class = (operations) => {
    const seen = new Map();
    return new Map(
      operations.map((op) => {
        const name = class_of(op);
        seen.set(name, (seen.get(name) ?? 0) + 1);
        return [op.key, seen.get(name)];
      }),
    );
  };
  const [before, after] = [in_class(orders.pi), in_class(orders.accepted)];
  return orders.pi
    .map((op, from) => ({
      op,
      from,
      to: place.get(op.key),
      limit: factors.get(class_of(op)),
      by: after.get(op.key) - before.get(op.key),
    }))
    .filter((move) => move.to !== undefined);
}

function widths(operations, context) {
  return operations.map((op) =>
    Math.min(
      180,
      Math.max(34, context.measureText(brief(op.text, 28)).width + 18),
    ),
  );
}

function row(operations, size, y) {
  let x = 40;
  return operations.map((op, i) => {
    const box = { op, x, y, width: size[i] };
    x += size[i] + 10;
    return box;
  });
}

function box_node({ op, x, y, width }) {
  const kind = `op${op.too_far ? ' far' : ''}${op.further ? ' further' : ''}`;
  const label = brief(op.text, 28);
  return svg(
    'g',
    { class: kind, transform: `translate(${x},${y})` },
    svg('rect', { width, height: ROW, rx: 5 }),
    svg(
      'text',
      { x: width / 2, y: ROW / 2 + 4.5, 'text-anchor': 'middle' },
      op.further ? `[${label}]` : label,
    ),
  );
}

function arrow({ op, from, to, by, limit }, top, bottom) {
  const [a, b] = [top[from], bottom[to]];
  const x0 = a.x + a.width / 2;
  const x1 = b.x + b.width / 2;
  const y0 = a.y + ROW;
  const y1 = b.y - 5;
  const middle = (y0 + y1) / 2;
  const kind = op.too_far ? 'far' : by ? 'moved' : 'still';
  const parts = [
    svg('path', {
      class: kind,
      d: `M${x0},${y0}C${x0},${middle} ${x1},${middle} ${x1},${y1}`,
      'marker-end': `url(#tip-${kind})`,
    }),
  ];
  if (by) {
    const far = Math.abs(by);
    const against =
      limit === undefined ? '' : far > limit ? ` > ${limit}` : ` ≤ ${limit}`;
    // Beside the beginning, where curves have not met yet.
    parts.push(
      svg(
        'text',
        {
          class: `by ${kind}`,
          x: x0 + (x1 > x0 ? -6 : 6),
          y: y0 + 19,
          'text-anchor': x1 > x0 ? 'end' : 'start',
        },
        `${by > 0 ? '+' : '−'}${far}${against}`,
      ),
    );
  }
  return parts;
}

const tip = (kind) =>
  svg(
    'marker',
    {
      id: `tip-${kind}`,
      viewBox: '0 0 8 8',
      refX: 6,
      refY: 4,
      markerWidth: 11,
      markerHeight: 11,
      orient: 'auto',
      markerUnits: 'userSpaceOnUse',
    },
    svg('path', { class: `tip ${kind}`, d: 'M0,0L8,4L0,8Z' }),
  );

function picture(orders, moves) {
  const context = document.createElement('canvas').getContext('2d');
  context.font = `13px ${getComputedStyle(document.body).fontFamily}`;
  const top = row(orders.pi, widths(orders.pi, context), 8);
  const bottom = row(
    orders.accepted,
    widths(orders.accepted, context),
    8 + ROW + GAP,
  );
  const last = [top, bottom].map((r) => r[r.length - 1]);
  const width = Math.max(...last.map((b) => b.x + b.width)) + 10;
  const height = 2 * ROW + GAP + 18;
  const label = (name, y) =>
    svg('text', { class: 'name', x: 4, y: y + ROW / 2 + 5 }, name);
  return svg(
    'svg',
    {
      class: 'moves-picture',
      width,
      height,
      viewBox: `0 0 ${width} ${height}`,
      role: 'img',
      'aria-label': `Two orders; ${
        moves
          .filter((m) => m.by)
          .map((m) => `${m.op.text} moves by ${m.by}`)
          .join('; ') || 'nothing moves'
      }`,
    },
    svg('defs', null, ['far', 'moved', 'still'].map(tip)),
    label('π', 8),
    label('π′', 8 + ROW + GAP),
    moves.map((move) => arrow(move, top, bottom)),
    top.map(box_node),
    bottom.map(box_node),
  );
}

function sentence(excess, factors) {
  const far = list(excess.too_far).map(object);
  const limits = [...factors].map(
    ([name, value]) => `${name} at most ${counted(value, 'place')}`,
  );
  const words = [];
  if (limits.length)
    words.push(`The limit: ${limits.join(', ')} from its turn.`);
  for (const op of far) {
    const by = number(op.places, 0);
    words.push(
      `${arrows(brief(text(op.text), 80))} stands ${counted(by, 'place')} ` +
        `${text(op.direction) || 'from'} its turn, ${counted(by - number(op.factor, 0), 'place')} too far.`,
    );
  }
  if (text(excess.holds_with))
    words.push(`This history would hold with ${excess.holds_with}.`);
  if (text(excess.never))
    words.push(`No factor helps: ${arrows(excess.never)}.`);
  return words;
}

/** The section of a quasi condition, or null where there is nothing to show. */
export function moves_section(history) {
  const excess = object(history.result_of_check.evidence.excess);
  const orders = from_excess(excess) ?? from_columns(history);
  const factors = factors_of(history, excess);
  const words = sentence(excess, factors);
  if (!orders) {
    return Object.keys(excess).length && words.length
      ? el(
          'section',
          { class: 'moves' },
          el('h2', null, 'How far the operations moved'),
          words.map((w) => el('p', null, w)),
        )
      : null;
  }
  const cut = orders.pi.length > MOST;
  if (cut) {
    orders.pi = orders.pi.slice(0, MOST);
    orders.accepted = orders.accepted.slice(0, MOST);
  }
  const moves = distances(orders, factors);
  return el(
    'section',
    { class: 'moves' },
    el('h2', null, 'How far the operations moved'),
    el('p', null, words.join(' ')),
    el(
      'div',
      {
        class: 'scroller',
        tabindex: '0',
        role: 'region',
        'aria-label': 'From pi to pi prime',
      },
      picture(orders, moves),
    ),
    el(
      'p',
      { class: 'legend' },
      'π keeps the history’s order; π′ is the nearest order that the object accepts. ',
      orders.pi.some((o) => o.further)
        ? 'Operations in [brackets] would have to follow. '
        : '',
      cut ? `Only the first ${MOST} operations are drawn.` : '',
    ),
  );
}
