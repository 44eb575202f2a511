// SPDX-License-Identifier: Apache-2.0
// Reads the result that the tool put into the page, and starts the views.
import './style/base.css';
import './style/layout.css';
import './style/summary.css';
import './style/history.css';
import './style/steps.css';
import './style/execution.css';
import './style/graph.css';
import './style/print.css';

import { start_app } from './app.js';
import { el, replace } from './dom.js';
import { normal } from './result.js';
import { start_theme } from './theme.js';

const PLACE = ['/*RES', 'ULT*/'].join('');

function show_picker(root, message) {
  const input = el('input', {
    type: 'file',
    accept: '.json,application/json',
    id: 'file',
    onchange: async () => {
      const [file] = input.files;
      if (file) start(root, await file.text());
    },
  });
  replace(
    root,
    el(
      'main',
      { class: 'page empty' },
      el('h1', null, 'Plumbline report'),
      el('p', null, message),
      el(
        'p',
        null,
        el('label', { for: 'file' }, 'Open a result (a file made by '),
        el('code', null, 'plumb … --json'),
        '): ',
        input,
      ),
    ),
  );
}

function start(root, json) {
  let raw;
  try {
    raw = JSON.parse(json);
  } catch (error) {
    show_picker(root, `This is no result of plumb: ${error.message}`);
    return;
  }
  start_app(root, normal(raw));
}

const root = document.getElementById('app');
const holder = document.getElementById('result');
const json = holder.textContent;
holder.remove(); // Hundreds of thousands of operations need not be kept twice.
start_theme();
if (json.trim() === PLACE || json.trim() === '') {
  show_picker(root, 'There is no result in this page.');
} else {
  start(root, json);
}
