// SPDX-License-Identifier: Apache-2.0
// Searching and filtering: by words, process, key and operation.
import { button, el, fresh_id } from '../dom.js';
import { brief, count, counted } from '../text.js';

function choice(label, names, changed) {
  const id = fresh_id('choice');
  const select = el(
    'select',
    { id, onchange: changed },
    el('option', { value: '' }, 'all'),
    names.map((name, i) => el('option', { value: i }, brief(name, 40))),
  );
  return {
    node: el(
      'span',
      { class: 'field' },
      el('label', { for: id }, label),
      select,
    ),
    value: () => (select.value === '' ? null : Number(select.value)),
    clear: () => {
      select.value = '';
    },
  };
}

/** Operations whose text holds the words, whatever their case. */
function search(history, words, shown) {
  const found = new Set();
  const wanted = words.toLowerCase().replaceAll('->', '→');
  const by_line = /^line (\d+)$/.exec(wanted)?.[1];
  for (let op = 0; op < history.size; ++op) {
    if (!shown(op)) continue;
    const hit = by_line
      ? history.line[op] === Number(by_line) ||
        history.returned_line[op] === Number(by_line)
      : history.text(op).toLowerCase().includes(wanted);
    if (hit) found.add(op);
  }
  return found;
}

/** events: filtered(shown), found(set or null), visit(op). */
export function filters(history, events) {
  let found = [];
  let at = -1;
  let timer = 0;
  const id = fresh_id('search');
  const said = el('span', { class: 'said', role: 'status' });
  const input = el('input', {
    type: 'search',
    id,
    placeholder: 'deq() → 2',
    autocomplete: 'off',
    spellcheck: 'false',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(look, history.size > 5000 ? 250 : 40);
    },
    onkeydown: (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      clearTimeout(timer);
      if (searched !== input.value) look();
      visit(event.shiftKey ? -1 : 1);
    },
  });
  let searched = '';
  const process = choice('Process', history.processes, filter);
  const operation = choice('Operation', history.functions, filter);
  const key =
    history.keys.length > 1 ? choice('Key', history.keys, filter) : null;

  function shown(op) {
    const [p, f, k] = [
      process.value(),
      operation.value(),
      key?.value() ?? null,
    ];
    return (
      (p === null || history.process[op] === p) &&
      (f === null || history.function[op] === f) &&
      (k === null || history.key[op] === k)
    );
  }

  function filter() {
    const [p, f, k] = [
      process.value(),
      operation.value(),
      key?.value() ?? null,
    ];
    events.filtered(
      p === null && f === null && k === null ? () => true : shown,
    );
    look();
  }

  function look() {
    searched = input.value;
    const words = searched.trim();
    at = -1;
    if (!words) {
      found = [];
      said.textContent = '';
      events.found(null);
      return;
    }
    const set = search(history, words, shown);
    found = [...set];
    said.textContent = found.length
      ? `${counted(found.length, 'operation')} found`
      : 'none found';
    events.found(set);
  }

  function visit(by) {
    if (!found.length) return;
    at =
      at < 0
        ? by > 0
          ? 0
          : found.length - 1
        : (at + by + found.length) % found.length;
    said.textContent = `${count(at + 1)} of ${count(found.length)}`;
    events.visit(found[at]);
  }

  return {
    node: el(
      'div',
      { class: 'filters', role: 'search' },
      el(
        'span',
        { class: 'field grow' },
        el('label', { for: id }, 'Search'),
        input,
        button('‹', () => visit(-1), {
          'aria-label': 'The one found before',
          class: 'quiet',
        }),
        button('›', () => visit(1), {
          'aria-label': 'The next one found',
          class: 'quiet',
        }),
        said,
      ),
      process.node,
      operation.node,
      key?.node,
    ),
    focus: () => input.focus(),
    allow(op) {
      if (shown(op)) return;
      for (const c of [process, operation, key]) c?.clear();
      filter();
    },
  };
}
