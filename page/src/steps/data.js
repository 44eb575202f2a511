// SPDX-License-Identifier: Apache-2.0
// The steps of a run, of code or of a model, in one shape.
import { list, number, object, text } from '../result.js';
import { arrows } from '../text.js';
import { model_states, program_states } from './states.js';

const runs = new WeakMap();

/**
 * The run of a result, or null: {threads: [name], steps: [Step], state_at(k),
 * back_to, loops: does it go on for ever?, kind}.  A step is {thread, kind: call,
 * return, event, fault or end, text, effects: [{words, changes}], file, line, source, function,
 * inside: is its thread within a call after it?, call}.
 */
export function steps_of(run, result) {
  if (!runs.has(result)) runs.set(result, make(result));
  return runs.get(result);
}

function make(result) {
  const { evidence } = result;
  const trace = object(evidence.trace);
  const made = list(trace.steps).length
    ? of_model(trace, result)
    : list(evidence.steps).length
      ? of_program(evidence)
      : null;
  if (made) frame_calls(made);
  return made;
}

const MODEL_KINDS = {
  invoke: 'call',
  return: 'return',
  fault: 'fault',
  terminate: 'end',
};

// {words, changes: does it leave something else than it found?}
function effects_of_model(step) {
  const changes = list(step.changes).map(object);
  return list(step.effects).map((words, i) => ({
    words: arrows(String(words)),
    changes:
      changes.length > i &&
      changes[i].kind !== 'read' &&
      (changes[i].kind !== 'write' || changes[i].before !== changes[i].after),
  }));
}

const changes_something = (step) =>
  !!text(step.frees) ||
  (!!text(step.access) && step.access !== 'read' && step.before !== step.after);

/** An access in a few words, without where a value comes from. */
function access_words(s) {
  if (!text(s.access) || !text(s.place)) return '';
  const after = text(s.after);
  return s.access === 'read'
    ? `read ${s.place} = ${after}`
    : `${s.place}: ${text(s.before)} → ${after}`;
}

function of_model(trace, result) {
  const raw = list(trace.steps).map(object);
  const number_of = Math.max(
    number(trace.processes, 1),
    ...raw.map((s) => number(s.process, -1) + 1),
  );
  const file = text(trace.file) || result.file;
  const steps = raw.map((s) => ({
    thread: number(s.process, number_of),
    kind: MODEL_KINDS[s.kind] ?? 'event',
    text: arrows(text(s.statement)),
    effects: effects_of_model(s),
    file,
    line: number(s.line, null),
    source: '',
    function: text(s.operation),
    marked: s.marked === true,
  }));
  const threads = Array.from(
    { length: Math.min(number_of, 200) },
    (_, i) => `process ${i}`,
  );
  if (steps.some((s) => s.thread >= threads.length)) threads.push('all');
  for (const s of steps) s.thread = Math.min(s.thread, threads.length - 1);
  const back_to = Number.isInteger(trace.back_to) ? trace.back_to : null;
  return {
    kind: 'model',
    threads,
    steps,
    back_to,
    state_at: model_states(trace, raw),
    waiting: Number.isInteger(trace.waiting) ? trace.waiting : null,
  };
}

function of_program(evidence) {
  const raw = list(evidence.steps).map(object);
  const names = [...new Set(raw.map((s) => text(s.thread) || '?'))];
  const calls = new Map();
  const steps = raw.map((s) => {
    const thread = names.indexOf(text(s.thread) || '?');
    const kind = ['call', 'return', 'fault'].includes(s.kind)
      ? s.kind
      : 'event';
    const call = JSON.stringify([thread, s.call]);
    if (kind === 'call') calls.set(call, text(s.text));
    // A return names only what comes back; the call stands far above it.
    const words =
      kind === 'return'
        ? `${calls.get(call) ?? ''} ${text(s.text)}`.trim()
        : text(s.text);
    const source = text(s.source);
    return {
      thread,
      kind,
      text:
        kind === 'event' || kind === 'fault'
          ? source || arrows(words)
          : arrows(words),
      effects:
        (kind === 'event' || kind === 'fault') && source
          ? [{ words: arrows(words), changes: changes_something(s) }]
          : [],
      file: text(s.file),
      line: number(s.line, null),
      source,
      function: text(s.function),
      plain: s.plain === true,
      access: access_words(s),
      newer: Number.isInteger(s.newer) ? s.newer : null,
      is_write: s.access === 'write',
    };
  });
  return {
    kind: 'program',
    threads: names,
    steps,
    back_to: null,
    waiting: null,
    state_at: program_states(raw),
    program: list(evidence.program).map(String),
  };
}

/** Marks which threads are within a call after each step. */
function frame_calls(run) {
  const open = new Map();
  // The steps that are events of the history, in its order.
  run.call_steps = run.steps.flatMap((step, k) =>
    step.kind === 'call' || step.kind === 'return' ? [k + 1] : [],
  );
  for (const step of run.steps) {
    if (step.kind === 'call') open.set(step.thread, step.text);
    step.call = open.get(step.thread) ?? '';
    if (step.kind === 'return') open.delete(step.thread);
    step.open = new Map(open);
  }
}
