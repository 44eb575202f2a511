// SPDX-License-Identifier: Apache-2.0
// What was asked, what came out and why, each in words for a newcomer.
import { arrows, brief, counted } from './text.js';
import { base_name, list, object, text } from './result.js';

const inside = (condition) => /\((.*)\)/.exec(condition)?.[1] ?? '';

const CONDITIONS = [
  [
    /^linearizable$/,
    'linearizable',
    'every operation seems to happen at one moment between its call and its return',
  ],
  [
    /^sequential$/,
    'sequentially consistent',
    'one order explains all results and keeps the order of each process',
  ],
  [
    /^quiescent$/,
    'quiescent consistent',
    'operations keep their order across every moment at which none is running',
  ],
  [
    /^quasi\(/,
    (c) => `quasi-linearizable with ${inside(c)}`,
    'each operation may stand only so many places from where a strict object would have it',
  ],
  [
    /^quiescent\+quasi\(/,
    (c) => `quiescent consistent and quasi-linearizable with ${inside(c)}`,
    'operations keep their order across moments of rest, and none stands further from its place than its factor',
  ],
  [
    /^safe$/,
    'safe',
    'no step uses what is freed, null or out of bounds, and no assertion fails',
  ],
  [
    /^lock_free$/,
    'lock-free',
    'whatever the schedule, some call always returns',
  ],
  [
    /^wait_free$/,
    'wait-free',
    'every call returns, however slow the others are',
  ],
  [/^deadlock_?free$/, 'free of deadlocks', 'somebody can always go on'],
];

export function condition_words(condition) {
  const known = CONDITIONS.find(([pattern]) => pattern.test(condition));
  return {
    name:
      typeof known?.[1] === 'function'
        ? known[1](condition)
        : (known?.[1] ?? condition),
    meaning: known?.[2] ?? '',
  };
}

function subject(result) {
  const where = base_name(result.file);
  if (result.level === 'history') return `the recorded history ${result.title}`;
  if (result.level === 'program') return `the code under test ${result.title}`;
  return where ? `the model in ${where}` : 'the model';
}

const with_article = (noun) =>
  noun.startsWith('the ')
    ? noun
    : `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The question, without what follows: "Is ... linearizable as a queue?" */
export function question(result) {
  const { name } = condition_words(result.condition);
  const spec = result.specification;
  if (!result.condition)
    return `Is all well with ${brief(subject(result), 120)}?`;
  if (CONDITIONS.some(([pattern]) => pattern.test(result.condition))) {
    const as =
      spec && !/_?free$|^safe$/.test(result.condition)
        ? ` as ${with_article(spec)}`
        : '';
    return `Is ${brief(subject(result), 120)} ${name}${as}?`;
  }
  const what = result.level === 'object' ? result.title : result.condition;
  return `Does ${brief(subject(result), 120)} meet “${brief(what, 120)}”?`;
}

function scope({ level, stats }) {
  const some = (noun) =>
    Number.isFinite(stats[`${noun}s`]) && stats[`${noun}s`] > 0;
  const all = stats.exhaustive === false ? 'the' : 'all';
  if (level === 'history' && stats.operations === 0)
    return 'because it has no operations';
  if (level === 'history' && some('operation')) {
    return `for ${stats.operations > 1 ? 'all ' : ''}${counted(stats.operations, 'operation')}`;
  }
  if (level === 'program' && some('execution')) {
    return `in ${stats.executions > 1 ? `${all} ` : ''}${counted(stats.executions, 'execution')}`;
  }
  if (some('state')) return `in all ${counted(stats.states, 'state')} searched`;
  return '';
}

export function answer(result) {
  const where = scope(result);
  if (result.verdict === 'holds')
    return `Yes, it holds${where ? ` ${where}` : ''}.`;
  if (result.verdict === 'violated') {
    return `No, it is violated${result.as_expected ? ', as expected' : ''}.`;
  }
  return 'Undecided: a limit was reached first.';
}

// The explanation of a history, wherever a level keeps it.
export function explanation(result) {
  const evidence = result.evidence;
  return evidence.explanation ? object(evidence.explanation) : evidence;
}

/** Why, in one sentence, or nothing. */
export function because(result) {
  if (result.verdict === 'violated') {
    const why = explanation(result);
    const last = text(object(why.last).text);
    const other = list(why.culprits).length;
    if (last) {
      const first = `${arrows(brief(last, 200))} is the first return that no order of the operations can explain`;
      if (other > 2)
        return `${first}; ${other} operations already contradict each other.`;
      return `${first}.`;
    }
    if (result.reason)
      return capital(`${arrows(result.reason)}.`.replace(/\.\.$/, '.'));
    return '';
  }
  if (result.verdict === 'unknown') return capital(result.reason);
  if (result.bounds) return `For exactly these bounds: ${result.bounds}.`;
  return result.reason ? capital(result.reason) : '';
}

export const capital = (words) => words.charAt(0).toUpperCase() + words.slice(1);
