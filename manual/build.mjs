// SPDX-License-Identifier: Apache-2.0
// Makes a page of each document: build.mjs NODE_MODULES DOCS OUTPUT.
//
// Pages are listed at the side as docs/README.md lists them.  Links between
// documents become links between pages; what lies outside of docs/ becomes
// words.  A link that leads nowhere is an error.
import {
  copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { highlighted } from './highlight.mjs';
import { anchors_of, escaped, slug_maker } from './text.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const [modules, docs, output] = process.argv.slice(2).map((p) => path.resolve(p));
const { Marked } = createRequire(path.join(modules, 'x.js'))('marked');

const names = readdirSync(docs).filter((name) => name.endsWith('.md')).sort();
const texts = new Map(names.map(
  (name) => [name, readFileSync(path.join(docs, name), 'utf8')]));
const anchors = new Map([...texts].map(([name, text]) => [name, anchors_of(text)]));
const pictures = new Set();

const page_of = (name) => (name === 'README.md' ? 'index.html'
  : name.replace(/\.md$/, '.html'));
const title_of = (name) => texts.get(name).match(/^# (.*)$/m)[1].replace(/`/g, '');

/** Where a link of a document leads on a page; null: to no page. */
function target_of(from, href) {
  if (/^[a-z]+:/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const name = file === '' ? from : path.posix.normalize(file);
  if (name.startsWith('../')) {
    if (!existsSync(path.join(docs, name))) {
      throw new Error(`${from}: '${href}' leads nowhere`);
    }
    return null;
  }
  if (texts.has(name)) {
    if (anchor !== undefined && !anchors.get(name).has(anchor)) {
      throw new Error(`${from}: '${href}' leads to no heading`);
    }
    return (file === '' ? '' : page_of(name)) + (anchor ? `#${anchor}` : '');
  }
  if (!existsSync(path.join(docs, name))) {
    throw new Error(`${from}: '${href}' leads nowhere`);
  }
  return null;
}

function renderer_for(name) {
  const slug = slug_maker();
  return {
    heading({ tokens, depth, text }) {
      const id = slug(text);
      const words = this.parser.parseInline(tokens);
      return depth === 1 ? `<h1 id="${id}">${words}</h1>\n`
        : `<h${depth} id="${id}">${words} <a class="here" href="#${id}" `
          + `aria-label="A link to this part">#</a></h${depth}>\n`;
    },
    link({ href, tokens, text }) {
      // Readers of pages know documents by their titles, not by their files.
      const words = texts.has(text) && text !== 'README.md'
        ? escaped(title_of(text)) : this.parser.parseInline(tokens);
      const target = target_of(name, href);
      return target === null ? `<span class="outside">${words}</span>`
        : `<a href="${escaped(target)}">${words}</a>`;
    },
    image({ href, text }) {
      if (!existsSync(path.join(docs, href))) {
        throw new Error(`${name}: there is no picture '${href}'`);
      }
      pictures.add(href);
      return `<img src="${escaped(href)}" alt="${escaped(text)}" loading="lazy">`;
    },
    code({ text, lang }) {
      return `<pre tabindex="0"><code>${highlighted(text, lang ?? '')}</code></pre>\n`;
    },
    table(token) {
      const cell = ({ tokens, align, text }, as) => {
        // A corner without words is no heading of a column.
        const tag = as === 'th' && text === '' ? 'td' : as;
        const aligned = align ? ` class="${align}"` : '';
        return `<${tag}${aligned}>${this.parser.parseInline(tokens)}</${tag}>`;
      };
      const rows = token.rows.map(
        (row) => `<tr>${row.map((c) => cell(c, 'td')).join('')}</tr>`).join('\n');
      const head = token.header.some((c) => c.text !== '')
        ? `<thead><tr>${token.header.map((c) => cell(c, 'th')).join('')}</tr></thead>`
        : '';
      return `<div class="scroller" tabindex="0"><table>${head}<tbody>${rows}`
        + '</tbody></table></div>\n';
    },
  };
}

/** Parts of the list at the side: [heading, names of documents]. */
function contents() {
  const parts = [['Start', ['README.md']]];
  for (const line of texts.get('README.md').split('\n')) {
    const heading = line.match(/^## (.*)/);
    if (heading) parts.push([heading[1], []]);
    const first = /^[-|]/.test(line) ? line.match(/\]\(([\w-]+\.md)\)/) : null;
    if (first && !parts.some(([, listed]) => listed.includes(first[1]))) {
      parts.at(-1)[1].push(first[1]);
    }
  }
  const listed = new Set(parts.flatMap(([, some]) => some));
  parts.push(['Further', names.filter((name) => !listed.has(name))]);
  return parts.filter(([, some]) => some.length > 0);
}

function side(parts, current) {
  const item = (name) => `<li><a href="${page_of(name)}"${
    name === current ? ' aria-current="page"' : ''}>${
    escaped(name === 'README.md' ? 'Contents' : title_of(name))}</a></li>`;
  return parts.map(([heading, some]) => `<h2>${escaped(heading)}</h2>\n<ul>${
    some.map(item).join('\n')}</ul>`).join('\n');
}

function on_this_page(html) {
  const found = [...html.matchAll(/<h2 id="([^"]*)">(.*?) <a class="here"/g)];
  if (found.length < 3) return '';
  return `<nav class="parts" aria-label="On this page"><ul>${found.map(
    ([, id, words]) => `<li><a href="#${id}">${words.replace(/<\/?a[^>]*>/g, '')}</a></li>`,
  ).join('')}</ul></nav>`;
}

function neighbours(order, name) {
  const at = order.indexOf(name);
  const link = (other, words) => (other === undefined ? '<span></span>'
    : `<a href="${page_of(other)}">${words(escaped(title_of(other)))}</a>`);
  return link(order[at - 1], (title) => `\u2190 ${title}`)
    + link(order[at + 1], (title) => `${title} \u2192`);
}

const template = readFileSync(path.join(here, 'page.html'), 'utf8');
const parts = contents();
const order = parts.flatMap(([, some]) => some);
mkdirSync(output, { recursive: true });
for (const name of names) {
  const marked = new Marked({ renderer: renderer_for(name) });
  const html = marked.parse(texts.get(name));
  const after_title = html.indexOf('</h1>') + 5;
  const filled = {
    TITLE: escaped(title_of(name)),
    SIDE: side(parts, name),
    TEXT: html.slice(0, after_title) + on_this_page(html) + html.slice(after_title),
    NEIGHBOURS: neighbours(order, name),
  };
  writeFileSync(path.join(output, page_of(name)), template.replace(
    /<!--([A-Z]+)-->/g, (whole, key) => filled[key] ?? whole));
}
copyFileSync(path.join(here, 'style.css'), path.join(output, 'style.css'));
for (const picture of pictures) {
  mkdirSync(path.dirname(path.join(output, picture)), { recursive: true });
  copyFileSync(path.join(docs, picture), path.join(output, picture));
}
console.log(`${path.relative(process.cwd(), output)}: ${names.length} pages, `
  + `${pictures.size} pictures`);
