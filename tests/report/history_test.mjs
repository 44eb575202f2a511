// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canvas_sum, fixture, text_of, until, with_page } from './browser.mjs';

const row_count = (page, wanted) =>
  until(
    async () =>
      (await page.locator('details.rows tbody tr').count()) === wanted,
    `${wanted} rows`,
  );

test('A violation tells which operations clash and why', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    const why = await text_of(page, '.reasons');
    assert.match(
      why,
      /2 operations contradict each other: enq\(1\), deq\(\) → 2/,
    );
    assert.match(why, /with the queue at \[1\]/);
    assert.match(why, /it would return 1, not 2/);
    assert.match(
      await text_of(page, '.panel'),
      /first return that cannot be explained/,
    );
    assert.match(await text_of(page, '.panel'), /lines 5 and 6/);
  });
});

test('Every level has a history', async () => {
  for (const [name, hash] of [
    ['model', '#result=4&view=history'],
    ['program', '#result=4&view=history'],
    ['quiescent', ''],
  ]) {
    await with_page({ result: fixture(name), hash }, async (page) => {
      assert.ok(await page.locator('canvas.chart').isVisible(), name);
    });
  }
});

test('Wheel, buttons and keys zoom; dragging pans', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    const seen = [await canvas_sum(page)];
    const changes = async (what) => {
      const sum = await canvas_sum(page);
      assert.ok(!seen.includes(sum), what);
      seen.push(sum);
    };
    const box = await page.locator('canvas.chart').boundingBox();
    await page.mouse.move(box.x + 400, box.y + 60);
    await page.mouse.wheel(0, -400);
    await changes('wheel');
    await page.mouse.down();
    await page.mouse.move(box.x + 300, box.y + 60, { steps: 4 });
    await page.mouse.up();
    await changes('drag');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await changes('button');
    await page.locator('.chart-box').focus();
    await page.keyboard.press('+');
    await changes('key');
    await page.getByRole('button', { name: 'Move right' }).click();
    await changes('move');
    await page.keyboard.press('0');
    await page.locator('.legend').first().hover();
    assert.equal(await canvas_sum(page), seen[0], 'all of it again');
  });
});

test('Hovering shows an operation, pressing keeps it', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    const box = await page.locator('canvas.chart').boundingBox();
    await page.mouse.move(box.x + 250, box.y + 58);
    assert.match(await text_of(page, '.chart-box .tip'), /enq\(1\)/);
    await page.mouse.click(box.x + 250, box.y + 58);
    assert.match(await text_of(page, '.panel'), /enq\(1\)[\s\S]*lines 1 and 2/);
    assert.match(page.url(), /op=1$/);
  });
});

test('Arrow keys go from operation to operation, and say which', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    await page.locator('.chart-box').focus();
    await page.keyboard.press('ArrowRight');
    assert.match(await text_of(page, '.panel h3'), /deq\(\) → 1/);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowUp');
    assert.match(await text_of(page, '.panel h3'), /enq\(2\)/);
    await page.keyboard.press('Home');
    assert.match(await text_of(page, '.panel h3'), /enq\(1\)/);
    assert.match(
      await page.locator('[role=status][aria-live]').innerText(),
      /enq\(1\), process 0/,
    );
    await page.keyboard.press('c');
    assert.match(await text_of(page, '.panel h3'), /deq\(\) → 2/);
  });
});

test('Search finds operations and goes from one to the next', async () => {
  const result = fixture('linearizable');
  result.results[0].history.functions[1] = 'Deq';
  await with_page({ result }, async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('dEQ()');
    await page.getByText('2 operations found').waitFor();
    await page.keyboard.press('Enter');
    assert.match(await text_of(page, '.panel h3'), /Deq\(\) → 2/);
    await page.keyboard.press('Enter');
    assert.match(await text_of(page, '.panel h3'), /Deq\(\) → 1/);
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('none found').waitFor();
  });
});

test('Filters leave only one process or operation', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    await page.locator('details.rows summary').click();
    await row_count(page, 4);
    await page.getByLabel('Process', { exact: true }).selectOption('1');
    await row_count(page, 2);
    await page
      .getByLabel('Operation', { exact: true })
      .selectOption({ label: 'enq' });
    await row_count(page, 0);
    // To go to what is left out shows it again.
    await page.getByRole('button', { name: 'Show the culprit' }).click();
    await row_count(page, 4);
  });
});

test('Histories of several keys can be filtered by key', async () => {
  const result = fixture('linearizable');
  Object.assign(result.results[0].history, {
    keys: ['x', 'y'],
    key: [0, 1, 0, 1],
  });
  await with_page({ result }, async (page) => {
    await page.locator('details.rows summary').click();
    await page.getByLabel('Key', { exact: true }).selectOption({ label: 'y' });
    await row_count(page, 2);
  });
});

test('The table says what the picture shows', async () => {
  await with_page({ result: fixture('linearizable') }, async (page) => {
    await page.locator('details.rows summary').click();
    const words = await page.locator('details.rows tbody').innerText();
    assert.match(words, /enq\(1\)\t0\t1\t\t1–2\t◆/);
    assert.match(words, /deq\(\) → 2\t1\t\t2\t5–6\t✗ The first return/);
  });
});

test('The order can be hidden, and real time left', async () => {
  await with_page({ result: fixture('times') }, async (page) => {
    const all = await canvas_sum(page);
    await page.getByLabel('order').uncheck();
    const without = await canvas_sum(page);
    assert.notEqual(without, all);
    await page.getByLabel('real time').uncheck();
    assert.notEqual(await canvas_sum(page), without);
    assert.match(await text_of(page, '.legend'), /never returned/);
  });
});

test('Quasi: arrows from pi to pi prime, against the factor', async () => {
  await with_page({ result: fixture('quasi') }, async (page) => {
    const words = await text_of(page, '.moves');
    assert.match(words, /deq at most 1 place from its turn/);
    assert.match(
      words,
      /deq\(\) → 1 stands 2 places behind its turn, 1 place too far/,
    );
    assert.match(words, /would hold with quasi\(deq=2\)/);
    assert.match(words, /−2 > 1/);
    assert.match(words, /\+1 ≤ 1/);
    assert.equal(
      await page.locator('.moves-picture path.far:not(.tip)').count(),
      1,
    );
  });
});

test('Quiescent moments are lines', async () => {
  const result = fixture('quiescent');
  let with_lines = 0;
  await with_page({ result }, async (page) => {
    with_lines = await canvas_sum(page);
    assert.match(await text_of(page, '.legend'), /quiescent moments/);
  });
  delete result.results[0].history.quiescent;
  await with_page({ result }, async (page) => {
    assert.notEqual(await canvas_sum(page), with_lines);
  });
});
