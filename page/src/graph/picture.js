// SPDX-License-Identifier: Apache-2.0
// The drawing of a state graph: circles, arrows, labels.
import { svg } from '../dom.js';
import { list } from '../result.js';
import { arrows, brief } from '../text.js';

export const has_graph = (result) => list(result.graph.states).length > 0;

export function read(graph) {
  const states = list(graph.states).map((s) => list(s).map((v) => String(v)));
  const known = (s) => Number.isInteger(s) && s >= 0 && s < states.length;
  const edges = list(graph.edges).filter(
    (e) => Array.isArray(e) && known(e[0]) && known(e[1]),
  );
  const path = list(graph.path).filter(known);
  return {
    states,
    edges,
    path,
    labels: list(graph.labels).map((l) => arrows(String(l))),
    initial: known(graph.initial) ? graph.initial : 0,
    reduced: graph.reduced === true,
  };
}

export const FEW = 40; // edges that can all have their labels

const edge_key = (from, to) => `${from} ${to}`;

/** Edges between the same two states are one line with several labels. */
function bundles({ edges, labels }) {
  const found = new Map();
  for (const [from, to, label, process] of edges) {
    const key = edge_key(from, to);
    if (!found.has(key)) found.set(key, { from, to, words: [] });
    const who = Number.isInteger(process) && process >= 0 ? `${process}: ` : '';
    found.get(key).words.push(`${who}${labels[label] ?? ''}`);
  }
  return [...found.values()];
}

function edge_path(a, b) {
  const r = 11;
  if (a === b)
    return `M${a.x - 6},${a.y - 9}C${a.x - 26},${a.y - 40} ${a.x + 26},${a.y - 40} ${a.x + 7},${a.y - 12}`;
  if (b.x > a.x) {
    const middle = (a.x + b.x) / 2;
    return `M${a.x + r},${a.y}C${middle},${a.y} ${middle},${b.y} ${b.x - r - 4},${b.y}`;
  }
  const lift = 26 + Math.abs(a.x - b.x) * 0.12 + Math.abs(a.y - b.y) * 0.1;
  const top = Math.min(a.y, b.y) - lift;
  if (a.x === b.x) {
    const side = Math.min(60, 24 + Math.abs(a.y - b.y) * 0.15);
    return `M${a.x + r},${a.y}C${a.x + side},${a.y} ${b.x + side},${b.y} ${b.x + r + 4},${b.y}`;
  }
  return `M${a.x - 4},${a.y - r}C${a.x - 20},${top} ${b.x + 20},${top} ${b.x + 4},${b.y - r - 4}`;
}

function label_place(a, b) {
  const back = b.x <= a.x;
  return {
    x: (a.x + b.x) / 2,
    y: (a.y + b.y) / 2 - (back ? 24 + Math.abs(a.x - b.x) * 0.09 : 8),
  };
}

export const tip = (kind) =>
  svg(
    'marker',
    {
      id: `graph-${kind}`,
      viewBox: '0 0 8 8',
      refX: 5,
      refY: 4,
      orient: 'auto',
      markerWidth: 8,
      markerHeight: 8,
      markerUnits: 'userSpaceOnUse',
    },
    svg('path', { class: `tip ${kind}`, d: 'M0,0L8,4L0,8Z' }),
  );

export function draw(graph, position, events) {
  const on_path = new Set();
  for (let i = 1; i < graph.path.length; ++i)
    on_path.add(edge_key(graph.path[i - 1], graph.path[i]));
  const step_of = new Map();
  graph.path.forEach((s, i) => {
    if (!step_of.has(s)) step_of.set(s, i);
  });
  const edge_nodes = bundles(graph).map(({ from, to, words }) => {
    const marked = on_path.has(edge_key(from, to));
    const kind = marked ? 'path' : 'plain';
    const [a, b] = [position[from], position[to]];
    const at = label_place(a, b);
    const back = b.x <= a.x ? ' back' : '';
    return svg(
      'g',
      { class: `edge ${kind}${back}`, 'data-from': from, 'data-to': to },
      svg('path', { d: edge_path(a, b), 'marker-end': `url(#graph-${kind})` }),
      svg(
        'text',
        { x: at.x, y: at.y, 'text-anchor': 'middle' },
        brief(words.join(', '), 20),
      ),
      svg('title', null, brief(words.join('\n'), 400)),
    );
  });
  edge_nodes.sort(
    (a, b) => a.classList.contains('path') - b.classList.contains('path'),
  );
  const last = graph.path[graph.path.length - 1];
  const nodes = graph.states.map((state, s) => {
    const kinds = [
      'state',
      step_of.has(s) && 'path',
      s === graph.initial && 'initial',
      s === last && graph.path.length > 1 && 'last',
    ];
    return svg(
      'g',
      {
        class: kinds.filter(Boolean).join(' '),
        transform: `translate(${position[s].x},${position[s].y})`,
        'data-state': s,
        onmouseenter: () => events.look(s),
        onclick: () => events.choose(s),
      },
      svg('circle', { r: 11 }),
      s === graph.initial ? svg('circle', { class: 'ring', r: 14.5 }) : null,
      svg(
        'text',
        { y: 4, 'text-anchor': 'middle' },
        step_of.has(s) ? step_of.get(s) : '',
      ),
      svg('title', null, brief(`state ${s}: ${state.join('; ')}`, 400)),
    );
  });
  return { edge_nodes, nodes };
}
