// SPDX-License-Identifier: Apache-2.0
// The heap as a picture: blocks with their fields, arrows for pointers, and
// above each block the names of the variables that point at it.
import { svg } from '../dom.js';
import { brief } from '../text.js';
import {
  HEAD,
  LINE,
  PILL,
  field_anchor,
  layout,
  pointer,
} from './heap_layout.js';

let context = null;
function measure(words) {
  if (!context) {
    context = document.createElement('canvas').getContext('2d');
    context.font = `12.5px ${getComputedStyle(document.body).fontFamily}`;
  }
  return context.measureText(brief(words, 34)).width;
}

/** Variables that point into the heap. */
export function roots_of(parts, changed) {
  const roots = [];
  const add = (label, value, name, shared) => {
    const target = pointer(value);
    if (target)
      roots.push({
        label: brief(label, 30),
        target,
        shared,
        changed: changed.has(name),
      });
  };
  for (const [label, value, name] of parts.shared) {
    const items = /^\[(.*)\]$/s.exec(value)?.[1].split(',');
    if (items)
      items.forEach((item, i) =>
        add(`${label}[${i}]`, item.trim(), name, true),
      );
    else add(label, value, name, true);
  }
  for (const [thread, locals] of parts.locals) {
    for (const [label, value, name] of locals) {
      add(`${thread.replace(/^process /, 'P')}: ${label}`, value, name, false);
    }
  }
  return roots;
}

function pill(root, box, at) {
  const width = measure(root.label) * (root.shared ? 1.08 : 0.95) + 14;
  const y = box.y - 8 - (at + 1) * PILL + 2;
  return svg(
    'g',
    {
      class: `root${root.shared ? ' shared' : ''}${root.changed ? ' changed' : ''}`,
    },
    svg('rect', { x: box.x, y, width, height: PILL - 4, rx: 8 }),
    svg('text', { x: box.x + 7, y: y + 12 }, root.label),
  );
}

function stem(box) {
  const x = box.x + 14;
  return svg('path', {
    class: 'stem',
    d: `M${x},${box.y - 10}V${box.y - 2}`,
    'marker-end': 'url(#heap-tip)',
  });
}

function field_line([name, value, key], index, box, fields) {
  const y = box.y + HEAD + index * LINE;
  const changed = fields.has(key);
  const shown =
    pointer(value) && value === pointer(value) ? '' : brief(value, 26);
  return svg(
    'g',
    { class: changed ? 'field changed' : 'field' },
    changed
      ? svg('rect', {
          x: box.x + 1.5,
          y: y + 1,
          width: box.width - 3,
          height: LINE - 1,
        })
      : null,
    svg('text', { class: 'name', x: box.x + 8, y: y + 13.5 }, brief(name, 20)),
    pointer(value) && !shown
      ? svg('circle', {
          class: 'dot',
          cx: box.x + box.width - 10,
          cy: y + LINE / 2 + 1,
          r: 3,
        })
      : svg(
          'text',
          {
            class: value === 'null' ? 'value null' : 'value',
            x: box.x + box.width - 8,
            y: y + 13.5,
            'text-anchor': 'end',
          },
          value === 'null' ? '∅' : shown,
        ),
    changed ? svg('title', null, `was ${fields.get(key) ?? 'nothing'}`) : null,
  );
}

function box_node(box, { fields, blocks }) {
  const { block } = box;
  const kind = `cell${block.freed ? ' freed' : ''}${blocks.has(block.id) ? ' changed' : ''}`;
  return svg(
    'g',
    { class: kind },
    svg('rect', {
      class: 'body',
      x: box.x,
      y: box.y,
      width: box.width,
      height: box.height,
      rx: 5,
    }),
    svg(
      'text',
      { class: 'title', x: box.x + 8, y: box.y + 15 },
      `${block.id} ${brief(block.type, 20)}${block.freed ? ' (freed)' : ''}`,
    ),
    svg('path', {
      class: 'rule',
      d: `M${box.x},${box.y + HEAD - 1}h${box.width}`,
    }),
    block.fields.map((field, i) => field_line(field, i, box, fields)),
  );
}

const NEAR = 110; // between neighbours

