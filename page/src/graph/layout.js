// SPDX-License-Identifier: Apache-2.0
// A layered drawing of a state graph: states by their distance from the initial
// one, ordered within a layer so that few edges cross [SugiyamaTagawaToda81].
//
// Distances are the natural layers of a state space: few edges skip one forwards,
// and those that go back are drawn as arcs.

/**
 * The distance of each state from the first; those never reached come last.  The
 * states of the path stand where the path has them, so that it goes forwards.
 */
function distances(size, edges, initial, path) {
  const out = Array.from({ length: size }, () => []);
  for (const [from, to] of edges) out[from].push(to);
  const depth = new Int32Array(size).fill(-1);
  const layers = [[initial]];
  depth[initial] = 0;
  path.forEach((state, i) => {
    if (depth[state] >= 0) return;
    depth[state] = i;
    (layers[i] ??= []).push(state);
  });
  for (let d = 0; d < layers.length; ++d) {
    for (const from of layers[d] ?? []) {
      for (const to of out[from]) {
        if (depth[to] >= 0) continue;
        depth[to] = d + 1;
        (layers[d + 1] ??= []).push(to);
      }
    }
  }
  const last = depth.reduce((a, b) => Math.max(a, b), 0);
  return depth.map((d) => (d < 0 ? last + 1 : d));
}

const HEAVY = 6; // The path is to lie straight.

function neighbours(size, edges, depth, path) {
  const steps = new Set(path.slice(1).map((to, i) => `${path[i]} ${to}`));
  const up = Array.from({ length: size }, () => []);
  const down = Array.from({ length: size }, () => []);
  for (const [from, to] of edges) {
    if (depth[to] !== depth[from] + 1) continue;
    for (let n = steps.has(`${from} ${to}`) ? HEAVY : 1; n > 0; --n) {
      down[from].push(to);
      up[to].push(from);
    }
  }
  return { up, down };
}

const mean = (values) => values.reduce((a, b) => a + b, 0) / values.length;

/** Sorts each layer by the mean place of its neighbours, to and fro. */
function sort_layers(layers, { up, down }) {
  const place = new Map();
  const number = (layer) =>
    layer.forEach((state, i) => place.set(state, i - layer.length / 2));
  layers.forEach(number);
  for (let round = 0; round < 12; ++round) {
    const downwards = round % 2 === 0;
    const sequence = downwards ? layers : [...layers].reverse();
    for (const layer of sequence) {
      const near = downwards ? up : down;
      const key = new Map(
        layer.map((s) => [
          s,
          near[s].length
            ? mean(near[s].map((n) => place.get(n)))
            : place.get(s),
        ]),
      );
      layer.sort((a, b) => key.get(a) - key.get(b) || a - b);
      number(layer);
    }
  }
}

/** Positions: x by layer, y by neighbours, at least `gap` apart. */
function spread(layers, { up, down }, gap) {
  const y = new Map();
  for (const layer of layers)
    layer.forEach((s, i) => y.set(s, (i - (layer.length - 1) / 2) * gap));
  for (let round = 0; round < 16; ++round) {
    const near = round % 2 ? down : up;
    for (const layer of round % 2 ? [...layers].reverse() : layers) {
      const wanted = layer.map((s) =>
        near[s].length ? mean(near[s].map((n) => y.get(n))) : y.get(s),
      );
      settle(wanted, gap).forEach((value, i) => y.set(layer[i], value));
    }
  }
  return y;
}

/** The nearest places that keep the order and the gap: push apart, then centre. */
function settle(wanted, gap) {
  const at = [...wanted];
  for (let i = 1; i < at.length; ++i) at[i] = Math.max(at[i], at[i - 1] + gap);
  const back = [...wanted];
  for (let i = back.length - 2; i >= 0; --i)
    back[i] = Math.min(back[i], back[i + 1] - gap);
  return at.map((value, i) => (value + back[i]) / 2);
}

/** Returns {x, y: per state, width, height}. */
export function layered(size, edges, initial, path) {
  const depth = distances(size, edges, initial, path);
  const layers = [];
  depth.forEach((d, state) => (layers[d] ??= []).push(state));
  const filled = layers.filter(Boolean);
  const near = neighbours(size, edges, depth, path);
  sort_layers(filled, near);
  const widest = Math.max(...filled.map((l) => l.length));
  const gap = widest > 40 ? 26 : 40;
  const y = spread(filled, near, gap);
  const least = Math.min(...y.values());
  const most = Math.max(...y.values());
  const step = 164;
  const position = new Array(size);
  filled.forEach((layer, i) =>
    layer.forEach((state) => {
      position[state] = { x: 50 + i * step, y: 50 + y.get(state) - least };
    }),
  );
  return {
    position,
    width: 100 + (filled.length - 1) * step,
    height: 100 + most - least,
  };
}
