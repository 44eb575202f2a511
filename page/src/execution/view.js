// SPDX-License-Identifier: Apache-2.0
// An execution graph: what each thread did, which write each read reads (rf),
// the order of writes (mo), and what synchronizes (sw).
import { button, el, replace, svg } from '../dom.js';
import { list } from '../result.js';
import { format } from '../route.js';
import { steps_of } from '../steps/data.js';
import { arrows, brief, clipped, counted } from '../text.js';

const MARGIN = 70; // for edges within the first column
const WIDTH = 280; // of a thread's column
const BOX = 210;
const ROW = 54;
const HEIGHT = 34;
const TOP = 40;
const MOST = 400; // events; more cannot be followed by eye

const KINDS = {
  po: 'po: the next step of its thread',
  rf: 'rf: is read by',
  mo: 'mo: is overwritten by',
  sw: 'sw: and orders what comes before and after',
};

/** {events: [step number], edges: [{from, to, kind}], left_out}, or null. */
function graph_of(run, result) {
  const steps = steps_of(run, result);
  const raw = list(result.evidence.graph);
  if (!steps) return null;
  const known = (s) => Number.isInteger(s) && s >= 0 && s < steps.steps.length;
  const edges = raw
    .filter((e) => Array.isArray(e) && known(e[0]) && known(e[1]))
    .filter((e) => Object.hasOwn(KINDS, e[2]))
    .map(([from, to, kind]) => ({ from, to, kind }));
  if (!edges.length) return null;
  const all = [...new Set(edges.flatMap((e) => [e.from, e.to]))];
  all.sort((a, b) => a - b);
  const events = all.slice(0, MOST);
  const drawn = new Set(events);
  return {
    steps,
    events,
    edges: edges.filter((e) => drawn.has(e.from) && drawn.has(e.to)),
    left_out: all.length - events.length,
  };
}

export const has_execution = (run, result) => graph_of(run, result) !== null;

/** What a step did, in the words of the run. */
function words_of(step) {
  if (step.access) return step.access;
  return step.effects.length
    ? step.effects.map((e) => e.words).join('; ')
    : step.text;
}

const tip = (kind) =>
  svg(
    'marker',
    {
      id: `execution-${kind}`,
      viewBox: '0 0 8 8',
      refX: 7,
      refY: 4,
      orient: 'auto',
      markerWidth: 8,
      markerHeight: 8,
      markerUnits: 'userSpaceOnUse',
    },
    svg('path', { class: `tip ${kind}`, d: 'M0,0L8,4L0,8Z' }),
  );

/** From side to side, or round the left side within a column. */
function curve(a, b, kind) {
  if (kind === 'po') {
    return `M${a.x + BOX / 2},${a.y + HEIGHT}L${b.x + BOX / 2},${b.y - 1}`;
  }
  // Lines of several kinds between the same boxes lie beside each other.
  const shift = { rf: -7, mo: 0, sw: 7 }[kind];
  const from = a.y + HEIGHT / 2 + shift;
  const to = b.y + HEIGHT / 2 + shift;
  if (a.x === b.x) {
    const out = a.x - 14 - Math.min(30, Math.abs(to - from) / 8) + shift;
    return `M${a.x},${from}C${out},${from} ${out},${to} ${b.x - 1},${to}`;
  }
  const right = b.x > a.x;
  const begin = right ? a.x + BOX : a.x;
  const end = right ? b.x - 1 : b.x + BOX + 1;
  const middle = (begin + end) / 2;
  return `M${begin},${from}C${middle},${from} ${middle},${to} ${end},${to}`;
}

class ExecutionView {
  constructor(graph, result, place) {
    this.graph = graph;
    this.result = result;
    this.place_of = new Map(
      graph.events.map((at, row) => [
        at,
        {
          x: MARGIN + graph.steps.steps[at].thread * WIDTH,
          y: TOP + row * ROW,
        },
      ]),
    );
    this.draw();
    this.panel = el('aside', {
      class: 'panel',
      'aria-label': 'The chosen step',
    });
    place.append(
      this.toolbar(),
      el('div', { class: 'chart-row' }, this.holder, this.panel),
      this.legend(),
      this.table(),
    );
    // Where a thread did not see what had been written, if anywhere.
    const { events, steps } = graph;
    this.show(
      events.find((at) => steps.steps[at].newer !== null) ??
        events[events.length - 1],
    );
  }

