// SPDX-License-Identifier: Apache-2.0
// The state after each step, as a map from names to texts.
import { object, text } from '../result.js';

const to_map = (raw) =>
  new Map(
    Object.entries(object(raw)).map(([name, value]) => [name, String(value)]),
  );

/** Of a model: the tool tells every state.  Step 0 is the initial one. */
export function model_states(trace, steps) {
  return (k) => to_map(k === 0 ? trace.initial : steps[k - 1]?.state);
}

/**
 * Of code: what the steps tell of the places that they touch.  A place has the
 * value of its first `before` from the start on, unless that is nothing yet.
 */
export function program_states(steps) {
  const initial = new Map();
  const names = new Map();
  for (const step of steps) {
    const place = text(step.place);
    if (!place || initial.has(place)) continue;
    initial.set(place, text(step.before));
    if (text(step.field))
      names.set(place, { field: step.field, block: text(step.block) });
  }
  return (k) => {
    const state = new Map();
    for (const [place, value] of initial) {
      if (value !== 'uninitialised') state.set(place, value);
    }
    for (const step of steps.slice(0, k)) {
      const place = text(step.place);
      if (place && (step.access !== 'read' || !state.has(place))) {
        state.set(place, text(step.after));
      }
      if (text(step.frees)) state.set(step.frees, 'freed');
    }
    state.names = names;
    return state;
  };
}

/** A state in parts: shared variables, threads with their locals, the heap. */
export function parts_of(state, threads) {
  const shared = [];
  const locals = new Map(threads.map((name) => [name, []]));
  const status = new Map();
  const cells = [];
  for (const [name, value] of state) {
    const local = /^(process \d+): (.*)$/s.exec(name);
    if (name.startsWith('#')) cells.push([name, value]);
    else if (locals.has(name)) status.set(name, value);
    else if (local && locals.has(local[1]))
      locals.get(local[1]).push([local[2], value, name]);
    else shared.push([name, value, name]);
  }
  return {
    shared,
    locals,
    status,
    heap: heap_of(cells, state.names ?? new Map()),
  };
}

/** Blocks: {id, type, fields: [[name, value, name in the state]], freed}. */
function heap_of(cells, names) {
  const blocks = new Map();
  const block = (id) => {
    if (!blocks.has(id))
      blocks.set(id, { id, type: '', fields: [], freed: false });
    return blocks.get(id);
  };
  for (const [name, value] of cells) {
    const whole = /^#\d+$/.exec(name);
    const part = /^(#\d+)([.+[].*)$/s.exec(name);
    if (whole) read_whole(block(name), name, value);
    else if (part) {
      const known = names.get(name);
      const found = block(part[1]);
      found.type ||= known?.block ?? '';
      found.fields.push([
        known?.field || part[2].replace(/^\./, ''),
        value,
        name,
      ]);
    }
  }
  const offset = (field) =>
    /^\+\d+$/.test(field) ? Number(field.slice(1)) : null;
  for (const { fields } of blocks.values()) {
    fields.sort(
      (a, b) =>
        (offset(a[2].replace(/^#\d+/, '')) ?? 0) -
        (offset(b[2].replace(/^#\d+/, '')) ?? 0),
    );
  }
  return [...blocks.values()].sort(
    (a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)),
  );
}

// `Node { val = 1, next = #2 }`, `freed Node`, `freed`.
function read_whole(block, name, value) {
  const words = /^(freed\b)?\s*([^{]*?)\s*(?:\{(.*)\})?$/s.exec(value);
  if (!words) {
    block.fields.push(['', value, name]);
    return;
  }
  block.freed = !!words[1];
  block.type = words[2];
  if (words[3] === undefined) return;
  for (const field of split_fields(words[3])) {
    const at = field.indexOf('=');
    const label = at < 0 ? '' : field.slice(0, at).trim();
    block.fields.push([label, field.slice(at + 1).trim(), `${name}.${label}`]);
  }
}

/** Splits at commas that are in no brackets. */
function split_fields(inside) {
  const fields = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < inside.length; ++i) {
    if ('[{('.includes(inside[i])) ++depth;
    else if (']})'.includes(inside[i])) --depth;
    else if (inside[i] === ',' && depth === 0) {
      fields.push(inside.slice(from, i));
      from = i + 1;
    }
  }
  fields.push(inside.slice(from));
  return fields.map((f) => f.trim()).filter(Boolean);
}

/** Names whose value differs, with the value before (undefined if none). */
export function changes(before, after) {
  const found = new Map();
  for (const [name, value] of after) {
    if (before.get(name) !== value) found.set(name, before.get(name));
  }
  return found;
}

/** The same, for fields of blocks. */
export function heap_changes(before, after) {
  const old = new Map(before.flatMap((b) => b.fields.map((f) => [f[2], f[1]])));
  const known = new Map(before.map((b) => [b.id, b]));
  const fields = new Map();
  const blocks = new Set();
  for (const b of after) {
    if (!known.has(b.id) || known.get(b.id).freed !== b.freed) blocks.add(b.id);
    for (const [, value, name] of b.fields) {
      if (old.get(name) === value) continue;
      fields.set(name, old.get(name));
      blocks.add(b.id);
    }
  }
  return { fields, blocks };
}
