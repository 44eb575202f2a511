// SPDX-License-Identifier: Apache-2.0
// Words and numbers as people read them; hostile strings made harmless.

// Characters that are not seen, or that turn around how others are read:
// controls, bidirectional marks, spaces of no width, halves of surrogates.
const UNSEEN =
  // eslint-disable-next-line no-control-regex
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

const hex = (code) => code.toString(16).toUpperCase().padStart(4, '0');

/** The text with every unseen character written as its number. */
export function visible(text) {
  return text.replace(UNSEEN, (c) => `⟨U+${hex(c.charCodeAt(0))}⟩`);
}

/** At most `limit` characters of a text, with the number of those left out. */
export function clipped(text, limit = 2000) {
  if (text.length <= limit) return visible(text);
  let cut = text.slice(0, limit);
  if (/[\ud800-\udbff]$/.test(cut)) cut = cut.slice(0, -1);
  return `${visible(cut)}… (${count(text.length - cut.length)} more characters)`;
}

/** At most `limit` characters, for labels: no count, only an ellipsis. */
export function brief(text, limit = 60) {
  return text.length <= limit
    ? visible(text)
    : `${visible(text.slice(0, limit - 1))}…`;
}

const grouped = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 2 });

export function count(number) {
  return Number.isFinite(number) ? grouped.format(number) : String(number);
}

const IRREGULAR = { process: 'processes', history: 'histories' };

export function counted(number, noun) {
  const plural = IRREGULAR[noun] ?? `${noun}s`;
  return `${count(number)} ${number === 1 ? noun : plural}`;
}

export function seconds(value) {
  if (!Number.isFinite(value)) return '';
  if (value < 0.001) return `${count(Math.round(value * 1e6))} µs`;
  if (value < 1) return `${count(Number((value * 1e3).toPrecision(2)))} ms`;
  if (value < 120) return `${count(Number(value.toPrecision(3)))} s`;
  return `${Math.floor(value / 60)} min ${Math.round(value % 60)} s`;
}

export function bytes(value) {
  if (!Number.isFinite(value)) return '';
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    ++unit;
  }
  return `${count(Number(value.toPrecision(3)))} ${units[unit]}`;
}

/** A JSON value as the tool prints it. */
export function literal(value) {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === undefined) return '';
  return JSON.stringify(value);
}

/** `and` between the last two, commas between the others. */
export function listed(words) {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

/** ASCII arrows as people draw them. */
export const arrows = (text) => text.replaceAll('->', '→');
