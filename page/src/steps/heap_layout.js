// SPDX-License-Identifier: Apache-2.0
// Where the blocks of a heap stand: a list from left to right, in one row.

export const pointer = (value) => /^#\d+/.exec(value)?.[0] ?? null;
const pointers_in = (value) => value.match(/#\d+/g) ?? [];

const LINE = 18;
const HEAD = 22;
const GAP_X = 46;
const GAP_Y = 26;
const PILL = 20;

const is_back = (name) => /^(left|prev|previous|back)(_|\W|$)/.test(name);

/** Which blocks each block leads to, by fields whose name `follows`. */
function successors(blocks, follows) {
  const known = new Set(blocks.map((b) => b.id));
  const leads_to = (b) =>
    b.fields
      .filter(([name]) => follows(name))
      .flatMap(([, value]) => pointers_in(value))
      .filter((id) => known.has(id) && id !== b.id);
  return new Map(blocks.map((b) => [b.id, [...new Set(leads_to(b))]]));
}

/**
 * A list that is linked both ways is a list in one of them: forwards, or else
 * back, whichever makes fewer rows.
 */
function rows_of(blocks, roots) {
  const forwards = follow(blocks, roots, (name) => !is_back(name));
  if (!blocks.some((b) => b.fields.some(([name]) => is_back(name)))) {
    return forwards;
  }
  const back = follow(blocks, roots, is_back);
  return back.length < forwards.length ? back : forwards;
}

/** Where rows begin.  A root in the middle of a list must not cut it. */
function beginnings(blocks, roots, next) {
  const pointed = new Set([...next.values()].flat());
  const heads = blocks.map((b) => b.id).filter((id) => !pointed.has(id));
  const shared = roots.filter((r) => r.shared).map((r) => r.target);
  return [
    ...shared.filter((id) => heads.includes(id)),
    ...heads,
    ...shared,
    ...roots.map((r) => r.target),
    ...blocks.map((b) => b.id),
  ];
}

/**
 * Rows of columns of blocks.  A row follows pointers until it meets a block that
 * has its place.  Blocks that lead nowhere stand below the one that points at
 * them, or in one column where nothing else follows.
 */
function follow(blocks, roots, follows) {
  const next = successors(blocks, follows);
  const placed = new Set();
  const open = (id) => next.get(id).filter((n) => !placed.has(n));
  const take = (ids) => {
    for (const id of ids) placed.add(id);
    return ids;
  };
  const rows = [];
  for (const start of beginnings(blocks, roots, next)) {
    const row = [];
    for (let id = start; id !== undefined && !placed.has(id); ) {
      take([id]);
      const leaves = open(id).filter((n) => next.get(n).length === 0);
      const on = open(id).find((n) => next.get(n).length > 0);
      if (on !== undefined) row.push([id, ...take(leaves)]);
      else row.push([id], ...(leaves.length ? [take(leaves)] : []));
      id = on;
    }
    if (row.length) rows.push(row);
  }
  return rows;
}

function size_of(block, measure) {
  const title = measure(
    `${block.id} ${block.type}${block.freed ? ' (freed)' : ''}`,
  );
  const lines = block.fields.map(
    ([name, value]) => measure(`${name} ${value}`) * 1.08 + 26,
  );
  return {
    width: Math.min(260, Math.max(74, title + 20, ...lines)),
    height: HEAD + Math.max(1, block.fields.length) * LINE + 6,
  };
}

/** Puts a column of blocks at `x`, below `top`; returns its size. */
function put_column(boxes, column, x, top) {
  let y = top;
  let width = 0;
  column.forEach(({ block, size, roots, measure }, i) => {
    if (i) y += GAP_Y / 2 + above(roots);
    boxes.set(block.id, { block, x, y, ...size, roots });
    const pills = roots.map((r) => measure(r.label) * 1.1 + 20);
    width = Math.max(width, size.width, ...pills);
    y += size.height;
  });
  return { width, height: y - top };
}

/** The room that the names of variables need above a block. */
const above = (roots) => (roots.length ? roots.length * PILL + 8 : 0);

/**
 * blocks: see states.js; roots: [{label, target, shared}]; measure(text): its
 * width.  Returns boxes {block, x, y, width, height, roots}, width and height.
 */
export function layout(blocks, roots, measure) {
  const by_id = new Map(blocks.map((b) => [b.id, b]));
  const known = roots.filter((r) => by_id.has(r.target));
  const entry = (id) => ({
    block: by_id.get(id),
    size: size_of(by_id.get(id), measure),
    roots: known.filter((r) => r.target === id),
    measure,
  });
  const boxes = new Map();
  let y = 4;
  let width = 0;
  for (const row of rows_of(blocks, known)) {
    const columns = row.map((ids) => ids.map(entry));
    const top = y + Math.max(...columns.map(([first]) => above(first.roots)));
    let x = 4;
    let tallest = 0;
    for (const column of columns) {
      const size = put_column(boxes, column, x, top);
      x += size.width + GAP_X;
      tallest = Math.max(tallest, size.height);
    }
    width = Math.max(width, x - GAP_X + 6);
    y = top + tallest + GAP_Y;
  }
  return { boxes, width, height: Math.max(y - GAP_Y + 8, 20) };
}

/** Where a field's pointer starts, at the right end of its line. */
export function field_anchor(box, index) {
  return {
    x: box.x + box.width - 8,
    y: box.y + HEAD + index * LINE + LINE / 2 + 1,
  };
}

export { HEAD, LINE, PILL };
