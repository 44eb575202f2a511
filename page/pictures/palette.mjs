// SPDX-License-Identifier: Apache-2.0
// Makes a PNG smaller: at most 256 colours, those that occur most.
import zlib from 'node:zlib';

function chunks(png) {
  const found = new Map();
  for (let at = 8; at < png.length; ) {
    const size = png.readUInt32BE(at);
    const name = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + size);
    found.set(
      name,
      found.has(name) ? Buffer.concat([found.get(name), data]) : data,
    );
    at += size + 12;
  }
  return found;
}

// The predictor of filter 4, from the PNG specification.
function paeth(a, b, c) {
  const p = a + b - c;
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)];
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
}

/** The pixels of a PNG of 8 bits a channel: {width, height, depth, bytes}. */
function decode(png) {
  const parts = chunks(png);
  const head = parts.get('IHDR');
  const [width, height] = [head.readUInt32BE(0), head.readUInt32BE(4)];
  const depth = { 2: 3, 6: 4 }[head[9]];
  const raw = zlib.inflateSync(parts.get('IDAT'));
  const row = width * depth;
  const bytes = Buffer.alloc(row * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; ++x) {
      const at = y * row + x;
      const a = x >= depth ? bytes[at - depth] : 0;
      const b = y ? bytes[at - row] : 0;
      const c = x >= depth && y ? bytes[at - row - depth] : 0;
      const guess = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
      bytes[at] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  return { width, height, depth, bytes };
}

const apart = (p, q) =>
  ((p >> 16) - (q >> 16)) ** 2 +
  (((p >> 8) & 255) - ((q >> 8) & 255)) ** 2 +
  ((p & 255) - (q & 255)) ** 2;

/** The most frequent colours, leaving out those close to one already chosen. */
function choose(counts) {
  const sorted = [...counts]
    .sort((p, q) => q[1] - p[1] || p[0] - q[0])
    .map((c) => c[0]);
  const chosen = [];
  for (const colour of sorted) {
    if (chosen.length === 256) break;
    if (!chosen.some((c) => apart(c, colour) < 40)) chosen.push(colour);
  }
  return chosen;
}

function chunk(name, data) {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc(body), body.length + 4);
  return out;
}

function crc(data) {
  let sum = 0xffffffff;
  for (const byte of data) {
    sum ^= byte;
    for (let k = 0; k < 8; ++k)
      sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1;
  }
  return (sum ^ 0xffffffff) >>> 0;
}

export function with_palette(png) {
  const { width, height, depth, bytes } = decode(png);
  const colour = (i) => (bytes[i] << 16) | (bytes[i + 1] << 8) | bytes[i + 2];
  const counts = new Map();
  for (let i = 0; i < bytes.length; i += depth) {
    counts.set(colour(i), (counts.get(colour(i)) ?? 0) + 1);
  }
  const palette = choose(counts);
  const nearest = new Map(
    [...counts.keys()].map((c) => {
      let best = 0;
      for (let k = 1; k < palette.length; ++k) {
        if (apart(palette[k], c) < apart(palette[best], c)) best = k;
      }
      return [c, best];
    }),
  );
  const raw = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      raw[y * (width + 1) + 1 + x] = nearest.get(
        colour((y * width + x) * depth),
      );
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 3, 0, 0, 0], 8);
  const table = Buffer.from(
    palette.flatMap((c) => [c >> 16, (c >> 8) & 255, c & 255]),
  );
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', head),
    chunk('PLTE', table),
    chunk('IDAT', zlib.deflateSync(raw, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
