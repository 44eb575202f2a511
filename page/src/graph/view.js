// SPDX-License-Identifier: Apache-2.0
// The state graph of a small model, with the counterexample's path.
import { button, el, replace, svg } from '../dom.js';
import { gestures } from '../gestures.js';
import { number } from '../result.js';
import { brief, clipped, count, counted } from '../text.js';
import { layered } from './layout.js';
import { FEW, draw, read, tip } from './picture.js';

export { has_graph } from './picture.js';

const TALLEST = 620;

class GraphView {
  constructor(graph, place) {
    this.graph = graph;
    this.chosen = null;
    this.size = layered(
      graph.states.length,
      graph.edges,
      graph.initial,
      graph.path,
    );
    this.drawn = draw(graph, this.size.position, {
      look: (s) => this.chosen === null && this.show(s),
      choose: (s) => {
        this.chosen = this.chosen === s ? null : s;
        this.show(s);
      },
    });
    this.build(place);
    this.close = gestures(this.holder, {
      move: (dx, dy) => this.move(dx, dy),
      zoom: (factor, x, y) => this.zoom(factor, x, y),
    });
    this.begin();
    this.show(graph.path[graph.path.length - 1] ?? graph.initial);
  }

  build(place) {
    const { graph } = this;
    const { edge_nodes, nodes } = this.drawn;
    const states = counted(graph.states.length, 'state');
    const steps = counted(graph.edges.length, 'step');
    this.content = svg('g', null, edge_nodes, nodes);
    this.holder = el(
      'div',
      {
        class: 'graph-box',
        tabindex: '0',
        role: 'application',
        'aria-roledescription': 'state graph',
        'aria-label':
          'State graph. Plus and minus zoom, arrow keys go along the path, 0 shows all.',
      },
      svg(
        'svg',
        {
          class:
            edge_nodes.length <= FEW ? 'graph-picture few' : 'graph-picture',
          role: 'img',
          'aria-label': `State graph with ${states} and ${steps}; the table below lists the states of the path.`,
        },
        svg('defs', null, tip('plain'), tip('path')),
        this.content,
      ),
    );
    this.panel = el('aside', {
      class: 'panel',
      'aria-label': 'The chosen state',
    });
    place.append(
      el(
        'div',
        { class: 'tools', role: 'toolbar', 'aria-label': 'Zoom' },
        button('−', () => this.zoom(1.4), { 'aria-label': 'Zoom out' }),
        button('+', () => this.zoom(1 / 1.4), { 'aria-label': 'Zoom in' }),
        button('All', () => this.fit()),
      ),
      el('div', { class: 'chart-row' }, this.holder, this.panel),
      this.legend(states, steps),
      path_table(graph),
    );
    const height = Math.min(TALLEST, Math.max(260, this.size.height + 20));
    this.holder.style.height = `${Math.round(height)}px`;
  }

  legend(states, steps) {
    const { graph } = this;
    const lines = [
      `${states}, ${steps}${graph.reduced ? ', after reductions: what they leave out is not drawn' : ''}.`,
      graph.path.length > 1 &&
        'The thick line is the counterexample; numbers are its steps.',
      'Rings: the initial state. Labels begin with the number of the process.',
    ];
    return el(
      'ul',
      { class: 'legend' },
      lines.filter(Boolean).map((l) => el('li', null, l)),
    );
  }

  /** Tells the variables of a state, and what can happen there. */
  show(s) {
    const { graph } = this;
    const { edge_nodes, nodes } = this.drawn;
    for (const node of nodes)
      node.classList.toggle('chosen', Number(node.dataset.state) === s);
    for (const edge of edge_nodes)
      edge.classList.toggle('near', Number(edge.dataset.from) === s);
    const out = graph.edges.filter((e) => e[0] === s);
    replace(
      this.panel,
      el(
        'h3',
        null,
        `State ${count(s)}${s === graph.initial ? ', the initial one' : ''}`,
      ),
      el(
        'table',
        { class: 'variables' },
        el('tbody', null, graph.states[s].slice(0, 60).map(variable)),
      ),
      el('h4', null, out.length ? 'Steps from here' : 'No step from here'),
      el(
        'ul',
        { class: 'next' },
        out.slice(0, 40).map(([, to, label, process]) =>
          el(
            'li',
            null,
            `${who(process)}${brief(graph.labels[label] ?? '', 60)} → `,
            button(
              `state ${to}`,
              () => {
                this.chosen = to;
                this.show(to);
              },
              { class: 'link' },
            ),
          ),
        ),
      ),
    );
  }

