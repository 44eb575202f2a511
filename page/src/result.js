// SPDX-License-Identifier: Apache-2.0
// A JSON result of the tool as the views want it: nothing is missing, and
// nothing is of another type than expected, whatever was in the file.

export const text = (value) => (typeof value === 'string' ? value : '');
export const list = (value) => (Array.isArray(value) ? value : []);
export const object = (value) =>
  value && typeof value === 'object' && !Array.isArray(value) ? value : {};
export const number = (value, otherwise = NaN) =>
  Number.isFinite(value) ? value : otherwise;

const VERDICTS = ['holds', 'violated', 'unknown'];

/** The last part of a path. */
export const base_name = (path) => path.split('/').pop();

// What is behind the file's name in the name of a result: a check, a key.
function title_of(raw) {
  if (text(raw.check)) return raw.check;
  const name = text(raw.name);
  const file = text(raw.file);
  if (!name) return base_name(file) || 'unnamed';
  return name.startsWith(file)
    ? base_name(file) + name.slice(file.length)
    : name;
}

function normal_result(raw, index, level) {
  raw = object(raw);
  const stats = object(raw.stats);
  return {
    index,
    level,
    title: title_of(raw),
    file: text(raw.file),
    line: number(raw.line, null),
    condition: text(raw.condition),
    specification: text(raw.specification),
    verdict: VERDICTS.includes(raw.verdict) ? raw.verdict : 'unknown',
    expect: text(raw.expect),
    // Only something that said what it expects can be as expected.
    as_expected: text(raw.expect) !== '' && raw.expected === true,
    expected: raw.expected !== false,
    reason: text(raw.reason),
    hint: text(raw.hint),
    bounds: text(raw.bounds),
    bounds_met: list(raw.bounds_met).map(String),
    details: list(raw.details).map(String),
    points: list(raw.points),
    evidence: object(raw.evidence),
    history: object(raw.history),
    rank_errors: object(raw.rank_errors),
    graph: object(raw.graph),
    graph_left_out: text(raw.graph_left_out),
    minimum_factor: raw.minimum_factor ?? raw.factors,
    stats,
    samples: list(stats.samples).filter(
      (s) => Array.isArray(s) && Number.isFinite(s[0]) && Number.isFinite(s[1]),
    ),
  };
}

function normal_error(raw) {
  if (typeof raw === 'string') return { message: raw };
  raw = object(raw);
  return {
    message: text(raw.message) || text(raw.text) || JSON.stringify(raw),
    file: text(raw.file),
    line: number(raw.line, null),
  };
}

/** Of a test: the sets of memory orders that would help, each as one text. */
export const stronger_orders = (result) =>
  list(result.evidence.stronger_orders).map((orders) =>
    list(orders).map(String).join(' and '),
  );

const OUTPUTS = ['--json', '--html', '--junit', '--sarif'];

/** The command without where it writes: that is not part of the question. */
function asked(command) {
  return command.filter(
    (word, i) =>
      !OUTPUTS.includes(word) &&
      !OUTPUTS.includes(command[i - 1]) &&
      !/^--(json|html|junit|sarif)=|^--quiet$/.test(word),
  );
}

export function normal(raw) {
  raw = object(raw);
  const level = text(raw.level);
  const sources = {};
  for (const [file, content] of Object.entries(object(raw.sources))) {
    if (typeof content === 'string') sources[file] = content;
  }
  return {
    level,
    version: text(raw.version),
    command: asked(list(raw.command).map(String)),
    seconds: number(raw.seconds),
    sources,
    results: list(raw.results).map((r, i) => normal_result(r, i, level)),
    errors: list(raw.errors).map(normal_error),
    tables: list(raw.tables).map(object),
    plots: list(raw.plots).map(object),
    machine: text(raw.machine),
  };
}

// Results say what they need of the world in full paths or in short ones.
export function source_of(run, file) {
  if (!file) return null;
  if (Object.hasOwn(run.sources, file)) return run.sources[file];
  const same = Object.keys(run.sources).filter(
    (f) => f.endsWith(`/${file}`) || file.endsWith(`/${f}`),
  );
  return same.length === 1 ? run.sources[same[0]] : null;
}
