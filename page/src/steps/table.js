// SPDX-License-Identifier: Apache-2.0
// The steps as a table: one column a thread, calls framed from '▸' to '◂'.
import { button, el, replace } from '../dom.js';
import { format } from '../route.js';
import { base_name } from '../result.js';
import { brief, clipped, count } from '../text.js';

const MOST = 300; // rows at a time

const SIGNS = { call: '▸ ', return: '◂ ', fault: '✗ ', end: '■ ' };

function effect_node({ words, changes }) {
  const shown = clipped(words, 300);
  return el(
    'span',
    { class: changes ? 'effect change' : 'effect', title: shown },
    shown,
  );
}

function step_cell(run, step) {
  const code = step.kind === 'event' || step.kind === 'fault';
  return el(
    'div',
    { class: `step ${step.kind}` },
    el('span', { class: 'thread-name' }, run.threads[step.thread]),
    el(
      'span',
      { class: code ? 'words code' : 'words', title: brief(step.text, 300) },
      SIGNS[step.kind] ?? '',
      brief(step.text, 200),
    ),
    step.effects.map(effect_node),
  );
}

function frame_of(run, k, thread) {
  const step = run.steps[k];
  if (step.thread === thread && step.kind === 'call') return 'frame begins';
  if (step.thread === thread && step.kind === 'return') {
    return k && run.steps[k - 1].open.has(thread) ? 'frame ends' : '';
  }
  return step.open.has(thread) ? 'frame' : '';
}

/** The line, and above it the file where that is another than before. */
function place_cell(run, k) {
  const step = run.steps[k];
  if (step.line === null) return el('td', { class: 'place' });
  let before = k - 1;
  while (before >= 0 && before > k - 50 && run.steps[before].line === null)
    --before;
  const same = before >= 0 && run.steps[before].file === step.file;
  return el(
    'td',
    { class: 'place' },
    run.kind === 'model' || same
      ? null
      : el('span', { class: 'file' }, base_name(step.file)),
    el('span', null, count(step.line).replace(/,/g, '')),
  );
}

function row(run, k, result) {
  const step = run.steps[k];
  const begins = run.back_to === k ? ' loop-begins' : '';
  const node = el(
    'tr',
    { class: `${step.kind}${begins}`, 'data-step': k + 1 },
    el(
      'th',
      { scope: 'row' },
      el(
        'a',
        {
          href: format({
            result: result.index + 1,
            view: 'steps',
            step: k + 1,
          }),
          'aria-label': `Step ${k + 1}`,
        },
        count(k + 1),
      ),
    ),
    place_cell(run, k),
    run.threads.map((_, thread) =>
      el(
        'td',
        { class: `lane ${frame_of(run, k, thread)}` },
        step.thread === thread ? step_cell(run, step) : null,
      ),
    ),
  );
  return node;
}

export class StepTable {
  constructor(run, result, choose) {
    this.run = run;
    this.result = result;
    this.current = -1;
    this.from = 0;
    this.to = 0;
    this.body = el('tbody', {
      onclick: (event) => {
        const at = event.target.closest('tr[data-step]');
        if (!at || event.target.closest('a')) return;
        choose(Number(at.dataset.step));
      },
    });
    // Threads that only call and return need less room.
    const busy = new Set(
      run.steps
        .filter((s) => s.kind === 'event' || s.kind === 'fault')
        .map((s) => s.thread),
    );
    this.earlier = button(
      'Earlier steps',
      () => this.show_rows(this.from - MOST),
      { class: 'more' },
    );
    this.later = button('Later steps', () => this.show_rows(this.to), {
      class: 'more',
    });
    this.node = el(
      'div',
      {
        class: 'step-box',
        role: 'region',
        tabindex: '0',
        'aria-label': 'Steps',
      },
      this.earlier,
      el(
        'table',
        { class: 'steps-table', style: { '--threads': run.threads.length } },
        el(
          'caption',
          { class: 'unseen' },
          'Steps of the run, one column for each thread',
        ),
        el(
          'thead',
          null,
          el(
            'tr',
            null,
            el('th', { scope: 'col' }, 'step'),
            el('th', { scope: 'col' }, 'line'),
            run.threads.map((name, thread) =>
              el(
                'th',
                {
                  scope: 'col',
                  class: busy.has(thread) ? 'lane busy' : 'lane',
                },
                brief(name, 40),
              ),
            ),
          ),
        ),
        this.body,
      ),
      this.later,
    );
    this.show_rows(0);
  }

  /** Shows the rows from `from` on, at most `MOST`. */
  show_rows(from) {
    const n = this.run.steps.length;
    this.from = Math.max(0, Math.min(from, n - MOST));
    this.to = Math.min(n, this.from + MOST);
    const shown = [];
    for (let k = this.from; k < this.to; ++k)
      shown.push(row(this.run, k, this.result));
    replace(this.body, shown);
    this.earlier.hidden = this.from === 0;
    this.later.hidden = this.to === n;
    this.mark();
  }

  select(step) {
    this.current = step;
    if (step > 0 && (step - 1 < this.from || step - 1 >= this.to)) {
      this.show_rows(step - 1 - MOST / 2);
    } else {
      this.mark();
    }
    const at = this.body.querySelector('[aria-current]');
    if (at) this.keep_in_sight(at);
    else if (step === 0) this.node.scrollTop = 0;
  }

  mark() {
    this.body.querySelector('[aria-current]')?.removeAttribute('aria-current');
    this.body
      .querySelector(`[data-step="${this.current}"]`)
      ?.setAttribute('aria-current', 'step');
  }

  // Scrolls the box only: the page stays where the reader left it.
  keep_in_sight(at) {
    const box = this.node;
    const head = 40;
    const top = at.offsetTop - head;
    const bottom = at.offsetTop + at.offsetHeight + 8;
    // Not at an edge: what was before and what comes are to be seen, too, and
    // the box may go on below the screen.
    if (
      top < box.scrollTop ||
      bottom > box.scrollTop + box.clientHeight * 0.7
    ) {
      box.scrollTop = top - box.clientHeight * 0.4;
    }
    const cell = at.querySelector('.step')?.closest('td');
    if (!cell || box.scrollWidth <= box.clientWidth) return;
    const right = cell.offsetLeft + cell.offsetWidth;
    if (cell.offsetLeft - 90 < box.scrollLeft)
      box.scrollLeft = cell.offsetLeft - 90;
    else if (right > box.scrollLeft + box.clientWidth)
      box.scrollLeft = right - box.clientWidth;
  }
}
