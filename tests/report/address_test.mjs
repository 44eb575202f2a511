// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture, text_of, with_page } from './browser.mjs';

test('A fragment points at a step', async () => {
  await with_page(
    { result: fixture('loop'), hash: '#step=5' },
    async (page) => {
      assert.match(await text_of(page, '.player .said'), /step 5 of/);
    },
  );
  await with_page(
    { result: fixture('model'), hash: '#result=4&view=steps&step=12' },
    async (page) => {
      assert.match(await text_of(page, 'h1'), /treiber_recycled/);
      assert.match(await text_of(page, '.player .said'), /step 12 of 27/);
      await page.evaluate(() => {
        window.location.hash = '#result=4&view=steps&step=3';
      });
      await page.getByText('step 3 of 27').waitFor();
    },
  );
});

test('A fragment points at an operation', async () => {
  await with_page(
    { result: fixture('linearizable'), hash: '#view=history&op=2' },
    async (page) => {
      assert.match(await text_of(page, '.panel h3'), /enq\(2\)/);
    },
  );
});

test('Back and forward go through the views', async () => {
  await with_page({ result: fixture('model') }, async (page) => {
    await page.locator('tbody tr').nth(3).getByRole('link').click();
    await page.getByRole('link', { name: 'History' }).click();
    await page.locator('canvas.chart').waitFor();
    await page.goBack();
    await page.locator('.steps-table').waitFor();
    await page.goBack();
    await page.getByText('All is as expected').waitFor();
    await page.goForward();
    await page.locator('.steps-table').waitFor();
  });
});

test('Fragments of nonsense lead somewhere', async () => {
  for (const hash of [
    '#result=99',
    '#step=-1',
    '#view=<b>',
    '#step=1e9',
    '#&&==',
    '#result=0&step=999999999',
  ]) {
    await with_page({ result: fixture('model'), hash }, async (page) => {
      assert.ok((await text_of(page, 'h1')).length > 0, hash);
    });
  }
});
