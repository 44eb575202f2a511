// SPDX-License-Identifier: Apache-2.0
// The interleaving view: every step of the run, and the state at one of them.
import { button, el } from '../dom.js';
import { note } from '../route.js';
import { brief, count, counted } from '../text.js';
import { steps_of } from './data.js';
import { show_source } from './source.js';
import { show_state } from './state_panel.js';
import { StepTable } from './table.js';

const PAUSE = 900; // milliseconds a step, when playing

function player(steps, go) {
  const said = el('output', { class: 'said' });
  const slider = el('input', {
    type: 'range',
    min: 0,
    max: steps.steps.length,
    step: 1,
    'aria-label': 'Step',
    oninput: () => go.to(Number(slider.value)),
  });
  const play = button('▶ Play', go.play, {
    title: 'Play (space)',
    class: 'play',
  });
  const node = el(
    'div',
    { class: 'player', role: 'group', 'aria-label': 'Step through the run' },
    button('|‹', () => go.to(0), {
      'aria-label': 'To the start',
      title: 'To the start (Home)',
    }),
    button('‹', () => go.by(-1), {
      'aria-label': 'One step back',
      title: 'One step back (←)',
    }),
    play,
    button('›', () => go.by(1), {
      'aria-label': 'One step on',
      title: 'One step on (→)',
    }),
    button('›|', () => go.to(steps.steps.length), {
      'aria-label': 'To the end',
      title: 'To the end (End)',
    }),
    slider,
    said,
  );
  return {
    node,
    show(step, playing) {
      slider.value = step;
      said.textContent = step
        ? `step ${count(step)} of ${count(steps.steps.length)}`
        : 'before the first step';
      play.textContent = playing ? '❚❚ Pause' : '▶ Play';
    },
  };
}

/** What happens at the end: a loop, or waiting for ever. */
function ending(run) {
  if (run.back_to === null) return null;
  const first = run.back_to + 1;
  const last = run.steps.length;
  const repeats =
    first === last ? `step ${last}` : `steps ${first} to ${last}`;
  const words =
    first <= last
      ? `↻ After the last step the state is that after step ${run.back_to} again, so ` +
        `${repeats} can repeat for ever.`
      : run.waiting === null
        ? 'After the last step nothing can happen any more.'
        : `After the last step process ${run.waiting} waits for ever.`;
  return el('p', { class: 'loop' }, words);
}

/** The lines at which the other threads stand. */
function other_lines(run, k) {
  const found = new Map();
  const step = run.steps[k - 1];
  const seen = new Set([step?.thread]);
  for (
    let i = k - 2;
    i >= 0 && i > k - 2000 && seen.size < run.threads.length;
    --i
  ) {
    const other = run.steps[i];
    if (seen.has(other.thread) || other.kind === 'return') {
      seen.add(other.thread);
      continue;
    }
    seen.add(other.thread);
    if (other.line === null || other.file !== step.file) continue;
    const name = run.threads[other.thread];
    found.set(
      other.line,
      found.has(other.line) ? `${found.get(other.line)}, ${name}` : name,
    );
  }
  return found;
}

export function steps_view(run, result, route, place) {
  const steps = steps_of(run, result);
  const last = steps.steps.length;
  let current = -1;
  let timer = 0;
  const go = {
    to: (step) => select(step),
    by: (by) => select(current + by),
    play: () => (timer ? pause() : play()),
  };
  const table = new StepTable(steps, result, (step) => select(step));
  const controls = player(steps, go);
  const memory = el('div', { class: 'state memory' });
  const others = el('div', { class: 'state' });
  const source = el('div', { class: 'source' });
  const voice = el('p', {
    class: 'unseen',
    role: 'status',
    'aria-live': 'polite',
  });
  place.append(
    ...[
      steps.program?.length
        ? el(
            'details',
            { class: 'program' },
            el(
              'summary',
              null,
              `The program: ${brief(steps.program.join('  ·  '), 160)}`,
            ),
            el('pre', null, steps.program.join('\n')),
          )
        : null,
      ending(steps),
      el(
        'div',
        { class: 'split' },
        table.node,
        el('div', { class: 'side' }, controls.node, memory, source, others),
      ),
      voice,
      el(
        'p',
        { class: 'legend' },
        `${counted(last, 'step')}. ▸ call, ◂ return; changed values are underlined. ` +
          'Keys: ← → one step, Home and End, space plays.',
      ),
    ].filter(Boolean),
  );

  function play() {
    if (current >= last) select(0);
    timer = setInterval(
      () => (current < last ? select(current + 1, true) : pause()),
      PAUSE,
    );
    controls.show(current, true);
  }

  function pause() {
    clearInterval(timer);
    timer = 0;
    controls.show(current, false);
  }

  function select(wanted, playing = false) {
    const step = Math.max(0, Math.min(last, wanted));
    if (timer && !playing) pause();
    if (step === current) return;
    current = step;
    table.select(step);
    controls.show(step, timer !== 0);
    show_state(memory, others, steps, step);
    const at = steps.steps[step - 1];
    show_source(source, run, at, step ? other_lines(steps, step) : new Map());
    note({ result: result.index + 1, view: 'steps', step });
    voice.textContent = at
      ? `Step ${step}, ${steps.threads[at.thread]}: ${brief(at.text, 200)}. ${at.effects.map((e) => brief(e.words, 120)).join('; ')}`
      : 'Before the first step';
  }

  // Without a step asked for, the last one: there it goes wrong.
  select(route.step ?? last);
  return {
    update: (next) => next.step !== undefined && select(next.step),
    key: (event) => on_key(event, go, last),
    close: () => clearInterval(timer),
  };
}

function on_key(event, go, last) {
  const on_control = event.target.closest?.('button, a, summary');
  switch (event.key) {
    case 'ArrowRight':
    case 'ArrowDown':
    case 'j':
      go.by(1);
      return true;
    case 'ArrowLeft':
    case 'ArrowUp':
    case 'k':
      go.by(-1);
      return true;
    case 'Home':
      go.to(0);
      return true;
    case 'End':
      go.to(last);
      return true;
    case ' ':
      if (on_control) return false;
      go.play();
      return true;
    default:
      return false;
  }
}
