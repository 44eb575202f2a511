// SPDX-License-Identifier: Apache-2.0
// Code on a page: commands stand out, comments step back; no more than that.
import { escaped } from './text.mjs';

const COMMENTS = {
  cpp: /\/\/.*$|\/\*.*?\*\//, plumb: /\/\/.*$/, csp: /\/\/.*$/,
  python: /(?<![\w'"])#.*$/, sh: /(?<![\w$])#.*$/, sed: /^#.*$/, cmake: /#.*$/,
  yaml: /#.*$/,
};

const wrapped = (kind, text) => `<span class="${kind}">${escaped(text)}</span>`;

function console_line(line) {
  if (/^(\$|>) /.test(line)) {
    return `${wrapped('prompt', line.slice(0, 2))}${wrapped('command', line.slice(2))}`;
  }
  return wrapped(/^\[exit \d+\]$/.test(line) ? 'comment' : 'printed', line);
}

function code_line(line, comment) {
  const found = comment && line.match(comment);
  if (!found) return escaped(line);
  const end = found.index + found[0].length;
  return escaped(line.slice(0, found.index)) + wrapped('comment', found[0])
    + escaped(line.slice(end));
}

/** HTML for a block of code in a language, `plumb wrong` for example. */
export function highlighted(text, language) {
  const kind = language.split(' ')[0];
  const lines = text.split('\n');
  return lines.map((line) => (kind === 'console' ? console_line(line)
    : code_line(line, COMMENTS[kind]))).join('\n');
}
