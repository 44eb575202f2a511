// SPDX-License-Identifier: Apache-2.0
// Columns of a history made of lists of operations, as the evidence of code and
// of models has them, and results of older versions.
import { list, object, text } from '../result.js';

const identity = (op) =>
  JSON.stringify([
    op.process,
    op.text,
    op.invoked ?? op.line,
    op.returned ?? op.returned_line,
  ]);

/** All operations that the evidence names, once each. */
function operations_of(evidence, why) {
  const whole = list(evidence.history).map(object);
  if (whole.length) return whole;
  const named = [
    why.last,
    ...list(why.culprits),
    ...list(why.longest_order),
    ...list(evidence.order),
    ...list(why.obstacles).map((o) => object(o).operation),
  ];
  const found = new Map();
  for (const op of named.map(object)) {
    if (typeof op.f === 'string') found.set(identity(op), op);
  }
  return [...found.values()];
}

const begin = (op) => op.invoked ?? op.line ?? 0;
const end = (op) => op.returned ?? op.returned_line ?? null;

export function from_lists(evidence, why) {
  const operations = operations_of(evidence, why).sort(
    (a, b) => begin(a) - begin(b),
  );
  if (!operations.length) return null;
  const index = new Map(operations.map((op, i) => [identity(op), i]));
  const at = (op) => index.get(identity(object(op)));
  const numbered = (values) => {
    const known = [...new Set(values)];
    return [known, values.map((v) => known.indexOf(v))];
  };
  const [processes, process] = numbered(
    operations.map((op) => String(op.process)),
  );
  const [functions, of_function] = numbered(operations.map((op) => text(op.f)));
  const order = list(evidence.order).length
    ? evidence.order
    : why.longest_order;
  return {
    // Of a model, lines are steps of the interleaving.
    step_lines: list(evidence.history).length > 0 && !!evidence.trace,
    process,
    processes,
    function: of_function,
    functions,
    argument: operations.map((op) => op.argument ?? null),
    result: operations.map((op) => op.result ?? null),
    text: operations.map((op) => text(op.text).replace(/, pending$/, '')),
    status: operations.map((op) => (end(op) === null ? 1 : 0)),
    line: operations.map((op) => op.line ?? null),
    returned_line: operations.map((op) => op.returned_line ?? null),
    invoked: operations.map(begin),
    returned: operations.map(end),
    order: list(order).map(at),
    culprits: list(why.culprits).map(at),
    obstacles: list(why.obstacles)
      .map(object)
      .map((o) => [at(o.operation), text(o.reason)]),
    last: why.last ? at(why.last) : null,
    state: why.state,
  };
}