function pointer_path(from, to, start) {
  const y = to.y + Math.min(HEAD / 2, to.height / 2);
  const x0 = start.x - 2;
  const forward = to.x > from.x;
  if (forward && Math.abs(to.y - from.y) < 4) {
    const middle = (from.x + from.width + to.x) / 2;
    return `M${x0},${start.y}C${middle},${start.y} ${middle},${y} ${to.x - 4},${y}`;
  }
  if (forward) {
    return `M${x0},${start.y}C${x0 + 60},${start.y} ${to.x - 50},${y} ${to.x - 4},${y}`;
  }
  const beyond = from.x - (to.x + to.width);
  if (Math.abs(to.y - from.y) < 4 && beyond > 0 && beyond < NEAR) {
    // Back to the neighbour, as in a list that is linked both ways.
    return `M${from.x},${start.y}L${to.x + to.width + 4},${start.y}`;
  }
  if (Math.abs(to.x - from.x) < 4 && to.y > from.y) {
    const right = to.x + to.width;
    return `M${x0},${start.y}C${right + 34},${start.y} ${right + 34},${y} ${right + 4},${y}`;
  }
  // Back, or up: around below.
  const low = Math.max(from.y + from.height, to.y + to.height) + 14;
  const end = to.x + to.width / 2;
  return (
    `M${x0},${start.y}C${x0 + 34},${start.y} ${x0 + 30},${low} ${x0 - 4},${low}` +
    `L${end + 8},${low}Q${end},${low} ${end},${to.y + to.height + 3}`
  );
}

function pointers(boxes, { fields }) {
  const paths = [];
  for (const box of boxes.values()) {
    box.block.fields.forEach(([, value, key], i) => {
      for (const id of value.match(/#\d+/g) ?? []) {
        const target = boxes.get(id);
        if (!target) continue;
        const changed = fields.has(key);
        paths.push(
          svg('path', {
            class: changed ? 'pointer changed' : 'pointer',
            d: pointer_path(box, target, field_anchor(box, i)),
            'marker-end': `url(#heap-tip${changed ? '-changed' : ''})`,
          }),
        );
      }
    });
  }
  return paths;
}

const tip = (id, kind) =>
  svg(
    'marker',
    {
      id,
      viewBox: '0 0 8 8',
      refX: 6.5,
      refY: 4,
      markerWidth: 10,
      markerHeight: 10,
      markerUnits: 'userSpaceOnUse',
      orient: 'auto',
    },
    svg('path', { class: kind, d: 'M0,0L8,4L0,8Z' }),
  );

const sentence = (blocks, roots) =>
  blocks
    .map(
      (b) =>
        `${b.id} ${b.type}${b.freed ? ', freed' : ''}: ${b.fields.map((f) => `${f[0]} ${f[1]}`).join(', ')}` +
        `${roots
          .filter((r) => r.target === b.id)
          .map((r) => `; ${r.label} points at it`)
          .join('')}`,
    )
    .join('. ');

export function heap_picture(parts, changed, heap_changed, most_width) {
  const roots = roots_of(parts, changed);
  const { boxes, ...size } = layout(parts.heap, roots, measure);
  const { height } = size;
  // Arrows that go back pass below.
  const extra = [...boxes.values()].some((box) =>
    box.block.fields.some(([, value]) =>
      (value.match(/#\d+/g) ?? []).some(
        (id) => boxes.has(id) && boxes.get(id).x <= box.x,
      ),
    ),
  )
    ? 20
    : 0;
  const width = size.width + (extra ? 24 : 0);
  // A list that is a little too long is drawn a little smaller.
  const scale = Math.max(0.75, Math.min(1, most_width / width));
  return svg(
    'svg',
    {
      class: 'heap',
      width: width * scale,
      height: (height + extra) * scale,
      viewBox: `0 0 ${width} ${height + extra}`,
      role: 'img',
      'aria-label': brief(`Heap. ${sentence(parts.heap, roots)}`, 1500),
    },
    svg(
      'defs',
      null,
      tip('heap-tip', 'tip'),
      tip('heap-tip-changed', 'tip changed'),
    ),
    [...boxes.values()].map((box) => box_node(box, heap_changed)),
    pointers(boxes, heap_changed),
    [...boxes.values()].flatMap((box) => [
      box.roots.length ? stem(box) : null,
      box.roots.map((root, i) => pill(root, box, i)),
    ]),
  );
}
