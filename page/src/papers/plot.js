// SPDX-License-Identifier: Apache-2.0
// A growth plot: one line a series, told apart by mark and name, not by colour
// alone.
import { scaleLinear, scaleLog } from 'd3-scale';
import { el, svg } from '../dom.js';
import { list, object, text } from '../result.js';
import { brief, count } from '../text.js';

const WIDTH = 520;
const HEIGHT = 320;
const LEFT = 64;
const BOTTOM = 44;
const RIGHT = 118;

const MARKS = [
  'M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0Z',
  'M-4,-4h8v8h-8Z',
  'M0,-5L5,4H-5Z',
  'M0,-5.5L5.5,0L0,5.5L-5.5,0Z',
  'M0,5L5,-4H-5Z',
  'M-5,-1.5h3.5v-3.5h3v3.5h3.5v3h-3.5v3.5h-3v-3.5h-3.5Z',
];

function read(raw) {
  return list(raw.series)
    .map(object)
    .map((s) => ({
      name: text(s.name),
      points: list(s.points)
        .filter((p) => Array.isArray(p) && p.slice(0, 2).every(Number.isFinite))
        .filter((p) => raw.log !== true || p[1] > 0),
    }))
    .filter((s) => s.points.length);
}

function extent(values) {
  const [a, b] = [Math.min(...values), Math.max(...values)];
  return a === b ? [a * 0.5, b * 1.5 || 1] : [a, b];
}

/** Names beside the last points, pushed apart where they would overlap. */
function name_places(series, x, y) {
  const places = series
    .map((s, i) => {
      const last = s.points[s.points.length - 1];
      return { i, x: x(last[0]) + 9, y: y(last[1]) };
    })
    .sort((a, b) => a.y - b.y);
  for (let k = 1; k < places.length; ++k) {
    places[k].y = Math.max(places[k].y, places[k - 1].y + 14);
  }
  return places;
}

function short(value) {
  if (value >= 1e6 || (value && value < 0.001))
    return value.toExponential(0).replace('e+', 'e');
  return count(value);
}

function axes(raw, x, y, whole) {
  const ticks_y =
    raw.log === true
      ? y
          .ticks(6)
          .filter(
            (t) => Math.abs(Math.log10(t) % 1) < 1e-9 || y.ticks(6).length < 6,
          )
      : y.ticks(5);
  return [
    ticks_y.map((t) =>
      svg(
        'g',
        { class: 'tick' },
        svg('path', { d: `M${LEFT},${y(t)}H${WIDTH - RIGHT}` }),
        svg(
          'text',
          { x: LEFT - 8, y: y(t) + 4, 'text-anchor': 'end' },
          short(t),
        ),
      ),
    ),
    x
      .ticks(6)
      .filter((t) => !whole || Number.isInteger(t))
      .map((t) =>
        svg(
          'g',
          { class: 'tick' },
          svg(
            'text',
            { x: x(t), y: HEIGHT - BOTTOM + 18, 'text-anchor': 'middle' },
            short(t),
          ),
        ),
      ),
    svg(
      'text',
      {
        class: 'axis',
        x: (LEFT + WIDTH - RIGHT) / 2,
        y: HEIGHT - 6,
        'text-anchor': 'middle',
      },
      brief(text(raw.x), 50),
    ),
    svg(
      'text',
      { class: 'axis', x: 4, y: 14 },
      `${brief(text(raw.y), 50)}${raw.log === true ? ' (log scale)' : ''}`,
    ),
  ];
}

export function plot(raw) {
  const series = read(raw);
  if (!series.length) return null;
  const points = series.flatMap((s) => s.points);
  const x = scaleLinear(extent(points.map((p) => p[0])), [LEFT, WIDTH - RIGHT]);
  const y = (raw.log === true ? scaleLog : scaleLinear)(
    raw.log === true
      ? extent(points.map((p) => p[1]))
      : [0, extent(points.map((p) => p[1]))[1]],
    [HEIGHT - BOTTOM, 30],
  );
  const lines = series.map((s, i) =>
    svg(
      'g',
      { class: `series hue${i % 6}` },
      svg('path', {
        class: 'curve',
        d: `M${s.points.map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join('L')}`,
      }),
      s.points.map((p) =>
        svg(
          'path',
          {
            class: 'mark',
            d: MARKS[i % 6],
            transform: `translate(${x(p[0])},${y(p[1])})`,
          },
          svg('title', null, `${s.name}: ${count(p[0])}, ${count(p[1])}`),
        ),
      ),
    ),
  );
  const names = name_places(series, x, y).map((place) =>
    svg(
      'text',
      { class: `label hue${place.i % 6}`, x: place.x, y: place.y + 4 },
      brief(series[place.i].name, 18),
    ),
  );
  const said = series.map(
    (s) =>
      `${s.name} from ${count(s.points[0][1])} to ${count(s.points[s.points.length - 1][1])}`,
  );
  return el(
    'figure',
    { class: 'plot' },
    el('figcaption', null, text(raw.title)),
    svg(
      'svg',
      {
        viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
        role: 'img',
        'aria-label': `${text(raw.title)}: ${said.join('; ')}`,
      },
      axes(
        raw,
        x,
        y,
        points.every((p) => Number.isInteger(p[0])),
      ),
      lines,
      names,
    ),
  );
}
