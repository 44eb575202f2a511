// SPDX-License-Identifier: Apache-2.0
// Takes the pictures of docs/: run by tools/screenshots.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { with_palette } from './palette.mjs';

const { chromium } = createRequire(path.join(process.env.NODE_MODULES, 'x.js'))(
  'playwright-core',
);

const HISTORY = ['history', '--spec', 'queue'];
const MODELS = 'examples/models';

const PICTURES = {
  summary: {
    run: ['verify', `${MODELS}/treiber_memory.plumb`],
    height: 820,
  },
  linearizable: {
    run: [...HISTORY, 'examples/histories/quiescent.jsonl'],
    height: 860,
  },
  quasi: {
    run: [
      ...HISTORY,
      '--condition',
      'quasi(deq=1)',
      'examples/histories/overtaken_for_ever.jsonl',
    ],
    height: 1140,
  },
  quiescent: {
    run: [
      ...HISTORY,
      '--condition',
      'quiescent',
      '--witness',
      'examples/histories/quiescent.jsonl',
    ],
    height: 640,
  },
  aba: {
    run: [
      'test',
      'examples/programs/treiber_stack.cpp',
      '--only',
      'treiber_stack_reuse',
    ],
    hash: '#step=30',
    height: 1080,
    width: 1320,
  },
  list: {
    run: ['verify', '--check', '273', `${MODELS}/lazy_list.plumb`],
    hash: '#view=steps&step=18',
    height: 1060,
    width: 1320,
    scheme: 'dark',
  },
  weak: {
    run: ['test', 'examples/programs/memory_orders.cpp', '--only', 'published_without_release'],
    hash: '#view=execution',
    height: 860,
  },
  graph: {
    run: [
      'verify',
      '--graph',
      '--check',
      '31',
      `${MODELS}/peterson_lock.plumb`,
    ],
    hash: '#view=graph',
    height: 860,
  },
};

function page_of(run) {
  const { stdout, stderr } = spawnSync(
    process.env.PLUMB,
    [...run, '--quiet', '--json', '-'],
    { encoding: 'utf8', maxBuffer: 1 << 28 },
  );
  const json = stdout.replaceAll(`${process.cwd()}/`, '');
  if (!json) throw new Error(stderr);
  return readFileSync('page/dist/page.html', 'utf8').replace(
    '/*RESULT*/',
    () => json.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`),
  );
}

const folder = mkdtempSync(path.join(os.tmpdir(), 'plumb-pictures-'));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
});
const wanted = process.argv.slice(2);
for (const [name, picture] of Object.entries(PICTURES)) {
  if (wanted.length && !wanted.includes(name)) continue;
  const file = path.join(folder, `${name}.html`);
  writeFileSync(file, page_of(picture.run));
  const page = await browser.newPage({
    viewport: { width: picture.width ?? 1180, height: picture.height },
    colorScheme: picture.scheme ?? 'light',
  });
  await page.goto(`file://${file}${picture.hash ?? ''}`);
  await page.waitForTimeout(300);
  const png = with_palette(await page.screenshot());
  writeFileSync(`docs/pictures/${name}.png`, png);
  console.log(
    `docs/pictures/${name}.png: ${Math.round(png.length / 1024)} KiB`,
  );
  await page.close();
}
await browser.close();
rmSync(folder, { recursive: true });
