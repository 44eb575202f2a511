// SPDX-License-Identifier: Apache-2.0
// What the fragment of the address points at: #result=3&view=steps&step=12.

const NUMBERS = ['result', 'step', 'op'];

/** Results and steps count from 1, as people do; step 0 is the beginning. */
export function parse(fragment) {
  const route = {};
  for (const part of fragment.replace(/^#/, '').split('&')) {
    const [name, value = ''] = part.split('=');
    if (NUMBERS.includes(name)) {
      if (/^\d{1,9}$/.test(value)) route[name] = Number(value);
    } else if (name === 'view' && /^[a-z]+$/.test(value)) {
      route.view = value;
    }
  }
  return route;
}

export function format(route) {
  const parts = ['result', 'view', 'step', 'op']
    .filter((name) => route[name] !== undefined)
    .map((name) => `${name}=${route[name]}`);
  return `#${parts.join('&')}`;
}

export const current = () => parse(window.location.hash);

/** Goes there, so that `back` comes back here. */
export function go(route) {
  window.location.hash = format(route);
}

/** Notes where we are without a new entry in the browser's history. */
export function note(route) {
  const fragment = format(route);
  if (fragment === window.location.hash) return;
  try {
    window.history.replaceState(null, '', fragment);
  } catch {
    // Some browsers refuse this for files, or when it is done too often; the
    // address is then late, and nothing else.
  }
}
