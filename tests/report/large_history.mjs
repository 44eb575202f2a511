// SPDX-License-Identifier: Apache-2.0
// A history of many operations by several processes, violated near its end.

/** A generator of numbers below 1, always the same. */
function numbers(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

export function large_history(size, processes = 16) {
  const random = numbers(7);
  const columns = {
    process: [],
    function: [],
    argument: [],
    result: [],
    status: [],
    line: [],
    returned_line: [],
    invoked: [],
    returned: [],
  };
  const idle = Array.from({ length: processes }, (_, i) => i);
  const running = [];
  for (
    let event = 0;
    columns.process.length < size || running.length;
    ++event
  ) {
    const calls =
      columns.process.length < size &&
      idle.length &&
      (!running.length || random() < 0.5);
    if (calls) {
      const op = columns.process.length;
      const is_put = random() < 0.5;
      running.push(op);
      columns.process.push(
        idle.splice(Math.floor(random() * idle.length), 1)[0],
      );
      columns.function.push(is_put ? 0 : 1);
      columns.argument.push(is_put ? op : null);
      columns.result.push(is_put ? null : Math.floor(random() * size));
      columns.status.push(0);
      columns.line.push(event + 1);
      columns.invoked.push(event);
    } else {
      const op = running.splice(Math.floor(random() * running.length), 1)[0];
      columns.returned_line[op] = event + 1;
      columns.returned[op] = event;
      idle.push(columns.process[op]);
    }
  }
  const last = Math.floor(size * 0.7);
  return {
    tool: 'plumb',
    version: '0',
    schema: 1,
    level: 'history',
    errors: [],
    results: [
      {
        name: 'large.jsonl',
        file: 'large.jsonl',
        condition: 'linearizable',
        specification: 'queue',
        verdict: 'violated',
        reason: '',
        evidence: {},
        stats: { operations: size, processes, seconds: 1 },
        history: {
          ...columns,
          total: size,
          first: 0,
          functions: ['enq', 'deq'],
          processes: Array.from({ length: processes }, (_, i) => String(i)),
          order: Array.from({ length: last }, (_, i) => i),
          culprits: [last - 300, last],
          obstacles: [[last, 'it would return 1, not 2']],
          last,
          state: '[1]',
        },
      },
    ],
  };
}