  apply() {
    const { x, y, scale } = this.view;
    this.content.setAttribute(
      'transform',
      `translate(${x},${y}) scale(${scale})`,
    );
  }

  fit() {
    const { clientWidth, clientHeight } = this.holder;
    const { width, height } = this.size;
    const scale = Math.min(1.4, clientWidth / width, clientHeight / height);
    this.view = {
      scale,
      x: (clientWidth - width * scale) / 2,
      y: (clientHeight - height * scale) / 2,
    };
    this.apply();
  }

  /** All, if it can be read then; else the beginning. */
  begin() {
    this.fit();
    if (this.view.scale >= 0.7) return;
    const first = this.size.position[this.graph.initial];
    const scale = 0.9;
    this.view = {
      scale,
      x: 44 - first.x * scale,
      y: this.holder.clientHeight / 2 - first.y * scale,
    };
    this.apply();
  }

  zoom(
    factor,
    x = this.holder.clientWidth / 2,
    y = this.holder.clientHeight / 2,
  ) {
    const { view } = this;
    const scale = Math.min(4, Math.max(0.05, view.scale / factor));
    const changed = scale !== view.scale;
    this.view = {
      scale,
      x: x - ((x - view.x) * scale) / view.scale,
      y: y - ((y - view.y) * scale) / view.scale,
    };
    this.apply();
    return changed;
  }

  move(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.apply();
  }

  /** Goes along the counterexample. */
  along(by) {
    const { path } = this.graph;
    if (!path.length) return false;
    const at = path.indexOf(this.chosen);
    const next = at < 0 ? 0 : at + by;
    this.chosen = path[Math.max(0, Math.min(path.length - 1, next))];
    this.show(this.chosen);
    return true;
  }

  key(event) {
    if (!this.holder.contains(document.activeElement)) return false;
    switch (event.key) {
      case '+':
      case '=':
        return this.zoom(1 / 1.3) || true;
      case '-':
        return this.zoom(1.3) || true;
      case '0':
        this.fit();
        return true;
      case 'ArrowRight':
      case 'ArrowDown':
        return this.along(1);
      case 'ArrowLeft':
      case 'ArrowUp':
        return this.along(-1);
      default:
        return false;
    }
  }
}

const who = (process) => (number(process, -1) >= 0 ? `${process}: ` : '');

function variable(line) {
  const [, name, value] = /^([^`]*?) = (.*)$/s.exec(line) ??
    /^(process \d+): (.*)$/s.exec(line) ?? [null, line, ''];
  return el(
    'tr',
    null,
    el('th', { scope: 'row' }, brief(name, 60)),
    el('td', null, clipped(value, 300)),
  );
}

export function graph_view(run, result, route, place) {
  return new GraphView(read(result.graph), place);
}

/** The path in words, for those who do not see the drawing. */
function path_table(graph) {
  if (graph.path.length < 2) return el('span');
  const label = (from, to) => {
    const edge = graph.edges.find((e) => e[0] === from && e[1] === to);
    return edge ? `${who(edge[3])}${graph.labels[edge[2]] ?? ''}` : '';
  };
  const row = (s, i) =>
    el(
      'tr',
      null,
      el('td', null, i),
      el('td', null, i ? brief(label(graph.path[i - 1], s), 80) : 'start'),
      el('td', null, s),
      el('td', null, clipped(graph.states[s].join('; '), 400)),
    );
  const heads = ['#', 'Step', 'State', 'Variables'].map((h) =>
    el('th', { scope: 'col' }, h),
  );
  return el(
    'details',
    { class: 'rows' },
    el('summary', null, 'The path, as a table'),
    el(
      'div',
      {
        class: 'table-box',
        tabindex: '0',
        role: 'region',
        'aria-label': 'The path',
      },
      el(
        'table',
        { class: 'data' },
        el('thead', null, el('tr', null, heads)),
        el('tbody', null, graph.path.map(row)),
      ),
    ),
  );
}
