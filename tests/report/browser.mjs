// SPDX-License-Identifier: Apache-2.0
// What the tests share: the page with a result in it, opened in a browser.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';

export const here = path.dirname(fileURLToPath(import.meta.url));
const template = readFileSync(
  process.env.PAGE ?? path.join(here, '../../page/dist/page.html'),
  'utf8',
);
export const require = createRequire(
  path.join(process.env.NODE_MODULES, 'x.js'),
);
const { chromium } = require('playwright-core');

const folder = mkdtempSync(path.join(os.tmpdir(), 'plumb-report-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  // Containers often run as root and have a small /dev/shm.
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
after(async () => {
  await browser.close();
  rmSync(folder, { recursive: true });
});

export const fixture = (name) =>
  JSON.parse(readFileSync(path.join(here, 'fixtures', `${name}.json`), 'utf8'));

/** As the tool writes it: nothing in it can end the element it stands in. */
export function embedded(json) {
  const escaped = json.replace(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return template.replace('/*RESULT*/', () => escaped);
}

let files = 0;

export function page_file(result) {
  const file = path.join(folder, `${++files}.html`);
  writeFileSync(
    file,
    embedded(typeof result === 'string' ? result : JSON.stringify(result)),
  );
  return file;
}

const pages = new Map(); // by how they look
let complaints = [];

/** A page of that size and colour scheme: making one takes longer than to use it. */
async function page_like(options) {
  const key = JSON.stringify(options);
  if (!pages.has(key)) {
    const context = await browser.newContext({
      ...options,
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    page.setDefaultTimeout(20000);
    listen(page);
    pages.set(key, page);
  }
  return pages.get(key);
}

function listen(page) {
  page.on('console', (m) => {
    // Only our own looking at pixels brings that one.
    if (
      ['error', 'warning'].includes(m.type()) &&
      !m.text().includes('willReadFrequently')
    ) {
      complaints.push(m.text());
    }
  });
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  page.on('request', (request) => {
    if (!/^(file|data):/.test(request.url()))
      complaints.push(`request: ${request.url()}`);
  });
}

/**
 * Opens a page, calls `use(page)`, and fails if the page complained, asked for
 * anything from outside, or ran anything that came with the data.
 * what: {result or file, hash, width, height, scheme}.
 */
export async function with_page(what, use) {
  const file = what.file ?? page_file(what.result);
  const page = await page_like({
    viewport: { width: what.width ?? 1280, height: what.height ?? 800 },
    colorScheme: what.scheme ?? 'light',
  });
  complaints = [];
  await page.emulateMedia({ media: null });
  await page.mouse.move(0, 0);
  await page.goto(`file://${file}${what.hash ?? ''}`);
  await page.waitForSelector('main');
  await use(page);
  if (await page.evaluate(() => window.tripped))
    complaints.push('data was executed');
  assert.deepEqual(complaints, []);
}

/** Waits until `is_so()` is; the page's policy allows no waiting inside of it. */
export async function until(is_so, what) {
  for (let i = 0; i < 200; ++i) {
    if (await is_so()) return;
    await new Promise((resolve) => {
      setTimeout(resolve, 50);
    });
  }
  assert.fail(`never: ${what}`);
}

export const text_of = (page, selector) =>
  page.locator(selector).first().innerText();

/** How dark the pixels of a canvas are, in all: changes when what it shows does. */
export const canvas_sum = (page, selector = 'canvas.chart') =>
  page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        requestAnimationFrame(() =>
          requestAnimationFrame(() => {
            const canvas = document.querySelector(wanted);
            const { data } = canvas
              .getContext('2d')
              .getImageData(0, 0, canvas.width, canvas.height);
            let sum = 0;
            for (let i = 0; i < data.length; i += 4)
              sum = (sum * 31 + data[i] * 7 + data[i + 1]) % 1000000007;
            resolve(sum);
          }),
        );
      }),
    selector,
  );