  draw() {
    const { graph } = this;
    const { threads, steps } = graph.steps;
    this.edge_nodes = graph.edges.map(({ from, to, kind }) =>
      svg('path', {
        class: `edge ${kind}`,
        d: curve(this.place_of.get(from), this.place_of.get(to), kind),
        'marker-end': kind === 'po' ? undefined : `url(#execution-${kind})`,
      }),
    );
    this.nodes = graph.events.map((at) => {
      const { x, y } = this.place_of.get(at);
      const words = words_of(steps[at]);
      return svg(
        'g',
        {
          class: 'event',
          transform: `translate(${x},${y})`,
          onclick: () => this.show(at),
        },
        svg('rect', { width: BOX, height: HEIGHT, rx: 5 }),
        svg('text', { class: 'number', x: 7, y: 13 }, at + 1),
        svg('text', { x: 7, y: 27 }, brief(words, 32)),
        svg('title', null, brief(`step ${at + 1}: ${words}`, 400)),
      );
    });
    const heads = threads.map((name, t) =>
      svg('text', { class: 'thread', x: MARGIN + t * WIDTH, y: 22 }, brief(name, 24)),
    );
    const width = MARGIN + threads.length * WIDTH;
    const height = TOP + graph.events.length * ROW;
    this.holder = el(
      'div',
      {
        class: 'execution-box',
        tabindex: '0',
        role: 'region',
        'aria-label': 'Execution graph. Arrow keys go from step to step.',
      },
      svg(
        'svg',
        {
          class: 'execution-picture',
          width,
          height,
          viewBox: `0 0 ${width} ${height}`,
          role: 'img',
          'aria-label': `Execution graph with ${counted(graph.events.length, 'step')}; the table below lists its edges.`,
        },
        svg('defs', null, ['rf', 'mo', 'sw'].map(tip)),
        heads,
        this.edge_nodes,
        this.nodes,
      ),
    );
  }

  toolbar() {
    const hide = (kind) =>
      this.holder.classList.toggle(`without-${kind}`);
    return el(
      'div',
      { class: 'tools', role: 'toolbar', 'aria-label': 'Kinds of edges' },
      Object.keys(KINDS).map((kind) => {
        const node = button(kind, () => {
          const hidden = hide(kind);
          node.setAttribute('aria-pressed', String(!hidden));
        });
        node.setAttribute('aria-pressed', 'true');
        return node;
      }),
    );
  }

  legend() {
    const { left_out } = this.graph;
    const lines = Object.entries(KINDS).map(([kind, words]) =>
      el('li', null, el('span', { class: `swatch ${kind}` }), words),
    );
    if (left_out) {
      lines.push(el('li', null, `${counted(left_out, 'step')} more, not drawn`));
    }
    return el('ul', { class: 'legend' }, lines);
  }

  /** Marks a step and its edges, and tells about them. */
  show(at) {
    const { graph } = this;
    this.chosen = at;
    graph.events.forEach((event, i) =>
      this.nodes[i].classList.toggle('chosen', event === at),
    );
    graph.edges.forEach(({ from, to }, i) =>
      this.edge_nodes[i].classList.toggle('near', from === at || to === at),
    );
    const step = graph.steps.steps[at];
    const near = graph.edges.filter(
      (e) => e.kind !== 'po' && (e.from === at || e.to === at),
    );
    replace(
      this.panel,
      el('h3', null, `Step ${at + 1}, ${graph.steps.threads[step.thread]}`),
      el('p', null, clipped(words_of(step), 300)),
      step.newer === null
        ? null
        : el(
            'p',
            null,
            step.is_write
              ? `It goes before step ${step.newer + 1} in the order of writes.`
              : `Not the latest: step ${step.newer + 1} had been written, not yet visible here.`,
          ),
      el(
        'ul',
        { class: 'next' },
        near.map((e) => {
          const other = e.from === at ? e.to : e.from;
          return el(
            'li',
            null,
            e.from === at ? `${e.kind} → ` : `${e.kind} from `,
            button(`step ${other + 1}`, () => this.show(other), {
              class: 'link',
            }),
          );
        }),
      ),
      el(
        'a',
        {
          href: format({
            result: this.result.index + 1,
            view: 'steps',
            step: at + 1,
          }),
        },
        'In the run',
      ),
    );
  }

  /** The edges in words, for those who do not see the drawing. */
  table() {
    const { graph } = this;
    const name = (at) =>
      `${at + 1}, ${graph.steps.threads[graph.steps.steps[at].thread]}: ${brief(words_of(graph.steps.steps[at]), 120)}`;
    const heads = ['Step', 'Edge', 'Step'].map((h) =>
      el('th', { scope: 'col' }, h),
    );
    const rows = graph.edges
      .filter((e) => e.kind !== 'po')
      .map((e) =>
        el(
          'tr',
          null,
          el('td', null, arrows(name(e.from))),
          el('td', null, e.kind),
          el('td', null, arrows(name(e.to))),
        ),
      );
    return el(
      'details',
      { class: 'rows' },
      el('summary', null, 'The edges, as a table'),
      el(
        'div',
        {
          class: 'table-box',
          tabindex: '0',
          role: 'region',
          'aria-label': 'The edges',
        },
        el(
          'table',
          { class: 'data' },
          el('thead', null, el('tr', null, heads)),
          el('tbody', null, rows),
        ),
      ),
    );
  }

  key(event) {
    if (!this.holder.contains(document.activeElement)) return false;
    const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };
    if (!Object.hasOwn(by, event.key)) return false;
    const { events } = this.graph;
    const next = events.indexOf(this.chosen) + by[event.key];
    if (next < 0 || next >= events.length) return true;
    this.show(events[next]);
    this.nodes[next].scrollIntoView({ block: 'nearest', inline: 'nearest' });
    return true;
  }
}

export function execution_view(run, result, route, place) {
  return new ExecutionView(graph_of(run, result), result, place);
}
