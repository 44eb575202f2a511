// SPDX-License-Identifier: Apache-2.0
// Light or dark: what the system prefers, or what the reader chose.
import { button } from './dom.js';

const dark_system = window.matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set();
let chosen = null;

const is_dark = () => (chosen ? chosen === 'dark' : dark_system.matches);

function changed() {
  document.documentElement.dataset.theme = is_dark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}

/** Calls `listener` whenever colours change; returns how to stop that. */
export function on_theme(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The value of a custom property of the style sheet, for canvases. */
export function colours(names) {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(
    names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
  );
}

export function theme_button() {
  const label = () => (is_dark() ? 'Light' : 'Dark');
  const node = button(
    label(),
    () => {
      chosen = is_dark() ? 'light' : 'dark';
      changed();
    },
    { class: 'quiet theme', title: 'Light or dark colours' },
  );
  on_theme(() => {
    node.textContent = label();
  });
  return node;
}

export function start_theme() {
  dark_system.addEventListener('change', changed);
  changed();
}
