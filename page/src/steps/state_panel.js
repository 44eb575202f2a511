// SPDX-License-Identifier: Apache-2.0
// The state at a step: shared variables, the heap as a picture, the threads.
import { el, replace, unseen } from '../dom.js';
import { brief, clipped } from '../text.js';
import { heap_picture } from './heap.js';
import { changes, heap_changes, parts_of } from './states.js';

const MOST = 200; // variables that are shown

function variable([label, value, name], changed) {
  const is_new = changed.has(name);
  const was = changed.get(name);
  return el(
    'tr',
    { class: is_new ? 'changed' : undefined },
    el('th', { scope: 'row' }, brief(label, 60)),
    el(
      'td',
      null,
      is_new && was !== undefined
        ? [el('del', null, unseen('was '), clipped(was, 200)), ' → ']
        : null,
      is_new
        ? el('ins', null, unseen('now '), clipped(value, 400))
        : clipped(value, 400),
    ),
  );
}

function variables(title, rows, changed) {
  if (!rows.length) return null;
  return el(
    'table',
    { class: 'variables' },
    el('caption', null, title),
    el(
      'tbody',
      null,
      rows.slice(0, MOST).map((r) => variable(r, changed)),
    ),
  );
}

/** What a thread is doing: as the model tells, or the call that it is in. */
function doing(run, k, parts, thread) {
  const name = run.threads[thread];
  if (parts.status.has(name)) return parts.status.get(name);
  return k > 0
    ? (run.steps[k - 1].open.get(thread) ?? 'not in a call')
    : 'not in a call';
}

function threads(run, k, parts, changed) {
  return el(
    'div',
    { class: 'threads' },
    run.threads.slice(0, 32).map((name, thread) => {
      const acts = k > 0 && run.steps[k - 1].thread === thread;
      return el(
        'section',
        { class: acts ? 'thread acts' : 'thread' },
        el(
          'h4',
          null,
          brief(name, 40),
          acts && el('span', { class: 'tag' }, 'this step'),
        ),
        el('p', null, clipped(doing(run, k, parts, thread), 200)),
        variables('', parts.locals.get(name) ?? [], changed),
      );
    }),
  );
}

/** Fills `memory` with variables and heap, `others` with the threads. */
export function show_state(memory, others, run, k) {
  const after = run.state_at(k);
  const before = k > 0 ? run.state_at(k - 1) : after;
  const parts = parts_of(after, run.threads);
  const old = parts_of(before, run.threads);
  const changed = changes(before, after);
  const heap_changed = heap_changes(old.heap, parts.heap);
  replace(
    memory,
    variables('Shared variables', parts.shared, changed),
    parts.heap.length
      ? el(
          'section',
          { class: 'heap-part' },
          el('h3', null, 'Heap'),
          el(
            'div',
            {
              class: 'scroller',
              tabindex: '0',
              role: 'region',
              'aria-label': 'Heap',
            },
            heap_picture(parts, changed, heap_changed, memory.clientWidth - 24),
          ),
        )
      : null,
  );
  memory.hidden = !parts.shared.length && !parts.heap.length;
  // Processes of CSP# are told by a variable of their own.
  others.hidden =
    run.kind === 'model' ? !parts.status.size : !run.call_steps.length;
  replace(
    others,
    el('h3', null, run.kind === 'model' ? 'Processes' : 'Threads'),
    threads(run, k, parts, changed),
  );
}
