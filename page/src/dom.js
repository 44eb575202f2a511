// SPDX-License-Identifier: Apache-2.0
// Elements made of plain values.  The only way that text gets into the page:
// always as text nodes or attributes, never as markup.
import { clipped } from './text.js';

const SVG = 'http://www.w3.org/2000/svg';
const LIMIT = 20000;

function apply(node, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) {
      node.addEventListener(name.slice(2), value);
    } else if (name === 'style') {
      for (const [k, v] of Object.entries(value)) node.style.setProperty(k, v);
    } else {
      node.setAttribute(
        name,
        value === true ? '' : clipped(String(value), LIMIT),
      );
    }
  }
}

/** Appends nodes, texts, numbers and (nested) lists of them. */
export function append(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    node.append(
      child instanceof Node
        ? child
        : document.createTextNode(clipped(String(child), LIMIT)),
    );
  }
  return node;
}

function maker(create) {
  return (name, attributes, ...children) => {
    const node = create(name);
    if (attributes) apply(node, attributes);
    return append(node, ...children);
  };
}

/** el('p', {class: 'lead', onclick: f}, 'text', child, ...) */
export const el = maker((name) => document.createElement(name));
export const svg = maker((name) => document.createElementNS(SVG, name));

export function replace(node, ...children) {
  node.replaceChildren();
  return append(node, ...children);
}

export function button(label, onclick, attributes = {}) {
  return el('button', { type: 'button', onclick, ...attributes }, label);
}

/** Text for screen readers only. */
export const unseen = (text) => el('span', { class: 'unseen' }, text);

let ids = 0;
export const fresh_id = (stem) => `${stem}-${++ids}`;

export const reduced_motion = () =>
  window.matchMedia('(prefers-reduced-motion: reduce)').matches;
