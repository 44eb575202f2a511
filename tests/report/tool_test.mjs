// SPDX-License-Identifier: Apache-2.0
// Pages that the tool itself makes; only with run --plumb.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { text_of, with_page } from './browser.mjs';

const plumb = process.env.PLUMB;
const skip = plumb ? false : 'no --plumb';

function made(work) {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'plumb-report-'));
  const run = (...options) => {
    const { status, stderr } = spawnSync(plumb, options, { encoding: 'utf8' });
    assert.ok(status === 0 || status === 1, `${options.join(' ')}: ${stderr}`);
  };
  return work(folder, run).finally(() => rmSync(folder, { recursive: true }));
}

test('Of a history', { skip }, () =>
  made(async (folder, run) => {
    const file = `${folder}/h.html`;
    run(
      'history',
      '--spec',
      'queue',
      'examples/histories/queue_overtaken.jsonl',
      '--html',
      file,
    );
    await with_page({ file }, async (page) => {
      assert.match(await text_of(page, '.reasons'), /it would return 1, not 2/);
    });
  }),
);

test('Of code', { skip }, () =>
  made(async (folder, run) => {
    const file = `${folder}/t.html`;
    run(
      'test',
      'examples/programs/treiber_stack.cpp',
      '--only',
      'treiber_stack_reuse',
      '--html',
      file,
    );
    await with_page({ file, hash: '#step=11' }, async (page) => {
      assert.match(
        await text_of(page, 'tr[aria-current]'),
        /top_\.word: #1 → #2/,
      );
      assert.match(
        await text_of(page, '.source .here'),
        /compare_exchange_weak/,
      );
    });
  }),
);

test('Of a model, by way of its JSON', { skip }, () =>
  made(async (folder, run) => {
    run(
      'verify',
      '--graph',
      'examples/models/peterson_lock.plumb',
      '--json',
      `${folder}/r.json`,
    );
    run('report', `${folder}/r.json`, '-o', `${folder}/r.html`);
    await with_page(
      { file: `${folder}/r.html`, hash: '#view=graph' },
      async (page) => {
        assert.ok((await page.locator('.state').count()) > 10);
      },
    );
  }),
);

test('Of a hostile history', { skip }, () =>
  made(async (folder, run) => {
    const name = '</script><img src=x onerror="window.tripped=1">\u202e\u0000';
    const events = ['invoke', 'ok'].map((type) =>
      JSON.stringify({
        process: name,
        type,
        f: 'write',
        value: type === 'ok' ? null : name,
      }),
    );
    const read = ['invoke', 'ok'].map((type) =>
      JSON.stringify({
        process: 1,
        type,
        f: 'read',
        value: type === 'ok' ? '<!--' : null,
      }),
    );
    writeFileSync(`${folder}/h.jsonl`, [...events, ...read].join('\n'));
    run(
      'history',
      '--spec',
      'register',
      `${folder}/h.jsonl`,
      '--html',
      `${folder}/h.html`,
    );
    await with_page({ file: `${folder}/h.html` }, async (page) => {
      assert.match(await text_of(page, 'main'), /<!--/);
      assert.equal(await page.locator('img').count(), 0);
    });
  }),
);
