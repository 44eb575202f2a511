// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fixture, require, with_page } from './browser.mjs';

const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const VIEWS = [
  ['model', ''],
  ['linearizable', ''],
  ['quasi', ''],
  ['times', ''],
  ['model', '#result=4&view=steps&step=15'],
  ['program', '#result=4&view=steps&step=11'],
  ['model', '#result=4&view=details'],
  ['weak', '#view=execution'],
  ['graph', '#view=graph'],
  ['papers', ''],
  ['histories', ''],
];

for (const scheme of ['light', 'dark']) {
  test(`axe finds nothing serious, in ${scheme} colours`, async () => {
    for (const [name, hash] of VIEWS) {
      await with_page({ result: fixture(name), hash, scheme }, async (page) => {
        for (const summary of await page.locator('details > summary').all())
          await summary.click();
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() =>
          window.axe.run(document, {
            resultTypes: ['violations'],
          }),
        );
        const serious = violations.filter((v) =>
          ['serious', 'critical'].includes(v.impact),
        );
        assert.deepEqual(
          serious.map(
            (v) =>
              `${v.id}: ${v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')}`,
          ),
          [],
          `${name}${hash}`,
        );
      });
    }
  });
}

test('Colours can be chosen', async () => {
  await with_page(
    { result: fixture('linearizable'), scheme: 'light' },
    async (page) => {
      const ground = () =>
        page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      const light = await ground();
      await page.getByRole('button', { name: 'Dark' }).click();
      assert.notEqual(await ground(), light);
      await page.getByRole('button', { name: 'Light' }).click();
      assert.equal(await ground(), light);
    },
  );
});

test('Everything can be reached with the keyboard alone', async () => {
  await with_page({ result: fixture('model') }, async (page) => {
    const focused = () =>
      page.evaluate(() => document.activeElement.textContent);
    for (
      let i = 0;
      i < 40 && !(await focused()).startsWith('treiber_recycled');
      ++i
    ) {
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    await page.locator('.steps-table').waitFor();
    for (let i = 0; i < 40 && (await focused()) !== 'History'; ++i)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('canvas.chart').waitFor();
    for (let i = 0; i < 40; ++i) {
      await page.keyboard.press('Tab');
      if (
        await page.evaluate(
          () => document.activeElement.className === 'chart-box',
        )
      )
        return;
    }
    assert.fail('the chart cannot be reached');
  });
});

test('The focus can be seen', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    const outline = await page.evaluate(
      () => getComputedStyle(document.activeElement).outlineStyle,
    );
    assert.equal(outline, 'solid');
  });
});
