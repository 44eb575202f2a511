// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, with_page } from './browser.mjs';

const VIEWS = [
  ['model', ''],
  ['linearizable', ''],
  ['quasi', ''],
  ['histories', ''],
  ['model', '#result=4&view=steps&step=15'],
  ['program', '#result=4&view=steps&step=11'],
  ['program', ''],
  ['model', '#result=4&view=details'],
  ['graph', '#view=graph'],
  ['papers', ''],
];

for (const width of [360, 800]) {
  test(`Nothing is wider than a screen of ${width} pixels`, async () => {
    for (const [name, hash] of VIEWS) {
      await with_page(
        { result: fixture(name), hash, width, height: 700 },
        async (page) => {
          const wide = await page.evaluate(
            () => document.documentElement.scrollWidth,
          );
          assert.ok(wide <= width, `${name}${hash}: ${wide}`);
        },
      );
    }
  });
}

test('On a phone a step says whose it is', async () => {
  await with_page(
    { result: fixture('program'), hash: '#result=4&step=11', width: 360 },
    async (page) => {
      assert.ok(
        await page.locator('tr[aria-current] .thread-name').isVisible(),
      );
    },
  );
});

test('On paper there are no controls, and nothing is cut off', async () => {
  await with_page(
    { result: fixture('program'), hash: '#result=4&step=11' },
    async (page) => {
      await page.emulateMedia({ media: 'print' });
      assert.equal(await page.locator('.tabs').isVisible(), false);
      assert.equal(
        await page.getByRole('button', { name: 'Play' }).isVisible(),
        false,
      );
      const cut = await page
        .locator('.step-box')
        .evaluate((n) => n.scrollHeight - n.clientHeight);
      assert.ok(cut <= 1, `${cut} pixels are hidden`);
      assert.ok((await page.pdf()).length > 10000);
    },
  );
});
